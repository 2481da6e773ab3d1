/**
 * The tables, as Kysely is told of them, and the migrations that make them. What a query selects or orders by is a
 * column; the rest of a record is its JSON text, which carries every string unharmed (SQLite cuts text at NUL when it is
 * read, PostgreSQL refuses it).
 * Invariant: a migration that was released is never edited or renamed; a change of the schema is another one at the end,
 * which adds and takes nothing away, so that it does not matter which of two comes first.
 */
import { PostgresAdapter, sql, type Kysely } from './kysely.js';

/** On which daemons tell each other of changes. */
export const CHANGES_CHANNEL = 'hoody_agentd_changes';

export interface Tables {
  /** The names of those the database has had. */
  migrations: { name: string };
  meta: { key: string; value: string };
  /** How often what the key names changed. `''` stands for any folder or config dir. */
  counters: { name: string; account: string; realm: string; cwd: string; config_dir: string; value: number };
  sessions: {
    id: string;
    account: string;
    realm: string;
    cwd: string;
    config_dir: string | null;
    /** Order of opening within account and realm. */
    position: number;
    last_request_at: number;
    document: string;
    /** The daemon in which it is live; null while it is closed. */
    held_by: string | null;
  };
  todos: {
    id: string;
    account: string;
    realm: string;
    cwd: string;
    config_dir: string | null;
    num: number;
    state: string;
    priority: number;
    rank: number;
    archived_at: number | null;
    closed_at: number | null;
    /** Lower case, for searching. */
    search_text: string;
    document: string;
  };
  todo_tags: { todo_id: string; tag: string };
  todo_events: { todo_id: string; position: number; document: string };
  workflows: {
    account: string;
    realm: string;
    name: string;
    revision: number;
    document: string;
  };
  workflow_runs: {
    id: string;
    account: string;
    realm: string;
    cwd: string;
    config_dir: string | null;
    /** Counts up within account and realm. */
    num: number;
    /** The daemon that works on it. */
    daemon: string;
    status: string;
    document: string;
    /** What its steps came to; a list does not read it. */
    steps: string;
  };
  /** Those that work on this database, and until when each is taken to live. */
  daemons: { id: string; expires_at: number };
  jobs: {
    id: string;
    /** The one that runs it. */
    daemon: string;
    /** Null until it is over. */
    ended_at: number | null;
    size: number;
    document: string;
  };
}

export type Database = Kysely<Tables>;

type Migration = (db: Database) => Promise<void>;

/** The first schema: sessions, todos and the counters behind change tokens. */
const lists: Migration = async (db) => {
  await db.schema
    .createTable('meta')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('counters')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('realm', 'text', (column) => column.notNull())
    .addColumn('cwd', 'text', (column) => column.notNull())
    .addColumn('config_dir', 'text', (column) => column.notNull())
    .addColumn('value', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('counters_key', ['account', 'realm', 'cwd', 'config_dir', 'name'])
    .execute();
  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('realm', 'text', (column) => column.notNull())
    .addColumn('cwd', 'text', (column) => column.notNull())
    .addColumn('config_dir', 'text')
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('last_request_at', 'bigint', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('sessions_list').on('sessions').columns(['account', 'realm', 'position']).execute();
  await db.schema
    .createTable('todos')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('realm', 'text', (column) => column.notNull())
    .addColumn('cwd', 'text', (column) => column.notNull())
    .addColumn('config_dir', 'text')
    .addColumn('num', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('priority', 'bigint', (column) => column.notNull())
    .addColumn('rank', 'double precision', (column) => column.notNull())
    .addColumn('archived_at', 'bigint')
    .addColumn('closed_at', 'bigint')
    .addColumn('search_text', 'text', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('todos_list')
    .on('todos')
    .columns(['account', 'realm', 'priority', 'rank', 'num'])
    .execute();
  await db.schema
    .createTable('todo_tags')
    .addColumn('todo_id', 'text', (column) => column.notNull())
    .addColumn('tag', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('todo_tags_key', ['tag', 'todo_id'])
    .execute();
  await db.schema.createIndex('todo_tags_of').on('todo_tags').columns(['todo_id']).execute();
  await db.schema
    .createTable('todo_events')
    .addColumn('todo_id', 'text', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('todo_events_key', ['todo_id', 'position'])
    .execute();
};

/** Workflows and their runs. */
const workflows: Migration = async (db) => {
  await db.schema
    .createTable('workflows')
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('realm', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('workflows_key', ['account', 'realm', 'name'])
    .execute();
  await db.schema
    .createTable('workflow_runs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('realm', 'text', (column) => column.notNull())
    .addColumn('cwd', 'text', (column) => column.notNull())
    .addColumn('config_dir', 'text')
    .addColumn('num', 'bigint', (column) => column.notNull())
    .addColumn('daemon', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .addColumn('steps', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('workflow_runs_list').on('workflow_runs').columns(['account', 'realm', 'num']).execute();
  await db.schema.createIndex('workflow_runs_of').on('workflow_runs').columns(['daemon', 'status']).execute();
};

/** Which daemon holds a session, and the jobs of all. */
const daemons: Migration = async (db) => {
  await db.schema
    .createTable('daemons')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.alterTable('sessions').addColumn('held_by', 'text').execute();
  await db.schema
    .createIndex('sessions_held')
    .on('sessions')
    .column('held_by')
    .where('held_by', 'is not', null)
    .execute();
  await db.schema
    .createTable('jobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('daemon', 'text', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('jobs_ended').on('jobs').columns(['ended_at', 'id', 'size']).execute();
};

/** On PostgreSQL, tells whoever listens when the count of a whole account and realm moves; sent with the commit. */
const notices: Migration = async (db) => {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return;
  await sql`
    create function hoody_agentd_notice() returns trigger language plpgsql as $$
    begin
      perform pg_notify(${sql.lit(CHANGES_CHANNEL)}, md5(new.account || chr(10) || new.realm));
      return null;
    end $$`.execute(db);
  await sql`
    create trigger counters_notice after insert or update on counters for each row
    when (new.cwd = '' and new.config_dir = '' and new.account <> '')
    execute function hoody_agentd_notice()`.execute(db);
};

/** In the order in which a new database gets them. One that was made elsewhere in another order is as good. */
export const MIGRATIONS: ReadonlyMap<string, Migration> = new Map([
  ['lists', lists],
  ['workflows', workflows],
  ['daemons', daemons],
  ['notices', notices],
]);

/** What a program that counted its migrations reads of a database that names them: newer than the one it knows. */
const NAMED_VERSION = 2;

/**
 * Makes the migrations that the database has not had. Runs inside a transaction that holds the lock; rejects when it has
 * had one that this program does not know.
 */
export const migrate = async (db: Database, migrations = MIGRATIONS): Promise<void> => {
  await sql`create table if not exists migrations (name text primary key)`.execute(db);
  await adoptNumbered(db);
  const made = new Set((await db.selectFrom('migrations').select('name').execute()).map(({ name }) => name));
  const unknown = [...made].filter((name) => !migrations.has(name));
  if (unknown.length > 0) {
    throw new Error(`a newer program has changed its schema (${unknown.join(', ')}): run that program`);
  }
  for (const [name, migration] of migrations) {
    if (made.has(name)) continue;
    await migration(db);
    await db.insertInto('migrations').values({ name }).execute();
  }
};

/** The first schema was released under a number. */
const adoptNumbered = async (db: Database): Promise<void> => {
  await sql`create table if not exists schema_version (version bigint not null)`.execute(db);
  const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(db);
  const version = rows[0]?.version;
  if (version === NAMED_VERSION) return;
  if (version === 1) await db.insertInto('migrations').values({ name: 'lists' }).execute();
  await sql`delete from schema_version`.execute(db);
  await sql`insert into schema_version (version) values (${NAMED_VERSION})`.execute(db);
};
