/**
 * Sessions: opening, finding, listing and ending them. A record outlives its live part: a closed session stays listed
 * and can be attached again until it is deleted for good. Records are in memory; settings and servers are not here.
 * Invariant: a session that the caller may not see is answered exactly like one that never was.
 */
import { createHash } from 'node:crypto';
import { DaemonError, sessionNotFound } from '../domain/errors.js';
import { servesRealm, type DirScope, type Posture, type Scope, type ToolMode } from '../domain/session.js';
import { createFilesRead } from '../domain/gate/facts.js';
import { TurnSlot } from '../domain/turn-slot.js';
import type { Clock, Folders, Ids, Logger, LoginSource } from '../ports.js';
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

export interface SessionRecord {
  readonly posture: Posture;
  name: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  lastUsedAt: number;
  live: LiveSession | null;
}

/** The live part: what ends when the session closes, and all that a tool run may know of its session. */
export type LiveSession = RunSession;

export interface SessionsOptions {
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
  readonly toolsOf: (sessionId: string) => ReturnType<RunSession['mcpTools']>;
  readonly settingsOf: (sessionId: string) => ReturnType<RunSession['settings']>;
  readonly opened: (session: LiveSession) => Promise<void>;
  readonly closed: (session: LiveSession) => Promise<void>;
}

/** Closed records kept for listing. A client that opens a session a second and never deletes one must not fill memory. */
const CLOSED_RECORDS_MAX = 1_000;
/** How often idle sessions are looked for; closing a minute late hurts nobody. */
const IDLE_CHECK_MS = 60_000;
const NO_RULES: RunSession['approvalRules'] = new Map();

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #records = new Map<string, SessionRecord>();
  #stopIdleCheck: () => void = () => undefined;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#scheduleIdleCheck();
  }

  /** Throws bad_request (denied folder), not_found (realm not served), cwd_not_found. */
  async open(request: OpenSession): Promise<SessionRecord> {
    const { clock, ids, login, folders, defaultCwd, defaultConfigDir } = this.#options;
    const current = login.current();
    const realm = request.realm ?? current.activeRealm;
    if (!servesRealm(current, realm)) throw new DaemonError('not_found');
    const cwd = request.cwd ?? defaultCwd;
    const realCwd = await folders.resolve(cwd);
    if (realCwd === undefined) throw new DaemonError('cwd_not_found');
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
      workspaceId: workspaceIdOf(realCwd),
    });
    await this.#options.checkCwd(posture);
    const now = clock.now();
    const record: SessionRecord = { posture, name: request.name ?? '', startedAt: now, lastUsedAt: now, live: null };
    this.#records.set(posture.sessionId, record);
    await this.#start(record);
    return record;
  }

  /** Re-opens a closed session with the posture it had; a live one is returned as it is. Throws not_found. */
  async attach(id: string, scope: Scope): Promise<SessionRecord> {
    const record = this.get(id, scope);
    if (!record.live) await this.#start(record);
    return record;
  }

  /** The record of a live or closed session. Throws not_found. */
  get(id: string, scope: Scope): SessionRecord {
    const record = this.#records.get(id);
    if (!record || !this.#isVisible(record, scope)) throw sessionNotFound();
    return record;
  }

  /** A session that can work. Throws not_found when it is unknown, closed, another realm's or another account's. */
  live(id: string, scope: Scope): LiveSession {
    const record = this.get(id, scope);
    if (!record.live) throw sessionNotFound();
    record.lastUsedAt = this.#options.clock.now();
    return record.live;
  }

  /** The visible records, newest first; a given cwd or config dir selects. */
  list(scope: Scope): SessionRecord[] {
    return [...this.#records.values()]
      .filter(
        (record) =>
          this.#isVisible(record, scope) &&
          (scope.cwd === undefined || scope.cwd === record.posture.cwd) &&
          (scope.configDir === undefined || scope.configDir === record.posture.configDir),
      )
      .toReversed();
  }

  /** Ends the live part; the record stays. Resolves when its servers are released. */
  async close(record: SessionRecord): Promise<void> {
    const { live } = record;
    if (!live) return;
    record.live = null;
    live.slot.close();
    await this.#options.closed(live);
    this.#dropOldestClosed();
  }

  /** Closes, and erases the record too when `hard`. */
  async delete(record: SessionRecord, hard: boolean): Promise<void> {
    if (hard) this.#records.delete(record.posture.sessionId);
    await this.close(record);
  }

  /** Ends every live session, for the daemon's own end. */
  async closeAll(): Promise<void> {
    this.#stopIdleCheck();
    await Promise.all([...this.#records.values()].map((record) => this.close(record)));
  }

  async #start(record: SessionRecord): Promise<void> {
    const { posture } = record;
    record.live = {
      posture,
      slot: new TurnSlot(),
      yolo: false,
      approvalRules: NO_RULES,
      filesRead: createFilesRead(),
      mcpTools: () => this.#options.toolsOf(posture.sessionId),
      settings: () => this.#options.settingsOf(posture.sessionId),
    };
    await this.#options.opened(record.live);
  }

  #isVisible(record: SessionRecord, scope: Scope): boolean {
    const login = this.#options.login.current();
    const { account, realm } = record.posture;
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
    for (const record of this.#records.values()) {
      if (!record.live || record.live.slot.state !== 'idle' || clock.now() - record.lastUsedAt < idleMs) continue;
      logger.info({ sessionId: record.posture.sessionId }, 'closing an idle session');
      this.close(record).catch((cause: unknown) =>
        logger.error({ err: cause }, 'an idle session did not close cleanly'),
      );
    }
  }

  #dropOldestClosed(): void {
    let closed = [...this.#records.values()].filter((record) => !record.live).length;
    for (const [id, record] of this.#records) {
      if (closed <= CLOSED_RECORDS_MAX) break;
      if (record.live) continue;
      this.#records.delete(id);
      closed -= 1;
    }
  }
}

/** A workspace is a working folder: the first 24 hex digits of the SHA-256 of its real path. */
export const workspaceIdOf = (realPath: string): string =>
  createHash('sha256').update(realPath).digest('hex').slice(0, 24);
