/**
 * A server that runs as a child of ours and talks over stdin and stdout. The SDK has a transport for that; this one
 * exists because ours must end the whole process group, notice the end of the child although a grandchild holds its
 * stdout, never stop reading stderr, and survive a message of any size.
 * Invariant: when `close()` resolves, neither the child nor a descendant that carries its mark is running.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Clock, Launch } from '../ports.js';
import type { Link, LinkEvents } from './link.js';
import { MessageLines } from './message-lines.js';
import { CONNECTION_VARIABLE, groupIsRunning, killMarked, lookUntil, RUN_VARIABLE, signalTo } from './process-sweep.js';
import { messagesIn } from './rpc-message.js';
import type { SecretMask } from './secret-mask.js';
import { StderrTail } from './stderr-tail.js';
import { ToldError } from './told-error.js';

/** Between the end of stdin, SIGTERM and SIGKILL: time to flush and say goodbye, short enough to wait for. */
const GRACE_MS = 2_000;
/** A broken pipe is often the first sign of an exit, which says more; it follows within milliseconds or not at all. */
const EXIT_AFTER_BROKEN_PIPE_MS = 200;
/** What SIGKILL does not end within this is stuck in the kernel. */
const UNKILLABLE_MS = 5_000;

export class StdioChild implements Transport, Link {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  readonly #launch: Launch;
  readonly #runId: string;
  readonly #clock: Clock;
  readonly #id = randomUUID();
  readonly #stderr: StderrTail;
  readonly #lines: MessageLines;
  #child: ChildProcessWithoutNullStreams | undefined;
  /** How it exited, and the event of that. */
  #exit: string | undefined;
  #exited: Promise<void> = Promise.resolve();
  #reads = 0;
  #noise = 0;
  /** Messages of this turn of the event loop, and the write that will take them. */
  #outgoing = '';
  #written: Promise<Error | null | undefined> | undefined;
  #endReason: string | undefined;
  #ended = false;
  #starting: Promise<void> = Promise.resolve();
  #stopping: Promise<void> | undefined;

  constructor(launch: Launch, mask: SecretMask, events: LinkEvents, deps: { runId: string; clock: Clock }) {
    this.#launch = launch;
    this.#runId = deps.runId;
    this.#clock = deps.clock;
    this.#stderr = new StderrTail(mask);
    this.#lines = new MessageLines(
      (line) => this.#receive(line),
      () => events.oversized(),
    );
  }

  get transport(): Transport {
    return this;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get endReason(): string | undefined {
    return this.#endReason;
  }

  stderrTail(): readonly string[] {
    return this.#stderr.lines();
  }

  warnings(): readonly string[] {
    if (this.#noise === 0) return [];
    const lines = this.#noise === 1 ? '1 line' : `${this.#noise} lines`;
    return [`wrote ${lines} to stdout that are no MCP messages; its log belongs on stderr`];
  }

  start(): Promise<void> {
    return (this.#starting = this.#start());
  }

  async #start(): Promise<void> {
    const { command = '', args, cwd, env } = this.#launch;
    const folder = await stat(cwd).catch(() => undefined);
    if (!folder?.isDirectory()) throw new ToldError(`its working directory ${cwd} is not a directory`);
    if (this.#ended) throw new ToldError('it was stopped');
    try {
      const child = spawn(command, args, {
        cwd,
        env: { ...env, [RUN_VARIABLE]: this.#runId, [CONNECTION_VARIABLE]: this.#id },
        // Its own session and process group, so that the whole group can be signalled and our terminal's Ctrl-C is ours.
        detached: true,
      });
      child.on('error', (error) => this.onerror?.(error));
      await once(child, 'spawn');
      this.#listen(child);
      this.#child = child;
    } catch (error) {
      throw new ToldError(await spawnFault(command, cwd, (error as NodeJS.ErrnoException).code), { cause: error });
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#ended) throw new ToldError(this.#endReason ?? 'it is not running');
    this.#outgoing += `${JSON.stringify(message)}\n`;
    const error = await (this.#written ??= this.#write(child));
    if (error == null) return;
    await this.#inputBroke();
    throw new ToldError(this.#endReason ?? 'it was stopped', { cause: error });
  }

  close(because?: string): Promise<void> {
    return this.#end(because);
  }

  /** One write for all that is sent in this turn of the event loop: the system call costs more than the message. */
  #write({ stdin }: ChildProcessWithoutNullStreams): Promise<Error | null | undefined> {
    return new Promise((done) => {
      setImmediate(() => {
        const text = this.#outgoing;
        this.#outgoing = '';
        this.#written = undefined;
        stdin.write(text, done);
      });
    });
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    child.stdout.on('data', (chunk: Buffer) => {
      this.#reads += 1;
      this.#lines.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.#reads += 1;
      this.#stderr.push(chunk);
    });
    child.stdin.on('error', () => void this.#inputBroke());
    child.stdout.on('error', (error) => this.onerror?.(error));
    child.stderr.on('error', (error) => this.onerror?.(error));
    this.#exited = new Promise((done) => {
      child.once('exit', (code, signal) => {
        this.#exit = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`;
        void this.#readRest().then(() => this.#end(this.#exit));
        done();
      });
    });
  }

  /**
   * What the child wrote before it exited is already in the pipes, so it is read within the next turns of the event
   * loop. Waiting for their end instead would hang on a grandchild that holds them open.
   */
  async #readRest(): Promise<void> {
    let quiet = 0;
    while (quiet < 2) {
      const before = this.#reads;
      await turn();
      quiet = this.#reads === before ? quiet + 1 : 0;
    }
  }

  #receive(line: string): void {
    if (this.#ended || line.trim() === '') return;
    const messages = messagesIn(line);
    if (messages.length === 0) this.#noise += 1;
    for (const message of messages) this.onmessage?.(message);
  }

  /** A server that closed its stdin cannot be asked anything any more. */
  async #inputBroke(): Promise<void> {
    if (this.#ended) return;
    await Promise.race([this.#exited, pause(EXIT_AFTER_BROKEN_PIPE_MS)]);
    await this.#readRest();
    void this.#end(this.#exit ?? 'it closed its standard input');
  }

  /** The first reason counts. Whoever waits for an answer is told at once; the processes are ended after that. */
  #end(reason: string | undefined): Promise<void> {
    if (!this.#ended) {
      this.#ended = true;
      this.#endReason = reason;
      this.onclose?.();
    }
    return (this.#stopping ??= this.#stop());
  }

  async #stop(): Promise<void> {
    await this.#starting.catch(() => undefined);
    const child = this.#child;
    if (child === undefined) return;
    const group = child.pid as number;
    // What was sent in this turn goes out before the end: calls are cancelled before a stop.
    await turn();
    child.stdin.end();
    await Promise.race([this.#exited, this.#graceIsOver(() => this.#exit !== undefined)]);
    const gone = (): boolean => this.#exit !== undefined && !groupIsRunning(group);
    if (!gone()) {
      signalTo(-group, 'SIGTERM');
      await this.#graceIsOver(gone);
    }
    if (!gone()) {
      signalTo(-group, 'SIGKILL');
      const giveUpAt = Date.now() + UNKILLABLE_MS;
      await lookUntil(gone, () => Date.now() > giveUpAt);
    }
    await killMarked(CONNECTION_VARIABLE, this.#id);
    child.stdout.destroy();
    child.stderr.destroy();
  }

  #graceIsOver(gone: () => boolean): Promise<boolean> {
    const until = this.#clock.now() + GRACE_MS;
    return lookUntil(gone, () => this.#clock.now() >= until);
  }
}

/** ENOENT may mean the command, the interpreter named in its first line, or a part of its path. */
async function spawnFault(command: string, cwd: string, code: string | undefined): Promise<string> {
  if (code === 'EACCES') return `its command "${command}" is not executable`;
  if (code !== 'ENOENT')
    return `its command "${command}" could not be started (${code ?? 'invalid command or arguments'})`;
  if (!command.includes('/')) return `its command "${command}" was not found in PATH`;
  const exists = await stat(resolve(cwd, command)).then(
    () => true,
    () => false,
  );
  return exists
    ? `its command "${command}" exists, but the interpreter its first line names was not found`
    : `its command "${command}" does not exist`;
}
