/**
 * Who the daemon is logged in as. The file is another program's, which replaces it whenever the login changes; it is
 * looked at whenever somebody asks, so no answer is older than the file. A file that is configured but missing, torn or
 * of another shape is a login whose restriction is unknown: nothing is served then, rather than too much.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.js';
import type { Login } from '../domain/session.js';
import type { Logger, LoginSource } from '../ports.js';
import { whyUnreadable } from './file-errors.js';
import { FreshFile } from './file-stamp.js';

const LOCAL_LOGIN: Login = { accountId: 'local', activeRealm: 'global', serves: 'all', pinned: null };
const UNKNOWN_LOGIN: Login = { accountId: 'unknown', activeRealm: 'global', serves: 'unknown', pinned: null };

const MEMBERS = ['account_id', 'active_realm', 'serves', 'pinned'];
const REALM = /^(global|[0-9a-f]{24})$/;

/** Without a path: the local account, which serves every realm. */
export const createLoginSource = (path: string | undefined, logger: Logger): LoginSource => {
  if (path === undefined) return { current: () => LOCAL_LOGIN };
  let lastReason: string | undefined;
  const parse = (text: string): Login => {
    const login = parseLogin(text);
    lastReason = undefined;
    return login;
  };
  const file = new FreshFile(path, parse, (error) => {
    const reason = error instanceof LoginFault ? error.message : whyUnreadable(error);
    // Asked on every request, so one fault is told once.
    if (reason !== lastReason) logger.warn({ path, reason }, 'the login file cannot be used; serving no realm');
    lastReason = reason;
    return UNKNOWN_LOGIN;
  });
  return { current: () => file.current() };
};

/** Names the member and the rule it breaks. */
class LoginFault extends Error {}

const parseLogin = (text: string): Login => {
  const document = parseObject(text);
  for (const member of Object.keys(document)) {
    // A misspelt restriction must not count as no restriction.
    if (!MEMBERS.includes(member)) throw new LoginFault(`it has a member other than ${MEMBERS.join(', ')}`);
  }
  const { account_id: accountId, active_realm: activeRealm, serves, pinned = null } = document;
  if (typeof accountId !== 'string' || accountId === '') throw new LoginFault('account_id: must be a non-empty string');
  if (!isRealm(activeRealm)) throw new LoginFault('active_realm: must be global or 24 lower-case hex digits');
  if (pinned !== null && !isRealm(pinned))
    throw new LoginFault('pinned: must be null, global or 24 lower-case hex digits');
  if (serves === 'all' || serves === 'unknown') return { accountId, activeRealm, serves, pinned };
  if (Array.isArray(serves) && serves.every(isRealm)) return { accountId, activeRealm, serves, pinned };
  throw new LoginFault('serves: must be all, unknown or a list of realms');
};

const parseObject = (text: string): JsonObject => {
  let document: JsonValue;
  try {
    document = JSON.parse(text) as JsonValue;
  } catch {
    throw new LoginFault('it is not JSON');
  }
  if (!isJsonObject(document)) throw new LoginFault('it is not a JSON object');
  return document;
};

const isRealm = (value: JsonValue | undefined): value is string => typeof value === 'string' && REALM.test(value);
