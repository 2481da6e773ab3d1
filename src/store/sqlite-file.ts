/**
 * A SQLite file as Kysely wants it, over a driver that needs some care: a statement that failed stays in progress until
 * it is collected as garbage, and as long as it does no transaction of its connection can be committed.
 * Invariant: no transaction begins on a connection on which a statement has failed; it gets a new one.
 */
import type { SqliteDatabase, SqliteStatement } from './kysely.js';
import Sqlite from 'libsql';

type Row = ReturnType<SqliteStatement['all']>;

/** What SQLite has undone already when it refused the statement. */
const NOTHING_TO_DO: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [][Symbol.iterator](),
};

/** Far more than there are queries; their lists vary in length. */
const STATEMENTS_MAX = 200;

export class SqliteFile implements SqliteDatabase {
  readonly #path: string;
  readonly #pragmas: readonly string[];
  #connection: Sqlite.Database;
  readonly #statements = new Map<string, Sqlite.Statement>();
  #hasFailed = false;

  /** The pragmas are set on every connection. Throws what the driver throws. */
  constructor(path: string, pragmas: readonly string[]) {
    this.#path = path;
    this.#pragmas = pragmas;
    this.#connection = this.#connect();
  }

  prepare(text: string): SqliteStatement {
    const { inTransaction } = this.#connection;
    if (this.#hasFailed && !inTransaction) this.#reconnect();
    if (text === 'rollback' && !inTransaction) return NOTHING_TO_DO;
    // Asks for the right to write at once: the only moment at which another process can refuse it.
    const statement = this.#guarded(() => this.#prepared(text === 'begin' ? 'begin immediate' : text));
    return {
      reader: statement.reader,
      all: (values) => this.#guarded(() => statement.all(values) as Row),
      run: (values) => this.#guarded(() => statement.run(values)),
      iterate: () => {
        throw new Error('rows are read all at once');
      },
    };
  }

  close(): void {
    this.#connection.close();
  }

  /** Most queries are the same few: parsing them costs more than running them. */
  #prepared(text: string): Sqlite.Statement {
    const known = this.#statements.get(text);
    if (known) return known;
    const statement = this.#connection.prepare(text);
    if (this.#statements.size >= STATEMENTS_MAX) this.#statements.delete(this.#statements.keys().next().value!);
    this.#statements.set(text, statement);
    return statement;
  }

  #connect(): Sqlite.Database {
    const connection = new Sqlite(this.#path);
    for (const pragma of this.#pragmas) connection.pragma(pragma);
    return connection;
  }

  #reconnect(): void {
    const failed = this.#connection;
    this.#connection = this.#connect();
    this.#statements.clear();
    this.#hasFailed = false;
    failed.close();
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }
}
