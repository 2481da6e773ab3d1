/**
 * A todo and its legal changes. Every change is a pure plan over the todo as it is stored: it says what to store and
 * what to note on the timeline, or throws. Who may see a todo, and where it is kept, is not here.
 * Invariant: a plan that goes by `revision` never changes a todo the caller has not seen.
 */
import { DaemonError } from './errors.js';

export const TODO_STATES = ['inbox', 'ready', 'blocked', 'in_progress', 'review', 'done', 'dropped'] as const;
export type TodoState = (typeof TODO_STATES)[number];

/** `in_progress` is in no list: a todo gets there when a worker claims it, never by an edit. */
const MOVES: Readonly<Record<TodoState, readonly TodoState[]>> = {
  inbox: ['ready', 'blocked', 'dropped'],
  ready: ['blocked', 'dropped', 'inbox'],
  blocked: ['ready', 'inbox', 'dropped'],
  in_progress: ['review', 'ready', 'blocked', 'dropped'],
  review: ['done', 'ready', 'dropped'],
  done: ['inbox', 'ready'],
  dropped: ['inbox', 'ready'],
};

export const CLOSED_STATES: readonly TodoState[] = ['done', 'dropped'];

/** 0 is the most urgent of 0 to 4. */
const PRIORITY_DEFAULT = 2;

export interface Todo {
  readonly id: string;
  /** Counts up within account and realm: what people call it by. */
  readonly num: number;
  /** Counts the edits; a change must name the one it was made from. Comments are no edits. */
  readonly revision: number;
  readonly account: string;
  readonly realm: string;
  readonly cwd: string;
  readonly configDir: string | null;
  readonly title: string;
  readonly body: string;
  readonly state: TodoState;
  readonly priority: number;
  /** Order among todos of one priority, smaller first. */
  readonly rank: number;
  readonly tags: readonly string[];
  readonly commentCount: number;
  /** Epoch milliseconds, as all times here. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The last edit or comment. */
  readonly activeAt: number;
  /** Who works on it; null unless it is in progress. */
  readonly lease: TodoLease | null;
  /** How often work on it began. */
  readonly attempts: number;
  /** What a worker that stopped wants to know; null when nothing. */
  readonly questionForHuman: string | null;
  readonly wakeAt: number | null;
  readonly archivedAt: number | null;
  readonly closedAt: number | null;
}

/** The right to work on a todo. It is another's to take once it has run out. */
export interface TodoLease {
  readonly sessionId: string;
  readonly runId: string | null;
  readonly acquiredAt: number;
  readonly expiresAt: number;
}

export const TODO_OUTCOMES = ['done', 'blocked', 'failed', 'cancelled'] as const;
export type TodoOutcome = (typeof TODO_OUTCOMES)[number];

export interface TodoClaim {
  readonly sessionId: string;
  readonly runId: string | undefined;
  /** Needed unless the session has it already. */
  readonly revision: number | undefined;
}

export interface TodoRelease {
  readonly sessionId: string;
  readonly outcome: TodoOutcome;
  readonly summary: string | undefined;
  readonly questionForHuman: string | undefined;
}

export type TodoEvent = { readonly at: number } & (
  | { readonly kind: 'created' }
  | { readonly kind: 'edited'; readonly fields: readonly string[]; readonly from?: TodoState; readonly to?: TodoState }
  | { readonly kind: 'commented'; readonly text: string }
  | { readonly kind: 'snoozed'; readonly wakeAt: number | null }
  | { readonly kind: 'archived' }
  | { readonly kind: 'claimed'; readonly sessionId: string }
  | { readonly kind: 'released'; readonly sessionId: string; readonly outcome: TodoOutcome; readonly summary?: string }
);

/** What to store, and what to note. */
export interface TodoPlan {
  readonly todo: Todo;
  readonly event: TodoEvent;
}

/** What a caller asks for; `cwd` is the folder the todo belongs to. */
export interface CreateTodo {
  readonly title: string;
  readonly body: string | undefined;
  readonly priority: number | undefined;
  readonly tags: readonly string[] | undefined;
  readonly cwd: string | undefined;
}

export interface NewTodo {
  readonly id: string;
  readonly account: string;
  readonly realm: string;
  readonly cwd: string;
  readonly configDir: string | null;
  readonly title: string;
  readonly body: string | undefined;
  readonly priority: number | undefined;
  readonly tags: readonly string[] | undefined;
}

export interface TodoPatch {
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly state?: TodoState | undefined;
  readonly priority?: number | undefined;
  readonly rank?: number | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
}

export interface TodoFilter {
  /** Any of them; empty is no condition. */
  readonly states: readonly TodoState[];
  /** All of them. */
  readonly tags: readonly string[];
  /** Found in title, body or number, whatever the case. */
  readonly text: string | undefined;
  readonly openOnly: boolean;
  /** Archived ones too. */
  readonly archived: boolean;
  readonly sort: 'default' | 'closed_at';
}

/** The todo as it begins, without the number the store gives it. */
export const planCreate = ({ body, priority, tags, ...given }: NewTodo, now: number): Omit<Todo, 'num'> => ({
  ...given,
  revision: 1,
  body: body ?? '',
  state: 'inbox',
  priority: priority ?? PRIORITY_DEFAULT,
  rank: 0,
  tags: distinct(tags ?? []),
  commentCount: 0,
  lease: null,
  attempts: 0,
  questionForHuman: null,
  createdAt: now,
  updatedAt: now,
  activeAt: now,
  wakeAt: null,
  archivedAt: null,
  closedAt: null,
});

/** Throws todo_conflict (another revision), bad_request (archived, illegal move). */
export const planUpdate = (todo: Todo, revision: number, patch: TodoPatch, now: number): TodoPlan => {
  requireRevision(todo, revision);
  const { state = todo.state } = patch;
  if (state !== todo.state && !MOVES[todo.state].includes(state)) {
    throw new DaemonError('bad_request', `state: a todo that is ${todo.state} cannot become ${state}`);
  }
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  const isClosed = CLOSED_STATES.includes(state);
  return {
    todo: edited(
      todo,
      {
        ...Object.fromEntries(given),
        ...(patch.tags && { tags: distinct(patch.tags) }),
        // Whoever moves it on has answered what was asked, and taken it from who worked on it.
        ...(state !== todo.state && { lease: null, questionForHuman: null }),
        closedAt: isClosed ? (todo.closedAt ?? now) : null,
      },
      now,
    ),
    event: {
      at: now,
      kind: 'edited',
      fields: given.map(([field]) => field),
      ...(state !== todo.state && { from: todo.state, to: state }),
    },
  };
};

/** `wakeAt` null ends the rest. Throws todo_conflict, bad_request (archived). */
export const planSnooze = (todo: Todo, revision: number, wakeAt: number | null, now: number): TodoPlan => {
  requireRevision(todo, revision);
  return { todo: edited(todo, { wakeAt }, now), event: { at: now, kind: 'snoozed', wakeAt } };
};

/** Throws todo_conflict, bad_request (archived already). */
export const planArchive = (todo: Todo, revision: number, now: number): TodoPlan => {
  requireRevision(todo, revision);
  return { todo: edited(todo, { archivedAt: now }, now), event: { at: now, kind: 'archived' } };
};

/** Any daemon's, and much longer than ours are. */
const RUN_ID_CHARS_MAX = 200;
/** Longer than a worker is silent that has not been forgotten; a worker that goes on claims again. */
const LEASE_MS = 30 * 60_000;
/** Done is what a person calls it who has looked: work that is finished waits for that in review. */
const AFTER_WORK: Readonly<Record<TodoOutcome, TodoState>> = {
  done: 'review',
  blocked: 'blocked',
  failed: 'ready',
  cancelled: 'ready',
};

/**
 * Begins work, or goes on with it: the session that has the lease gets it anew. Throws todo_conflict (another revision,
 * or another session works on it), bad_request (archived, not ready, no revision,
 * run_id).
 */
export const planClaim = (todo: Todo, { sessionId, runId, revision }: TodoClaim, now: number): TodoPlan => {
  requireOpen(todo);
  if (runId !== undefined && runId.length > RUN_ID_CHARS_MAX) {
    throw new DaemonError('bad_request', `run_id: is longer than ${RUN_ID_CHARS_MAX} characters`);
  }
  const { lease, state } = todo;
  const isOwn = state === 'in_progress' && lease?.sessionId === sessionId;
  if (!isOwn) {
    if (revision === undefined) throw new DaemonError('bad_request', 'revision: a claim names the one it has seen');
    requireRevision(todo, revision);
    const isAbandoned = state === 'in_progress' && (lease === null || lease.expiresAt <= now);
    if (state === 'in_progress' && !isAbandoned) throw conflict(todo);
    if (state !== 'ready' && !isAbandoned) {
      throw new DaemonError('bad_request', `state: only a todo that is ready can be claimed; this one is ${state}`);
    }
  }
  const held: TodoLease = {
    sessionId,
    runId: runId ?? (isOwn ? lease.runId : null),
    acquiredAt: isOwn ? lease.acquiredAt : now,
    expiresAt: now + LEASE_MS,
  };
  const attempts = isOwn ? todo.attempts : todo.attempts + 1;
  return {
    todo: edited(todo, { state: 'in_progress', lease: held, attempts, questionForHuman: null }, now),
    event: { at: now, kind: 'claimed', sessionId },
  };
};

/** Ends work. Throws todo_conflict (the session does not have it), bad_request (archived). */
export const planRelease = (todo: Todo, release: TodoRelease, now: number): TodoPlan => {
  requireOpen(todo);
  const { sessionId, outcome, summary, questionForHuman } = release;
  if (todo.lease?.sessionId !== sessionId) throw conflict(todo);
  const change = { state: AFTER_WORK[outcome], lease: null, questionForHuman: questionForHuman ?? null };
  return {
    todo: edited(todo, change, now),
    event: { at: now, kind: 'released', sessionId, outcome, ...(summary !== undefined && { summary }) },
  };
};

/** Needs no revision: a comment overwrites nothing. Throws bad_request (archived). */
export const planComment = (todo: Todo, text: string, now: number): TodoPlan => {
  requireOpen(todo);
  return {
    todo: { ...todo, commentCount: todo.commentCount + 1, activeAt: now },
    event: { at: now, kind: 'commented', text },
  };
};

const edited = (todo: Todo, change: Partial<Todo>, now: number): Todo => ({
  ...todo,
  ...change,
  revision: todo.revision + 1,
  updatedAt: now,
  activeAt: now,
});

const requireRevision = (todo: Todo, revision: number): void => {
  requireOpen(todo);
  if (todo.revision !== revision) throw conflict(todo);
};

const conflict = ({ revision }: Todo): DaemonError =>
  new DaemonError('todo_conflict', undefined, { details: { current_revision: revision } });

const requireOpen = (todo: Todo): void => {
  if (todo.archivedAt !== null) throw new DaemonError('bad_request', 'id: an archived todo cannot be changed');
};

const distinct = (tags: readonly string[]): string[] => [...new Set(tags)];
