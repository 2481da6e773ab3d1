/**
 * From the source files to every file under generated/, as texts in memory. generate.ts writes them, check.ts compares
 * them, so both always mean the same.
 * Invariant: the same source gives the same bytes, on every machine and at any time.
 */
import { join, relative } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { stringify } from 'yaml';
import { readSideLists, readSources, type SideLists } from './source.js';
import { isMap, operationsOf, prune, type ApiDocument, type Json } from './document.js';
import { schemasOf, toOpenapi30 } from './down-convert.js';
import { bundleSource } from './redocly.js';
import { toOpenapi32 } from './up-convert.js';

export interface Contract {
  document: ApiDocument;
  lists: SideLists;
  /** Every OpenAPI file as written, by its path below openapi/. */
  sources: Map<string, Json>;
  /** The files the root leads to. */
  reached: Set<string>;
}

/** The source under `root`/openapi. Throws with every problem of the references. */
export async function readContract(root: string): Promise<Contract> {
  const folder = join(root, 'openapi');
  const { document, files } = await bundleSource(join(folder, 'openapi.yaml'));
  const reached = new Set(files.map((file) => relative(folder, file)));
  return { document, lists: readSideLists(root), sources: readSources(root), reached };
}

/** File name below generated/ to text. */
export async function outputsOf({
  document,
  lists,
}: Pick<Contract, 'document' | 'lists'>): Promise<Map<string, string>> {
  const outputs = new Map<string, string>();
  outputs.set('openapi.json', json(document));
  // Printed here and not by the daemon: it takes a fifth of a second, in which nobody else would be answered.
  outputs.set('openapi.yaml', stringify(document, { aliasDuplicateObjects: false }));
  outputs.set('openapi.3.0.json', json(toOpenapi30(document)));
  outputs.set('openapi.3.2.json', json(toOpenapi32(document)));
  for (const tag of document.tags)
    outputs.set(`specs/${String(tag.name)}.json`, json(subSpec(document, String(tag.name))));
  outputs.set('catalogue.json', json({ errors: lists.errors }));
  outputs.set('contract.ts', await types(document, lists));
  return outputs;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The part of the contract with one tag, and the components it reaches. */
export function subSpec(document: ApiDocument, tag: string): ApiDocument {
  const paths: ApiDocument['paths'] = {};
  for (const { path, method, operation } of operationsOf(document)) {
    if (operation.tags.includes(tag)) (paths[path] ??= {})[method] = operation;
  }
  return prune({ ...document, tags: document.tags.filter((row) => row.name === tag), paths });
}

const TYPES_HEADER = `/**
 * Types of the contract. Written by \`npm run generate\` from openapi/; do not edit. Types only: at run time the daemon
 * reads openapi.json.
 */
`;

async function types(document: ApiDocument, lists: SideLists): Promise<string> {
  const ast = await openapiTS(JSON.stringify(withNamedMembersOnly(document)), {
    alphabetize: false,
    defaultNonNullable: false,
    silent: true,
  });
  const union = (names: string[]): string => names.map((name) => `\n  | '${name}'`).join('');
  return `${TYPES_HEADER}${astToString(ast)}
export type OperationId = keyof operations;
/** Codes of the agent family (openapi/errors.yaml). */
export type ErrorCodeInContract =${union(Object.keys(lists.errors.agent))};
/** Codes of the workspaces family. */
export type WorkspaceErrorCode =${union(Object.keys(lists.errors.workspaces))};
`;
}

/**
 * Objects with named members stay open on the wire, but their types name exactly those members: an index signature
 * beside them would let every misspelling through.
 */
function withNamedMembersOnly(document: ApiDocument): ApiDocument {
  const copy = structuredClone(document);
  for (const { schema } of schemasOf(copy)) {
    if (isMap(schema.properties) && schema.additionalProperties === true) delete schema.additionalProperties;
  }
  return copy;
}
