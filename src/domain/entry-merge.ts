/**
 * A sent entry laid over the stored one of the same name. Absent keeps, a null inside `env` or `headers` deletes that
 * key, an empty map clears the map; fields this build does not know are kept or taken as they are. A re-point (another
 * transport, command, args or url) drops the stored credentials, so they never reach a target they were not meant for.
 * Invariant: what comes back loads. A stored entry that does not load is repaired by the exact field it needs, or the
 * write is refused naming that field.
 */
import { isJsonObject, type JsonObject, type JsonValue } from './json.js';
import {
  besideUnknown,
  entryError,
  fieldFaults,
  fieldInAnyCase,
  headerCaseClashes,
  parseEntry,
  SERVER_FIELDS,
  shown,
  typeOf,
  type EntryFault,
  type RawEntry,
  type ServerEntry,
} from './server-entry.js';

export interface MergedEntry {
  readonly raw: RawEntry;
  readonly entry: ServerEntry;
  readonly repointed: boolean;
}

const CREDENTIAL_MAPS = ['env', 'headers'] as const;
type CredentialMap = (typeof CREDENTIAL_MAPS)[number];

/** The rules a request breaks on its own, whatever is stored. Throws bad_request naming all of them. */
export function checkServerPatch(patch: JsonObject): void {
  const faults = fieldFaults(patch, 'patch');
  if (!Object.hasOwn(patch, 'name')) faults.push({ field: 'name', rule: `is required${besideUnknown(patch)}` });
  if (faults.length > 0) throw entryError(faults);
}

/**
 * Returns the entry to store. Throws bad_request for a patch that breaks a rule of its own, for a result that would not
 * load, and for a stored fault the patch does not repair.
 */
export function mergeEntry(stored: RawEntry | undefined, patch: JsonObject): MergedEntry {
  checkServerPatch(patch);
  const raw = layOver(stored ?? {}, patch);
  const repointed = stored !== undefined && isRepoint(stored, raw);
  const unrepaired = stored === undefined ? [] : storedFaults(stored, patch, raw, repointed);
  if (unrepaired.length > 0) throw entryError(unrepaired);
  for (const field of CREDENTIAL_MAPS) {
    const merged = mergeMap(field, stored?.[field], patch[field], repointed);
    if (merged !== undefined) raw[field] = merged;
  }
  const parsed = parseEntry(raw, 'stored');
  if ('faults' in parsed) throw entryError(parsed.faults);
  return { raw, entry: parsed.entry, repointed };
}

/** Sent fields replace stored ones; a stored spelling in another case gives way to the exact field. */
function layOver(stored: RawEntry, patch: JsonObject): RawEntry {
  const kept = Object.entries(stored).filter(([key]) => {
    const field = fieldInAnyCase(key);
    return field === undefined || field === key || !Object.hasOwn(patch, field);
  });
  return { ...Object.fromEntries(kept), ...patch };
}

function mergeMap(
  field: CredentialMap,
  stored: JsonValue | undefined,
  sent: JsonValue | undefined,
  repointed: boolean,
): JsonValue | undefined {
  // Requires: mcp.upsert.absent-keeps
  // Requires: mcp.repoint.clears
  if (sent === undefined) return repointed && stored !== undefined ? {} : stored;
  const changes = Object.entries(sent as JsonObject);
  const clears = changes.length === 0;
  const kept = new Map(isJsonObject(stored) && !clears && !repointed ? Object.entries(stored) : []);
  if (field === 'headers') refuseOtherSpellings(kept.keys(), changes);
  for (const [key, value] of changes) {
    if (value === null) kept.delete(key);
    else kept.set(key, value);
  }
  return Object.fromEntries(kept);
}

/** A header sent in another case than the stored one would be a second header of the same name. */
function refuseOtherSpellings(stored: Iterable<string>, changes: readonly [string, JsonValue][]): void {
  const spelling = new Map([...stored].map((name) => [name.toLowerCase(), name]));
  const faults = changes.flatMap(([name]) => {
    const known = spelling.get(name.toLowerCase());
    if (known === undefined || known === name) return [];
    return [{ field: `headers.${shown(name)}`, rule: `differs only in case from the stored ${shown(known)}` }];
  });
  if (faults.length > 0) throw entryError(faults);
}

/** The faults of the stored entry this write leaves standing, each with the field that repairs it. */
function storedFaults(stored: RawEntry, patch: JsonObject, raw: RawEntry, repointed: boolean): EntryFault[] {
  const faults: EntryFault[] = [];
  for (const key of Object.keys(raw)) {
    const field = fieldInAnyCase(key);
    if (field !== undefined && field !== key) {
      faults.push({
        field: shown(key),
        rule: `is stored in another case and does not load; repair it by sending ${field}`,
      });
    }
  }
  const headers = patch['headers'];
  // Requires: mcp.repair.headers
  const clearsHeaders = isJsonObject(headers) && Object.keys(headers).length === 0;
  if (isJsonObject(stored['headers']) && !clearsHeaders) {
    const [clash] = headerCaseClashes(Object.keys(stored['headers']));
    if (clash !== undefined) {
      const rule =
        'are stored and differ only in case; repair them by sending headers: {} first, then the one spelling';
      faults.push({ field: `headers`, rule: `${clash.map(shown).join(' and ')} ${rule}` });
    }
  }
  // Whatever else is wrong with what was stored, sending the field it stands in replaces it.
  for (const { field, rule } of fieldFaults(stored, 'stored')) {
    const top = field.split('.', 1)[0] as string;
    const untouched = SERVER_FIELDS.includes(top) && !Object.hasOwn(patch, top);
    const cleared = repointed && CREDENTIAL_MAPS.some((name) => name === top);
    if (untouched && !cleared && !faults.some((known) => known.field === top)) {
      faults.push({ field, rule: `${rule} (as stored); repair it by sending ${top}` });
    }
  }
  return faults;
}

/** Restating what was read is no re-point: type aliases are equal, an absent args is [], the rest is byte for byte. */
function isRepoint(stored: RawEntry, merged: RawEntry): boolean {
  const before = identity(stored);
  const after = identity(merged);
  return before.some((part, index) => part !== after[index]);
}

/** A field stored in another case counts with its value, so repairing its spelling alone drops no credential. */
function identity(raw: RawEntry): (string | undefined)[] {
  const exact: RawEntry = { ...raw };
  for (const [key, value] of Object.entries(raw)) {
    const field = fieldInAnyCase(key);
    if (field !== undefined && !Object.hasOwn(exact, field)) exact[field] = value;
  }
  const { command, args, url } = exact;
  return [typeOf(exact), JSON.stringify(command), JSON.stringify(args ?? []), JSON.stringify(url)];
}
