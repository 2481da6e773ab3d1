/**
 * Keeps what live sessions hold in step with their settings: re-reads the layers, cuts off everywhere what is no longer
 * wanted, then connects. It knows in which order and for whom; what one session holds is in session-servers.ts.
 * Invariant: between the last reading and the last revocation nothing is awaited, so no session is left behind; and a
 * reading never replaces one that began later.
 */
import type { ServerStatus } from '../domain/connection.js';
import { sessionNotFound } from '../domain/errors.js';
import type { Posture } from '../domain/session.js';
import type { EffectiveSettings, LayerPath } from '../domain/settings.js';
import type { Clock, Logger } from '../ports.js';
import { BackgroundSlots } from './background-slots.js';
import type { ServerPool } from './server-pool.js';
import {
  type Denied,
  type KnownServer,
  SessionServers,
  type SessionStatus,
  type SessionTool,
} from './session-servers.js';

export type { SessionStatus, SessionTool };

/** What a session brings: its posture and the files its settings come from. */
export interface ReconciledSession {
  readonly posture: Posture;
  readonly layerPaths: readonly LayerPath[];
}

export interface ReconcilerDeps {
  readonly pool: ServerPool;
  /** Never throws for a broken layer: the settings say it. */
  readonly readSettings: (session: ReconciledSession) => Promise<EffectiveSettings>;
  /** Why a policy keeps an entry from being started; nothing is denied without it. */
  readonly denied?: Denied;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What one reconciliation did, in the contract's counters, and how the caller's servers stand after it. */
export interface ReconcileReport {
  /** Live sessions with readable layers whose connect half ran or was started. */
  readonly sessions: number;
  readonly partialSessions: number;
  /** Builds cut off, once per session that held one. */
  readonly revoked: number;
  /** Live sessions with readable layers other than the caller. */
  readonly deferredSessions: number;
  readonly deferredStarted: boolean;
  readonly servers: readonly ServerStatus[];
  readonly warnings: readonly string[];
}

/** Passes over other sessions that may be under way at once: each may wait for slow servers, so they are few. */
export const BACKGROUND_SLOTS = 4;
/** A write may pause this long for a slot: long enough for a pass that only has healthy servers, too short to notice. */
export const SLOT_WAIT_MS = 250;
/** Editors save in several steps; a pause this long usually sees the last of them, and nobody notices it. */
export const SETTLE_MS = 100;

interface Live {
  readonly session: ReconciledSession;
  readonly servers: SessionServers;
  /** Number of the reading last applied. */
  applied: number;
}

export class Reconciler {
  readonly #deps: ReconcilerDeps;
  readonly #slots: BackgroundSlots;
  readonly #live = new Map<string, Live>();
  readonly #stale = new Set<Live>();
  readonly #background = new Set<Promise<void>>();
  #cancelRefresh: (() => void) | undefined;
  #readings = 0;
  #writes = 0;

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
    this.#slots = new BackgroundSlots(deps.clock, BACKGROUND_SLOTS);
  }

  /** A session opened. Resolves when its settings are read and its servers are starting, not when they are connected. */
  async attach(session: ReconciledSession): Promise<void> {
    const { posture } = session;
    const servers = new SessionServers(posture, this.#deps.pool, this.#deps.denied ?? (() => undefined));
    const live = { session, servers, applied: 0 };
    this.#live.set(posture.sessionId, live);
    await this.#revise([live]);
    this.#connect([live]);
  }

  /** A session ended: nothing of it can be called from now on. Resolves when what it alone held is gone. */
  async detach(sessionId: string): Promise<void> {
    const live = this.#live.get(sessionId);
    this.#live.delete(sessionId);
    await live?.servers.release();
  }

  /**
   * Re-reads the settings of every live session and reconciles it. Revocations are complete in all of them before
   * anything is waited for; then each of the caller's own connections has succeeded or failed. The others connect in
   * the background, if a slot is free. `retryDead` also gives dead servers a new attempt now.
   * Throws not_found when the caller is not live; the others are reconciled all the same, for the file has changed.
   * Requires: mcp.apply.revoked-first and mcp.apply.caller-awaited.
   */
  async reconcile(caller: string, options: { retryDead?: boolean } = {}): Promise<ReconcileReport> {
    const own = this.#live.get(caller);
    const everyone = [...this.#live.values()];
    const revoked = await this.#revise(everyone);
    const live = everyone.filter((candidate) => this.#isLive(candidate));
    const clean = live.filter(({ servers }) => servers.settings?.partial === false);
    const others = clean.filter((candidate) => candidate !== own);
    if (own !== undefined) this.#connect([own], options.retryDead);
    const deferredStarted = await this.#connectInBackground(others, options.retryDead);
    // Another session's write can change meanwhile what this one wants: then that is connected and waited for, too.
    do await own?.servers.settled();
    while (own !== undefined && this.#isLive(own) && (own.servers.connect() || own.servers.isConnecting));
    const settings = own?.servers.settings;
    if (own === undefined || settings === undefined) throw sessionNotFound();
    const { servers, warnings } = own.servers.status(settings);
    return {
      sessions: (clean.includes(own) ? 1 : 0) + (deferredStarted ? others.length : 0),
      partialSessions: live.length - clean.length,
      revoked,
      deferredSessions: others.length,
      deferredStarted,
      servers,
      warnings,
    };
  }

  /** A settings file was written that has other things than servers: every session goes by it when this resolves. */
  async reread(): Promise<void> {
    await this.#refresh([...this.#live.values()]);
  }

  /** A settings file may have changed by hand: the sessions that read it are reconciled in the background. */
  settingsChanged(path: string): void {
    for (const live of this.#live.values()) {
      if (live.session.layerPaths.some((layer) => layer.path === path)) this.#stale.add(live);
    }
    if (this.#stale.size > 0) this.#scheduleRefresh();
  }

  /** Runs a write of ours, after which `reconcile` is called: until then nothing else counts what the write cut off. */
  async whileWriting<T>(write: () => Promise<T>): Promise<T> {
    this.#writes += 1;
    try {
      return await write();
    } finally {
      this.#writes -= 1;
    }
  }

  /** The settings as they are now, with the runtime of what the session holds. Starts nothing. Throws not_found. */
  async status(sessionId: string): Promise<SessionStatus> {
    const { session, servers } = this.#get(sessionId);
    return servers.status(await this.#deps.readSettings(session));
  }

  /**
   * The server tools a session may call now. A run takes them once, at its start, and keeps those objects: it goes on
   * with what it was shown, except what is revoked meanwhile. Throws not_found. Requires: mcp.apply.mid-turn
   */
  tools(sessionId: string): readonly SessionTool[] {
    return this.#get(sessionId).servers.tools();
  }

  /** The live sessions with what is known of their servers, in the order they were opened. */
  live(): { posture: Posture; settings: EffectiveSettings | undefined; servers: KnownServer[] }[] {
    return [...this.#live.values()].map(({ session: { posture }, servers }) => ({
      posture,
      settings: servers.settings,
      servers: servers.known(),
    }));
  }

  /** The settings last applied to the session. Throws not_found. */
  settings(sessionId: string): EffectiveSettings {
    const { settings } = this.#get(sessionId).servers;
    if (settings === undefined) throw sessionNotFound();
    return settings;
  }

  /** The same; undefined when the session is not live or its settings are not read yet. */
  findSettings(sessionId: string): EffectiveSettings | undefined {
    return this.#live.get(sessionId)?.servers.settings;
  }

  /** Resolves when no connection of the session is being attempted. Throws not_found. */
  async settled(sessionId: string): Promise<void> {
    await this.#get(sessionId).servers.settled();
  }

  /** Ends every session's hold; resolves when the children are gone. */
  async close(): Promise<void> {
    this.#cancelRefresh?.();
    await Promise.all([...this.#live.keys()].map((sessionId) => this.detach(sessionId)));
    await Promise.all(this.#background);
  }

  /** Reads for all of them, then applies to all of them at once. Returns how many builds were cut off. */
  async #revise(sessions: readonly Live[]): Promise<number> {
    const readings = await Promise.all(
      sessions.map(async (live) => {
        this.#readings += 1;
        const number = this.#readings;
        return { live, number, settings: await this.#deps.readSettings(live.session) };
      }),
    );
    let revoked = 0;
    for (const { live, number, settings } of readings) {
      if (!this.#isLive(live) || number < live.applied) continue;
      live.applied = number;
      revoked += live.servers.apply(settings);
    }
    return revoked;
  }

  #connect(sessions: readonly Live[], retryDead?: boolean): void {
    for (const live of sessions) if (this.#isLive(live)) live.servers.connect(retryDead);
  }

  /** True when the pass was started or there is nobody to connect; it outlives this call. Requires: mcp.apply.skipped-pass */
  async #connectInBackground(sessions: readonly Live[], retryDead?: boolean): Promise<boolean> {
    if (sessions.length === 0) return true;
    if (!(await this.#slots.take(SLOT_WAIT_MS))) return false;
    this.#connect(sessions, retryDead);
    const settled = Promise.all(sessions.map(({ servers }) => servers.settled()));
    this.#track(settled.finally(() => this.#slots.giveBack()));
    return true;
  }

  #scheduleRefresh(): void {
    this.#cancelRefresh ??= this.#deps.clock.after(SETTLE_MS, () => {
      this.#cancelRefresh = undefined;
      if (this.#writes > 0) this.#scheduleRefresh();
      else {
        const sessions = [...this.#stale];
        this.#stale.clear();
        this.#track(this.#refresh(sessions));
      }
    });
  }

  async #refresh(sessions: readonly Live[]): Promise<void> {
    await this.#revise(sessions);
    this.#connect(sessions);
  }

  /** Work nobody waits for: a fault in it is ours, and belongs in the log. */
  #track(work: Promise<unknown>): void {
    const tracked = work
      .catch((error: unknown) => this.#deps.logger.error({ err: error }, 'reconciling in the background failed'))
      .then(() => void this.#background.delete(tracked));
    this.#background.add(tracked);
  }

  #isLive(live: Live): boolean {
    return this.#live.get(live.session.posture.sessionId) === live;
  }

  #get(sessionId: string): Live {
    const live = this.#live.get(sessionId);
    if (live === undefined) throw sessionNotFound();
    return live;
  }
}
