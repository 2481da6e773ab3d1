/**
 * The lists beside the OpenAPI files: error codes, pending operations and requirements, read and checked for form.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export type Family = 'agent' | 'workspaces';

export interface ErrorEntry {
  status: number;
  /** The page that has the code prints no status for it. */
  inferred?: boolean;
  /** No page has the code. */
  decided?: boolean;
  title: string;
  description: string;
  resolution: string;
  retry: 'never' | 'later' | 'changed';
  wait: 'always' | 'sometimes' | 'never';
  message: 'literal' | 'specific';
  messages: string[];
  /** The schema of `details`, where the code carries them always. */
  details?: string;
}

export type ErrorCatalogue = Record<Family, Record<string, ErrorEntry>>;

export interface Requirement {
  id: string;
  level: 'MUST' | 'SHOULD';
  text: string;
  from: string;
  /** Test file and test name as `path: name`, or `pending`. */
  check: string;
}

/** Everything beside the OpenAPI files. */
export interface SideLists {
  errors: ErrorCatalogue;
  /** operationId to the reason it is not built yet. */
  pending: Record<string, string>;
  requirements: Requirement[];
}

const load = (root: string, name: string): unknown => parse(readFileSync(join(root, 'openapi', name), 'utf8'));

/** The lists as written; lint.ts judges them. */
export function readSideLists(root: string): SideLists {
  return {
    errors: load(root, 'errors.yaml') as ErrorCatalogue,
    pending: (load(root, 'pending.yaml') ?? {}) as Record<string, string>,
    requirements: load(root, 'requirements.yaml') as Requirement[],
  };
}
