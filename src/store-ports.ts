/**
 * The ports of the database: the work lists that outlive the daemon. They are part of ports.ts, which hands them on.
 *
 * Invariant: what resolved is on disk.
 */
import type { JobRecord } from './domain/job.js';
import type { StoredSession } from './domain/session.js';
import type { Todo, TodoEvent, TodoFilter, TodoPlan } from './domain/todo.js';
import type { Listed, ListScope, StoredTopic, Window } from './domain/topics.js';
import type { Workflow, WorkflowOwner, WorkflowShelf } from './domain/workflow.js';
import type { WorkflowRun, WorkflowRunDetail } from './domain/workflow-run.js';

/**
 * The work lists that outlive the daemon. What resolved is on disk; every method rejects with `service_unavailable` while
 * the database cannot be used, and then nothing was changed, unless a server went away while it was making the change final.
 */
export interface Store {
  /** Made with the database, and never the same for two of them. */
  readonly id: string;
  readonly sessions: SessionStore;
  readonly todos: TodoStore;
  readonly workflows: WorkflowStore;
  readonly workflowRuns: WorkflowRunStore;
  readonly jobs: JobStore;
  readonly presence: Presence;
  /** How often each list changed for who sees it in this scope. Changed in the same step as the list itself. */
  counts(scope: ListScope): Promise<Readonly<Record<StoredTopic, number>>>;
  /**
   * Calls `listener` after lists of the account and realm may have changed, where the store can tell. Only a hint: it may
   * come without a change, and a change without it. Returns the stop.
   */
  watch(scope: Pick<ListScope, 'account' | 'realm'>, listener: () => void): () => void;
  close(): Promise<void>;
}

/** That this daemon lives, as the others know it that share the store. */
export interface Presence {
  /** Says so for another while. False when it was silent for so long that others may have taken what it held. */
  renew(): Promise<boolean>;
  /**
   * Frees what belonged to daemons that were silent for too long: their sessions are closed, their jobs and workflow runs
   * interrupted. One that was silent itself frees nothing for a while, as the others may have been cut off with it.
   */
  freeAbandoned(): Promise<void>;
}

/** A session record, and whether the session is live in another daemon. */
export interface FoundSession extends StoredSession {
  readonly isHeldElsewhere: boolean;
}

/** Whatever would change a session that is live in another daemon is refused with `session_held`. */
export interface SessionStore {
  /** A new one, live in this daemon. */
  insert(session: StoredSession): Promise<void>;
  /** Whoever it belongs to: the caller of this looks at that. */
  find(id: string): Promise<FoundSession | undefined>;
  /** Newest first. */
  list(scope: ListScope, window: Window): Promise<Listed<FoundSession>>;
  /** The working folders of the sessions, the one of the newest session first. */
  folders(scope: ListScope): Promise<readonly string[]>;
  /** From now on it is live in this daemon, and in no other. Rejects with session_held, not_found. */
  claim(session: StoredSession): Promise<void>;
  /** Writes what may change: the name, and when it was last used. */
  update(session: StoredSession): Promise<void>;
  /** Writes that, and lets it go: it is live nowhere. */
  release(session: StoredSession): Promise<void>;
  delete(session: StoredSession): Promise<void>;
}

export interface TodoStore {
  insert(todo: Omit<Todo, 'num'>): Promise<Todo>;
  find(id: string): Promise<Todo | undefined>;
  /** Oldest first. */
  timeline(id: string): Promise<readonly TodoEvent[]>;
  /** `revision` is the count of the scope's changes before the list was read. */
  list(scope: ListScope, filter: TodoFilter, window: Window): Promise<Listed<Todo> & { readonly revision: number }>;
  /**
   * The one way to change a todo: reads it, asks `plan` what it becomes and stores that, with nobody in between. What
   * `plan` throws is thrown and nothing is written.
   */
  update(id: string, scope: ListScope, plan: (todo: Todo | undefined) => TodoPlan): Promise<Todo>;
  /** Erases what was archived before; returns how many. */
  purge(scope: ListScope, archivedBefore: number): Promise<number>;
}

export interface WorkflowStore {
  /** By name, in the order of their characters. */
  list(owner: WorkflowOwner): Promise<readonly Workflow[]>;
  find(owner: WorkflowOwner, name: string): Promise<Workflow | undefined>;
  /**
   * The one way to change a workflow: reads it, asks `plan` what it becomes and stores that, or deletes it where there is
   * nothing left, with nobody in between. What `plan` throws is thrown and nothing is written.
   */
  change<Left extends Workflow | undefined>(
    owner: WorkflowOwner,
    name: string,
    plan: (found: Workflow | undefined, shelf: WorkflowShelf) => Left,
  ): Promise<Left>;
}

export interface WorkflowRunStore {
  /** One that this daemon works on. Old runs of its account and realm that are over make room for it. */
  insert(run: WorkflowRunDetail): Promise<void>;
  find(id: string): Promise<WorkflowRunDetail | undefined>;
  /** Newest first. */
  list(scope: ListScope, window: Window): Promise<Listed<WorkflowRun>>;
  /** Those of this daemon that are not over in the store. */
  unfinished(): Promise<readonly WorkflowRun[]>;
  /** The one way to change a run, as `TodoStore.update` is; nothing is written where `plan` returns what it was given. */
  update(
    id: string,
    owner: WorkflowOwner,
    plan: (run: WorkflowRunDetail | undefined) => WorkflowRunDetail,
  ): Promise<WorkflowRunDetail>;
}

/** Background jobs as they outlive the daemon, those of all daemons that share the store. */
export interface JobStore {
  /** One that this daemon runs, or has run; nothing happens when it is there. */
  add(job: JobRecord): Promise<void>;
  find(id: string): Promise<JobRecord | undefined>;
  /** False, and nothing was written, when the stored one is over or gone. */
  save(job: JobRecord): Promise<boolean>;
  remove(id: string): Promise<void>;
  /** Those of this daemon that are not over in the store. */
  unfinished(): Promise<ReadonlySet<string>>;
  /** Removes of those that are over what is beyond the limits, the oldest first. */
  prune(limits: JobLimits): Promise<void>;
}

export interface JobLimits {
  /** Epoch milliseconds. */
  readonly endedBefore: number;
  readonly count: number;
  /** Of all records together. */
  readonly chars: number;
}
