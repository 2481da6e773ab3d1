/**
 * The error codes of the contract and the one error class that carries them. Nothing here knows an HTTP status:
 * `http/errors.ts` alone maps a code to one.
 * Invariant: a message names fields and rules, never a value that could be a credential.
 */
export type AgentErrorCode =
  | 'bad_request'
  | 'realm_scope_unsupported'
  | 'invalid_realm'
  | 'tool_mutation_refused'
  | 'approved_required'
  | 'forbidden'
  | 'human_only'
  | 'not_found'
  | 'tool_not_found'
  | 'method_not_allowed'
  | 'mcp_conflict'
  | 'tool_needs_confirmation'
  | 'turn_in_flight'
  | 'gate_parked'
  | 'revision_conflict'
  | 'session_held'
  | 'todo_conflict'
  | 'no_pending_gate'
  | 'stale_gate'
  | 'gate_type_mismatch'
  | 'gate_already_answered'
  | 'gate_already_resolved'
  | 'payload_too_large'
  | 'cwd_not_found'
  | 'rate_limited'
  | 'internal_error'
  | 'service_unavailable'
  | 'restriction_unknown';

/** Codes that only the workspaces family has; in its spelling they are upper case. */
export type WorkspaceOnlyCode = 'workspace_not_found' | 'invalid_provider';

export type ErrorCode = AgentErrorCode | WorkspaceOnlyCode;

export interface ErrorExtras {
  /** Machine-readable detail for the caller, in wire spelling. */
  details?: Record<string, unknown>;
  /** What the log gets and the caller does not. */
  cause?: unknown;
  /** Seconds for `Retry-After`. */
  retryAfterSeconds?: number;
}

/** The literal messages the pages print; codes that are missing here need a message of their own. */
const LITERAL_MESSAGES: Partial<Record<ErrorCode, string>> = {
  bad_request: 'invalid request',
  forbidden: 'request must arrive through the Hoody proxy',
  not_found: 'resource not found',
  tool_not_found: 'no tool with that name',
  mcp_conflict: 'the MCP server list changed since you read it; refresh and try again',
  revision_conflict: 'it changed since you read it; read it again',
  session_held: 'the session is live in another daemon; close it there, or wait until that daemon is gone',
  todo_conflict: 'the todo changed since you read it; read it again',
  tool_needs_confirmation: 'tool requires confirmation before execution',
  human_only: 'probing an MCP server requires direct human confirmation and is not available to machine callers',
  approved_required: 'approved: say true or false',
  no_pending_gate: 'this session waits for nothing',
  stale_gate: 'another gate waits now',
  gate_already_answered: 'this question has been answered',
  gate_already_resolved: 'this gate has ended',
  cwd_not_found: 'cwd: no such folder',
  payload_too_large: 'request body exceeds the configured size limit',
  rate_limited: 'request rate limit exceeded',
  internal_error: 'internal server error',
  service_unavailable: 'service unavailable',
  restriction_unknown: "the login's realm restriction could not be read — retry",
};

export class DaemonError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message?: string, extras: ErrorExtras = {}) {
    super(message ?? LITERAL_MESSAGES[code] ?? code, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = 'DaemonError';
    this.code = code;
    this.details = extras.details;
    this.retryAfterSeconds = extras.retryAfterSeconds;
  }
}

/** Whatever is no DaemonError is an `internal_error` whose cause only the log sees. */
export const toDaemonError = (error: unknown): DaemonError =>
  error instanceof DaemonError ? error : new DaemonError('internal_error', undefined, { cause: error });

/** The 404 of every session-scoped MCP and session route: one answer, so nothing leaks which reason it was. */
export const sessionNotFound = (): DaemonError => new DaemonError('not_found', 'session not found');
