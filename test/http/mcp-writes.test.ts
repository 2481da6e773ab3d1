/**
 * Writing the server list over HTTP: nonce, hash, merge, re-point, enable, delete, and what happens to the file. The
 * daemon's clock stands still, so nothing is reconciled unless a call does it.
 */
import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { FakeClock } from '../fakes/clock.js';
import { fixtureServer, startTestDaemon, writeJson, type Answer, type TestDaemon } from '../harness.js';
import { until } from '../processes.js';
import { isAlive, namesOf, openMcp, storedIn, textOf, WRITES, type McpCaller, type WriteOp } from './mcp-caller.js';

const EMPTY_LIST_HASH = 'sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945';
const NONCE_TTL_MS = 300_000;
const NONCES_MAX = 64;

const clock = new FakeClock();
let daemon: TestDaemon;
let userPath: string;

beforeAll(async () => {
  daemon = await startTestDaemon({ clock });
  userPath = daemon.userSettingsPath;
});
afterAll(() => daemon.close());
afterEach(async () => {
  const { body } = await daemon.request('GET', '/sessions');
  for (const { id } of body.items) await daemon.request('DELETE', `/sessions/${id}?hard=true`);
  await rm(dirname(userPath), { recursive: true, force: true });
  await rm(join(daemon.cwd, '.hoody'), { recursive: true, force: true });
});

/** A session over this user layer: entries, or the text of the file. */
const given = async (settings?: unknown[] | string): Promise<McpCaller> => {
  if (settings !== undefined) {
    await writeJson(userPath, Array.isArray(settings) ? { mcp_servers: settings } : settings);
  }
  return openMcp(daemon);
};

const refusal = ({ status, body }: Answer): [number, string] => [status, body.code];
const BAD_REQUEST = [400, 'bad_request'];
const CONFLICT = [409, 'mcp_conflict'];

/** An entry that is never started. */
const idle = (name: string, more: Record<string, unknown> = {}) => ({ name, command: 'true', enabled: false, ...more });

/** For each kind of write, a body that would be accepted over the entry `a`. */
const BODIES: Record<WriteOp, Record<string, unknown>> = {
  upsert: { server: { name: 'a', require_confirmation: true } },
  delete: { name: 'a' },
  set_enabled: { name: 'a', enabled: false },
  import: { servers: [{ name: 'b', command: 'true' }] },
};
const OPS = Object.keys(WRITES) as WriteOp[];

describe('a nonce', () => {
  test('is good for one write', async () => {
    const mcp = await given([idle('a')]);
    const { nonce } = await daemon.intent(mcp.session, 'upsert');
    const first = await mcp.write('upsert', { nonce, server: idle('b') });
    expect(first.status).toBe(200);
    const before = await textOf(userPath);
    const second = await mcp.write('upsert', { nonce, server: idle('c') });
    expect(refusal(second)).toEqual(BAD_REQUEST);
    expect(second.body.message).toMatch(/^nonce: /);
    expect(await textOf(userPath)).toBe(before);
  });

  test.each(OPS)('for %s is refused by every other kind of write, and spent by that', async (op) => {
    const mcp = await given([idle('a')]);
    const before = await textOf(userPath);
    for (const other of OPS.filter((candidate) => candidate !== op)) {
      const { nonce } = await daemon.intent(mcp.session, op);
      expect(refusal(await mcp.write(other, { nonce, ...BODIES[other] }))).toEqual(BAD_REQUEST);
      expect(refusal(await mcp.write(op, { nonce, ...BODIES[op] }))).toEqual(BAD_REQUEST);
    }
    expect(await textOf(userPath)).toBe(before);
    expect((await mcp.write(op, BODIES[op])).status).toBe(200);
  });

  test('is refused with another session, and spent by that', async () => {
    const mcp = await given([idle('a')]);
    const other = await openMcp(daemon);
    const { nonce } = await daemon.intent(mcp.session, 'upsert');
    const before = await textOf(userPath);
    expect(refusal(await other.write('upsert', { nonce, ...BODIES.upsert }))).toEqual(BAD_REQUEST);
    expect(refusal(await mcp.write('upsert', { nonce, ...BODIES.upsert }))).toEqual(BAD_REQUEST);
    expect(await textOf(userPath)).toBe(before);
  });

  test('is refused for another file, and spent by that', async () => {
    const mcp = await given([idle('a')]);
    const { nonce } = await daemon.intent(mcp.session, 'upsert', 'user');
    expect(refusal(await mcp.write('upsert', { nonce, ...BODIES.upsert }, 'project'))).toEqual(BAD_REQUEST);
    expect(refusal(await mcp.write('upsert', { nonce, ...BODIES.upsert }, 'user'))).toEqual(BAD_REQUEST);
    await expect(stat(join(daemon.cwd, '.hoody'))).rejects.toThrow('ENOENT');
  });

  test('is bound to the file, not to how the scope is said', async () => {
    const mcp = await given([idle('a')]);
    const { nonce } = await daemon.intent(mcp.session, 'upsert');
    expect((await mcp.write('upsert', { nonce, ...BODIES.upsert }, 'user')).status).toBe(200);
  });

  test('is refused when it is too old', async () => {
    const mcp = await given([idle('a')]);
    const { nonce: young } = await daemon.intent(mcp.session, 'upsert');
    await clock.advance(NONCE_TTL_MS - 1);
    expect((await mcp.write('upsert', { nonce: young, ...BODIES.upsert })).status).toBe(200);
    const { nonce: old } = await daemon.intent(mcp.session, 'upsert');
    await clock.advance(NONCE_TTL_MS);
    expect(refusal(await mcp.write('upsert', { nonce: old, ...BODIES.upsert }))).toEqual(BAD_REQUEST);
  });

  test('is spent whatever came of the write: a conflict, a bad entry, a name that is not there', async () => {
    const mcp = await given([idle('a')]);
    const before = await textOf(userPath);
    const failures: [Record<string, unknown>, unknown[]][] = [
      [{ expect_hash: EMPTY_LIST_HASH, ...BODIES.upsert }, CONFLICT],
      [{ server: { name: 'a', Args: [] } }, BAD_REQUEST],
      [{ server: { name: 'new' } }, BAD_REQUEST],
    ];
    for (const [body, outcome] of failures) {
      const { nonce } = await daemon.intent(mcp.session, 'upsert');
      expect(refusal(await mcp.write('upsert', { nonce, ...body }))).toEqual(outcome);
      const again = await mcp.write('upsert', { nonce, ...BODIES.upsert });
      expect([refusal(again), again.body.message]).toEqual([BAD_REQUEST, expect.stringMatching(/^nonce: /)]);
    }
    expect(await textOf(userPath)).toBe(before);
  });

  test('that was never looked at is still good: the body or the session was refused first', async () => {
    const mcp = await given([idle('a')]);
    const { nonce } = await daemon.intent(mcp.session, 'upsert');
    expect(refusal(await mcp.write('upsert', { nonce, expect_hash: '', ...BODIES.upsert }))).toEqual(BAD_REQUEST);
    expect(refusal(await mcp.write('upsert', { nonce, session_id: 'sess_none', ...BODIES.upsert }))[0]).toBe(404);
    expect((await mcp.write('upsert', { nonce, ...BODIES.upsert })).status).toBe(200);
  });

  test('of a session gives way when the session holds 64 newer ones', async () => {
    const mcp = await given([idle('a')]);
    const nonces: string[] = [];
    for (let count = 0; count < NONCES_MAX; count += 1) {
      nonces.push((await daemon.intent(mcp.session, 'upsert')).nonce);
    }
    // The write mints one more for its hash, which drops the oldest of the 64.
    expect(refusal(await mcp.write('upsert', { nonce: nonces[0], ...BODIES.upsert }))).toEqual(BAD_REQUEST);
    expect((await mcp.write('upsert', { nonce: nonces[2], ...BODIES.upsert })).status).toBe(200);
  });
});

describe('an intent', () => {
  test('answers the file that will be written and the hash of its list now', async () => {
    const mcp = await given([idle('a')]);
    const { files } = await mcp.list();
    for (const [scope, index] of [
      ['user', 0],
      ['project', 1],
      ['local', 2],
      [undefined, 0],
    ] as const) {
      const intent = await daemon.intent(mcp.session, 'upsert', scope);
      expect(intent.nonce).toMatch(/^nce_[0-9A-Z]{26}$/);
      expect({ path: intent.path, hash: intent.expect_hash }).toEqual({
        path: files[index].path,
        hash: files[index].hash,
      });
    }
  });

  test('without a scope means the user layer, and the project layer under a config dir', async () => {
    const configDir = join(daemon.folder, 'install');
    await given();
    const mcp = await openMcp(daemon, { config_dir: configDir });
    expect((await mcp.list()).files.map(({ layer }: { layer: string }) => layer)).toEqual(['project', 'local']);
    expect((await daemon.intent(mcp.session, 'upsert')).path).toBe(join(configDir, 'settings.json'));
    const body = { session_id: mcp.session, op: 'upsert', scope: 'user' };
    const refused = await daemon.request('POST', '/mcp/write-intents', { body });
    expect([refusal(refused), refused.body.message]).toEqual([BAD_REQUEST, expect.stringContaining('no user layer')]);
    expect((await mcp.upsert(idle('here'))).status).toBe(200);
    expect((await mcp.upsert(idle('beside'), 'local')).status).toBe(200);
    expect((await readdir(configDir)).toSorted()).toEqual(['settings.json', 'settings.local.json']);
    await expect(stat(userPath)).rejects.toThrow('ENOENT');
  });
});

describe('a hash', () => {
  test('of a file that does not exist is that of an empty list, and makes the first write', async () => {
    const mcp = await given();
    expect((await mcp.list()).files.map(({ hash }: { hash: string }) => hash)).toEqual(Array(3).fill(EMPTY_LIST_HASH));
    const { nonce, expect_hash } = await daemon.intent(mcp.session, 'upsert');
    expect(expect_hash).toBe(EMPTY_LIST_HASH);
    await expect(stat(dirname(userPath))).rejects.toThrow('ENOENT');
    expect((await mcp.write('upsert', { nonce, expect_hash: EMPTY_LIST_HASH, server: idle('a') })).status).toBe(200);
    expect((await stat(userPath)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(userPath))).mode & 0o777).toBe(0o700);
  });

  test.each(OPS)('must be sent to %s, and nonce too, and a write without them writes nothing', async (op) => {
    const mcp = await given();
    const { nonce } = await daemon.intent(mcp.session, op);
    const [method, path] = WRITES[op];
    const whole = { session_id: mcp.session, nonce, expect_hash: EMPTY_LIST_HASH, ...BODIES[op] };
    for (const without of ['expect_hash', 'nonce'] as const) {
      const { [without]: _left, ...body } = whole;
      expect(refusal(await daemon.request(method, path, { body }))).toEqual(BAD_REQUEST);
      expect(refusal(await daemon.request(method, path, { body: { ...whole, [without]: '' } }))).toEqual(BAD_REQUEST);
    }
    await expect(stat(userPath)).rejects.toThrow('ENOENT');
  });

  test.each(OPS)('that is no longer true makes %s a conflict, and the file stays as it is', async (op) => {
    const mcp = await given([idle('a')]);
    const stale = await daemon.intent(mcp.session, op);
    const byHand = `{\n  // edited by hand\n  "mcp_servers": [${JSON.stringify(idle('a', { args: ['x'] }))}],\n}\n`;
    await writeFile(userPath, byHand);
    for (const expect_hash of [stale.expect_hash, 'garbage', EMPTY_LIST_HASH]) {
      const answer = await mcp.write(op, { expect_hash, ...BODIES[op] });
      expect(refusal(answer)).toEqual(CONFLICT);
      expect(answer.body.message).toBe('the MCP server list changed since you read it; refresh and try again');
    }
    expect(await textOf(userPath)).toBe(byHand);
  });

  test('of a list and of a write are what the next write expects', async () => {
    const mcp = await given([idle('a')]);
    const { files } = await mcp.list();
    const first = await mcp.write('upsert', { expect_hash: files[0].hash, server: idle('b') });
    expect(first.status).toBe(200);
    expect(first.body.path).toBe(userPath);
    const second = await mcp.write('delete', { expect_hash: first.body.hash, name: 'a' });
    expect(second.status).toBe(200);
    const third = await mcp.write('set_enabled', { expect_hash: second.body.hash, name: 'b', enabled: false });
    expect(third.status).toBe(200);
    expect(third.body.hash).toBe((await mcp.list()).files[0].hash);
  });

  test('stands for the server list alone, whatever is around it and however it is written', async () => {
    const mcp = await given([idle('a')]);
    const { nonce, expect_hash } = await daemon.intent(mcp.session, 'upsert');
    const { name, command, enabled } = idle('a');
    await writeFile(
      userPath,
      `{ /* new */ "theme": "dark",\n "mcp_servers": [${JSON.stringify({ enabled, command, name })}] }`,
    );
    expect((await mcp.write('upsert', { nonce, expect_hash, server: idle('b') })).status).toBe(200);
    expect(await textOf(userPath)).toContain('{ /* new */ "theme": "dark"');
  });

  test('lets one of two writers through', async () => {
    const mcp = await given([idle('a')]);
    const intents = [await daemon.intent(mcp.session, 'upsert'), await daemon.intent(mcp.session, 'upsert')];
    const answers = await Promise.all(
      intents.map(({ nonce, expect_hash }, index) =>
        mcp.write('upsert', { nonce, expect_hash, server: idle(`n${index}`) }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await storedIn(userPath)).toHaveLength(2);
  });
});

const ANNOTATED = `{
  // the servers of this machine
  "theme": "dark",
  "mcp_servers": [
    {
      "name": "a", // kept for years
      "command": "true",
      "enabled": false,
      "env": { "ONE": "1", "TWO": "2" },
      "headers": { "X-One": "1" },
      "x_group": { "owner": null }, /* of another program */
    },
    { "name": "b", "command": "false", "enabled": false }
  ],
}
`;

/** The stored entry `a` after an upsert of this patch over the annotated file. */
const merged = async (patch: Record<string, unknown>): Promise<Record<string, unknown>> => {
  const mcp = await given(ANNOTATED);
  const answer = await mcp.upsert({ name: 'a', ...patch });
  expect(answer.body).toMatchObject({ status: 'ok', revoked: 0, sessions: 1, deferred_started: true });
  const plain = (await textOf(userPath)).replaceAll(/\/\/.*|\/\*.*?\*\//g, '').replaceAll(/,(?=\s*[\]}])/g, '');
  return JSON.parse(plain).mcp_servers[0];
};

describe('an upsert', () => {
  test('keeps what it does not name: fields, unknown fields, comments, other entries and keys', async () => {
    const entry = await merged({ require_confirmation: true });
    expect(entry).toEqual({
      name: 'a',
      command: 'true',
      enabled: false,
      env: { ONE: '1', TWO: '2' },
      headers: { 'X-One': '1' },
      x_group: { owner: null },
      require_confirmation: true,
    });
    const text = await textOf(userPath);
    for (const kept of [
      '// the servers of this machine',
      '"theme": "dark"',
      '// kept for years',
      '/* of another program */',
    ]) {
      expect(text).toContain(kept);
    }
    expect(text).toContain('{ "name": "b", "command": "false", "enabled": false }');
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['a key sets that one', { env: { TWO: 'two', NEW: 'n' } }, { env: { ONE: '1', TWO: 'two', NEW: 'n' } }],
    ['a null deletes that one', { env: { ONE: null } }, { env: { TWO: '2' } }],
    ['a null for a key that is not there does nothing', { env: { NONE: null } }, { env: { ONE: '1', TWO: '2' } }],
    ['an empty map clears the map', { env: {} }, { env: {}, headers: { 'X-One': '1' } }],
    ['an empty headers map clears the headers alone', { headers: {} }, { env: { ONE: '1', TWO: '2' }, headers: {} }],
  ])('merges credentials by key: %s', async (_title, patch, result) => {
    expect(await merged(patch)).toMatchObject(result);
    const entry = await storedAfterComments();
    for (const map of ['env', 'headers']) if (result[map]) expect(entry[map]).toEqual(result[map]);
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['null for a field', { command: null }, /\/server\/command must be string$/],
    ['null for a whole map', { env: null }, /\/server\/env must be object$/],
    ['null for a field nobody knows', { x_group: null }, /^server\.x_group: must not be null/],
    ['a field name in another case', { Args: ['x'] }, /^server\.Args: must be spelled args/],
    ['null inside args', { args: ['x', null] }, /\/server\/args\/1 must be string$/],
    ['header names that differ in case', { headers: { 'X-New': '1', 'x-new': '2' } }, /^server\.headers/],
    ['a header in another case than the stored one', { headers: { 'x-one': '2' } }, /^server\.headers\.x-one: .*X-One/],
    ['a redaction placeholder', { env: { ONE: '[REDACTED]' } }, /^server\.env\.ONE: /],
    ['a placeholder of bullets behind a scheme', { headers: { 'X-One': 'Bearer ••••' } }, /^server\.headers\.X-One: /],
    ['args that are no list', { args: '-y pkg' }, /\/server\/args must be array$/],
    ['a command that is no text', { command: 1 }, /\/server\/command must be string$/],
    ['a type nobody knows', { type: 'websocket' }, /^server\.type: /],
    ['a url that is none', { type: 'http', url: 'not a url' }, /^server\.url: /],
    ['remote without a url', { type: 'SSE' }, /^server\.url: is required for sse/],
    ['__proto__ as a name in env', JSON.parse('{"env":{"__proto__":"x"}}'), /^server\.env/],
  ])('refuses %s, and nothing is written', async (_title, patch, message) => {
    const mcp = await given(ANNOTATED);
    const answer = await mcp.upsert({ name: 'a', ...patch });
    expect([refusal(answer), answer.body.message]).toEqual([BAD_REQUEST, expect.stringMatching(message)]);
    expect(await textOf(userPath)).toBe(ANNOTATED);
  });

  test.each(['', 'a b', 'ä', 'x__y', 'x'.repeat(65), 'hoody', 'Hoody', 'MCP', '__proto__'])(
    'refuses the name %j',
    async (name) => {
      const mcp = await given();
      expect(refusal(await mcp.upsert({ name, command: 'true' }))).toEqual(BAD_REQUEST);
      await expect(stat(userPath)).rejects.toThrow('ENOENT');
    },
  );

  test('takes names to the edge of the rule, and names that objects have anyway', async () => {
    const mcp = await given();
    for (const name of ['x'.repeat(64), 'A_b-9', 'hoody2', 'constructor', 'toString']) {
      expect((await mcp.upsert(idle(name))).status).toBe(200);
    }
    expect(namesOf(await mcp.list())).toHaveLength(5);
  });

  test('answers the servers and warnings that the list answers', async () => {
    const mcp = await given([
      idle('a'),
      { name: 'half' },
      fixtureServer('up', 'echo', { env: { V: '${NOT_SET_ANYWHERE}' } }),
    ]);
    const { body } = await mcp.upsert({ name: 'a', args: [] });
    const list = await mcp.list();
    expect(body.servers).toEqual(list.servers);
    expect(body.warnings).toEqual(list.warnings);
    expect(body.warnings.join('\n')).toMatch(/"half" is left out: command: .*\n.*NOT_SET_ANYWHERE/s);
    expect(namesOf(body)).toEqual(['a', 'up']);
  });

  test('of a disabled or failing server is 200, and says so in its row', async () => {
    const mcp = await given();
    const { status, body } = await mcp.upsert({ name: 'gone', command: '/no/such/program' });
    expect(status).toBe(200);
    expect(body.servers).toEqual([expect.objectContaining({ name: 'gone', connected: false, enabled: true })]);
    expect(body.servers[0]).not.toHaveProperty('pid');
    expect(body.warnings).toEqual([expect.stringContaining('"gone" is not connected')]);
  });
});

const storedAfterComments = async (): Promise<Record<string, unknown>> =>
  JSON.parse((await textOf(userPath)).replaceAll(/\/\/.*|\/\*.*?\*\//g, '').replaceAll(/,(?=\s*[\]}])/g, ''))
    .mcp_servers[0];

describe('a stored entry that does not load', () => {
  test.each<[string, Record<string, unknown>, RegExp, Record<string, unknown>[], Record<string, unknown>]>([
    [
      'a field in another case',
      { Args: ['x'] },
      /Args: .*repair it by sending args/,
      [{ args: ['x'] }],
      { args: ['x'], env: { T: 't' } },
    ],
    [
      'null inside args',
      { args: [null] },
      /args.*repair it by sending args/,
      [{ args: ['y'] }],
      { args: ['y'], env: {} },
    ],
    [
      'two header names that differ only in case',
      { headers: { 'X-A': '1', 'x-a': '2' } },
      /headers: .*headers: \{\} first/,
      [{ headers: {} }, { headers: { 'X-A': '3' } }],
      { headers: { 'X-A': '3' }, env: { T: 't' } },
    ],
  ])(
    '(%s) is named in a warning, refused by a write that leaves it, and repaired by the exact field',
    async (_title, fault, message, repairs, result) => {
      const mcp = await given([idle('a', { env: { T: 't' }, ...fault }), idle('b')]);
      const { servers, warnings } = await mcp.list();
      expect(servers.map(({ name }: { name: string }) => name)).toEqual(['b']);
      expect(warnings).toEqual([expect.stringMatching(/^user entry "a" is left out: /)]);
      const before = await textOf(userPath);
      for (const write of [() => mcp.upsert({ name: 'a', require_confirmation: true }), () => mcp.enable('a', true)]) {
        const answer = await write();
        expect([refusal(answer), answer.body.message]).toEqual([BAD_REQUEST, expect.stringMatching(message)]);
      }
      expect(await textOf(userPath)).toBe(before);
      for (const repair of repairs) expect((await mcp.upsert({ name: 'a', ...repair })).status).toBe(200);
      const [entry] = await storedIn(userPath);
      expect(entry).toEqual(expect.objectContaining(result));
      expect(entry).not.toHaveProperty('Args');
      expect(namesOf(await mcp.list())).toEqual(['a', 'b']);
    },
  );
});

describe('a re-point', () => {
  const childEnv = async (mcp: McpCaller): Promise<Record<string, string>> =>
    JSON.parse((await mcp.run('mcp__a__env')).output);

  test('starts the new target without the credentials of the old one', async () => {
    const stored = fixtureServer('a', 'env', { env: { TOKEN_A: 'old', OTHER: 'old' } });
    const mcp = await given();
    await mcp.upsert(stored);
    expect(await childEnv(mcp)).toMatchObject({ TOKEN_A: 'old', OTHER: 'old' });
    const old = (await mcp.row('a'))!.pid!;
    const { body } = await mcp.upsert({
      name: 'a',
      args: [...stored.args, 'other'],
      env: { MODE: 'env', OTHER: 'new' },
    });
    expect(body).toMatchObject({ revoked: 1, servers: [{ connected: true, env_keys: ['MODE', 'OTHER'] }] });
    expect(body.servers[0].pid).not.toBe(old);
    await until(() => !isAlive(old));
    const now = await childEnv(mcp);
    expect(now).toMatchObject({ MODE: 'env', OTHER: 'new' });
    expect(now).not.toHaveProperty('TOKEN_A');
    expect((await storedIn(userPath))[0]!['env']).toEqual({ MODE: 'env', OTHER: 'new' });
  });

  test('that sends no credentials leaves none, of either kind', async () => {
    const mcp = await given([idle('a', { env: { A: '1' }, headers: { B: '2' }, x_kept: 1 })]);
    await mcp.upsert({ name: 'a', command: 'false' });
    expect(await storedIn(userPath)).toEqual([idle('a', { command: 'false', env: {}, headers: {}, x_kept: 1 })]);
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['another case in the command', { command: '/bin/True' }, { command: '/bin/true' }],
    ['another path to the same command', { command: '/bin/../bin/true' }, { command: '/bin/true' }],
    ['one more argument', { args: ['x', 'y'] }, { command: 'true', args: ['x'] }],
    ['the order of arguments', { args: ['y', 'x'] }, { command: 'true', args: ['x', 'y'] }],
    ['a slash in the url', { url: 'http://h/mcp/' }, { type: 'http', url: 'http://h/mcp' }],
    ['the default port in the url', { url: 'http://h:80/mcp' }, { type: 'http', url: 'http://h/mcp' }],
    ['the transport', { type: 'sse' }, { type: 'http', url: 'http://h/mcp' }],
  ])('is: %s', async (_title, patch, stored) => {
    const mcp = await given([
      { name: 'a', enabled: false, headers: { Authorization: 'x' }, env: { K: 'v' }, ...stored },
    ]);
    expect((await mcp.upsert({ name: 'a', ...patch })).status).toBe(200);
    expect((await storedIn(userPath))[0]).toMatchObject({ headers: {}, env: {} });
  });

  test('is not: restating what was read, in any accepted spelling; nor a change that is about something else', async () => {
    const mcp = await given([{ ...fixtureServer('a', 'env', { env: { TOKEN_A: 't' } }), type: 'STDIO' }]);
    await mcp.reconnect();
    const { pid } = (await mcp.row('a'))!;
    const { command, args } = fixtureServer('a', 'env');
    const restated = [{ type: 'stdio', command, args }, { type: 'Stdio' }, { command }, { args }];
    for (const patch of [...restated, { require_confirmation: true }, { allowed_tools: ['env'] }, { enabled: true }]) {
      const { body } = await mcp.upsert({ name: 'a', ...patch });
      expect(body).toMatchObject({ revoked: 0, servers: [{ connected: true, pid, env_keys: ['MODE', 'TOKEN_A'] }] });
    }
    const remote = idle('r', { type: 'url', command: undefined, url: 'http://h/mcp', headers: { A: '1' } });
    await mcp.upsert(remote);
    for (const type of ['http', 'Streamable-HTTP', 'streamable', 'URL'])
      await mcp.upsert({ name: 'r', type, args: [] });
    expect((await storedIn(userPath))[1]).toMatchObject({ headers: { A: '1' } });
  });

  test('by changed credentials alone restarts the server with them', async () => {
    const mcp = await given();
    await mcp.upsert(fixtureServer('a', 'env', { env: { TOKEN_A: 'one' } }));
    const { pid } = (await mcp.row('a'))!;
    const { body } = await mcp.upsert({ name: 'a', env: { TOKEN_A: 'two' } });
    expect(body.servers[0]).toMatchObject({ connected: true });
    expect(body.servers[0].pid).not.toBe(pid);
    expect(await childEnv(mcp)).toMatchObject({ TOKEN_A: 'two' });
  });
});

describe('enabling and deleting', () => {
  test('enabling flips the flag alone, and starts and stops the server', async () => {
    const entry = fixtureServer('a', 'env', { env: { TOKEN_A: 't' }, x_own: [1], allowed_tools: ['env'] });
    const mcp = await given([entry, idle('b')]);
    await mcp.reconnect();
    const { pid } = (await mcp.row('a'))!;
    const off = await mcp.enable('a', false);
    expect(off.body).toMatchObject({
      revoked: 1,
      servers: [{ enabled: false, connected: false, revoked: true, revoked_reason: 'disabled', pid }, {}],
    });
    await until(() => !isAlive(pid!));
    expect((await storedIn(userPath))[0]).toEqual({ ...entry, enabled: false });
    expect(await mcp.tools()).toEqual([]);
    const on = await mcp.enable('a', true);
    expect(on.body).toMatchObject({ revoked: 0, servers: [{ enabled: true, connected: true }, { connected: false }] });
    expect(on.body.servers[0]).not.toHaveProperty('revoked');
    expect((await storedIn(userPath))[0]).toEqual({ ...entry, enabled: true });
  });

  test.each(['set_enabled', 'delete'] as const)('%s of a name the layer lacks names entry and layer', async (op) => {
    const mcp = await given([idle('elsewhere')]);
    await writeJson(join(daemon.cwd, '.hoody', 'settings.json'), { mcp_servers: [idle('mine')] });
    const before = await textOf(userPath);
    for (const [name, scope] of [
      ['mine', 'user'],
      ['elsewhere', 'project'],
      ['elsewhere', 'local'],
      ['nobody', 'user'],
    ]) {
      const { path } = await daemon.intent(mcp.session, op, scope);
      const answer = await mcp.write(op, { name, ...(op === 'set_enabled' && { enabled: true }) }, scope);
      expect(refusal(answer)).toEqual(BAD_REQUEST);
      expect(answer.body.message).toContain(`"${name}"`);
      expect(answer.body.message).toContain(path);
    }
    expect(await textOf(userPath)).toBe(before);
  });

  test('deleting takes the entry from its layer, and the weaker layer shows and starts', async () => {
    const mcp = await given([fixtureServer('a', 'counter')]);
    await mcp.upsert(fixtureServer('a', 'slow'), 'project');
    expect(await mcp.tools()).toEqual(['mcp__a__echo', 'mcp__a__sleep']);
    const { body } = await mcp.remove('a', 'project');
    expect(body).toMatchObject({ revoked: 1, servers: [{ name: 'a', scope: 'user', connected: true }] });
    expect(await storedIn(userPath)).toHaveLength(1);
    expect(await storedIn(body.path)).toEqual([]);
    expect(await mcp.tools()).toEqual(['mcp__a__echo', 'mcp__a__count']);
  });

  test('a disabled entry of a stronger layer disables the server', async () => {
    const mcp = await given([fixtureServer('a', 'echo')]);
    await mcp.reconnect();
    const { body } = await mcp.upsert(idle('a'), 'local');
    expect(body).toMatchObject({ revoked: 1, servers: [{ scope: 'local', enabled: false, connected: false }] });
  });
});

describe('a file that cannot be written', () => {
  test.each([
    ['text that does not parse', '{\n  "mcp_servers": [}\n', /line 2, column 19/],
    ['a list that is none', '{ "mcp_servers": {} }', /mcp_servers: .*else than a list/],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00]), /not UTF-8/],
  ])('(%s) is refused at the intent and at the write, and left alone', async (_title, content, message) => {
    const mcp = await given([idle('a')]);
    const { nonce, expect_hash } = await daemon.intent(mcp.session, 'upsert');
    await writeFile(userPath, content);
    const body = { session_id: mcp.session, op: 'upsert' };
    const intent = await daemon.request('POST', '/mcp/write-intents', { body });
    const write = await daemon.request('PUT', '/mcp/servers', {
      body: { session_id: mcp.session, nonce, expect_hash, ...BODIES.upsert },
    });
    // A file of another content is a conflict for whoever read the old one, unless nothing of it can be read.
    for (const answer of [intent, ...(write.status === 409 ? [] : [write])]) {
      expect([refusal(answer), answer.body.message]).toEqual([BAD_REQUEST, expect.stringMatching(message)]);
    }
    expect(write.status).toBeGreaterThanOrEqual(400);
    expect(await textOf(userPath)).toBe(content.toString());
  });

  test('because a folder is in its place is a bad request, and because its folder is a file an internal error', async () => {
    const mcp = await given();
    const { nonce, expect_hash } = await daemon.intent(mcp.session, 'upsert');
    const write = { session_id: mcp.session, expect_hash, ...BODIES.import, server: idle('b') };
    await mkdir(userPath, { recursive: true });
    const folder = await daemon.request('POST', '/mcp/write-intents', {
      body: { session_id: mcp.session, op: 'import' },
    });
    expect([refusal(folder), folder.body.message]).toEqual([
      BAD_REQUEST,
      expect.stringContaining('a folder is in the place'),
    ]);
    await rm(dirname(userPath), { recursive: true });
    await writeFile(dirname(userPath), 'a file');
    const { session_id, server } = write;
    const file = await daemon.request('PUT', '/mcp/servers', { body: { session_id, nonce, expect_hash, server } });
    expect(file.body).toEqual({ code: 'internal_error', message: 'internal server error' });
    expect(await textOf(dirname(userPath))).toBe('a file');
    await rm(dirname(userPath));
  });

  test('because the disk refuses is an internal error, the file is whole, and the next write goes through', async () => {
    const mcp = await given([idle('a')]);
    const { nonce, expect_hash } = await daemon.intent(mcp.session, 'upsert');
    const before = await textOf(userPath);
    const aside = `${dirname(userPath)}-aside`;
    await rename(dirname(userPath), aside);
    await writeFile(dirname(userPath), '');
    const answer = await daemon.request('PUT', '/mcp/servers', {
      body: { session_id: mcp.session, nonce, expect_hash, server: idle('b') },
    });
    expect(refusal(answer)).toEqual([500, 'internal_error']);
    await rm(dirname(userPath));
    await rename(aside, dirname(userPath));
    expect(await textOf(userPath)).toBe(before);
    expect((await mcp.upsert(idle('b'))).status).toBe(200);
    expect(await readdir(dirname(userPath))).toEqual(['settings.json']);
  });

  test('keeps the mode a person gave it', async () => {
    const mcp = await given([idle('a')]);
    await chmod(userPath, 0o640);
    await mcp.upsert(idle('b'));
    expect((await stat(userPath)).mode & 0o777).toBe(0o640);
  });
});

test('a write whose session closes meanwhile is in the file and in effect everywhere else', async () => {
  const mcp = await given();
  const other = await openMcp(daemon);
  const answer = mcp.upsert(fixtureServer('a', 'echo'));
  await until(async () => (await other.list()).servers.length === 1);
  await daemon.request('POST', `/sessions/${mcp.session}/close`);
  // Closed before its servers were looked at, it is a session that does not exist; after that, the answer stands.
  expect([200, 404]).toContain((await answer).status);
  expect(await storedIn(userPath)).toHaveLength(1);
  await until(async () => (await other.tools()).length === 1);
});
