/**
 * Change tokens over HTTP, as the page has them: one reading, the stream frame by frame as it arrives, what each scope
 * sees, and a client that follows the page. The errors of both operations are in pairs.test.ts.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FakeClock } from '../fakes/clock.js';
import { startTestDaemon, writeJson, type TestDaemon } from '../harness.js';
import { until } from '../processes.js';
import { churn } from './changes-churn.js';
import { openChanges, type ChangeStream } from './changes-client.js';

const TOPICS = ['sessions', 'todos', 'workflow_runs', 'loops', 'tasks', 'gates', 'agents', 'rules'];
const REALM = 'a'.repeat(24);
const TOKEN = /^[0-9A-HJKMNP-TV-Z]{26}$/;
/** Longer than a reading is shared. */
const STALE_MS = 1_000;
const REREAD_MS = 2_000;

interface Tokens {
  readonly scope: string;
  readonly tokens: Record<string, string>;
  readonly unavailable?: Record<string, string>;
}

const folders: string[] = [];
const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'agentd-changes-'));
  folders.push(folder);
  return folder;
};
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

describe('the change tokens', () => {
  const clock = new FakeClock();
  let daemon: TestDaemon;
  let other: string;
  beforeAll(async () => {
    daemon = await startTestDaemon({ clock });
    other = join(daemon.folder, 'other');
    await mkdir(other);
  });
  afterAll(() => daemon.close());

  /** A reading that is not shared with an earlier one. */
  const read = async (headers: Record<string, string> = {}): Promise<Tokens> => {
    await clock.advance(STALE_MS);
    const { status, body } = await daemon.request('GET', '/changes', { headers });
    expect(status).toBe(200);
    return body;
  };
  const moved = async (work: () => Promise<unknown>, headers: Record<string, string> = {}): Promise<string[]> => {
    const before = await read(headers);
    await work();
    const after = await read(headers);
    expect(after.scope).toBe(before.scope);
    return TOPICS.filter((topic) => before.tokens[topic] !== after.tokens[topic]);
  };
  const create = async (body: Record<string, unknown> = {}, headers: Record<string, string> = {}) => {
    const answer = await daemon.request('POST', '/todos', { body: { title: 'x', cwd: daemon.cwd, ...body }, headers });
    expect(answer.status).toBe(201);
    return answer.body.todo as { id: string; revision: number };
  };

  test('are one opaque text for each of eight topics, and a scope that does not tell the account', async () => {
    const { scope, tokens, unavailable } = await read();
    expect(Object.keys(tokens)).toEqual(TOPICS);
    for (const token of Object.values(tokens)) expect(token).toMatch(TOKEN);
    expect(new Set(Object.values(tokens)).size).toBe(TOPICS.length);
    expect(scope).toMatch(TOKEN);
    expect(unavailable).toBeUndefined();
  });

  test('stand still while nothing changes, whatever time passes', async () => {
    expect(await moved(() => clock.advance(3_600_000))).toEqual([]);
  });

  test('are shared for a second, and then true again', async () => {
    const first = await read();
    await create();
    const shared = await daemon.request('GET', '/changes');
    expect(shared.body).toEqual(first);
    await clock.advance(STALE_MS);
    const fresh = await daemon.request('GET', '/changes');
    expect(fresh.body.tokens.todos).not.toBe(first.tokens['todos']);
  });

  test('move with each change of a session, and with its turn', async () => {
    let session = '';
    expect(await moved(async () => (session = await daemon.open()))).toEqual(['sessions']);
    const rename = (): Promise<unknown> =>
      daemon.request('PATCH', `/sessions/${session}`, { body: { name: 'renamed' } });
    expect(await moved(rename)).toEqual(['sessions']);
    const tooLong = { name: 'x'.repeat(1_001) };
    for (const answer of [
      await daemon.request('PATCH', `/sessions/${session}`, { body: tooLong }),
      await daemon.request('POST', '/sessions', { body: { cwd: daemon.cwd, ...tooLong } }),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([400, 'bad_request']);
    }
    const run = (): Promise<unknown> =>
      daemon.request('POST', `/sessions/${session}/tools/list_dir/run`, { body: { params: { path: '.' } } });
    expect(await moved(run)).toEqual(['sessions']);
    expect(await moved(() => daemon.request('GET', `/sessions/${session}/tools`))).toEqual([]);
    expect(await moved(() => daemon.request('POST', `/sessions/${session}/close`))).toEqual(['sessions']);
    const attach = (): Promise<unknown> => daemon.request('POST', '/sessions', { body: { attach: session } });
    expect(await moved(attach)).toEqual(['sessions']);
    expect(await moved(() => daemon.request('DELETE', `/sessions/${session}?hard=true`))).toEqual(['sessions']);
  });

  test('move with each change of a todo', async () => {
    let todo = { id: '', revision: 0 };
    const change = (method: string, path: string, body: Record<string, unknown>) => async (): Promise<void> => {
      const answer = await daemon.request(method, `/todos/${todo.id}${path}`, { body });
      todo = answer.body.todo;
      expect(answer.status).toBeLessThan(300);
    };
    expect(await moved(async () => (todo = await create()))).toEqual(['todos']);
    expect(await moved(change('PATCH', '', { revision: 1, state: 'ready' }))).toEqual(['todos']);
    expect(await moved(change('POST', '/messages', { text: 'hm' }))).toEqual(['todos']);
    expect(await moved(change('POST', '/snooze', { revision: 2, wake_at: '2030-01-01T00:00:00Z' }))).toEqual(['todos']);
    expect(await moved(change('POST', '/archive', { revision: 3 }))).toEqual(['todos']);
    expect(await moved(() => daemon.request('PATCH', `/todos/${todo.id}`, { body: { revision: 1 } }))).toEqual([]);
  });

  test('move when a gate parks and when it is answered', async () => {
    const session = await daemon.open();
    const isParked = async (): Promise<boolean> =>
      (await daemon.request('GET', `/sessions/${session}/state`)).body.state === 'parked';
    let run: Promise<unknown> = Promise.resolve();
    const park = async (): Promise<void> => {
      const body = { params: { question: 'Which one?' } };
      run = daemon.request('POST', `/sessions/${session}/tools/ask_question_to_user/run`, { body });
      await until(isParked);
    };
    expect(await moved(park)).toEqual(['sessions', 'gates']);
    const answer = async (): Promise<void> => {
      await daemon.request('POST', `/sessions/${session}/answer`, { body: { answer: 'That one.' } });
      await run;
    };
    expect(await moved(answer)).toEqual(['sessions', 'gates']);
  });

  test('of a folder or a realm move with its own work alone', async () => {
    const here = { 'x-hoody-cwd': daemon.cwd };
    const there = { 'x-hoody-cwd': other };
    const realm = { 'x-hoody-realm': REALM };
    expect(await moved(() => create({ cwd: other }), here)).toEqual([]);
    expect(await moved(() => create({ cwd: other }), there)).toEqual(['todos']);
    expect(await moved(() => create({ cwd: other }, realm), there)).toEqual([]);
    expect(await moved(() => create({ cwd: other }, realm), { ...realm, ...there })).toEqual(['todos']);
    expect(await moved(() => daemon.open({ realm: REALM }))).toEqual([]);
    expect(await moved(() => daemon.open({ cwd: other }), here)).toEqual([]);
    expect(await moved(() => daemon.open({ cwd: other }))).toEqual(['sessions']);
    const install = { 'x-hoody-config-dir': '/etc/install' };
    expect(await moved(() => daemon.open(), install)).toEqual([]);
    expect(await moved(() => daemon.open({ config_dir: '/etc/install' }), install)).toEqual(['sessions']);
    const [one, two] = [await read(), await read(realm)];
    expect(one.scope).not.toBe(two.scope);
    expect((await read({ 'x-hoody-realm': 'global' })).scope).toBe(one.scope);
  });

  test('refuse a container with the code of the page', async () => {
    for (const path of ['/changes', '/changes/stream']) {
      const { status, body } = await daemon.request('GET', path, { headers: { 'x-hoody-container': 'c1' } });
      expect([status, body.code]).toEqual([400, 'realm_scope_unsupported']);
    }
  });
});

describe('the stream of change tokens', () => {
  const clock = new FakeClock();
  let daemon: TestDaemon;
  const streams: ChangeStream[] = [];
  beforeAll(async () => {
    daemon = await startTestDaemon({ clock, config: { httpMaxStreamsPerIp: 2 } });
  });
  afterAll(async () => {
    for (const stream of streams) stream.leave();
    await daemon.close();
  });
  const open = async (headers: Record<string, string> = {}): Promise<ChangeStream> => {
    const stream = await openChanges(daemon.baseUrl, headers);
    streams.push(stream);
    return stream;
  };
  const create = (): Promise<unknown> => daemon.request('POST', '/todos', { body: { title: 'x', cwd: daemon.cwd } });

  test('begins with a snapshot, tells what moved within two seconds, beats, and has no ids', async () => {
    const stream = await open();
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
    const first = await stream.next();
    expect(first!.event).toBe('snapshot');
    expect(Object.keys(first!.data)).toEqual(['scope', 'tokens']);
    expect(Object.keys(first!.data.tokens)).toEqual(TOPICS);

    await create();
    await clock.advance(REREAD_MS);
    const changed = await stream.next();
    expect(changed).toMatchObject({ event: 'changed', data: { topic: 'todos', token: expect.stringMatching(TOKEN) } });
    expect(Object.keys(changed!.data)).toEqual(['topic', 'token']);
    expect(changed!.data.token).not.toBe(first!.data.tokens.todos);
    expect(changed!.raw).toBe(`event: changed\ndata: ${JSON.stringify(changed!.data)}`);

    await daemon.open();
    await create();
    await clock.advance(REREAD_MS);
    expect([(await stream.next())!.data.topic, (await stream.next())!.data.topic]).toEqual(['sessions', 'todos']);

    await clock.advance(25_000);
    expect((await stream.next())!.raw).toBe(': heartbeat');
    stream.leave();
  });

  test('begins anew after a disconnect, with a snapshot that shows what was missed', async () => {
    const stream = await open();
    const before = await stream.next();
    stream.leave();
    await create();
    await clock.advance(STALE_MS);
    const again = await open();
    const after = await again.next();
    expect(after!.event).toBe('snapshot');
    expect(after!.data.scope).toBe(before!.data.scope);
    expect(after!.data.tokens).toEqual({ ...before!.data.tokens, todos: after!.data.tokens.todos });
    expect(after!.data.tokens.todos).not.toBe(before!.data.tokens.todos);
    again.leave();
  });

  test('counts toward the cap of its address, which the single reading does not', async () => {
    await until(async () => {
      const stream = await open();
      stream.leave();
      return stream.status === 200;
    });
    const held: ChangeStream[] = [];
    await until(async () => {
      const stream = await open();
      if (stream.status === 200) held.push(stream);
      return held.length === 2;
    });
    const refused = await open();
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBe('1');
    expect((await daemon.request('GET', '/changes')).status).toBe(200);
    held[0]!.leave();
    await until(async () => {
      const stream = await open();
      stream.leave();
      return stream.status === 200;
    });
    held[1]!.leave();
  });

  test('gives a realm that is not served, or is none, an ordinary answer', async () => {
    const none = await daemon.request('GET', '/changes/stream', { headers: { 'x-hoody-realm': 'x' } });
    expect([none.status, none.body.code]).toEqual([400, 'invalid_realm']);
  });

  test('leaves nothing behind when its reader has gone', async () => {
    await until(async () => {
      await clock.advance(REREAD_MS);
      return clock.waiting <= 2;
    });
  });
});

describe('change tokens of a login that changes', () => {
  const clock = new FakeClock();
  let daemon: TestDaemon;
  let become: (login: Record<string, unknown>) => Promise<void>;
  beforeAll(async () => {
    const path = join(await makeFolder(), 'login.json');
    become = (login) =>
      writeFile(path, JSON.stringify({ account_id: 'anna', active_realm: 'global', serves: 'all', ...login }));
    await become({});
    daemon = await startTestDaemon({ clock, config: { loginFile: path } });
  });
  afterAll(() => daemon.close());

  test('carry another scope as soon as realm or account do, and a stream sends a new snapshot', async () => {
    const stream = await openChanges(daemon.baseUrl);
    const first = (await stream.next())!.data;
    await become({ active_realm: REALM });
    await clock.advance(REREAD_MS);
    const second = await stream.next();
    expect(second!.event).toBe('snapshot');
    expect(second!.data.scope).not.toBe(first.scope);
    await become({ account_id: 'bert' });
    const direct = await daemon.request('GET', '/changes');
    expect([first.scope, second!.data.scope]).not.toContain(direct.body.scope);
    expect(JSON.stringify(direct.body)).not.toMatch(/anna|bert/);
    stream.leave();
  });

  test.each([
    [{ serves: 'unknown' }, 'restriction_unknown'],
    [{ serves: [REALM] }, 'tokens_unreadable'],
  ])('end with a reason when the login becomes %j', async (login, reason) => {
    await become({});
    const stream = await openChanges(daemon.baseUrl);
    expect((await stream.next())!.event).toBe('snapshot');
    await become(login);
    await clock.advance(REREAD_MS);
    expect(await stream.next()).toMatchObject({ event: 'end', data: { reason } });
    expect(await stream.next()).toBeUndefined();
  });
});

test('a stream ends with shutting_down when the daemon does, and durable topics are equal after the restart', async () => {
  const dataDir = join(await makeFolder(), 'data');
  const first = await startTestDaemon({ config: { dataDir } });
  await first.request('POST', '/todos', { body: { title: 'kept', cwd: '/' } });
  const ruled = { headers: { 'x-hoody-cwd': await makeFolder() } };
  await writeJson(join(ruled.headers['x-hoody-cwd'], '.hoody', 'settings.json'), {
    rules: [{ id: 'a', text: 'a', kind: 'limit' }],
  });
  const { rules } = (await first.request('GET', '/changes', ruled)).body.tokens;
  const session = await first.open({ cwd: '/', name: 'kept' });
  const stream = await openChanges(first.baseUrl);
  const before = (await stream.next())!.data;
  const todos = (await first.request('GET', '/todos')).body;
  await first.close();
  expect(await stream.next()).toMatchObject({ event: 'end', data: { reason: 'shutting_down' } });

  const second = await startTestDaemon({ config: { dataDir } });
  const after = (await second.request('GET', '/changes')).body;
  expect(after.scope).toBe(before.scope);
  for (const topic of ['todos', 'workflow_runs', 'agents', 'rules']) {
    expect([topic, after.tokens[topic]]).toEqual([topic, before.tokens[topic]]);
  }
  expect((await second.request('GET', '/changes', ruled)).body.tokens.rules).toBe(rules);
  expect(rules).not.toBe(before.tokens.rules);
  expect((await second.request('GET', '/todos')).body).toEqual(todos);
  const [row] = (await second.request('GET', '/sessions')).body.items;
  expect(row).toMatchObject({ id: session, name: 'kept', live: false, cwd: '/' });
  const attached = await second.request('POST', '/sessions', { body: { attach: session } });
  expect(attached.status).toBe(201);
  expect((await second.request('GET', `/sessions/${session}`)).body).toMatchObject({ attached: true });
  await second.request('DELETE', `/sessions/${session}?hard=true`);
  expect((await second.request('GET', `/sessions/${session}`)).status).toBe(404);
  await second.close();
});

test('a client that follows the page never misses a change, whatever happens to its connection', async () => {
  const clock = new FakeClock();
  const daemon = await startTestDaemon({ clock });
  const { disconnects } = await churn(daemon, clock, 150, 1);
  expect(disconnects).toBeGreaterThan(20);
  await daemon.close();
});
