import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseImport, type ParsedImport } from '../../src/domain/dialects.js';
import { DaemonError } from '../../src/domain/errors.js';
import { JSON_DEPTH_MAX, JSON_VALUES_MAX } from '../../src/domain/json-text.js';
import type { JsonObject } from '../../src/domain/json.js';
import { entryView } from '../../src/domain/redact.js';
import { parseEntry, type ServerEntry } from '../../src/domain/server-entry.js';
import { serverName } from './arbitraries.js';

/** The right outcome of one pasted document. `error` lists texts the refusal must hold. */
interface Outcome {
  readonly file: string;
  readonly dialect?: string;
  readonly error?: readonly string[];
  readonly types?: Record<string, string>;
  readonly env_keys?: Record<string, string[]>;
  readonly header_keys?: Record<string, string[]>;
  readonly warnings_about?: readonly string[];
  readonly warnings_empty?: boolean;
  readonly secrets?: readonly string[];
  readonly stored?: Record<string, JsonObject>;
  readonly preview?: Record<string, JsonObject>;
}

const fixtures = new URL('../fixtures/', import.meta.url);
const outcomes = JSON.parse(readFileSync(new URL('documents.json', fixtures), 'utf8')) as Outcome[];

const parsed = (document: string): ParsedImport | DaemonError => {
  try {
    return parseImport(document);
  } catch (error) {
    if (error instanceof DaemonError) return error;
    throw error;
  }
};

const entryOf = (raw: JsonObject): ServerEntry => {
  const result = parseEntry(raw, 'stored');
  if ('faults' in result) throw new Error(JSON.stringify(result.faults));
  return result.entry;
};

const refusal = (document: unknown): string => {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  const result = parsed(text);
  expect(result).toBeInstanceOf(DaemonError);
  const { code, message } = result as DaemonError;
  expect(code).toBe('bad_request');
  expect(message).toContain('nothing was written');
  return message;
};

const claude = (entry: JsonObject, name = 'a'): string => JSON.stringify({ mcpServers: { [name]: entry } });

const imported = (document: unknown): { entry: JsonObject; warnings: string } => {
  const { entries, warnings } = parseImport(typeof document === 'string' ? document : JSON.stringify(document));
  expect(entries).toHaveLength(1);
  return { entry: entries[0] as JsonObject, warnings: warnings.join('\n') };
};

describe('every document of the corpus has its outcome', () => {
  test('no document is left out', () => {
    expect(readdirSync(new URL('documents/', fixtures)).toSorted()).toEqual(
      outcomes.map(({ file }) => file).toSorted(),
    );
  });

  test.each(outcomes)('$file', (outcome) => {
    const result = parsed(readFileSync(new URL(`documents/${outcome.file}`, fixtures), 'utf8'));
    if (outcome.error !== undefined) {
      expect(result).toMatchObject({ code: 'bad_request' });
      for (const text of outcome.error) expect((result as DaemonError).message).toContain(text);
      for (const secret of outcome.secrets ?? []) expect((result as DaemonError).message).not.toContain(secret);
      return;
    }
    expect(result).not.toBeInstanceOf(Error);
    const { dialect, entries, warnings } = result as ParsedImport;
    const views = new Map(entries.map((raw) => [raw['name'] as string, entryView(entryOf(raw))]));
    const all = warnings.join('\n');
    expect(dialect).toBe(outcome.dialect);
    expect([...views.keys()].toSorted()).toEqual(Object.keys(outcome.types ?? {}).toSorted());
    for (const [name, view] of views) {
      expect([name, view.transport]).toEqual([name, outcome.types?.[name]]);
      expect([name, view.envKeys]).toEqual([name, outcome.env_keys?.[name]?.toSorted()]);
      expect([name, view.headerKeys]).toEqual([name, outcome.header_keys?.[name]?.toSorted()]);
      expect([name, view.enabled]).toEqual([name, false]);
    }
    for (const text of outcome.warnings_about ?? []) expect(all).toContain(text);
    if (outcome.warnings_empty === true) expect(warnings).toEqual([]);
    for (const secret of outcome.secrets ?? []) {
      expect(all).not.toContain(secret);
      expect(JSON.stringify([...views.values()])).not.toContain(secret);
    }
    for (const [name, stored] of Object.entries(outcome.stored ?? {})) {
      expect(entries.find((raw) => raw['name'] === name)).toMatchObject(stored);
    }
    for (const [name, preview] of Object.entries(outcome.preview ?? {})) expect(views.get(name)).toMatchObject(preview);
  });
});

describe('telling the dialect', () => {
  const server = { command: 'demo' };
  const dialectOf = (document: JsonObject): string => parseImport(JSON.stringify(document)).dialect;

  test('reads the five dialects', () => {
    expect(dialectOf({ mcp_servers: [{ name: 'a', command: 'demo' }] })).toBe('hoody');
    expect(dialectOf({ mcpServers: { a: server } })).toBe('claude');
    expect(dialectOf({ servers: { a: server } })).toBe('vscode');
    expect(dialectOf({ mcp: { servers: { a: server } } })).toBe('vscode');
    expect(dialectOf({ name: 'a', ...server })).toBe('single');
    expect(dialectOf({ a: server, b: { url: 'https://mcp.example.com' } })).toBe('bare');
  });

  test('refuses a document of more than one dialect, naming them, also when one of them is empty', () => {
    const markers: JsonObject = { mcp_servers: [], mcpServers: {}, servers: {}, mcp: { servers: {} } };
    for (const one of Object.keys(markers)) {
      for (const other of Object.keys(markers).filter((key) => key !== one)) {
        const message = refusal({ [one]: markers[one], [other]: markers[other] });
        expect(message).toContain(one);
        expect(message).toContain(other);
      }
    }
  });

  test('refuses what is no configuration: scalars, lists, objects without servers', () => {
    for (const document of ['1', '"x"', 'null', '[]', '[{"name":"a","command":"x"}]', '{"a":{"b":1}}', '{"a":1}']) {
      expect(refusal(document)).toContain('no known dialect');
    }
    expect(refusal({ mcpServer: { a: { command: 'x' } } })).toContain('under mcpServers, servers or mcp_servers');
    expect(refusal({ mcpServers: null })).toContain('mcpServers');
    expect(refusal({ servers: [] })).toContain('servers');
    expect(refusal(' \n\t')).toContain('document');
    expect(refusal('// nothing here\n')).toContain('JSON');
  });

  test('a key the language gives every object is no marker and no server', () => {
    expect(parseImport('{"constructor":{"command":"demo"}}').entries).toMatchObject([{ name: 'constructor' }]);
  });
});

describe('all or nothing', () => {
  test('lists every bad entry with its field and rule, and writes none of the good ones', () => {
    const message = refusal({
      mcpServers: {
        good: { command: 'demo' },
        one: { command: '' },
        two: { type: 'http', url: 'ftp://example.com', args: 'x' },
        three: 7,
      },
    });
    for (const text of ['"one": command', '"two": url', '"two": args', '"three"', 'nothing was written']) {
      expect(message).toContain(text);
    }
    expect(message).not.toContain('good');
    expect(message).not.toContain('ftp');
  });

  test('refuses two entries of one name, in a list and in a map', () => {
    const entry = { name: 'a', command: 'demo' };
    expect(refusal({ mcp_servers: [entry, entry] })).toContain('"a": name: is there more than once');
    expect(refusal('{"mcpServers":{"a":{"command":"x"},\n"a":{"command":"y"}}}')).toContain('line 2, column 1');
  });

  test('refuses two spellings of one url, and command beside url without a type', () => {
    expect(refusal(claude({ httpUrl: 'https://a.example', url: 'https://b.example' }))).toContain('httpUrl');
    expect(refusal(claude({ command: 'demo', url: 'https://a.example' }))).toContain('type');
  });

  test('names the entry and what it lacks when its words are those of another program', () => {
    expect(refusal(claude({ baseUrl: 'https://a.example', isActive: true }))).toMatch(/entry "a".*(command|url)/);
  });

  test('refuses placeholders, a null credential and names of other spellings', () => {
    expect(refusal(claude({ command: 'demo', env: { K: '[REDACTED]' } }))).toContain('env.K');
    expect(refusal(claude({ command: 'demo', env: { K: null } }))).toContain('env.K');
    expect(refusal('{"mcpServers":{"a":{"command":"x","env":{"__proto__":"v"}}}}')).toContain('env.__proto__');
    expect(refusal('{"mcpServers":{"a":{"command":"x","headers":{"__proto__":"v"}}}}')).toContain('headers.__proto__');
    expect(refusal(claude({ command: 'demo' }, 'HOODY'))).toContain('reserved');
  });

  test('counts what is too much to list', () => {
    const servers = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`bad ${index}`, {}]));
    const message = refusal({ mcpServers: servers });
    expect(message).toContain('more');
    expect(message.length).toBeLessThan(100_000);
  });
});

describe('translation', () => {
  const url = 'https://mcp.example.com/mcp';

  test('a url without a type is http, or sse when its path ends in the segment sse', () => {
    const typeOf = (address: string): unknown => imported(claude({ url: address })).entry['type'];
    expect(typeOf(url)).toBe('http');
    expect(typeOf('https://mcp.example.com/sse')).toBe('sse');
    expect(typeOf('https://mcp.example.com/v1/sse/?x=1')).toBe('sse');
    expect(typeOf('https://mcp.example.com/assess')).toBe('http');
    expect(typeOf('https://mcp.example.com/?next=/sse')).toBe('http');
  });

  test('other words for url and type are understood, and leave no trace in the entry', () => {
    expect(imported(claude({ httpUrl: url })).entry).toEqual({ name: 'a', type: 'http', url, enabled: false });
    expect(imported(claude({ serverUrl: `${url}/sse` })).entry).toMatchObject({ type: 'sse', url: `${url}/sse` });
    expect(imported(claude({ url, transport: 'sse' })).entry).toEqual({ name: 'a', type: 'sse', url, enabled: false });
    expect(imported(claude({ url, type: 'streamableHttp' })).entry).toMatchObject({ type: 'http' });
    expect(imported(claude({ url, type: 'URL' })).entry).toMatchObject({ type: 'http' });
  });

  test('a reference to the environment is translated in env and headers without a word', () => {
    const { entry, warnings } = imported(
      claude({ type: 'http', url, env: { A: 'x${env:A}y${env:B:-c}' }, headers: { B: 'Bearer ${env:T}' } }),
    );
    expect(entry).toMatchObject({ env: { A: 'x${A}y${B:-c}' }, headers: { B: 'Bearer ${T}' } });
    expect(warnings).toBe('');
  });

  test('warns of every reference nothing can resolve, in the words of the contract', () => {
    const { warnings } = imported(
      claude({
        command: '${userHome}/bin/demo',
        args: ['${env:A}', '${B:-hidden-default}', '${workspaceFolder}/x'],
        env: { C: '${workspaceFolder}', D: '${input:token}', E: '${workspaceFolder:api}/x' },
      }),
    );
    expect(warnings).toContain('vscode variable ${workspaceFolder} cannot be resolved; replace before enabling');
    for (const text of [
      '${userHome}',
      '${env:A}',
      '${B}',
      '${input:token}',
      '${workspaceFolder:api}',
      'env.C',
      'args',
    ]) {
      expect(warnings).toContain(text);
    }
    expect(warnings).not.toContain('hidden-default');
  });

  test.each([
    ['cwd', '/srv'],
    ['autoApprove', ['x']],
    ['alwaysAllow', ['x']],
    ['trust', true],
    ['timeout', 60],
    ['includeTools', ['x']],
    ['excludeTools', ['x']],
    ['sandboxEnabled', true],
    ['dev', {}],
    ['headersHelper', 'node x'],
    ['somebodysField', { deep: [1] }],
  ])('keeps the foreign field %s without effect and says so', (key, value) => {
    const { entry, warnings } = imported(claude({ command: 'demo', [key]: value }));
    expect(entry).toEqual({ name: 'a', command: 'demo', [key]: value, enabled: false });
    expect(warnings).toContain(`"a": ${key}: `);
  });

  test('drops envFile with a warning and its own disabled without one', () => {
    const { entry, warnings } = imported(claude({ command: 'demo', envFile: '.env', disabled: false }));
    expect(entry).toEqual({ name: 'a', command: 'demo', enabled: false });
    expect(warnings).toContain('envFile');
    expect(warnings).not.toContain('disabled');
  });

  test('turns numbers and flags of env and headers into the text they were', () => {
    const document = '{"mcpServers":{"a":{"command":"x","env":{"N":12345678901234567890,"F":0.50,"B":true,"E":1e3}}}}';
    const { entry, warnings } = imported(document);
    expect(entry['env']).toEqual({ N: '12345678901234567890', F: '0.50', B: 'true', E: '1e3' });
    expect(warnings).toContain('env.N');
    expect(warnings).not.toContain('123');
  });

  test('tells of a home shorthand and of a control character in an argument, and passes both on', () => {
    const { entry, warnings } = imported(claude({ command: 'demo', args: ['~/x', 'c:\temp'] }));
    expect(entry['args']).toEqual(['~/x', 'c:\temp']);
    expect(warnings).toContain('~');
    expect(warnings).toContain('control character');
  });

  test('lists a bounded number of advisories', () => {
    const { warnings } = parseImport(
      claude({ command: 'demo', args: Array.from({ length: 5_000 }, (_, index) => `\${V${index}}`) }),
    );
    expect(warnings.length).toBeLessThan(300);
    expect(warnings.at(-1)).toContain('more');
  });
});

describe('what is not JSON', () => {
  test.each([
    ['{"mcpServers": {', 1, 17],
    ['{"a": demo-secret}', 1, 7],
    ['{\n  "a": "demo-secret\n}', 2, 8],
    ['{\n"a": "\\Udemo-secret"}', 2, 6],
    ['{"a": 1}\n{"b": 2}', 2, 1],
    ['{"a": 1 /* demo-secret', 1, 9],
    ["{'a': 1}", 1, 2],
  ])('%j is refused with its position and no excerpt', (document, line, column) => {
    const message = refusal(document);
    expect(message).toContain(`line ${line}, column ${column}`);
    expect(message).not.toContain('demo');
  });

  test('says what it looks like instead', () => {
    expect(refusal('mcpServers:\n  - name: a\n')).toContain('YAML');
    expect(refusal('[mcp_servers.a]\ncommand = "demo"\n')).toContain('TOML');
  });

  test('accepts comments, trailing commas and a byte order mark', () => {
    expect(imported('\uFEFF// c\n{"mcpServers":{"a":{"command":"x",/* d */},},}').entry).toMatchObject({
      command: 'x',
    });
  });
});

describe('hostile documents are answered at once', () => {
  /** Generous for a loaded machine; a slip into quadratic time takes minutes. */
  const DEADLINE_MS = 15_000;
  const SIZE = 2 * 1024 * 1024;
  const repeat = (part: string, bytes = SIZE): string => part.repeat(Math.floor(bytes / part.length));

  test.each([
    ['deep lists', repeat('[', 4 * SIZE)],
    ['deep objects', repeat('{"a":')],
    ['many bad entries', `{"mcpServers":{${Array.from({ length: 50_000 }, (_, i) => `"b ${i}":1`).join(',')}}}`],
    ['a list of empty entries', `{"mcp_servers":[${repeat('{},')}]}`],
    [
      'many good entries',
      `{"mcpServers":{${Array.from({ length: 50_000 }, (_, i) => `"b${i}":{"command":"x"}`).join(',')}}}`,
    ],
    ['one key many times', `{"mcpServers":{${repeat('"a":1,')}}}`],
    ['closed references', claude({ command: 'x', args: [repeat('${A}'), repeat('${B}', 1000)] })],
    ['open references', claude({ command: 'x', env: { A: repeat('${A') } })],
    ['nested references', claude({ command: 'x', env: { A: repeat('${A:-') + repeat('}', SIZE / 5) } })],
    ['a long string', claude({ command: 'x', args: [repeat('x')] })],
    ['many comments', repeat('/**/')],
    ['broken escapes', `{"a":"${repeat('\\u')}`],
    ['not JSON at all', repeat('\u0000')],
    [
      'header names',
      claude({ command: 'x', headers: Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`h${i}`, 'v'])) }),
    ],
  ])('%s', (_what, document) => {
    const start = performance.now();
    parsed(document);
    expect(performance.now() - start).toBeLessThan(DEADLINE_MS);
  });

  test('nests as deep as a body may, and no deeper', () => {
    const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const document = (levels: number): string => `{"mcpServers":{"a":{"command":"x","deep":${nested(levels)}}}}`;
    expect(parseImport(document(JSON_DEPTH_MAX - 3)).entries).toHaveLength(1);
    expect(refusal(document(JSON_DEPTH_MAX - 2))).toContain('nested');
  });

  test('holds so many members and items, and no more', () => {
    const document = (items: number): string => claude({ command: 'x', args: Array.from({ length: items }, () => '') });
    // The document, its map, the entry, the command and the list are values, too.
    expect(parseImport(document(JSON_VALUES_MAX - 5)).entries).toHaveLength(1);
    expect(refusal(document(JSON_VALUES_MAX - 4))).toContain(`more than ${JSON_VALUES_MAX} values`);
  });
});

describe('round trips', () => {
  const stored = fc.record(
    {
      name: serverName,
      type: fc.constantFrom('stdio'),
      command: fc.stringMatching(/^[a-z/._-]{1,20}$/),
      args: fc.array(fc.string()),
      env: fc.dictionary(fc.stringMatching(/^[A-Z_]{1,8}$/), fc.stringMatching(/^[a-z ]{0,12}$/)),
      allowed_tools: fc.array(fc.stringMatching(/^[a-z]{1,8}$/)),
      require_confirmation: fc.boolean(),
      extra: fc.jsonValue(),
    },
    { requiredKeys: ['name', 'command'] },
  );
  const wellFormed = (value: unknown): boolean => !/\\ud[89a-f]|\\u0000|null/.test(JSON.stringify(value));
  const list = fc.uniqueArray(stored, { selector: ({ name }) => name, maxLength: 4 }).filter(wellFormed);

  test('what this program stores, it imports: equal but disabled', () => {
    fc.assert(
      fc.property(list, (servers) => {
        const { entries } = parseImport(JSON.stringify({ mcp_servers: servers }));
        expect(entries).toEqual(servers.map((server) => ({ ...server, enabled: false })));
      }),
    );
  });

  test('a list and the maps of the other dialects mean the same entries', () => {
    fc.assert(
      fc.property(list, (servers) => {
        const map = Object.fromEntries(servers.map(({ name, ...rest }) => [name, rest]));
        const sorted = (document: JsonObject): JsonObject[] =>
          parseImport(JSON.stringify(document)).entries.toSorted((a, b) =>
            (a['name'] as string) < (b['name'] as string) ? -1 : 1,
          );
        const expected = sorted({ mcp_servers: servers as unknown as JsonObject[] });
        expect(sorted({ mcpServers: map as JsonObject })).toEqual(expected);
        expect(sorted({ servers: map as JsonObject })).toEqual(expected);
      }),
    );
  });
});
