/**
 * The way to states that no request can bring about: a command of the operator, in any language, that speaks one JSON
 * object a line. It starts the target in a named configuration and says where that one listens. A module whose default
 * export is a Driver does too. The protocol is written down in the README; states the suite asks for are in STATES.
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
  shared_records: 'other_url is a second daemon over the same records; only where sessions.shared is claimed',
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
  /** A second daemon over the same records. */
  readonly other_url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly capabilities?: unknown;
  /** A folder on the target's file system that the suite may fill. */
  readonly workdir?: string;
}

export interface Driver {
  states(): Promise<readonly string[]>;
  setup(state: string): Promise<StateReply>;
  /** The same target ended and started again over the same data. */
  restart(handle: string): Promise<StateReply>;
  teardown(handle: string): Promise<void>;
  close(): Promise<void>;
}

/** How long a driver may take to bring a state about. */
const REPLY_TIMEOUT_MS = 60_000;
/** How long it may take to end everything once its input has ended. */
const END_TIMEOUT_MS = 20_000;

/** A module by its path, everything else is a command for the shell. Throws when there is no such module. */
export const openDriver = async (text: string): Promise<Driver> => {
  if (!/^\S+\.(js|mjs)$/.test(text)) return new CommandDriver(text);
  const { default: driver } = (await import(pathToFileURL(text).href)) as { default?: Driver };
  if (typeof driver?.setup !== 'function') throw new Error(`${text} has no driver as its default export`);
  return driver;
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
  /** Why nothing can be asked any more. */
  #end: Untestable | undefined;
  #states: Promise<readonly string[]> | undefined;

  constructor(command: string) {
    // In a group of its own, so that an interrupt of the suite is the end of its input and not of the driver in mid-work.
    this.#child = spawn(command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'inherit'] as never });
    this.#child.stdin.on('error', () => undefined);
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#take(line));
    this.#child.once('close', () => this.#fail(new Untestable('the driver ended')));
    this.#child.once('error', (error) => this.#fail(new Untestable(`the driver did not start: ${error.message}`)));
  }

  states(): Promise<readonly string[]> {
    return (this.#states ??= this.#ask({ do: 'states' }).then(({ states }) => {
      if (Array.isArray(states)) return states as string[];
      throw new Untestable('the driver gave no list of states');
    }));
  }

  async setup(state: string): Promise<StateReply> {
    return targetIn(await this.#ask({ do: 'setup', state }));
  }

  async restart(handle: string): Promise<StateReply> {
    return targetIn(await this.#ask({ do: 'restart', handle }));
  }

  async teardown(handle: string): Promise<void> {
    await this.#ask({ do: 'teardown', handle });
  }

  async close(): Promise<void> {
    if (this.#end !== undefined) return;
    this.#child.stdin.end();
    const late = setTimeout(() => process.kill(-this.#child.pid!, 'SIGKILL'), END_TIMEOUT_MS);
    await once(this.#child, 'close');
    clearTimeout(late);
  }

  async #ask(message: Record<string, unknown>): Promise<Record<string, unknown>> {
    if (this.#end !== undefined) throw this.#end;
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
    const reply = replyIn(line);
    const waiting = reply && this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    this.#waiting.delete(reply!.id);
    clearTimeout(waiting.timer);
    if (reply!.error === undefined) waiting.resolve(reply!);
    else waiting.reject(new Untestable(`the driver refused: ${reply!.error?.message ?? 'no reason given'}`));
  }

  #fail(error: Untestable): void {
    this.#end ??= error;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#waiting.clear();
  }
}

interface Reply extends Record<string, unknown> {
  readonly id: number;
  readonly error?: { readonly message?: string } | null;
}

/** Undefined for a line that is no reply: a driver that also prints what it does is no worse for it. */
const replyIn = (line: string): Reply | undefined => {
  try {
    const reply = JSON.parse(line) as Partial<Reply> | null;
    return typeof reply?.id === 'number' ? (reply as Reply) : undefined;
  } catch {
    return undefined;
  }
};

/** Throws Untestable for a reply that does not say where the target is. */
const targetIn = (reply: Record<string, unknown>): StateReply => {
  const { handle, base_url: baseUrl } = reply;
  if (typeof handle === 'string' && typeof baseUrl === 'string' && URL.canParse(baseUrl)) {
    return reply as unknown as StateReply;
  }
  throw new Untestable('the driver gave no handle or no base_url');
};
