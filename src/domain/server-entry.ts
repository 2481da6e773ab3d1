/**
 * One entry of `mcp_servers`: its type, and the parser that turns stored or sent JSON into it or says, field by field,
 * what is wrong. It does not merge (entry-merge.ts), translate foreign dialects (dialects.ts) or read layers
 * (settings.ts).
 * Invariant: a fault names a field and a rule, never a value; fields this build does not know are nobody's fault.
 */
import { DaemonError } from './errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from './json.js';

export type Transport = 'stdio' | 'http' | 'sse';
export type LayerName = 'user' | 'project' | 'local';

/** A valid entry. `env` and `headers` hold the values as written, before `${VAR}` expansion. */
export interface ServerEntry {
  readonly name: string;
  readonly transport: Transport;
  /** Present for stdio. */
  readonly command?: string;
  readonly args: readonly string[];
  /** Present for http and sse. */
  readonly url?: string;
  readonly env: ReadonlyMap<string, string>;
  readonly headers: ReadonlyMap<string, string>;
  /** Absent: every tool. Empty: none. */
  readonly allowedTools?: readonly string[];
  readonly requireConfirmation: boolean;
  readonly enabled: boolean;
}

/** One fault of an entry: the field (a dotted path such as `headers.Authorization`, or empty) and the rule it breaks. */
export interface EntryFault {
  readonly field: string;
  readonly rule: string;
}

/** A stored entry with everything in it, unknown fields included. */
export type RawEntry = JsonObject;

/**
 * Where an entry comes from. `stored`: a settings file, where a redaction placeholder may already stand. `written`: a
 * whole entry in a request. `patch`: part of one, in which a null inside `env` or `headers` deletes that key.
 */
export type EntrySource = 'stored' | 'written' | 'patch';

/** The fields of the entry shape, as spelled on disk and on the wire. */
export const SERVER_FIELDS: readonly string[] = [
  'name',
  'type',
  'command',
  'args',
  'url',
  'env',
  'headers',
  'allowed_tools',
  'require_confirmation',
  'enabled',
];

/** Tool names carry the server's name and may be 64 characters long in all; the contract sets the same limit. */
const NAME_LENGTH_MAX = 64;
/** Enough to find a misspelled one. */
const UNKNOWN_NAMED_MAX = 5;
const RESERVED_NAMES: readonly string[] = ['hoody', 'mcp'];

const TYPE_ALIASES: ReadonlyMap<string, Transport> = new Map([
  ['stdio', 'stdio'],
  ['http', 'http'],
  ['url', 'http'],
  ['streamable', 'http'],
  ['streamable-http', 'http'],
  ['sse', 'sse'],
]);

/** What a client shows instead of a credential, alone or after an authentication scheme. */
const REDACTION_PLACEHOLDER = /^\s*(?:[a-z]+ +)?(?:\[redacted\]|<redacted>|[*•]{3,})\s*$/i;

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;
const CONTROL_CHARACTERS = new RegExp(CONTROL_CHARACTER, 'g');
/** A `token` of RFC 9110. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// oxlint-disable-next-line no-control-regex -- what a header line may hold: tab, printable ASCII, Latin-1
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** The transport a `type` means, or undefined when no accepted spelling matches (case does not matter). */
export const normalizeType = (text: string): Transport | undefined => TYPE_ALIASES.get(text.toLowerCase());

/** The rule a server name breaks, or undefined. */
export function checkName(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  if (name.length > NAME_LENGTH_MAX) return `may have at most ${NAME_LENGTH_MAX} characters`;
  if (!/^[A-Za-z0-9_-]+$/.test(name)) return 'may hold only ASCII letters, digits, _ and -';
  if (name.includes('__')) return 'may not hold __, which separates server and tool in tool names';
  if (RESERVED_NAMES.includes(name.toLowerCase())) return `is reserved (${RESERVED_NAMES.join(', ')}, in any case)`;
  return undefined;
}

/**
 * Returns the entry, or every fault it has. A stdio entry needs a command, a remote one an http(s) url; what belongs to
 * the other transport is checked, kept in the file and otherwise ignored.
 */
export function parseEntry(
  raw: JsonValue,
  where: Exclude<EntrySource, 'patch'>,
): { entry: ServerEntry } | { faults: EntryFault[] } {
  const faults = fieldFaults(raw, where);
  if (!isJsonObject(raw)) return { faults };
  // A name of another case is a fault already; asking for the field as well would name one slip twice.
  const lacks = (field: string): boolean => !Object.keys(raw).some((key) => key.toLowerCase() === field);
  const isRequired = (field: string, rule: string): void =>
    void (lacks(field) && faults.push({ field, rule: rule + besideUnknown(raw) }));
  isRequired('name', 'is required');
  const transport = typeOf(raw);
  if (transport === 'stdio') {
    isRequired('command', 'is required for stdio (a remote server has url, and type http or sse)');
  } else if (transport !== undefined) isRequired('url', `is required for ${transport}`);
  if (faults.length > 0 || transport === undefined) return { faults };
  return {
    entry: {
      name: raw['name'] as string,
      transport,
      ...(transport === 'stdio' ? { command: raw['command'] as string } : { url: raw['url'] as string }),
      args: (raw['args'] ?? []) as string[],
      env: stringMap(raw['env']),
      headers: stringMap(raw['headers']),
      ...(raw['allowed_tools'] === undefined ? {} : { allowedTools: raw['allowed_tools'] as string[] }),
      requireConfirmation: raw['require_confirmation'] === true,
      enabled: raw['enabled'] !== false,
    },
  };
}

/** Members that are not known are kept, but where one is missing they may be its misspelling. */
export function besideUnknown(raw: RawEntry): string {
  const unknown = Object.keys(raw).filter((key) => fieldInAnyCase(key) === undefined);
  return unknown.length === 0 ? '' : `; not known: ${unknown.slice(0, UNKNOWN_NAMED_MAX).map(shown).join(', ')}`;
}

/** The transport a raw entry asks for, undefined when its type is no accepted spelling. */
export function typeOf(raw: RawEntry): Transport | undefined {
  const { type } = raw;
  if (type === undefined) return 'stdio';
  return typeof type === 'string' ? normalizeType(type) : undefined;
}

/** Every fault of the fields that are there; which fields must be there is not asked. */
export function fieldFaults(raw: JsonValue, where: EntrySource): EntryFault[] {
  if (!isJsonObject(raw)) return [{ field: '', rule: 'must be an object' }];
  const faults: EntryFault[] = [];
  for (const [key, value] of Object.entries(raw)) {
    const field = fieldInAnyCase(key);
    const rule = fieldNameRule(key, field) ?? nullRule(value, field, where) ?? storableRule([key, value]);
    if (rule !== undefined) faults.push({ field: shown(key), rule });
    else if (field !== undefined) faults.push(...FIELD_CHECKS[field]!(value, where));
  }
  return faults;
}

/** The field a key spells when case is ignored. */
export const fieldInAnyCase = (key: string): string | undefined => {
  const lower = key.toLowerCase();
  return SERVER_FIELDS.includes(lower) ? lower : undefined;
};

/** The pairs of header names that differ only in case: `[first, later]`. */
export function headerCaseClashes(names: Iterable<string>): [string, string][] {
  const seen = new Map<string, string>();
  const clashes: [string, string][] = [];
  for (const name of names) {
    const earlier = seen.get(name.toLowerCase());
    if (earlier === undefined) seen.set(name.toLowerCase(), name);
    else if (earlier !== name) clashes.push([earlier, name]);
  }
  return clashes;
}

/** A bad_request that lists the faults as `server.<field>: <rule>`. */
export function entryError(faults: readonly EntryFault[], root = 'server'): DaemonError {
  const lines = faults.map(({ field, rule }) => `${field === '' ? root : `${root}.${field}`}: ${rule}`);
  return new DaemonError('bad_request', lines.join('; '));
}

/** A key of the caller's, short enough and plain enough for a message. */
export function shown(key: string): string {
  const plain = key.replaceAll(CONTROL_CHARACTERS, '?');
  return plain.length > NAME_LENGTH_MAX ? `${plain.slice(0, NAME_LENGTH_MAX)}…` : plain;
}

export const hasControlCharacter = (text: string): boolean => CONTROL_CHARACTER.test(text);

function fieldNameRule(key: string, field: string | undefined): string | undefined {
  if (key === '__proto__') return 'is not a name a field may have';
  if (field !== undefined && field !== key) return `must be spelled ${field}`;
  return undefined;
}

/** Unknown fields may hold a null in a file of somebody else's making, but none may be sent. */
function nullRule(value: JsonValue, field: string | undefined, where: EntrySource): string | undefined {
  if (value !== null || (field === undefined && where === 'stored')) return undefined;
  return where === 'stored' ? 'must not be null' : 'must not be null (omit the field to keep what is stored)';
}

/** JSON can spell what a settings file may not hold; such a file would be broken for its next reader. */
function storableRule(value: JsonValue): string | undefined {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value) ? 'holds half a surrogate pair' : undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'holds a number out of range';
  if (value === null || typeof value === 'boolean') return undefined;
  for (const item of Array.isArray(value) ? value : Object.entries(value).flat()) {
    const rule = storableRule(item);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

type FieldCheck = (value: JsonValue, where: EntrySource) => EntryFault[];

const fault = (field: string, rule: string | undefined): EntryFault[] => (rule === undefined ? [] : [{ field, rule }]);

const boolean =
  (field: string): FieldCheck =>
  (value) =>
    typeof value === 'boolean' ? [] : fault(field, 'must be true or false');

const text =
  (field: string, rule: (value: string) => string | undefined): FieldCheck =>
  (value) =>
    typeof value === 'string' ? fault(field, rule(value)) : fault(field, 'must be a string');

const list =
  (field: string): FieldCheck =>
  (value) => {
    if (!Array.isArray(value)) return fault(field, 'must be a list of strings');
    if (!value.every((item) => typeof item === 'string')) return fault(field, 'must hold only strings, and no null');
    return fault(field, value.some((item) => item.includes('\0')) ? 'must not hold a NUL character' : undefined);
  };

const map =
  (field: string, keyRule: (key: string) => string | undefined, valueRule: (value: string) => string | undefined) =>
  (value: JsonValue, where: EntrySource): EntryFault[] => {
    if (!isJsonObject(value)) return fault(field, 'must be an object of strings');
    return Object.entries(value).flatMap(([key, item]) => {
      const named = key === '__proto__' ? 'is not a name a key may have' : keyRule(key);
      const rule = named ?? mapValueRule(item, where, valueRule);
      return rule === undefined ? [] : [{ field: `${field}.${shown(key)}`, rule }];
    });
  };

function mapValueRule(
  value: JsonValue,
  where: EntrySource,
  valueRule: (value: string) => string | undefined,
): string | undefined {
  if (value === null && where === 'patch') return undefined;
  if (typeof value !== 'string') return 'must be a string';
  if (where !== 'stored' && REDACTION_PLACEHOLDER.test(value)) {
    return 'holds a redaction placeholder (omit the key to keep the stored value)';
  }
  return valueRule(value);
}

const environmentCheck = map(
  'env',
  (key) =>
    key === '' || key.includes('=') || hasControlCharacter(key) ? 'is not an environment variable name' : undefined,
  (value) => (value.includes('\0') ? 'must not hold a NUL character' : undefined),
);

const headerFieldsCheck = map(
  'headers',
  (key) => (HEADER_NAME.test(key) ? undefined : 'is not a header name'),
  (value) => (HEADER_VALUE.test(value) ? undefined : 'holds a character a header may not carry'),
);

const headersCheck: FieldCheck = (value, where) => [
  ...headerFieldsCheck(value, where),
  ...headerCaseClashes(isJsonObject(value) ? Object.keys(value) : []).map(([first, later]) => ({
    field: `headers.${shown(later)}`,
    rule: `differs only in case from ${shown(first)}`,
  })),
];

function urlRule(value: string): string | undefined {
  if (hasControlCharacter(value) || !URL.canParse(value)) return 'must be an http or https url';
  return ['http:', 'https:'].includes(new URL(value).protocol) ? undefined : 'must be an http or https url';
}

const FIELD_CHECKS: Readonly<Record<string, FieldCheck>> = {
  name: text('name', checkName),
  type: text('type', (value) =>
    normalizeType(value) === undefined ? `must be one of ${[...TYPE_ALIASES.keys()].join(', ')}` : undefined,
  ),
  command: text('command', (value) => {
    if (value.trim() === '') return 'must not be empty';
    return hasControlCharacter(value) ? 'must not hold control characters' : undefined;
  }),
  args: list('args'),
  url: text('url', urlRule),
  env: environmentCheck,
  headers: headersCheck,
  allowed_tools: list('allowed_tools'),
  require_confirmation: boolean('require_confirmation'),
  enabled: boolean('enabled'),
};

const stringMap = (value: JsonValue | undefined): ReadonlyMap<string, string> =>
  new Map(Object.entries((value ?? {}) as Record<string, string>));
