/**
 * The files under openapi/ as they are written: the OpenAPI sources, and the lists beside them (error codes,
 * requirements). Nothing is judged here; lint.ts does that.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Json } from './document.js';

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
  requirements: Requirement[];
}

const load = (root: string, name: string): unknown => parse(readFileSync(join(root, 'openapi', name), 'utf8'));

/** The lists as written. */
export function readSideLists(root: string): SideLists {
  return {
    errors: load(root, 'errors.yaml') as ErrorCatalogue,
    requirements: load(root, 'requirements.yaml') as Requirement[],
  };
}

const LISTS = new Set(['errors.yaml', 'requirements.yaml']);

/** Every OpenAPI file as written, by its path below openapi/. */
export function readSources(root: string): Map<string, Json> {
  const names = readdirSync(join(root, 'openapi'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml') && !LISTS.has(name))
    .toSorted();
  return new Map(names.map((name) => [name, load(root, name) as Json]));
}
