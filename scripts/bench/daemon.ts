/**
 * The daemon under measurement: the built program with settings, state and home folder of its own, driven over its HTTP
 * API. A session runs one tool at a time, so every call that may run side by side has a session; they share a folder,
 * and with it the servers.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HttpCaller } from './http-caller.js';
import { markedEnvironment, markedProcesses, startListening } from './processes.js';
import { BUILT_IN, type Call, type ServerSpec, type Target } from './target.js';
import { toolOutput, unexpected } from './tool-output.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const API = '/api/v1/agent';
const CATALOGUE_PATH = `${API}/tools/read_file`;
const CONNECT_DEADLINE_MS = 60_000;
/** Short against what is waited for, long against what one reading costs the daemon. */
const POLL_MS = 10;

export interface ListedServer {
  readonly name: string;
  readonly connected: boolean;
  readonly pid?: number;
}

export interface Daemon extends Target {
  readonly name: 'daemon';
  readonly pid: number;
  readonly port: number;
  readonly startMs: number;
  /** Its working folder, and so that of calls without a session. */
  readonly dir: string;
  /** Opens a session, whose servers begin to connect; in the folder that most share when none is named. */
  openSession(cwd?: string): Promise<string>;
  listServers(sessionId: string): Promise<readonly ListedServer[]>;
  /** Reads the list until it is as wanted; throws after a minute. */
  until(sessionId: string, wanted: (servers: readonly ListedServer[]) => boolean): Promise<readonly ListedServer[]>;
  /** A call in that session, or in none. */
  callIn(sessionId: string | undefined): Call;
  /** Whether a process belongs to this daemon and so may be signalled. */
  owns(pid: number): boolean;
  /** Where it keeps its state. */
  readonly dataDir: string;
  /** Where it serves the description of a built-in tool. */
  readonly cataloguePath: string;
  catalogueEntry(): Promise<unknown>;
}

/** Starts it in the empty folder `dir`, with these servers in its settings; throws when it is not built. */
export async function startDaemon(dir: string, servers: readonly ServerSpec[]): Promise<Daemon> {
  if (!existsSync(MAIN)) throw new Error('dist/main.js is not there; `npm run build` makes it');
  const [configDir, work, home] = [join(dir, 'config'), join(dir, 'work'), join(dir, 'home')];
  for (const folder of [configDir, work, home]) mkdirSync(folder);
  const entries = servers.map((server) => ({ ...server, type: 'stdio' }));
  writeFileSync(join(configDir, 'settings.json'), JSON.stringify({ mcp_servers: entries }));
  const env = markedEnvironment({
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_CACHE_HOME: join(home, '.cache'),
  });
  const dataDir = join(dir, 'data');
  const folders = ['--config-dir', configDir, '--data-dir', dataDir];
  // One client stands for many here, so the limits that count by client address are out of the way.
  const limits = ['--http-rate-limit', '0', '--http-max-streams-per-ip', '2000'];
  const args = [MAIN, 'serve', '--port', '0', ...folders, ...limits];
  const { pid, port, startMs, stop } = await startListening({ args, env, cwd: dir });

  const control = new HttpCaller(port);
  const callers: HttpCaller[] = [];
  const pool: Call[] = [];

  const send = async (status: number, method: string, path: string, body?: unknown): Promise<Buffer> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await control.ask(control.request(method, path, text));
    if (answer.status !== status) throw unexpected(answer);
    return answer.body;
  };
  const openSession = async (cwd = work): Promise<string> => {
    const body = await send(201, 'POST', `${API}/sessions`, { cwd });
    return (JSON.parse(body.toString()) as { session_id: string }).session_id;
  };
  const listServers = async (sessionId: string): Promise<readonly ListedServer[]> => {
    const body = await send(200, 'GET', `${API}/mcp/servers?session_id=${sessionId}`);
    return (JSON.parse(body.toString()) as { servers: readonly ListedServer[] }).servers;
  };
  const until: Daemon['until'] = async (sessionId, wanted) => {
    const deadline = performance.now() + CONNECT_DEADLINE_MS;
    for (;;) {
      const listed = await listServers(sessionId);
      if (wanted(listed)) return listed;
      if (performance.now() > deadline) throw new Error('the servers did not get there within a minute');
      await pause(POLL_MS);
    }
  };
  const callIn = (sessionId: string | undefined): Call => {
    const caller = new HttpCaller(port);
    callers.push(caller);
    return async (server, tool, params) => {
      const family = sessionId === undefined ? API : `${API}/sessions/${sessionId}`;
      const path = `${family}/tools/${server === BUILT_IN ? tool : `mcp__${server}__${tool}`}/run`;
      const answer = await caller.ask(caller.request('POST', path, JSON.stringify({ params })));
      return () => toolOutput(answer);
    };
  };
  return {
    name: 'daemon',
    pid,
    port,
    startMs,
    dir,
    dataDir,
    cataloguePath: CATALOGUE_PATH,
    openSession,
    listServers,
    until,
    callIn,
    owns: (candidate) => markedProcesses(env).includes(candidate),
    catalogueEntry: async () => JSON.parse((await send(200, 'GET', CATALOGUE_PATH)).toString()) as unknown,
    calls: async (count) => {
      while (pool.length < count) {
        const sessionId = await openSession();
        await until(sessionId, allConnected);
        pool.push(callIn(sessionId));
      }
      return pool.slice(0, count);
    },
    stop: async () => {
      for (const caller of [control, ...callers]) caller.close();
      await stop();
    },
  };
}

export const allConnected = (servers: readonly ListedServer[]): boolean => servers.every(({ connected }) => connected);
