/**
 * What we use of Kysely, by one way in. The build makes one file of it: read as the 280 modules it comes in, it would take
 * ten times as long as everything else a start does for the store.
 */
export { Kysely, PostgresAdapter, PostgresDialect, SqliteDialect, sql } from 'kysely';
export type {
  ExpressionBuilder,
  LogEvent,
  RawBuilder,
  SelectQueryBuilder,
  SqliteDatabase,
  SqliteStatement,
} from 'kysely';
