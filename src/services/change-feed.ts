/**
 * The change tokens as a caller gets them: one reading, or a stream of what moves. Each reading looks at counts that
 * were kept where the changes happened, so it costs the same however long the lists are. A shared store hints at changes,
 * and then a stream looks as soon as the reading it has is old enough; without a hint it looks all the same.
 * Loops and tasks have no list here yet; their tokens stand still. Agent definitions and rules are in files that people edit
 * too, so those are looked at: a token of them moves when a file does.
 * Invariant: a reading is made of what its own scope can see, so nothing outside the scope moves a token of it.
 */
import { framesBetween, tokenOf, type EndReason, type Frame, type Reading } from '../domain/change-tokens.js';
import { DaemonError } from '../domain/errors.js';
import type { JsonValue } from '../domain/json.js';
import { listScopeOf, type Scope } from '../domain/session.js';
import { STORED_TOPICS, TOPICS, type ListScope, type Topic } from '../domain/topics.js';
import type { Clock, Logger, LoginSource, Store } from '../ports.js';
import type { Agents } from './agents.js';
import type { Rules } from './rules.js';
import type { Sessions } from './sessions.js';

export interface ChangeFeedOptions {
  readonly store: Pick<Store, 'id' | 'counts' | 'watch'>;
  readonly sessions: Pick<Sessions, 'liveRevision' | 'liveStates'>;
  readonly agents: Pick<Agents, 'stamp'>;
  readonly rules: Pick<Rules, 'stamp'>;
  readonly login: LoginSource;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Another one after each start: live state begins anew. */
  readonly epoch: string;
}

/** How old an answer may be; the contract says so. */
const SHARED_MS = 1_000;
/** How often a stream looks; the contract says so. */
const REREAD_MS = 2_000;

/** What live sessions add to the tokens, as of a revision of all of them. */
interface LiveTokens {
  readonly revision: number;
  readonly sessions: string;
  readonly gates: string;
  readonly sessionIds: readonly string[];
}

interface Shared {
  readonly list: ListScope;
  readonly readAt: number;
  readonly reading: Promise<Reading>;
  readonly live: LiveTokens;
}

export class ChangeFeed {
  readonly #options: ChangeFeedOptions;
  /** By scope. Invariant: ordered by age, so that what nobody asks for any more is found at the front. */
  readonly #shared = new Map<string, Shared>();

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
  }

  /**
   * The tokens of a scope, at most a second old. A topic that cannot be read is named in `unavailable`. Throws not_found
   * (realm not served), restriction_unknown.
   */
  async read(scope: Scope): Promise<Reading> {
    return this.#share(scope).reading;
  }

  #share(scope: Scope): Shared {
    const { clock, login } = this.#options;
    const list = listScopeOf(login.current(), scope);
    const key = JSON.stringify([list.account, list.realm, list.cwd, list.configDir]);
    const now = clock.now();
    const before = this.#shared.get(key);
    // A clock that was set back must not make a reading last.
    if (before && now >= before.readAt && now - before.readAt < SHARED_MS) return before;
    this.#shared.delete(key);
    this.#forgetOld(now);
    const live = this.#liveTokens(list, before?.live);
    const shared: Shared = { list, readAt: now, reading: this.#readNow(list, live), live };
    this.#shared.set(key, shared);
    return shared;
  }

  /**
   * A snapshot, then what moves, until the signal aborts or the tokens cannot be read any more, which is the last frame.
   * Throws before the first frame what `read` throws.
   */
  async *follow(scope: Scope, signal: AbortSignal): AsyncGenerator<Frame> {
    const { store, clock } = this.#options;
    let shared = this.#share(scope);
    let known = await shared.reading;
    const waiting = new Waiting(clock, signal);
    let { list } = shared;
    let unwatch = store.watch(list, waiting.hint);
    try {
      yield { kind: 'snapshot', reading: known };
      for (;;) {
        // From when it was read, not from when it was shared: so nothing is told later than that.
        await waiting.until(shared.readAt + REREAD_MS, shared.readAt + SHARED_MS);
        if (signal.aborted) return;
        let next: Reading;
        try {
          shared = this.#share(scope);
          if (shared.list.account !== list.account || shared.list.realm !== list.realm) {
            unwatch();
            ({ list } = shared);
            unwatch = store.watch(list, waiting.hint);
          }
          waiting.served(shared.readAt);
          next = await shared.reading;
        } catch (error) {
          yield { kind: 'end', reason: this.#endReason(error) };
          return;
        }
        yield* framesBetween(known, next);
        known = next;
      }
    } finally {
      unwatch();
    }
  }

  async #readNow(list: ListScope, live: LiveTokens): Promise<Reading> {
    const { store, agents, rules } = this.#options;
    const { account, realm, cwd = null, configDir = null } = list;
    const [ofAgents, ofRules] = await Promise.all([
      agents.stamp({ cwd: list.cwd, configDir: list.configDir }),
      rules.stamp(list, live.sessionIds),
    ]);
    const states: Partial<Record<Topic, JsonValue>> = { gates: live.gates, agents: ofAgents, rules: ofRules };
    const unavailable: Partial<Record<Topic, string>> = {};
    try {
      const counts = await store.counts(list);
      states.sessions = [counts.sessions, live.sessions];
      states.todos = counts.todos;
      states.workflow_runs = counts.workflow_runs;
    } catch (error) {
      if (!(error instanceof DaemonError)) throw error;
      for (const topic of STORED_TOPICS) unavailable[topic] = error.message;
    }
    const tokens: Partial<Record<Topic, string>> = {};
    for (const topic of TOPICS) {
      if (topic in unavailable) continue;
      tokens[topic] = tokenOf([topic, store.id, account, realm, cwd, configDir, states[topic] ?? null]);
    }
    const reading = { scope: tokenOf(['scope', store.id, account, realm]), tokens };
    return Object.keys(unavailable).length === 0 ? reading : { ...reading, unavailable };
  }

  /** Only made anew when any live session changed since. */
  #liveTokens(list: ListScope, before: LiveTokens | undefined): LiveTokens {
    const { sessions, epoch } = this.#options;
    const revision = sessions.liveRevision;
    if (before?.revision === revision) return before;
    const states = sessions.liveStates(list);
    const gates = states.flatMap(({ sessionId, gate }) => (gate ? [[sessionId, gate.id, gate.generation]] : []));
    return {
      revision,
      sessions: tokenOf([epoch, states.map(({ sessionId, revision: own }) => [sessionId, own])]),
      gates: tokenOf([epoch, gates]),
      sessionIds: states.map(({ sessionId }) => sessionId),
    };
  }

  #forgetOld(now: number): void {
    for (const [key, { readAt }] of this.#shared) {
      if (now - readAt <= REREAD_MS * 2) return;
      this.#shared.delete(key);
    }
  }

  #endReason(error: unknown): EndReason {
    if (error instanceof DaemonError && error.code === 'restriction_unknown') return 'restriction_unknown';
    if (!(error instanceof DaemonError)) this.#options.logger.error({ err: error }, 'change tokens could not be read');
    return 'tokens_unreadable';
  }
}

/** Waits for the time to look again, which a hint brings forward. */
class Waiting {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  /** When the last hint came that no reading has answered. */
  #hintedAt: number | undefined;
  #wake: () => void = () => undefined;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  readonly hint = (): void => {
    this.#hintedAt = this.#clock.now();
    this.#wake();
  };

  /** What was read at that time answers the hints that came before. */
  served(readAt: number): void {
    if (this.#hintedAt !== undefined && this.#hintedAt < readAt) this.#hintedAt = undefined;
  }

  /** Resolves at `latest`, with a hint at `earliest` or when it comes after that, and when the signal aborts. */
  async until(latest: number, earliest: number): Promise<void> {
    await this.#sleep(latest, () => this.#hintedAt !== undefined);
    if (this.#hintedAt !== undefined) await this.#sleep(earliest, () => false);
  }

  async #sleep(until: number, isOver: () => boolean): Promise<void> {
    const ms = Math.min(until - this.#clock.now(), REREAD_MS);
    if (ms <= 0 || isOver() || this.#signal.aborted) return;
    const sleeping = new AbortController();
    this.#wake = () => {
      if (isOver() || this.#signal.aborted) sleeping.abort();
    };
    await this.#clock.sleep(ms, sleeping.signal);
  }
}
