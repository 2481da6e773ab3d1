/** Rules about workflows: how a definition is stored and who it belongs to. Each case has names of its own. */
import { must, mustEqual } from '../../check.js';
import type { Answer, CallArguments } from '../../client.js';
import { mustAnswer, type Target } from '../../target.js';
import type { Rules } from '../rules.js';

// oxlint-disable-next-line typescript/no-explicit-any -- a case looks at what came.
type Json = any;
type Body = Readonly<Record<string, unknown>>;

const ABSENT = { expected_absent: true };
const LOOK = { id: 'look', tool: 'list_dir', params: { path: '.' } };
const of = (...steps: Body[]): Body => ({ steps });

/** One name, of which nothing is there before the case and after it. */
export class Workflow {
  readonly target: Target;
  readonly name: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(target: Target, headers: Readonly<Record<string, string>> = {}) {
    this.target = target;
    this.#headers = headers;
    this.name = target.name('workflow');
    target.defer(() => this.call('deleteWorkflow'));
  }

  call(operation: string, more: CallArguments = {}): Promise<Answer> {
    const headers = { ...this.#headers, ...more.headers };
    return this.target.call(operation, { ...more, headers, path: { name: this.name } });
  }

  set(definition: Body, guard: Body = ABSENT): Promise<Answer> {
    return this.call('setWorkflow', { body: { definition, ...guard } });
  }

  /** Stored; its revision. */
  async stored(definition: Body = of(LOOK), guard: Body = ABSENT): Promise<string> {
    const answer = await this.set(definition, guard);
    mustAnswer(answer, 200);
    return answer.json.revision;
  }

  async read(more: CallArguments = {}): Promise<Json> {
    const answer = await this.call('getWorkflow', { query: { include_revision: true }, ...more });
    mustAnswer(answer, 200);
    return answer.json;
  }

  async hide(hidden: boolean): Promise<Json> {
    const answer = await this.call('hideWorkflow', { body: { hidden } });
    mustAnswer(answer, 200);
    return answer.json;
  }

  /** Whether a list has it. */
  async isListed(query: NonNullable<CallArguments['query']>, headers = {}): Promise<boolean> {
    for (let page = 1; ; page += 1) {
      const call = { query: { ...query, page, limit: 100 }, headers };
      const { items, meta } = (await this.target.expect(200, 'listWorkflows', call)).json;
      if (items.some(({ name }: Json) => name === this.name)) return true;
      if (page * meta.limit >= meta.total) return false;
    }
  }
}

export const workflowRules: Rules = {
  'workflows.definition.references': async (target) => {
    const asks = (reference: string): Body => ({ ...LOOK, params: { path: reference } });
    const input = { inputs: { place: { type: 'string' } } };
    for (const [step, definition] of [
      ['look', of(asks('{{inputs.place}}'))],
      ['look', { ...input, ...of(asks('{{inputs.other}}')) }],
      ['look', of(asks('{{steps.later.output}}'), { ...LOOK, id: 'later' })],
      ['look', of(asks('{{steps.look.output}}'))],
      ['second', of(LOOK, { ...asks('in {{steps.nowhere.output}}'), id: 'second' })],
    ] as const) {
      const workflow = new Workflow(target);
      const refused = await workflow.set(definition);
      mustAnswer(refused, 400, 'bad_request');
      must(refused.json.message.includes(step), 'the refusal does not name the step');
      mustAnswer(await workflow.call('getWorkflow'), 404, 'not_found');
    }
    const good = { ...input, ...of(asks('{{inputs.place}}'), { ...asks('{{steps.look.output}}'), id: 'second' }) };
    mustAnswer(await new Workflow(target).set(good), 200);
  },
  'workflows.definition.guard': async (target) => {
    const workflow = new Workflow(target);
    const other = of({ ...LOOK, id: 'other' });
    const over = (expected_revision: string) => workflow.set(other, { expected_revision });
    mustAnswer(await over('anything'), 404, 'not_found');
    const first = await workflow.stored();
    const second = await workflow.stored(of({ ...LOOK, id: 'again' }), { expected_revision: first });
    for (const stale of [await over(first), await workflow.set(other)]) {
      mustAnswer(stale, 409, 'revision_conflict');
      mustEqual(stale.json.details?.current_revision, second, 'the current revision');
    }
    const { revision, definition } = await workflow.read();
    mustEqual([revision, definition], [second, of({ ...LOOK, id: 'again' })], 'what is stored');
    mustAnswer(await workflow.call('deleteWorkflow'), 200);
    mustAnswer(await over(second), 404, 'not_found');
    const anew = await workflow.stored();
    must(![first, second].includes(anew), 'a revision of the earlier workflow of that name came back');
  },
  'workflows.definition.errors': async (target) => {
    const workflow = new Workflow(target);
    await workflow.stored();
    for (const refused of [
      await workflow.set(of()),
      await workflow.set(of(LOOK)),
      await new Workflow(target).call('getWorkflow'),
      await new Workflow(target).call('deleteWorkflow'),
    ]) {
      must(refused.status >= 400, 'what has to be refused was accepted');
      must(typeof refused.json?.code === 'string', 'the error has no code');
      must(refused.json.is_error === undefined && refused.json.ok === undefined, 'the error is the result of a tool');
    }
  },
  'workflows.definition.hidden': async (target) => {
    const workflow = new Workflow(target);
    const revision = await workflow.stored();
    mustEqual((await workflow.hide(true)).workflow.hidden, true, 'hidden');
    must(!(await workflow.isListed({})), 'a hidden workflow is listed');
    must(await workflow.isListed({ include_hidden: true }), 'it is not listed with the hidden ones');
    mustEqual((await workflow.read()).revision, revision, 'the revision of what was hidden');
    mustEqual((await workflow.hide(false)).workflow.hidden, false, 'hidden');
    must(await workflow.isListed({}), 'what is hidden no more is not listed');
  },
  'workflows.definition.owner': {
    features: ['realms'],
    run: async (target) => {
      const workflow = new Workflow(target);
      const there = { 'x-hoody-realm': 'cd'.repeat(12) };
      target.defer(() => workflow.call('deleteWorkflow', { headers: there }));
      await workflow.stored();
      mustAnswer(await workflow.call('getWorkflow', { headers: there }), 404, 'not_found');
      must(!(await workflow.isListed({ include_hidden: true }, there)), 'it is listed in another realm');
      const other = of({ ...LOOK, id: 'other' });
      const made = await workflow.call('setWorkflow', { headers: there, body: { definition: other, ...ABSENT } });
      mustAnswer(made, 200);
      mustEqual((await workflow.read()).definition, of(LOOK), 'the one of the first realm');
      mustEqual((await workflow.read({ headers: there })).definition, other, 'the one of the other realm');
      const folder = await target.anyFolder();
      const places = { 'x-hoody-cwd': folder, 'x-hoody-config-dir': folder };
      mustEqual((await workflow.read({ headers: places })).definition, of(LOOK), 'the one of a folder');
      const relative = { headers: { 'x-hoody-cwd': 'relative' } };
      must((await workflow.call('getWorkflow', relative)).status === 400, 'a relative folder was not refused');
    },
  },
};
