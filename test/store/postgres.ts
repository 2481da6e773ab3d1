/**
 * A PostgreSQL server of a test's own: a fresh cluster in a temporary folder, reachable through a socket in it alone.
 * The server refuses to be run by root, who lends it the account that the system's package made.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PostgresServer {
  readonly url: string;
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Debian keeps the server's programs out of the path, in a folder of their version. */
const DEBIAN = '/usr/lib/postgresql';

const binaries = (): string | undefined => {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
};

const idOf = (flag: '-u' | '-g'): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));

/** Why there is no server to be had here; undefined when there is. */
export const whyNoPostgres = (): string | undefined => {
  if (binaries() === undefined) return 'no PostgreSQL is installed (Debian: apt-get install postgresql)';
  if (process.getuid?.() !== 0) return undefined;
  try {
    idOf('-u');
    return undefined;
  } catch {
    return 'root may not run PostgreSQL, and there is no user postgres to run it as';
  }
};

export const startPostgres = async (): Promise<PostgresServer> => {
  const bin = binaries()!;
  const folder = mkdtempSync(join(tmpdir(), 'agentd-pg-'));
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const options = { ...owner, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'agentd', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...options,
    stdio: 'ignore',
  });
  let server: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    const child = spawn(join(bin, 'postgres'), ['-D', data, '-k', folder, '-c', 'listen_addresses='], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    server = child;
    await new Promise<void>((resolve, reject) => {
      let log = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        if (log.includes('ready to accept connections')) resolve();
      });
      child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${log}`)));
    });
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server!.once('exit', resolve));
    server.kill(signal);
    await ended;
  };

  await start();
  return {
    url: `postgres://agentd@localhost/postgres?host=${encodeURIComponent(folder)}`,
    start,
    // Told to its main process alone, as the kernel would when memory runs out: the others notice and leave.
    kill: () => end('SIGQUIT'),
    stop: async () => {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
};
