/**
 * Credentials are sentinels here: values that occur nowhere but in env and headers of entries and in the environment of
 * the daemon. Every route is asked, well and badly, servers say all they know, and then nothing the daemon gave away,
 * wrote or showed may hold one.
 */
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadContract, type Operation } from '../../src/http/contract.js';
import { fixtureServer, startTestDaemon, type Answer, type TestDaemon } from '../harness.js';
import { childrenOf, until } from '../processes.js';
import { mcpOf, openMcp, WRITES, type McpCaller } from './mcp-caller.js';

const FIXTURE = fileURLToPath(new URL('../fixtures/mcp-servers/server.mjs', import.meta.url));
const MARK = 'sentinel-5c1f';
let count = 0;
/** No two are alike, so that a find says where it came from. */
const sentinel = (of: string): string => `${MARK}-${of}-${(count += 1)}`;

const HOST = sentinel('host');
const AWKWARD = `${sentinel('quote')}"and\\${sentinel('backslash')}`;
const LINES = `${sentinel('first-line')}\n${sentinel('second-line')}`;
const hostEnv = {
  PATH: process.env['PATH'],
  SECRET_OF_HOST: HOST,
  HOODY_TOKEN: sentinel('platform'),
  OPENAI_API_KEY: sentinel('provider'),
};

let daemon: TestDaemon;
let mcp: McpCaller;
let remote: Server;
let remoteUrl: string;
/** What the remote server was sent: shows that the values do arrive. */
const arrived: unknown[] = [];
/** Everything the daemon answered, headers included. */
const answers: string[] = [];

beforeAll(async () => {
  const plain = await startTestDaemon({ hostEnv });
  daemon = {
    ...plain,
    request: async (...parameters) => {
      const answer = await plain.request(...parameters);
      answers.push(JSON.stringify([parameters[0], answer.status, [...answer.headers], answer.body]));
      return answer;
    },
    intent: async (session_id, op, scope) => {
      const { body } = await daemon.request('POST', '/mcp/write-intents', {
        body: { session_id, op, ...(scope && { scope }) },
      });
      return { nonce: body.nonce, expect_hash: body.hash, path: body.path };
    },
  };
  mcp = await openMcp(daemon);
  // Answers with what it was sent, in every place an answer has words.
  remote = createServer((request, response) => {
    arrived.push(request.headers);
    const said = JSON.stringify(request.headers);
    const [, kind] = request.url!.split('/');
    let body = '';
    request
      .on('data', (chunk) => (body += chunk))
      .on('end', () => {
        if (kind === 'status') response.writeHead(500, { 'content-type': 'text/plain' }).end(said);
        else if (kind === 'refused') response.writeHead(401, { 'www-authenticate': said.slice(0, 200) }).end(said);
        else if (request.method !== 'POST') response.writeHead(405).end(said);
        else {
          const { id, method } = JSON.parse(body) as { id?: number; method: string };
          const error = { code: -32000, message: said };
          const serverInfo = { name: said, version: said };
          const initialized = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
          const results: Record<string, unknown> = {
            initialize: kind === 'rpc' ? undefined : initialized,
            'tools/list': {
              tools: [
                { name: 'fail', inputSchema: { type: 'object' } },
                { name: said, inputSchema: 7 },
              ],
            },
          };
          const result = results[method];
          response.writeHead(id === undefined ? 202 : 200, { 'content-type': 'application/json' });
          response.end(
            id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }),
          );
        }
      });
  });
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
  remoteUrl = `http://127.0.0.1:${(remote.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await daemon.close();
  remote.closeAllConnections();
  await new Promise((resolve) => remote.close(resolve));
});

const credentials = (of: string) => ({
  LITERAL: sentinel(of),
  REFERENCE: `Bearer \${SECRET_OF_HOST}`,
  DEFAULT: `\${NOT_SET:-${sentinel(`${of}-default`)}}`,
  AWKWARD,
  LINES,
});
const headers = (of: string) => ({ Authorization: 'Bearer ${SECRET_OF_HOST}', 'X-Key': sentinel(of) });
const script = (code: string): string[] => ['--input-type=module', '-e', code];
/** Says its whole environment on stderr, in one piece, in pieces, and as JSON. */
const CONFESSION = [
  'const all = Object.entries(process.env).map(([k, v]) => `${k}=${v}`).join("\\n");',
  'process.stderr.write(JSON.stringify(process.env) + "\\n");',
  'for (const half of [all.slice(0, all.length / 2), all.slice(all.length / 2)]) process.stderr.write(half);',
  'process.stderr.write("\\n" + process.env.LITERAL);',
].join('\n');
const confessing = (name: string, end: string) => ({
  name,
  command: process.execPath,
  args: script(`${CONFESSION}\n${end}`),
  env: { ...credentials(name), MODE: 'env,crash' },
});

const expectNoSentinel = (what: string, text: string): void => {
  const at = text.indexOf(MARK);
  expect([what, at === -1 ? 'nothing' : text.slice(Math.max(0, at - 200), at + 60)]).toEqual([what, 'nothing']);
};
const expectNothingSaid = (): void => {
  for (const answer of answers.splice(0)) expectNoSentinel('an answer', answer);
  expectNoSentinel(
    'the log',
    inspect(daemon.log, { depth: Infinity, maxStringLength: null, maxArrayLength: null, showHidden: true }),
  );
};

test('servers get their credentials, and whatever they make of them is not passed on', async () => {
  await mcp.upsert(fixtureServer('silent', 'env', { env: credentials('silent') }));
  await mcp.upsert(confessing('talks', `await import(${JSON.stringify(FIXTURE)});`));
  await mcp.upsert(confessing('dies', 'process.exit(3);'));
  for (const kind of ['ok', 'rpc', 'status', 'refused']) {
    await mcp.upsert({ name: kind, type: 'http', url: `${remoteUrl}/${kind}/mcp`, headers: headers(kind) });
  }
  await mcp.upsert({ name: 'old', type: 'sse', url: `${remoteUrl}/status/sse`, headers: headers('old') });
  await mcp.upsert({ name: 'absent', type: 'http', url: 'http://127.0.0.1:9/mcp', headers: headers('absent') });
  await mcp.upsert({ name: 'nowhere', command: '/no/such/program', env: credentials('nowhere') });

  const { servers, warnings } = await mcp.list();
  expect(servers.map(({ name, connected }: { name: string; connected: boolean }) => [name, connected])).toEqual(
    ['silent', 'talks', 'dies', 'ok', 'rpc', 'status', 'refused', 'old', 'absent', 'nowhere'].map((name) => [
      name,
      ['silent', 'talks', 'ok'].includes(name),
    ]),
  );
  expect(warnings.length).toBeGreaterThanOrEqual(7);
  for (const name of ['talks', 'dies']) {
    const { stderr_tail } = servers.find((row: { name: string }) => row.name === name);
    expect(stderr_tail.join('\n')).toContain('LITERAL=[REDACTED]');
  }
  expect(await mcp.run('mcp__ok__fail')).toMatchObject({ ok: false });
  expect(await mcp.run('mcp__talks__crash')).toMatchObject({ ok: false });
  await daemon.request('GET', `/sessions/${mcp.session}/tools`);
  await daemon.request('GET', `/sessions/${mcp.session}/tools/mcp`);
  expectNothingSaid();
  // A child's command line is for everybody to read.
  const children = childrenOf(process.pid, daemon.cwd);
  expect(children.length).toBeGreaterThanOrEqual(1);
  for (const pid of children) expectNoSentinel('a command line', await readFile(`/proc/${pid}/cmdline`, 'utf8'));

  // What a tool answers is the tool's own word, so it is the proof that the values were there; it is not kept.
  const env = JSON.parse((await mcp.run('mcp__silent__env')).output);
  expect(answers.splice(0).join()).toContain(MARK);
  expect(env).toMatchObject({
    REFERENCE: `Bearer ${HOST}`,
    AWKWARD,
    LINES,
    DEFAULT: expect.stringContaining('default'),
  });
  expect(env).not.toHaveProperty('HOODY_TOKEN');
  expect(env).not.toHaveProperty('OPENAI_API_KEY');
  expect(arrived).toContainEqual(expect.objectContaining({ authorization: `Bearer ${HOST}` }));
});

test('writes, conflicts, previews and imports tell names only', async () => {
  const env = credentials('imported');
  const document = JSON.stringify({
    mcpServers: { d: { command: 'true', env }, e: { url: 'http://h/', headers: headers('e') } },
  });
  await daemon.request('POST', '/mcp/parse', { body: { session_id: mcp.session, document } });
  expect((await mcp.import({ document })).status).toBe(200);
  expect((await mcp.import({ document })).status).toBe(400);
  expect((await mcp.import({ servers: [{ name: 'd', command: 'false', env }], replace: true })).status).toBe(200);
  expect((await mcp.enable('d', false)).status).toBe(200);
  expect((await mcp.upsert({ name: 'd', env: { LITERAL: sentinel('changed'), REFERENCE: null } })).status).toBe(200);
  expect((await mcp.upsert({ name: 'd', args: ['moved'], env: { NEW: sentinel('moved') } })).status).toBe(200);
  expect((await mcp.write('upsert', { expect_hash: 'old', server: { name: 'd', env } })).status).toBe(409);
  expect((await mcp.remove('d')).status).toBe(200);
  await mcp.reconnect();
  expectNothingSaid();
});

test('what is wrong is told by field and rule, whatever the value is', async () => {
  const bad: Record<string, unknown>[] = [
    { env: sentinel('map') },
    { env: [sentinel('list')] },
    { env: { KEY: [sentinel('nested')] } },
    { env: { KEY: `${sentinel('nul')}\u0000` } },
    { headers: { Authorization: sentinel('a'), authorization: sentinel('b') } },
    { headers: { Authorization: `${sentinel('line')}\r\nX-Evil: 1` } },
    { headers: { 'not a name': sentinel('name') } },
    { headers: { Authorization: `${sentinel('emoji')} 🙂` } },
    { Env: { KEY: sentinel('case') } },
    { HEADERS: { KEY: sentinel('case') } },
    { type: sentinel('type') },
    { type: 'http', url: sentinel('url') },
    { command: [sentinel('command')] },
    { args: sentinel('args') },
    { args: [{ [sentinel('key')]: sentinel('value') }] },
    { allowed_tools: sentinel('tools') },
    { require_confirmation: sentinel('flag') },
  ];
  const expectRefused = ({ status }: Answer): void => expect(status).toBe(400);
  for (const fault of bad) {
    const server = { name: 'f', command: 'true', ...fault };
    const document = JSON.stringify({ mcpServers: { f: { ...server, name: undefined } } });
    expectRefused(await mcp.upsert(server));
    expectRefused(await daemon.request('POST', '/mcp/probe', { body: { session_id: mcp.session, server } }));
    expectRefused(await mcp.import({ servers: [server] }));
    expectRefused(await mcp.import({ document }));
    expectRefused(await daemon.request('POST', '/mcp/parse', { body: { session_id: mcp.session, document } }));
  }
  for (const text of [
    `{"env":{"K":"${sentinel('torn')}`,
    `{"env": ${sentinel('unquoted')}}`,
    sentinel('noise'),
    `{"a":"${sentinel('b')}\n"}`,
  ]) {
    expectRefused(await daemon.request('POST', '/mcp/parse', { body: text }));
    expectRefused(await daemon.request('POST', '/mcp/parse', { body: { session_id: mcp.session, document: text } }));
    expectRefused(await mcp.import({ document: text }));
  }
  expectNothingSaid();
});

test('no place of a request is repeated where it is refused: ids, nonces, hashes, tokens, scopes, headers', async () => {
  const secret = sentinel('place');
  const session_id = mcp.session;
  const target = (session: string, more = ''): string => `/mcp/servers?session_id=${session}${more}`;
  const statuses = [
    await daemon.request('GET', target(secret)),
    await daemon.request('GET', target(session_id, `&realm=${secret}`)),
    await daemon.request('GET', target(session_id), { headers: { 'x-hoody-realm': secret } }),
    await daemon.request('GET', target(session_id), { headers: { 'x-hoody-cwd': secret } }),
    await daemon.request('GET', target(session_id), { headers: { 'x-hoody-container': secret } }),
    await daemon.request('GET', target(session_id), { headers: { host: secret, authorization: `Bearer ${secret}` } }),
    await daemon.request('GET', target(session_id), { headers: { origin: `http://${secret}` } }),
    await daemon.request('GET', `/sessions/${secret}/tools`),
    await daemon.request('GET', `/tools/${secret}`),
    await daemon.request('GET', `/no/such/${secret}`),
    await daemon.request('POST', '/mcp/write-intents', { body: { session_id, op: secret } }),
    await daemon.request('POST', '/mcp/write-intents', { body: { session_id, op: 'upsert', scope: secret } }),
    await daemon.request('POST', '/mcp/parse', { body: `"${secret}"`, headers: { 'content-type': `text/${secret}` } }),
    await daemon.request('POST', `/sessions/${session_id}/tools/read_file/run`, {
      body: { params: { path: 7, x: secret } },
    }),
    await daemon.request('POST', `/sessions/${session_id}/tools/none/run`, {
      body: { confirm: true, confirm_token: secret },
    }),
  ].map(({ status }) => status);
  for (const [method, path] of Object.values(WRITES)) {
    const body = {
      session_id,
      nonce: secret,
      expect_hash: secret,
      name: 'a',
      enabled: true,
      server: { name: 'a' },
      servers: [],
    };
    statuses.push((await daemon.request(method, path, { body })).status);
    statuses.push((await daemon.request(method, path, { body: { ...body, nonce: [secret] } })).status);
  }
  for (const status of statuses) expect(status).toBeGreaterThanOrEqual(400);
  expectNothingSaid();
});

test('every operation answers without one, asked well where it only reads, and badly', async () => {
  const { workspace_id } = (await daemon.request('GET', `/sessions/${mcp.session}`)).body.session;
  const secret = sentinel('operation');
  const query = (session: string): string => `session_id=${session}&provider=openai&model=any`;
  const target = ({ path, query: known }: Operation, filled: Record<string, string>, session: string): string => {
    const pairs = query(session).split('&');
    const asked = pairs.filter((pair) => known.has(pair.split('=')[0]!)).join('&');
    return `${path.replace(/\{(\w+)\}/g, (_, name: string) => filled[name] ?? 'read_file')}?${asked}`;
  };
  for (const operation of loadContract().operations) {
    const { method, path, body, streams } = operation;
    if (method === 'GET' && !streams) {
      const filled = path.includes('/sessions/') ? { id: mcp.session } : { workspaceID: workspace_id, id: 'none' };
      const { status } = await daemon.request(method, target(operation, filled, mcp.session));
      const isThere = !/\/(jobs|todos|agents|workflows|runs)\/\{/.test(path);
      expect([operation.id, status]).toEqual([operation.id, isThere ? 200 : 404]);
    }
    const isRefused = body !== undefined || path.includes('{') || operation.query.has('session_id');
    if (!isRefused) continue;
    // The page has the id of an unknown workspace in its message.
    const filled = { id: secret, name: secret, tool: secret, workspaceID: 'none' };
    const answer = await daemon.request(method, target(operation, filled, secret), body && { body: [secret] });
    expect([operation.id, answer.status >= 400]).toEqual([operation.id, true]);
  }
  expectNothingSaid();
});

test('files that cannot be used are named by position and rule', async () => {
  const project = join(daemon.cwd, '.hoody', 'settings.json');
  await mkdir(join(daemon.cwd, '.hoody'));
  const texts = [
    `{ "mcp_servers": [{ "name": "p", "env": { "K": "${sentinel('torn-file')}" }`,
    `{ "mcp_servers": [{ "name": "p", "env": { "K": ${sentinel('unquoted-file')} } }] }`,
    JSON.stringify({
      mcp_servers: [{ name: 'p', command: 'x', env: sentinel('map-file'), Headers: { A: sentinel('case-file') } }],
    }),
    JSON.stringify({
      mcp_servers: sentinel('no-list'),
      deny_list: sentinel('no-globs'),
      mcp_transports: [sentinel('t')],
    }),
    sentinel('noise-file'),
  ];
  for (const text of texts) {
    await writeFile(project, text);
    const { warnings } = await mcp.list();
    expect(warnings.join('\n')).toMatch(/project (settings|entry)/);
    await daemon.request('POST', '/mcp/write-intents', {
      body: { session_id: mcp.session, op: 'upsert', scope: 'project' },
    });
    await mcp.write('upsert', { server: { name: 'p', require_confirmation: true } }, 'project');
    expectNothingSaid();
  }
  await rm(join(daemon.cwd, '.hoody'), { recursive: true });
});

test('a write that fails within says nothing of what it held, to the caller or to the log', async () => {
  const other = mcpOf(daemon, await daemon.open());
  const intent = await daemon.intent(other.session, 'upsert', 'local');
  await writeFile(join(daemon.cwd, '.hoody'), 'a file where a folder belongs');
  const { nonce, expect_hash } = intent;
  const server = { name: 'w', command: 'true', env: credentials('failing'), headers: headers('failing') };
  const body = { session_id: other.session, nonce, expect_hash, scope: 'local', server };
  const { status } = await daemon.request('PUT', '/mcp/servers', { body });
  expect(status).toBe(500);
  await rm(join(daemon.cwd, '.hoody'));
  await daemon.request('DELETE', `/sessions/${other.session}?hard=true`);
  expect(daemon.log.some(({ level }) => level === 'error')).toBe(true);
  expectNothingSaid();
});

test('the daemon’s own folder holds none', async () => {
  const files = await readdir(daemon.dataDir, { recursive: true });
  for (const file of files) {
    const path = join(daemon.dataDir, file);
    if ((await stat(path)).isFile()) expectNoSentinel(file, await readFile(path, 'utf8'));
  }
  await daemon.request('POST', `/sessions/${mcp.session}/close`);
  await until(() => childrenOf(process.pid, daemon.cwd).length === 0);
  await daemon.request('GET', '/sessions');
  expectNothingSaid();
});
