/**
 * The tables, as Kysely is told of them, and the migrations that make them. What a query selects or orders by is a
 * column; the rest of a record is its JSON text, which carries every string unharmed (SQLite cuts text at NUL when it is
 * read, PostgreSQL refuses it).
 * Invariant: a migration that was released is never edited; a change of the schema is another one at the end.
 */
import { sql, type Kysely } from './kysely.js';

export interface Tables {
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
}

export type Database = Kysely<Tables>;

type Migration = (db: Database) => Promise<void>;

/** The first schema: sessions, todos and the counters behind change tokens. */
const first: Migration = async (db) => {
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

/** The version of a schema is how many of these it has had. */
export const MIGRATIONS: readonly Migration[] = [first];

/** Makes the schema the newest. Runs inside a transaction that holds the lock; rejects when the schema is newer than this program. */
export const migrate = async (db: Database, migrations: readonly Migration[] = MIGRATIONS): Promise<void> => {
  await sql`create table if not exists schema_version (version bigint not null)`.execute(db);
  const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(db);
  const version = rows[0]?.version ?? 0;
  if (version > migrations.length) {
    throw new Error(
      `its schema is version ${version}, and this program knows versions up to ${migrations.length}: run the newer program`,
    );
  }
  if (version === migrations.length) return;
  for (const migration of migrations.slice(version)) await migration(db);
  await sql`delete from schema_version`.execute(db);
  await sql`insert into schema_version (version) values (${migrations.length})`.execute(db);
};
