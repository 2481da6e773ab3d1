/**
 * Every error the contract documents for an operation, provoked on a real daemon: the ledger names operation, status and
 * code, and here is how a caller comes to each. An operation joins by being served; it needs a sample below.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadContract } from '../../src/http/contract.js';
import { fixtureServer, startTestDaemon, writeJson, type Answer, type TestDaemon } from '../harness.js';
import { until } from '../processes.js';
import { openMcp, type WriteOp } from './mcp-caller.js';

interface LedgerRow {
  readonly method: string;
  readonly path: string;
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

const ledger = JSON.parse(
  readFileSync(new URL('../fixtures/contract/ledger.json', import.meta.url), 'utf8'),
) as LedgerRow[];
const operations = loadContract().operations;

/** A request that only the rule in question stands against. `session` is what its session id is. */
interface Sample {
  readonly path: string;
  readonly body?: Record<string, unknown>;
}

const write = (session: string): Record<string, unknown> => ({
  session_id: session,
  nonce: 'nce_none',
  expect_hash: 'x',
});
const run = { params: { path: 'a.txt' } };
const SAMPLES: Record<string, (session: string) => Sample> = {
  listMcpServers: (session) => ({ path: `/mcp/servers?session_id=${session}` }),
  previewMcpImport: (session) => ({ path: '/mcp/parse', body: { session_id: session, document: '{}' } }),
  createMcpWriteIntent: (session) => ({ path: '/mcp/write-intents', body: { session_id: session, op: 'upsert' } }),
  upsertMcpServer: (session) => ({
    path: '/mcp/servers',
    body: { ...write(session), server: { name: 'a', command: 'true', enabled: false } },
  }),
  setMcpServerEnabled: (session) => ({
    path: '/mcp/servers/enable',
    body: { ...write(session), name: 'ask', enabled: false },
  }),
  deleteMcpServer: (session) => ({ path: '/mcp/servers', body: { ...write(session), name: 'ask' } }),
  importMcpServers: (session) => ({ path: '/mcp/import', body: { ...write(session), servers: [] } }),
  testMcpServer: (session) => ({
    path: '/mcp/probe',
    body: { session_id: session, server: { name: 'a', command: 'true' } },
  }),
  reconnectMcp: (session) => ({ path: '/mcp/reconnect', body: { session_id: session } }),
  getChanges: () => ({ path: '/changes' }),
  streamChanges: () => ({ path: '/changes/stream' }),
  listTools: () => ({ path: '/tools' }),
  getTool: () => ({ path: '/tools/read_file' }),
  listReadOnlyTools: () => ({ path: '/tools/read-only' }),
  listSessionTools: (session) => ({ path: `/sessions/${session}/tools` }),
  listSessionMcpTools: (session) => ({ path: `/sessions/${session}/tools/mcp` }),
  runTool: () => ({ path: '/tools/read_file/run', body: run }),
  runToolAsync: () => ({ path: '/tools/read_file/runAsync', body: run }),
  streamTool: () => ({ path: '/tools/read_file/stream', body: run }),
  runSessionTool: (session) => ({ path: `/sessions/${session}/tools/read_file/run`, body: run }),
  listToolSchemas: () => ({ path: '/api/v1/workspaces/ws_none/experimental/tool?provider=openai&model=m' }),
  listToolIds: () => ({ path: '/api/v1/workspaces/ws_none/experimental/tool/ids' }),
};

const WRITE_OPS: Record<string, WriteOp> = {
  upsertMcpServer: 'upsert',
  setMcpServerEnabled: 'set_enabled',
  deleteMcpServer: 'delete',
  importMcpServers: 'import',
};

const REALM = 'a'.repeat(24);
const BODY_CAP = 1_024;

let folder: string;
const started = new Map<string, Promise<TestDaemon>>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentd-pairs-'));
});
afterAll(async () => {
  for (const daemon of started.values()) await (await daemon).close();
  await rm(folder, { recursive: true });
});

const login = async (name: string, login: Record<string, unknown> | string): Promise<string> => {
  const path = join(folder, `${name}.json`);
  await writeJson(path, login);
  return path;
};
const account = { account_id: 'acc', active_realm: 'global', serves: 'all' };

/** The daemons a caller may meet, each in a state of its own. */
const DAEMONS = {
  ordinary: () =>
    startTestDaemon({
      settings: {
        mcp_servers: [fixtureServer('ask', 'echo', { require_confirmation: true }), fixtureServer('slow', 'slow')],
      },
    }),
  pinned: async () =>
    startTestDaemon({ config: { loginFile: await login('pinned', { ...account, pinned: 'global' }) } }),
  narrow: async () =>
    startTestDaemon({ config: { loginFile: await login('narrow', { ...account, serves: ['global'] }) } }),
  unknown: async () =>
    startTestDaemon({ config: { loginFile: await login('unknown', { ...account, serves: 'unknown' }) } }),
  small: () => startTestDaemon({ config: { httpMaxBodyBytes: BODY_CAP } }),
  /** One request, and then none for a long time. */
  limited: async () => {
    const daemon = await startTestDaemon({ config: { httpRateLimit: 0.000_1 } });
    await daemon.request('GET', '/health');
    return daemon;
  },
  /** A part of ours fails within every operation: the log refuses what is to be said about the login. */
  faulty: async () => {
    const quiet = (): void => undefined;
    let isFull = false;
    const warn = (): void => {
      if (isFull) throw new Error('no space left on the device');
    };
    const loginFile = await login('faulty', account);
    const daemon = await startTestDaemon({
      logger: { debug: quiet, info: quiet, warn, error: quiet },
      config: { loginFile },
    });
    isFull = true;
    await writeFile(loginFile, 'no JSON');
    return daemon;
  },
  /** Works on as many requests as it may. */
  full: () => startTestDaemon({ config: { httpMaxInFlight: 0 } }),
};

const daemonIn = (state: keyof typeof DAEMONS): Promise<TestDaemon> => {
  let daemon = started.get(state);
  if (daemon === undefined) started.set(state, (daemon = DAEMONS[state]()));
  return daemon;
};

interface Case {
  readonly id: string;
  readonly method: string;
  /** The documented code. */
  readonly code: string;
}

type Send = (options?: {
  session?: string;
  body?: Record<string, unknown> | string;
  headers?: Record<string, string>;
  query?: string;
  tool?: string;
}) => Promise<Answer>;

const sender = (daemon: TestDaemon, { id, method }: Case): Send => {
  const sample = SAMPLES[id];
  if (sample === undefined) throw new Error(`${id} is served and has no sample here`);
  return ({ session = 'sess_none', body, headers, query, tool } = {}) => {
    const { path, body: own } = sample(session);
    const target = query === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
    const sent = typeof body === 'string' ? body : own && { ...own, ...body };
    return daemon.request(method, tool === undefined ? target : target.replace('read_file', tool), {
      ...(sent === undefined ? {} : { body: sent }),
      ...(headers === undefined ? {} : { headers }),
    });
  };
};

const inState = async (state: keyof typeof DAEMONS, of: Case): Promise<Send> => sender(await daemonIn(state), of);

/** The answer to a run while another one of its session is in this state. */
const whileRunning = async (of: Case, tool: string, params: object, state: string): Promise<Answer> => {
  const daemon = await daemonIn('ordinary');
  const mcp = await openMcp(daemon);
  await until(async () => (await mcp.tools()).includes('mcp__slow__sleep'));
  const comesTo = (wanted: string) =>
    until(async () => (await daemon.request('GET', `/sessions/${mcp.session}/state`)).body.state === wanted);
  const leaving = new AbortController();
  const path = `/sessions/${mcp.session}/tools/${tool}/run`;
  const first = daemon.request('POST', path, { body: { params }, signal: leaving.signal });
  await comesTo(state);
  const second = await sender(daemon, of)({ session: mcp.session });
  leaving.abort();
  await expect(first).rejects.toThrow('abort');
  // A caller that left does not keep the slot.
  await comesTo('idle');
  return second;
};

/** How a caller comes to each code. */
const PROVOKE: Record<string, (of: Case) => Promise<Answer>> = {
  bad_request: async (of) => (await inState('ordinary', of))({ query: 'no_such_parameter=1' }),
  realm_scope_unsupported: async (of) => (await inState('pinned', of))({ headers: { 'x-hoody-realm': REALM } }),
  invalid_realm: async (of) => (await inState('ordinary', of))({ headers: { 'x-hoody-realm': 'Global' } }),
  forbidden: async (of) => (await inState('ordinary', of))({ headers: { host: 'agent.example' } }),
  not_found: async (of) => {
    // What is not there: the install a run without a session names, a realm the login does not serve, a session.
    if (of.id === 'runTool') {
      return (await inState('ordinary', of))({ headers: { 'x-hoody-config-dir': join(folder, 'nowhere') } });
    }
    return (await inState('narrow', of))({ headers: sessionless(of.id) ? { 'x-hoody-realm': REALM } : {} });
  },
  payload_too_large: async (of) =>
    (await inState('small', of))({ body: JSON.stringify({ document: 'x'.repeat(BODY_CAP) }) }),
  rate_limited: async (of) => (await inState('limited', of))(),
  internal_error: async (of) => (await inState('faulty', of))(),
  service_unavailable: async (of) => (await inState('full', of))(),
  restriction_unknown: async (of) => (await inState('unknown', of))(),
  tool_not_found: async (of) => {
    const daemon = await daemonIn('ordinary');
    return sender(daemon, of)({ session: await daemon.open(), tool: 'no_such_tool' });
  },
  human_only: async (of) => {
    const daemon = await daemonIn('ordinary');
    return sender(daemon, of)({ session: await daemon.open() });
  },
  mcp_conflict: async (of) => {
    const daemon = await daemonIn('ordinary');
    const session = await daemon.open();
    const { nonce } = await daemon.intent(session, WRITE_OPS[of.id]!);
    return sender(daemon, of)({ session, body: { nonce } });
  },
  tool_mutation_refused: async (of) => {
    const params = { path: 'a.txt', content: 'x' };
    return (await inState('ordinary', of))({ tool: 'write_file', body: { params } });
  },
  tool_needs_confirmation: async (of) => {
    const daemon = await daemonIn('ordinary');
    if (sessionless(of.id)) {
      // A file that may hold credentials is asked about whatever was allowed.
      const params = { path: join(daemon.cwd, '.env'), content: 'x' };
      return sender(daemon, of)({ tool: 'write_file', body: { params, allow_mutations: true } });
    }
    const mcp = await openMcp(daemon);
    await until(async () => (await mcp.tools()).includes('mcp__ask__echo'));
    return sender(daemon, of)({ session: mcp.session, tool: 'mcp__ask__echo', body: { params: {} } });
  },
  turn_in_flight: (of) => whileRunning(of, 'mcp__slow__sleep', { ms: 600_000 }, 'running'),
  gate_parked: (of) => whileRunning(of, 'ask_question_to_user', { question: 'Which one?' }, 'parked'),
  WORKSPACE_NOT_FOUND: async (of) => (await inState('ordinary', of))(),
  INVALID_PROVIDER: async (of) => {
    const daemon = await daemonIn('ordinary');
    const { body } = await daemon.request('GET', `/sessions/${await daemon.open()}`);
    const path = SAMPLES[of.id]!('').path.replace('ws_none', body.started.workspace_id);
    return daemon.request(of.method, path.replace('openai', 'nobody'));
  },
};

const sessionless = (id: string): boolean => {
  const { path, body } = SAMPLES[id]!('sess_marked');
  return !path.includes('sess_marked') && body?.['session_id'] === undefined;
};

/** The messages the pages print, which no request changes. */
const LITERAL: Record<string, string> = {
  forbidden: 'request must arrive through the Hoody proxy',
  payload_too_large: 'request body exceeds the configured size limit',
  rate_limited: 'request rate limit exceeded',
  internal_error: 'internal server error',
  service_unavailable: 'service unavailable',
  mcp_conflict: 'the MCP server list changed since you read it; refresh and try again',
  tool_not_found: 'no tool with that name',
  tool_needs_confirmation: 'tool requires confirmation before execution',
  human_only: 'probing an MCP server requires direct human confirmation and is not available to machine callers',
};

const cases = ledger.flatMap(({ method, path, errors }) => {
  const operation = operations.find((candidate) => candidate.method === method && candidate.path === path);
  if (operation === undefined) return [];
  return Object.entries(errors).flatMap(([status, codes]) =>
    codes.map((code) => ({ id: operation.id, method, status: Number(status), code })),
  );
});

describe('every documented error of every served operation can be provoked', () => {
  test.each(cases)('$id $status $code', async (of) => {
    const provoke = PROVOKE[of.code];
    if (provoke === undefined) throw new Error(`nothing here brings about ${of.code}`);
    const { status, body, headers } = await provoke(of);
    const { code, message } = body.errors?.[0] ?? body;
    expect([status, code]).toEqual([of.status, of.code]);
    if (LITERAL[code] !== undefined) expect(message).toBe(LITERAL[code]);
    // Whoever is told to come back is told when; what nobody can know yet is not.
    const comesBack = code === 'rate_limited' || code === 'service_unavailable';
    expect(headers.has('retry-after')).toBe(comesBack);
    expect(headers.get('x-request-id')).toMatch(/./);
  });

  test('all 177 of them', () => expect(cases).toHaveLength(177));
});

test('a write that the login may no longer make does nothing: not the nonce, not the file, not a session', async () => {
  const path = await login('changing', account);
  const daemon = await startTestDaemon({ config: { loginFile: path } });
  const mcp = await openMcp(daemon, { realm: REALM });
  const { nonce, expect_hash } = await daemon.intent(mcp.session, 'upsert');
  const upsert = () =>
    daemon.request('PUT', '/mcp/servers', {
      body: { session_id: mcp.session, nonce, expect_hash, server: { name: 'a', command: 'true', enabled: false } },
    });
  const become = async (change: Record<string, unknown> | string): Promise<void> => {
    await writeFile(path, typeof change === 'string' ? change : JSON.stringify({ ...account, ...change }));
  };
  const outcomes: [Record<string, unknown> | string, number, string][] = [
    [{ serves: 'unknown' }, 503, 'restriction_unknown'],
    ['{ torn', 503, 'restriction_unknown'],
    [{ serves: ['global'] }, 404, 'not_found'],
    [{ pinned: 'global' }, 404, 'not_found'],
    [{ account_id: 'another' }, 404, 'not_found'],
  ];
  for (const [change, status, code] of outcomes) {
    await become(change);
    const answer = await upsert();
    expect([change, answer.status, answer.body.code]).toEqual([change, status, code]);
    if (status === 404) expect(answer.body).toEqual({ code, message: 'session not found' });
  }
  await become({});
  expect((await upsert()).status).toBe(200);
  await daemon.close();
});
