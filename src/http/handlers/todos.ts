/** The todo operations. Values to values: the rules are in `domain/todo.ts`. */
import { DaemonError } from '../../domain/errors.js';
import type { Todo } from '../../domain/todo.js';
import type { Sessions } from '../../services/sessions.js';
import type { Todos } from '../../services/todos.js';
import { invalidRequest } from '../errors.js';
import type { Handlers } from '../operation.js';
import { checkPath } from '../scope.js';
import { listBody, todoEvent, todoRow, windowOf } from '../views.js';

type TodoHandlers = Pick<
  Handlers,
  | 'createTodo'
  | 'listTodos'
  | 'getTodo'
  | 'updateTodo'
  | 'getTodosRevision'
  | 'createTodoComment'
  | 'snoozeTodo'
  | 'archiveTodo'
  | 'claimTodo'
  | 'releaseTodo'
  | 'purgeTodos'
>;

export interface TodoHandlerDeps {
  readonly todos: Todos;
  readonly sessions: Sessions;
}

export const todoHandlers = ({ todos, sessions }: TodoHandlerDeps): TodoHandlers => ({
  createTodo: async ({ body }, { scope }) => {
    const { title, body: text, priority, tags } = body;
    const cwd = checkPath('cwd', body.cwd);
    return { status: 201, body: answer(await todos.create({ title, body: text, priority, tags, cwd }, scope)) };
  },

  listTodos: async ({ query }, { scope }) => {
    const window = windowOf(query);
    const filter = {
      states: query.states ?? [],
      tags: query.tags ?? [],
      text: query.query,
      openOnly: query.open_only ?? false,
      archived: query.all ?? false,
      sort: query.sort ?? 'default',
    };
    const listed = await todos.list(scope, filter, window);
    return { status: 200, body: { ...listBody(listed, window, todoRow), revision: listed.revision } };
  },

  getTodo: async ({ path }, { scope }) => {
    const { todo, timeline } = await todos.get(path.id, scope);
    return { status: 200, body: { ...answer(todo), timeline: timeline.map(todoEvent) } };
  },

  updateTodo: async ({ path, body }, { scope }) => {
    const { revision, cwd, ...patch } = body;
    const todo = await todos.update(path.id, revision, { ...patch, cwd: checkPath('cwd', cwd) }, scope);
    return { status: 200, body: answer(todo) };
  },

  getTodosRevision: async (_input, { scope }) => ({ status: 200, body: { revision: await todos.revision(scope) } }),

  createTodoComment: async ({ path, body }, { scope }) => ({
    status: 201,
    body: answer(await todos.comment(path.id, body.text, scope)),
  }),

  snoozeTodo: async ({ path, body }, { scope }) => ({
    status: 200,
    body: answer(await todos.snooze(path.id, body.revision, wakeTime(body.wake_at), scope)),
  }),

  archiveTodo: async ({ path, body }, { scope }) => ({
    status: 200,
    body: answer(await todos.archive(path.id, body.revision, scope)),
  }),

  claimTodo: async ({ path, body }, { scope }) => {
    const { sessionId } = sessions.live(body.session_id, scope).posture;
    const claim = { sessionId, runId: body.run_id, revision: body.revision };
    return { status: 200, body: answer(await todos.claim(path.id, claim, scope)) };
  },

  // The session may have ended meanwhile: what it did is told all the same.
  releaseTodo: async ({ path, body }, { scope }) => {
    const { session_id: sessionId, outcome, summary, question_for_human: questionForHuman } = body;
    const release = { sessionId, outcome, summary, questionForHuman };
    return { status: 200, body: answer(await todos.release(path.id, release, scope)) };
  },

  purgeTodos: async (_input, { scope }) => ({
    status: 200,
    body: { status: 'ok', purged: await todos.purge(scope) },
  }),
});

const answer = (todo: Todo) => ({ status: 'ok' as const, todo: todoRow(todo) });

const RFC_3339 = /^(\d{4}-\d\d-\d\d)T(?!24)\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Null when empty. Throws bad_request for what is no time, and for one that has no year of four digits in UTC. */
const wakeTime = (text: string): number | null => {
  if (text === '') return null;
  const [, day] = RFC_3339.exec(text) ?? [];
  const time = day === undefined ? NaN : Date.parse(text);
  // Date.parse takes the 30th of February for a day in March.
  if (Number.isNaN(time) || utc(Date.parse(day!)).slice(0, day!.length) !== day) throw notATime();
  if (!/^\d/.test(utc(time))) throw notATime();
  return time;
};

const utc = (time: number): string => new Date(time).toISOString();

const notATime = (): DaemonError =>
  invalidRequest('/wake_at', {
    pointer: '/body/wake_at',
    keyword: 'format',
    message: 'must be a time with its offset, in the years 0000 to 9999, or empty',
  });
