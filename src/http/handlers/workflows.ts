/** The operations on workflows. Values to values: the rules are in `domain/workflow.ts`. */
import type { WorkflowDefinition } from '../../domain/workflow.js';
import type { Workflows } from '../../services/workflows.js';
import type { Handlers } from '../operation.js';
import { listWindow } from '../views.js';
import { workflowAnswer, workflowRow } from '../workflow-views.js';

type WorkflowHandlers = Pick<
  Handlers,
  'listWorkflows' | 'getWorkflow' | 'setWorkflow' | 'deleteWorkflow' | 'hideWorkflow'
>;

export interface WorkflowHandlerDeps {
  readonly workflows: Workflows;
}

export const workflowHandlers = ({ workflows }: WorkflowHandlerDeps): WorkflowHandlers => ({
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
});
