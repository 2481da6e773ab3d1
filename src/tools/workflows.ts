/**
 * `read_workflow` and `upsert_workflow`: the workflows of the session's realm, for a model that writes one. What a
 * definition may be is `domain/workflow.ts`; here its form is a schema, as a request's is by the contract. A run is
 * started by a caller of the API and by no tool.
 */
import type { JsonObject } from '../domain/json.js';
import { succeeded } from '../domain/tool.js';
import { revisionOf, type Workflow, type WorkflowDefinition } from '../domain/workflow.js';
import type { RunnableTool, WorkflowDesk } from '../ports.js';
import { type Refusals, scopeOf, shown, told } from './list-tools.js';
import { objectSchema } from './tool-kit.js';

/** As the API has them. */
const STEPS_MAX = 100;
const INPUTS_MAX = 100;
const LABELS_MAX = 50;
const NAME_CHARS_MAX = 64;
const LINE_CHARS_MAX = 1_000;
const TOOL_NAME_CHARS_MAX = 200;

const NAME: JsonObject = {
  type: 'string',
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  description: 'Letters, digits, underscores and hyphens.',
};
const LINE: JsonObject = { type: 'string', maxLength: LINE_CHARS_MAX };
const INPUT: JsonObject = objectSchema({}, [], {
  type: { type: 'string', enum: ['string', 'number', 'integer', 'boolean', 'array', 'object'] },
  description: LINE,
});
const STEP: JsonObject = objectSchema(
  {
    id: { type: 'string', minLength: 1, maxLength: NAME_CHARS_MAX, description: 'What later steps call it by.' },
    tool: { type: 'string', minLength: 1, maxLength: TOOL_NAME_CHARS_MAX, description: 'The tool it calls.' },
  },
  ['id', 'tool'],
  { params: { type: 'object', description: 'What the tool is called with. Its texts may have references.' } },
);
const DEFINITION: JsonObject = {
  ...objectSchema({ steps: { type: 'array', minItems: 1, maxItems: STEPS_MAX, items: STEP } }, ['steps'], {
    summary: { ...LINE, description: 'What it is for.' },
    labels: {
      type: 'array',
      maxItems: LABELS_MAX,
      items: { type: 'string', minLength: 1, maxLength: NAME_CHARS_MAX },
    },
    inputs: { type: 'object', maxProperties: INPUTS_MAX, additionalProperties: INPUT },
    defaults: { type: 'object', description: 'Values of inputs that need not be given.' },
  }),
  description:
    'Steps that run one after another. In params, {{inputs.NAME}} is an input and {{steps.ID.output}} what an earlier step printed ({{steps.ID.structured_content}} and {{steps.ID.content}} of an MCP tool, with members and items behind dots). \\{{ is two braces.',
};

const REFUSALS: Refusals = {
  missing: 'there is no workflow of that name',
  conflict: 'revision_conflict',
  changed: (revision) =>
    `nothing was stored: the workflow is at revision ${revision} now; read it again with read_workflow and decide anew`,
};

export const createWorkflowTools = (workflows: WorkflowDesk): RunnableTool[] => [
  {
    name: 'read_workflow',
    description: 'Read a workflow: its definition, and the revision a change must name. Without a name, list them all.',
    readOnly: true,
    category: 'workflows',
    permissionKey: 'workflows.read',
    asyncCapable: false,
    inputSchema: objectSchema({}, [], { name: { ...NAME, description: 'One workflow in full.' } }),
    reach: () => ({ paths: [] }),
    run: ({ name }, { posture }) =>
      told(REFUSALS, async () => {
        const scope = scopeOf(posture);
        if (typeof name === 'string') return shown(inFull(await workflows.get(name, scope)));
        return shown((await workflows.list(scope, true)).map(inShort));
      }),
  },
  {
    name: 'upsert_workflow',
    description:
      'Store a workflow: a new one with expected_absent, or another definition of one whose revision read_workflow has shown.',
    readOnly: false,
    category: 'workflows',
    permissionKey: 'workflows.write',
    asyncCapable: false,
    inputSchema: objectSchema({ name: NAME, definition: DEFINITION }, ['name', 'definition'], {
      expected_revision: {
        type: 'string',
        minLength: 1,
        maxLength: NAME_CHARS_MAX,
        description: 'The revision the change is made from.',
      },
      expected_absent: { type: 'boolean', description: 'True: there is none of that name yet.' },
    }),
    reach: () => ({ paths: [] }),
    run: (params, { posture }) =>
      told(REFUSALS, async () => {
        const { name, definition, expected_revision, expected_absent } = params as unknown as UpsertParams;
        const guard = { expectedRevision: expected_revision, expectedAbsent: expected_absent };
        const stored = await workflows.put(name, definition, guard, scopeOf(posture));
        return succeeded(`stored ${name} at revision ${revisionOf(stored)}`);
      }),
  },
];

interface UpsertParams {
  readonly name: string;
  readonly definition: WorkflowDefinition;
  readonly expected_revision?: string;
  readonly expected_absent?: boolean;
}

const inShort = ({ name, hidden, definition: { summary = '' } }: Workflow): JsonObject => ({
  name,
  summary,
  ...(hidden ? { hidden } : {}),
});

const inFull = (workflow: Workflow): JsonObject => ({
  name: workflow.name,
  revision: revisionOf(workflow),
  definition: workflow.definition as unknown as JsonObject,
});
