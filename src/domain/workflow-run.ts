/**
 * One run of a workflow, as it is kept: how far it is, what its steps came to, and how it ended. Values in, values out;
 * doing the steps is a service.
 * Invariant: a run that is over stays as it ended, whoever still works on it.
 */
export type WorkflowRunStatus = 'running' | 'completed' | 'failed' | 'cancelled';

export interface WorkflowRunStep {
  readonly stepId: string;
  readonly tool: string;
  readonly success: boolean;
  /** Its beginning. */
  readonly output: string;
  readonly truncated?: true;
  readonly errorCode?: string;
  /** Epoch milliseconds, as all times here. */
  readonly startedAt: number;
  readonly finishedAt: number;
}

export interface WorkflowRun {
  readonly id: string;
  readonly account: string;
  readonly realm: string;
  readonly cwd: string;
  readonly configDir: string | null;
  readonly sessionId: string;
  readonly workflow: string;
  readonly status: WorkflowRunStatus;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  /** Null once it is over. */
  readonly currentStep: string | null;
  /** Steps that have ended. */
  readonly ended: number;
  readonly totalSteps: number;
  readonly lastStep: string | null;
  /** Why it failed. */
  readonly error: string | null;
}

export interface WorkflowRunDetail extends WorkflowRun {
  readonly steps: readonly WorkflowRunStep[];
}

/** Enough to see what happened. What a tool said in full is the business of the steps that use it. */
const OUTPUT_CHARS_MAX = 1_000;
const ERROR_CHARS_MAX = 2_000;

export const INTERRUPTED = 'interrupted: the daemon stopped before the run was over';

export const isRunOver = ({ status }: WorkflowRun): boolean => status !== 'running';

/** The beginning of an output, and whether that is not all of it. */
export const shownOutput = (output: string): Pick<WorkflowRunStep, 'output' | 'truncated'> =>
  output.length <= OUTPUT_CHARS_MAX ? { output } : { output: output.slice(0, OUTPUT_CHARS_MAX), truncated: true };

/** A step has ended and another begins. */
export const afterStep = (run: WorkflowRunDetail, step: WorkflowRunStep, next: string | null): WorkflowRunDetail =>
  isRunOver(run)
    ? run
    : {
        ...run,
        steps: [...run.steps, step],
        ended: run.ended + 1,
        lastStep: step.stepId,
        currentStep: next,
      };

/** The run after the program that worked on it stopped. Its last step is the best that is known of its end. */
export const afterDaemon = (run: WorkflowRunDetail): WorkflowRunDetail =>
  endedRun(run, 'failed', INTERRUPTED, run.steps.at(-1)?.finishedAt ?? run.startedAt);

export const endedRun = (
  run: WorkflowRunDetail,
  status: Exclude<WorkflowRunStatus, 'running'>,
  error: string | null,
  now: number,
): WorkflowRunDetail =>
  isRunOver(run)
    ? run
    : { ...run, status, finishedAt: now, currentStep: null, error: error && error.slice(0, ERROR_CHARS_MAX) };
