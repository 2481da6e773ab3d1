/**
 * Workflows over HTTP: definitions and their revisions, runs step by step behind the gates, every way a run ends, and
 * who sees which.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import Sqlite from 'libsql';
import { FakeClock } from '../fakes/clock.js';
import { fixtureServer, npmServer, startTestDaemon, writeJson, type Answer, type TestDaemon } from '../harness.js';
import { until } from '../processes.js';

const everything = { name: 'everything', command: process.execPath, args: [npmServer('server-everything')] };
/** A server whose tools can be made others; every call of them is asked about. */
const box = (generation: string) =>
  fixtureServer('box', 'listchanged', { require_confirmation: true, env: { GENERATION: generation } });

const clock = new FakeClock();
let daemon: TestDaemon;
/** With a real MCP server. */
let mcp: TestDaemon;
beforeAll(async () => {
  [daemon, mcp] = await Promise.all([
    startTestDaemon({ clock }),
    startTestDaemon({ settings: { mcp_servers: [everything, box('first')] } }),
  ]);
});
afterAll(() => Promise.all([daemon.close(), mcp.close()]));

type Body = Record<string, unknown>;
const ask = (method: string, path: string, body?: Body, headers: Record<string, string> = {}): Promise<Answer> =>
  daemon.request(method, path, { headers, ...(body === undefined ? {} : { body }) });
const coded = ({ status, body }: Answer): unknown[] => [status, body.code];
const put = (name: string, body: Body): Promise<Answer> => ask('PUT', `/workflows/${name}`, body);
const add = async (name: string, steps: Body[], more: Body = {}): Promise<string> => {
  const { body } = await put(name, { definition: { ...more, steps }, expected_absent: true });
  return body.revision;
};

const COPY = {
  summary: 'Copies a file',
  labels: ['files'],
  inputs: { file: { type: 'string', description: 'What is copied.' }, suffix: { type: 'string' } },
  defaults: { suffix: '.copy' },
  steps: [
    { id: 'read', tool: 'read_file', params: { path: '{{inputs.file}}' } },
    {
      id: 'copy',
      tool: 'write_file',
      params: { path: '{{inputs.file}}{{inputs.suffix}}', content: '{{steps.read.output}}' },
    },
  ],
};

describe('a workflow', () => {
  test('is stored as it was sent and listed in short, by name', async () => {
    const { status, body } = await put('copy', { definition: COPY, expected_absent: true });
    expect(status).toBe(200);
    const workflow = {
      name: 'copy',
      summary: 'Copies a file',
      labels: ['files'],
      step_count: 2,
      entry_point: 'read',
      steps: [
        { id: 'read', tool: 'read_file' },
        { id: 'copy', tool: 'write_file' },
      ],
      params: ['file', 'suffix'],
      hidden: false,
      realm: 'global',
      created_at: new Date(clock.now()).toISOString(),
      updated_at: new Date(clock.now()).toISOString(),
    };
    expect(body).toEqual({ status: 'ok', workflow, definition: COPY, revision: expect.any(String) });
    const { revision, ...plain } = body;
    expect((await ask('GET', '/workflows/copy')).body).toEqual(plain);
    expect((await ask('GET', '/workflows/copy?include_revision=true')).body).toEqual({ ...plain, revision });
    expect(coded(await ask('GET', '/workflows/copy?include_revision=yes'))).toEqual([400, 'bad_request']);
    await add('Another', [{ id: 'a', tool: 't' }]);
    await add('build', [{ id: 'a', tool: 't' }]);
    const { items, meta } = (await ask('GET', '/workflows?page=2&limit=2')).body;
    expect([items, meta]).toEqual([[workflow], { total: 3, page: 2, limit: 2 }]);
  });

  test('is replaced only from the revision that was read, and made only where there is none', async () => {
    const first = await add('guarded', [{ id: 'a', tool: 'one' }]);
    const again = { definition: { steps: [{ id: 'a', tool: 'two' }] } };
    const { body } = await put('guarded', { ...again, expected_revision: first });
    expect(body.definition).toEqual(again.definition);
    for (const guard of [{ expected_revision: first }, { expected_absent: true }]) {
      const stale = await put('guarded', { ...again, ...guard });
      expect([...coded(stale), stale.body.details]).toEqual([
        409,
        'revision_conflict',
        { current_revision: body.revision },
      ]);
    }
    for (const guard of [{}, { expected_absent: false }, { expected_absent: true, expected_revision: first }]) {
      expect(coded(await put('guarded', { ...again, ...guard }))).toEqual([400, 'bad_request']);
    }
    await ask('DELETE', '/workflows/guarded');
    expect(coded(await put('guarded', { ...again, expected_revision: body.revision }))).toEqual([404, 'not_found']);
    // A name that is used again is another workflow: what was read before does not fit.
    const anew = await add('guarded', [{ id: 'a', tool: 'three' }]);
    expect([first, body.revision]).not.toContain(anew);
  });

  test('is refused when a reference of it goes nowhere, by step and rule, and nothing is stored', async () => {
    const bad = { steps: [{ id: 'look', tool: 't', params: { p: '{{steps.later.output}}' } }] };
    const { status, body } = await put('bad', { definition: bad, expected_absent: true });
    expect([status, body]).toEqual([
      400,
      {
        code: 'bad_request',
        message: 'definition.steps.0.params: step look: a reference names a step that does not come before it',
      },
    ]);
    for (const more of [{ steps: [] }, { retries: 3 }]) {
      const closed = { definition: { ...COPY, ...more }, expected_absent: true };
      expect(coded(await put('bad', closed))).toEqual([400, 'bad_request']);
    }
    for (const name of ['a.b', 'x'.repeat(65)]) {
      expect(coded(await put(name, { definition: COPY, expected_absent: true }))).toEqual([400, 'bad_request']);
    }
    expect(coded(await ask('GET', '/workflows/bad'))).toEqual([404, 'not_found']);
  });

  test('that is hidden is left out of the list, and is there by name', async () => {
    const revision = await add('secret', [{ id: 'a', tool: 't' }]);
    const names = async (query = ''): Promise<string[]> =>
      (await ask('GET', `/workflows${query}`)).body.items.map(({ name }: { name: string }) => name);
    expect((await ask('POST', '/workflows/secret/hide')).body.workflow.hidden).toBe(true);
    expect(await names()).not.toContain('secret');
    expect(await names('?include_hidden=true')).toContain('secret');
    expect((await ask('GET', '/workflows/secret?include_revision=true')).body).toMatchObject({ revision });
    expect((await ask('POST', '/workflows/secret/hide', { hidden: false })).body.workflow.hidden).toBe(false);
    expect(await names()).toContain('secret');
    expect((await ask('DELETE', '/workflows/secret')).body).toEqual({ status: 'ok' });
    for (const [method, path] of [
      ['DELETE', '/workflows/secret'],
      ['POST', '/workflows/secret/hide'],
    ] as const) {
      expect(coded(await ask(method, path))).toEqual([404, 'not_found']);
    }
  });

  test('of another realm is another one', async () => {
    const realm = { 'x-hoody-realm': '1'.repeat(24) };
    const steps = [{ id: 'a', tool: 'other' }];
    await ask('PUT', '/workflows/copy', { definition: { steps }, expected_absent: true }, realm);
    expect((await ask('GET', '/workflows', undefined, realm)).body.items).toHaveLength(1);
    expect((await ask('GET', '/workflows/copy', undefined, realm)).body.definition).toEqual({ steps });
    expect((await ask('GET', '/workflows/copy')).body.definition).toEqual(COPY);
  });
});

const FIRST = { id: 'look', tool: 'list_dir', params: { path: '.' } };
const writing = (id: string, path: string): Body => ({ id, tool: 'write_file', params: { path, content: `by ${id}` } });
/** Asks about a file that is not there yet. */
let fresh = 0;
const asking = async (): Promise<string> => {
  const name = `asks-${(fresh += 1)}`;
  await add(name, [FIRST, writing('one', `${name}.txt`)]);
  return name;
};
/** Goes on until its file is there. */
const waiting = (id: string): Body => ({
  id,
  tool: 'bash',
  params: { command: `touch ${id}.begun; until [ -e ${id}.go ]; do sleep 0.02; done; echo went` },
});
const begun = (id: string): Promise<void> => until(() => existsSync(join(daemon.cwd, `${id}.begun`)));

const runs = async (query = ''): Promise<any> => (await ask('GET', `/workflows/runs${query}`)).body;
const runOf = async (id: string): Promise<any> => (await ask('GET', `/workflows/runs/${id}`)).body.run;
const over = async (id: string): Promise<any> => {
  await until(async () => (await runOf(id)).status !== 'running');
  return runOf(id);
};
const stateOf = async (session: string): Promise<any> => (await ask('GET', `/sessions/${session}/state`)).body;
const parked = async (session: string): Promise<any> => {
  await until(async () => (await stateOf(session)).state === 'parked');
  return (await stateOf(session)).pending_gate;
};
const start = (session: string, name: string, inputs?: Body): Promise<Answer> =>
  ask('POST', `/sessions/${session}/workflows/${name}/runs`, inputs && { inputs });
const started = async (session: string, name: string, inputs?: Body): Promise<string> => {
  const { status, body } = await start(session, name, inputs);
  expect([status, body]).toEqual([
    202,
    { job_id: expect.stringMatching(/^job_/), session_id: session, run_id: expect.stringMatching(/^wfrun_/) },
  ]);
  return body.run_id;
};
const confirm = (session: string, body: Body): Promise<Answer> => ask('POST', `/sessions/${session}/confirm`, body);
const yolo = async (more: Body = {}): Promise<string> => {
  const session = await daemon.open(more);
  await ask('PATCH', `/sessions/${session}/yolo`, { enabled: true });
  return session;
};

describe('a run', () => {
  test('does one step after another with what it was given and what came before, and is the result of its job', async () => {
    await writeFile(join(daemon.cwd, 'a.txt'), 'alpha');
    const session = await yolo();
    const { body } = await start(session, 'copy', { file: 'a.txt' });
    const run = await over(body.run_id);
    const at = new Date(clock.now()).toISOString();
    const times = { started_at: at, finished_at: at };
    expect(run).toEqual({
      run_id: body.run_id,
      workflow_name: 'copy',
      session_id: session,
      cwd: daemon.cwd,
      realm: 'global',
      status: 'completed',
      ...times,
      current_idx: 2,
      total_steps: 2,
      last_step: 'copy',
      steps: [
        { step_id: 'read', tool: 'read_file', success: true, output: 'alpha', ...times },
        { step_id: 'copy', tool: 'write_file', success: true, output: expect.stringContaining('a.txt.copy'), ...times },
      ],
    });
    expect(await readFile(join(daemon.cwd, 'a.txt.copy'), 'utf8')).toBe('alpha');
    await until(async () => (await stateOf(session)).state === 'idle');
    const { steps: _, ...row } = run;
    expect((await runs('?limit=1')).items).toEqual([row]);
    const job = (await ask('GET', `/jobs/${body.job_id}`)).body;
    expect(job).toMatchObject({ kind: 'session.workflow', session_id: session, run_id: body.run_id });
    expect([job.status, job.result]).toEqual(['succeeded', { run }]);
  });

  test('keeps the type of a value, and knows the structured content of an MCP tool', async () => {
    const { body: session } = await mcp.request('POST', '/sessions', { body: { cwd: mcp.cwd } });
    const steps = [
      { id: 'sum', tool: 'mcp__everything__get-structured-content', params: { location: '{{inputs.city}}' } },
      {
        id: 'echo',
        tool: 'mcp__everything__echo',
        params: { message: '{{steps.sum.structured_content.conditions}} / {{steps.sum.structured_content}}' },
      },
      {
        id: 'add',
        tool: 'mcp__everything__get-sum',
        params: { a: '{{inputs.a}}', b: '{{steps.sum.structured_content.humidity}}' },
      },
    ];
    await until(async () => {
      const { items } = (await mcp.request('GET', `/sessions/${session.session_id}/tools/mcp`)).body;
      return items.some(({ name }: Body) => name === steps[0]!.tool);
    });
    const inputs = { city: {}, a: { type: 'number' } };
    await mcp.request('PUT', '/workflows/types', { body: { definition: { inputs, steps }, expected_absent: true } });
    const path = `/sessions/${session.session_id}/workflows/types/runs`;
    const { body } = await mcp.request('POST', path, { body: { inputs: { city: 'New York', a: 1 } } });
    const run = async () => (await mcp.request('GET', `/workflows/runs/${body.run_id}`)).body.run;
    await until(async () => (await run()).status !== 'running');
    const { status, steps: ended } = await run();
    expect([status, ended.map(({ success }: { success: boolean }) => success)]).toEqual([
      'completed',
      [true, true, true],
    ]);
    const weather = JSON.parse(ended[0].output);
    expect(ended[1].output).toContain(`${weather.conditions} / {"`);
    expect(ended[2].output).toContain(`${weather.humidity + 1}`);
  });

  test('parks where a step needs a confirmation, shows it, and does exactly that when it is approved', async () => {
    await add('two-writes', [FIRST, writing('one', 'one.txt'), writing('two', 'two.txt')]);
    const session = await daemon.open();
    const id = await started(session, 'two-writes');
    const gate = await parked(session);
    expect(gate).toEqual({
      id: expect.stringMatching(/^gate-/),
      generation: 1,
      type: 'confirm',
      tool_name: 'write_file',
      gate_cause: 'write_permission',
      detail: 'step one of the workflow two-writes: write_file changes files or runs commands',
      params: { path: 'one.txt', content: 'by one' },
    });
    expect((await ask('GET', '/gates')).body.items).toMatchObject([{ session_id: session, kind: 'confirm', gate }]);
    expect(await runOf(id)).toMatchObject({
      status: 'running',
      current_step: 'one',
      current_idx: 1,
      last_step: 'look',
    });
    const other = await start(session, 'two-writes');
    expect([...coded(other), other.body.details.pending_gate.id]).toEqual([409, 'gate_parked', gate.id]);
    expect(coded(await confirm(session, {}))).toEqual([400, 'approved_required']);
    expect(coded(await ask('POST', `/sessions/${session}/answer`, { answer: 'yes' }))).toEqual([
      409,
      'gate_type_mismatch',
    ]);
    expect(existsSync(join(daemon.cwd, 'one.txt'))).toBe(false);
    expect((await confirm(session, { approved: true, gate_id: gate.id })).body.resolved).toMatchObject({
      outcome: 'answered',
      decision: { approved: true },
    });
    const next = await parked(session);
    expect([next.generation, next.params.path]).toEqual([2, 'two.txt']);
    expect(await readFile(join(daemon.cwd, 'one.txt'), 'utf8')).toBe('by one');
    expect((await confirm(session, { approved: false, reason: 'not today' })).status).toBe(200);
    expect(await over(id)).toMatchObject({
      status: 'failed',
      error: 'step two: denied: not today',
      current_idx: 3,
      steps: [{ success: true }, { success: true }, { step_id: 'two', success: false, error_code: 'denied' }],
    });
    expect(existsSync(join(daemon.cwd, 'two.txt'))).toBe(false);
    await until(async () => (await stateOf(session)).state === 'idle');
  });

  test('fails when nobody decides, and a confirmation overrides no denial', async () => {
    await add('lonely', [writing('one', 'lonely.txt')]);
    await add('settings', [writing('one', '.hoody/settings.json')]);
    const session = await daemon.open();
    const id = await started(session, 'lonely');
    await parked(session);
    await clock.advance(15 * 60_000);
    expect(await over(id)).toMatchObject({ status: 'failed', error: 'step one: nobody decided in time' });
    const denied = await over(await started(await yolo(), 'settings'));
    expect([denied.status, denied.steps[0].error_code]).toEqual(['failed', 'denied_deny_list']);
  });

  test('asks again when what was approved is not what would run, and runs no tool that has gone', async () => {
    const call = (method: string, path: string, body?: Body): Promise<Answer> =>
      mcp.request(method, path, body && { body });
    const tools = async (id: string): Promise<Body[]> => (await call('GET', `/sessions/${id}/tools/mcp`)).body.items;
    const [session, other] = [await mcp.open(), await mcp.open()];
    const state = async (): Promise<any> => (await call('GET', `/sessions/${session}/state`)).body;
    const asked = async (generation: number): Promise<any> => {
      await until(async () => (await state()).pending_gate?.generation === generation);
      return (await state()).pending_gate;
    };
    const yes = (): Promise<Answer> => call('POST', `/sessions/${session}/confirm`, { approved: true });
    const echo = 'mcp__box__echo';
    await until(async () => (await tools(session)).some(({ name }) => name === echo));
    const steps = [
      { id: 'say', tool: echo, params: { text: 'hi' } },
      { id: 'note', tool: 'write_file', params: { path: 'notes/a.txt', content: 'x' } },
      { id: 'again', tool: echo, params: { text: 'there' } },
    ];
    await call('PUT', '/workflows/changing', { definition: { steps }, expected_absent: true });
    const { body } = await call('POST', `/sessions/${session}/workflows/changing/runs`);
    const run = async (): Promise<any> => (await call('GET', `/workflows/runs/${body.run_id}`)).body.run;

    // The server is another one, whose tool looks the same.
    const layer = (...servers: unknown[]): Promise<void> => writeJson(mcp.userSettingsPath, { mcp_servers: servers });
    const pid = async (): Promise<number> =>
      (await call('GET', `/mcp/servers?session_id=${session}`)).body.servers.find(({ name }: Body) => name === 'box')
        .pid;
    await asked(1);
    const first = await pid();
    await layer(everything, box('second'));
    await until(async () => (await pid()) !== first && (await tools(session)).some(({ name }) => name === echo));
    await yes();
    expect(await asked(2)).toMatchObject({ tool_name: echo, params: { text: 'hi' } });
    // The tool of the same name is another one, of the same server.
    const add = { params: { name: 'echo' } };
    const { body: question } = await call('POST', `/sessions/${other}/tools/mcp__box__add/run`, add);
    const token = { confirm: true, confirm_token: question.details.confirm_token };
    expect((await call('POST', `/sessions/${other}/tools/mcp__box__add/run`, { ...add, ...token })).status).toBe(200);
    await until(async () => {
      const { body: listed } = await call('GET', `/sessions/${session}/tools/mcp`);
      return !JSON.stringify(listed.items.find(({ name }: Body) => name === echo)).includes('"text"');
    });
    await yes();
    expect(await asked(3)).toMatchObject({ tool_name: echo });
    // A rule has come.
    const rule = { id: 'quiet', kind: 'limit', text: 'Nothing is said.', tools: ['mcp__box__*'] };
    await writeJson(join(mcp.cwd, '.hoody', 'settings.json'), { rules: [rule] });
    const applies = `/sessions/${session}/rules/applies?tool=${echo}`;
    await until(async () => (await call('GET', applies)).body.rules.length > 0);
    await yes();
    expect((await asked(4)).detail).toContain('Nothing is said.');
    await yes();
    // The file is in a place that is asked about by itself.
    const { detail } = await asked(5);
    await mkdir(join(mcp.cwd, '.git'));
    await symlink('.git', join(mcp.cwd, 'notes'));
    await yes();
    expect((await asked(6)).detail).not.toBe(detail);
    expect(existsSync(join(mcp.cwd, '.git', 'a.txt'))).toBe(false);
    await yes();
    // The tool is gone.
    await asked(7);
    await layer(everything);
    await until(async () => !(await tools(session)).some(({ name }) => name === echo));
    await yes();
    await until(async () => (await run()).status !== 'running');
    expect(await run()).toMatchObject({
      status: 'failed',
      steps: [{ output: 'echo' }, { success: true }, { success: false, error_code: 'tool_not_found' }],
    });
  });

  test('of a headless session fails where a person would be asked', async () => {
    const run = await over(await started(await daemon.open({ headless: true }), await asking()));
    expect([run.status, run.last_step, run.steps[1].error_code]).toEqual(['failed', 'one', 'denied_headless']);
  });

  test('ends with the first step that fails, and says why', async () => {
    const session = await yolo();
    await add('missing', [{ id: 'a', tool: 'no_such_tool' }, FIRST]);
    expect(await over(await started(session, 'missing'))).toMatchObject({
      status: 'failed',
      error: 'step a: no tool with that name',
      current_idx: 1,
      total_steps: 2,
      steps: [{ success: false, error_code: 'tool_not_found' }],
    });
    await add('params', [{ id: 'a', tool: 'read_file', params: { path: 1 } }]);
    expect((await over(await started(session, 'params'))).steps[0]).toMatchObject({ error_code: 'bad_request' });
    await add('tool', [{ id: 'a', tool: 'read_file', params: { path: 'nowhere' } }]);
    expect((await over(await started(session, 'tool'))).steps[0]).toMatchObject({ error_code: 'tool_error' });
    await add('value', [
      FIRST,
      { id: 'b', tool: 'read_file', params: { path: '{{steps.look.structured_content.x}}' } },
    ]);
    expect((await over(await started(session, 'value'))).error).toBe(
      'step b: steps.look.structured_content.x has no value',
    );
  });

  test('keeps of what its steps came to what later ones use, and fails when that is too much', async () => {
    // As large as a tool reads, and twice as long in JSON.
    await writeFile(join(daemon.cwd, 'quotes.txt'), '"'.repeat(4 * 1024 * 1024));
    const session = await yolo();
    const read = (id: string): Body => ({
      id,
      tool: 'read_file',
      params: { path: 'quotes.txt', max_bytes: 4 * 1024 * 1024 },
    });
    const ids = ['one', 'two', 'three', 'four'];
    const using = (used: string[]): Body => ({
      id: 'use',
      tool: 'write_file',
      params: { path: 'never.txt', content: used.map((id) => `{{steps.${id}.output}}`).join('') },
    });
    await add('hoarding', [...ids.map(read), using(ids)]);
    const hoarded = await over(await started(session, 'hoarding'));
    expect([hoarded.status, hoarded.current_idx, hoarded.error]).toEqual([
      'failed',
      4,
      'step four: what later steps use comes to more than 33554432 characters',
    ]);
    await add('frugal', [...ids.map(read), using(ids.slice(0, 3))]);
    expect((await over(await started(session, 'frugal'))).error).toBe(
      'step use: the references come to more than 1048576 characters',
    );
    expect(existsSync(join(daemon.cwd, 'never.txt'))).toBe(false);
  });

  test('waits for lists that another process holds, and goes on where it was', async () => {
    const session = await yolo();
    const name = 'held-lists';
    await add(name, [waiting(name), { id: 'count', tool: 'bash', params: { command: 'echo once >> counted.txt' } }]);
    const free = await yolo();
    const id = await started(session, name);
    await begun(name);
    const other = new Sqlite(join(daemon.dataDir, 'lists.sqlite'));
    other.exec('begin immediate');
    await writeFile(join(daemon.cwd, `${name}.go`), '');
    await until(() => daemon.log.filter(({ code }) => code === 'SQLITE_BUSY').length > 0);
    const next = await start(free, name);
    expect([...coded(next), next.headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
    expect(coded(await ask('POST', '/todos', { title: 'x', cwd: daemon.cwd }))).toEqual([503, 'service_unavailable']);
    await clock.advance(5_000);
    expect(await runOf(id)).toMatchObject({ status: 'running', current_idx: 0 });
    other.exec('rollback');
    other.close();
    await clock.advance(1_000);
    expect(await over(id)).toMatchObject({ status: 'completed', current_idx: 2 });
    expect(await readFile(join(daemon.cwd, 'counted.txt'), 'utf8')).toBe('once\n');
    await until(async () => (await stateOf(session)).state === 'idle');
  });

  test('that nobody works on is over when the daemon looks after its runs', async () => {
    const id = await started(await yolo(), 'value');
    await over(id);
    // As the store has it when it took the beginning of a run and could not say so.
    const db = new Sqlite(join(daemon.dataDir, 'lists.sqlite'));
    db.prepare(`update workflow_runs set status = 'running' where id = ?`).run(id);
    db.close();
    await until(async () => {
      await clock.advance(10_000);
      return (await runOf(id)).status !== 'running';
    });
    expect(await runOf(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('lost') });
  });

  test('does not begin without its inputs, its session or its slot', async () => {
    const session = await yolo();
    expect((await start(session, 'copy')).body).toEqual({ code: 'bad_request', message: 'inputs.file: is needed' });
    expect(coded(await start(session, 'copy', { file: 'a', other: 1 }))).toEqual([400, 'bad_request']);
    expect(coded(await start(session, 'no-such'))).toEqual([404, 'not_found']);
    expect(coded(await start('sess_none', 'copy', { file: 'a' }))).toEqual([404, 'not_found']);
    expect(coded(await ask('GET', '/workflows/runs/wfrun_none'))).toEqual([404, 'not_found']);
    expect(coded(await ask('POST', '/workflows/runs/wfrun_none/cancel'))).toEqual([404, 'not_found']);
    expect(coded(await put('runs', { definition: COPY, expected_absent: true }))).toEqual([405, 'method_not_allowed']);
    const { total } = (await runs()).meta;
    await add('slow', [waiting('slow')]);
    const id = await started(session, 'slow');
    await begun('slow');
    expect(coded(await start(session, 'copy', { file: 'a' }))).toEqual([409, 'turn_in_flight']);
    expect((await runs()).meta.total).toBe(total + 1);
    await writeFile(join(daemon.cwd, 'slow.go'), '');
    expect(await over(id)).toMatchObject({ status: 'completed' });
  });

  test('of an orchestrator may do what the session may not, and a read-only session runs none', async () => {
    const session = await yolo({ tool_mode: 'orchestrator' });
    const direct = await ask('POST', `/sessions/${session}/tools/write_file/run`, {
      params: { path: 'a', content: '' },
    });
    expect(coded(direct)).toEqual([404, 'tool_not_found']);
    expect(await over(await started(session, await asking()))).toMatchObject({ status: 'completed' });
    const asked = await daemon.open({ tool_mode: 'orchestrator' });
    const id = await started(asked, await asking());
    expect((await parked(asked)).tool_name).toBe('write_file');
    await ask('POST', `/workflows/runs/${id}/cancel`);
    const reader = await daemon.open({ tool_mode: 'read_only' });
    expect(coded(await start(reader, 'copy', { file: 'a.txt' }))).toEqual([400, 'bad_request']);
  });

  test.each<[string, (at: { session: string; run: string; job: string }) => Promise<Answer>]>([
    ['itself', ({ run }) => ask('POST', `/workflows/runs/${run}/cancel`)],
    ['its session', ({ session }) => ask('POST', `/sessions/${session}/cancel`)],
    ['its job', ({ job }) => ask('DELETE', `/jobs/${job}`)],
    ['the end of its session', ({ session }) => ask('POST', `/sessions/${session}/close`)],
  ])('is cancelled by %s, at work and while it waits', async (how, cancel) => {
    const name = `at-work-${how.replaceAll(' ', '-')}`;
    await add(name, [waiting(name), FIRST]);
    for (const [workflow, session, reached] of [
      [name, await yolo(), () => begun(name)],
      [await asking(), await daemon.open(), async (at: string) => void (await parked(at))],
    ] as const) {
      const { body } = await start(session, workflow);
      await reached(session);
      const answer = await cancel({ session, run: body.run_id, job: body.job_id });
      expect(answer.status).toBe(200);
      if (how === 'itself') expect(answer.body.run.status).toBe('cancelled');
      const run = await over(body.run_id);
      expect([run.status, run.error]).toEqual(['cancelled', undefined]);
      expect(run.steps.at(-1)).toMatchObject({ success: false, error_code: 'cancelled' });
      // What is over stays as it ended.
      expect((await ask('POST', `/workflows/runs/${body.run_id}/cancel`)).body.run).toEqual(run);
      expect((await ask('GET', '/gates')).body.items).toEqual([]);
    }
  });

  test('is listed newest first, in windows, for its realm and by its folders', async () => {
    const folder = join(daemon.folder, 'elsewhere');
    await mkdir(folder);
    const ids = [
      await started(await daemon.open({ cwd: folder }), 'value'),
      await started(await daemon.open({ cwd: folder }), 'value'),
    ];
    for (const id of ids) await over(id);
    const here = { 'x-hoody-cwd': folder };
    const listed = (await ask('GET', '/workflows/runs?page=2&limit=1', undefined, here)).body;
    expect([listed.items[0].run_id, listed.meta]).toEqual([ids[0], { total: 2, page: 2, limit: 1 }]);
    const realm = { 'x-hoody-realm': '2'.repeat(24) };
    expect((await ask('GET', '/workflows/runs', undefined, realm)).body.items).toEqual([]);
    for (const [method, path] of [
      ['GET', `/workflows/runs/${ids[0]}`],
      ['POST', `/workflows/runs/${ids[0]}/cancel`],
    ] as const) {
      expect(coded(await ask(method, path, undefined, realm))).toEqual([404, 'not_found']);
    }
  });
});

describe('over a restart', () => {
  test('runs are as they were, and one that the daemon left is failed; only then the token moves', async () => {
    const config = { dataDir: join(daemon.folder, 'again') };
    let again = await startTestDaemon({ config });
    const session = await again.open({ cwd: daemon.cwd });
    const steps = [{ id: 'a', tool: 'write_file', params: { path: 'never.txt', content: '' } }];
    await again.request('PUT', '/workflows/w', { body: { definition: { steps }, expected_absent: true } });
    const token = async (): Promise<string> => (await again.request('GET', '/changes')).body.tokens.workflow_runs;
    const path = `/sessions/${session}/workflows/w/runs`;
    const { body } = await again.request('POST', path);
    const find = async (): Promise<any> => (await again.request('GET', `/workflows/runs/${body.run_id}`)).body.run;
    await until(async () => (await again.request('GET', '/gates')).body.items.length === 1);
    // As a killed daemon leaves it: under way in the store, and nobody at work on it.
    await again.request('POST', `/workflows/runs/${body.run_id}/cancel`);
    await again.close();
    const db = new Sqlite(join(config.dataDir, 'lists.sqlite'));
    db.prepare(`update workflow_runs set status = 'running'`).run();
    db.close();
    again = await startTestDaemon({ config });
    expect(await find()).toMatchObject({
      status: 'failed',
      error: 'interrupted: the daemon stopped before the run was over',
    });
    const before = await token();
    await again.close();
    again = await startTestDaemon({ config });
    expect([await token(), (await find()).status]).toEqual([before, 'failed']);

    // A daemon that is told to stop says the same at once.
    await again.request('POST', '/sessions', { body: { attach: session } });
    const second = (await again.request('POST', path)).body.run_id;
    await until(async () => (await again.request('GET', '/gates')).body.items.length === 1);
    await again.close();
    again = await startTestDaemon({ config });
    expect((await again.request('GET', `/workflows/runs/${second}`)).body.run).toMatchObject({ status: 'failed' });
    expect(await token()).not.toBe(before);
    await again.close();
  });
});

describe('the tools read_workflow and upsert_workflow', () => {
  test('let a model read and store workflows, by the same rules and behind the gates', async () => {
    const session = await daemon.open();
    const call = (tool: string, params: Body, more: Body = {}): Promise<Answer> =>
      ask('POST', `/sessions/${session}/tools/${tool}/run`, { params, ...more });
    const definition = { summary: 'By a model', steps: [FIRST] };
    const upsert = { name: 'by-model', definition, expected_absent: true };
    const asked = await call('upsert_workflow', upsert);
    expect(coded(asked)).toEqual([409, 'tool_needs_confirmation']);
    const confirmed = { confirm: true, confirm_token: asked.body.details.confirm_token };
    expect((await call('upsert_workflow', upsert, confirmed)).body.output).toMatch(/^stored by-model at revision \d+$/);
    const { revision, ...read } = JSON.parse((await call('read_workflow', { name: 'by-model' })).body.output);
    expect(read).toEqual({ name: 'by-model', definition });
    expect((await ask('GET', '/workflows/by-model?include_revision=true')).body).toMatchObject({
      definition,
      revision,
    });
    expect(JSON.parse((await call('read_workflow', {})).body.output)).toContainEqual({
      name: 'by-model',
      summary: 'By a model',
    });

    await ask('PATCH', `/sessions/${session}/yolo`, { enabled: true });
    const failure = async (params: Body): Promise<string> => {
      const { body } = await call('upsert_workflow', params);
      expect(body).toMatchObject({ ok: false, error_code: 'tool_error' });
      return body.output;
    };
    expect(await failure(upsert)).toContain(`the workflow is at revision ${revision} now`);
    expect(await failure({ ...upsert, name: 'runs' })).toBe('name: is taken by the list of runs');
    const lost = { steps: [{ id: 'a', tool: 't', params: { p: '{{inputs.x}}' } }] };
    expect(await failure({ name: 'lost', definition: lost, expected_absent: true })).toContain(
      'step a: a reference names an input',
    );
    expect(coded(await call('upsert_workflow', { ...upsert, definition: { steps: [] } }))).toEqual([
      400,
      'bad_request',
    ]);
    expect((await call('read_workflow', { name: 'lost' })).body.output).toBe('there is no workflow of that name');
  });
});
