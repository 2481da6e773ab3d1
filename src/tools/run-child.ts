/**
 * Runs one program to its end for a tool: in a process group of its own, without input, its output bounded, ended with
 * everything it started when time is up, when the run is cancelled, and when it is done.
 */
import { spawn } from 'node:child_process';
import type { Clock } from '../ports.js';

/** What a program gets between the polite and the final signal. */
const GRACE_MS = 2_000;
/** Output that is still in the pipe when the program has ended is read for this long; a descendant may hold it open. */
const DRAIN_MS = 500;
/** Output kept of one run. Beyond this it is counted and dropped, so a program that prints for ever costs no memory. */
const KEPT_BYTES_MAX = 16 * 1024 * 1024;

export interface ChildRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

export interface ChildEnd {
  /** What was printed on both outputs, in the order of arrival; the first 16 MiB of it. */
  readonly output: Buffer;
  /** Of everything printed. */
  readonly bytes: number;
  readonly ended: 'exit' | 'timeout' | 'cancelled';
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
}

/** A program that is running, or has run. */
export interface StartedChild {
  readonly pid: number | undefined;
  /** What it has printed so far, bounded, and how much that was. */
  printed(): Pick<ChildEnd, 'output' | 'bytes'>;
  /** Rejects when it cannot be started. */
  readonly end: Promise<ChildEnd>;
}

/** Runs a program to its end. Rejects when it cannot be started. */
export const runChild = (run: ChildRun): Promise<ChildEnd> => startChild(run).end;

export const startChild = ({ command, args, cwd, env, signal, timeoutMs, clock }: ChildRun): StartedChild => {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let bytes = 0;
  let ended: ChildEnd['ended'] = 'exit';
  const keep = (chunk: Buffer): void => {
    bytes += chunk.length;
    const part = chunk.subarray(0, KEPT_BYTES_MAX - keptBytes);
    keptBytes += part.length;
    if (part.length > 0) kept.push(part);
  };
  const printed = () => ({ output: Buffer.concat(kept), bytes });
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);

  const signalGroup = (name: 'SIGTERM' | 'SIGKILL'): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // The group is empty already.
    }
  };
  const stops: (() => void)[] = [];
  const stop = (why: 'timeout' | 'cancelled') => (): void => {
    if (ended !== 'exit') return;
    ended = why;
    signalGroup('SIGTERM');
    stops.push(clock.after(GRACE_MS, () => signalGroup('SIGKILL')));
  };
  const cancel = stop('cancelled');
  stops.push(clock.after(timeoutMs, stop('timeout')));
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const forget = (): void => {
    for (const forgetOne of stops) forgetOne();
    signal.removeEventListener('abort', cancel);
  };

  const end = new Promise<ChildEnd>((resolve, reject) => {
    const settle = (): void => {
      forget();
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ ...printed(), ended, exitCode: child.exitCode, exitSignal: child.signalCode });
    };
    child.once('error', (error) => {
      forget();
      reject(error);
    });
    child.once('exit', () => {
      // What it left running in its group ends with it; a service is not started by a tool call.
      signalGroup('SIGKILL');
      const drained = setTimeout(settle, DRAIN_MS);
      child.once('close', () => {
        clearTimeout(drained);
        settle();
      });
    });
  });
  return { pid: child.pid, printed, end };
};
