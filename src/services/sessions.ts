/**
 * Sessions: opening, finding, listing and ending them. A record outlives its live part, and the daemon: it is in the
 * store before anything starts, stays listed when the session is closed, and can be attached again until it is deleted
 * for good. Settings and servers are not here.
 * Several daemons may share a store: a session is live in one of them, and only that one changes it.
 * Invariant: a session that the caller may not see is answered exactly like one that never was.
 */
import { createHash } from 'node:crypto';
import type { AgentTools } from '../domain/agent.js';
import { Approval } from '../domain/approval.js';
import { DaemonError, sessionNotFound, type ErrorCode } from '../domain/errors.js';
import {
  checkSessionName,
  listScopeOf,
  servesRealm,
  type DirScope,
  type Posture,
  type Scope,
  type StoredSession,
  type ToolMode,
} from '../domain/session.js';
import type { Listed, ListScope, Window } from '../domain/topics.js';
import { createFilesRead } from '../domain/gate/facts.js';
import { TurnSlot, type ParkedGate } from '../domain/turn-slot.js';
import type { Clock, Folders, FoundSession, Ids, Logger, LoginSource, SessionStore } from '../ports.js';
import type { RunSession } from './tool-runner.js';

/** What `POST /sessions` asks for, after defaults from the scope headers. */
export interface OpenSession {
  readonly realm: string | undefined;
  readonly cwd: string | undefined;
  readonly configDir: string | undefined;
  readonly toolMode: ToolMode | undefined;
  readonly dirScope: DirScope | undefined;
  readonly headless: boolean;
  readonly agent: string | undefined;
  readonly name: string | undefined;
}

/** A session as it is now. */
export interface SessionRecord extends FoundSession {
  readonly live: LiveSession | null;
}

/** The live part: what ends when the session closes, and all that a tool run may know of its session. */
export interface LiveSession extends RunSession {
  readonly approval: Approval;
}

/** What change tokens know of a live session. */
export interface LiveState {
  readonly sessionId: string;
  /** Another number after each change of the turn slot, and never one that was there before. */
  readonly revision: number;
  readonly gate: ParkedGate | undefined;
}

export interface SessionsOptions {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly login: LoginSource;
  readonly folders: Folders;
  /** Working folder of a session that names none: the daemon's own. */
  readonly defaultCwd: string;
  readonly defaultConfigDir: string | null;
  /** A session nobody used for this long is closed. */
  readonly idleMs: number;
  /** Throws when the folder may not be a working folder. */
  readonly checkCwd: (posture: Posture) => Promise<void>;
  /** The definition of an agent for a session of this posture; undefined when there is none. */
  readonly agentOf: (name: string, posture: Posture) => Promise<AgentTools | undefined>;
  readonly toolsOf: (sessionId: string) => ReturnType<RunSession['mcpTools']>;
  readonly settingsOf: (sessionId: string) => ReturnType<RunSession['settings']>;
  readonly opened: (session: LiveSession) => Promise<void>;
  readonly closed: (session: LiveSession) => Promise<void>;
}

/** How often idle sessions are looked for; closing a minute late hurts nobody. */
const IDLE_CHECK_MS = 60_000;

/** Why a session is no longer this daemon's. */
const LOST: readonly ErrorCode[] = ['session_held', 'not_found'];

interface Held {
  name: string;
  lastRequestAt: number;
  /** Any request counts here: a session that is looked at is not idle. */
  lastUsedAt: number;
  revision: number;
  readonly startedAt: number;
  readonly live: LiveSession;
}

export class Sessions {
  readonly #options: SessionsOptions;
  /** The live ones. */
  readonly #held = new Map<string, Held>();
  /** Those whose live part is just ending. */
  readonly #ending = new Map<string, Promise<void>>();
  /** Live no more, which the store could not be told. */
  readonly #unreleased = new Map<string, StoredSession>();
  #revision = 0;
  #stopIdleCheck: () => void = () => undefined;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#scheduleIdleCheck();
  }

  /** Throws bad_request (name, denied folder, unknown agent), not_found (realm not served), cwd_not_found, service_unavailable. */
  async open(request: OpenSession): Promise<SessionRecord> {
    const { clock, ids, login, defaultCwd, defaultConfigDir, store } = this.#options;
    const current = login.current();
    const realm = request.realm ?? current.activeRealm;
    const name = checkSessionName(request.name ?? '');
    if (!servesRealm(current, realm)) throw new DaemonError('not_found');
    const cwd = request.cwd ?? defaultCwd;
    const posture: Posture = Object.freeze({
      sessionId: `sess_${ids.ulid()}`,
      realm,
      account: current.accountId,
      cwd,
      configDir: request.configDir ?? defaultConfigDir,
      toolMode: request.toolMode ?? 'full',
      dirScope: request.dirScope ?? 'home',
      headless: request.headless,
      agent: request.agent ?? null,
      workspaceId: workspaceIdOf(await this.#realFolder(cwd)),
    });
    await this.#options.checkCwd(posture);
    const agent = await this.#agent(posture);
    const now = clock.now();
    const session: StoredSession = { posture, name, startedAt: now, lastRequestAt: now };
    await store.insert(session);
    return this.#start(session, agent);
  }

  /**
   * Re-opens a closed session with the posture it had; a live one is returned as it is. Throws not_found, session_held
   * (live in another daemon), cwd_not_found, bad_request (unknown agent), service_unavailable.
   */
  async attach(id: string, scope: Scope): Promise<SessionRecord> {
    const record = await this.get(id, scope);
    if (record.live) return record;
    await this.#realFolder(record.posture.cwd);
    const agent = await this.#agent(record.posture);
    await this.#ending.get(id)?.catch(() => undefined);
    const unreleased = this.#unreleased.get(id);
    this.#unreleased.delete(id);
    await this.#options.store.claim(record).catch((error: unknown) => {
      if (unreleased) this.#unreleased.set(id, unreleased);
      throw error;
    });
    // Another caller may have attached it while we looked.
    const held = this.#held.get(id);
    return held ? recordOf(held) : this.#start({ ...record, lastRequestAt: this.#options.clock.now() }, agent);
  }

  /** The record of a live or closed session. Throws not_found. */
  async get(id: string, scope: Scope): Promise<SessionRecord> {
    const held = this.#held.get(id);
    const record = held ? recordOf(held) : await this.#closedRecord(id);
    if (!record || !this.#isVisible(record, scope)) throw sessionNotFound();
    return record;
  }

  /** A session that can work. Throws not_found when it is unknown, closed, another realm's or another account's. */
  live(id: string, scope: Scope): LiveSession {
    const held = this.#held.get(id);
    if (!held || !this.#isVisible(held.live, scope)) throw sessionNotFound();
    held.lastUsedAt = this.#options.clock.now();
    return held.live;
  }

  /** The visible records, newest first; a given cwd or config dir selects. Throws not_found (realm not served). */
  async list(scope: Scope, window: Window): Promise<Listed<SessionRecord>> {
    const { items, total } = await this.#options.store.list(this.#listScope(scope), window);
    return {
      total,
      items: items.map((stored) => {
        const held = this.#held.get(stored.posture.sessionId);
        return held ? recordOf(held) : { ...stored, live: null };
      }),
    };
  }

  /** The working folders of the visible sessions, the most recent first. Throws not_found (realm not served). */
  folders(scope: Scope): Promise<readonly string[]> {
    return this.#options.store.folders(this.#listScope(scope));
  }

  /** Throws bad_request, session_held, service_unavailable. */
  async rename(record: SessionRecord, name: string): Promise<void> {
    checkSessionName(name);
    await this.#options.store.update({ ...record, name });
    const held = this.#held.get(record.posture.sessionId);
    if (held) held.name = name;
  }

  /** Ends the live part; the record stays. Resolves when its servers are released. Throws session_held, service_unavailable. */
  async close({ posture, isHeldElsewhere }: Pick<SessionRecord, 'posture' | 'isHeldElsewhere'>): Promise<void> {
    if (isHeldElsewhere) throw new DaemonError('session_held');
    const id = posture.sessionId;
    if (!this.#held.has(id)) return;
    await this.#ends(id, async () => {
      const ended = await this.#end(id);
      if (ended) await this.#release(ended);
    });
  }

  /** To be called every now and then: tells the store what it could not be told when a session closed. Rejects as `close`. */
  async tend(): Promise<void> {
    for (const [id, ended] of this.#unreleased) await this.#ends(id, () => this.#release(ended));
  }

  /** Who attaches the session waits for that. */
  #ends(id: string, work: () => Promise<void>): Promise<void> {
    const ending = work().finally(() => this.#ending.delete(id));
    this.#ending.set(id, ending);
    return ending;
  }

  async #release(ended: StoredSession): Promise<void> {
    const { sessionId } = ended.posture;
    this.#unreleased.set(sessionId, ended);
    try {
      await this.#options.store.release(ended);
    } catch (error) {
      // Somebody else has it by now, and nothing is left to tell.
      if (error instanceof DaemonError && error.code === 'session_held') this.#unreleased.delete(sessionId);
      throw error;
    }
    this.#unreleased.delete(sessionId);
  }

  /** This daemon was silent for so long that others may have its sessions: those are live here no longer. Rejects with service_unavailable. */
  async reclaim(): Promise<void> {
    const { store, logger } = this.#options;
    for (const [sessionId, held] of this.#held) {
      try {
        await store.claim(recordOf(held));
      } catch (error) {
        if (!(error instanceof DaemonError && LOST.includes(error.code))) throw error;
        logger.warn({ sessionId }, 'a session is live in another daemon by now, or deleted, and ends here');
        await this.#end(sessionId);
      }
    }
  }

  /** Closes, and erases the record too when `hard`. Throws session_held, service_unavailable. */
  async delete(record: SessionRecord, hard: boolean): Promise<void> {
    if (!hard) return this.close(record);
    await this.#options.store.delete(record);
    await this.#end(record.posture.sessionId);
  }

  /** Ends every live session, for the daemon's own end. */
  async closeAll(): Promise<void> {
    this.#stopIdleCheck();
    await Promise.all([...this.#held.values()].map(({ live }) => this.#closeQuietly(live)));
  }

  /** Counts every change of any live session. */
  get liveRevision(): number {
    return this.#revision;
  }

  /** The live sessions of a scope, in the order they were opened. */
  liveStates({ account, realm, cwd, configDir }: ListScope): LiveState[] {
    return [...this.#held.values()]
      .filter(
        ({ live: { posture } }) =>
          posture.account === account &&
          posture.realm === realm &&
          (cwd === undefined || cwd === posture.cwd) &&
          (configDir === undefined || configDir === posture.configDir),
      )
      .map(({ revision, live: { posture, slot } }) => ({
        sessionId: posture.sessionId,
        revision,
        gate: slot.pendingGate,
      }));
  }

  async #start(
    { posture, name, startedAt, lastRequestAt }: StoredSession,
    agent: AgentTools | undefined,
  ): Promise<SessionRecord> {
    const { clock, toolsOf, settingsOf, opened } = this.#options;
    const changed = (): void => {
      held.revision = this.#revision += 1;
      if (held.live.slot.state === 'running') held.lastRequestAt = clock.now();
    };
    const approval = new Approval();
    const held: Held = {
      name,
      startedAt,
      lastRequestAt,
      lastUsedAt: clock.now(),
      revision: (this.#revision += 1),
      live: {
        posture,
        slot: new TurnSlot(changed),
        approval,
        get yolo() {
          return approval.yolo;
        },
        approvalRules: approval.rules,
        filesRead: createFilesRead(),
        agent,
        mcpTools: () => toolsOf(posture.sessionId),
        settings: () => settingsOf(posture.sessionId),
      },
    };
    this.#held.set(posture.sessionId, held);
    await opened(held.live);
    return recordOf(held);
  }

  /** What is left to store of a session that was live. */
  async #end(id: string): Promise<StoredSession | undefined> {
    const held = this.#held.get(id);
    if (!held) return undefined;
    this.#held.delete(id);
    this.#revision += 1;
    held.live.slot.close();
    await this.#options.closed(held.live);
    return recordOf(held);
  }

  async #closeQuietly(live: LiveSession): Promise<void> {
    try {
      await this.close({ posture: live.posture, isHeldElsewhere: false });
    } catch (cause) {
      this.#options.logger.error({ err: cause, sessionId: live.posture.sessionId }, 'a session did not close cleanly');
    }
  }

  async #closedRecord(id: string): Promise<SessionRecord | undefined> {
    const stored = await this.#options.store.find(id);
    return stored && { ...stored, live: null };
  }

  /** Throws bad_request when the session names an agent that has no definition: it would get every tool. */
  async #agent(posture: Posture): Promise<AgentTools | undefined> {
    if (posture.agent === null) return undefined;
    const agent = await this.#options.agentOf(posture.agent, posture);
    if (!agent) throw new DaemonError('bad_request', 'agent: there is no definition of that name');
    return agent;
  }

  async #realFolder(cwd: string): Promise<string> {
    const real = await this.#options.folders.resolve(cwd);
    if (real === undefined) throw new DaemonError('cwd_not_found');
    return real;
  }

  #listScope(scope: Scope): ListScope {
    return listScopeOf(this.#options.login.current(), scope);
  }

  #isVisible({ posture: { account, realm } }: Pick<SessionRecord, 'posture'>, scope: Scope): boolean {
    const login = this.#options.login.current();
    return (
      account === login.accountId && (scope.realm === undefined || scope.realm === realm) && servesRealm(login, realm)
    );
  }

  #scheduleIdleCheck(): void {
    this.#stopIdleCheck = this.#options.clock.after(IDLE_CHECK_MS, () => {
      this.#closeIdle();
      this.#scheduleIdleCheck();
    });
  }

  #closeIdle(): void {
    const { clock, idleMs, logger } = this.#options;
    for (const { live, lastUsedAt } of this.#held.values()) {
      if (live.slot.state !== 'idle' || clock.now() - lastUsedAt < idleMs) continue;
      logger.info({ sessionId: live.posture.sessionId }, 'closing an idle session');
      void this.#closeQuietly(live);
    }
  }
}

const recordOf = ({ name, startedAt, lastRequestAt, live }: Held): SessionRecord => ({
  posture: live.posture,
  name,
  startedAt,
  lastRequestAt,
  live,
  isHeldElsewhere: false,
});

/** A workspace is a working folder: the first 24 hex digits of the SHA-256 of its real path. */
export const workspaceIdOf = (realPath: string): string =>
  createHash('sha256').update(realPath).digest('hex').slice(0, 24);
