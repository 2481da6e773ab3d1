/**
 * A pasted configuration to the entries an import would write, and what the reader should know about them. Five
 * dialects are read: a `mcp_servers` list, a `mcpServers` map, an editor's `servers` map (also nested under `mcp`), one
 * bare entry, and a bare map from names to entries. Foreign spellings are translated where the meaning is not in doubt.
 * Invariant: all or nothing. A document of two dialects, or with one bad entry, gives no entry at all; every entry comes
 * out disabled; no message holds a value of the document.
 */
import { DaemonError } from './errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from './json.js';
import { parseJsonText, type JsonText } from './json-text.js';
import {
  hasControlCharacter,
  normalizeType,
  parseEntry,
  SERVER_FIELDS,
  shown,
  type RawEntry,
  type ServerEntry,
} from './server-entry.js';
import { batchError, duplicateFaults, labelOf, type BatchFault } from './server-write.js';
import { findReferences, shownReference, type Reference } from './variables.js';

export type Dialect = 'hoody' | 'claude' | 'vscode' | 'single' | 'bare';

export interface ParsedImport {
  readonly dialect: Dialect;
  /** As they are stored, and the same as they are understood. */
  readonly entries: RawEntry[];
  readonly servers: ServerEntry[];
  readonly warnings: string[];
}

/** Advisories an answer lists. More are not read by anybody. */
const LISTED_WARNINGS_MAX = 200;

/** References of one document that are looked at for advisories: a paste can hold millions, and must be answered. */
const REFERENCES_MAX = 10_000;

/** Spellings of other clients for Streamable HTTP, beside the accepted aliases. */
const FOREIGN_HTTP: readonly string[] = ['streamablehttp', 'streamable_http'];

/** Fields that say on their own: this object is an entry. */
const ENTRY_MARKS: readonly string[] = ['command', 'url', 'httpUrl', 'serverUrl', 'transport', 'type'];

/** Variables an editor defines; anywhere else they mean nothing. */
const EDITOR_VARIABLES: ReadonlySet<string> = new Set([
  'workspaceFolder',
  'workspaceFolderBasename',
  'userHome',
  'file',
  'fileWorkspaceFolder',
  'fileWorkspaceFolderBasename',
  'relativeFile',
  'relativeFileDirname',
  'fileBasename',
  'fileBasenameNoExtension',
  'fileExtname',
  'fileDirname',
  'fileDirnameBasename',
  'cwd',
  'lineNumber',
  'columnNumber',
  'selectedText',
  'execPath',
  'defaultBuildTask',
  'pathSeparator',
]);

/** What becomes of well-known fields of other clients. All of them stay in the file, without effect. */
const FOREIGN_FIELDS: ReadonlyMap<string, string> = new Map([
  ['cwd', 'is kept but not used: the server runs in the folder of the session'],
  ['working_directory', 'is kept but not used: the server runs in the folder of the session (as with cwd)'],
  ['autoApprove', 'is kept but approves nothing'],
  ['alwaysAllow', 'is kept but approves nothing'],
  ['trust', 'is kept but approves nothing'],
  ['timeout', 'is kept but not used'],
  ['includeTools', 'is kept but restricts nothing: list the tools in allowed_tools'],
  ['excludeTools', 'is kept but restricts nothing: list the others in allowed_tools'],
  ['disabledTools', 'is kept but restricts nothing: list the others in allowed_tools'],
  ['tools', 'is kept but restricts nothing: list the tools in allowed_tools'],
  ['sandbox', 'is kept but confines nothing: the server runs with your privileges'],
  ['sandboxEnabled', 'is kept but confines nothing: the server runs with your privileges'],
  ['headersHelper', 'is kept but not run: the server is reached without those headers'],
  ['environment', 'is kept but not used: the field is called env'],
  ['requestInit', 'is kept but not used: headers have a field of their own'],
]);

/** Throws bad_request: a syntax fault with its position, an unclear dialect, or every fault of every entry. */
export function parseImport(document: string): ParsedImport {
  const text = parseText(document);
  const { dialect, items, warnings } = readDialect(text.value);
  const advisories = new Advisories(warnings);
  const faults: BatchFault[] = [];
  const translations = items.map(({ label, value }) => new Translation(label, value, text, advisories));
  const entries = translations.map(({ entry }) => entry);
  const servers = translations.flatMap(({ server }) => server ?? []);
  for (const translation of translations) faults.push(...translation.faults);
  faults.push(...duplicateFaults(entries));
  if (faults.length > 0) throw batchError(faults);
  return { dialect, entries, servers, warnings: advisories.listed() };
}

/** What the reader of an import should know, each thing once and no more than can be read. */
class Advisories {
  readonly #lines: Set<string>;
  #referencesLeft = REFERENCES_MAX;

  constructor(lines: Iterable<string>) {
    this.#lines = new Set(lines);
  }

  add(line: string): void {
    if (this.#lines.size <= LISTED_WARNINGS_MAX) this.#lines.add(line);
  }

  /** The references of a text that still get an advisory. */
  references(text: string): Reference[] {
    if (this.#referencesLeft === 0) return [];
    const found = findReferences(text).slice(0, this.#referencesLeft);
    this.#referencesLeft -= found.length;
    return found;
  }

  listed(): string[] {
    const lines = [...this.#lines];
    return lines.length > LISTED_WARNINGS_MAX
      ? [...lines.slice(0, LISTED_WARNINGS_MAX), 'and more of the kind']
      : lines;
  }
}

function parseText(document: string): JsonText {
  if (document.trim() === '') throw refused('is empty');
  const text = parseJsonText(document);
  if (!('fault' in text)) return text;
  const { line, column, rule } = text.fault;
  throw refused(`is not valid JSON: line ${line}, column ${column}: ${rule}${otherFormat(document)}`);
}

/** A guess at what was pasted instead, from the shape of its first line alone. */
function otherFormat(document: string): string {
  const first = document.trimStart().split('\n', 1)[0] as string;
  if (/^(?:---|[A-Za-z_][\w-]*:(?:\s|$))/.test(first)) return ' (it looks like YAML)';
  return /^\[[\w."-]+\]\s*$/.test(first) ? ' (it looks like TOML)' : '';
}

const refused = (rule: string): DaemonError => new DaemonError('bad_request', `document: ${rule}; nothing was written`);

interface Item {
  /** What messages call the entry. */
  readonly label: string;
  readonly value: JsonValue;
}

interface Reading {
  readonly dialect: Dialect;
  readonly items: Item[];
  readonly warnings: string[];
}

function readDialect(root: JsonValue): Reading {
  if (!isJsonObject(root)) throw refused('is of no known dialect: it is not an object');
  const mcp = root['mcp'];
  const nested = isJsonObject(mcp) && mcp['servers'] !== undefined ? mcp : undefined;
  const markers = ['mcp_servers', 'mcpServers', 'servers'].filter((key) => root[key] !== undefined);
  if (nested !== undefined) markers.push('mcp.servers');
  // Requires: mcp.preview.mixed-refused
  if (markers.length > 1) throw refused(`is of more than one dialect: it has ${markers.join(' and ')}`);
  switch (markers[0]) {
    case 'mcp_servers':
      return { dialect: 'hoody', items: listItems(root['mcp_servers'] as JsonValue), warnings: strays(root) };
    case 'mcpServers':
      return { dialect: 'claude', items: mapItems('mcpServers', root['mcpServers']), warnings: strays(root) };
    case 'servers':
      return {
        dialect: 'vscode',
        items: mapItems('servers', root['servers']),
        warnings: [...inputs(root), ...strays(root)],
      };
    case 'mcp.servers':
      return { dialect: 'vscode', items: mapItems('mcp.servers', nested?.['servers']), warnings: inputs(nested ?? {}) };
    default:
      return readBare(root);
  }
}

/** One entry, or a map from names to entries; what is neither has no dialect. */
function readBare(root: JsonObject): Reading {
  const isSingle = ['name', ...ENTRY_MARKS].some((key) => root[key] !== undefined && !isJsonObject(root[key]));
  if (isSingle) {
    const label = typeof root['name'] === 'string' ? root['name'] : 'without a name';
    return { dialect: 'single', items: [{ label, value: root }], warnings: [] };
  }
  if (Object.values(root).some(looksLikeEntry)) return { dialect: 'bare', items: mapItems('', root), warnings: [] };
  throw refused(
    'is of no known dialect: no server was found in it, be it under mcpServers, servers or mcp_servers, or as an entry with command or url',
  );
}

function listItems(list: JsonValue): Item[] {
  if (!Array.isArray(list)) throw refused('mcp_servers must be a list of entries');
  return list.map((value, index) => ({ label: labelOf(value, index), value }));
}

/** The name stands outside the entry here, and wins over one inside. */
function mapItems(marker: string, map: JsonValue | undefined): Item[] {
  if (!isJsonObject(map)) throw refused(`${marker} must be an object from names to entries`);
  return Object.entries(map).map(([name, value]) => {
    // First among the fields, where people look for it, and last, so it wins.
    const named = { name };
    return { label: name, value: isJsonObject(value) ? { ...named, ...value, ...named } : value };
  });
}

function inputs(holder: JsonObject): string[] {
  const declared = holder['inputs'];
  const count = Array.isArray(declared) ? declared.length : 0;
  return count === 0
    ? []
    : [`the declared inputs (${count}) were not carried: write their values, or \${VAR}, instead`];
}

/** Servers that stand beside the map, as a misplaced brace leaves them. */
const strays = (root: JsonObject): string[] =>
  Object.entries(root)
    .filter(([key, value]) => key !== 'mcp' && looksLikeEntry(value))
    .map(([key]) => `"${shown(key)}" looks like a server, but stands outside the list of servers and was not read`);

const looksLikeEntry = (value: JsonValue): boolean =>
  isJsonObject(value) && ['command', 'url', 'httpUrl', 'serverUrl'].some((key) => typeof value[key] === 'string');

/** One entry on its way from its dialect to the stored form, collecting what is wrong and what is worth knowing. */
class Translation {
  readonly faults: BatchFault[] = [];
  readonly entry: RawEntry;
  /** Undefined when it has faults. */
  readonly server: ServerEntry | undefined;
  readonly #label: string;
  readonly #text: JsonText;
  readonly #advisories: Advisories;

  constructor(label: string, value: JsonValue, text: JsonText, advisories: Advisories) {
    this.#label = label;
    this.#text = text;
    this.#advisories = advisories;
    this.entry = isJsonObject(value) ? this.#translate(value) : {};
    const parsed = parseEntry(isJsonObject(value) ? this.entry : value, 'written');
    if ('entry' in parsed) this.server = parsed.entry;
    else for (const { field, rule } of parsed.faults) this.#refuse(field, rule);
  }

  #translate(source: JsonObject): RawEntry {
    const entry: RawEntry = { ...source };
    this.#address(entry);
    this.#transport(entry);
    for (const field of ['env', 'headers']) {
      const map = source[field];
      if (isJsonObject(map)) entry[field] = this.#credentials(field, map);
    }
    if (entry['envFile'] !== undefined) {
      delete entry['envFile'];
      this.#warn('envFile', 'was dropped: the file is not read; write its variables into env');
    }
    // Its own word for what an import does to every entry.
    delete entry['disabled'];
    for (const [key, value] of Object.entries(entry)) {
      if (key === 'env' || key === 'headers') continue;
      this.#literals(key, value);
      if (!SERVER_FIELDS.includes(key.toLowerCase())) {
        this.#warn(shown(key), FOREIGN_FIELDS.get(key) ?? 'is no field of an entry: kept, but not used');
      }
    }
    // Requires: mcp.import.disabled
    return { ...entry, enabled: false };
  }

  /** Two clients call the url something else. With both spellings there, which one counts is not ours to guess. */
  #address(entry: RawEntry): void {
    for (const key of ['httpUrl', 'serverUrl']) {
      const url = entry[key];
      if (url === undefined) continue;
      if (entry['url'] !== undefined) this.#refuse(key, 'stands beside another url');
      if (key === 'httpUrl' && entry['type'] === undefined) entry['type'] = 'http';
      entry['url'] = url;
      delete entry[key];
      this.#warn(key, 'was read as url');
    }
  }

  #transport(entry: RawEntry): void {
    const { type, transport, command, url } = entry;
    if (type === undefined && transport !== undefined) {
      if (typeof transport === 'string') entry['type'] = transport;
      else this.#refuse('transport', 'must be a word: type, url and headers belong into the entry itself');
      delete entry['transport'];
    } else if (type === undefined && typeof url === 'string') {
      if (command !== undefined) this.#refuse('type', 'must say which of command and url is meant');
      entry['type'] = endsInSse(url) ? 'sse' : 'http';
    }
    const named = entry['type'];
    if (typeof named !== 'string') return;
    const known = FOREIGN_HTTP.includes(named.toLowerCase()) ? 'http' : normalizeType(named);
    if (known !== undefined) entry['type'] = known;
  }

  /** Values as this program expands them. Numbers and flags that lack their quotes become the text they were. */
  #credentials(field: string, map: JsonObject): JsonObject {
    const translated = Object.entries(map).map(([key, value]): [string, JsonValue] => {
      const name = `${field}.${shown(key)}`;
      if (typeof value === 'number' || typeof value === 'boolean') {
        this.#warn(name, `a ${typeof value} was turned into text`);
        return [key, this.#text.numberText(map, key) ?? String(value)];
      }
      if (typeof value !== 'string') return [key, value];
      const text = value.replaceAll(/\$\{env:([A-Za-z_])/g, '${$1');
      for (const reference of this.#advisories.references(text)) {
        if (isEditorVariable(reference)) this.#warnEditorVariable(name, reference);
      }
      return [key, text];
    });
    return Object.fromEntries(translated);
  }

  /** What stands in a field whose text is taken as it is, and may not have been meant so. */
  #literals(field: string, value: JsonValue): void {
    if (Array.isArray(value) || isJsonObject(value)) {
      for (const item of Object.values(value)) this.#literals(field, item);
      return;
    }
    if (typeof value !== 'string') return;
    for (const reference of this.#advisories.references(value)) {
      if (isEditorVariable(reference)) this.#warnEditorVariable(shown(field), reference);
      else this.#warn(shown(field), `${shownReference(reference)} stays as it is: only env and headers are expanded`);
    }
    if (field !== 'args' && field !== 'command') return;
    if (value.startsWith('~/')) this.#warn(field, '~ stays as it is: write the whole path');
    if (hasControlCharacter(value))
      this.#warn(field, 'holds a control character (a backslash is written twice in JSON)');
  }

  #warnEditorVariable(field: string, reference: Reference): void {
    const variable = shownReference(reference);
    this.#warn(field, `vscode variable ${variable} cannot be resolved; replace before enabling`);
  }

  #warn(field: string, text: string): void {
    this.#advisories.add(`entry "${shown(this.#label)}": ${field}: ${text}`);
  }

  #refuse(field: string, rule: string): void {
    this.faults.push({ entry: this.#label, field, rule });
  }
}

const isEditorVariable = ({ name, rest }: Reference): boolean =>
  EDITOR_VARIABLES.has(name) || (rest.startsWith(':') && !rest.startsWith(':-') && name !== 'env');

function endsInSse(url: string): boolean {
  return URL.canParse(url) && /\/sse\/?$/.test(new URL(url).pathname);
}
