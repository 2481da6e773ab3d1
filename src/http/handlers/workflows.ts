/** The operations on workflows and their runs. Values to values: the rules are in `domain/workflow.ts`. */
import type { JsonObject } from '../../domain/json.js';
import type { WorkflowRun } from '../../domain/workflow-run.js';
import type { WorkflowDefinition } from '../../domain/workflow.js';
import type { Jobs } from '../../services/jobs.js';
import type { Sessions } from '../../services/sessions.js';
import type { RunWork, WorkflowRuns } from '../../services/workflow-runs.js';
import type { Workflows } from '../../services/workflows.js';
import type { Handlers } from '../operation.js';
import { listBody, listWindow, windowOf } from '../views.js';
import { workflowAnswer, workflowRow, workflowRunAnswer, workflowRunRow } from '../workflow-views.js';

type WorkflowHandlers = Pick<
  Handlers,
  | 'listWorkflows'
  | 'getWorkflow'
  | 'setWorkflow'
  | 'deleteWorkflow'
  | 'hideWorkflow'
  | 'runSessionWorkflow'
  | 'listWorkflowRuns'
  | 'getWorkflowRun'
  | 'cancelWorkflowRun'
>;

export interface WorkflowHandlerDeps {
  readonly workflows: Workflows;
  readonly runs: WorkflowRuns;
  readonly sessions: Sessions;
  readonly jobs: Jobs;
}

export const workflowHandlers = ({ workflows, runs, sessions, jobs }: WorkflowHandlerDeps): WorkflowHandlers => ({
  listWorkflows: async ({ query }, { scope }) => ({
    status: 200,
    body: listWindow(await workflows.list(scope, query.include_hidden ?? false), query, workflowRow),
  }),

  getWorkflow: async ({ path, query }, { scope }) => ({
    status: 200,
    body: workflowAnswer(await workflows.get(path.name, scope), query.include_revision ?? false),
  }),

  setWorkflow: async ({ path, body }, { scope }) => {
    const { expected_revision: expectedRevision, expected_absent: expectedAbsent } = body;
    const definition = body.definition as WorkflowDefinition;
    const stored = await workflows.put(path.name, definition, { expectedRevision, expectedAbsent }, scope);
    return { status: 200, body: workflowAnswer(stored, true) };
  },

  deleteWorkflow: async ({ path }, { scope }) => {
    await workflows.delete(path.name, scope);
    return { status: 200, body: { status: 'ok' } };
  },

  hideWorkflow: async ({ path, body }, { scope }) => ({
    status: 200,
    body: workflowAnswer(await workflows.hide(path.name, body?.hidden ?? true, scope), false),
  }),

  runSessionWorkflow: async ({ path, body }, { scope }) => {
    const session = sessions.live(path.id, scope);
    const { sessionId, account } = session.posture;
    const inBackground = ({ id: runId }: WorkflowRun, work: RunWork): Promise<string> =>
      jobs.start('session.workflow', account, async (signal) => workflowRunAnswer(await work(signal)), {
        sessionId,
        runId,
      });
    const { runId, jobId } = await runs.start(session, path.name, (body?.inputs ?? {}) as JsonObject, inBackground);
    return { status: 202, body: { job_id: jobId, session_id: sessionId, run_id: runId } };
  },

  listWorkflowRuns: async ({ query }, { scope }) => {
    const window = windowOf(query);
    return { status: 200, body: listBody(await runs.list(scope, window), window, workflowRunRow) };
  },

  getWorkflowRun: async ({ path }, { scope }) => ({
    status: 200,
    body: workflowRunAnswer(await runs.get(path.run_id, scope)),
  }),

  cancelWorkflowRun: async ({ path }, context) => {
    context.waiting();
    return { status: 200, body: workflowRunAnswer(await runs.cancel(path.run_id, context.scope)) };
  },
});
