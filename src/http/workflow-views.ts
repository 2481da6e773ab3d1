/** Workflows and their runs as wire objects. As in views.ts, a view names what it shows. */
import type { WorkflowRun, WorkflowRunDetail, WorkflowRunStep } from '../domain/workflow-run.js';
import { revisionOf, type Workflow, type WorkflowDefinition } from '../domain/workflow.js';
import { present } from './views.js';

export const workflowRow = ({ name, definition, hidden, realm, createdAt, updatedAt }: Workflow) => {
  const { summary = '', labels = [], inputs = {}, steps } = definition;
  return {
    name,
    summary,
    labels: [...labels],
    step_count: steps.length,
    entry_point: steps[0]?.id ?? '',
    steps: steps.map(({ id, tool }) => ({ id, tool })),
    params: Object.keys(inputs),
    hidden,
    realm,
    created_at: time(createdAt),
    updated_at: time(updatedAt),
  };
};

export const workflowAnswer = (workflow: Workflow, withRevision: boolean) => ({
  status: 'ok' as const,
  workflow: workflowRow(workflow),
  definition: definitionView(workflow.definition),
  ...(withRevision ? { revision: revisionOf(workflow) } : {}),
});

export const workflowRunRow = (run: WorkflowRun) =>
  present({
    run_id: run.id,
    workflow_name: run.workflow,
    session_id: run.sessionId,
    cwd: run.cwd,
    config_dir: run.configDir ?? undefined,
    realm: run.realm,
    status: run.status,
    started_at: time(run.startedAt),
    finished_at: run.finishedAt === null ? undefined : time(run.finishedAt),
    current_step: run.currentStep ?? undefined,
    current_idx: run.ended,
    total_steps: run.totalSteps,
    last_step: run.lastStep ?? undefined,
    error: run.error ?? undefined,
  });

export const workflowRunAnswer = (run: WorkflowRunDetail) => ({
  run: { ...workflowRunRow(run), steps: run.steps.map(stepRow) },
});

const stepRow = (step: WorkflowRunStep) =>
  present({
    step_id: step.stepId,
    tool: step.tool,
    success: step.success,
    output: step.output,
    truncated: step.truncated,
    error_code: step.errorCode,
    started_at: time(step.startedAt),
    finished_at: time(step.finishedAt),
  });

const time = (ms: number): string => new Date(ms).toISOString();

/** As it was sent: its members are those of the contract, which checked it. */
const definitionView = ({ labels, steps, ...rest }: WorkflowDefinition) => ({
  ...rest,
  ...(labels && { labels: [...labels] }),
  steps: [...steps],
});
