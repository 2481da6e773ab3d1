/**
 * Todos of the caller: creating, finding, listing and changing them. What a change may be is `domain/todo.ts`, where it
 * is kept is the store; here is whose it is.
 * Invariant: a todo that the caller may not see is answered exactly like one that never was.
 */
import { DaemonError } from '../domain/errors.js';
import { listScopeOf, type Scope } from '../domain/session.js';
import {
  planArchive,
  planClaim,
  planComment,
  planCreate,
  planRelease,
  planSnooze,
  planUpdate,
  type CreateTodo,
  type Todo,
  type TodoClaim,
  type TodoEvent,
  type TodoFilter,
  type TodoPatch,
  type TodoPlan,
  type TodoRelease,
} from '../domain/todo.js';
import type { Listed, ListScope, Window } from '../domain/topics.js';
import type { Clock, Folders, Ids, LoginSource, Store, TodoDesk } from '../ports.js';

export interface TodosOptions {
  readonly store: Pick<Store, 'todos' | 'counts'>;
  readonly login: LoginSource;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly folders: Folders;
}

/** A quarter: long enough that nobody misses what was archived by mistake. */
const PURGE_AFTER_MS = 90 * 24 * 3_600_000;

export class Todos implements TodoDesk {
  readonly #options: TodosOptions;

  constructor(options: TodosOptions) {
    this.#options = options;
  }

  /** Throws bad_request (no cwd), cwd_not_found, not_found (realm not served). */
  async create(request: CreateTodo, scope: Scope): Promise<Todo> {
    const { store, ids, clock } = this.#options;
    const { account, realm, configDir } = this.#scope(scope);
    const { title, body, priority, tags, cwd = scope.cwd } = request;
    if (cwd === undefined) {
      throw new DaemonError('bad_request', 'cwd: a todo belongs to a folder; name one here or in X-Hoody-Cwd');
    }
    await this.#requireFolder(cwd);
    const id = `todo_${ids.ulid()}`;
    const place = { account, realm, cwd, configDir: configDir ?? null };
    return store.todos.insert(planCreate({ id, ...place, title, body, priority, tags }, clock.now()));
  }

  /** Throws not_found. */
  async get(id: string, scope: Scope): Promise<{ readonly todo: Todo; readonly timeline: readonly TodoEvent[] }> {
    const { todos } = this.#options.store;
    const todo = visible(await todos.find(id), this.#scope(scope));
    return { todo, timeline: await todos.timeline(id) };
  }

  /** Throws not_found (realm not served). */
  async list(scope: Scope, filter: TodoFilter, window: Window): Promise<Listed<Todo> & { readonly revision: number }> {
    return this.#options.store.todos.list(this.#scope(scope), filter, window);
  }

  /** How often the list of the scope changed. Throws not_found (realm not served). */
  async revision(scope: Scope): Promise<number> {
    return (await this.#options.store.counts(this.#scope(scope))).todos;
  }

  /** Throws not_found, todo_conflict, bad_request (archived, illegal move), cwd_not_found. */
  async update(id: string, revision: number, patch: TodoPatch, scope: Scope): Promise<Todo> {
    if (patch.cwd !== undefined) await this.#requireFolder(patch.cwd);
    return this.#change(id, scope, (todo, now) => planUpdate(todo, revision, patch, now));
  }

  /** `wakeAt` null ends the sleep. Throws not_found, todo_conflict, bad_request (archived). */
  snooze(id: string, revision: number, wakeAt: number | null, scope: Scope): Promise<Todo> {
    return this.#change(id, scope, (todo, now) => planSnooze(todo, revision, wakeAt, now));
  }

  /** Throws not_found, todo_conflict, bad_request (archived already). */
  archive(id: string, revision: number, scope: Scope): Promise<Todo> {
    return this.#change(id, scope, (todo, now) => planArchive(todo, revision, now));
  }

  /** Whether the session is the caller's to name is looked at before. Throws what `planClaim` throws, not_found. */
  claim(id: string, claim: TodoClaim, scope: Scope): Promise<Todo> {
    return this.#change(id, scope, (todo, now) => planClaim(todo, claim, now));
  }

  /** Throws what `planRelease` throws, not_found. */
  release(id: string, release: TodoRelease, scope: Scope): Promise<Todo> {
    return this.#change(id, scope, (todo, now) => planRelease(todo, release, now));
  }

  /** Throws not_found, bad_request (archived). */
  comment(id: string, text: string, scope: Scope): Promise<Todo> {
    return this.#change(id, scope, (todo, now) => planComment(todo, text, now));
  }

  /** Erases what was archived long ago; returns how many. Throws not_found (realm not served). */
  async purge(scope: Scope): Promise<number> {
    const { store, clock } = this.#options;
    return store.todos.purge(this.#scope(scope), clock.now() - PURGE_AFTER_MS);
  }

  async #change(id: string, scope: Scope, plan: (todo: Todo, now: number) => TodoPlan): Promise<Todo> {
    const { store, clock } = this.#options;
    const owner = this.#scope(scope);
    return store.todos.update(id, owner, (todo) => plan(visible(todo, owner), clock.now()));
  }

  async #requireFolder(cwd: string): Promise<void> {
    if ((await this.#options.folders.resolve(cwd)) === undefined) throw new DaemonError('cwd_not_found');
  }

  #scope(scope: Scope): ListScope {
    return listScopeOf(this.#options.login.current(), scope);
  }
}

/** By id a todo is found whatever folder the request names: those only select what is listed. */
const visible = (todo: Todo | undefined, { account, realm }: ListScope): Todo => {
  if (!todo || todo.account !== account || todo.realm !== realm) throw new DaemonError('not_found');
  return todo;
};
