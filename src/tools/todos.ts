/**
 * `todo_read` and `todo_write`: the work list of the session's folder, as the session's realm has it. What a change may
 * be is `domain/todo.ts`; here it is told to a model, with what to do next when somebody else was faster.
 * Invariant: a change of what is there names the revision it was made from, so a model overwrites nothing it has not seen.
 */
import type { JsonObject } from '../domain/json.js';
import type { Scope } from '../domain/session.js';
import {
  TODO_OUTCOMES,
  TODO_STATES,
  type Todo,
  type TodoEvent,
  type TodoOutcome,
  type TodoState,
} from '../domain/todo.js';
import { failed, type ToolResult } from '../domain/tool.js';
import type { RunnableTool, TodoDesk, ToolContext } from '../ports.js';
import { type Refusals, scopeOf, shown, told } from './list-tools.js';
import { objectSchema } from './tool-kit.js';

/** What a model takes in at a glance. */
const LISTED_DEFAULT = 50;
const LISTED_MAX = 200;
/** The last events of one todo: a long discussion begins somewhere before what matters now. */
const TIMELINE_SHOWN = 20;
/** Of one comment among them; whoever wrote more than a page has a document. */
const COMMENT_SHOWN_CHARS = 4_000;
/** As the API has them. */
const TITLE_CHARS_MAX = 1_000;
const TEXT_CHARS_MAX = 100_000;
const SUMMARY_CHARS_MAX = 1_024;
const TAGS_MAX = 50;
const TAG_CHARS_MAX = 100;
const PRIORITY_MAX = 4;
const ID: JsonObject = { type: 'string', minLength: 1, maxLength: 100 };
const TAGS: JsonObject = {
  type: 'array',
  maxItems: TAGS_MAX,
  items: { type: 'string', minLength: 1, maxLength: TAG_CHARS_MAX, pattern: '^[^,\\s\\u0000-\\u001f]+$' },
};

const ACTIONS = ['create', 'update', 'comment', 'claim', 'release', 'archive'] as const;
type Action = (typeof ACTIONS)[number];

/** What an action cannot do without. A claim of one's own needs no revision, so the list itself asks for it. */
const NEEDED: Readonly<Record<Action, readonly string[]>> = {
  create: ['title'],
  update: ['id', 'revision'],
  comment: ['id', 'text'],
  claim: ['id'],
  release: ['id', 'outcome'],
  archive: ['id', 'revision'],
};
const NEEDS_SESSION: readonly Action[] = ['claim', 'release'];

const REFUSALS: Refusals = {
  missing: 'there is no todo of that id',
  conflict: 'todo_conflict',
  changed: (revision) =>
    `nothing was changed: somebody else changed or holds the todo, which is at revision ${revision} now; ` +
    'read it again with todo_read and decide anew',
};

export const createTodoTools = (todos: TodoDesk): RunnableTool[] => [
  {
    name: 'todo_read',
    description:
      'Read the work list of this folder: the open todos, or those that match. With an id, one todo in full with its last events. Each has the revision a change must name.',
    readOnly: true,
    category: 'todos',
    permissionKey: 'todos.read',
    asyncCapable: false,
    inputSchema: objectSchema({}, [], {
      id: { ...ID, description: 'One todo in full; the other params are not looked at then.' },
      states: {
        type: 'array',
        maxItems: TODO_STATES.length,
        items: { type: 'string', enum: [...TODO_STATES] },
        description: 'Only these states. Left out, all that are not done or dropped.',
      },
      tags: { ...TAGS, description: 'Only todos that have all of these tags.' },
      query: { type: 'string', minLength: 1, maxLength: TITLE_CHARS_MAX, description: 'Only todos with this text.' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: LISTED_MAX,
        default: LISTED_DEFAULT,
        description: 'How many at most; the total is told.',
      },
    }),
    reach: () => ({ paths: [] }),
    run: (params, { posture }) => told(REFUSALS, () => read(todos, params, scopeOf(posture))),
  },
  {
    name: 'todo_write',
    description:
      'Change the work list of this folder: create, update, comment, claim (begin work on a ready todo), release (end it with an outcome) or archive. Name the revision that todo_read has shown.',
    readOnly: false,
    category: 'todos',
    permissionKey: 'todos.write',
    asyncCapable: false,
    inputSchema: objectSchema(
      {
        action: { type: 'string', enum: [...ACTIONS], description: 'What to do.' },
      },
      ['action'],
      {
        id: { ...ID, description: 'The todo; for all but create.' },
        revision: {
          type: 'integer',
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'The revision the change is made from; for update, archive and a first claim.',
        },
        title: { type: 'string', minLength: 1, maxLength: TITLE_CHARS_MAX, description: 'For create and update.' },
        body: { type: 'string', maxLength: TEXT_CHARS_MAX, description: 'For create and update.' },
        priority: {
          type: 'integer',
          minimum: 0,
          maximum: PRIORITY_MAX,
          description: 'For create and update; 0 is the most urgent.',
        },
        tags: { ...TAGS, description: 'For create and update; replaces the tags there were.' },
        state: {
          type: 'string',
          enum: [...TODO_STATES],
          description: 'For update. in_progress is reached by a claim alone.',
        },
        text: { type: 'string', minLength: 1, maxLength: TEXT_CHARS_MAX, description: 'The comment.' },
        outcome: { type: 'string', enum: [...TODO_OUTCOMES], description: 'How the work ended.' },
        summary: { type: 'string', maxLength: SUMMARY_CHARS_MAX, description: 'For release: what was done.' },
        question: {
          type: 'string',
          minLength: 1,
          maxLength: SUMMARY_CHARS_MAX,
          description: 'For release: what a person has to answer before work can go on.',
        },
      },
    ),
    reach: () => ({ paths: [] }),
    run: (params, context) => told(REFUSALS, () => write(todos, params as unknown as WriteParams, context)),
  },
];

interface WriteParams {
  readonly action: Action;
  readonly id?: string;
  readonly revision?: number;
  readonly title?: string;
  readonly body?: string;
  readonly priority?: number;
  readonly tags?: readonly string[];
  readonly state?: TodoState;
  readonly text?: string;
  readonly outcome?: TodoOutcome;
  readonly summary?: string;
  readonly question?: string;
}

const read = async (todos: TodoDesk, params: JsonObject, scope: Scope): Promise<ToolResult> => {
  const id = params['id'] as string | undefined;
  if (id !== undefined) {
    const { todo, timeline } = await todos.get(id, scope);
    const events = timeline.slice(-TIMELINE_SHOWN).map(eventRow);
    return shown({ ...row(todo), body: todo.body, earlier_events: timeline.length - events.length, timeline: events });
  }
  const states = (params['states'] ?? []) as TodoState[];
  const filter = {
    states,
    tags: (params['tags'] ?? []) as string[],
    text: params['query'] as string | undefined,
    openOnly: states.length === 0,
    archived: false,
    sort: 'default' as const,
  };
  const limit = (params['limit'] ?? LISTED_DEFAULT) as number;
  const { items, total } = await todos.list(scope, filter, { page: 1, limit });
  return shown({ total, todos: items.map(row) });
};

const write = async (todos: TodoDesk, params: WriteParams, { posture }: ToolContext): Promise<ToolResult> => {
  const { action, id = '', revision, title, body, priority, tags, state } = params;
  const missing = NEEDED[action].filter((name) => !Object.hasOwn(params, name));
  if (missing.length > 0) return failed('tool_error', `${action} needs ${missing.join(' and ')}`);
  const { sessionId } = posture;
  if (sessionId === '' && NEEDS_SESSION.includes(action)) {
    return failed('tool_error', `${action} is the work of a session, and this run has none`);
  }
  const scope = scopeOf(posture);
  const change = async (): Promise<Todo> => {
    switch (action) {
      case 'create':
        return todos.create({ title: title!, body, priority, tags, cwd: posture.cwd }, scope);
      case 'update':
        return todos.update(id, revision!, { title, body, priority, tags, state }, scope);
      case 'comment':
        return todos.comment(id, params.text!, scope);
      case 'claim':
        return todos.claim(id, { sessionId, runId: undefined, revision }, scope);
      case 'release': {
        const { outcome, summary, question: questionForHuman } = params;
        return todos.release(id, { sessionId, outcome: outcome!, summary, questionForHuman }, scope);
      }
      case 'archive':
        return todos.archive(id, revision!, scope);
    }
  };
  return shown(row(await change()));
};

const time = (at: number): string => new Date(at).toISOString();

const eventRow = (event: TodoEvent): JsonObject => {
  const { at, ...rest } = event;
  const text = event.kind === 'commented' ? event.text.slice(0, COMMENT_SHOWN_CHARS) : undefined;
  return { at: time(at), ...(rest as JsonObject), ...(text !== undefined && { text }) };
};

const row = (todo: Todo): JsonObject => ({
  id: todo.id,
  num: todo.num,
  revision: todo.revision,
  state: todo.state,
  priority: todo.priority,
  title: todo.title,
  tags: [...todo.tags],
  comments: todo.commentCount,
  ...(todo.lease && { claimed_by: todo.lease.sessionId, claim_ends: time(todo.lease.expiresAt) }),
  ...(todo.questionForHuman !== null && { question: todo.questionForHuman }),
  ...(todo.wakeAt !== null && { asleep_until: time(todo.wakeAt) }),
  ...(todo.archivedAt !== null && { archived: true }),
});
