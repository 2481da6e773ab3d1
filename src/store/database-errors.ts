/**
 * What a database says when it cannot work, in words for people, and which of it is a state of the world (a caller may
 * come again) and not a mistake of ours.
 */
import { DaemonError } from '../domain/errors.js';

/** By the beginning of the code: SQLite's names, PostgreSQL's SQLSTATE classes, and the system's names for sockets. */
const OUTAGES: readonly (readonly [prefix: string, what: string])[] = [
  ['SQLITE_BUSY', 'another process holds the database'],
  ['SQLITE_LOCKED', 'another process holds the database'],
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_READONLY', 'the database is read-only'],
  ['SQLITE_CANTOPEN', 'the database file cannot be opened'],
  ['SQLITE_IOERR', 'the disk does not read or write the database'],
  ['SQLITE_NOTADB', 'the file is no database'],
  ['SQLITE_CORRUPT', 'the database file is damaged'],
  ['SQLITE_PERM', 'the database may not be used by this user'],
  ['SQLITE_NOMEM', 'there is no memory left for the database'],
  ['08', 'the database server does not answer'],
  ['25006', 'the database is read-only'],
  ['28', 'the database server refuses the login'],
  ['3D', 'there is no database of that name'],
  ['40', 'the database is too busy'],
  ['42501', 'the database may not be used by this user'],
  ['53100', 'the disk of the database server is full'],
  ['53', 'the database server has no room for more'],
  ['55P03', 'another process holds the database'],
  ['57014', 'the database is too busy'],
  ['57', 'the database server is stopping'],
  ['58', 'the database server cannot read or write its disk'],
  ['ECONN', 'the database server does not answer'],
  ['ENOTFOUND', 'the database server is not known'],
  ['EAI_', 'the database server is not known'],
  ['ETIMEDOUT', 'the database server does not answer'],
  ['EPIPE', 'the database server does not answer'],
];

/** The drivers' own words; these errors have no code. */
const WORDS: readonly (readonly [RegExp, what: string])[] = [
  [
    /connection terminated|timeout exceeded|read timeout|not queryable|closed the connection/i,
    'the database server does not answer',
  ],
  [/unable to open/i, 'the database file cannot be opened'],
];

const outageOf = (error: unknown): string | undefined => {
  // A refused connection to a name with several addresses comes as one error for each.
  const {
    code,
    syscall,
    message = '',
  } = (error instanceof AggregateError ? error.errors[0] : error) as {
    code?: unknown;
    syscall?: string;
    message?: string;
  };
  // Without a server there is no socket file either.
  if (syscall === 'connect') return 'the database server does not answer';
  const byCode = typeof code === 'string' && OUTAGES.find(([prefix]) => code.startsWith(prefix));
  return (byCode || WORDS.find(([words]) => words.test(message)))?.[1];
};

/** Why it failed, for the person who starts the daemon. */
export const told = (error: unknown): string => outageOf(error) ?? (error as Error).message;

/** Does what `work` does; an outage is `service_unavailable`, anything else is thrown as it is. */
export const answered = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const outage = error instanceof DaemonError ? undefined : outageOf(error);
    if (outage === undefined) throw error;
    throw new DaemonError('service_unavailable', `the work lists cannot be used now: ${outage}`, { cause: error });
  }
};
