import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkServerPatch, mergeEntry, type MergedEntry } from '../../src/domain/entry-merge.js';
import { DaemonError } from '../../src/domain/errors.js';
import type { JsonObject, JsonValue } from '../../src/domain/json.js';
import { serverName } from './arbitraries.js';

const local: JsonObject = { name: 'a', command: 'demo', args: ['-y'], env: { KEY: 'hush-1', OTHER: 'hush-2' } };
const remote: JsonObject = {
  name: 'a',
  type: 'http',
  url: 'https://mcp.example.com/v1',
  headers: { Authorization: 'hush-3', 'X-Note': 'hush-4' },
};

const parse = (text: string): JsonObject => JSON.parse(text) as JsonObject;

/** What a write stores for `patch` (its name is implied). */
const merged = (stored: JsonObject | undefined, patch: JsonObject): MergedEntry =>
  mergeEntry(stored, { name: 'a', ...patch });

const check = (stored: JsonObject | undefined, patch: JsonObject, expected: JsonObject): void =>
  expect(merged(stored, patch).raw).toEqual(expected);

/** The message of a refusal: bad_request, and no value in it. */
const refusal = (stored: JsonObject | undefined, patch: JsonObject): string => {
  try {
    merged(stored, patch);
  } catch (error) {
    expect(error).toMatchObject({ code: 'bad_request' });
    const { message } = error as DaemonError;
    expect(message).toContain('server.');
    expect(message).not.toContain('hush');
    return message;
  }
  throw new Error(`accepted: ${JSON.stringify(patch)}`);
};

describe('absent keeps, null deletes, empty clears', () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'an omitted field keeps its stored value',
      local,
      { require_confirmation: true },
      { ...local, require_confirmation: true },
    ],
    [
      'a sent key sets that one credential',
      local,
      { env: { KEY: 'new' } },
      { ...local, env: { KEY: 'new', OTHER: 'hush-2' } },
    ],
    ['a new key joins', local, { env: { NEW: 'x' } }, { ...local, env: { KEY: 'hush-1', OTHER: 'hush-2', NEW: 'x' } }],
    ['a null key is deleted', local, { env: { KEY: null } }, { ...local, env: { OTHER: 'hush-2' } }],
    ['deleting a key that is not there changes nothing', local, { env: { NONE: null } }, local],
    ['an empty map clears the map', local, { env: {} }, { ...local, env: {} }],
    [
      'headers do the same',
      remote,
      { headers: { 'X-Note': null } },
      { ...remote, headers: { Authorization: 'hush-3' } },
    ],
    ['empty headers clear', remote, { headers: {} }, { ...remote, headers: {} }],
    [
      'a map that was not there begins',
      { name: 'a', command: 'x' },
      { env: { K: 'v' } },
      { name: 'a', command: 'x', env: { K: 'v' } },
    ],
    ['an empty string is a value', local, { env: { KEY: '' } }, { ...local, env: { KEY: '', OTHER: 'hush-2' } }],
    [
      'a list is replaced whole',
      { ...local, allowed_tools: ['x', 'y'] },
      { allowed_tools: ['z'] },
      { ...local, allowed_tools: ['z'] },
    ],
    [
      'an unknown stored field survives',
      { ...local, mine: [1], cwd: null },
      { enabled: false },
      { ...local, mine: [1], cwd: null, enabled: false },
    ],
    ['an unknown sent field is stored', local, { mine: { deep: [1] } }, { ...local, mine: { deep: [1] } }],
    [
      'an unknown field is replaced, not merged',
      { ...local, mine: { a: 1 } },
      { mine: { b: 2 } },
      { ...local, mine: { b: 2 } },
    ],
  ])('%s', (_what, stored, patch, expected) => check(stored, patch, expected));

  test('a new entry is what was sent, less deleted keys', () => {
    check(undefined, { command: 'x', env: { A: '1', B: null } }, { name: 'a', command: 'x', env: { A: '1' } });
  });

  test('fields keep their places', () => {
    expect(Object.keys(merged(local, { env: { KEY: null }, name: 'a', mine: 1 }).raw)).toEqual([
      ...Object.keys(local),
      'mine',
    ]);
  });

  test('keys the language gives every object are ordinary keys', () => {
    check(
      local,
      { env: { constructor: 'x', toString: 'y' } },
      { ...local, env: { ...(local['env'] as JsonObject), constructor: 'x', toString: 'y' } },
    );
    expect(refusal(local, parse('{"env":{"__proto__":"hush"}}'))).toContain('env.__proto__');
    expect(refusal(remote, parse('{"headers":{"__proto__":"hush"}}'))).toContain('headers.__proto__');
    expect(refusal(local, parse('{"env":{"__proto__":null}}'))).toContain('env.__proto__');
  });
});

describe('refused on its own', () => {
  test.each<[string, JsonObject, string]>([
    ['null for a top-level field', { command: null }, 'server.command: must not be null'],
    ['null for env', { env: null }, 'server.env: must not be null'],
    ['null for an unknown field', { mine: null }, 'server.mine: must not be null'],
    ['a field name in another case', { Args: ['hush'] }, 'server.Args: must be spelled args'],
    ['a null inside args', { args: ['hush', null] }, 'server.args'],
    ['two header names that differ in case', { headers: { Auth: 'hush', auth: 'hush' } }, 'server.headers.auth'],
    ['also when one of them is a deletion', { headers: { Auth: 'hush', auth: null } }, 'server.headers.auth'],
    ['a placeholder', { env: { KEY: '***' } }, 'server.env.KEY'],
    ['a reserved name', { name: 'Mcp' }, 'server.name'],
    ['an unknown type', { type: 'hush' }, 'server.type'],
    ['a number among the credentials', { env: { KEY: 5 } }, 'server.env.KEY'],
  ])('%s', (_what, patch, text) => {
    expect(refusal(local, patch)).toContain(text);
    expect(() => checkServerPatch({ name: 'a', ...patch })).toThrow(text);
  });

  test('every fault is told at once', () => {
    const message = refusal(local, { Args: [], type: 'x', env: { 'A=B': 'hush' } });
    for (const text of ['server.Args', 'server.type', 'server.env.A=B']) expect(message).toContain(text);
  });

  test('a name is required', () => {
    expect(() => checkServerPatch({ command: 'x' })).toThrow('server.name: is required');
  });

  test('a new entry must be whole', () => {
    expect(refusal(undefined, {})).toContain('server.command: is required');
    expect(refusal(undefined, { type: 'http' })).toContain('server.url: is required');
    expect(refusal(local, { type: 'http' })).toContain('server.url: is required');
  });
});

describe('a header in another case than the stored one', () => {
  test('is refused naming the stored spelling, whether set or deleted', () => {
    for (const value of ['hush', null]) {
      const message = refusal(remote, { headers: { authorization: value } });
      expect(message).toContain('server.headers.authorization');
      expect(message).toContain('Authorization');
    }
  });

  test('is fine when a re-point has cleared the stored one', () => {
    check(
      remote,
      { url: 'https://other.example.com', headers: { authorization: 'new' } },
      { ...remote, url: 'https://other.example.com', headers: { authorization: 'new' } },
    );
  });
});

describe('a re-point', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['another command', local, { command: 'demo2' }],
    ['a command that differs in one space', local, { command: 'demo ' }],
    ['other args', local, { args: ['-y', ''] }],
    ['no args', local, { args: [] }],
    ['args in another order', { ...local, args: ['a', 'b'] }, { args: ['b', 'a'] }],
    ['another url', remote, { url: 'https://mcp.example.com/v2' }],
    ['a url that differs in a slash', remote, { url: 'https://mcp.example.com/v1/' }],
    ['a url that differs in case', remote, { url: 'https://MCP.example.com/v1' }],
    ['another transport', remote, { type: 'sse' }],
    ['from a command to a url', local, { type: 'http', url: 'https://mcp.example.com' }],
    ['from a url to a command', remote, { type: 'stdio', command: 'x' }],
  ])('%s drops the stored credentials', (_what, stored, patch) => {
    const { raw, repointed } = merged(stored, patch);
    expect(repointed).toBe(true);
    expect(raw).toMatchObject(patch);
    expect(JSON.stringify(raw)).not.toContain('hush');
  });

  test('keeps only what the same request supplies, in each map by itself', () => {
    const stored = { ...local, headers: { X: 'hush-5' } };
    check(stored, { command: 'b', env: { KEY: 'new' } }, { ...stored, command: 'b', env: { KEY: 'new' }, headers: {} });
    check(
      stored,
      { command: 'b', env: { KEY: 'new', OTHER: null } },
      { ...stored, command: 'b', env: { KEY: 'new' }, headers: {} },
    );
  });

  test('keeps everything else', () => {
    check(
      { ...local, mine: 1, allowed_tools: ['x'] },
      { command: 'b' },
      { ...local, mine: 1, allowed_tools: ['x'], command: 'b', env: {} },
    );
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['the type in full', local, { type: 'stdio' }],
    ['the type in another case', local, { type: 'STDIO' }],
    ['the same command and args', local, { command: 'demo', args: ['-y'] }],
    ['empty args for absent ones', { name: 'a', command: 'x', env: { K: 'hush-1' } }, { args: [] }],
    ['an alias', remote, { type: 'streamable-http' }],
    ['another alias', { ...remote, type: 'url' }, { type: 'HTTP' }],
    ['the same url', remote, { type: 'http', url: 'https://mcp.example.com/v1' }],
    ['options only', local, { allowed_tools: [], require_confirmation: true, enabled: false }],
    ['a credential', local, { env: { KEY: 'hush-1' } }],
  ])('%s is none', (_what, stored, patch) => {
    const { raw, repointed } = merged(stored, patch);
    expect(repointed).toBe(false);
    expect(JSON.stringify(raw)).toContain('hush-1'.slice(0, 5));
    expect(raw).toEqual({ ...stored, ...patch, ...(patch['env'] === undefined ? {} : { env: stored['env'] }) });
  });

  test('a new entry is none', () => expect(merged(undefined, { command: 'x' }).repointed).toBe(false));
});

describe('a stored entry that does not load', () => {
  const twoHeaders = { ...remote, headers: { Authorization: 'hush-3', authorization: 'hush-6' } };

  test.each<[string, JsonObject, JsonObject, string]>([
    ['a field in another case', { name: 'a', command: 'x', Args: ['hush'] }, { enabled: true }, 'sending args'],
    ['several of them', { name: 'a', Command: 'hush', Args: ['hush'] }, { args: [] }, 'sending command'],
    ['a null inside args', { ...local, args: ['hush', null] }, { env: { K: 'v' } }, 'sending args'],
    ['two spellings of a header', twoHeaders, { enabled: true }, 'headers: {}'],
    ['two spellings, one of them sent', twoHeaders, { headers: { Authorization: 'x' } }, 'headers: {}'],
    ['two spellings, one of them deleted', twoHeaders, { headers: { authorization: null } }, 'headers: {}'],
    ['two spellings and another target', twoHeaders, { url: 'https://b.example' }, 'headers: {}'],
    ['args no list', { ...local, args: 'hush' }, { enabled: true }, 'sending args'],
    ['an unknown type', { ...local, type: 'hush' }, { enabled: true }, 'sending type'],
    ['env no object', { ...local, env: ['hush'] }, { enabled: true }, 'sending env'],
    ['a null field', { ...local, url: null }, { enabled: true }, 'sending url'],
  ])('%s: a write beside the fault is refused naming the repair', (_what, stored, patch, repair) => {
    expect(refusal(stored, patch)).toContain(repair);
  });

  test('the exact field replaces the other spelling and keeps the credentials', () => {
    const stored = { name: 'a', command: 'x', Args: ['-y'], env: { K: 'hush-1' } };
    check(stored, { args: ['-y'] }, { name: 'a', command: 'x', args: ['-y'], env: { K: 'hush-1' } });
    expect(merged(stored, { args: ['-n'] })).toMatchObject({ repointed: true, raw: { args: ['-n'], env: {} } });
    check(
      { ...stored, args: ['-y'] },
      { args: ['-y'] },
      { name: 'a', command: 'x', args: ['-y'], env: { K: 'hush-1' } },
    );
  });

  test('sound args replace those with a null', () => {
    check({ name: 'a', command: 'x', args: ['s', null] }, { args: ['s'] }, { name: 'a', command: 'x', args: ['s'] });
  });

  test('cleared headers can be supplied again by the next write', () => {
    const cleared = merged(twoHeaders, { headers: {} }).raw;
    expect(cleared).toEqual({ ...remote, headers: {} });
    check(cleared, { headers: { Authorization: 'new' } }, { ...remote, headers: { Authorization: 'new' } });
  });

  test('other faults are repaired by their field', () => {
    check({ ...local, type: 'x' }, { type: 'stdio', env: { K: 'v' } }, { ...local, type: 'stdio', env: { K: 'v' } });
    check({ name: 'a', command: 'x', env: 5 }, { env: { K: 'v' } }, { name: 'a', command: 'x', env: { K: 'v' } });
    check({ name: 'a', command: 'x', enabled: null }, { enabled: true }, { name: 'a', command: 'x', enabled: true });
  });
});

describe('properties', () => {
  const credentials = fc.dictionary(fc.stringMatching(/^[A-Z]{1,6}$/), fc.stringMatching(/^[a-z ]{0,9}$/), {
    maxKeys: 4,
  });
  const unknown = fc.dictionary(
    fc.stringMatching(/^x-[a-z]{1,5}$/),
    fc.jsonValue().filter((value) => value !== null && !/\\ud[89a-f]/.test(JSON.stringify(value))),
    { maxKeys: 3 },
  );
  const entry = fc
    .record({
      name: serverName,
      command: fc.stringMatching(/^[a-z]{1,9}$/),
      args: fc.option(fc.array(fc.stringMatching(/^[a-z-]{0,6}$/), { maxLength: 3 }), { nil: undefined }),
      env: fc.option(credentials, { nil: undefined }),
      headers: fc.option(credentials, { nil: undefined }),
      enabled: fc.option(fc.boolean(), { nil: undefined }),
      unknown,
    })
    .map(({ unknown: others, ...known }) => parse(JSON.stringify({ ...others, ...known })));
  const without = (raw: JsonObject, keys: readonly string[]): JsonObject =>
    Object.fromEntries(Object.entries(raw).filter(([key]) => !keys.includes(key)));

  test('sending nothing but the name changes nothing', () => {
    fc.assert(
      fc.property(entry, (stored) => {
        expect(mergeEntry(stored, { name: stored['name'] as JsonValue })).toMatchObject({
          raw: stored,
          repointed: false,
        });
      }),
    );
  });

  test('restating any part of an entry changes nothing, however often', () => {
    fc.assert(
      fc.property(entry, fc.subarray(['command', 'args', 'enabled', 'env', 'headers']), (stored, left) => {
        // An empty map is not a restatement: it clears.
        const empty = ['env', 'headers'].filter((key) => Object.keys((stored[key] ?? {}) as JsonObject).length === 0);
        const patch = without(stored, [...left, ...empty]);
        const once = mergeEntry(stored, patch);
        expect(once).toMatchObject({ raw: stored, repointed: false });
        expect(mergeEntry(once.raw, patch).raw).toEqual(once.raw);
      }),
    );
  });

  test('any patch, applied twice, has the effect of once', () => {
    fc.assert(
      fc.property(entry, entry, (stored, other) => {
        const patch = { ...other, name: stored['name'] as JsonValue };
        const once = mergeEntry(stored, patch).raw;
        expect(mergeEntry(once, patch)).toMatchObject({ raw: once, repointed: false });
      }),
    );
  });

  test('fields nobody knows survive every write that does not name them', () => {
    fc.assert(
      fc.property(entry, unknown, fc.stringMatching(/^[a-z]{1,9}$/), (stored, others, command) => {
        const raw = mergeEntry(
          { ...(others as JsonObject), ...stored },
          { name: stored['name'] as JsonValue, command },
        ).raw;
        expect(raw).toMatchObject(without(others as JsonObject, Object.keys(stored)));
      }),
    );
  });

  test('no stored credential outlives a re-point', () => {
    fc.assert(
      fc.property(entry, fc.option(credentials, { nil: undefined }), (stored, env) => {
        const patch = {
          name: stored['name'] as JsonValue,
          command: `${stored['command'] as string}2`,
          ...(env && { env }),
        };
        const { raw } = mergeEntry(stored, patch);
        expect(raw['env'] ?? {}).toEqual(env ?? {});
        expect(raw['headers'] ?? {}).toEqual({});
      }),
    );
  });
});
