/** Rules about runs of workflows. Each case has workflows, a session and a folder of its own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { must, mustEqual } from '../../check.js';
import type { Answer } from '../../client.js';
import { mustAnswer, type Target } from '../../target.js';
import type { Rules } from '../rules.js';
import { freshRealm } from './changes.js';
import { ending } from './kept.js';
import { exists, stateOf } from './tool-folder.js';
import { Workflow } from './workflows.js';

// oxlint-disable-next-line typescript/no-explicit-any -- a case looks at what came.
type Json = any;
type Body = Readonly<Record<string, unknown>>;

const LOOK = { id: 'look', tool: 'list_dir', params: { path: '.' } };
/** Goes on until it is cancelled. */
const LONG = { id: 'long', tool: 'bash', params: { command: 'sleep 600' } };
const write = (id: string, path = `${id}.txt`): Body => ({
  id,
  tool: 'write_file',
  params: { path, content: `by ${id}` },
});
/** One reading of the tokens is shared for a second. */
const TOKEN_MS = 4_000;

/** A session that workflows run in. */
class Running {
  readonly target: Target;
  readonly id: string;
  readonly cwd: string;
  readonly headers: Readonly<Record<string, string>>;

  private constructor(target: Target, id: string, cwd: string, headers: Readonly<Record<string, string>>) {
    this.target = target;
    this.id = id;
    this.cwd = cwd;
    this.headers = headers;
  }

  /** One that asks before it writes. */
  static async open(target: Target, body: Body = {}): Promise<Running> {
    const { id, cwd } = await target.session(body);
    const realm = body['realm'] as string | undefined;
    return new Running(target, id, cwd, realm === undefined ? {} : { 'x-hoody-realm': realm });
  }

  /** One that may write. */
  static async permitted(target: Target, body: Body = {}): Promise<Running> {
    const opened = await Running.open(target, body);
    await target.expect(200, 'setSessionYolo', { path: { id: opened.id }, body: { enabled: true } });
    return opened;
  }

  file(name: string): string {
    return join(this.cwd, name);
  }

  /** Stores a workflow of these steps; its name. */
  async define(steps: readonly Body[], more: Body = {}): Promise<string> {
    const workflow = new Workflow(this.target, this.headers);
    await workflow.stored({ ...more, steps });
    return workflow.name;
  }

  start(name: string, inputs: Body = {}): Promise<Answer> {
    const path = { id: this.id, name };
    return this.target.call('runSessionWorkflow', { path, headers: this.headers, body: { inputs } });
  }

  async begin(steps: readonly Body[]): Promise<{ name: string; run_id: string; job_id: string }> {
    const name = await this.define(steps);
    const answer = await this.start(name);
    mustAnswer(answer, 202);
    return { name, ...answer.json };
  }

  async run(run_id: string): Promise<Json> {
    return (await this.target.expect(200, 'getWorkflowRun', { path: { run_id }, headers: this.headers })).json.run;
  }

  async over(run_id: string): Promise<Json> {
    return this.target.until('the end of the run', async () => {
      const run = await this.run(run_id);
      return run.status !== 'running' && run;
    });
  }

  /** What a run of these steps comes to. */
  async outcome(steps: readonly Body[]): Promise<Json> {
    return this.over((await this.begin(steps)).run_id);
  }

  /** Waits until the run has come to a step. */
  async at(run_id: string, step: string): Promise<void> {
    await this.target.until(`the step ${step}`, async () => (await this.run(run_id)).current_step === step);
  }

  async parked(): Promise<Json> {
    return (await stateOf(this.target, this.id, 'parked')).pending_gate;
  }

  confirm(approved: boolean, gate_id: string): Promise<Answer> {
    return this.target.expect(200, 'confirmGate', { path: { id: this.id }, body: { approved, gate_id } });
  }

  cancel(run_id: string): Promise<Answer> {
    return this.target.expect(200, 'cancelWorkflowRun', { path: { run_id }, headers: this.headers });
  }

  /** Ids of the runs in the folder, as they are listed. */
  async listed(headers: Readonly<Record<string, string>> = this.headers): Promise<string[]> {
    const call = { headers: { ...headers, 'x-hoody-cwd': this.cwd } };
    return (await this.target.expect(200, 'listWorkflowRuns', call)).json.items.map(({ run_id }: Json) => run_id);
  }
}

const idsOf = ({ steps }: Json): string[] => steps.map(({ step_id }: Json) => step_id);

/** The run has failed at this step, for this reason. */
const mustFail = (run: Json, step: string, code: string): void => {
  mustEqual(
    [run.status, idsOf(run).at(-1), run.steps.at(-1)?.error_code],
    ['failed', step, code],
    'the end of the run',
  );
  must(run.error?.includes(step), 'the run does not say which step failed');
};

/** Every way to cancel a run. */
const CANCELS: Readonly<
  Record<string, (target: Target, of: { id: string; run_id: string; job_id: string }) => unknown>
> = {
  itself: (target, { run_id }) => target.expect(200, 'cancelWorkflowRun', { path: { run_id } }),
  'its session': (target, { id }) => target.expect(200, 'cancelSession', { path: { id } }),
  'its job': (target, { job_id }) => target.expect(200, 'deleteJob', { path: { id: job_id } }),
  'the end of its session': (target, { id }) => target.expect(200, 'closeSession', { path: { id } }),
};

export const workflowRunRules: Rules = {
  'workflows.template.types': async (target) => {
    const session = await Running.permitted(target);
    await target.write(session.file('in.txt'), 'one\ntwo\nthree\n');
    const name = await session.define(
      [
        { id: 'read', tool: 'read_file', params: { path: 'in.txt', offset: '{{inputs.from}}' } },
        {
          ...LOOK,
          id: 'write',
          tool: 'write_file',
          params: { path: 'out.txt', content: 'From {{inputs.from}}: {{inputs.said}}' },
        },
      ],
      { inputs: { from: { type: 'number' }, said: { type: 'string' } } },
    );
    const answer = await session.start(name, { from: 2, said: '{{inputs.from}}' });
    mustAnswer(answer, 202);
    // A text in place of the number is refused by the tool.
    mustEqual((await session.over(answer.json.run_id)).status, 'completed', 'status');
    mustEqual(await readFile(session.file('out.txt'), 'utf8'), 'From 2: {{inputs.from}}', 'what was written');
  },
  'workflows.run.steps': async (target) => {
    const session = await Running.permitted(target);
    await target.write(session.file('a.txt'), 'alpha');
    const name = await session.define(
      [
        { id: 'read', tool: 'read_file', params: { path: '{{inputs.file}}' } },
        { id: 'copy', tool: 'write_file', params: { path: 'b.txt', content: '{{steps.read.output}}' } },
      ],
      { inputs: { file: { type: 'string' } } },
    );
    const answer = await session.start(name, { file: 'a.txt' });
    mustAnswer(answer, 202);
    const run = await session.over(answer.json.run_id);
    mustEqual([run.status, idsOf(run)], ['completed', ['read', 'copy']], 'the end of the run and its steps');
    mustEqual(await readFile(session.file('b.txt'), 'utf8'), 'alpha', 'what the last step wrote');
    const nowhere = { id: 'nowhere', tool: 'read_file', params: { path: 'nowhere' } };
    const failed = await session.outcome([LOOK, nowhere, write('never')]);
    mustEqual([failed.status, idsOf(failed)], ['failed', ['look', 'nowhere']], 'the end of the run and its steps');
    must(!(await exists(session.file('never.txt'))), 'a step after the one that failed was done');
  },
  'workflows.run.slot': {
    features: ['tools.bash'],
    run: async (target) => {
      const working = await Running.permitted(target);
      const { name, run_id } = await working.begin([LOOK, LONG]);
      await working.at(run_id, 'long');
      mustAnswer(await working.start(name), 409, 'turn_in_flight');
      mustEqual(await working.listed(), [run_id], 'the runs of the folder');
      await working.cancel(run_id);
      await stateOf(target, working.id, 'idle');
      const waiting = await Running.open(target);
      const asking = await waiting.begin([write('one')]);
      await waiting.parked();
      mustAnswer(await waiting.start(asking.name), 409, 'gate_parked');
      mustEqual(await waiting.listed(), [asking.run_id], 'the runs of the folder');
    },
  },
  'workflows.run.confirm': async (target) => {
    const session = await Running.open(target);
    const { run_id } = await session.begin([LOOK, write('one'), write('two')]);
    const gate = await session.parked();
    const { params } = write('one');
    mustEqual([gate.type, gate.tool_name, gate.params], ['confirm', 'write_file', params], 'the gate');
    must(!(await exists(session.file('one.txt'))), 'the step was done before it was confirmed');
    await session.confirm(true, gate.id);
    const next = await target.until('the next gate', async () => {
      const now = await session.parked();
      return now.id !== gate.id && now;
    });
    mustEqual(await readFile(session.file('one.txt'), 'utf8'), 'by one', 'what the confirmed step wrote');
    await session.confirm(false, next.id);
    mustEqual((await session.over(run_id)).status, 'failed', 'status after a denial');
    must(!(await exists(session.file('two.txt'))), 'the denied step was done');
  },
  'workflows.run.denial': async (target) => {
    const cwd = await target.folder();
    await target.write(join(cwd, '.hoody', 'settings.json'), { deny_list: ['denied.txt'] });
    for (const session of [await Running.open(target, { cwd }), await Running.permitted(target, { cwd })]) {
      mustFail(await session.outcome([LOOK, write('one', 'denied.txt')]), 'one', 'denied_deny_list');
    }
    must(!(await exists(join(cwd, 'denied.txt'))), 'the denied step was done');
  },
  'workflows.run.headless': async (target) => {
    const session = await Running.open(target, { headless: true });
    mustFail(await session.outcome([LOOK, write('one')]), 'one', 'denied_headless');
    must(!(await exists(session.file('one.txt'))), 'the step was done');
  },
  'workflows.run.errors': async (target) => {
    const session = await Running.permitted(target);
    mustFail(await session.outcome([LOOK, { id: 'bad', tool: 'no_such_tool' }]), 'bad', 'tool_not_found');
    const read = (path: unknown) => ({ id: 'bad', tool: 'read_file', params: { path } });
    mustFail(await session.outcome([LOOK, read(1)]), 'bad', 'bad_request');
    const { status, error } = await session.outcome([LOOK, read('{{steps.look.structured_content.none}}')]);
    mustEqual(status, 'failed', 'status without the value');
    must(error.includes('bad'), 'the run does not say which step failed');
  },
  'workflows.run.orchestrator': async (target) => {
    const session = await Running.permitted(target, { tool_mode: 'orchestrator' });
    const direct = { path: { id: session.id, name: 'write_file' }, body: { params: { path: 'x', content: 'x' } } };
    await target.refused(404, 'tool_not_found', 'runSessionTool', direct);
    mustEqual((await session.outcome([write('one')])).status, 'completed', 'status');
    const asking = await Running.open(target, { tool_mode: 'orchestrator' });
    const { name } = await asking.begin([write('one')]);
    mustEqual((await asking.parked()).tool_name, 'write_file', 'the tool that is asked about');
    const reader = await Running.open(target, { tool_mode: 'read_only' });
    mustAnswer(await reader.start(name), 400, 'bad_request');
  },
  'workflows.run.cancel': {
    features: ['tools.bash'],
    run: async (target) => {
      const cancelled = async (how: string, session: Running, run_id: string, job_id: string): Promise<void> => {
        await CANCELS[how]!(target, { id: session.id, run_id, job_id });
        const run = await session.over(run_id);
        mustEqual(run.status, 'cancelled', `status of what was cancelled by ${how}`);
        mustEqual((await session.cancel(run_id)).json.run, run, 'what is over, cancelled once more');
      };
      for (const how of Object.keys(CANCELS)) {
        const working = await Running.permitted(target);
        const work = await working.begin([LOOK, LONG]);
        await working.at(work.run_id, 'long');
        await cancelled(how, working, work.run_id, work.job_id);
        const waiting = await Running.open(target);
        const wait = await waiting.begin([write('one')]);
        await waiting.parked();
        await cancelled(how, waiting, wait.run_id, wait.job_id);
      }
    },
  },
  'workflows.run.restart': ending(async (target) => {
    const body = { cwd: await target.folder() };
    const { session_id: id } = (await target.expect(201, 'createSession', { body })).json;
    const begin = async (step: Body): Promise<string> => {
      const path = { id, name: target.name('workflow') };
      const definition = { steps: [step] };
      await target.expect(200, 'setWorkflow', { path, body: { definition, expected_absent: true } });
      return (await target.expect(202, 'runSessionWorkflow', { path })).json.run_id;
    };
    const run = async (at: Target, run_id: string): Promise<Json> =>
      (await at.expect(200, 'getWorkflowRun', { path: { run_id } })).json.run;
    const first = await begin(LOOK);
    await target.until('the end of the run', async () => (await run(target, first)).status !== 'running');
    await stateOf(target, id, 'idle');
    const over = await run(target, first);
    const second = await begin(write('one'));
    await stateOf(target, id, 'parked');
    const again = await target.restarted();
    mustEqual(await run(again, first), over, 'the run that was over');
    const { status, error } = await run(again, second);
    mustEqual(status, 'failed', 'status of the run that was under way');
    must(error.includes('interrupted'), 'the run does not say that it was interrupted');
  }),
  'workflows.run.scope': async (target) => {
    const session = await Running.open(target);
    const one = await session.begin([LOOK]);
    await session.over(one.run_id);
    await stateOf(target, session.id, 'idle');
    const later = await session.begin([LOOK]);
    await session.over(later.run_id);
    mustEqual(await session.listed(), [later.run_id, one.run_id], 'the runs of the folder');
    const elsewhere = await Running.open(target);
    mustEqual(await elsewhere.listed(), [], 'the runs of another folder');
    const headers = { 'x-hoody-realm': freshRealm(target) };
    mustEqual(await session.listed(headers), [], 'the runs of another realm');
    await target.refused(404, 'not_found', 'getWorkflowRun', { path: { run_id: one.run_id }, headers });
  },
  'changes.runs.steps': async (target) => {
    const session = await Running.open(target, { realm: freshRealm(target) });
    const token = async (headers = session.headers): Promise<string> =>
      (await target.expect(200, 'getChanges', { headers })).json.tokens.workflow_runs;
    const others = { 'x-hoody-realm': freshRealm(target) };
    const elsewhere = await token(others);
    let last = await token();
    const moves = async (what: string): Promise<void> => {
      last = await target.until(
        `a move of the token when ${what}`,
        async () => {
          const now = await token();
          return now !== last && now;
        },
        TOKEN_MS,
      );
    };
    const { run_id } = await session.begin([write('one'), write('two')]);
    const gate = await session.parked();
    await moves('a run begins');
    await session.confirm(true, gate.id);
    await target.until('the next gate', async () => (await session.parked()).id !== gate.id);
    await moves('a step ends');
    await session.cancel(run_id);
    await session.over(run_id);
    await moves('a run is over');
    mustEqual(await token(others), elsewhere, 'the token of another realm');
  },
  'workflows.tools.same-rules': async (target) => {
    const session = await Running.open(target);
    const workflow = new Workflow(target);
    const definition = { steps: [LOOK] };
    const upsert = { name: workflow.name, definition, expected_absent: true };
    const call = (name: string, params: Body) =>
      target.call('runSessionTool', { path: { id: session.id, name }, body: { params } });
    mustAnswer(await call('upsert_workflow', upsert), 409, 'tool_needs_confirmation');
    await target.expect(200, 'setSessionYolo', { path: { id: session.id }, body: { enabled: true } });
    mustEqual((await call('upsert_workflow', upsert)).json?.ok, true, 'ok of storing');
    mustEqual((await workflow.read()).definition, definition, 'what is stored');
    const read = await call('read_workflow', { name: workflow.name });
    mustEqual(read.json?.ok, true, 'ok of reading');
    must(read.json.output.includes(LOOK.tool), 'the definition is not in the output');
    const again = await call('upsert_workflow', upsert);
    mustAnswer(again, 200);
    mustEqual(again.json.is_error, true, 'is_error of storing what is there as what is not');
    const lost = new Workflow(target);
    const nowhere = { steps: [{ ...LOOK, params: { path: '{{inputs.nowhere}}' } }] };
    const refused = await call('upsert_workflow', { ...upsert, name: lost.name, definition: nowhere });
    must(refused.status !== 200 || refused.json.is_error === true, 'a reference to nowhere was stored');
    mustAnswer(await lost.call('getWorkflow'), 404, 'not_found');
  },
};
