/**
 * Connection states and the legal moves between them. A connection (the contract's "build") is one running attempt at
 * one definition; it may die and be restarted without losing its identity.
 */
export interface ServerIdentity {
  readonly protocolVersion: string;
  readonly serverName: string;
  readonly serverVersion: string;
  /** 0 for remote servers. */
  readonly pid: number;
  readonly toolCount: number;
}

export type ConnectionState =
  | { readonly state: 'connecting'; readonly attempt: number; readonly last?: ServerIdentity }
  | { readonly state: 'connected'; readonly identity: ServerIdentity }
  /** Not connected; `last` is what it was when it last lived. A next attempt may be due (`retryAt`, epoch ms). */
  | { readonly state: 'dead'; readonly error: string; readonly last?: ServerIdentity; readonly retryAt?: number }
  | { readonly state: 'closed'; readonly last?: ServerIdentity };

export type RevokedReason = 'deleted' | 'disabled' | 'repointed' | 'layer_unreadable' | 'untrusted';

/** One server of a session as it stands: the effective entry and the runtime of the build held for it, if any. */
export interface ServerStatus {
  readonly server: import('./settings.js').EffectiveServer;
  readonly connected: boolean;
  readonly identity?: ServerIdentity;
  readonly revoked?: RevokedReason;
  readonly stderrTail: readonly string[];
  /** Why it is not connected, for warnings; never a credential. */
  readonly error?: string;
}
