/**
 * Errors that may be shown, and the sentences for those that are not ours. What a server says about an error is passed
 * on, shortened and without known secrets; what a library says is passed on only where it helps.
 */
import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import type { SecretMask } from './secret-mask.js';

/** A message of ours: it names what happened and no value. */
export class ToldError extends Error {}

/** The remote server refused the request before it looked at the call: the call has not run. */
export class SessionGoneError extends ToldError {}

/** The remote server wants credentials, or other ones. */
export class UnauthorizedError extends ToldError {}

export const isUnauthorized = (error: unknown): boolean =>
  error instanceof UnauthorizedError || (error instanceof SseError && error.code === UNAUTHORIZED);

export const UNAUTHORIZED = 401;

export const timeoutError = (message: string): ToldError => {
  const error = new ToldError(message);
  error.name = 'TimeoutError';
  return error;
};

export const abortError = (message: string): ToldError => {
  const error = new ToldError(message);
  error.name = 'AbortError';
  return error;
};

/** A server's own words are a hint in a sentence of ours, not a document. */
const QUOTE_LENGTH_MAX = 500;

/** What a server wrote, on one line, short, and without secrets. */
export const quote = (text: string, mask: SecretMask): string =>
  mask.apply(text.replace(/\s+/g, ' ').trim(), QUOTE_LENGTH_MAX);

/** An error of a request or a start as the end of a sentence about the server. */
export const tell = (error: unknown, mask: SecretMask): string => {
  if (!isError(error)) return 'it failed for an unknown reason';
  if (error instanceof ToldError) return error.message;
  if (error instanceof McpError) {
    return `it answered with error ${error.code}: ${quote(error.message.replace(/^MCP error -?\d+: /, ''), mask)}`;
  }
  if (error instanceof SseError && error.code !== undefined) return `it answered ${error.code}`;
  const issues = issuesOf(error);
  if (issues !== undefined) return `its answer is not valid (${quote(issues, mask)})`;
  const network = networkCause(error);
  if (network !== undefined) return network;
  if (isError(error.cause)) return `it could not be reached (${quote(error.cause.message, mask)})`;
  return quote(error.message, mask);
};

/** By shape: what Node's own fetch throws need not be an instance of this realm's Error. */
function isError(value: unknown): value is Error {
  return typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';
}

/** The paths of a failed schema check, told by shape: the schema library is the SDK's business, not ours. */
function issuesOf(error: Error): string | undefined {
  if (!('issues' in error) || !Array.isArray(error.issues)) return undefined;
  const paths = error.issues.map((issue: { path?: unknown[] }) => issue.path?.join('.') || 'as a whole');
  return [...new Set(paths)].join(', ');
}

const NETWORK_FAULTS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens at its address (ECONNREFUSED)',
  ENOTFOUND: 'its host name is unknown (ENOTFOUND)',
  EAI_AGAIN: 'its host name cannot be looked up now (EAI_AGAIN)',
  ECONNRESET: 'it broke the connection (ECONNRESET)',
  UND_ERR_SOCKET: 'it broke the connection',
};

/** `fetch` hides the reason in a chain of causes, some of them errors with several reasons. */
function networkCause(error: Error): string | undefined {
  for (let cause: unknown = error, depth = 0; isError(cause) && depth < 5; cause = cause.cause, depth += 1) {
    if ('code' in cause && typeof cause.code === 'string') {
      return NETWORK_FAULTS[cause.code] ?? `it could not be reached (${cause.code})`;
    }
  }
  return undefined;
}
