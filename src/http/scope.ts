/**
 * The scope of a request: realm, cwd, config dir, container, tool mode and dir scope, read from the headers of every
 * operation and refused where the operation's `x-scopes` omit a dimension. A table lookup; whether the login serves that
 * realm, and what is in it, is the handlers' question.
 */
import type { IncomingMessage } from 'node:http';
import { isAbsolute } from 'node:path';
import { DaemonError } from '../domain/errors.js';
import type { DirScope, Login, Scope, ToolMode } from '../domain/session.js';
import type { Operation } from './contract.js';
import { invalidRequest } from './errors.js';

const REALM = /^(?:global|[0-9a-f]{24})$/;
const TOOL_MODES: ReadonlySet<string> = new Set<ToolMode>(['full', 'read_only', 'standard', 'orchestrator']);
const DIR_SCOPES: ReadonlySet<string> = new Set<DirScope>(['home', 'full']);

/**
 * The scope as given. An empty header counts as absent; the realm header wins over the query.
 * Throws `realm_scope_unsupported`, `invalid_realm`, `bad_request`, and `restriction_unknown` on a realm-scoped operation
 * while it is unknown which realms the login may serve.
 */
export function readScope(operation: Operation, request: IncomingMessage, queryRealm: unknown, login: Login): Scope {
  const realm = readRealm(operation, single(request, 'x-hoody-realm') ?? (queryRealm as string | undefined), login);
  if (single(request, 'x-hoody-container') !== undefined) refuseContainer(operation);
  const scope: Scope = {
    realm,
    cwd: readPath(request, 'x-hoody-cwd'),
    configDir: readPath(request, 'x-hoody-config-dir'),
    toolMode: operation.scopes.has('tool_mode')
      ? readChoice<ToolMode>(request, 'x-hoody-tool-mode', TOOL_MODES)
      : undefined,
    dirScope: operation.scopes.has('dir_scope')
      ? readChoice<DirScope>(request, 'x-hoody-dir-scope', DIR_SCOPES)
      : undefined,
  };
  if (login.serves === 'unknown' && operation.scopes.has('realm')) throw new DaemonError('restriction_unknown');
  return scope;
}

/** A realm named in a body, undefined when absent or empty. Throws `invalid_realm`. */
export function checkRealm(member: string, value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (!REALM.test(value)) throw invalidRealm(member);
  return value;
}

/** A path named in a body, undefined when absent. Throws `bad_request` unless it is absolute and free of NUL. */
export function checkPath(member: string, value: string | undefined): string | undefined {
  const rule = value === undefined ? undefined : brokenPathRule(value);
  if (rule !== undefined)
    throw invalidRequest(`/${member}`, { pointer: `/body/${member}`, keyword: 'format', message: rule });
  return value;
}

const invalidRealm = (subject: string): DaemonError =>
  new DaemonError('invalid_realm', `${subject}: must be "global" or 24 lower-case hex digits`);

function brokenPathRule(path: string): string | undefined {
  if (path.includes('\0')) return 'must not contain NUL';
  return isAbsolute(path) ? undefined : 'must be an absolute path';
}

function readRealm(operation: Operation, given: string | undefined, login: Login): string | undefined {
  if (given === undefined || given === '') return undefined;
  if (!operation.scopes.has('realm')) {
    throw new DaemonError('realm_scope_unsupported', 'this route has no realm to scope by');
  }
  if (!REALM.test(given)) throw invalidRealm('X-Hoody-Realm');
  if (login.pinned !== null && given !== login.pinned) {
    throw new DaemonError('realm_scope_unsupported', 'this daemon is pinned to another realm');
  }
  return given;
}

function refuseContainer(operation: Operation): never {
  if (operation.containerRefusal === 'realm_scope_unsupported') {
    throw new DaemonError('realm_scope_unsupported', 'this route has no container to scope by');
  }
  throw badHeader('x-hoody-container', 'unsupported', 'is not supported: this daemon serves the local machine only');
}

function readPath(request: IncomingMessage, name: string): string | undefined {
  const value = single(request, name);
  if (value === undefined) return undefined;
  const rule = brokenPathRule(value);
  if (rule !== undefined) throw badHeader(name, 'format', rule);
  return value;
}

function readChoice<T extends string>(
  request: IncomingMessage,
  name: string,
  choices: ReadonlySet<string>,
): T | undefined {
  const value = single(request, name);
  if (value === undefined) return undefined;
  if (!choices.has(value)) throw badHeader(name, 'enum', `must be one of ${[...choices].join(', ')}`);
  return value as T;
}

/**
 * The value of a header, undefined when absent or empty. Node joins repeated headers (two paths would read as one) and
 * reads bytes as Latin-1 (paths are UTF-8), so both are looked at here.
 */
function single(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  if (value === undefined || value === '') return undefined;
  const text = String(value);
  if (text.includes(', ') && countOf(request.rawHeaders, name) > 1) {
    throw badHeader(name, 'duplicate', 'must be given once');
  }
  return ASCII.test(text) ? text : fromUtf8(text, name);
}

/** How often a header (its name in lower case) was sent. */
export function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const raw = rawHeaders[index]!;
    if (raw.length === name.length && raw.toLowerCase() === name) count += 1;
  }
  return count;
}

// oxlint-disable-next-line no-control-regex -- the range is the point.
const ASCII = /^[\x00-\x7f]*$/;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

function fromUtf8(latin1: string, name: string): string {
  try {
    return strictUtf8.decode(Buffer.from(latin1, 'latin1'));
  } catch {
    throw badHeader(name, 'encoding', 'must be UTF-8');
  }
}

const badHeader = (name: string, keyword: string, message: string): DaemonError =>
  invalidRequest(`header ${name}`, { pointer: `/headers/${name}`, keyword, message });
