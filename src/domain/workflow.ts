/**
 * A workflow: a named sequence of tool calls. What a definition may be beyond its form, whether it may be stored, and what
 * a run may be given. The syntax of references is workflow-template.ts, running one is a service.
 * Invariant: in a definition that was accepted every reference names a declared input or an earlier step.
 */
import { DaemonError } from './errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from './json.js';
import { referencesIn, type Reference } from './workflow-template.js';

export type WorkflowInputType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

export interface WorkflowStep {
  readonly id: string;
  readonly tool: string;
  readonly params?: JsonObject;
}

/** As it was sent. */
export interface WorkflowDefinition {
  readonly summary?: string;
  readonly labels?: readonly string[];
  readonly inputs?: Readonly<Record<string, { readonly type?: WorkflowInputType; readonly description?: string }>>;
  readonly defaults?: JsonObject;
  readonly steps: readonly WorkflowStep[];
}

export interface Workflow {
  readonly account: string;
  readonly realm: string;
  /** Its own within account and realm. */
  readonly name: string;
  /** The count of edits in the realm at its last one: it never comes back, not even with a deleted name. */
  readonly revision: number;
  readonly hidden: boolean;
  readonly definition: WorkflowDefinition;
  /** Epoch milliseconds, as the next. */
  readonly createdAt: number;
  /** When the definition was last stored. */
  readonly updatedAt: number;
}

/** Whose workflows. */
export type WorkflowOwner = Pick<Workflow, 'account' | 'realm'>;

/** What a write takes to be stored now. */
export interface WorkflowGuard {
  readonly expectedRevision: string | undefined;
  readonly expectedAbsent: boolean | undefined;
}

/** What a plan is told of the shelf it writes to. */
export interface WorkflowShelf {
  /** Of the change that is planned. */
  readonly revision: number;
  readonly count: number;
}

/** The list is read as a whole. */
const WORKFLOWS_MAX = 500;
/** A page of script in every step, and a list of all of them in memory. */
const DEFINITION_CHARS_MAX = 131_072;
const WORKFLOW_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** `/workflows/runs` is the list of runs. */
const TAKEN_NAME = 'runs';
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
/** What a step came to, as later ones may refer to it. */
const RESULT_MEMBERS: readonly string[] = ['output', 'structured_content', 'content'];

const refuse = (message: string): DaemonError => new DaemonError('bad_request', message);

/** Throws bad_request. */
export const checkWorkflowName = (name: string): string => {
  if (!WORKFLOW_NAME.test(name)) throw refuse('name: 1 to 64 letters, digits, underscores and hyphens');
  if (name === TAKEN_NAME) throw refuse('name: is taken by the list of runs');
  return name;
};

/**
 * What to store; `found` is what is stored now. Throws bad_request (the definition, the guard, too many), not_found and
 * revision_conflict.
 */
export const planWorkflow = (
  found: Workflow | undefined,
  { account, realm, name }: WorkflowOwner & { readonly name: string },
  definition: WorkflowDefinition,
  { expectedRevision, expectedAbsent = false }: WorkflowGuard,
  { revision, count }: WorkflowShelf,
  now: number,
): Workflow => {
  if ((expectedRevision !== undefined) === expectedAbsent) {
    throw refuse('expected_revision, expected_absent: name the revision you have read, or say that there is none');
  }
  checkDefinition(definition);
  if (found === undefined) {
    if (!expectedAbsent) throw new DaemonError('not_found');
    if (count >= WORKFLOWS_MAX) throw refuse(`name: there are ${WORKFLOWS_MAX} workflows, and no room for more`);
    return { account, realm, name, revision, hidden: false, definition, createdAt: now, updatedAt: now };
  }
  if (expectedRevision !== revisionOf(found)) {
    throw new DaemonError('revision_conflict', undefined, { details: { current_revision: revisionOf(found) } });
  }
  return { ...found, revision, definition, updatedAt: now };
};

/** Opaque to a caller. */
export const revisionOf = ({ revision }: Workflow): string => String(revision);

/** Throws bad_request, naming the step and the rule. */
export const checkDefinition = (definition: WorkflowDefinition): void => {
  const { inputs = {}, defaults = {}, steps } = definition;
  if (JSON.stringify(definition).length > DEFINITION_CHARS_MAX) {
    throw refuse(`definition: is longer than ${DEFINITION_CHARS_MAX} characters`);
  }
  for (const name of Object.keys(inputs)) if (!NAME.test(name)) throw refuse(`definition.inputs: ${NAME_RULE}`);
  checkValues('definition.defaults', definition, defaults);
  const earlier = new Set<string>();
  for (const [index, { id, params = {} }] of steps.entries()) {
    if (!NAME.test(id)) throw refuse(`definition.steps.${index}.id: ${NAME_RULE}`);
    if (earlier.has(id)) throw refuse(`definition.steps.${index}.id: step ${id} is there already`);
    for (const part of referencesIn(params)) {
      const rule = part.kind === 'fault' ? part.rule : brokenRule(part.reference, inputs, earlier);
      if (rule !== undefined) throw refuse(`definition.steps.${index}.params: step ${id}: ${rule}`);
    }
    earlier.add(id);
  }
};

/** The steps that later ones refer to. */
export const usedSteps = ({ steps }: WorkflowDefinition): ReadonlySet<string> => {
  const parts = steps.flatMap(({ params = {} }) => [...referencesIn(params)]);
  return new Set(
    parts.flatMap((part) => (part.kind === 'reference' && part.reference[0] === 'steps' ? [part.reference[1]!] : [])),
  );
};

const NAME_RULE = 'a name is a letter, then letters, digits, underscores and hyphens, 64 in all';

const brokenRule = (
  [root, name, member, ...rest]: Reference,
  inputs: object,
  earlier: ReadonlySet<string>,
): string | undefined => {
  if (root === 'inputs') {
    return name !== undefined && Object.hasOwn(inputs, name)
      ? undefined
      : 'a reference names an input that is not declared';
  }
  if (root !== 'steps') return 'a reference begins with inputs or steps';
  if (name === undefined || !earlier.has(name)) return 'a reference names a step that does not come before it';
  if (member === undefined || !RESULT_MEMBERS.includes(member)) {
    return `a reference to a step goes on with ${RESULT_MEMBERS.join(', ')}`;
  }
  return member === 'output' && rest.length > 0 ? 'an output is a text and has no members' : undefined;
};

const FITS: Readonly<Record<WorkflowInputType, (value: JsonValue) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: isJsonObject,
};

const SHOWN_CHARS = 64;

const checkValues = (field: string, { inputs = {} }: WorkflowDefinition, values: JsonObject): void => {
  for (const [name, value] of Object.entries(values)) {
    const at = `${field}.${name.slice(0, SHOWN_CHARS)}`;
    if (!Object.hasOwn(inputs, name)) throw refuse(`${at}: the workflow has no such input`);
    const type = inputs[name]?.type;
    if (type !== undefined && !FITS[type](value)) throw refuse(`${at}: must be ${type}`);
  }
};

/** The inputs of a run, with the defaults of those that are not given. Throws bad_request. */
export const inputsOf = (definition: WorkflowDefinition, given: JsonObject): JsonObject => {
  checkValues('inputs', definition, given);
  const { inputs = {}, defaults = {} } = definition;
  const values = { ...defaults, ...given };
  const missing = Object.keys(inputs).find((name) => !Object.hasOwn(values, name));
  if (missing !== undefined) throw refuse(`inputs.${missing}: is needed`);
  return values;
};
