/** Todos in the store, with their timelines. What a change may be is decided by the plan that is handed in. */
import { sql } from './kysely.js';
import { CLOSED_STATES, type Todo, type TodoEvent, type TodoFilter, type TodoPlan } from '../domain/todo.js';
import type { Listed, ListScope, Window } from '../domain/topics.js';
import type { TodoStore } from '../ports.js';
import { bump, countChange, countsOf } from './counters.js';
import { answered } from './database-errors.js';
import { inScope, windowed } from './list.js';
import type { Database, Tables } from './schema.js';

const TOPIC = 'todos';
const NUMBERS = 'todo-numbers';
/** Rows a statement may touch at once: SQLite takes some thousand parameters. */
const BATCH_ROWS = 500;

export class TodoTable implements TodoStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  insert(created: Omit<Todo, 'num'>): Promise<Todo> {
    return this.#change(async (db) => {
      const { account, realm } = created;
      await countChange(db, TOPIC, created, [created]);
      const todo = { ...created, num: await bump(db, NUMBERS, { account, realm }) };
      await db.insertInto('todos').values(rowOf(todo)).execute();
      await setTags(db, todo);
      await note(db, todo, { at: todo.createdAt, kind: 'created' });
      return todo;
    });
  }

  find(id: string): Promise<Todo | undefined> {
    return answered(() => find(this.#db, id));
  }

  timeline(id: string): Promise<TodoEvent[]> {
    return answered(async () => {
      const query = this.#db.selectFrom('todo_events').select('document').where('todo_id', '=', id);
      const rows = await query.orderBy('position').execute();
      return rows.map(({ document }) => JSON.parse(document) as TodoEvent);
    });
  }

  list(scope: ListScope, filter: TodoFilter, window: Window): Promise<Listed<Todo> & { revision: number }> {
    return answered(async () => {
      // Counted before it is listed: what changes in between moves the count once more.
      const revision = (await countsOf(this.#db, scope)).get(TOPIC) ?? 0;
      let query = inScope(this.#db.selectFrom('todos'), scope);
      if (!filter.archived) query = query.where('archived_at', 'is', null);
      if (filter.openOnly) query = query.where('state', 'not in', CLOSED_STATES);
      if (filter.states.length > 0) query = query.where('state', 'in', filter.states);
      if (filter.text !== undefined) {
        query = query.where(sql<boolean>`search_text like ${`%${escaped(searchable(filter.text))}%`} escape '!'`);
      }
      for (const tag of filter.tags) {
        query = query.where((row) =>
          row.exists(
            row
              .selectFrom('todo_tags')
              .select('tag')
              .whereRef('todo_tags.todo_id', '=', 'todos.id')
              .where('todo_tags.tag', '=', tag),
          ),
        );
      }
      const { items, total } = await windowed(query, window, (all) =>
        filter.sort === 'closed_at'
          ? all
              .selectAll()
              .orderBy((row) => row.fn.coalesce('closed_at', sql<number>`-1`), 'desc')
              .orderBy('num', 'desc')
          : all.selectAll().orderBy('priority').orderBy('rank').orderBy('num'),
      );
      return { items: items.map(todoOf), total, revision };
    });
  }

  update(id: string, scope: ListScope, plan: (todo: Todo | undefined) => TodoPlan): Promise<Todo> {
    return this.#change(async (db) => {
      // The count of the whole is also the lock: nobody else changes this account and realm until we are done.
      await bump(db, TOPIC, { account: scope.account, realm: scope.realm });
      const before = await find(db, id);
      const { todo, event } = plan(before);
      await countChange(db, TOPIC, todo, [before ?? todo, todo]);
      await db.updateTable('todos').set(rowOf(todo)).where('id', '=', id).execute();
      await setTags(db, todo, before);
      await note(db, todo, event);
      return todo;
    });
  }

  purge(scope: ListScope, archivedBefore: number): Promise<number> {
    return this.#change(async (db) => {
      await bump(db, TOPIC, { account: scope.account, realm: scope.realm });
      const gone = await inScope(db.selectFrom('todos'), scope)
        .select(['id', 'cwd', 'config_dir'])
        .where('archived_at', '<', archivedBefore)
        .execute();
      if (gone.length === 0) return 0;
      const places = gone.map(({ cwd, config_dir }) => ({ cwd, configDir: config_dir }));
      await countChange(db, TOPIC, scope, places);
      for (let start = 0; start < gone.length; start += BATCH_ROWS) {
        const ids = gone.slice(start, start + BATCH_ROWS).map(({ id }) => id);
        await db.deleteFrom('todo_events').where('todo_id', 'in', ids).execute();
        await db.deleteFrom('todo_tags').where('todo_id', 'in', ids).execute();
        await db.deleteFrom('todos').where('id', 'in', ids).execute();
      }
      return gone.length;
    });
  }

  #change<T>(work: (db: Database) => Promise<T>): Promise<T> {
    return answered(() => this.#db.transaction().execute(work));
  }
}

const find = async (db: Database, id: string): Promise<Todo | undefined> => {
  const row = await db.selectFrom('todos').selectAll().where('id', '=', id).executeTakeFirst();
  return row && todoOf(row);
};

/** Every event raises the revision or the comments of its todo by one, so together they number it. */
const note = async (db: Database, { id, revision, commentCount }: Todo, event: TodoEvent): Promise<void> => {
  await db
    .insertInto('todo_events')
    .values({ todo_id: id, position: revision + commentCount, document: JSON.stringify(event) })
    .execute();
};

const setTags = async (db: Database, { id, tags }: Todo, before?: Todo): Promise<void> => {
  if (before !== undefined && before.tags.join() === tags.join()) return;
  if (before !== undefined) await db.deleteFrom('todo_tags').where('todo_id', '=', id).execute();
  if (tags.length === 0) return;
  await db
    .insertInto('todo_tags')
    .values(tags.map((tag) => ({ todo_id: id, tag })))
    // Lone surrogates differ in the document and are the same in a column.
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};

const rowOf = (todo: Todo): Tables['todos'] => ({
  id: todo.id,
  account: todo.account,
  realm: todo.realm,
  cwd: todo.cwd,
  config_dir: todo.configDir,
  num: todo.num,
  state: todo.state,
  priority: todo.priority,
  rank: todo.rank,
  archived_at: todo.archivedAt,
  closed_at: todo.closedAt,
  search_text: searchable(`#${todo.num} ${todo.title}\n${todo.body}`),
  document: JSON.stringify(todo),
});

const todoOf = ({ document }: Pick<Tables['todos'], 'document'>): Todo => JSON.parse(document) as Todo;

/** Folded here and not in SQL, where SQLite folds ASCII alone; without what no column takes. */
const searchable = (text: string): string =>
  Buffer.from(text.toLowerCase().replaceAll('\0', ' '), 'utf8').toString('utf8');

const escaped = (text: string): string => text.replaceAll(/[!%_]/g, '!$&');
