/** Opens connections to the fixture servers through the real connector, and tidies up after each test. */
import { afterEach } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createConnector } from '../../src/mcp/connector.js';
import type { Caller, Clock, Launch, ServerConnection, ServerTool } from '../../src/ports.js';
import { createLogger, systemClock } from '../../src/system.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const fixture = (name: string): string => join(root, 'test/fixtures/mcp-servers', name);
export const npmServer = (name: string): string =>
  join(root, 'node_modules/@modelcontextprotocol', name, 'dist/index.js');

export const RUN_ID = `test-run-${process.pid}`;
const { PATH = '' } = process.env;
const logger = createLogger({ level: 'silent' });
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

export const tempFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-test-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** One entry per message or request a fixture recorded in its FXLOG. */
export interface Recorded {
  readonly method?: string;
  readonly id?: number;
  readonly params?: { readonly [key: string]: unknown; readonly _meta?: { readonly progressToken?: unknown } };
  readonly http?: string;
  readonly path?: string;
  readonly rpc?: string;
  readonly session?: string;
  readonly authorized?: boolean;
}

const recordOf = (path: string) => (): Recorded[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Recorded)
    : [];

export interface OpenOptions {
  launch?: Partial<Launch>;
  env?: Record<string, string>;
  clock?: Clock;
  startTimeoutMs?: number;
  pingIntervalMs?: number;
  signal?: AbortSignal;
}

export interface Opened {
  connection: ServerConnection;
  record: () => Recorded[];
  closed: string[];
  changes: { tools: string[]; warnings: readonly string[] }[];
}

export const namesOf = (tools: readonly ServerTool[]): string[] => tools.map((tool) => tool.name);

/** What a fixture in these modes recorded is readable although it could not be opened. */
export const attempt = (
  mode: string,
  options: OpenOptions = {},
): { opening: Promise<Opened>; record: () => Recorded[] } => {
  const log = join(tempFolder(), 'fxlog');
  const closed: string[] = [];
  const changes: Opened['changes'] = [];
  const record = recordOf(log);
  const connector = createConnector({
    clientInfo: { name: 'test', version: '0.0.0' },
    clock: options.clock ?? systemClock,
    logger,
    runId: RUN_ID,
    startTimeoutMs: options.startTimeoutMs ?? 60_000,
    pingIntervalMs: options.pingIntervalMs ?? 15_000,
  });
  const launch: Launch = {
    name: 'subject',
    transport: 'stdio',
    command: process.execPath,
    args: [fixture('server.mjs')],
    env: { PATH, MODE: mode, FXLOG: log, ...options.env },
    headers: {},
    cwd: tmpdir(),
    secrets: [],
    ...options.launch,
  };
  const events = {
    closed: (reason: string) => void closed.push(reason),
    toolsChanged: (tools: readonly ServerTool[], warnings: readonly string[]) =>
      void changes.push({ tools: namesOf(tools), warnings }),
  };
  const opening = connector
    .open(launch, events, options.signal ?? new AbortController().signal)
    .then((connection): Opened => {
      undo.push(() => connection.close());
      return { connection, record, closed, changes };
    });
  opening.catch(() => undefined);
  return { opening, record };
};

export const open = (mode: string, options?: OpenOptions): Promise<Opened> => attempt(mode, options).opening;

/** Calls with the daemon's default limits unless told otherwise. */
export const call = (
  connection: ServerConnection,
  tool: string,
  args: Parameters<ServerConnection['callTool']>[1] = {},
  limits: { signal?: AbortSignal; idleTimeoutMs?: number; totalTimeoutMs?: number; caller?: Caller } = {},
): ReturnType<ServerConnection['callTool']> =>
  connection.callTool(tool, args, {
    signal: new AbortController().signal,
    idleTimeoutMs: 120_000,
    totalTimeoutMs: 1_800_000,
    ...limits,
  });

/** The text of a call's first content item. */
export const said = async (...parameters: Parameters<typeof call>): Promise<string> =>
  (await call(...parameters)).content[0]?.text as string;

/** Waits for something only the outside can make true; generous, for the machine may be busy. */
export const until = async (condition: () => boolean, what: string): Promise<void> => {
  for (const deadline = Date.now() + 15_000; !condition(); await pause(10)) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
  }
};

export const isRunning = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z';
  } catch {
    return false;
  }
};

/** Starts a program that prints something about where it listens; resolves to the first match. */
const listening = async (
  args: string[],
  env: Record<string, string>,
  pattern: RegExp,
): Promise<[ChildProcess, string]> => {
  const child = spawn(process.execPath, args, { env: { PATH, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
  undo.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const match = pattern.exec(line);
    if (match?.[1] !== undefined) {
      child.stdout.resume();
      return [child, match[1]];
    }
  }
  throw new Error('the server ended before it listened');
};

export const startHttpFixture = async (
  env: Record<string, string> = {},
): Promise<{ url: string; record: () => Recorded[]; child: ChildProcess }> => {
  const log = join(tempFolder(), 'fxlog');
  const [child, url] = await listening([fixture('http-server.mjs')], { FXLOG: log, ...env }, /^(http.*)$/);
  return { url, record: recordOf(log), child };
};

/** npm's server-everything over HTTP, on loopback. */
export const startEverything = async (mode: 'sse' | 'streamableHttp'): Promise<string> => {
  const args = ['--import', fixture('listen-on-loopback.mjs'), npmServer('server-everything'), mode];
  const [, port] = await listening(args, { PORT: '0' }, /^listening (\d+)$/);
  return `http://127.0.0.1:${port}${mode === 'sse' ? '/sse' : '/mcp'}`;
};
