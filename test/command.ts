/**
 * The built command as a process of its own, in a home folder of its own. What a test starts here can be counted in the
 * process table by that folder, and ends with `clearUp`.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { carrying, until } from './processes.js';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const MAIN = join(ROOT, 'dist/main.js');
const API = '/api/v1/agent';
/** The util-linux program that gives a command a terminal. */
const SCRIPT = '/usr/bin/script';
export const hasTerminal = existsSync(SCRIPT);

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** What it has written so far. */
  stdout(): string;
  stderr(): string;
}

export interface Served extends Started {
  readonly url: string;
  /** The answer's status and its body, parsed when it is JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks at what came, whatever its shape.
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<[number, any]>;
  /** Opens a session on a folder. */
  open(cwd: string): Promise<string>;
  /** Names of the servers that run for a session. */
  connected(session: string): Promise<string[]>;
  /** Sends a signal and resolves when the daemon has ended. */
  end(signal: NodeJS.Signals): Promise<Finished>;
}

export interface StartOptions {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly main?: string;
}

export class Home {
  /** Real path; a variable of this value marks everything that was started. */
  readonly folder: string;

  static async create(): Promise<Home> {
    return new Home(await realpath(await mkdtemp(join(tmpdir(), 'agentd-cli-'))));
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  get userSettingsPath(): string {
    return join(this.folder, '.config/hoody/settings.json');
  }

  get dataDir(): string {
    return join(this.folder, '.local/state/hoody-agentd');
  }

  /** Everything alive that was started from here. */
  processes(): number[] {
    return carrying('HOME', this.folder);
  }

  start(file: string, args: readonly string[], options: StartOptions = {}): Started {
    const child = spawn(file, args, {
      cwd: options.cwd ?? this.folder,
      env: { PATH: process.env['PATH'], HOME: this.folder, ...options.env },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const finished = new Promise<Finished>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout, stderr }));
    });
    return { child, finished, stdout: () => stdout, stderr: () => stderr };
  }

  /** Runs a command to its end, with nobody at a terminal. */
  run(args: readonly string[], options: StartOptions = {}): Promise<Finished> {
    const started = this.start(process.execPath, [options.main ?? MAIN, ...args], options);
    started.child.stdin?.end();
    return started.finished;
  }

  /** Runs a command at a terminal and types, once it asks. What is read back is what the terminal showed. */
  async runAtTerminal(args: readonly string[], typed: string, options: StartOptions = {}): Promise<Finished> {
    const words = [process.execPath, MAIN, ...args].map((word) => `'${word}'`);
    const started = this.start(SCRIPT, ['-qec', words.join(' '), '/dev/null'], options);
    await until(() => /\[y\S*\W+\[?N/i.test(started.stdout()) || started.child.exitCode !== null);
    started.child.stdin?.write(typed);
    return started.finished;
  }

  /** Starts a daemon on a free port and resolves when it has said where it listens. */
  async serve(args: readonly string[] = [], options: StartOptions = {}): Promise<Served> {
    const ownPort = args.includes('--port') || options.env?.['HOODY_AGENTD_PORT'] !== undefined;
    const all = ['serve', ...(ownPort ? [] : ['--port', '0']), ...args];
    const started = this.start(process.execPath, [options.main ?? MAIN, ...all], options);
    await until(() => started.stdout().includes('\n') || started.child.exitCode !== null);
    const url = /^hoody-agentd listening on (\S+)\n/.exec(started.stdout())?.[1];
    if (url === undefined) throw new Error(`the daemon did not start: ${started.stderr()}`);

    const request: Served['request'] = async (method, path, body, headers = {}) => {
      const response = await fetch(url + (path.startsWith('/api') ? path : API + path), {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return [response.status, response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text];
    };
    return {
      ...started,
      url,
      request,
      open: async (cwd) => (await request('POST', '/sessions', { cwd }))[1].session_id as string,
      connected: async (session) => {
        const [, { servers }] = await request('GET', `/mcp/servers?session_id=${session}`);
        return (servers as { name: string; connected: boolean }[])
          .filter(({ connected }) => connected)
          .map(({ name }) => name);
      },
      end: (signal) => {
        started.child.kill(signal);
        return started.finished;
      },
    };
  }

  async clearUp(): Promise<void> {
    for (const pid of this.processes()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself meanwhile.
      }
    }
    await until(() => this.processes().length === 0);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
