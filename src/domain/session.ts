/**
 * What is frozen when a session opens, and how a request's scope selects sessions. Pure values; the live parts of a
 * session (turn slot, held servers) are in `services/sessions.ts`.
 */
export type ToolMode = 'full' | 'read_only' | 'standard' | 'orchestrator';
export type DirScope = 'home' | 'full';

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

/** Scope of one request, after `http/scope.ts` has checked the form. Absent means "not given". */
export interface Scope {
  readonly realm: string | undefined;
  readonly cwd: string | undefined;
  readonly configDir: string | undefined;
  readonly toolMode: ToolMode | undefined;
  readonly dirScope: DirScope | undefined;
}

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
