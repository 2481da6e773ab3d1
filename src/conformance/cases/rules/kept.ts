/**
 * Rules about what outlives a target and what several of them share. Each needs one that a driver set up: what is made
 * there is thrown away with it.
 */
import { must, mustEqual } from '../../check.js';
import type { Answer } from '../../client.js';
import { mustAnswer, type Target } from '../../target.js';
import { withFewAtOnce } from '../errors-load.js';
import type { Rule, Rules } from '../rules.js';
import { MISSING, SAMPLES } from '../samples.js';
import { freshRealm } from './changes.js';
import { Folder } from './tool-folder.js';

const DURABLE = ['todos', 'workflow_runs', 'agents', 'rules'] as const;
/** What a stream has read may be a second old; without a notice it looks every two seconds. */
const NOTICE_MS = 1_900;
/** Takes any document, in whatever session. */
const WITH_BODY = 'previewMcpImport';

/** At a target that may be ended. */
export const ending = (run: (target: Target) => Promise<void>, features: readonly string[] = []): Rule => ({
  tier: 'state',
  alone: true,
  features,
  run: async (own) => run(await own.inState('ordinary')),
});

/** At one of two daemons that share their records. */
const shared = (run: (target: Target, other: Target) => Promise<void>): Rule => ({
  tier: 'state',
  features: ['sessions.shared'],
  run: async (own) => {
    const target = await own.inState('shared_records');
    await run(target, target.other());
  },
});

/** The headers of a realm and a folder of the case's own. */
const place = async (target: Target): Promise<Record<string, string>> => ({
  'x-hoody-realm': freshRealm(target),
  'x-hoody-cwd': await target.folder(),
});

/** Sends all but the end of a request. Resolves once that is on its way; what is returned ends it. */
const half = async (target: Target): Promise<() => Promise<Answer>> => {
  const { method, path } = target.contract.operation(WITH_BODY);
  const body = JSON.stringify(SAMPLES[WITH_BODY]!(MISSING).body);
  const headers = { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}` };
  const request = target.client.open(method, path, headers);
  const answer = target.client.receive(method, path, request);
  await new Promise((sent) => request.write(body.slice(0, 1), sent));
  return () => {
    request.end(body.slice(1));
    return answer;
  };
};

export const keptRules: Rules = {
  'changes.token.durable': ending(async (target) => {
    const { cwd, headers: within } = await Folder.open(target);
    const headers = { ...within, 'x-hoody-config-dir': await target.folder() };
    await target.expect(201, 'createTodo', { headers, body: { title: 'kept', cwd } });
    await target.expect(201, 'createAgent', { headers, body: { name: 'kept', system_prompt: 'x' } });
    const durable = async (at: Target): Promise<unknown[]> => {
      const { tokens } = (await at.expect(200, 'getChanges', { headers })).json;
      return DURABLE.map((topic) => tokens[topic]);
    };
    const before = await durable(target);
    mustEqual(await durable(await target.restarted()), before, `the tokens of ${DURABLE.join(', ')}`);
  }),
  'changes.stream.end': ending(async (target) => {
    const stream = await target.stream('streamChanges');
    await stream.next('snapshot');
    await target.restarted();
    const { data } = await stream.next('end');
    must(/\S/.test(data?.reason ?? ''), 'the end frame does not say why');
    await stream.ended();
  }),
  'store.write.survives-kill': ending(async (target) => {
    const { cwd } = await Folder.open(target);
    const todo = (await target.expect(201, 'createTodo', { body: { title: 'kept', cwd } })).json;
    const session = (await target.expect(201, 'createSession', { body: { cwd } })).json;
    const again = await target.restarted();
    const { json } = await again.expect(200, 'getTodo', { path: { id: todo.todo.id } });
    mustEqual(json.todo.title, 'kept', 'the title of the todo');
    await again.expect(200, 'getSession', { path: { id: session.session_id } });
  }),
  'jobs.store.durable': ending(
    async (target) => {
      const folder = await Folder.open(target);
      const job = async (at: Target, id: string) => (await at.expect(200, 'getJob', { path: { id } })).json;
      const running = await folder.accept('bash', { params: { command: 'sleep 600' }, allow_mutations: true });
      const over = await folder.accept('list_dir', { params: { path: '.' } });
      const done = await target.until('the end of the job', async () => {
        const now = await job(target, over);
        return now.status === 'succeeded' && now;
      });
      const again = await target.restarted();
      mustEqual(await job(again, over), done, 'the job that was over');
      const { status, error } = await job(again, running);
      mustEqual([status, error?.code], ['failed', 'interrupted'], 'the job that was not over');
    },
    ['tools.bash'],
  ),
  'changes.stores.shared': shared(async (target, other) => {
    const headers = await place(target);
    const body = { title: 'shared' };
    const todos = async (at: Target) => (await at.expect(200, 'getChanges', { headers })).json.tokens.todos;
    const before = await todos(other);
    const { todo } = (await target.expect(201, 'createTodo', { headers, body })).json;
    mustEqual((await other.expect(200, 'getTodo', { path: { id: todo.id }, headers })).json.todo, todo, 'the todo');
    await target.until('a move of the token', async () => (await todos(other)) !== before);
  }),
  'changes.stores.notice': shared(async (target, other) => {
    const headers = await place(target);
    const stream = await other.stream('streamChanges', { headers });
    await stream.next('snapshot');
    // Nothing but a notice says that fast what another daemon did; what was read may be a second old.
    const begun = Date.now();
    await target.expect(201, 'createTodo', { headers, body: { title: 'noticed' } });
    for (let topic = ''; topic !== 'todos';) ({ topic } = (await stream.next('changed')).data);
    const ms = Date.now() - begun;
    must(ms < NOTICE_MS, `a change through another daemon was told after ${ms} ms`);
  }),
  'sessions.shared.one-holder': shared(async (target, other) => {
    const { id, cwd } = await target.session();
    const { items } = (await other.expect(200, 'listSessions', { headers: { 'x-hoody-cwd': cwd } })).json;
    const row = items.find(({ id: listed }: { id: string }) => listed === id);
    mustEqual(row?.live_elsewhere, true, 'live_elsewhere of the session in the list');
    const call = { path: { id, name: 'list_dir' }, body: { params: { path: '.' } } };
    must((await other.call('runSessionTool', call)).status >= 400, 'a tool was run in it');
    for (const refused of [
      await other.call('createSession', { body: { attach: id } }),
      await other.call('renameSession', { path: { id }, body: { name: 'other' } }),
      await other.call('closeSession', { path: { id } }),
      await other.call('deleteSession', { path: { id } }),
    ]) {
      mustAnswer(refused, 409, 'session_held');
    }
    mustAnswer(await target.call('runSessionTool', call), 200);
  }),
  'edge.body.slow': {
    tier: 'load',
    alone: true,
    run: async (own) => {
      const target = await withFewAtOnce(own);
      const begun = await Promise.all(Array.from({ length: target.limits.max_in_flight + 1 }, () => half(target)));
      const whole = await target.call(WITH_BODY, SAMPLES[WITH_BODY]!(MISSING));
      must(whole.status !== 503, 'a whole request was kept out by halves');
      for (const end of begun) mustAnswer(await end(), whole.status, whole.code);
    },
  },
};
