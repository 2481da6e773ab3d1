/**
 * The way to states that no request can bring about: a command of the operator, in any language, that speaks one JSON
 * object a line. It starts the target in a named configuration and says where that one listens. A module with the same
 * four functions does too. The protocol is written down in the README; states the suite asks for are in STATES.
 *
 * Invariant: what was set up is torn down when the driver is closed, also after a failure.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Untestable } from './check.js';

/** States by name, with what the operator has to arrange. */
export const STATES = {
  ordinary: 'nothing special; it may be ended and started again',
  restriction_unknown: 'which realms the login serves cannot be told',
  realm_pinned: 'the login is pinned to the realm "global"',
  realm_narrow: 'the login serves the realm "global" and no other',
  rate_limited: 'one request a second and client, at most two',
  proxied: 'base_url is admitted, direct_url is not',
  internal_error: 'every operation fails inside',
  confirmation_waits: 'a session waits for a confirmation; only where gates.confirm is claimed',
  settings_unwritable: 'the settings file of the user layer cannot be written',
  short_times: 'nonces, confirm tokens and the reconnect interval last a second or less; capabilities say how long',
  small_limits: 'small limits of body, streams and requests at once; capabilities say which',
} as const;

export type StateName = keyof typeof STATES;

/** Where a target in the wanted state is. What is left out is as on the command line. */
export interface StateReply {
  readonly handle: string;
  readonly base_url: string;
  readonly direct_url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly capabilities?: unknown;
  /** A folder on the target's file system that the suite may fill. */
  readonly workdir?: string;
}

export interface Driver {
  states(): Promise<readonly string[]>;
  setup(state: string, params: Readonly<Record<string, unknown>>): Promise<StateReply>;
  /** The same target ended and started again over the same data. */
  restart(handle: string): Promise<StateReply>;
  teardown(handle: string): Promise<void>;
  close(): Promise<void>;
}

/** How long a driver may take to bring a state about. */
const REPLY_TIMEOUT_MS = 60_000;

/** A module by its path, everything else is a command for the shell. */
export const openDriver = async (text: string): Promise<Driver> => {
  if (!/^\S+\.(js|mjs)$/.test(text)) return new CommandDriver(text);
  const module = (await import(pathToFileURL(text).href)) as { default: Driver };
  return module.default;
};

interface Waiting {
  readonly resolve: (reply: Record<string, unknown>) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

class CommandDriver implements Driver {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #states: Promise<readonly string[]> | undefined;

  constructor(command: string) {
    this.#child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'] as never });
    this.#child.stdin.on('error', () => undefined);
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#take(line));
    this.#child.once('close', () => this.#fail(new Untestable('the driver ended')));
    this.#child.once('error', (error) => this.#fail(new Untestable(`the driver did not start: ${error.message}`)));
  }

  states(): Promise<readonly string[]> {
    return (this.#states ??= this.#ask({ do: 'states' }).then(({ states }) => states as string[]));
  }

  async setup(state: string, params: Readonly<Record<string, unknown>>): Promise<StateReply> {
    return (await this.#ask({ do: 'setup', state, params })) as unknown as StateReply;
  }

  async restart(handle: string): Promise<StateReply> {
    return (await this.#ask({ do: 'restart', handle })) as unknown as StateReply;
  }

  async teardown(handle: string): Promise<void> {
    await this.#ask({ do: 'teardown', handle });
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.stdin.end();
    await once(this.#child, 'close');
  }

  #ask(message: Record<string, unknown>): Promise<Record<string, unknown>> {
    const id = (this.#lastId += 1);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Untestable(`the driver did not answer "${String(message['do'])}"`));
      }, REPLY_TIMEOUT_MS);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#child.stdin.write(`${JSON.stringify({ id, ...message })}\n`);
    });
  }

  #take(line: string): void {
    let reply: { id?: number; error?: { message?: string } } & Record<string, unknown>;
    try {
      reply = JSON.parse(line) as typeof reply;
    } catch {
      return; // A driver that also prints what it does is no worse for it.
    }
    const waiting = this.#waiting.get(reply.id ?? 0);
    if (waiting === undefined) return;
    this.#waiting.delete(reply.id!);
    clearTimeout(waiting.timer);
    if (reply.error === undefined) waiting.resolve(reply);
    else waiting.reject(new Untestable(`the driver refused: ${reply.error.message ?? 'no reason given'}`));
  }

  #fail(error: Error): void {
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#waiting.clear();
  }
}
