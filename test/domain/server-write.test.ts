import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { serversHash } from '../../src/domain/canonical.js';
import { DaemonError } from '../../src/domain/errors.js';
import type { JsonObject, JsonValue } from '../../src/domain/json.js';
import {
  checkImportEntries,
  planDelete,
  planImport,
  planSetEnabled,
  planUpsert,
  storedEntries,
  type ReadableDocument,
  type ServerListChange,
} from '../../src/domain/server-write.js';
import { serverName } from './arbitraries.js';

const one: JsonObject = { name: 'one', command: 'x', env: { K: 'hush' }, mine: 1 };
const two: JsonObject = { name: 'two', type: 'http', url: 'https://mcp.example.com' };

const holding = (servers?: JsonValue): ReadableDocument => ({
  path: '/settings.json',
  state: 'loaded',
  value: { other: true, ...(servers === undefined ? {} : { mcp_servers: servers }) },
});
const missing: ReadableDocument = { path: '/settings.json', state: 'missing', value: {} };

const hashOf = (document: ReadableDocument): string => serversHash(document.value['mcp_servers']);

/** The list after the edits, by the definition of an edit. */
const applied = (servers: readonly JsonValue[], { edits }: ServerListChange): JsonValue[] => {
  const list: (JsonValue | undefined)[] = [...servers];
  for (const edit of edits) {
    if (edit.kind === 'append') list.push(edit.entry);
    else list[edit.index] = edit.kind === 'remove' ? undefined : edit.entry;
  }
  return list.filter((entry) => entry !== undefined);
};

type Plan = (document: ReadableDocument, expectHash: string) => ServerListChange;

const upsert =
  (patch: JsonObject): Plan =>
  (document, hash) =>
    planUpsert(document, hash, patch);
const enable =
  (name: string, enabled: boolean): Plan =>
  (document, hash) =>
    planSetEnabled(document, hash, name, enabled);
const remove =
  (name: string): Plan =>
  (document, hash) =>
    planDelete(document, hash, name);
const bring =
  (entries: JsonObject[], replace = false): Plan =>
  (document, hash) =>
    planImport(document, hash, entries, replace);

const check = (servers: JsonValue[] | undefined, plan: Plan, expected: JsonValue[], touched: string[]): void => {
  const document = holding(servers);
  const change = plan(document, hashOf(document));
  expect(applied(servers ?? [], change)).toEqual(expected);
  expect(change.result.touched).toEqual(touched);
};

const refusal = (document: ReadableDocument, plan: Plan, hash = hashOf(document)): DaemonError => {
  try {
    plan(document, hash);
  } catch (error) {
    expect(error).toBeInstanceOf(DaemonError);
    expect((error as Error).message).not.toContain('hush');
    return error as DaemonError;
  }
  throw new Error('accepted');
};

const everyPlan: [string, Plan][] = [
  ['upsert', upsert({ name: 'one', command: 'x' })],
  ['enable', enable('one', true)],
  ['delete', remove('one')],
  ['import', bring([{ ...one, enabled: false }], true)],
];

describe('every change', () => {
  test.each(everyPlan)('%s with a stale, garbage or empty hash is a conflict, before anything else', (_what, plan) => {
    for (const hash of [hashOf(missing), 'garbage', '']) {
      expect(refusal(holding([one]), plan, hash).code).toBe('mcp_conflict');
      expect(refusal(holding({ no: 'list' }), plan, hash).code).toBe('mcp_conflict');
    }
    expect(refusal(holding([one, two]), enable('absent', true), 'stale').code).toBe('mcp_conflict');
  });

  test.each(everyPlan)('%s of something else than a list is refused', (_what, plan) => {
    for (const servers of [{}, null, 'x', 0]) {
      expect(refusal(holding(servers), plan)).toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining('mcp_servers'),
      });
    }
  });

  test('a change elsewhere in the file is no conflict', () => {
    const document = { ...holding([one]), value: { something: 'new', mcp_servers: [one] } };
    expect(planUpsert(document, hashOf(holding([one])), { name: 'two', command: 'y' }).edits).toHaveLength(1);
  });

  test('the first write states the hash of the empty list, for a missing file, key or list', () => {
    const empty = 'sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945';
    for (const document of [missing, holding(), holding([])]) {
      expect(planUpsert(document, empty, { name: 'a', command: 'x' }).edits).toEqual([
        { kind: 'append', entry: { name: 'a', command: 'x' } },
      ]);
    }
    expect(storedEntries({})).toBeUndefined();
    expect(storedEntries({ mcp_servers: [1] })).toEqual([1]);
  });
});

test('upsert replaces in place or appends, and leaves the other entries alone, broken ones too', () => {
  const broken: JsonValue[] = [null, 7, { Name: 'one' }, { name: 'bad', Args: [] }];
  check(
    [...broken, one, two],
    upsert({ name: 'one', enabled: false }),
    [...broken, { ...one, enabled: false }, two],
    ['one'],
  );
  check([one], upsert({ name: 'One', command: 'y' }), [one, { name: 'One', command: 'y' }], ['One']);
  check(
    [one, { ...one, command: 'z' }],
    upsert({ name: 'one', mine: 2 }),
    [
      { ...one, mine: 2 },
      { ...one, command: 'z' },
    ],
    ['one'],
  );
  expect(refusal(holding([one]), upsert({ name: 'two' })).message).toContain('server.command');
});

test('enabling flips one flag and nothing else', () => {
  check([one, two], enable('one', false), [{ ...one, enabled: false }, two], ['one']);
  check([{ ...one, enabled: false }], enable('one', true), [{ ...one, enabled: true }], ['one']);
  expect(refusal(holding([one]), enable('three', true)).message).toContain(
    'layer (/settings.json) has no entry "three"',
  );
  expect(refusal(holding(undefined), enable('one', true)).code).toBe('bad_request');
  expect(refusal(holding([{ ...one, Args: [] }]), enable('one', true)).message).toContain('sending args');
});

test('delete removes every entry of the name, sound or not', () => {
  check([one, two], remove('one'), [two], ['one']);
  check([one, two, { name: 'one', Args: 5 }], remove('one'), [two], ['one']);
  check([{ name: 'bad name!' }], remove('bad name!'), [], ['bad name!']);
  expect(refusal(holding([one]), remove('ONE')).message).toContain('"ONE"');
  expect(refusal(holding([one]), remove('constructor')).code).toBe('bad_request');
});

describe('import', () => {
  const three: JsonObject = { name: 'three', command: 'z', enabled: false };

  test('appends what is new', () => check([one], bring([three]), [one, three], ['three']));

  test('a collision aborts the whole import and names every one of them', () => {
    const error = refusal(holding([one, two]), bring([three, { ...one }, { ...two }]));
    expect(error.code).toBe('bad_request');
    for (const text of ['"one"', '"two"', 'nothing was written']) expect(error.message).toContain(text);
    expect(error.message).not.toContain('"three"');
  });

  test('with replace the whole entry is replaced, credentials and unknown fields included', () => {
    const next: JsonObject = { name: 'one', command: 'new', enabled: false };
    check([one, two], bring([next, three], true), [next, two, three], ['one', 'three']);
    check([{ name: 'one', Args: 5 }], bring([next], true), [next], ['one']);
  });

  test('names the language gives every object collide with nothing', () => {
    const entry: JsonObject = { name: 'constructor', command: 'x', enabled: false };
    check([one], bring([entry]), [one, entry], ['constructor']);
  });

  test('explicit entries are judged like new ones of an upsert, all of them, and come out disabled', () => {
    expect(checkImportEntries([one, { ...two, type: 'Streamable-HTTP', enabled: true }])).toEqual([
      { ...one, enabled: false },
      { ...two, enabled: false },
    ]);
    const run = (): unknown =>
      checkImportEntries([
        one,
        7,
        { name: 'bad', url: 'https://mcp.example.com', comand: 'x' },
        { command: 'x', env: { K: 'hush\0' } },
        { ...one, env: { K: '***' } },
      ]);
    for (const text of [
      '"number 2"',
      '"bad": command: is required for stdio (a remote server has url, and type http or sse); not known: comand',
      '"number 4": env.K',
      '"number 4": name',
      '"one": env.K',
      '"one": name: is there more',
    ]) {
      expect(run).toThrow(text);
    }
    expect(run).not.toThrow('hush');
  });
});

test('whatever is written, the list afterwards has the hash of what the edits say, and no other entry moved', () => {
  const entries = fc
    .uniqueArray(serverName, { maxLength: 5 })
    .map((names) => names.map((name): JsonObject => ({ name, command: 'x' })));
  fc.assert(
    fc.property(entries, serverName, fc.boolean(), (servers, name, enabled) => {
      const document = holding(servers);
      const change = planUpsert(document, hashOf(document), { name, command: 'y', enabled });
      const after = applied(servers, change) as JsonObject[];
      expect(after.filter((entry) => entry['name'] !== name)).toEqual(
        servers.filter((entry) => entry['name'] !== name),
      );
      expect(after.filter((entry) => entry['name'] === name)).toEqual([{ name, command: 'y', enabled }]);
      const back = planDelete(holding(after), serversHash(after), name);
      expect(applied(after, back)).toEqual(servers.filter((entry) => entry['name'] !== name));
    }),
  );
});
