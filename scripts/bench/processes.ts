/**
 * Processes of a run: starting one that tells where it listens, its CPU time and memory, and ending it. Everything
 * started here carries a mark in its environment, which its children inherit; Linux only, for it reads /proc.
 * Invariant: nothing is signalled that does not carry the mark of this run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const MARK_VARIABLE = 'HOODY_BENCH_RUN';
const RUN_ID = randomUUID();
/** Long enough for a cold start on a busy machine. */
const START_DEADLINE_MS = 60_000;
/** The daemon promises to be gone within 10 s. */
const STOP_DEADLINE_MS = 12_000;
/** The unit of /proc/PID/stat; the kernel shows 100 a second to user space on every architecture Node runs on. */
const TICK_MS = 10;
const LOG_TAIL_CHARACTERS = 2_000;

let marks = 0;

/** An environment for one tree of processes: nothing of ours but the search path, and a mark to find the tree by. */
export const markedEnvironment = (extra: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  NODE_ENV: 'production',
  ...extra,
  [MARK_VARIABLE]: `${RUN_ID}/${++marks}`,
});

/** Living processes of this run, or those of one environment. */
export const markedProcesses = (environment?: Record<string, string>): number[] => {
  const mark = `${MARK_VARIABLE}=${environment === undefined ? `${RUN_ID}/` : `${environment[MARK_VARIABLE]}\0`}`;
  return allPids().filter((pid) => `${readProc(pid, 'environ') ?? ''}\0`.includes(mark));
};

/** Ends what is left of this run, or of one environment, at once; returns how many there were. */
export const killMarked = (environment?: Record<string, string>): number => {
  const pids = markedProcesses(environment);
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself in between.
    }
  }
  return pids.length;
};

export interface Listening {
  readonly pid: number;
  readonly port: number;
  /** From spawn to the line that says so. */
  readonly startMs: number;
  /** Asks it to end and waits; throws when it had to be killed or left a process behind. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  readonly cwd: string;
}

/** Starts Node and resolves when the first line of its output names a port; throws with the end of its log. */
export async function startListening({ args, env, cwd }: StartOptions): Promise<Listening> {
  // A file costs the run less than a pipe that it would have to drain.
  const logPath = join(cwd, 'stderr.log');
  const log = openSync(logPath, 'a');
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', log] });
  closeSync(log);
  try {
    const line = await firstLine(child);
    const startMs = performance.now() - startedAt;
    const port = Number(/ listening on http:\/\/127\.0\.0\.1:(\d+)$/.exec(line)?.[1]);
    if (child.pid === undefined || !(port > 0)) throw new Error(`unexpected first line: ${line}`);
    return { pid: child.pid, port, startMs, stop: () => stop(child, env) };
  } catch (error) {
    killMarked(env);
    const tail = readFileSync(logPath, 'utf8').slice(-LOG_TAIL_CHARACTERS).trim();
    throw new Error(`${args[0]} did not start. ${tail}`, { cause: error });
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  const signal = AbortSignal.timeout(START_DEADLINE_MS);
  const ended = once(child, 'exit', { signal }).then(() => Promise.reject(new Error('it ended')));
  let text = '';
  child.stdout?.setEncoding('utf8');
  const line = new Promise<string>((resolve) => {
    // It keeps reading, so that a later line cannot block the process.
    child.stdout?.on('data', (chunk: string) => {
      if (text.includes('\n')) return;
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
  });
  ended.catch(() => undefined);
  return Promise.race([line, ended]);
}

async function stop(child: ChildProcess, env: Record<string, string>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit', { signal: AbortSignal.timeout(STOP_DEADLINE_MS) }).catch(() => undefined);
  }
  const ended = child.exitCode !== null || child.signalCode !== null;
  const left = killMarked(env);
  if (!ended) throw new Error(`it did not end within ${STOP_DEADLINE_MS / 1_000} s`);
  if (left > 0) throw new Error(`it left ${left} processes behind`);
}

/** CPU time a process has used so far, all its threads together. */
export const cpuMs = (pid: number): number => {
  const stat = statOf(pid);
  return stat === undefined ? NaN : stat.ownMs;
};

/** Resident memory in MiB: now, and the highest it ever was. */
export const memoryMiB = (pid: number): { now: number; peak: number } => {
  const status = readProc(pid, 'status') ?? '';
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1_024;
  return { now: field('VmRSS'), peak: field('VmHWM') };
};

const QUIET_POLL_MS = 500;
const QUIET_SHARE = 0.02;

/** Resident memory once the process has nothing left to do (or at the latest then); the lowest seen counts. */
export async function quietMemoryMiB(pid: number, leastMs: number, latestMs: number): Promise<number> {
  const startedAt = performance.now();
  let lowest = Infinity;
  for (;;) {
    const before = cpuMs(pid);
    await pause(QUIET_POLL_MS);
    lowest = Math.min(lowest, memoryMiB(pid).now);
    const elapsedMs = performance.now() - startedAt;
    const quiet = cpuMs(pid) - before <= QUIET_POLL_MS * QUIET_SHARE;
    if ((quiet && elapsedMs >= leastMs) || elapsedMs >= latestMs) return lowest;
  }
}

/** CPU time of the whole machine and of this process with all its descendants, to tell foreign load from our own. */
export const machineCpuMs = (): { all: number; ours: number } => {
  const ticks = (/^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? '').split(' ').map(Number);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = ticks;
  const stats = new Map(allPids().flatMap((pid) => [[pid, statOf(pid)] as const]));
  const isOurs = (pid: number): boolean => {
    if (pid === process.pid) return true;
    const parent = stats.get(pid)?.parent;
    return parent !== undefined && parent > 0 && isOurs(parent);
  };
  let ours = 0;
  for (const [pid, stat] of stats) if (stat && isOurs(pid)) ours += stat.ownMs + stat.reapedMs;
  return { all: (user + nice + system + irq + softirq + steal) * TICK_MS, ours };
};

const allPids = (): number[] => readdirSync('/proc').map(Number).filter(Number.isInteger);

const readProc = (pid: number, file: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return undefined;
  }
};

const statOf = (pid: number): { parent: number; ownMs: number; reapedMs: number } | undefined => {
  const text = readProc(pid, 'stat');
  if (text === undefined) return undefined;
  // The command in brackets may hold anything; the fields after it are numbered from 3.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return { parent: field(4), ownMs: (field(14) + field(15)) * TICK_MS, reapedMs: (field(16) + field(17)) * TICK_MS };
};
