/**
 * A real daemon for a test: the real composition root on a free port, with folders of its own, strict about the
 * contract. What a test opens here ends with `close`.
 */
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../src/config.js';
import { startDaemon, type Daemon, type DaemonOverrides } from '../src/daemon.js';
import { notePair } from './pairs.js';

export const API = '/api/v1/agent';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; null when it is no JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks at what came, whatever its shape.
  readonly body: any;
}

export interface TestDaemon {
  readonly baseUrl: string;
  /** Holds everything below. */
  readonly folder: string;
  /** A working folder. */
  readonly cwd: string;
  readonly dataDir: string;
  readonly userSettingsPath: string;
  /** What the daemon logged, as parsed lines. */
  readonly log: readonly Record<string, unknown>[];
  readonly daemon: Daemon;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** Opens a session in `cwd` and returns its id. */
  open(body?: Record<string, unknown>): Promise<string>;
  /** Nonce and hash for one write. */
  intent(sessionId: string, op: string, scope?: string): Promise<{ nonce: string; expect_hash: string; path: string }>;
  close(): Promise<void>;
}

export interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface TestDaemonOptions extends DaemonOverrides {
  readonly config?: Partial<Config>;
  /** Settings of the user layer, or of the config dir when one is used. */
  readonly settings?: unknown;
}

export const startTestDaemon = async (options: TestDaemonOptions = {}): Promise<TestDaemon> => {
  const folder = await mkdtemp(join(tmpdir(), 'agentd-'));
  const cwd = join(folder, 'work');
  const dataDir = options.config?.dataDir ?? join(folder, 'data');
  const userSettingsPath = join(folder, 'config', 'settings.json');
  await mkdir(cwd);
  if (options.settings !== undefined) await writeJson(userSettingsPath, options.settings);

  const log: Record<string, unknown>[] = [];
  const note = (level: string) => (fields: object, message: string) =>
    void log.push({ level, ...fields, msg: message });
  const logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  const daemon = await startDaemon(
    { ...DEFAULTS, userSettingsPath, ...options.config, dataDir },
    { logger, strict: true, ...options },
  );

  const request: TestDaemon['request'] = async (method, path, { body, headers, signal } = {}) => {
    const target = path.startsWith('/api') ? path : API + path;
    const init = {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    };
    const send = headers?.['host'] === undefined ? fetch : fetchAsHost;
    const response = await send(daemon.baseUrl + target, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
    const parsed: unknown = isJson ? JSON.parse(text) : null;
    notePair(method, target, response.status, parsed);
    return { status: response.status, headers: response.headers, body: parsed };
  };

  return {
    baseUrl: daemon.baseUrl,
    folder,
    cwd,
    dataDir,
    userSettingsPath,
    log,
    daemon,
    request,
    open: async (body = {}) => {
      const answer = await request('POST', '/sessions', { body: { cwd, ...body } });
      if (answer.status !== 201) throw new Error(`no session: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body.session_id as string;
    },
    intent: async (sessionId, op, scope) => {
      const body = { session_id: sessionId, op, ...(scope === undefined ? {} : { scope }) };
      const answer = await request('POST', '/mcp/write-intents', { body });
      if (answer.status !== 200) throw new Error(`no intent: ${answer.status} ${JSON.stringify(answer.body)}`);
      return { nonce: answer.body.nonce, expect_hash: answer.body.hash, path: answer.body.path };
    },
    close: async () => {
      await daemon.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
};

/** Like fetch, which does not let anybody choose the Host header. */
const fetchAsHost = (url: string, init: { method: string; headers: Record<string, string>; body?: string }) =>
  new Promise<Response>((resolve, reject) => {
    const { method, body } = init;
    // Node leaves the length out where a body is unusual.
    const headers = { ...init.headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) };
    httpRequest(url, { method, headers }, async (incoming) => {
      let text = '';
      for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
      const received = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, `${value}`]);
      resolve(new Response(text, { status: incoming.statusCode!, headers: received }));
    })
      .on('error', reject)
      .end(body);
  });

export const writeJson = async (path: string, value: unknown): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
};

/** A settings entry for one of the small fixture servers; `mode` is what it does wrong. */
export const fixtureServer = (name: string, mode: string, more: Record<string, unknown> = {}) => ({
  name,
  type: 'stdio',
  command: process.execPath,
  args: [fileURLToPath(new URL('fixtures/mcp-servers/server.mjs', import.meta.url))],
  ...more,
  env: { MODE: mode, ...(more['env'] as Record<string, string> | undefined) },
});

/** The main script of a real MCP server from npm. */
export const npmServer = (name: 'server-everything' | 'server-filesystem'): string =>
  fileURLToPath(new URL(`../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));

const DEFAULTS: Omit<Config, 'userSettingsPath' | 'dataDir'> = {
  host: '127.0.0.1',
  port: 0,
  access: 'local',
  trustedProxies: [],
  tokenFile: null,
  configDir: null,
  store: null,
  loginFile: null,
  trustProjectServers: false,
  logLevel: 'debug',
  httpRateLimit: 0,
  httpMaxBodyBytes: 8 * 1024 * 1024,
  httpMaxStreamsPerIp: 16,
  httpMaxInFlight: 256,
  sseHeartbeatMs: 25_000,
  mcpNonceTtlMs: 300_000,
  mcpStartTimeoutMs: 60_000,
  mcpCallTimeoutMs: 120_000,
  mcpReconnectIntervalMs: 2_000,
  confirmTtlMs: 300_000,
  sessionIdleMs: 12 * 3_600_000,
};
