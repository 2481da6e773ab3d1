/**
 * Workflow definitions of the caller: listing, reading and changing them. What a definition may be is
 * `domain/workflow.ts`, where it is kept is the store; here is whose it is.
 */
import { DaemonError } from '../domain/errors.js';
import { listScopeOf, type Scope } from '../domain/session.js';
import {
  checkWorkflowName,
  planWorkflow,
  type Workflow,
  type WorkflowDefinition,
  type WorkflowGuard,
  type WorkflowOwner,
} from '../domain/workflow.js';
import type { Clock, LoginSource, WorkflowStore } from '../ports.js';

export interface WorkflowsOptions {
  readonly store: WorkflowStore;
  readonly login: LoginSource;
  readonly clock: Clock;
}

export class Workflows {
  readonly #options: WorkflowsOptions;

  constructor(options: WorkflowsOptions) {
    this.#options = options;
  }

  /** By name. Throws not_found (realm not served). */
  async list(scope: Scope, includeHidden: boolean): Promise<readonly Workflow[]> {
    const all = await this.#options.store.list(this.#owner(scope));
    return includeHidden ? all : all.filter(({ hidden }) => !hidden);
  }

  /** Throws not_found. */
  async get(name: string, scope: Scope): Promise<Workflow> {
    return this.find(name, this.#owner(scope));
  }

  /** The same for an account and realm. */
  async find(name: string, owner: WorkflowOwner): Promise<Workflow> {
    return present(await this.#options.store.find(owner, name));
  }

  /** Throws what `planWorkflow` throws, and bad_request (name). */
  async put(name: string, definition: WorkflowDefinition, guard: WorkflowGuard, scope: Scope): Promise<Workflow> {
    const { store, clock } = this.#options;
    const owner = this.#owner(scope);
    checkWorkflowName(name);
    return store.change(owner, name, (found, shelf) =>
      planWorkflow(found, { ...owner, name }, definition, guard, shelf, clock.now()),
    );
  }

  /** Throws not_found. */
  async hide(name: string, hidden: boolean, scope: Scope): Promise<Workflow> {
    return this.#options.store.change(this.#owner(scope), name, (found) => ({ ...present(found), hidden }));
  }

  /** Throws not_found. */
  async delete(name: string, scope: Scope): Promise<void> {
    await this.#options.store.change(this.#owner(scope), name, (found) => {
      present(found);
      return undefined;
    });
  }

  /** Folders select nothing: a workflow belongs to account and realm. */
  #owner(scope: Scope): WorkflowOwner {
    const { account, realm } = listScopeOf(this.#options.login.current(), scope);
    return { account, realm };
  }
}

const present = (workflow: Workflow | undefined): Workflow => {
  if (!workflow) throw new DaemonError('not_found');
  return workflow;
};
