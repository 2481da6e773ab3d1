/**
 * The four changes of a stored `mcp_servers` list, each as a pure function from the document to the edits that make
 * it. They run inside the lock of the file, so what they compare is what will be replaced.
 * Invariant: the hash is compared before anything else is looked at, and a refused change has no edits.
 */
import { serversHash } from './canonical.js';
import { checkServerPatch, mergeEntry } from './entry-merge.js';
import { DaemonError } from './errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from './json.js';
import { parseEntry, shown, typeOf, type EntryFault, type RawEntry, type Transport } from './server-entry.js';
import type { SettingsDocument } from './settings.js';

export { checkServerPatch };

/** One change to the stored list. Positions are those of the list before any edit of the batch. */
export type ServerListEdit =
  | { readonly kind: 'replace'; readonly index: number; readonly entry: RawEntry }
  | { readonly kind: 'remove'; readonly index: number }
  | { readonly kind: 'append'; readonly entry: RawEntry };

export interface ServerListChange {
  readonly edits: ServerListEdit[];
  /** The names this change wrote or removed. */
  readonly result: { readonly touched: string[] };
}

export type ReadableDocument = Exclude<SettingsDocument, { state: 'broken' }>;

/** Faults a refusal lists; past it only their number. A paste can hold a million, and an answer cannot. */
const LISTED_FAULTS_MAX = 200;

/** The stored list, undefined when the key is missing. Throws bad_request when it is something else than a list. */
export function storedEntries(settings: JsonObject): JsonValue[] | undefined {
  const stored = settings['mcp_servers'];
  if (stored === undefined || Array.isArray(stored)) return stored;
  throw new DaemonError(
    'bad_request',
    'mcp_servers: the settings file holds something else than a list; repair it by hand',
  );
}

/** Throws mcp_conflict, and bad_request as `mergeEntry` does. Of two stored entries of one name the first is meant. */
export function planUpsert(document: ReadableDocument, expectHash: string, patch: JsonObject): ServerListChange {
  const stored = unchanged(document, expectHash);
  const name = patch['name'] as string;
  const index = stored.findIndex(named(name));
  const { raw } = mergeEntry(stored[index] as RawEntry | undefined, patch);
  const edit: ServerListEdit = index === -1 ? { kind: 'append', entry: raw } : { kind: 'replace', index, entry: raw };
  return { edits: [edit], result: { touched: [name] } };
}

/** Throws mcp_conflict, and bad_request when the layer has no such entry or its stored form does not load. */
export function planSetEnabled(
  document: ReadableDocument,
  expectHash: string,
  name: string,
  enabled: boolean,
): ServerListChange {
  const stored = unchanged(document, expectHash);
  const index = stored.findIndex(named(name));
  if (index === -1) throw missing(document, name);
  const { raw } = mergeEntry(stored[index] as RawEntry, { name, enabled });
  return { edits: [{ kind: 'replace', index, entry: raw }], result: { touched: [name] } };
}

/**
 * Removes every entry of that name: were only the first one taken, the next would start in its place.
 * Throws mcp_conflict, and bad_request when the layer has none.
 */
export function planDelete(document: ReadableDocument, expectHash: string, name: string): ServerListChange {
  const stored = unchanged(document, expectHash);
  const edits = stored.flatMap((entry, index): ServerListEdit[] =>
    named(name)(entry) ? [{ kind: 'remove', index }] : [],
  );
  if (edits.length === 0) throw missing(document, name);
  return { edits, result: { touched: [name] } };
}

/**
 * Writes a checked batch (`checkImportEntries`, `parseImport`). With `replace` an entry of the same name is replaced
 * whole, credentials and unknown fields included. Throws mcp_conflict, and bad_request naming every collision.
 */
export function planImport(
  document: ReadableDocument,
  expectHash: string,
  entries: readonly RawEntry[],
  replace: boolean,
): ServerListChange {
  const stored = unchanged(document, expectHash);
  const positions = new Map<string, number>();
  stored.forEach((entry, index) => {
    const name = isJsonObject(entry) ? entry['name'] : undefined;
    if (typeof name === 'string' && !positions.has(name)) positions.set(name, index);
  });
  const edits = entries.map((entry): ServerListEdit => {
    const index = positions.get(entry['name'] as string);
    return index === undefined ? { kind: 'append', entry } : { kind: 'replace', index, entry };
  });
  const touched = entries.map((entry) => entry['name'] as string);
  const collisions = touched.filter((name) => positions.has(name));
  // Requires: mcp.import.collision
  if (collisions.length > 0 && !replace) {
    throw batchError(
      collisions.map((name) => ({ entry: name, field: 'name', rule: 'exists already (replace: true overwrites it)' })),
    );
  }
  return { edits, result: { touched } };
}

/**
 * The entries an import by `servers` writes: each judged like a new entry of an upsert, all of them disabled.
 * Throws bad_request listing every fault of every entry.
 */
export function checkImportEntries(servers: readonly JsonValue[]): RawEntry[] {
  const faults = servers.flatMap((raw, index): BatchFault[] => {
    const parsed = parseEntry(raw, 'written');
    return 'faults' in parsed ? parsed.faults.map((found) => ({ entry: labelOf(raw, index), ...found })) : [];
  });
  faults.push(...duplicateFaults(servers));
  if (faults.length > 0) throw batchError(faults);
  // An alias is stored as what it means, like that of a pasted document.
  return (servers as RawEntry[]).map((raw) => ({
    ...raw,
    ...(raw['type'] !== undefined && { type: typeOf(raw) as Transport }),
    enabled: false,
  }));
}

/** A fault and the entry of the batch it is in. */
export interface BatchFault extends EntryFault {
  readonly entry: string;
}

/** Every second and later entry of a name. */
export function duplicateFaults(servers: readonly JsonValue[]): BatchFault[] {
  const seen = new Set<string>();
  return servers.flatMap((raw) => {
    const name = isJsonObject(raw) ? raw['name'] : undefined;
    if (typeof name !== 'string') return [];
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ entry: name, field: 'name', rule: 'is there more than once' }];
  });
}

/** The refusal of a whole batch: nothing was written, and why, entry by entry. */
export function batchError(faults: readonly BatchFault[]): DaemonError {
  const listed = faults
    .slice(0, LISTED_FAULTS_MAX)
    .map(({ entry, field, rule }) => `entry "${shown(entry)}": ${field === '' ? rule : `${field}: ${rule}`}`);
  const rest = faults.length - listed.length;
  const more = rest > 0 ? `; and ${rest} more` : '';
  return new DaemonError(
    'bad_request',
    `nothing was written, an import is all or nothing: ${listed.join('; ')}${more}`,
  );
}

/** What an entry of a list is called in a message. */
export function labelOf(raw: JsonValue, index: number): string {
  const name = isJsonObject(raw) ? raw['name'] : undefined;
  return typeof name === 'string' ? name : `number ${index + 1}`;
}

function unchanged(document: ReadableDocument, expectHash: string): JsonValue[] {
  // Requires: mcp.write.hash-mismatch
  if (serversHash(document.value['mcp_servers']) !== expectHash) throw new DaemonError('mcp_conflict');
  return storedEntries(document.value) ?? [];
}

const named =
  (name: string) =>
  (entry: JsonValue): boolean =>
    isJsonObject(entry) && entry['name'] === name;

const missing = ({ path }: ReadableDocument, name: string): DaemonError =>
  new DaemonError('bad_request', `name: this layer (${path}) has no entry "${shown(name)}"`);
