/**
 * Runs one program to its end for a tool: in a process group of its own, without input, its output bounded, ended with
 * everything it started when time is up, when the run is cancelled, and when it is done. What left the group is found by
 * a mark in its environment; a process that cleared that, too, is out of reach.
 */
import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import type { Clock } from '../ports.js';

/** What a program gets between the polite and the final signal. */
const GRACE_MS = 2_000;
/** Output that is still in the pipe when the program has ended is read for this long; a descendant may hold it open. */
const DRAIN_MS = 500;
/** Kept of the beginning and of the end of the output. What lies between is counted and dropped, so that a program that
 * prints for ever costs no more memory. */
const KEPT_BYTES_EACH = 8 * 1024 * 1024;
/** Carried by everything one run started. */
const CALL_VARIABLE = 'HOODY_AGENTD_CALL';

/** Ends whatever carries `variable=value` in its environment and was started after the process of that pid, for good. */
export type EndMarked = (variable: string, value: string, sincePid: number) => Promise<void>;

export interface ChildRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly endMarked: EndMarked;
}

export interface Printed {
  /** What was printed on both outputs, in the order of arrival; of very much the beginning and the end. */
  readonly output: Buffer;
  /** Where in `output` bytes are left out; its length when none are. */
  readonly gapAt: number;
  /** Of everything printed. */
  readonly bytes: number;
}

export interface ChildEnd extends Printed {
  readonly ended: 'exit' | 'timeout' | 'cancelled';
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
}

/** A program that is running, or has run. */
export interface StartedChild {
  readonly pid: number | undefined;
  /** What it has printed so far, bounded, and how much that was. */
  printed(): Printed;
  /** Rejects when it cannot be started. */
  readonly end: Promise<ChildEnd>;
}

/** Runs a program to its end. Rejects when it cannot be started. */
export const runChild = (run: ChildRun): Promise<ChildEnd> => startChild(run).end;

/** The beginning and the end of a stream of bytes. */
const createPrinted = () => {
  const head: Buffer[] = [];
  const tail: Buffer[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let bytes = 0;
  return {
    keep: (chunk: Buffer): void => {
      bytes += chunk.length;
      const first = chunk.subarray(0, KEPT_BYTES_EACH - headBytes);
      if (first.length > 0) head.push(first);
      headBytes += first.length;
      if (first.length === chunk.length) return;
      tail.push(chunk.subarray(first.length));
      tailBytes += chunk.length - first.length;
      for (let [oldest] = tail; oldest && tailBytes - oldest.length >= KEPT_BYTES_EACH; [oldest] = tail) {
        tail.shift();
        tailBytes -= oldest.length;
      }
    },
    printed: (): Printed => ({ output: Buffer.concat([...head, ...tail]), gapAt: headBytes, bytes }),
  };
};

export const startChild = (run: ChildRun): StartedChild => {
  const { command, args, cwd, signal, timeoutMs, clock, endMarked } = run;
  const mark = randomBytes(16).toString('hex');
  const env = { ...run.env, [CALL_VARIABLE]: mark };
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let ended: ChildEnd['ended'] = 'exit';
  const { keep, printed } = createPrinted();
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
      const closed = new Promise<void>((done) => child.once('close', () => done()));
      void endMarked(CALL_VARIABLE, mark, child.pid as number).finally(() => {
        // Timers come before reading in a turn of the event loop: after a turn that took longer than this, what is in the
        // pipe has not been read yet, and is in the turn that leads to the immediate.
        const drained = setTimeout(() => setImmediate(settle), DRAIN_MS);
        void closed.then(() => {
          clearTimeout(drained);
          settle();
        });
      });
    });
  });
  return { pid: child.pid, printed, end };
};
