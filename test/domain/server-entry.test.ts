import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { canonicalJson, digest, serversHash } from '../../src/domain/canonical.js';
import type { JsonObject, JsonValue } from '../../src/domain/json.js';
import { entryView, urlCredential } from '../../src/domain/redact.js';
import { checkName, normalizeType, parseEntry, type ServerEntry } from '../../src/domain/server-entry.js';

const stdio: JsonObject = { name: 'a', command: 'demo' };
const http: JsonObject = { name: 'a', type: 'http', url: 'https://mcp.example.com' };

const entryOf = (raw: JsonValue): ServerEntry => {
  const result = parseEntry(raw, 'written');
  if ('faults' in result) throw new Error(JSON.stringify(result.faults));
  return result.entry;
};

/** The fields at fault, in order; the rule must say something and hold no value. */
const check = (raw: JsonValue, where: 'stored' | 'written' = 'written'): string[] => {
  const result = parseEntry(raw, where);
  if ('entry' in result) return [];
  for (const { rule } of result.faults) expect(rule).not.toMatch(/hush|^$/);
  return result.faults.map(({ field }) => field);
};

describe('names', () => {
  test.each([
    'a',
    '-x',
    '_a',
    'a_',
    '123',
    'GitHub',
    'hoody-tools',
    'mcp_x',
    'x'.repeat(64),
    'constructor',
    'toString',
    'prototype',
  ])('%s is a name', (name) => expect(checkName(name)).toBeUndefined());

  test.each([
    ['', 'empty'],
    ['x'.repeat(65), '64'],
    ['a.b', 'letters'],
    ['a b', 'letters'],
    ['a/b', 'letters'],
    ['é', 'letters'],
    ['a\n', 'letters'],
    ['a__b', '__'],
    ['__proto__', '__'],
    ['hoody', 'reserved'],
    ['Hoody', 'reserved'],
    ['MCP', 'reserved'],
  ])('%j is refused', (name, rule) => expect(checkName(name)).toContain(rule));
});

test('a type has its aliases, in any case, and no others', () => {
  for (const alias of ['http', 'url', 'streamable', 'streamable-http', 'URL', 'Streamable-HTTP']) {
    expect([alias, normalizeType(alias)]).toEqual([alias, 'http']);
  }
  expect(normalizeType('SSE')).toBe('sse');
  expect(normalizeType('Stdio')).toBe('stdio');
  for (const other of ['', 'local', 'streamableHttp', ' http', 'constructor'])
    expect(normalizeType(other)).toBeUndefined();
});

describe('a whole entry', () => {
  test('an absent type is stdio, absent args are none, and it is enabled', () => {
    expect(entryOf(stdio)).toEqual({
      name: 'a',
      transport: 'stdio',
      command: 'demo',
      args: [],
      env: new Map(),
      headers: new Map(),
      requireConfirmation: false,
      enabled: true,
    });
  });

  test('reads every field', () => {
    const raw = {
      ...http,
      headers: { Authorization: 'Bearer ${T}' },
      env: { constructor: 'x' },
      allowed_tools: [],
      require_confirmation: true,
      enabled: false,
      somebodys: { field: null },
    };
    expect(entryOf(raw)).toEqual({
      name: 'a',
      transport: 'http',
      url: 'https://mcp.example.com',
      args: [],
      env: new Map([['constructor', 'x']]),
      headers: new Map([['Authorization', 'Bearer ${T}']]),
      allowedTools: [],
      requireConfirmation: true,
      enabled: false,
    });
  });

  test.each<[string, JsonValue, string[]]>([
    ['no object', [], ['']],
    ['null', null, ['']],
    ['no name', { command: 'x' }, ['name']],
    ['name of another type', { ...stdio, name: 1 }, ['name']],
    ['unknown type', { ...stdio, type: 'local' }, ['type']],
    ['type of another type', { ...stdio, type: 5 }, ['type']],
    ['stdio without command', { name: 'a' }, ['command']],
    ['http without url', { name: 'a', type: 'http', command: 'x' }, ['url']],
    ['sse without url', { name: 'a', type: 'sse' }, ['url']],
    ['a url alone is no transport', { name: 'a', url: 'https://mcp.example.com' }, ['command']],
    ['command empty', { ...stdio, command: ' ' }, ['command']],
    ['command no string', { ...stdio, command: 1 }, ['command']],
    ['command with a control character', { ...stdio, command: 'a\tb' }, ['command']],
    ['args a string', { ...stdio, args: '-y hush' }, ['args']],
    ['null in args', { ...stdio, args: ['a', null] }, ['args']],
    ['number in args', { ...stdio, args: [1] }, ['args']],
    ['NUL in args', { ...stdio, args: ['hush\0'] }, ['args']],
    ['url of another scheme', { ...http, url: 'file:///hush' }, ['url']],
    ['url with a variable for host', { ...http, url: '${HUSH}/mcp' }, ['url']],
    ['url no string', { ...http, url: {} }, ['url']],
    ['url with a line end', { ...http, url: 'https://a\n.example' }, ['url']],
    ['env a list', { ...stdio, env: ['hush'] }, ['env']],
    ['env value a number', { ...stdio, env: { A: 1, B: 'x', C: null } }, ['env.A', 'env.C']],
    ['env name with =', { ...stdio, env: { 'A=B': 'hush', '': 'hush' } }, ['env.A=B', 'env.']],
    ['env name with NUL', { ...stdio, env: { 'A\0': 'hush' } }, ['env.A?']],
    ['env value with NUL', { ...stdio, env: { A: 'hush\0' } }, ['env.A']],
    [
      'env name of the prototype',
      JSON.parse('{"name":"a","command":"x","env":{"__proto__":"hush"}}'),
      ['env.__proto__'],
    ],
    ['header name with a space', { ...http, headers: { 'A B': 'hush' } }, ['headers.A B']],
    ['header value with a line end', { ...http, headers: { A: 'hush\r\nX: y' } }, ['headers.A']],
    ['header value beyond Latin-1', { ...http, headers: { A: 'hush…' } }, ['headers.A']],
    ['headers that differ in case', { ...http, headers: { Auth: 'hush', auth: 'hush' } }, ['headers.auth']],
    [
      'header of the prototype',
      JSON.parse('{"name":"a","command":"x","headers":{"__proto__":"hush"}}'),
      ['headers.__proto__'],
    ],
    ['allowed_tools no list', { ...stdio, allowed_tools: 'x' }, ['allowed_tools']],
    ['enabled no boolean', { ...stdio, enabled: 'yes' }, ['enabled']],
    ['require_confirmation no boolean', { ...stdio, require_confirmation: 1 }, ['require_confirmation']],
    ['null for a field', { ...stdio, env: null }, ['env']],
    ['field names in another case', { Name: 'a', Command: 'x', ARGS: [] }, ['Name', 'Command', 'ARGS']],
    ['every fault at once', { name: 'hoody', type: 'x', env: 1, enabled: 0 }, ['name', 'type', 'env', 'enabled']],
    ['a field of the prototype', JSON.parse('{"name":"a","command":"x","__proto__":{}}'), ['__proto__']],
  ])('%s', (_what, raw, fields) => {
    expect(check(raw)).toEqual(fields);
    expect(check(raw, 'stored')).toEqual(fields);
  });

  test('a redaction placeholder is refused when written and tolerated where it stands', () => {
    for (const value of [
      '[REDACTED]',
      '[redacted]',
      '<REDACTED>',
      '***',
      '••••',
      ' *** ',
      'Bearer [REDACTED]',
      'Bearer ****',
    ]) {
      expect([value, check({ ...http, headers: { A: value } })]).toEqual([value, ['headers.A']]);
      expect([value, check({ ...stdio, env: { A: value } }, 'stored')]).toEqual([value, []]);
    }
    for (const value of ['', '**', 'a***', '*•', '[REDACTED] x', 'x<redacted>']) {
      expect([value, check({ ...stdio, env: { A: value } })]).toEqual([value, []]);
    }
  });

  test('what would break the settings file is refused when written', () => {
    const broken = JSON.parse('{"a":"\\ud800"}') as JsonObject;
    expect(check({ ...stdio, mine: [broken] })).toEqual(['mine']);
    expect(check({ ...stdio, mine: JSON.parse('1e999') as number })).toEqual(['mine']);
    expect(check({ ...stdio, args: [broken['a'] as string] })).toEqual(['args']);
    expect(check({ ...stdio, mine: null })).toEqual(['mine']);
  });

  test('several lines and other alphabets are fine where a program takes them', () => {
    expect(check({ ...stdio, args: ['a\nb', '\t', '日本'], env: { KEY: '-----BEGIN\nx\n', 'a.b': '…' } })).toEqual([]);
    expect(check({ ...http, headers: { 'X-Note': 'é\t~', 'X-Empty': '' } })).toEqual([]);
  });
});

describe('what of an entry may be shown', () => {
  test('key names sorted, command and args together, and no value', () => {
    const raw = { ...stdio, env: { B: 'hush-1', A: 'hush-2' }, headers: { X: 'hush-3' }, extra: 'hush-4' };
    const view = entryView(entryOf(raw));
    expect(view).toEqual({
      name: 'a',
      transport: 'stdio',
      enabled: true,
      requireConfirmation: false,
      envKeys: ['A', 'B'],
      headerKeys: ['X'],
      command: 'demo',
      args: [],
    });
    expect(entryView(entryOf({ ...http, allowed_tools: ['x'] }))).toMatchObject({
      url: http['url'],
      allowedTools: ['x'],
    });
  });

  test('no value of env or headers is ever in the view', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[A-Z]{1,9}$/), fc.stringMatching(/^hush-[a-z]{1,9}$/)), (map) => {
        expect(JSON.stringify(entryView(entryOf({ ...stdio, env: map, headers: map })))).not.toContain('hush');
      }),
    );
  });

  test.each([
    ['https://user:hush@mcp.example.com', true],
    ['https://hush@mcp.example.com', true],
    ['https://mcp.example.com/?token=hush', true],
    ['https://mcp.example.com/?a=1&api_key=hush', true],
    ['https://mcp.example.com/?ACCESS_TOKEN=hush', true],
    ['https://mcp.example.com/?key=hush', true],
    ['https://mcp.example.com/?token=', false],
    ['https://mcp.example.com/token?keyboard=1&author=x', false],
  ])('a credential in %s is noticed: %s', (url, noticed) => {
    expect(urlCredential(url) !== undefined).toBe(noticed);
    expect(urlCredential(url) ?? '').not.toContain('hush');
  });
});

describe('canonical JSON', () => {
  test('the empty list has the hash the contract prints, and so has a missing one', () => {
    const empty = 'sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945';
    expect(serversHash([])).toBe(empty);
    expect(serversHash(undefined)).toBe(empty);
    expect(serversHash(null)).not.toBe(empty);
  });

  test('matches the vectors of RFC 8785', () => {
    const input = `{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001,-0,56.0],
      "string":"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}`;
    expect(canonicalJson(JSON.parse(input) as JsonValue)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0,56],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
    const keys = JSON.parse(
      '{"\\u20ac":1,"\\r":2,"\\ufb33":3,"1":4,"\\ud83d\\ude00":5,"\\u0080":6,"\\u00f6":7}',
    ) as JsonObject;
    expect(canonicalJson(keys)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  });

  test('agrees with an independent implementation', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        expect(canonicalJson(value as JsonValue)).toBe(canonicalize(value));
      }),
    );
  });

  test('neither the order of keys nor the spelling of numbers and letters matters; the order of a list does', () => {
    expect(serversHash(JSON.parse('[{"b":1.0,"a":"\\u00e9"}]') as JsonValue)).toBe(serversHash([{ a: 'é', b: 1 }]));
    expect(serversHash([1, 2])).not.toBe(serversHash([2, 1]));
    const shuffled = (value: JsonObject): JsonObject => Object.fromEntries(Object.entries(value).toReversed());
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(digest(shuffled(value as JsonObject))).toBe(digest(value as JsonObject));
      }),
    );
  });

  test('has a text for what the RFC leaves out, and keeps a key named like the prototype', () => {
    expect(canonicalJson(JSON.parse('["\\ud800",1e999]') as JsonValue)).toBe('["\\ud800",null]');
    expect(canonicalJson(JSON.parse('{"__proto__":1}') as JsonValue)).toBe('{"__proto__":1}');
    expect(digest('x')).toBe(createHash('sha256').update('"x"').digest('hex'));
  });
});
