/**
 * Sessions that wait for a person, over HTTP against a real daemon: questions of MCP servers and of the built-in tool,
 * how they are listed, answered, refused and withdrawn; and what a session may do without asking.
 */
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TurnSlot } from '../../src/domain/turn-slot.js';
import { Gates, type GateRequest } from '../../src/services/gates.js';
import type { RunSession } from '../../src/services/tool-runner.js';
import { FakeClock } from '../fakes/clock.js';
import { FakeIds } from '../fakes/ids.js';
import { fixtureServer, npmServer, startTestDaemon, type Answer, type TestDaemon } from '../harness.js';
import { until } from '../processes.js';

const WAIT_MAX_MS = 15 * 60_000;

let daemon: TestDaemon;
let messages: string;

beforeAll(async () => {
  daemon = await startTestDaemon({
    settings: {
      mcp_servers: [
        fixtureServer('asker', 'elicit,slow'),
        {
          name: 'everything',
          type: 'stdio',
          command: process.execPath,
          args: [npmServer('server-everything'), 'stdio'],
        },
      ],
    },
  });
  messages = join(daemon.folder, 'messages.jsonl');
});
afterAll(() => daemon.close());

type Body = Record<string, unknown>;
const coded = ({ status, body }: Answer): [number, string] => [status, body.code];
const open = async (body: Body = {}): Promise<string> => {
  const session = await daemon.open(body);
  await until(async () => (await daemon.request('GET', `/sessions/${session}/tools/mcp`)).body.items.length > 10);
  return session;
};
const run = (session: string, tool: string, params: Body = {}, signal?: AbortSignal): Promise<Answer> =>
  daemon.request('POST', `/sessions/${session}/tools/${tool}/run`, { body: { params }, ...(signal && { signal }) });
const stateOf = async (session: string): Promise<Answer['body']> =>
  (await daemon.request('GET', `/sessions/${session}/state`)).body;
const parked = async (session: string): Promise<Answer['body']> => {
  await until(async () => (await stateOf(session)).state === 'parked');
  return (await stateOf(session)).pending_gate;
};
const answer = (session: string, body: Body): Promise<Answer> =>
  daemon.request('POST', `/sessions/${session}/answer`, { body });
const confirm = (session: string, body: Body): Promise<Answer> =>
  daemon.request('POST', `/sessions/${session}/confirm`, { body });
const cancel = (session: string, body?: Body): Promise<Answer> =>
  daemon.request('POST', `/sessions/${session}/cancel`, body === undefined ? {} : { body });
const gates = async (query = ''): Promise<Answer['body']> => (await daemon.request('GET', `/gates${query}`)).body;

describe('a question of an MCP server', () => {
  test('parks the run, is shown with its parts, and the answer goes to the server', async () => {
    const session = await open();
    const running = run(session, 'mcp__asker__ask');
    const gate = await parked(session);
    expect(gate).toEqual({
      id: expect.stringMatching(/^gate-[0-9a-f]{16}-1$/),
      generation: 1,
      type: 'question',
      tool_name: 'mcp__asker__ask',
      question: 'Which colour?',
      questions: [{ id: 'colour', category: 'string', question: 'colour' }],
    });
    expect((await daemon.request('GET', `/sessions/${session}`)).body.pending_gate).toEqual(gate);

    const { status, body } = await answer(session, { gate_id: gate.id, generation: 1, answer: 'blue' });
    expect([status, body]).toEqual([
      200,
      { status: 'ok', resolved: { gate_id: gate.id, generation: 1, outcome: 'answered' } },
    ]);
    const { output } = (await running).body;
    expect(JSON.parse(output)).toEqual({ action: 'accept', content: { colour: 'blue' } });
    expect(await stateOf(session)).toMatchObject({ state: 'idle' });
  });

  test('refuses other runs meanwhile, naming the gate', async () => {
    const session = await open();
    const running = run(session, 'mcp__asker__ask');
    const { id } = await parked(session);
    const other = await run(session, 'read_file', { path: 'a' });
    expect(coded(other)).toEqual([409, 'gate_parked']);
    expect(other.body.details).toEqual({ pending_gate: { id, generation: 1, type: 'question' } });
    await answer(session, { answers: { colour: 'red' } });
    expect(JSON.parse((await running).body.output).content).toEqual({ colour: 'red' });
  });

  test('takes only what fits, and stays until then', async () => {
    const session = await open();
    const running = run(session, 'mcp__asker__ask');
    const gate = await parked(session);
    const refused: [Body, number, string][] = [
      [{}, 400, 'bad_request'],
      [{ answer: ' ', text: '', answers: { colour: '' } }, 400, 'bad_request'],
      [{ answers: { shape: 'round' } }, 400, 'bad_request'],
      [{ answer: 'blue', gate_id: 'gate-0000000000000000-1' }, 409, 'stale_gate'],
      [{ answer: 'blue', gate_id: gate.id, generation: 2 }, 409, 'stale_gate'],
      [{ answer: 'blue', mood: 'good' }, 400, 'bad_request'],
    ];
    for (const [body, status, code] of refused) expect(coded(await answer(session, body))).toEqual([status, code]);
    const stale = await answer(session, { answer: 'blue', gate_id: 'gate-0000000000000000-1' });
    expect(stale.body.details).toEqual({ gate_id: gate.id, generation: 1, type: 'question' });
    expect(coded(await confirm(session, {}))).toEqual([400, 'approved_required']);
    expect(coded(await confirm(session, { approved: true }))).toEqual([409, 'gate_type_mismatch']);
    expect(await stateOf(session)).toMatchObject({ state: 'parked', pending_gate: gate });

    expect((await answer(session, { answer: '', text: 'green' })).status).toBe(200);
    expect(JSON.parse((await running).body.output).content).toEqual({ colour: 'green' });
    expect(coded(await answer(session, { answer: 'blue', gate_id: gate.id }))).toEqual([409, 'gate_already_answered']);
    expect(coded(await answer(session, { answer: 'blue' }))).toEqual([409, 'no_pending_gate']);
    expect(coded(await confirm(session, { approved: true }))).toEqual([409, 'no_pending_gate']);
  });

  test('is withdrawn by a cancel: the run is cancelled and the server is told', async () => {
    const session = await open();
    const running = run(session, 'mcp__asker__ask');
    const { id } = await parked(session);
    expect((await cancel(session)).body).toEqual({ status: 'ok', matched: true });
    expect((await running).body).toMatchObject({ ok: false, is_error: true, error_code: 'cancelled' });
    expect(await stateOf(session)).toMatchObject({ state: 'idle' });
    const late = await answer(session, { gate_id: id, answer: 'blue' });
    expect(coded(late)).toEqual([409, 'gate_already_resolved']);
    expect(late.body.details).toMatchObject({ gate_id: id, outcome: 'cancelled' });
  });

  test('is withdrawn when the caller hangs up, and when the session closes', async () => {
    const session = await open();
    const caller = new AbortController();
    const gone = run(session, 'mcp__asker__ask', {}, caller.signal);
    await parked(session);
    caller.abort();
    await expect(gone).rejects.toThrow('abort');
    await until(async () => (await stateOf(session)).state === 'idle');

    const running = run(session, 'mcp__asker__ask');
    await parked(session);
    expect((await gates()).items).toHaveLength(1);
    await daemon.request('POST', `/sessions/${session}/close`);
    expect((await running).body).toMatchObject({ is_error: true, error_code: 'cancelled' });
    expect((await gates()).items).toEqual([]);
    expect(coded(await answer(session, { answer: 'blue' }))).toEqual([404, 'not_found']);
  });

  test('is answered with cancel while two sessions wait for the same server', async () => {
    const [one, two] = [await open(), await open()];
    const slow = run(one, 'mcp__asker__sleep', { ms: 60_000 });
    await until(async () => (await stateOf(one)).state === 'running');
    const asked = await run(two, 'mcp__asker__ask');
    expect(JSON.parse(asked.body.output)).toEqual({ action: 'cancel' });
    await cancel(one);
    await slow;
  });

  test('is answered with cancel in a headless session', async () => {
    const session = await open({ headless: true });
    expect(JSON.parse((await run(session, 'mcp__asker__ask')).body.output)).toEqual({ action: 'cancel' });
  });

  test('is declined by a decision that does not approve', async () => {
    const session = await open();
    const running = run(session, 'mcp__everything__trigger-elicitation-request');
    const { id } = await parked(session);
    expect(coded(await confirm(session, { approved: true }))).toEqual([409, 'gate_type_mismatch']);
    expect(coded(await confirm(session, { approved: false, gate_id: 'gate-1' }))).toEqual([409, 'stale_gate']);
    const declined = await confirm(session, { approved: false, gate_id: id, reason: 'not today' });
    expect(declined.body.resolved).toEqual({
      gate_id: id,
      generation: 1,
      outcome: 'answered',
      decision: { approved: false },
    });
    const { body } = await running;
    expect(JSON.stringify(body)).toMatch(/declined/i);
    expect(coded(await confirm(session, { approved: false, gate_id: id }))).toEqual([409, 'gate_already_answered']);

    const asking = run(session, 'ask_question_to_user', { question: 'Go on?' });
    await parked(session);
    expect((await confirm(session, { approved: false, reason: 'not today' })).status).toBe(200);
    expect((await asking).body).toMatchObject({
      is_error: true,
      error_code: 'tool_error',
      output: 'the question was declined: not today',
    });
  });

  test('of several parts is read part by part, as the types the server asked for', async () => {
    const session = await open();
    const running = run(session, 'mcp__everything__trigger-elicitation-request');
    const gate = await parked(session);
    const ids = gate.questions.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(expect.arrayContaining(['name', 'check', 'integer']));
    expect(gate.questions.find(({ id }: { id: string }) => id === 'check').options).toEqual(['true', 'false']);
    expect(coded(await answer(session, { answer: 'Ada' }))).toEqual([400, 'bad_request']);
    const wrong = await answer(session, { answers: { name: 'Ada', integer: 'many' } });
    expect(wrong.body.details.errors).toEqual(
      expect.arrayContaining([expect.objectContaining({ pointer: '/answers/integer', keyword: 'type' })]),
    );
    expect((await answer(session, { answers: { name: 'Ada', check: 'true', integer: '7' } })).status).toBe(200);
    const { body } = await running;
    expect(JSON.stringify(body)).toContain('Ada');
    expect(body.ok).toBe(true);
  });
});

describe('ask_question_to_user', () => {
  test('waits for the answer and returns it, under read-only rules of asking', async () => {
    const session = await open();
    const running = run(session, 'ask_question_to_user', {
      question: 'Go on?',
      options: ['yes', 'no'],
      category: 'plan',
    });
    const gate = await parked(session);
    expect(gate).toMatchObject({
      question: 'Go on?',
      options: ['yes', 'no'],
      category: 'plan',
      tool_name: 'ask_question_to_user',
    });
    expect(coded(await answer(session, { answer: 'perhaps' }))).toEqual([400, 'bad_request']);
    expect((await answer(session, { answer: 'yes' })).status).toBe(200);
    expect((await running).body).toEqual({ ok: true, output: 'yes' });
  });

  test('is cancelled with its run', async () => {
    const session = await open();
    const running = run(session, 'ask_question_to_user', { question: 'Go on?' });
    await parked(session);
    await cancel(session);
    expect((await running).body).toMatchObject({ ok: false, error_code: 'cancelled' });
  });

  test('does not exist where nobody can be asked', async () => {
    const session = await open({ headless: true });
    const { body } = await daemon.request('GET', `/sessions/${session}/tools`);
    expect(body.items.map(({ name }: { name: string }) => name)).not.toContain('ask_question_to_user');
    const params = { question: 'Go on?' };
    expect(coded(await run(session, 'ask_question_to_user', params))).toEqual([404, 'tool_not_found']);
    const sessionless = await daemon.request('POST', '/tools/ask_question_to_user/run', {
      body: { params, allow_mutations: true },
    });
    expect(coded(sessionless)).toEqual([404, 'tool_not_found']);
  });
});

describe('the list of gates', () => {
  test('has what waits, the oldest first, by realm and in windows', async () => {
    const realm = '0123456789abcdef01234567';
    const sessions = [await open(), await open(), await open({ realm })];
    const runs = [];
    for (const session of sessions) {
      runs.push(run(session, 'ask_question_to_user', { question: `from ${session}` }));
      await parked(session);
    }
    const all = await gates();
    expect(all.meta).toEqual({ total: 2, omitted: 0 });
    expect(all.items.map(({ session_id }: { session_id: string }) => session_id)).toEqual(sessions.slice(0, 2));
    const gate = await parked(sessions[0]!);
    expect(all.items[0]).toEqual({
      session_id: sessions[0],
      realm: 'global',
      gate_id: gate.id,
      generation: 1,
      kind: 'question',
      parked_at: expect.stringMatching(/Z$/),
      gate,
    });
    const second = await gates('?page=2&limit=1');
    expect(second.meta).toEqual({ total: 2, page: 2, limit: 1, omitted: 0 });
    expect(second.items[0].session_id).toBe(sessions[1]);
    expect((await gates(`?realm=${realm}`)).items[0].session_id).toBe(sessions[2]);
    for (const session of sessions) await cancel(session);
    await Promise.all(runs);
    expect((await gates()).meta.total).toBe(0);
  });

  test('refuses a container as a scope, a window over 100, and nothing else unknown', async () => {
    const contained = await daemon.request('GET', '/gates', { headers: { 'x-hoody-container': 'c' } });
    expect(coded(contained)).toEqual([400, 'realm_scope_unsupported']);
    expect(coded(await daemon.request('GET', '/gates?limit=101'))).toEqual([400, 'bad_request']);
  });
});

describe('cancelling a session', () => {
  test('tells the MCP server that works on the run', async () => {
    const log = await startTestDaemon({
      settings: { mcp_servers: [fixtureServer('slow', 'slow', { env: { FXLOG: messages } })] },
    });
    const told = (): boolean =>
      existsSync(messages) && readFileSync(messages, 'utf8').includes('notifications/cancelled');
    try {
      const session = await log.open();
      const tools = `/sessions/${session}/tools`;
      await until(async () => (await log.request('GET', `${tools}/mcp`)).body.items.length > 0);
      const start = (signal?: AbortSignal): Promise<Answer> =>
        log.request('POST', `${tools}/mcp__slow__sleep/run`, {
          body: { params: { ms: 60_000 } },
          ...(signal && { signal }),
        });
      const begun = (): Promise<void> =>
        until(() => existsSync(messages) && readFileSync(messages, 'utf8').includes('tools/call'));

      const first = start();
      await begun();
      const busy = await log.request('POST', `${tools}/read_file/run`, { body: { params: { path: 'a' } } });
      expect([busy.status, busy.body.code]).toEqual([409, 'turn_in_flight']);
      await log.request('POST', `/sessions/${session}/cancel`);
      expect((await first).body).toMatchObject({ ok: false, error_code: 'cancelled' });
      await until(told);

      await writeFile(messages, '');
      const caller = new AbortController();
      const second = start(caller.signal);
      await begun();
      caller.abort();
      await expect(second).rejects.toThrow('abort');
      await until(told);

      await writeFile(messages, '');
      const third = start();
      await begun();
      await log.request('DELETE', `/sessions/${session}`);
      expect((await third).body).toMatchObject({ ok: false, error_code: 'cancelled' });
    } finally {
      await log.close();
    }
  });

  test('says when there was nothing to cancel, or not the turn that was named', async () => {
    const session = await daemon.open();
    expect((await cancel(session)).body).toEqual({ status: 'ok', matched: false });
    expect((await cancel(session, { turn_id: 'turn-1' })).body).toEqual({
      status: 'ok',
      turn_id: 'turn-1',
      matched: false,
    });
    const both = await daemon.request('POST', `/sessions/${session}/cancel?turn_id=turn-2`, {
      body: { turn_id: 'turn-1' },
    });
    expect(coded(both)).toEqual([400, 'bad_request']);
    expect(coded(await cancel('sess_unknown'))).toEqual([404, 'not_found']);
  });
});

describe('what a session may do unasked', () => {
  const write = (session: string, path: string): Promise<Answer> => run(session, 'write_file', { path, content: 'x' });

  test('starts as nothing, and is told', async () => {
    const session = await daemon.open();
    expect((await daemon.request('GET', `/sessions/${session}/approval`)).body).toEqual({
      mode: 'default',
      locked: false,
      revision: 0,
      yolo: false,
      auto_write: false,
      auto_dir_access: false,
      rules: [],
    });
    expect(coded(await write(session, 'one.txt'))).toEqual([409, 'tool_needs_confirmation']);
  });

  test('yolo answers for write permission and never for a guarded file or a dangerous shape', async () => {
    const session = await daemon.open();
    const set = await daemon.request('PATCH', `/sessions/${session}/yolo`, { body: { enabled: true } });
    expect(set.body).toEqual({ status: 'ok', yolo: true });
    expect((await write(session, 'two.txt')).body).toMatchObject({ ok: true });
    expect(coded(await write(session, '.env.two'))).toEqual([409, 'tool_needs_confirmation']);
    expect(coded(await run(session, 'bash', { command: 'rm -rf /' }))).toEqual([409, 'tool_needs_confirmation']);
    expect((await write(session, '.hoody/settings.json')).body).toMatchObject({ error_code: 'denied_deny_list' });
    await daemon.request('PATCH', `/sessions/${session}/yolo`, { body: { enabled: false } });
    expect(coded(await write(session, 'three.txt'))).toEqual([409, 'tool_needs_confirmation']);
    expect(coded(await daemon.request('PATCH', `/sessions/${session}/yolo`, { body: {} }))).toEqual([
      400,
      'bad_request',
    ]);
  });

  test('a rule allows one tool or denies it, until it is deleted', async () => {
    const session = await daemon.open();
    const rule = (method: string, tool: string, body?: Body): Promise<Answer> =>
      daemon.request(method, `/sessions/${session}/approval/rules/${tool}`, body === undefined ? {} : { body });
    expect((await rule('PUT', 'write_file', { decision: 'allow' })).body).toEqual({
      status: 'ok',
      rules: [{ tool: 'write_file', decision: 'allow' }],
    });
    expect((await write(session, 'four.txt')).body).toMatchObject({ ok: true });
    await rule('PUT', 'write_file', { decision: 'deny' });
    expect((await write(session, 'five.txt')).body).toMatchObject({ is_error: true, error_code: 'denied_rule' });
    expect((await daemon.request('GET', `/sessions/${session}/approval`)).body).toMatchObject({
      revision: 2,
      rules: [{ tool: 'write_file', decision: 'deny' }],
    });
    expect((await rule('DELETE', 'write_file')).body).toEqual({ status: 'ok', rules: [] });
    expect((await rule('DELETE', 'write_file')).status).toBe(200);
    expect(coded(await write(session, 'six.txt'))).toEqual([409, 'tool_needs_confirmation']);
    expect(coded(await rule('PUT', 'write_file', { decision: 'perhaps' }))).toEqual([400, 'bad_request']);

    for (const nobody of ['no_such_tool', 'mcp:nobody:ask', 'mcp__nobody__ask', 'mcp:asker:', 'mcp__asker__']) {
      expect(coded(await rule('PUT', nobody, { decision: 'deny' }))).toEqual([404, 'tool_not_found']);
      expect((await rule('DELETE', nobody)).status).toBe(200);
    }
    // Of a server in the settings, whether or not it has come up yet.
    const denied = { status: 'ok', rules: [{ tool: 'mcp__asker__ask', decision: 'deny' }] };
    expect((await rule('PUT', 'mcp:asker:ask', { decision: 'deny' })).body).toEqual(denied);
    expect((await rule('PUT', 'mcp__asker__ask', { decision: 'deny' })).body).toEqual(denied);
    expect((await rule('DELETE', 'mcp:asker:ask')).body).toEqual({ status: 'ok', rules: [] });
    expect(await readFile(join(daemon.cwd, 'four.txt'), 'utf8')).toBe('x');
  });

  test('ends with the live session', async () => {
    const session = await daemon.open();
    await daemon.request('PATCH', `/sessions/${session}/yolo`, { body: { enabled: true } });
    await daemon.request('POST', `/sessions/${session}/close`);
    expect(coded(await daemon.request('GET', `/sessions/${session}/approval`))).toEqual([404, 'not_found']);
    await daemon.request('POST', '/sessions', { body: { attach: session } });
    expect((await daemon.request('GET', `/sessions/${session}/approval`)).body).toMatchObject({ yolo: false });
  });
});

describe('a parked gate', () => {
  const setUp = () => {
    const clock = new FakeClock();
    const slot = new TurnSlot();
    const session = { slot, posture: { sessionId: 'sess_1' } } as unknown as RunSession;
    return { clock, slot, session, gates: new Gates({ clock, ids: new FakeIds() }), claim: slot.claim('tool') };
  };
  const never = new AbortController().signal;
  const question: GateRequest<string> = {
    type: 'question',
    tool: 't',
    read: ({ answer: text }) => text ?? '',
    decline: () => 'no',
  };
  const anyGate = { gateId: undefined, generation: undefined };

  test('ends when nobody has answered for fifteen minutes, and its run goes on', async () => {
    const { clock, slot, session, gates: all, claim } = setUp();
    const end = all.park(session, claim, question, never);
    await clock.advance(WAIT_MAX_MS - 1);
    expect(slot.state).toBe('parked');
    await clock.advance(1);
    expect(await end).toEqual({ outcome: 'timeout' });
    expect(slot.state).toBe('running');
    expect(clock.waiting).toBe(0);
  });

  test('makes the next one of the same run wait for it', async () => {
    const { session, gates: all, claim } = setUp();
    const ends = [all.park(session, claim, question, never), all.park(session, claim, question, never)];
    await new Promise(setImmediate);
    expect(all.list().map(({ generation }) => generation)).toEqual([1]);
    all.answer(session, anyGate, { answer: 'first', answers: {} });
    await until(() => all.of(session)?.generation === 2);
    all.answer(session, anyGate, { answer: 'second', answers: {} });
    expect(await Promise.all(ends)).toEqual([
      { outcome: 'answered', value: 'first' },
      { outcome: 'answered', value: 'second' },
    ]);
  });

  test('that is a confirmation is decided, told as such, and not answered', async () => {
    const { session, gates: all, claim } = setUp();
    const end = all.park(session, claim, { type: 'confirm', tool: 't', read: ({ approved }) => approved }, never);
    await new Promise(setImmediate);
    const { id } = all.of(session)!;
    expect(() => all.answer(session, anyGate, { answer: 'x', answers: {} })).toThrow('this gate is a confirm');
    expect(all.confirm(session, { gateId: id, generation: 1 }, { approved: false })).toMatchObject({ approved: false });
    expect(await end).toEqual({ outcome: 'answered', value: false });
    expect(() => all.confirm(session, { gateId: id, generation: 1 }, { approved: true })).toThrow(
      'this gate has ended',
    );
  });

  test('ends with its run', async () => {
    const { session, gates: all, claim } = setUp();
    const end = all.park(session, claim, question, never);
    await new Promise(setImmediate);
    all.dismiss(session, claim);
    expect(await end).toEqual({ outcome: 'cancelled' });
    expect(all.list()).toEqual([]);
  });
});
