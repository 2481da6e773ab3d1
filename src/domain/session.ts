/**
 * What is frozen when a session opens, and how a request's scope selects sessions. Pure values; the live parts of a
 * session (turn slot, held servers) are in `services/sessions.ts`.
 */
import { DaemonError } from './errors.js';
import type { ListScope } from './topics.js';

export type ToolMode = 'full' | 'read_only' | 'standard' | 'orchestrator';
export type DirScope = 'home' | 'full';

/** Only an orchestrator may have a workflow do what it may not do itself; a read-only session runs none at all. */
export const stepToolMode = (mode: ToolMode): ToolMode => (mode === 'orchestrator' ? 'full' : mode);
export const runsWorkflows = (mode: ToolMode): boolean => mode !== 'read_only';

/** The frozen stance of a session. Paths are absolute. */
export interface Posture {
  readonly sessionId: string;
  /** `global` or 24 lower-case hex. */
  readonly realm: string;
  readonly account: string;
  readonly cwd: string;
  /** Replaces the user install; then there is no user layer. */
  readonly configDir: string | null;
  readonly toolMode: ToolMode;
  readonly dirScope: DirScope;
  readonly headless: boolean;
  readonly agent: string | null;
  readonly workspaceId: string;
}

/** A session as it outlives its live part. Times are epoch milliseconds. */
export interface StoredSession {
  readonly posture: Posture;
  readonly name: string;
  readonly startedAt: number;
  /** When it was opened, or something last ran in it. */
  readonly lastRequestAt: number;
}

/** A line of a list, and a list has many. */
const NAME_CHARS_MAX = 1_000;

/** Throws bad_request. */
export const checkSessionName = (name: string): string => {
  if (name.length > NAME_CHARS_MAX) {
    throw new DaemonError('bad_request', `name: is longer than ${NAME_CHARS_MAX} characters`);
  }
  return name;
};

/** Scope of one request, after `http/scope.ts` has checked the form. Absent means "not given". */
export interface Scope {
  readonly realm: string | undefined;
  readonly cwd: string | undefined;
  readonly configDir: string | undefined;
  readonly toolMode: ToolMode | undefined;
  readonly dirScope: DirScope | undefined;
}

/** Of a request that names no scope, or on a route that has none. */
export const NO_SCOPE: Scope = {
  realm: undefined,
  cwd: undefined,
  configDir: undefined,
  toolMode: undefined,
  dirScope: undefined,
};

/** Who the daemon is logged in as (`--login-file`), and which realms that login may serve. */
export interface Login {
  readonly accountId: string;
  readonly activeRealm: string;
  readonly serves: 'all' | 'unknown' | readonly string[];
  readonly pinned: string | null;
}

/** Whether the login may act in a realm. An unknown restriction was refused before anybody asks this. */
export const servesRealm = (login: Login, realm: string): boolean =>
  (login.pinned === null || login.pinned === realm) &&
  (login.serves === 'all' || (login.serves !== 'unknown' && login.serves.includes(realm)));

/**
 * Whose lists a request is about: those of the account in the realm it names, or in the active one. Throws not_found
 * for a realm the login does not serve, and restriction_unknown while it is unknown which it does.
 */
export const listScopeOf = (login: Login, { realm = login.activeRealm, cwd, configDir }: Scope): ListScope => {
  if (login.serves === 'unknown') throw new DaemonError('restriction_unknown');
  if (!servesRealm(login, realm)) throw new DaemonError('not_found');
  return { account: login.accountId, realm, cwd, configDir };
};
