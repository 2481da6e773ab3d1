/**
 * Counters of changes, kept in the transaction of the change itself. Each change counts for every scope that can see it:
 * the whole account and realm, its folder, its config dir, and both together. So asking whether a list changed is one
 * read of one row, however long the list is.
 * Invariant: the row of the whole is counted first, so that two writers on PostgreSQL wait for each other there and
 * nowhere else; whoever holds it is the only writer of that account and realm.
 */
import { sql } from './kysely.js';
import type { ListScope } from '../domain/topics.js';
import type { Database } from './schema.js';

const ANY = '';
/** Databases limit the values of one statement; a purge may touch many folders. */
const ROWS_MAX = 500;

/** Belongs to nobody: what counts for the database itself. */
export const EVERYTHING: ListScope = { account: ANY, realm: ANY };

/** Counts one up in the scope as it is given, and in no other. Returns the count. */
export const bump = async (db: Database, name: string, scope: ListScope): Promise<number> => countUp(db, name, [scope]);

/** Where something is: the folder it belongs to, and the config dir when it has one. */
export interface Place {
  readonly cwd: string;
  readonly configDir: string | null;
}

/** Counts a change of something at each of `places` for every scope that sees it. Returns the count of the whole. */
export const countChange = async (
  db: Database,
  name: string,
  { account, realm }: Pick<ListScope, 'account' | 'realm'>,
  places: readonly Place[],
): Promise<number> => {
  const narrower = new Map<string, ListScope>();
  for (const { cwd, configDir } of places) {
    for (const dir of configDir === null ? [undefined] : [undefined, configDir]) {
      for (const folder of [undefined, cwd]) {
        if (folder === undefined && dir === undefined) continue;
        narrower.set(JSON.stringify([folder, dir]), { account, realm, cwd: folder, configDir: dir });
      }
    }
  }
  const inOrder = [...narrower.keys()].toSorted().map((key) => narrower.get(key)!);
  return countUp(db, name, [{ account, realm }, ...inOrder]);
};

/** One up in each of the scopes, which are distinct. Returns the count of the first. */
const countUp = async (db: Database, name: string, scopes: readonly ListScope[]): Promise<number> => {
  let first: number | undefined;
  for (let start = 0; start < scopes.length; start += ROWS_MAX) {
    const rows = scopes.slice(start, start + ROWS_MAX).map(({ account, realm, cwd = ANY, configDir = ANY }) => ({
      name,
      account,
      realm,
      cwd,
      config_dir: configDir,
      value: 1,
    }));
    const counted = await db
      .insertInto('counters')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['account', 'realm', 'cwd', 'config_dir', 'name'])
          .doUpdateSet({ value: sql<number>`counters.value + 1` }),
      )
      .returning(['cwd', 'config_dir', 'value'])
      .execute();
    const { cwd, config_dir: dir } = rows[0]!;
    first ??= counted.find((row) => row.cwd === cwd && row.config_dir === dir)!.value;
  }
  return first!;
};

/** The counts of a scope by name; what never changed is missing. */
export const countsOf = async (db: Database, scope: ListScope): Promise<ReadonlyMap<string, number>> => {
  const rows = await db
    .selectFrom('counters')
    .select(['name', 'value'])
    .where('account', '=', scope.account)
    .where('realm', '=', scope.realm)
    .where('cwd', '=', scope.cwd ?? ANY)
    .where('config_dir', '=', scope.configDir ?? ANY)
    .execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
};
