/**
 * Errors on the wire: the one place that knows which HTTP status a code has, and what a body looks like in each path
 * family.
 */
import type { ErrorCodeInContract, WorkspaceErrorCode } from '../../generated/contract.js';
import { type AgentErrorCode, DaemonError, type ErrorCode, type WorkspaceOnlyCode } from '../domain/errors.js';

/** `never` unless both are the same set, so that the table below compiles only while domain and contract agree. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? A : never) : never;

export const STATUS = {
  bad_request: 400,
  realm_scope_unsupported: 400,
  invalid_realm: 400,
  tool_mutation_refused: 400,
  approved_required: 400,
  forbidden: 403,
  human_only: 403,
  not_found: 404,
  tool_not_found: 404,
  method_not_allowed: 405,
  mcp_conflict: 409,
  tool_needs_confirmation: 409,
  turn_in_flight: 409,
  gate_parked: 409,
  revision_conflict: 409,
  session_held: 409,
  todo_conflict: 409,
  no_pending_gate: 409,
  stale_gate: 409,
  gate_type_mismatch: 409,
  gate_already_answered: 409,
  gate_already_resolved: 409,
  payload_too_large: 413,
  cwd_not_found: 422,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
  restriction_unknown: 503,
} as const satisfies Record<Same<AgentErrorCode, ErrorCodeInContract>, number>;

/** The two generations of the API answer errors in two envelopes. */
export type Family = 'agent' | 'workspaces';

const WORKSPACES_PREFIX = '/api/v1/workspaces/';

export const familyOf = (target: string | undefined): Family =>
  target !== undefined && target.startsWith(WORKSPACES_PREFIX) ? 'workspaces' : 'agent';

/** One violation of the contract by a request. Names places and rules, never a value. */
export interface Violation {
  /** `/body/…` is a JSON pointer below the body; `/query/NAME`, `/path/NAME` and `/headers/name` are the other places. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

/** `subject` is how the sentence names the place; the violation says the same for programs. */
export const invalidRequest = (subject: string, violation: Violation): DaemonError =>
  new DaemonError('bad_request', `invalid request: ${subject} ${violation.message}`, {
    details: { errors: [violation] },
  });

export class MethodNotAllowed extends DaemonError {
  readonly allow: string;

  constructor(allow: string) {
    super('method_not_allowed', `this path has no such method; it has ${allow}`);
    this.allow = allow;
  }
}

/** What only the older family has. All of it is a 400. */
const WORKSPACES_ONLY = {
  workspace_not_found: 'WORKSPACE_NOT_FOUND',
  invalid_provider: 'INVALID_PROVIDER',
} as const satisfies Record<WorkspaceOnlyCode, WorkspaceErrorCode>;

const isWorkspacesOnly = (code: ErrorCode): code is WorkspaceOnlyCode => Object.hasOwn(WORKSPACES_ONLY, code);

export const statusOf = (code: ErrorCode): number => (isWorkspacesOnly(code) ? STATUS.bad_request : STATUS[code]);

/** The older family has fewer codes: its twin of a status where it has no twin of the code. */
const WORKSPACES_CODES: Readonly<Record<number, WorkspaceErrorCode>> = {
  400: 'BAD_REQUEST',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  429: 'RATE_LIMITED',
  503: 'SERVICE_UNAVAILABLE',
};

export function errorBody(error: DaemonError, family: Family): object {
  if (family === 'workspaces') {
    const code = isWorkspacesOnly(error.code)
      ? WORKSPACES_ONLY[error.code]
      : (WORKSPACES_CODES[STATUS[error.code]] ?? 'INTERNAL_ERROR');
    return { data: null, errors: [{ code, message: error.message }], success: false };
  }
  return error.details === undefined
    ? { code: error.code, message: error.message }
    : { code: error.code, message: error.message, details: error.details };
}

/** A service that is too busy says when to come back; one second is the shortest wait the header can say. */
const RETRY_AFTER_DEFAULT_SECONDS = 1;

/** `Retry-After` on every `service_unavailable` and wherever the error names a wait; `Allow` on a 405. */
export function errorHeaders(error: DaemonError): Record<string, string> | undefined {
  if (error instanceof MethodNotAllowed) return { Allow: error.allow };
  const seconds =
    error.retryAfterSeconds ?? (error.code === 'service_unavailable' ? RETRY_AFTER_DEFAULT_SECONDS : undefined);
  return seconds === undefined ? undefined : { 'Retry-After': String(seconds) };
}
