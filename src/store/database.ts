/**
 * Opens the database: SQLite in a file, or a PostgreSQL server. Both are made ready the same way (migrated under a lock,
 * and written to once), so that one that cannot be used is found at start and not by the first caller.
 * Invariant: a write that resolved is on disk, whatever happens to the process afterwards.
 */
import { appendFile, stat } from 'node:fs/promises';
import { Kysely, PostgresDialect, SqliteDialect, sql, type LogEvent } from './kysely.js';
import type { Client as PgClient } from 'pg';
import type { Logger } from '../ports.js';
import { bump, EVERYTHING } from './counters.js';
import { told } from './database-errors.js';
import { migrate, type Database, type Tables } from './schema.js';
import { SqliteFile } from './sqlite-file.js';

/** What a start waits for another process that holds the file. */
const START_LOCK_WAIT_MS = 2_000;
/** Later the wait blocks everybody else too, so it is short; the caller may come again. */
const LOCK_WAIT_MS = 100;
/** Enough for a daemon's work, few enough for ten daemons on a server with default settings. */
const CONNECTIONS_MAX = 8;
const CONNECT_TIMEOUT_MS = 5_000;
/** As the server's own lists name us. */
const PROGRAM = 'hoody-agentd';
const STATEMENT_TIMEOUT_MS = 15_000;
/** A server that is there has given up by then; one that is not, and never said so, is waited for no longer. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 1_000;
/** Any number that no other program on the same server locks. */
const MIGRATION_LOCK = 0x61_67_64_31;
/** `int8`, which the driver would give as text; ours are counts and times, far below 2^53. */
const INT8_OID = 20;

/** The file at `path`, which is the user's alone when it is new. Rejects with a sentence for people. */
export const openSqlite = async (path: string, logger: Logger): Promise<Database> => {
  try {
    // Opening a pipe would wait for whoever reads it.
    const found = await stat(path).catch(() => undefined);
    if (found && !found.isFile()) throw new Error('the database file cannot be opened');
    // SQLite would make it readable to everybody; its companions get the mode it has. What is in the way, SQLite tells.
    await appendFile(path, '', { mode: 0o600 }).catch(() => {});
    const file = new SqliteFile(path, [
      `busy_timeout = ${LOCK_WAIT_MS}`,
      // WAL with FULL: a commit is one synced append, and who reads the file does not stop us.
      'journal_mode = wal',
      'synchronous = full',
    ]);
    const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: file }), log: failuresTo(logger) });
    await makeReady(db, [`pragma busy_timeout = ${START_LOCK_WAIT_MS}`, 'begin']);
    await sql.raw(`pragma busy_timeout = ${LOCK_WAIT_MS}`).execute(db);
    return db;
  } catch (cause) {
    throw new Error(`the work lists in ${path} cannot be used: ${told(cause)}`, { cause });
  }
};

/** A connection of its own to the server at `url`. Rejects with what the driver rejects with. */
export const connectPostgres = async (url: string): Promise<PgClient> => {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: `${PROGRAM} (changes)`,
  });
  // Whoever uses it hears of it too; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
};

/** The server at `url`, which may carry a password and is therefore in no message. Rejects with a sentence for people. */
export const openPostgres = async (url: string, logger: Logger): Promise<Database> => {
  try {
    // Not loaded by the many who have no server.
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({
      Client: nulFree(pg.Client),
      connectionString: url,
      max: CONNECTIONS_MAX,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      application_name: PROGRAM,
      types: {
        getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
          oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
      },
    });
    // A connection that breaks while nobody uses it; the next query opens another.
    pool.on('error', (cause) => logger.warn({ err: cause }, 'a connection to the database broke'));
    // One that breaks in use tells its query, and nobody else listens: without a listener it would end the process.
    pool.on('connect', (client) => client.on('error', () => undefined));
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), log: failuresTo(logger) });
    await makeReady(db, ['begin', `select pg_advisory_xact_lock(${MIGRATION_LOCK})`]);
    return db;
  } catch (cause) {
    throw new Error(`the work lists in PostgreSQL cannot be used: ${told(cause)}`, { cause });
  }
};

/**
 * PostgreSQL refuses text with NUL, and nothing that is stored has one: with another character in its place, what a caller
 * looks for is simply not there.
 */
const nulFree = (Client: typeof PgClient): typeof PgClient =>
  class extends Client {
    override query = ((text: unknown, values?: unknown[], ...rest: unknown[]) =>
      super.query(text as string, values?.map(withoutNul), ...(rest as []))) as PgClient['query'];
  };

const withoutNul = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;

/** The caller is told that the lists cannot be used; the person who runs the daemon wants to know why. Values are not told. */
const failuresTo =
  (logger: Logger) =>
  (event: LogEvent): void => {
    if (event.level !== 'error') return;
    const { code, message } = event.error as { code?: string; message: string };
    logger.warn({ code, reason: message }, 'the database refused a statement');
  };

/** `opening` ends inside a transaction that holds the lock. Rejects, with all closed, when it cannot be migrated and written. */
const makeReady = async (db: Database, opening: readonly string[]): Promise<void> => {
  try {
    await db.connection().execute(async (connection) => {
      for (const statement of opening) await sql.raw(statement).execute(connection);
      try {
        await migrate(connection);
        await bump(connection, 'starts', EVERYTHING);
        await sql`commit`.execute(connection);
      } catch (error) {
        await sql`rollback`.execute(connection);
        throw error;
      }
    });
  } catch (error) {
    await db.destroy();
    throw error;
  }
};
