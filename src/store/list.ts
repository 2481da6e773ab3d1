/** What every list has in common: whose it is, and the window that is asked for. */
import type { SelectQueryBuilder } from './kysely.js';
import type { Listed, ListScope, Window } from '../domain/topics.js';
import type { Tables } from './schema.js';

/** The tables of lists that are seen by folder and config dir. */
type ListTable = 'sessions' | 'todos' | 'workflow_runs';

type Rows<T extends ListTable> = SelectQueryBuilder<Tables, T, object>;

/** The rows of the scope. All of them have the four columns; the cast is what lets one function say so. */
export const inScope = <T extends ListTable>(rows: Rows<T>, scope: ListScope): Rows<T> => {
  let query = (rows as unknown as Rows<'todos'>).where('account', '=', scope.account).where('realm', '=', scope.realm);
  if (scope.cwd !== undefined) query = query.where('cwd', '=', scope.cwd);
  if (scope.configDir !== undefined) query = query.where('config_dir', '=', scope.configDir);
  return query as unknown as Rows<T>;
};

/** The window of the ordered rows, and how many there are in all. */
export const windowed = async <T extends ListTable, Row>(
  rows: Rows<T>,
  { page, limit }: Window,
  ordered: (rows: Rows<T>) => SelectQueryBuilder<Tables, T, Row>,
): Promise<Listed<Row>> => {
  if (limit === 0) {
    const items = (await ordered(rows).execute()) as Row[];
    return { items, total: items.length };
  }
  const { total } = (await rows
    .select((row) => row.fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow()) as { total: number | string };
  const items = (await ordered(rows)
    .limit(limit)
    .offset((page - 1) * limit)
    .execute()) as Row[];
  return { items, total: Number(total) };
};
