/**
 * Runs of workflows: one step after another through the one tool door, in the turn slot of a session. A step that a gate
 * asks about parks the run until a person has decided; how far a run is, is in the store after every step.
 * Invariant: a run is over when its slot is free, and one that is over in the store does no further step.
 */
import { DaemonError, toDaemonError } from '../domain/errors.js';
import type { JsonObject, JsonValue } from '../domain/json.js';
import { listScopeOf, runsWorkflows, type Scope } from '../domain/session.js';
import type { ToolResult } from '../domain/tool.js';
import type { Listed, Window } from '../domain/topics.js';
import type { TurnClaim } from '../domain/turn-slot.js';
import {
  inputsOf,
  usedSteps,
  type WorkflowDefinition,
  type WorkflowOwner,
  type WorkflowStep,
} from '../domain/workflow.js';
import {
  afterStep,
  endedRun,
  INTERRUPTED,
  isRunOver,
  shownOutput,
  type WorkflowRun,
  type WorkflowRunDetail,
} from '../domain/workflow-run.js';
import { render } from '../domain/workflow-template.js';
import type { Clock, Ids, Logger, LoginSource, WorkflowRunStore } from '../ports.js';
import type { Decision, Gates } from './gates.js';
import type { RunSession, ToolRunner } from './tool-runner.js';
import { lastingAbort } from './until-aborted.js';
import type { Workflows } from './workflows.js';

/** The steps of a run; resolves with the run as it ended. */
export type RunWork = (signal: AbortSignal) => Promise<WorkflowRunDetail>;

export interface WorkflowRunsOptions {
  readonly store: WorkflowRunStore;
  readonly workflows: Workflows;
  readonly runner: Pick<ToolRunner, 'runStep'>;
  readonly gates: Gates;
  readonly login: LoginSource;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** What later steps use of earlier ones is held in memory until the run is over. */
const RESULTS_CHARS_MAX = 32 * 1024 * 1024;
/** How soon a store that did not take a step is asked again; a run waits for it. */
const STORE_RETRY_MS = 1_000;

/** What a step came to; a refusal by a gate, a person or the runner is one too. */
type StepResult = Pick<ToolResult, 'ok' | 'output' | 'content' | 'structuredContent'> & { readonly errorCode?: string };

/** A run that is under way here. */
interface Held {
  readonly session: RunSession;
  readonly claim: TurnClaim;
  readonly run: WorkflowRun;
  readonly definition: WorkflowDefinition;
  readonly inputs: JsonObject;
}

export class WorkflowRuns {
  readonly #options: WorkflowRunsOptions;
  /** What is under way here, `over` from when its steps begin. */
  readonly #held = new Map<string, { readonly claim: TurnClaim; over?: Promise<WorkflowRunDetail> }>();
  readonly #stopping = lastingAbort();

  constructor(options: WorkflowRunsOptions) {
    this.#options = options;
  }

  /** From now on what is aborted is interrupted, and a store that does not answer is waited for no longer. */
  stop(): void {
    this.#stopping.abort();
  }

  /**
   * Claims the turn slot, records the run and hands its steps to `inBackground`, which returns a job id. Throws not_found
   * (no such workflow), bad_request (inputs, a read-only session), turn_in_flight, gate_parked, service_unavailable.
   */
  async start(
    session: RunSession,
    name: string,
    given: JsonObject,
    inBackground: (run: WorkflowRun, work: RunWork) => Promise<string>,
  ): Promise<{ readonly runId: string; readonly jobId: string }> {
    const { store, workflows } = this.#options;
    const { posture, slot } = session;
    if (!runsWorkflows(posture.toolMode)) {
      throw new DaemonError(
        'bad_request',
        'tool_mode: a read_only session runs no workflows; an orchestrator session does',
      );
    }
    const { definition } = await workflows.find(name, posture);
    const inputs = inputsOf(definition, given);
    const claim = slot.claim('workflow');
    const run = this.#newRun(session, name, definition);
    this.#held.set(run.id, { claim });
    try {
      await store.insert(run);
      try {
        const work: RunWork = (signal) => this.#hold({ session, claim, run, definition, inputs }, signal);
        return { runId: run.id, jobId: await inBackground(run, work) };
      } catch (error) {
        // What cannot be written now `tend` does, and this caller does not wait for it.
        await store.update(run.id, run, (now) =>
          this.#ended(visible(now, run), 'failed', toDaemonError(error).message),
        );
        throw error;
      }
    } catch (error) {
      this.#held.delete(run.id);
      claim.release();
      throw error;
    }
  }

  /** Throws not_found (realm not served). */
  list(scope: Scope, window: Window): Promise<Listed<WorkflowRun>> {
    return this.#options.store.list(listScopeOf(this.#options.login.current(), scope), window);
  }

  /** Throws not_found. */
  async get(id: string, scope: Scope): Promise<WorkflowRunDetail> {
    return visible(await this.#options.store.find(id), this.#owner(scope));
  }

  /**
   * The run as it ended: one that is under way here has stopped by then. One that another daemon works on, or none any
   * more, is cancelled in the store, where whoever works on it learns of it. Throws not_found, service_unavailable.
   */
  async cancel(id: string, scope: Scope): Promise<WorkflowRunDetail> {
    const owner = this.#owner(scope);
    const held = this.#held.get(id);
    if (held !== undefined) {
      await this.get(id, scope);
      held.claim.abort();
      if (held.over) return held.over;
    }
    return this.#options.store.update(id, owner, (now) => this.#ended(visible(now, owner), 'cancelled', null));
  }

  /**
   * To be called every now and then: stops what is over in the store, for another daemon has cancelled it, and ends there
   * what nobody works on. Rejects with service_unavailable.
   */
  async tend(): Promise<void> {
    const { store } = this.#options;
    const working = [...this.#held].filter(([, { over }]) => over !== undefined);
    const unfinished = await store.unfinished();
    const ids = new Set(unfinished.map(({ id }) => id));
    for (const [id, { claim }] of working) if (!ids.has(id)) claim.abort();
    for (const run of unfinished) {
      if (this.#held.has(run.id)) continue;
      await store.update(run.id, run, (now) => this.#ended(visible(now, run), 'failed', LOST));
    }
  }

  #newRun({ posture }: RunSession, name: string, { steps }: WorkflowDefinition): WorkflowRunDetail {
    const { ids, clock } = this.#options;
    return {
      id: `wfrun_${ids.ulid()}`,
      account: posture.account,
      realm: posture.realm,
      cwd: posture.cwd,
      configDir: posture.configDir,
      sessionId: posture.sessionId,
      workflow: name,
      status: 'running',
      startedAt: clock.now(),
      finishedAt: null,
      currentStep: steps[0]?.id ?? null,
      ended: 0,
      totalSteps: steps.length,
      lastStep: null,
      error: null,
      steps: [],
    };
  }

  #hold(held: Held, signal: AbortSignal): Promise<WorkflowRunDetail> {
    const { claim, run } = held;
    const cancel = (): void => claim.abort();
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel);
    const over = this.#work(held).finally(() => {
      signal.removeEventListener('abort', cancel);
      this.#held.delete(run.id);
      claim.release();
    });
    this.#held.set(run.id, { claim, over });
    return over;
  }

  async #work(held: Held): Promise<WorkflowRunDetail> {
    const { clock } = this.#options;
    const { claim, run, definition, inputs } = held;
    const { steps } = definition;
    const used = usedSteps(definition);
    const results: JsonObject = {};
    let kept = 0;
    for (const [index, step] of steps.entries()) {
      if (claim.signal.aborted) return this.#write(run, (now) => this.#aborted(now));
      const startedAt = clock.now();
      const result = await this.#step(held, step, { inputs, steps: results });
      if (result.ok && used.has(step.id)) {
        const values = (results[step.id] = valuesOf(result));
        kept += JSON.stringify(values).length;
      }
      const ended = {
        stepId: step.id,
        tool: step.tool,
        success: result.ok,
        ...shownOutput(result.output),
        ...(result.errorCode === undefined ? {} : { errorCode: result.errorCode }),
        startedAt,
        finishedAt: clock.now(),
      };
      const next = steps[index + 1]?.id ?? null;
      const stored = await this.#write(run, (now) => {
        const after = afterStep(now, ended, next);
        if (claim.signal.aborted && !(result.ok && next === null)) return this.#aborted(after);
        if (!result.ok) return this.#ended(after, 'failed', `step ${step.id}: ${result.output}`);
        if (next === null) return this.#ended(after, 'completed', null);
        return kept > RESULTS_CHARS_MAX ? this.#ended(after, 'failed', `step ${step.id}: ${TOO_MUCH}`) : after;
      });
      if (isRunOver(stored)) return stored;
    }
    // No definition is without a step, and the last one ends the run.
    throw new Error('a workflow has come to no end');
  }

  async #step(held: Held, { id, tool, params = {} }: WorkflowStep, values: JsonObject): Promise<StepResult> {
    try {
      return await this.#call(held, id, tool, render(params, values));
    } catch (thrown) {
      const error = toDaemonError(thrown);
      if (error.code === 'internal_error') {
        this.#options.logger.error({ runId: held.run.id, err: error.cause }, 'a step failed unexpectedly');
      }
      return { ok: false, output: error.message, errorCode: error.code };
    }
  }

  /** Asks a person as often as what they said yes to is no longer what would run. */
  async #call({ session, claim, run }: Held, step: string, tool: string, params: JsonObject): Promise<StepResult> {
    const { runner, gates } = this.#options;
    const call = { session, tool, params, sessionless: false, isStep: true } as const;
    let approved: string | undefined;
    for (;;) {
      const outcome = await runner.runStep(call, claim, approved);
      if (outcome.kind === 'result') return outcome.result;
      const { cause, reasons, params: shown } = outcome;
      const detail = `step ${step} of the workflow ${run.workflow}: ${reasons.join('; ')}`;
      const read = (decision: Decision): Decision => decision;
      const gate = { type: 'confirm', tool, params: shown, cause, detail, read } as const;
      const end = await gates.park(session, claim, gate, claim.signal);
      if (end.outcome !== 'answered') return end.outcome === 'cancelled' ? CANCELLED : UNDECIDED;
      const { approved: isApproved, reason } = end.value;
      if (!isApproved) return { ok: false, output: reason ? `denied: ${reason}` : 'denied', errorCode: 'denied' };
      // Of a run that another daemon has cancelled meanwhile nobody heard here.
      if (isRunOver(await this.#write(run, (now) => now))) return CANCELLED;
      approved = outcome.call;
    }
  }

  #ended(
    run: WorkflowRunDetail,
    status: 'completed' | 'failed' | 'cancelled',
    error: string | null,
  ): WorkflowRunDetail {
    return endedRun(run, status, error, this.#options.clock.now());
  }

  #aborted(run: WorkflowRunDetail): WorkflowRunDetail {
    return this.#stopping.signal.aborted
      ? this.#ended(run, 'failed', INTERRUPTED)
      : this.#ended(run, 'cancelled', null);
  }

  /** Waits for a store that cannot be used, unless the daemon stops: its next start tells what became of the run then. */
  async #write(run: WorkflowRun, plan: (now: WorkflowRunDetail) => WorkflowRunDetail): Promise<WorkflowRunDetail> {
    const { store, clock } = this.#options;
    for (;;) {
      try {
        return await store.update(run.id, run, (now) => plan(visible(now, run)));
      } catch (error) {
        if (toDaemonError(error).code !== 'service_unavailable' || this.#stopping.signal.aborted) throw error;
        await clock.sleep(STORE_RETRY_MS, this.#stopping.signal);
      }
    }
  }

  #owner(scope: Scope): WorkflowOwner {
    return listScopeOf(this.#options.login.current(), scope);
  }
}

const CANCELLED: StepResult = { ok: false, output: 'the run was cancelled', errorCode: 'cancelled' };
const UNDECIDED: StepResult = { ok: false, output: 'nobody decided in time', errorCode: 'timeout' };
/** Of a run whose beginning or end got lost on the way to the store. */
const LOST = 'lost: the work lists could not be told how it went on';
const TOO_MUCH = `what later steps use comes to more than ${RESULTS_CHARS_MAX} characters`;

/** What later steps may refer to. */
const valuesOf = ({ output, structuredContent, content }: StepResult): JsonObject => ({
  output,
  ...(structuredContent === undefined ? {} : { structured_content: structuredContent }),
  ...(content === undefined ? {} : { content: [...content] as JsonValue[] }),
});

const visible = (run: WorkflowRunDetail | undefined, { account, realm }: WorkflowOwner): WorkflowRunDetail => {
  if (!run || run.account !== account || run.realm !== realm) throw new DaemonError('not_found');
  return run;
};
