/**
 * Hears of changes that any daemon makes to the lists on a PostgreSQL server, over one connection that does nothing else.
 * A notice is a hint: the counts are the truth, and whoever waits for one also looks every now and then. A connection
 * that breaks is made anew, at growing intervals, and then everything counts as changed.
 */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { ListScope } from '../domain/topics.js';
import type { Logger } from '../ports.js';
import { CHANGES_CHANNEL } from './schema.js';

const RETRY_FIRST_MS = 250;
/** So long a server may be gone unnoticed after it is back; until then streams look as often as without a server. */
const RETRY_MAX_MS = 10_000;

type Whole = Pick<ListScope, 'account' | 'realm'>;

export class ChangeListener {
  readonly #connect: () => Promise<Client>;
  readonly #logger: Logger;
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  /** Ends the wait for the connection there is. */
  #leave = (): void => undefined;

  /** `connect` resolves to a connection of its own, which is ended here. */
  constructor(connect: () => Promise<Client>, logger: Logger) {
    this.#connect = connect;
    this.#logger = logger;
    this.#ended = this.#stayConnected();
  }

  /** Calls `listener` after lists of the account and realm may have changed. Returns the stop. */
  watch(whole: Whole, listener: () => void): () => void {
    const key = keyOf(whole);
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(key);
    };
  }

  /** Resolves when the connection is ended. */
  async close(): Promise<void> {
    this.#stopping.abort();
    this.#leave();
    await this.#ended;
  }

  async #stayConnected(): Promise<void> {
    const { signal } = this.#stopping;
    for (let retryMs = RETRY_FIRST_MS; !signal.aborted; retryMs = Math.min(retryMs * 2, RETRY_MAX_MS)) {
      try {
        await this.#listen(() => (retryMs = RETRY_FIRST_MS));
      } catch (cause) {
        this.#logger.debug({ err: cause }, 'changes of other daemons cannot be heard of now');
      }
      await delay(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Until the connection breaks or the listener is closed. Rejects when there is no connection to be had. */
  async #listen(connected: () => void): Promise<void> {
    const { signal } = this.#stopping;
    const client = await this.#connect();
    try {
      const broken = new Promise<void>((resolve) => {
        client.once('error', () => resolve()).once('end', resolve);
        this.#leave = resolve;
      });
      client.on('notification', ({ payload = '' }) => call(this.#listeners.get(payload)));
      await client.query(`listen ${CHANGES_CHANNEL}`);
      connected();
      // What happened before nobody told us.
      for (const listeners of this.#listeners.values()) call(listeners);
      if (!signal.aborted) await broken;
    } finally {
      // Not waited for: of a server that is gone no answer comes.
      void client.end().catch(() => undefined);
    }
  }
}

const call = (listeners: ReadonlySet<() => void> | undefined): void => {
  for (const listener of listeners ?? []) listener();
};

/** As the database makes it of a row: a notice is short, whatever the name of an account. */
const keyOf = ({ account, realm }: Whole): string => createHash('md5').update(`${account}\n${realm}`).digest('hex');
