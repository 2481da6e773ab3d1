/**
 * Connection states and the legal moves between them, and how one server of a session looks to a reader. A connection
 * (the contract's "build") is one running attempt at one definition; it may die and be restarted without losing its
 * identity. What a restart costs in time is decided here too; waiting is not (services/shared-connection.ts).
 */
import type { EffectiveServer } from './settings.js';

export interface ServerIdentity {
  readonly protocolVersion: string;
  readonly serverName: string;
  readonly serverVersion: string;
  /** 0 for remote servers. */
  readonly pid: number;
  readonly toolCount: number;
}

/** `attempt` is 0 for the first start and after somebody asked for one, then the number of the restart. */
export type ConnectionState =
  | { readonly state: 'connecting'; readonly attempt: number; readonly last?: ServerIdentity }
  | { readonly state: 'connected'; readonly attempt: number; readonly since: number; readonly identity: ServerIdentity }
  /** Not connected; `last` is what it was when it last lived. A next attempt may be due (`retryAt`, epoch ms). */
  | {
      readonly state: 'dead';
      readonly attempt: number;
      readonly error: string;
      /** It asked for credentials. */
      readonly needsAuth?: true;
      readonly last?: ServerIdentity;
      readonly retryAt?: number;
    }
  | { readonly state: 'closed'; readonly last?: ServerIdentity };

export type ConnectionMove =
  | { readonly move: 'opened'; readonly identity: ServerIdentity; readonly at: number }
  /** The server's tool list was read again. */
  | { readonly move: 'listed'; readonly toolCount: number }
  /** The attempt failed, or the connection is gone. */
  | { readonly move: 'lost'; readonly error: string; readonly at: number; readonly needsAuth?: boolean }
  /** The pause before the next attempt is over. */
  | { readonly move: 'restart' }
  /** Somebody asked for a new attempt now; the restarts are counted anew. */
  | { readonly move: 'retry' }
  | { readonly move: 'close' };

/** The pause before each restart, from the promised 1 s to 60 s; after the last of them only `retry` starts it again. */
export const RESTART_PAUSES_MS: readonly number[] = [1_000, 3_000, 10_000, 30_000, 60_000];

/** A connection that lived longer than the longest pause was no part of a crash loop: its restarts are counted anew. */
export const STABLE_AFTER_MS = 60_000;

export const FIRST_ATTEMPT: ConnectionState = { state: 'connecting', attempt: 0 };

/** What the connection is, or was when it last lived; undefined when it never did. */
export const identityOfState = (state: ConnectionState): ServerIdentity | undefined =>
  state.state === 'connected' ? state.identity : state.last;

/** The state after a move, or undefined when the move is not legal in this state (a late event: nothing changes). */
export function advance(state: ConnectionState, move: ConnectionMove): ConnectionState | undefined {
  if (state.state === 'closed') return undefined;
  const last = identityOfState(state);
  const known = last === undefined ? {} : { last };
  switch (move.move) {
    case 'opened':
      if (state.state !== 'connecting') return undefined;
      return { state: 'connected', attempt: state.attempt, since: move.at, identity: move.identity };
    case 'listed':
      if (state.state !== 'connected') return undefined;
      return { ...state, identity: { ...state.identity, toolCount: move.toolCount } };
    case 'lost': {
      if (state.state === 'dead') return undefined;
      const stable = state.state === 'connected' && move.at - state.since >= STABLE_AFTER_MS;
      const attempt = stable ? 0 : state.attempt;
      const pauseMs = RESTART_PAUSES_MS[attempt];
      const next = pauseMs === undefined ? {} : { retryAt: move.at + pauseMs };
      const auth = move.needsAuth === true ? { needsAuth: true as const } : {};
      return { state: 'dead', attempt, error: move.error, ...auth, ...known, ...next };
    }
    case 'restart':
      if (state.state !== 'dead' || state.retryAt === undefined) return undefined;
      return { state: 'connecting', attempt: state.attempt + 1, ...known };
    case 'retry':
      if (state.state !== 'dead') return undefined;
      return { state: 'connecting', attempt: 0, ...known };
    case 'close':
      return { state: 'closed', ...known };
  }
}

export type RevokedReason = 'deleted' | 'disabled' | 'repointed' | 'layer_unreadable' | 'untrusted';

/** One server of a session as it stands: the effective entry and the runtime of the build held for it, if any. */
export interface ServerStatus {
  readonly server: EffectiveServer;
  readonly connected: boolean;
  readonly identity?: ServerIdentity;
  readonly revoked?: RevokedReason;
  readonly stderrTail: readonly string[];
  /** Why it is not connected, for warnings; never a credential. */
  readonly error?: string;
}
