/**
 * Reading and reconciling the MCP servers of sessions over HTTP, with real children: layers, trust, what a row tells,
 * revocation and the counters over several sessions, broken layers, hand edits, reconnect and probe.
 */
import { copyFile, mkdir, mkdtemp, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { FakeClock } from '../fakes/clock.js';
import { fixtureServer, startTestDaemon, writeJson, type TestDaemon } from '../harness.js';
import { childrenOf, until } from '../processes.js';
import { isAlive, namesOf, openMcp, storedIn, textOf, WRITES, type McpCaller, type WriteOp } from './mcp-caller.js';

const FIXTURE = fileURLToPath(new URL('../fixtures/mcp-servers/server.mjs', import.meta.url));
const SLOT_WAIT_MS = 250;
const BACKGROUND_SLOTS = 4;
const RECONNECT_INTERVAL_MS = 2_000;

const idle = (name: string, more: Record<string, unknown> = {}) => ({ name, command: 'true', enabled: false, ...more });
const projectFile = (cwd: string): string => join(cwd, '.hoody', 'settings.json');
const localFile = (cwd: string): string => join(cwd, '.hoody', 'settings.local.json');

/** Closes what a test opened on the daemon and empties its settings. */
const clean = async (daemon: TestDaemon): Promise<void> => {
  const { body } = await daemon.request('GET', '/sessions');
  for (const { id } of body.items) await daemon.request('DELETE', `/sessions/${id}?hard=true`);
  await rm(dirname(daemon.userSettingsPath), { recursive: true, force: true });
  await rm(join(daemon.cwd, '.hoody'), { recursive: true, force: true });
};

const userServers = (daemon: TestDaemon, ...servers: unknown[]): Promise<void> =>
  writeJson(daemon.userSettingsPath, { mcp_servers: servers });

/** Waits for the connects that opening a session starts in the background. */
const connected = async (mcp: McpCaller, ...names: string[]): Promise<void> => {
  for (const name of names) await until(async () => (await mcp.row(name))?.connected === true);
};

/** A working folder of its own whose `./mcp.mjs` is a server in a mode: one entry, another server in each folder. */
const folderWithServer = async (daemon: TestDaemon, name: string, mode: string): Promise<string> => {
  const cwd = join(daemon.folder, name);
  await mkdir(cwd);
  await serveIn(cwd, mode);
  return cwd;
};
const serveIn = (cwd: string, mode: string): Promise<void> =>
  writeFile(join(cwd, 'mcp.mjs'), `process.env.MODE = '${mode}';\nawait import(${JSON.stringify(FIXTURE)});\n`);
const relative = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  command: process.execPath,
  args: ['./mcp.mjs'],
  ...more,
});

describe('with a clock that stands still, so that only calls reconcile', () => {
  const clock = new FakeClock();
  let daemon: TestDaemon;
  beforeAll(async () => {
    const hostEnv = { ...process.env, OPENAI_API_KEY: 'host-key', HOODY_TOKEN: 'host-token', MY_ACCESS_TOKEN: 'host' };
    // No start times out while the clock is moved for something else.
    const config = { trustProjectServers: true, mcpStartTimeoutMs: 24 * 3_600_000 };
    daemon = await startTestDaemon({ clock, hostEnv, config });
  });
  afterAll(() => daemon.close());
  afterEach(() => clean(daemon));

  describe('a session', () => {
    const OTHER_REALM = 'a'.repeat(24);

    test('that is unknown, closed or of another realm is one answer on every operation', async () => {
      const closed = await daemon.open();
      await daemon.request('POST', `/sessions/${closed}/close`);
      const live = await daemon.open();
      const cases: [string, Record<string, string>][] = [
        ['sess_00000000000000000000000000', {}],
        ['nonsense', {}],
        [closed, {}],
        [live, { 'x-hoody-realm': OTHER_REALM }],
      ];
      for (const [session_id, headers] of cases) {
        const write = { session_id, nonce: 'nce_x', expect_hash: 'x' };
        const answers = await Promise.all([
          daemon.request('GET', `/mcp/servers?session_id=${session_id}`, { headers }),
          daemon.request('POST', '/mcp/parse', { headers, body: { session_id, document: '{}' } }),
          daemon.request('POST', '/mcp/write-intents', { headers, body: { session_id, op: 'upsert' } }),
          daemon.request('PUT', '/mcp/servers', { headers, body: { ...write, server: { name: 'a' } } }),
          daemon.request('DELETE', '/mcp/servers', { headers, body: { ...write, name: 'a' } }),
          daemon.request('POST', '/mcp/servers/enable', { headers, body: { ...write, name: 'a', enabled: true } }),
          daemon.request('POST', '/mcp/import', { headers, body: { ...write, servers: [] } }),
          daemon.request('POST', '/mcp/probe', { headers, body: { session_id, server: { name: 'a', command: 'x' } } }),
          daemon.request('POST', '/mcp/reconnect', { headers, body: { session_id } }),
        ]);
        for (const { status, body } of answers) {
          expect([status, body]).toEqual([404, { code: 'not_found', message: 'session not found' }]);
        }
      }
    });

    test('is found in its own realm, named by header or query, and without a realm', async () => {
      const session = await daemon.open({ realm: OTHER_REALM });
      const path = `/mcp/servers?session_id=${session}`;
      const answers = [
        await daemon.request('GET', path),
        await daemon.request('GET', path, { headers: { 'x-hoody-realm': OTHER_REALM } }),
        await daemon.request('GET', `${path}&realm=${OTHER_REALM}`),
        await daemon.request('GET', `${path}&realm=global`, { headers: { 'x-hoody-realm': OTHER_REALM } }),
        await daemon.request('GET', `${path}&realm=global`),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 404]);
      await daemon.request('DELETE', `/sessions/${session}?hard=true`);
    });
  });

  describe('the layers', () => {
    test('give the whole entry of the strongest one, and are all listed, missing or not', async () => {
      await userServers(daemon, idle('u', { env: { A: '1' } }), idle('both', { env: { U: '1' }, args: ['user'] }));
      await writeJson(projectFile(daemon.cwd), { mcp_servers: [idle('both', { args: ['project'] }), idle('three')] });
      await writeJson(localFile(daemon.cwd), { mcp_servers: [idle('three', { args: ['local'] })] });
      const { servers, files, warnings } = await (await openMcp(daemon)).list();
      expect(warnings).toEqual([]);
      expect(servers).toEqual(
        [
          ['u', 'user', [], ['A']],
          ['both', 'project', ['project'], []],
          ['three', 'local', ['local'], []],
        ].map(([name, scope, args, env_keys]) => ({
          name,
          scope,
          transport: 'stdio',
          enabled: false,
          require_confirmation: false,
          connected: false,
          command: 'true',
          args,
          env_keys,
          header_keys: [],
        })),
      );
      expect(files.map(({ layer, path }: { layer: string; path: string }) => [layer, path])).toEqual([
        ['user', daemon.userSettingsPath],
        ['project', projectFile(daemon.cwd)],
        ['local', localFile(daemon.cwd)],
      ]);
      for (const { hash } of files) expect(hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    });

    test('that cannot be read are named with line and column, the others are listed, and nothing is written over', async () => {
      await userServers(daemon, idle('u'));
      const broken = '{\n  "mcp_servers": [\n    { "name": "p" "command": "x" }\n  ]\n}\n';
      await writeJson(projectFile(daemon.cwd), broken);
      const mcp = await openMcp(daemon);
      const { servers, files, warnings } = await mcp.list();
      expect(namesOf({ servers })).toEqual(['u']);
      expect(files.map(({ layer }: { layer: string }) => layer)).toEqual(['user', 'local']);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain(projectFile(daemon.cwd));
      expect(warnings[0]).toMatch(/^project settings could not be read .*line 3, column 19/);
      for (const op of Object.keys(WRITES)) {
        const body = { session_id: mcp.session, op, scope: 'project' };
        const { status, body: refused } = await daemon.request('POST', '/mcp/write-intents', { body });
        expect([status, refused.code, refused.message]).toEqual([
          400,
          'bad_request',
          expect.stringContaining('line 3'),
        ]);
      }
      expect(await textOf(projectFile(daemon.cwd))).toBe(broken);
      expect((await mcp.upsert(idle('u2'))).body).toMatchObject({ partial_sessions: 1, sessions: 0 });
    });

    test('with an entry that has to be dropped lose that one alone, and say its name and field', async () => {
      await userServers(
        daemon,
        idle('a'),
        { name: 'bad', args: 'x' },
        idle('b'),
        'text',
        idle('a', { args: ['twice'] }),
      );
      const { servers, warnings } = await (await openMcp(daemon)).list();
      expect(servers).toMatchObject([{ name: 'a', args: [] }, { name: 'b' }]);
      expect(warnings).toEqual([
        expect.stringMatching(/^user entry "bad" is left out: .*args: /),
        expect.stringMatching(/^user entry number 4 is left out: /),
        expect.stringMatching(/^user entry "a" is there more than once/),
      ]);
    });

    test('may be empty files, have a byte order mark, comments and trailing commas', async () => {
      await writeJson(daemon.userSettingsPath, `\uFEFF{ /* mine */ "mcp_servers": [${JSON.stringify(idle('a'))},], }`);
      await writeJson(projectFile(daemon.cwd), '');
      const mcp = await openMcp(daemon);
      expect(await mcp.list()).toMatchObject({ servers: [{ name: 'a' }], warnings: [] });
      expect((await mcp.upsert(idle('b'))).status).toBe(200);
      const text = await textOf(daemon.userSettingsPath);
      expect(text.startsWith('\uFEFF{ /* mine */')).toBe(true);
    });

    test('may be links: what they point at is written', async () => {
      const target = join(daemon.folder, 'dotfiles.json');
      await writeJson(target, { mcp_servers: [] });
      await mkdir(dirname(daemon.userSettingsPath), { recursive: true });
      await symlink(target, daemon.userSettingsPath);
      expect((await (await openMcp(daemon)).upsert(idle('a'))).status).toBe(200);
      expect(await storedIn(target)).toEqual([idle('a')]);
      expect(await readlink(daemon.userSettingsPath)).toBe(target);
    });
  });

  describe('a row', () => {
    test('of a running server tells what runs, and still does when it died; reconnect starts it again', async () => {
      const mcp = await openMcp(daemon);
      const up = await mcp.upsert(fixtureServer('a', 'echo,crash'));
      const row = up.body.servers[0];
      expect(row).toMatchObject({ connected: true, server_name: 'fixture', server_version: '1.0.0', tool_count: 2 });
      expect(row.protocol_version).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(childrenOf(process.pid, daemon.cwd)).toEqual([row.pid]);
      for (const member of ['revoked', 'revoked_reason', 'stderr_tail']) expect(row).not.toHaveProperty(member);

      expect(await mcp.run('mcp__a__crash')).toMatchObject({ ok: false, error_code: 'tool_error' });
      await until(async () => (await mcp.row('a'))?.connected === false);
      expect(await mcp.row('a')).toMatchObject({ ...row, connected: false, stderr_tail: ['crashing'] });
      expect((await mcp.list()).warnings).toEqual([expect.stringContaining('"a" is not connected')]);

      const { body } = await mcp.reconnect();
      expect(body).toMatchObject({ revoked: 0, servers: [{ connected: true, tool_count: 2 }], warnings: [] });
      expect(body.servers[0].pid).not.toBe(row.pid);
      expect(await mcp.run('mcp__a__echo', { text: 'back' })).toMatchObject({ ok: true, output: 'back' });
    });

    test('of a server that does not come up has its last words, and of a disabled one nothing', async () => {
      const mcp = await openMcp(daemon);
      const { body } = await mcp.upsert(fixtureServer('a', 'crashinit'));
      expect(body.servers[0]).toMatchObject({ connected: false, stderr_tail: ['cannot start'] });
      await mcp.upsert(fixtureServer('off', 'echo', { enabled: false }));
      for (const name of ['a', 'off']) {
        const row = await mcp.row(name);
        for (const member of ['pid', 'tool_count', 'protocol_version', 'server_name', 'server_version']) {
          expect(row).not.toHaveProperty(member);
        }
      }
      expect(await mcp.row('off')).not.toHaveProperty('stderr_tail');
    });

    test('is of an ordinary child: the rights of the daemon, the folder of the session, nothing around it', async () => {
      const mcp = await openMcp(daemon);
      const { pid } = (await mcp.upsert(fixtureServer('a', 'cwd'))).body.servers[0];
      expect((await mcp.run('mcp__a__cwd')).output).toBe(daemon.cwd);
      const facts = async (of: number): Promise<unknown> => ({
        status: (await textOf(`/proc/${of}/status`))
          .split('\n')
          .filter((line) => /^(Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp):/.test(line)),
        namespaces: await Promise.all(
          ['mnt', 'net', 'pid', 'user', 'ipc'].map((kind) => readlink(`/proc/${of}/ns/${kind}`)),
        ),
        root: await readlink(`/proc/${of}/root`),
      });
      expect(await facts(pid)).toEqual(await facts(process.pid));
      expect(childrenOf(process.pid)).toContain(pid);
    });

    test('of a server counts every page of its tools, and a server that misbehaves is named in a warning', async () => {
      const mcp = await openMcp(daemon);
      expect((await mcp.upsert(fixtureServer('paged', 'paged'))).body.servers[0].tool_count).toBe(7);
      const { body } = await mcp.upsert(fixtureServer('bad', 'badschema,noise,stderrflood'));
      expect(body.servers[1]).toMatchObject({ connected: true, tool_count: 2 });
      expect(body.warnings.join('\n')).toMatch(/"bad".*bad/s);
      expect(await mcp.tools()).toHaveLength(9);
      for (const { stderr_tail = [] } of body.servers) expect(stderr_tail.length).toBeLessThanOrEqual(20);
    });
  });

  test('a child gets no key of the daemon, but what its own entry sets, under whatever name', async () => {
    const mcp = await openMcp(daemon);
    await mcp.upsert(
      fixtureServer('a', 'env', {
        env: { MY_ACCESS_TOKEN: 'own', EXPANDED: 'is ${OPENAI_API_KEY}', T: '${HOODY_TOKEN}' },
      }),
    );
    const env = JSON.parse((await mcp.run('mcp__a__env')).output);
    expect(env).toMatchObject({ MY_ACCESS_TOKEN: 'own', EXPANDED: 'is host-key', T: '', PATH: process.env['PATH'] });
    expect(env).not.toHaveProperty('OPENAI_API_KEY');
    expect(env).not.toHaveProperty('HOODY_TOKEN');
    expect((await mcp.list()).warnings).toEqual([expect.stringMatching(/entry "a": env\.T: the variable HOODY_TOKEN/)]);
  });

  test('allowed_tools decides what is listed and what can be called; require_confirmation asks before every call', async () => {
    const mcp = await openMcp(daemon);
    await mcp.upsert(fixtureServer('a', 'counter', { allowed_tools: ['count', 'no_such_tool'] }));
    expect(await mcp.tools()).toEqual(['mcp__a__count']);
    expect(await mcp.run('mcp__a__echo')).toMatchObject({ code: 'tool_not_found' });
    await mcp.upsert({ name: 'a', require_confirmation: true });
    const run = (body: Record<string, unknown>) =>
      daemon.request('POST', `/sessions/${mcp.session}/tools/mcp__a__count/run`, { body: { params: {}, ...body } });
    for (let call = 1; call <= 2; call += 1) {
      const asked = await run({});
      expect([asked.status, asked.body.code]).toEqual([409, 'tool_needs_confirmation']);
      expect((await run({ confirm: true })).status).toBe(409);
      const confirmed = await run({ confirm: true, confirm_token: asked.body.details.confirm_token });
      expect(confirmed.body).toMatchObject({ ok: true, output: `${call}` });
    }
    await mcp.upsert({ name: 'a', allowed_tools: [] });
    expect(await mcp.tools()).toEqual([]);
  });

  describe('revocation', () => {
    test('is complete in every session when the write is answered: calls under way, tools, rows; the child ends', async () => {
      const [a, b, c] = [await openMcp(daemon), await openMcp(daemon), await openMcp(daemon)];
      const { pid } = (await a.upsert(fixtureServer('s', 'slow'))).body.servers[0];
      await connected(b, 's');
      await connected(c, 's');
      expect(childrenOf(process.pid, daemon.cwd)).toEqual([pid]);
      const underWay = [b, c].map((mcp) => mcp.run('mcp__s__sleep', { ms: 600_000 }));
      await until(async () => {
        const states = await Promise.all(
          [b, c].map(({ session }) => daemon.request('GET', `/sessions/${session}/state`)),
        );
        return states.every(({ body }) => body.state === 'running');
      });
      const { body } = await a.remove('s');
      expect(body).toMatchObject({
        sessions: 3,
        partial_sessions: 0,
        revoked: 3,
        deferred_sessions: 2,
        deferred_started: true,
      });
      expect(body.servers).toEqual([]);
      for (const result of await Promise.all(underWay)) {
        expect(result).toMatchObject({ ok: false, output: expect.stringContaining('revoked (deleted)') });
      }
      for (const mcp of [a, b, c]) {
        expect(await mcp.run('mcp__s__echo')).toMatchObject({ code: 'tool_not_found' });
        expect((await mcp.list()).servers).toEqual([]);
      }
      await until(() => !isAlive(pid));
    });

    test.each<[string, WriteOp, Record<string, unknown>, string]>([
      ['disabling', 'set_enabled', { name: 's', enabled: false }, 'disabled'],
      ['re-pointing', 'upsert', { server: { name: 's', args: [FIXTURE, 'elsewhere'], enabled: false } }, 'disabled'],
    ])(
      'by %s shows in the rows of every session at once, with what the build was',
      async (_title, op, change, reason) => {
        const [a, b] = [await openMcp(daemon), await openMcp(daemon)];
        const { pid } = (await a.upsert(fixtureServer('s', 'echo'))).body.servers[0];
        await connected(b, 's');
        expect((await a.write(op, change)).body).toMatchObject({ revoked: 2, sessions: 2 });
        for (const mcp of [a, b]) {
          const row = { connected: false, revoked: true, revoked_reason: reason, pid, tool_count: 1 };
          expect(await mcp.row('s')).toMatchObject(row);
          expect(await mcp.tools()).toEqual([]);
        }
      },
    );

    test('counts builds that ran, once for each session, and leaves every other server alone', async () => {
      const [a, b] = [await openMcp(daemon), await openMcp(daemon)];
      await a.upsert(fixtureServer('keep', 'counter'));
      await a.upsert(fixtureServer('never', 'crashinit'));
      await connected(b, 'keep');
      const { pid } = (await a.row('keep'))!;
      await a.run('mcp__keep__count');
      expect((await a.enable('never', false)).body).toMatchObject({ revoked: 0 });
      expect((await a.upsert(idle('other'))).body).toMatchObject({ revoked: 0, sessions: 2, deferred_sessions: 1 });
      expect((await a.reconnect()).body).toMatchObject({ revoked: 0, servers: [{ name: 'keep', pid }, {}, {}] });
      // The same process: it goes on counting where it was.
      expect((await b.run('mcp__keep__count')).output).toBe('2');
    });

    test('with nobody else live has nothing to defer, which counts as started', async () => {
      const { body } = await (await openMcp(daemon)).upsert(fixtureServer('a', 'echo'));
      expect(body).toMatchObject({ sessions: 1, deferred_sessions: 0, deferred_started: true, revoked: 0 });
    });

    test('a child ends with the last session that holds it, not before', async () => {
      await userServers(daemon, fixtureServer('s', 'echo'));
      const [a, b] = [await openMcp(daemon), await openMcp(daemon)];
      await connected(a, 's');
      await connected(b, 's');
      const { pid } = (await a.row('s'))!;
      expect((await b.row('s'))!.pid).toBe(pid);
      await daemon.request('POST', `/sessions/${a.session}/close`);
      expect(await b.run('mcp__s__echo', { text: 'still' })).toMatchObject({ output: 'still' });
      await daemon.request('DELETE', `/sessions/${b.session}`);
      await until(() => !isAlive(pid!));
    });

    test('leaves a session in its turn with the run it has, and shows it the new set next', async () => {
      const [a, b] = [await openMcp(daemon), await openMcp(daemon)];
      await a.upsert(fixtureServer('s', 'progress,env'));
      await a.upsert(fixtureServer('t', 'echo'));
      await connected(b, 's', 't');
      const held = b.run('mcp__s__hold');
      await until(async () => (await daemon.request('GET', `/sessions/${b.session}/state`)).body.state === 'running');
      const { body } = await a.upsert({ ...fixtureServer('t', 'counter'), args: [FIXTURE, 'moved'] });
      expect(body).toMatchObject({ revoked: 2, sessions: 2 });
      expect(await a.run('mcp__s__nudge', { how: 'finish' })).toMatchObject({ ok: true });
      expect(await held).toMatchObject({ ok: true, output: 'finished' });
      await connected(b, 't');
      expect(await b.run('mcp__t__count')).toMatchObject({ ok: true, output: '1' });
    });
  });

  describe('connecting', () => {
    test('is awaited for the named session, succeeded or failed, and not for the others', async () => {
      const quick = await folderWithServer(daemon, 'quick', 'slowinit');
      const mute = await folderWithServer(daemon, 'mute', 'noinit');
      const failing = await folderWithServer(daemon, 'failing', 'crashinit');
      const [a, b, c] = [
        await openMcp(daemon, { cwd: quick }),
        await openMcp(daemon, { cwd: mute }),
        await openMcp(daemon, { cwd: failing }),
      ];
      const first = await a.upsert(relative('s', { env: { DELAY: '300' } }));
      expect(first.body).toMatchObject({
        sessions: 3,
        deferred_sessions: 2,
        deferred_started: true,
        servers: [{ connected: true }],
      });
      expect(await b.row('s')).toMatchObject({ connected: false });
      const third = await c.reconnect();
      expect(third.status).toBe(200);
      expect(third.body.servers).toMatchObject([{ connected: false, stderr_tail: ['cannot start'] }]);
      // What is still starting does not keep the session from ending.
      await daemon.request('DELETE', `/sessions/${b.session}`);
      await until(() => childrenOf(process.pid, mute).length === 0);
    });

    test('of the others is skipped when every slot is busy, revokes all the same, and is made up for', async () => {
      const quick = await folderWithServer(daemon, 'quick2', 'echo');
      const mute = await folderWithServer(daemon, 'mute2', 'noinit');
      await userServers(daemon, fixtureServer('k', 'echo'), relative('s'));
      const [a, b] = [await openMcp(daemon, { cwd: quick }), await openMcp(daemon, { cwd: mute })];
      await connected(a, 'k', 's');
      await connected(b, 'k');
      // Each pass waits for the server of B that never comes up, and keeps its slot.
      for (let slot = 0; slot < BACKGROUND_SLOTS; slot += 1) {
        expect((await a.upsert(idle(`n${slot}`))).body).toMatchObject({ sessions: 2, deferred_started: true });
      }
      const skipped = { sessions: 1, deferred_sessions: 1, deferred_started: false, partial_sessions: 0 };
      expect((await moving(a.remove('k'))).body).toMatchObject({ ...skipped, revoked: 2 });
      expect(await b.run('mcp__k__echo')).toMatchObject({ code: 'tool_not_found' });
      const fresh = await moving(a.upsert(fixtureServer('fresh', 'echo')));
      expect(fresh.body).toMatchObject({ ...skipped, revoked: 0 });
      expect(await a.tools()).toContain('mcp__fresh__echo');

      expect((await a.enable('s', false)).body).toMatchObject({ sessions: 2, deferred_started: true, revoked: 2 });
      await connected(b, 'fresh');
      expect(await b.run('mcp__fresh__echo', { text: 'late' })).toMatchObject({ output: 'late' });
    });

    /** Waits for an answer that waits for the clock. */
    const moving = async <T>(answer: Promise<T>): Promise<T> => {
      let isThere = false;
      void answer.then(() => (isThere = true));
      await until(async () => {
        if (!isThere) await clock.advance(SLOT_WAIT_MS);
        return isThere;
      });
      return answer;
    };
  });

  describe('servers as people have them', () => {
    test('one that is absent and one that never answers keep nobody from the third, and the list answers at once', async () => {
      await userServers(
        daemon,
        { name: 'absent', command: '/no/such/program' },
        fixtureServer('mute', 'noinit'),
        fixtureServer('third', 'echo'),
      );
      const mcp = await openMcp(daemon);
      expect((await mcp.list()).servers).toHaveLength(3);
      await connected(mcp, 'third');
      expect(await mcp.run('mcp__third__echo', { text: 'here' })).toMatchObject({ output: 'here' });
      expect(await mcp.row('mute')).toMatchObject({ connected: false });
      await mcp.enable('mute', false);
    });

    test('one behind a wrapper ends with it, however it is ended', async () => {
      const wrapped = { name: 'w', command: 'sh', args: ['-c', `"${process.execPath}" "${FIXTURE}"; true`] };
      const mcp = await openMcp(daemon);
      const ends: (() => Promise<unknown>)[] = [
        () => mcp.enable('w', false),
        () => mcp.remove('w'),
        () => daemon.request('POST', `/sessions/${mcp.session}/close`),
      ];
      for (const end of ends) {
        const { body } = await mcp.upsert({ ...wrapped, enabled: true });
        const wrapper = body.servers[0].pid as number;
        const pids = [wrapper, ...childrenOf(wrapper)];
        expect(pids).toHaveLength(2);
        await end();
        await until(() => pids.every((pid) => !isAlive(pid)));
      }
    });

    test('an entry with an env of its own still finds its command, and values arrive as they are written', async () => {
      const mcp = await openMcp(daemon);
      const env = { MODE: 'env', PLAIN: 'c:\\temp\\x', NESTED: '${NONE:-${PATH}}', LITERAL: '$PATH' };
      const { body } = await mcp.upsert({ name: 'a', command: 'node', args: [FIXTURE], env });
      expect(body.servers).toMatchObject([{ connected: true }]);
      const path = process.env['PATH'];
      const received = JSON.parse((await mcp.run('mcp__a__env')).output);
      expect(received).toMatchObject({ ...env, NESTED: path, PATH: path });
    });

    test('tools of one name on two servers, and names too long to tell apart, are each called by their own', async () => {
      const mcp = await openMcp(daemon);
      await mcp.upsert(fixtureServer('one', 'counter'));
      await mcp.upsert(fixtureServer('two', 'counter'));
      await mcp.upsert(fixtureServer('long', 'longname'));
      await mcp.run('mcp__one__count');
      expect((await mcp.run('mcp__one__count')).output).toBe('2');
      expect((await mcp.run('mcp__two__count')).output).toBe('1');
      const long = (await mcp.tools()).filter((name) => name.startsWith('mcp__long__n'));
      expect(new Set(long).size).toBe(2);
      for (const name of long) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      const outputs: string[] = [];
      for (const name of long) outputs.push((await mcp.run(name)).output);
      expect(outputs).toEqual(['a', 'b']);
    });
  });

  describe('a session with a broken layer', () => {
    test('loses what only that layer has, connects nothing, and gets the same child back in place', async () => {
      const cwd = join(daemon.folder, 'partial');
      await mkdir(cwd);
      await userServers(daemon, fixtureServer('u', 'echo'));
      await writeJson(projectFile(cwd), { mcp_servers: [fixtureServer('p', 'counter')] });
      const whole = await textOf(projectFile(cwd));
      const [a, b] = [await openMcp(daemon), await openMcp(daemon, { cwd })];
      await connected(a, 'u');
      await connected(b, 'u', 'p');
      expect((await b.run('mcp__p__count')).output).toBe('1');
      const { pid } = (await b.row('p'))!;

      await writeFile(projectFile(cwd), whole.slice(0, -3));
      const { body } = await a.upsert(fixtureServer('new', 'echo'));
      expect(body).toMatchObject({
        sessions: 1,
        partial_sessions: 1,
        revoked: 1,
        deferred_sessions: 0,
        deferred_started: true,
      });
      expect(await b.row('p')).toMatchObject({
        connected: false,
        revoked: true,
        revoked_reason: 'layer_unreadable',
        pid,
      });
      expect(await b.row('u')).toMatchObject({ connected: true });
      expect(await b.row('new')).toMatchObject({ connected: false });
      expect(await b.tools()).toEqual(['mcp__u__echo']);
      expect(isAlive(pid!)).toBe(true);

      // As the caller: the answer describes the files, and nothing is connected.
      const own = await b.upsert({ name: 'new', require_confirmation: true });
      expect(own.body).toMatchObject({ sessions: 1, partial_sessions: 1, revoked: 0, deferred_sessions: 1 });
      expect(own.body.servers).toMatchObject([
        { name: 'u' },
        { name: 'new', connected: false, require_confirmation: true },
        { name: 'p' },
      ]);
      expect(own.body.warnings[0]).toMatch(/^project settings could not be read/);
      expect(await textOf(projectFile(cwd))).toBe(whole.slice(0, -3));

      await writeFile(projectFile(cwd), whole);
      const { body: back } = await a.reconnect();
      expect(back).toMatchObject({ sessions: 2, partial_sessions: 0, revoked: 0, deferred_sessions: 1 });
      await connected(b, 'p', 'new');
      expect(await b.row('p')).toMatchObject({ pid });
      expect(await b.row('p')).not.toHaveProperty('revoked');
      expect((await b.run('mcp__p__count')).output).toBe('2');
    });
  });

  describe('reconnect', () => {
    test('puts a hand edit into effect: gone is revoked, changed is restarted, unchanged keeps its process', async () => {
      await userServers(
        daemon,
        fixtureServer('gone', 'echo'),
        fixtureServer('moved', 'echo'),
        fixtureServer('same', 'counter'),
      );
      const mcp = await openMcp(daemon);
      await connected(mcp, 'gone', 'moved', 'same');
      const before = new Map(
        (await mcp.list()).servers.map(({ name, pid }: { name: string; pid: number }) => [name, pid]),
      );
      await mcp.run('mcp__same__count');
      await userServers(
        daemon,
        fixtureServer('same', 'counter'),
        fixtureServer('moved', 'slow'),
        fixtureServer('new', 'echo'),
      );
      expect(await mcp.tools()).toHaveLength(4);
      const { status, body } = await mcp.reconnect();
      expect(status).toBe(200);
      expect(body).toMatchObject({ sessions: 1, revoked: 2, deferred_started: true, warnings: [] });
      expect(body.servers.map(({ name, connected: is }: { name: string; connected: boolean }) => [name, is])).toEqual([
        ['same', true],
        ['moved', true],
        ['new', true],
      ]);
      expect(body.servers[0].pid).toBe(before.get('same'));
      expect(body.servers[1].pid).not.toBe(before.get('moved'));
      expect((await mcp.run('mcp__same__count')).output).toBe('2');
      expect(body).not.toHaveProperty('hash');
    });

    test('too soon after the last one of the session is 429 with the wait in the message and no Retry-After', async () => {
      const [a, b] = [await openMcp(daemon), await openMcp(daemon)];
      expect((await a.reconnect()).status).toBe(200);
      await clock.advance(RECONNECT_INTERVAL_MS / 4);
      const { status, body, headers } = await a.reconnect();
      expect([status, body.code]).toEqual([429, 'rate_limited']);
      expect(body.message).toMatch(/1\.5 s/);
      expect(headers.has('retry-after')).toBe(false);
      expect((await b.reconnect()).status).toBe(200);
      await clock.advance((RECONNECT_INTERVAL_MS * 3) / 4);
      expect((await a.reconnect()).status).toBe(200);
    });
  });

  describe('a probe', () => {
    const probe = (session: string, server: unknown) =>
      daemon.request('POST', '/mcp/probe', { body: { session_id: session, server } });

    test('of a well-formed candidate is refused every time, and starts and reaches nothing', async () => {
      const { session } = await openMcp(daemon);
      const reached: unknown[] = [];
      const listener = createServer((socket) => void reached.push(socket.destroy()));
      await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
      const { port } = listener.address() as AddressInfo;
      const marker = join(daemon.folder, 'probed');
      const candidates = [
        { name: 'a', command: process.execPath, args: ['-e', `require('fs').writeFileSync('${marker}', '')`] },
        { name: 'r', type: 'http', url: `http://127.0.0.1:${port}/mcp` },
        { name: 's', type: 'sse', url: `http://127.0.0.1:${port}/sse` },
      ];
      for (const candidate of [...candidates, ...candidates]) {
        const { status, body } = await probe(session, candidate);
        expect([status, body]).toEqual([
          403,
          {
            code: 'human_only',
            message: 'probing an MCP server requires direct human confirmation and is not available to machine callers',
          },
        ]);
      }
      expect(childrenOf(process.pid, daemon.cwd)).toEqual([]);
      expect(reached).toEqual([]);
      await expect(stat(marker)).rejects.toThrow('ENOENT');
      await new Promise((resolve) => listener.close(resolve));
    });

    test.each<[string, unknown, string]>([
      ['no name', { command: 'x' }, 'must have a member named "name"'],
      ['no command', { name: 'a' }, 'server.command: is required'],
      ['a field in another case', { name: 'a', command: 'x', Env: {} }, 'server.Env: '],
      ['a null credential', { name: 'a', command: 'x', env: { A: null } }, 'server.env.A'],
      ['a reserved name', { name: 'Hoody', command: 'x' }, 'server.name: '],
    ])('of a candidate with %s is a bad request', async (_title, candidate, message) => {
      const { session } = await openMcp(daemon);
      const { status, body } = await probe(session, candidate);
      expect([status, body.code, body.message]).toEqual([400, 'bad_request', expect.stringContaining(message)]);
    });

    test('of a candidate the deny list or the transport policy refuses is a bad request, before all else', async () => {
      await writeJson(daemon.userSettingsPath, { deny_list: ['/opt/secret/**'], mcp_transports: ['stdio', 'http'] });
      const { session } = await openMcp(daemon);
      const refused: [Record<string, unknown>, string][] = [
        [{ command: '/opt/secret/run' }, 'server.command: names a path on the deny list'],
        [{ command: 'node', args: ['x', '--root=/opt/secret/x'] }, 'server.args.1: names a path on the deny list'],
        [{ command: 'cat', args: ['~/.ssh/id_ed25519'] }, 'server.args.0: '],
        [{ command: 'cat', args: [join(daemon.dataDir, 'trust.json')] }, 'server.args.0: '],
        [{ type: 'sse', url: 'http://127.0.0.1:1/sse' }, 'server.type: mcp_transports does not allow sse'],
      ];
      for (const [candidate, message] of refused) {
        const { status, body } = await probe(session, { name: 'a', ...candidate });
        expect([status, body.code, body.message]).toEqual([400, 'bad_request', expect.stringContaining(message)]);
      }
      expect((await probe(session, { name: 'a', command: '/opt/public/run' })).status).toBe(403);
    });
  });

  test('an entry the deny list covers is listed, said so, and not started', async () => {
    await writeJson(daemon.userSettingsPath, { deny_list: [FIXTURE], mcp_servers: [fixtureServer('a', 'echo')] });
    const mcp = await openMcp(daemon);
    const { body } = await mcp.reconnect();
    expect(body.servers).toMatchObject([{ name: 'a', enabled: true, connected: false }]);
    expect(body.warnings).toEqual([expect.stringMatching(/"a" is not started: args\.0 .*deny list/)]);
    expect(childrenOf(process.pid, daemon.cwd)).toEqual([]);
  });
});

describe('a project folder that somebody else may have written', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startTestDaemon({ clock: new FakeClock() });
  });
  afterAll(() => daemon.close());
  afterEach(() => clean(daemon));

  const marked = (name: string) => ({
    name,
    command: process.execPath,
    args: ['-e', `require('fs').writeFileSync('${name}.started', '')`],
  });
  const hasStarted = (name: string): Promise<boolean> =>
    stat(join(daemon.cwd, `${name}.started`)).then(
      () => true,
      () => false,
    );

  test('starts nothing of its own: its entries are listed with a warning until one is enabled here', async () => {
    await writeJson(projectFile(daemon.cwd), { mcp_servers: [marked('p'), fixtureServer('q', 'echo')] });
    await writeJson(localFile(daemon.cwd), { mcp_servers: [marked('l')] });
    const mcp = await openMcp(daemon);
    const { body } = await mcp.reconnect();
    expect(body.servers.map(({ name, connected: is }: { name: string; connected: boolean }) => [name, is])).toEqual([
      ['p', false],
      ['q', false],
      ['l', false],
    ]);
    for (const name of ['p', 'q', 'l']) expect(body.warnings.join('\n')).toContain(`entry "${name}" is not started`);
    expect(await hasStarted('p')).toBe(false);
    expect(childrenOf(process.pid, daemon.cwd)).toEqual([]);

    const enabled = await mcp.enable('q', true, 'project');
    expect(enabled.body.servers[1]).toMatchObject({ name: 'q', connected: true });
    expect(enabled.body.warnings.join('\n')).not.toContain('"q"');
    expect(enabled.body.warnings.join('\n')).toContain('"p" is not started');
    expect(await hasStarted('p')).toBe(false);
  });

  test('is trusted for what was written here, also by another session and after a restart, until it is changed by hand', async () => {
    const mcp = await openMcp(daemon);
    expect((await mcp.upsert(fixtureServer('p', 'echo'), 'project')).body.servers[0]).toMatchObject({
      connected: true,
    });
    await connected(await openMcp(daemon), 'p');
    await daemon.daemon.close();
    const next = await startTestDaemon({ config: { dataDir: daemon.dataDir }, clock: new FakeClock() });
    const again = await openMcp(next, { cwd: daemon.cwd });
    await connected(again, 'p');
    const { pid } = (await again.row('p'))!;

    const [entry] = await storedIn(projectFile(daemon.cwd));
    await writeJson(projectFile(daemon.cwd), { mcp_servers: [{ ...entry, args: [FIXTURE, 'changed'] }] });
    const { body } = await again.reconnect();
    expect(body).toMatchObject({
      revoked: 1,
      servers: [{ connected: false, revoked: true, revoked_reason: 'untrusted' }],
    });
    expect(body.warnings).toEqual([expect.stringContaining('"p" is not started')]);
    await until(() => !isAlive(pid!));
    await next.close();
    const dataDir = daemon.dataDir;
    daemon = await startTestDaemon({ clock: new FakeClock() });
    expect(daemon.dataDir).not.toBe(dataDir);
  });

  test('imported into is for review: nothing starts before it is enabled', async () => {
    const mcp = await openMcp(daemon);
    const { body } = await mcp.import({ servers: [fixtureServer('p', 'echo')] }, 'local');
    expect(body.servers).toMatchObject([{ scope: 'local', enabled: false, connected: false }]);
    expect((await mcp.enable('p', true, 'local')).body.servers).toMatchObject([{ connected: true }]);
  });

  test('under a config dir is the operator’s own', async () => {
    const configDir = join(daemon.folder, 'install');
    await writeJson(join(configDir, 'settings.json'), { mcp_servers: [fixtureServer('c', 'echo')] });
    const mcp = await openMcp(daemon, { config_dir: configDir });
    await connected(mcp, 'c');
    expect((await mcp.list()).servers).toMatchObject([{ name: 'c', scope: 'project' }]);
  });
});

describe('with the real clock', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startTestDaemon({ config: { trustProjectServers: true } });
  });
  afterAll(() => daemon.close());

  test('a hand edit is followed without a call: in every layer, made, changed, broken, repaired and removed', async () => {
    const mcp = await openMcp(daemon);
    await userServers(daemon, fixtureServer('u', 'echo'));
    await connected(mcp, 'u');
    await writeJson(localFile(daemon.cwd), { mcp_servers: [fixtureServer('l', 'echo')] });
    await connected(mcp, 'l');
    const { pid } = (await mcp.row('l'))!;
    await writeFile(localFile(daemon.cwd), '{ half');
    await until(async () => (await mcp.tools()).join() === 'mcp__u__echo');
    await writeJson(localFile(daemon.cwd), { mcp_servers: [fixtureServer('l', 'echo')] });
    await until(async () => (await mcp.tools()).includes('mcp__l__echo'));
    expect((await mcp.row('l'))!.pid).toBe(pid);
    await rm(daemon.userSettingsPath);
    await until(async () => (await mcp.tools()).join() === 'mcp__l__echo');
    await copyFile(localFile(daemon.cwd), daemon.userSettingsPath);
    await rm(join(daemon.cwd, '.hoody'), { recursive: true });
    await until(async () => (await mcp.row('l'))?.scope === 'user' && (await mcp.tools()).length === 1);
    expect(daemon.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('a server that changes its tools is listed anew without a call', async () => {
    const mcp = await openMcp(daemon);
    await mcp.upsert(fixtureServer('c', 'listchanged'));
    expect(await mcp.run('mcp__c__add', { name: 'late' })).toMatchObject({ ok: true });
    await until(async () => (await mcp.tools()).includes('mcp__c__late'));
    expect(await mcp.row('c')).toMatchObject({ tool_count: 4 });
    expect(await mcp.run('mcp__c__late')).toMatchObject({ output: 'late' });
    await mcp.remove('c');
  });

  test('the death of a child is noticed without a call, and it comes back by itself', async () => {
    const mcp = await openMcp(daemon);
    await mcp.upsert(fixtureServer('d', 'echo'));
    const { pid } = (await mcp.row('d'))!;
    process.kill(pid!, 'SIGKILL');
    await until(async () => (await mcp.row('d'))?.connected === false);
    await connected(mcp, 'd');
    expect((await mcp.row('d'))!.pid).not.toBe(pid);
  });
});

test('a daemon whose own install is a config dir has no user layer in any session', async () => {
  const configDir = await mkdtemp(join(tmpdir(), 'agentd-install-'));
  const daemon = await startTestDaemon({ config: { configDir }, settings: { mcp_servers: [idle('user')] } });
  const mcp = await openMcp(daemon);
  expect(await mcp.list()).toMatchObject({ servers: [], files: [{ layer: 'project' }, { layer: 'local' }] });
  const { body } = await mcp.upsert(idle('a'));
  expect(body.path).toBe(join(configDir, 'settings.json'));
  await daemon.close();
  await rm(configDir, { recursive: true });
});
