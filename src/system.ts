/** The plain ports: the system's clock, random ids, and the log as JSON lines on stderr. */
import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';
import { pino } from 'pino';
import { ulid } from 'ulid';
import type { Clock, Ids, Logger } from './ports.js';

/** The longest delay a timer of Node takes; a longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

const after = (ms: number, action: () => void): (() => void) => {
  let timer: NodeJS.Timeout;
  const arm = (left: number): void => {
    const step = Math.min(left, TIMER_MS_MAX);
    timer = setTimeout(() => (left > step ? arm(left - step) : action()), step).unref();
  };
  arm(ms);
  return () => clearTimeout(timer);
};

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = (): void => {
        cancel();
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const cancel = after(ms, wake);
      signal?.addEventListener('abort', wake);
    }),
  after,
};

export const systemIds: Ids = {
  // Not the monotonic kind: write nonces are made of these, and a neighbour must not be guessable.
  ulid: () => ulid(),
  hex: (digits) =>
    randomBytes(Math.ceil(digits / 2))
      .toString('hex')
      .slice(0, digits),
};

/**
 * No log line is built from these; should one be by mistake, the value stays out of the log. Two levels deep, for that
 * is as deep as our lines go.
 */
const CREDENTIAL_FIELDS = [
  'env',
  'headers',
  'secrets',
  'nonce',
  'token',
  'authorization',
  'confirm_token',
  'confirmToken',
];

/** What waits for a reader of stderr that has stopped reading; beyond it lines are dropped, so the daemon goes on. */
const UNREAD_BYTES_MAX = 8 * 1024 * 1024;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

const ignore = (): void => undefined;

/** `stream` is stderr unless a test listens: files and terminals are written at once, pipes while they take it. */
export const createLogger = (options: { level: LogLevel; stream?: Writable }): Logger => {
  const stream: Writable = options.stream ?? process.stderr;
  // Whoever read the log is gone; that is no reason to stop.
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  return pino(
    {
      level: options.level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: CREDENTIAL_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[REDACTED]' },
    },
    {
      write: (line: string) => {
        if (stream.writableLength < UNREAD_BYTES_MAX) stream.write(line);
      },
    },
  );
};
