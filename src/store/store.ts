/**
 * The store: one set of work lists in one database. The same queries serve SQLite and PostgreSQL; what differs is how
 * the database is opened (database.ts).
 */
import { sql } from './kysely.js';
import { STORED_TOPICS, type ListScope, type StoredTopic } from '../domain/topics.js';
import type { Ids, Logger, Store } from '../ports.js';
import { countsOf } from './counters.js';
import { ChangeListener } from './change-listener.js';
import { connectPostgres, openPostgres, openSqlite } from './database.js';
import { answered, told } from './database-errors.js';
import { Holders } from './holders.js';
import { JobTable } from './job-table.js';
import type { Database } from './schema.js';
import { SessionTable } from './session-table.js';
import { TodoTable } from './todo-table.js';
import { WorkflowRunTable } from './workflow-run-table.js';
import { WorkflowTable } from './workflow-table.js';

export interface StoreOptions {
  /** Of a PostgreSQL server; null is the SQLite file. */
  readonly url: string | null;
  readonly sqlitePath: string;
  readonly ids: Ids;
  readonly logger: Logger;
  /** This run of the daemon, and the one before it when that did not end by itself. */
  readonly run: { readonly id: string; readonly previous?: string | undefined };
}

/** Opens the store and brings its schema up to date. Rejects with a sentence for people, which carries no password. */
export const openStore = async ({ url, sqlitePath, ids, logger, run }: StoreOptions): Promise<Store> => {
  const db = url === null ? await openSqlite(sqlitePath, logger) : await openPostgres(url, logger);
  const holders = new Holders(db, { id: run.id, previous: run.previous, isAlone: url === null });
  const begin = async (): Promise<string> => {
    await holders.begin();
    return identityOf(db, ids);
  };
  const id = await begin().catch(async (cause: unknown) => {
    await db.destroy();
    throw new Error(`the work lists cannot be used: ${told(cause)}`, { cause });
  });
  const changes = url === null ? undefined : new ChangeListener(() => connectPostgres(url), logger);
  return {
    id,
    sessions: new SessionTable(db, run.id, holders),
    todos: new TodoTable(db),
    workflows: new WorkflowTable(db),
    workflowRuns: new WorkflowRunTable(db, run.id),
    jobs: new JobTable(db, run.id),
    presence: holders,
    counts: (scope) => answered(() => readCounts(db, scope)),
    watch: (scope, listener) => changes?.watch(scope, listener) ?? (() => undefined),
    close: async () => {
      await changes?.close();
      // What cannot be told now the others find out by themselves.
      await holders.end().catch(() => undefined);
      await db.destroy();
    },
  };
};

const readCounts = async (db: Database, scope: ListScope): Promise<Readonly<Record<StoredTopic, number>>> => {
  const counts = await countsOf(db, scope);
  return Object.fromEntries(STORED_TOPICS.map((topic) => [topic, counts.get(topic) ?? 0])) as Record<
    StoredTopic,
    number
  >;
};

/** Made when the database is new. Two databases never have the same, however alike their counts. */
const identityOf = async (db: Database, ids: Ids): Promise<string> => {
  await db
    .insertInto('meta')
    .values({ key: 'store-id', value: ids.ulid() })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  const row = await db
    .selectFrom('meta')
    .select('value')
    .where('key', '=', sql.lit('store-id'))
    .executeTakeFirstOrThrow();
  return row.value;
};
