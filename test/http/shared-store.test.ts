/**
 * Daemons that share one PostgreSQL, over HTTP: what each shows of the other's work, what one cancels that the other does,
 * and what becomes of everything under way when the server goes away and comes back.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { FakeClock } from '../fakes/clock.js';
import { startTestDaemon, type Answer, type TestDaemon } from '../harness.js';
import { until } from '../processes.js';
import { startPostgres, whyNoPostgres, type PostgresServer } from '../store/postgres.js';
import { openChanges } from './changes-client.js';

/** Longer than a reading is shared. */
const STALE_MS = 1_000;
/** How often a daemon looks after what it shares. */
const UPKEEP_MS = 10_000;

const whyNot = whyNoPostgres();
(whyNot === undefined ? describe : describe.skip)('daemons on one PostgreSQL', () => {
  let server: PostgresServer;
  let one: TestDaemon;
  let two: TestDaemon;
  const clocks = { one: new FakeClock(Date.now()), two: new FakeClock(Date.now()) };
  beforeAll(async () => {
    server = await startPostgres();
    const config = { store: server.url };
    one = await startTestDaemon({ config, clock: clocks.one });
    two = await startTestDaemon({ config, clock: clocks.two });
  }, 60_000);
  afterAll(async () => {
    await Promise.all([one.close(), two.close()]);
    await server.stop();
  });

  test('share their lists, and what one changes moves the token of the other within two seconds', async () => {
    const stream = await openChanges(two.baseUrl);
    expect((await stream.next())!.event).toBe('snapshot');
    // Old enough to be read again, and too young for the stream to look by itself.
    await clocks.two.advance(STALE_MS);
    const { body } = await one.request('POST', '/todos', { body: { title: 'shared', cwd: '/' } });
    // A reading for something else may have come in between: then this one waits until that is old enough.
    let frame: Awaited<ReturnType<typeof stream.next>> | undefined;
    void stream.next().then((next) => (frame = next));
    await until(async () => {
      if (frame === undefined) await clocks.two.advance(10);
      return frame !== undefined;
    });
    expect(frame).toMatchObject({ event: 'changed', data: { topic: 'todos' } });
    stream.leave();
    const edit = await two.request('PATCH', `/todos/${body.todo.id}`, { body: { revision: 1, title: 'by the other' } });
    expect(edit.status).toBe(200);
    expect((await one.request('GET', `/todos/${body.todo.id}`)).body.todo).toMatchObject({ title: 'by the other' });
    const session = await one.open({ cwd: '/' });
    const elsewhere = { live: false, attached: false, live_elsewhere: true };
    const [row] = (await two.request('GET', '/sessions')).body.items;
    expect(row).toMatchObject({ id: session, ...elsewhere });
    expect((await two.request('GET', `/sessions/${session}`)).body.session).toMatchObject(elsewhere);
    expect((await two.request('GET', `/sessions/${session}/state`)).body).toMatchObject({
      state: 'closed',
      live: false,
      live_elsewhere: true,
    });
    expect((await two.request('GET', `/sessions/${session}/tools`)).status).toBe(404);
    const refused = [
      await attach(two, session),
      await two.request('PATCH', `/sessions/${session}`, { body: { name: 'x' } }),
      await two.request('POST', `/sessions/${session}/close`),
      await two.request('DELETE', `/sessions/${session}?hard=true`),
    ];
    for (const { status, body } of refused) expect([status, body.code]).toEqual([409, 'session_held']);
    const job = { body: { params: { path: '.' } } };
    const { job_id } = (await one.request('POST', '/tools/list_dir/runAsync', job)).body;
    await until(async () => (await two.request('GET', `/jobs/${job_id}/result`)).body.status === 'succeeded');
    await one.request('POST', `/sessions/${session}/close`);
    expect((await attach(two, session)).status).toBe(201);
    expect((await one.request('GET', `/sessions/${session}`)).body.session).toMatchObject(elsewhere);
    expect((await two.request('DELETE', `/sessions/${session}?hard=true`)).status).toBe(200);
  });

  const attach = (by: TestDaemon, session: string): Promise<Answer> =>
    by.request('POST', '/sessions', { body: { attach: session } });
  /** Says that it has begun, and goes on until it may. */
  const waiting = (name: string): string =>
    `touch ${name}.begun; until [ -e ${name}.go ]; do sleep 0.02; done; echo went`;
  const there = (daemon: TestDaemon, name: string): boolean => existsSync(join(daemon.cwd, name));
  const begun = (daemon: TestDaemon, name: string): Promise<void> => until(() => there(daemon, `${name}.begun`));
  const go = (daemon: TestDaemon, name: string): Promise<void> => writeFile(join(daemon.cwd, `${name}.go`), '');
  const stateOf = async (daemon: TestDaemon, session: string): Promise<string> =>
    (await daemon.request('GET', `/sessions/${session}/state`)).body.state;
  const runOf = async (daemon: TestDaemon, id: string): Promise<Answer['body']> =>
    (await daemon.request('GET', `/workflows/runs/${id}`)).body.run;
  /** Starts a workflow that waits for its file and writes another; with nobody to say yes it waits for a person there. */
  const start = async (daemon: TestDaemon, name: string, isYolo = true) => {
    const session = await daemon.open();
    if (isYolo) await daemon.request('PATCH', `/sessions/${session}/yolo`, { body: { enabled: true } });
    const steps = [
      { id: 'wait', tool: 'bash', params: { command: isYolo ? waiting(name) : 'ls' } },
      { id: 'write', tool: 'write_file', params: { path: `${name}.txt`, content: '' } },
    ];
    await daemon.request('PUT', `/workflows/${name}`, { body: { definition: { steps }, expected_absent: true } });
    const { body } = await daemon.request('POST', `/sessions/${session}/workflows/${name}/runs`);
    if (isYolo) await begun(daemon, name);
    else await until(async () => (await stateOf(daemon, session)) === 'parked');
    return { session, run: body.run_id as string, job: body.job_id as string };
  };

  test('cancel each other’s workflow runs: at once for all to see, no step begins, and what waits ends soon', async () => {
    const atWork = await start(one, 'at-work');
    const { status, body } = await two.request('POST', `/workflows/runs/${atWork.run}/cancel`);
    expect([status, body.run.status]).toEqual([200, 'cancelled']);
    expect((await runOf(one, atWork.run)).status).toBe('cancelled');
    await go(one, 'at-work');
    await until(async () => (await stateOf(one, atWork.session)) === 'idle');
    expect([there(one, 'at-work.txt'), await runOf(one, atWork.run)]).toEqual([false, body.run]);
    await until(async () => (await two.request('GET', `/jobs/${atWork.job}/result`)).body.status === 'succeeded');
    expect((await two.request('GET', `/jobs/${atWork.job}/result`)).body.result).toEqual({ run: body.run });

    // Somebody who says yes to what is cancelled lets nothing run.
    const asked = await start(one, 'asked', false);
    await two.request('POST', `/workflows/runs/${asked.run}/cancel`);
    const yes = { body: { approved: true } };
    expect((await one.request('POST', `/sessions/${asked.session}/confirm`, yes)).status).toBe(200);
    await until(async () => (await stateOf(one, asked.session)) === 'idle');
    expect([there(one, 'asked.txt'), (await runOf(two, asked.run)).status]).toEqual([false, 'cancelled']);

    // Without an answer the step under way hears of it when its daemon looks.
    const left = await start(one, 'left', false);
    const told = await start(one, 'told');
    for (const { run } of [left, told]) await two.request('POST', `/workflows/runs/${run}/cancel`);
    await clocks.one.advance(UPKEEP_MS);
    for (const { session } of [left, told]) await until(async () => (await stateOf(one, session)) === 'idle');
    expect((await one.request('GET', '/gates')).body.items).toEqual([]);
  });

  test('cancel each other’s jobs, and the work ends when its daemon looks', async () => {
    const run = { params: { command: waiting('job') }, allow_mutations: true };
    const here = { headers: { 'x-hoody-cwd': one.cwd } };
    const { job_id: id } = (await one.request('POST', '/tools/bash/runAsync', { body: run, ...here })).body;
    await begun(one, 'job');
    expect((await two.request('DELETE', `/jobs/${id}`)).body).toEqual({ status: 'ok', canceled: true });
    const ofRun = await start(one, 'by-job');
    expect((await two.request('DELETE', `/jobs/${ofRun.job}`)).body).toEqual({ status: 'ok', canceled: true });
    await clocks.one.advance(UPKEEP_MS);
    for (const daemon of [one, two]) {
      for (const job of [id, ofRun.job]) {
        const result = async () => (await daemon.request('GET', `/jobs/${job}/result`)).body;
        await until(async () => (await result()).status !== 'running');
        expect(await result()).toEqual({ status: 'canceled', result: null, error: null });
      }
    }
    await until(async () => (await runOf(two, ofRun.run)).status === 'cancelled');
    expect(await stateOf(one, ofRun.session)).toBe('idle');
  });

  test('go on when the server is back: nothing acknowledged is lost, and what was under way ends as it should', async () => {
    const { body: kept } = await one.request('POST', '/todos', { body: { title: 'kept', cwd: '/' } });
    const run = { params: { command: waiting('outage-job') }, allow_mutations: true };
    const here = { headers: { 'x-hoody-cwd': one.cwd } };
    const { job_id: job } = (await one.request('POST', '/tools/bash/runAsync', { body: run, ...here })).body;
    await begun(one, 'outage-job');
    const [mine, others] = [await start(one, 'outage-one'), await start(two, 'outage-two')];
    const closing = await one.open({ cwd: '/' });
    const stream = await openChanges(one.baseUrl);
    expect((await stream.next())!.event).toBe('snapshot');

    await server.kill();
    for (const [method, path, body] of [
      ['POST', '/todos', { title: 'lost', cwd: '/' }],
      ['PATCH', `/todos/${kept.todo.id}`, { revision: 1, title: 'lost' }],
      ['POST', '/sessions', { cwd: '/' }],
      ['PUT', '/workflows/lost', { definition: { steps: [{ id: 'a', tool: 't' }] }, expected_absent: true }],
      ['POST', '/tools/list_dir/runAsync', { params: { path: '.' } }],
      ['POST', `/workflows/runs/${mine.run}/cancel`, undefined],
      ['POST', `/sessions/${closing}/workflows/outage-one/runs`, undefined],
      ['POST', `/sessions/${closing}/close`, undefined],
      ['GET', '/todos', undefined],
    ] as const) {
      const answer = await one.request(method, path, body && { body });
      expect([path, answer.status, answer.body.code]).toEqual([path, 503, 'service_unavailable']);
      expect(answer.headers.get('retry-after')).not.toBeNull();
    }
    // A run of a tool needs no list.
    const list = await one.request('POST', '/tools/list_dir/run', { body: { params: { path: '.' } }, ...here });
    expect(list.status).toBe(200);
    for (const [daemon, name] of [
      [one, 'outage-job'],
      [one, 'outage-one'],
      [two, 'outage-two'],
    ] as const) {
      await go(daemon, name);
    }
    await clocks.one.advance(STALE_MS);
    expect((await one.request('GET', '/changes')).body.unavailable).toHaveProperty('todos');
    await clocks.one.advance(UPKEEP_MS);

    await server.start();
    // So long was the server away that every lease has run out: who is back first takes nothing from the others.
    const admin = new pg.Client(server.url);
    await admin.connect();
    await admin.query('update daemons set expires_at = 0');
    await admin.end();
    await until(async () => {
      await clocks.one.advance(UPKEEP_MS);
      return !(await two.request('GET', `/sessions/${closing}`)).body.session.live_elsewhere;
    });
    expect((await attach(one, others.session)).body.code).toBe('session_held');
    for (const { run: id } of [mine, others]) {
      await until(async () => {
        await Promise.all([clocks.one.advance(STALE_MS), clocks.two.advance(STALE_MS)]);
        return (await runOf(one, id)).status !== 'running';
      });
      expect(await runOf(one, id)).toMatchObject({ status: 'completed', current_idx: 2 });
    }
    await until(async () => {
      await clocks.one.advance(UPKEEP_MS);
      return (await two.request('GET', `/jobs/${job}/result`)).body.status === 'succeeded';
    });
    const titles = (await two.request('GET', '/todos')).body.items.map(({ title }: { title: string }) => title);
    expect([titles.includes('kept'), titles.includes('lost')]).toEqual([true, false]);
    // What was closed meanwhile is free for the other, and the stream has told everything since.
    expect((await attach(two, closing)).status).toBe(201);
    const { body: now } = await one.request('GET', '/changes');
    for (let token = ''; token !== now.tokens.sessions;) {
      const { event, data } = (await stream.next())!;
      if (event === 'snapshot') token = data.tokens.sessions;
      else if (event === 'changed' && data.topic === 'sessions') token = data.token;
    }
    stream.leave();
  }, 30_000);
});
