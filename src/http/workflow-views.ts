/** Workflows as wire objects. As in views.ts, a view names what it shows. */
import { revisionOf, type Workflow, type WorkflowDefinition } from '../domain/workflow.js';

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
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
};

export const workflowAnswer = (workflow: Workflow, withRevision: boolean) => ({
  status: 'ok' as const,
  workflow: workflowRow(workflow),
  definition: definitionView(workflow.definition),
  ...(withRevision ? { revision: revisionOf(workflow) } : {}),
});

/** As it was sent: its members are those of the contract, which checked it. */
const definitionView = ({ labels, steps, ...rest }: WorkflowDefinition) => ({
  ...rest,
  ...(labels && { labels: [...labels] }),
  steps: [...steps],
});
