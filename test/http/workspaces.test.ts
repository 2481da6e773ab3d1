/**
 * The workspaces family over HTTP: a real daemon with real servers, one of them dead, and what a folder's sessions have
 * together.
 */
import { createHash } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PROVIDERS } from '../../src/domain/provider-schemas/profiles.js';
import { keyedResources, underscoreIds } from '../../src/domain/workspace.js';
import { RESOURCES_LIMIT_MS } from '../../src/services/workspaces.js';
import { fixtureServer, npmServer, startTestDaemon, writeJson, type Answer, type TestDaemon } from '../harness.js';
import { until } from '../processes.js';

interface ToolRow {
  readonly id: string;
  readonly source: string;
  readonly sourceName: string;
  readonly enabled: boolean;
  readonly status: string;
}

const idOf = (realPath: string): string => createHash('sha256').update(realPath).digest('hex').slice(0, 24);
const failure = (code: string, message: string) => ({ data: null, errors: [{ code, message }], success: false });

const callerOf = (daemon: TestDaemon, workspace: string) => {
  const base = `/api/v1/workspaces/${workspace}`;
  const get = (path: string): Promise<Answer> => daemon.request('GET', base + path);
  return {
    resources: (query = '') => get(`/experimental/resource${query}`),
    schemas: (provider: string) => get(`/experimental/tool?provider=${provider}&model=some-model`),
    ids: () => get('/experimental/tool/ids'),
    tools: () => get('/tools'),
    /** The tools of one server in the unified list. */
    toolsOf: async (server: string): Promise<ToolRow[]> =>
      (await get('/tools')).body.filter(({ sourceName }: ToolRow) => sourceName === server),
  };
};

const allSettled = async (daemon: TestDaemon, session: string, dead: readonly string[] = []): Promise<void> =>
  until(async () => {
    const { body } = await daemon.request('GET', `/mcp/servers?session_id=${session}`);
    return body.servers.every((row: { name: string; connected: boolean }) => row.connected !== dead.includes(row.name));
  });

describe('a folder with a working server, a dead one and one that asks each time', () => {
  let daemon: TestDaemon;
  let session: string;
  let workspace: string;
  let caller: ReturnType<typeof callerOf>;

  beforeAll(async () => {
    daemon = await startTestDaemon({
      settings: {
        mcp_servers: [
          { name: 'everything', command: process.execPath, args: [npmServer('server-everything'), 'stdio'] },
          fixtureServer('files', 'resources,readonly', { allowed_tools: ['echo', 'look'] }),
          fixtureServer('asks', 'resources', { require_confirmation: true }),
          fixtureServer('dead', 'crashinit'),
          { ...fixtureServer('off', 'echo'), enabled: false },
        ],
        tools: { list_dir: { enabled: false }, mcp__asks__echo: { enabled: true } },
      },
    });
    session = await daemon.open();
    await allSettled(daemon, session, ['dead', 'off']);
    const { body } = await daemon.request('GET', `/sessions/${session}`);
    workspace = body.session.workspace_id;
    caller = callerOf(daemon, workspace);
  });
  afterAll(() => daemon.close());

  test('has an id made of its real path, which sessions report, with and without the prefix', async () => {
    expect(workspace).toBe(idOf(await realpath(daemon.cwd)));
    expect((await caller.ids()).status).toBe(200);
    expect((await callerOf(daemon, `ws_${workspace}`).ids()).body).toEqual((await caller.ids()).body);
  });

  test('is one with the folder behind a link', async () => {
    const link = join(daemon.folder, 'link');
    await symlink(daemon.cwd, link);
    const other = await daemon.open({ cwd: link });
    const { body } = await daemon.request('GET', `/sessions/${other}`);
    expect(body.session.workspace_id).toBe(workspace);
    const rows = await caller.tools();
    expect(new Set(rows.body.map(({ id }: ToolRow) => id)).size).toBe(rows.body.length);
    await daemon.request('DELETE', `/sessions/${other}?hard=true`);
  });

  test('lists resources of all servers and all pages, keyed by name, beside a dead one', async () => {
    const { status, body } = await caller.resources();
    expect(status).toBe(200);
    const clients = new Set(Object.values<{ client: string }>(body).map(({ client }) => client));
    expect(clients).toEqual(new Set(['everything', 'files', 'asks']));
    expect(body['r1']).toEqual({
      name: 'r1',
      uri: 'fixture://r1',
      description: 'The first one.',
      mimeType: 'text/plain',
      client: 'files',
    });
    expect(body['r1 (files)']).toEqual({ name: 'r1', uri: 'fixture://r5', client: 'files' });
    expect(body['r1 (asks)']).toMatchObject({ name: 'r1', uri: 'fixture://r1', client: 'asks' });
    expect(body['r1 (asks, fixture://r5)']).toMatchObject({ uri: 'fixture://r5', client: 'asks' });
    expect(body['r4 (asks)']).toMatchObject({ uri: 'fixture://r4' });
    expect(Object.keys(body)).not.toContain('any');
    expect(
      Object.values<{ client: string }>(body).filter(({ client }) => client === 'everything').length,
    ).toBeGreaterThan(3);
  });

  test('selects resources by exact name', async () => {
    const { body } = await caller.resources('?name=r1');
    expect(Object.keys(body)).toEqual(['r1', 'r1 (files)', 'r1 (asks)', 'r1 (asks, fixture://r5)']);
    expect((await caller.resources('?name=r')).body).toEqual({});
  });

  test('lists the ids of what can be called', async () => {
    const { body } = await caller.ids();
    expect(body).toEqual(
      expect.arrayContaining(['read_file', 'mcp:everything:echo', 'mcp:files:look', 'mcp:asks:echo']),
    );
    expect(body).not.toContain('list_dir');
    expect(body).not.toContain('mcp:files:change');
    expect(body.filter((id: string) => /dead|off/.test(id))).toEqual([]);
  });

  test('lists every tool with what it is and how it stands', async () => {
    const { status, body } = await caller.tools();
    expect(status).toBe(200);
    const row = (id: string) => body.find((tool: ToolRow) => tool.id === id);
    expect(row('read_file')).toEqual({
      id: 'read_file',
      description: expect.any(String),
      source: 'builtin',
      sourceName: 'core',
      category: 'filesystem',
      enabled: true,
      status: 'ready',
      asyncCapable: false,
      wakePolicy: 'auto',
      permissionKey: 'fs.read',
    });
    expect(row('list_dir')).toMatchObject({ enabled: false, status: 'disabled' });
    expect(row('mcp_files_look')).toEqual({
      id: 'mcp_files_look',
      description: expect.any(String),
      source: 'mcp',
      sourceName: 'files',
      category: 'mcp',
      enabled: true,
      status: 'ready',
      asyncCapable: false,
      wakePolicy: 'next_turn',
      permissionKey: 'mcp.files.look',
    });
    expect(row('mcp_asks_echo')).toMatchObject({ wakePolicy: 'manual' });
    expect(body.filter(({ sourceName }: ToolRow) => ['dead', 'off'].includes(sourceName))).toEqual([]);
  });

  test.each(PROVIDERS)('has the schemas of what can be called in the form of %s', async (provider) => {
    const { status, body } = await caller.schemas(provider);
    expect(status).toBe(200);
    const names = body.map(({ id }: { id: string }) => id);
    expect(names).toEqual(expect.arrayContaining(['read_file', 'mcp__everything__echo', 'mcp__files__look']));
    expect(names).not.toContain('list_dir');
    for (const { id, description, parameters, strict } of body) {
      expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(typeof description).toBe('string');
      expect(parameters.type).toBe('object');
      expect(strict === undefined).toBe(provider !== 'openai');
    }
    const readFile = body.find(({ id }: { id: string }) => id === 'read_file').parameters;
    expect(readFile.properties.path).toMatchObject({ type: 'string' });
    expect(JSON.stringify(readFile)).toContain('Path of a file.');
  });

  test('runs a tool under the id its schema has', async () => {
    const { body } = await daemon.request('POST', `/sessions/${session}/tools/mcp__files__echo/run`, {
      body: { params: { text: 'hello' } },
    });
    expect(body).toMatchObject({ ok: true, output: 'hello' });
  });

  test('refuses an unknown workspace on all four, before it looks at the provider', async () => {
    const unknown = callerOf(daemon, 'ws_invalid');
    const answers = await Promise.all([unknown.resources(), unknown.schemas('nobody'), unknown.ids(), unknown.tools()]);
    for (const answer of answers) {
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(failure('WORKSPACE_NOT_FOUND', "Workspace 'ws_invalid' does not exist"));
    }
  });

  test('refuses an unknown provider, and cuts what it shows', async () => {
    const answer = await caller.schemas('unknown-provider');
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(failure('INVALID_PROVIDER', "Provider 'unknown-provider' is not supported"));
    const long = 'p'.repeat(100);
    expect((await caller.schemas(long)).body.errors[0].message).toBe(
      `Provider '${long.slice(0, 64)}' is not supported`,
    );
    expect((await callerOf(daemon, long).ids()).body.errors[0].message).toBe(
      `Workspace '${long.slice(0, 64)}' does not exist`,
    );
  });

  test.each([
    ['/experimental/tool?model=m', /provider/],
    ['/experimental/tool?provider=openai', /model/],
    ['/experimental/tool?provider=&model=m', /provider/],
    ['/experimental/resource?kind=file', /kind/],
    ['/tools?page=1', /page/],
  ])('answers BAD_REQUEST to %s', async (path, message) => {
    const { status, body } = await daemon.request('GET', `/api/v1/workspaces/${workspace}${path}`);
    expect([status, body.errors[0].code, body.success]).toEqual([400, 'BAD_REQUEST', false]);
    expect(body.errors[0].message).toMatch(message);
  });

  test('says what only the edge refuses in its own envelope too', async () => {
    const tools = `/api/v1/workspaces/${workspace}/tools`;
    const posted = await daemon.request('POST', tools);
    expect([posted.status, posted.body.errors[0].code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    const missing = await daemon.request('GET', `/api/v1/workspaces/${workspace}/nothing`);
    expect([missing.status, missing.body]).toEqual([404, failure('NOT_FOUND', 'resource not found')]);
    const guarded = await daemon.request('GET', tools, { headers: { origin: 'http://example.com' } });
    expect([guarded.status, guarded.body.errors[0].code]).toEqual([403, 'FORBIDDEN']);
  });
});

describe('the states of tools', () => {
  let daemon: TestDaemon;
  afterAll(() => daemon.close());

  test('follow death, revival, disabling and forgetting within two seconds', async () => {
    daemon = await startTestDaemon({
      settings: { mcp_servers: [fixtureServer('frail', 'crash'), fixtureServer('other', 'echo')] },
    });
    const session = await daemon.open();
    await allSettled(daemon, session);
    const caller = callerOf(daemon, idOf(await realpath(daemon.cwd)));
    const statusOf = async (server: string): Promise<string[]> => [
      ...new Set((await caller.toolsOf(server)).map(({ status }) => status)),
    ];
    expect(await statusOf('frail')).toEqual(['ready']);

    await daemon.request('POST', `/sessions/${session}/tools/mcp__frail__crash/run`, { body: { params: { code: 1 } } });
    await until(async () => (await statusOf('frail'))[0] === 'failed', 2_000);
    expect((await caller.toolsOf('frail')).map(({ id, enabled }) => [id, enabled])).toEqual([
      ['mcp_frail_echo', true],
      ['mcp_frail_crash', true],
    ]);
    expect((await caller.ids()).body).not.toContain('mcp:frail:echo');
    expect(await statusOf('other')).toEqual(['ready']);

    // The restart comes by itself after a pause of one second.
    const isRunning = async (): Promise<boolean> => {
      const { body } = await daemon.request('GET', `/mcp/servers?session_id=${session}`);
      return body.servers.find(({ name }: { name: string }) => name === 'frail').connected;
    };
    await until(isRunning);
    expect(await statusOf('frail')).toEqual(['ready']);

    const set = async (name: string, enabled: boolean): Promise<void> => {
      const { nonce, expect_hash } = await daemon.intent(session, 'set_enabled');
      const body = { session_id: session, nonce, expect_hash, name, enabled };
      expect((await daemon.request('POST', '/mcp/servers/enable', { body })).status).toBe(200);
    };
    await set('other', false);
    expect(await caller.toolsOf('other')).toEqual([
      expect.objectContaining({ id: 'mcp_other_echo', enabled: false, status: 'disabled' }),
    ]);
    await set('other', true);
    expect(await statusOf('other')).toEqual(['ready']);

    const { nonce, expect_hash } = await daemon.intent(session, 'delete');
    await daemon.request('DELETE', '/mcp/servers', {
      body: { session_id: session, nonce, expect_hash, name: 'other' },
    });
    expect(await caller.toolsOf('other')).toEqual([]);
  });

  test('are as good as the best session of the folder has them', async () => {
    const configDir = join(daemon.folder, 'config-dir');
    await writeJson(join(configDir, 'settings.json'), {
      mcp_servers: [{ ...fixtureServer('frail', 'echo'), enabled: false }],
    });
    await daemon.open({ config_dir: configDir });
    const caller = callerOf(daemon, idOf(await realpath(daemon.cwd)));
    expect((await caller.toolsOf('frail')).map(({ status }) => status)).toEqual(['ready', 'ready']);
  });

  test('tell a remote server that wants credentials from one that failed', async () => {
    const script = fileURLToPath(new URL('../fixtures/mcp-servers/http-server.mjs', import.meta.url));
    const start = async (env: Record<string, string>): Promise<{ child: ChildProcess; url: string }> => {
      const child = spawn(process.execPath, [script], {
        env: { PATH: process.env['PATH'], ...env },
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      const [url] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
      return { child, url };
    };
    const stop = async ({ child }: { child: ChildProcess }): Promise<void> => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    };
    const open = await start({});
    const cwd = join(daemon.folder, 'remote');
    await mkdir(cwd);
    const session = await daemon.open({ cwd });
    const { nonce, expect_hash } = await daemon.intent(session, 'upsert');
    const server = { name: 'remote', type: 'http', url: open.url };
    await daemon.request('PUT', '/mcp/servers', {
      body: { session_id: session, nonce, expect_hash, server: { ...server, enabled: true } },
    });
    const caller = callerOf(daemon, idOf(await realpath(cwd)));
    const echo = async (): Promise<ToolRow | undefined> =>
      (await caller.toolsOf('remote')).find(({ id }) => id === 'mcp_remote_echo');
    expect(await echo()).toMatchObject({ status: 'ready' });

    await stop(open);
    const locked = await start({ PORT: new URL(open.url).port, REQUIRE: 'x-key: wanted' });
    try {
      await until(async () => (await echo())?.status === 'needs_auth');
      expect(await echo()).toMatchObject({ enabled: true, status: 'needs_auth' });
    } finally {
      await stop(locked);
    }
  });
});

test('a server that is slow to list its resources is not waited for', async () => {
  const daemon = await startTestDaemon({
    settings: {
      mcp_servers: [
        fixtureServer('slow', 'slowlist'),
        fixtureServer('quick', 'resources'),
        fixtureServer('hung', 'slowlist', { env: { DELAY: '60000' } }),
      ],
    },
  });
  try {
    const session = await daemon.open();
    await allSettled(daemon, session);
    const caller = callerOf(daemon, idOf(await realpath(daemon.cwd)));
    const startedAt = performance.now();
    const { status, body } = await caller.resources();
    expect(performance.now() - startedAt).toBeLessThan(RESOURCES_LIMIT_MS + 3_000);
    expect(status).toBe(200);
    expect(new Set(Object.values<{ client: string }>(body).map(({ client }) => client))).toEqual(new Set(['quick']));
    expect(daemon.log).toContainEqual(
      expect.objectContaining({ level: 'warn', server: 'slow', msg: 'the resources of an MCP server are left out' }),
    );
  } finally {
    await daemon.close();
  }
});

test('workspaces are the folder of the daemon and those of its sessions, of what the login may see', async () => {
  const daemon = await startTestDaemon();
  const loginFile = join(daemon.folder, 'login.json');
  const login = (more: Record<string, unknown>) =>
    writeJson(loginFile, { account_id: 'me', active_realm: 'global', serves: 'all', pinned: null, ...more });
  await login({});
  const guarded = await startTestDaemon({ config: { loginFile } });
  try {
    const own = idOf(await realpath(process.cwd()));
    const caller = callerOf(daemon, own);
    expect((await caller.resources()).body).toEqual({});
    expect((await caller.tools()).body.every(({ source }: ToolRow) => source === 'builtin')).toBe(true);
    expect((await caller.ids()).body).toEqual((await caller.tools()).body.map(({ id }: ToolRow) => id));

    const folder = idOf(await realpath(daemon.cwd));
    expect((await callerOf(daemon, folder).ids()).status).toBe(400);
    const session = await daemon.open();
    expect((await callerOf(daemon, folder).ids()).status).toBe(200);
    await daemon.request('POST', `/sessions/${session}/close`);
    expect((await callerOf(daemon, folder).ids()).status).toBe(200);
    await daemon.request('DELETE', `/sessions/${session}?hard=true`);
    expect((await callerOf(daemon, folder).ids()).status).toBe(400);

    const theirs = callerOf(guarded, idOf(await realpath(guarded.cwd)));
    await guarded.open();
    expect((await theirs.ids()).status).toBe(200);
    await login({ account_id: 'somebody else' });
    await until(async () => (await theirs.ids()).status === 400);
    await login({ serves: 'unknown' });
    await until(async () => (await theirs.ids()).status === 503);
    const answer = await theirs.ids();
    expect(answer.body).toEqual(failure('SERVICE_UNAVAILABLE', 'service unavailable'));
    expect(answer.headers.get('retry-after')).toBe('1');
    expect((await callerOf(guarded, own).ids()).status).toBe(200);
  } finally {
    await daemon.close();
    await guarded.close();
  }
});

test('a rate limit speaks the same envelope', async () => {
  const daemon = await startTestDaemon({ config: { httpRateLimit: 1 } });
  try {
    const caller = callerOf(daemon, 'ws_none');
    let answer = await caller.ids();
    for (let count = 0; count < 20 && answer.status !== 429; count += 1) answer = await caller.ids();
    expect(answer.body).toEqual(failure('RATE_LIMITED', 'request rate limit exceeded'));
    expect(answer.headers.get('retry-after')).toBe('1');
  } finally {
    await daemon.close();
  }
});

describe('names', () => {
  test('of tools are unique, also where server and tool read alike', () => {
    const pairs = [
      { server: 'a', tool: 'b_c' },
      { server: 'a_b', tool: 'c' },
    ];
    const ids = [...underscoreIds(pairs).values()];
    expect(ids).toEqual(['mcp_a_b_c', expect.stringMatching(/^mcp_a_b_c_[0-9a-f]{8}$/)]);
  });

  test('of resources are unique whatever servers call them', () => {
    const resource = (name: string, client: string, uri: string) => ({ name, client, uri });
    const resources = [
      resource('x (b, u2)', 'a', 'u'),
      resource('x', 'a', 'u'),
      resource('x (b)', 'a', 'u1'),
      resource('x', 'b', 'u2'),
      resource('x', 'b', 'u2'),
      resource('__proto__', 'b', 'u3'),
    ];
    const keyed = keyedResources(resources);
    expect([...keyed.keys()]).toEqual(['x (b, u2)', 'x', 'x (b)', 'x (b, u2) 2', '__proto__']);
  });
});
