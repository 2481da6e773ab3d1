/**
 * Runs in the background, over HTTP against a real daemon: what is accepted, how each outcome is told, canceling,
 * forgetting, restarts and many at once.
 */
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import Sqlite from 'libsql';
import type { JobRecord } from '../../src/domain/job.js';
import type { JsonObject } from '../../src/domain/json.js';
import type { Store } from '../../src/ports.js';
import { Jobs } from '../../src/services/jobs.js';
import { openStore } from '../../src/store/store.js';
import { systemIds } from '../../src/system.js';
import { FakeClock } from '../fakes/clock.js';
import { startTestDaemon, writeJson, type Answer, type TestDaemon } from '../harness.js';
import { until } from '../processes.js';

const HOUR_MS = 3_600_000;

let daemon: TestDaemon;
let cwd: string;

beforeAll(async () => {
  daemon = await startTestDaemon();
  ({ cwd } = daemon);
  await writeFile(join(cwd, 'a.txt'), 'alpha\n');
});
afterAll(() => daemon.close());

type Body = Record<string, unknown>;
const start = (tool: string, body: Body = {}, more: Record<string, string> = {}, query = ''): Promise<Answer> =>
  daemon.request('POST', `/tools/${tool}/runAsync${query}`, { body, headers: { 'x-hoody-cwd': cwd, ...more } });
const idOf = async (tool: string, body: Body = {}): Promise<string> => {
  const answer = await start(tool, body);
  expect([answer.status, Object.keys(answer.body)]).toEqual([202, ['job_id']]);
  return answer.body.job_id;
};
const resultOf = async (id: string, of = daemon): Promise<Answer['body']> =>
  (await of.request('GET', `/jobs/${id}/result`)).body;
const over = async (id: string, of = daemon): Promise<Answer['body']> => {
  await until(async () => !['pending', 'running'].includes((await resultOf(id, of)).status));
  return resultOf(id, of);
};

/** A shell line that goes on until its file is there, and says so in another. */
const waiting = (name: string): Body => ({
  params: { command: `touch ${name}.begun; until [ -e ${name}.go ]; do sleep 0.02; done; echo ${name} went` },
  allow_mutations: true,
});
const begun = (name: string): Promise<void> => until(() => existsSync(join(cwd, `${name}.begun`)));

describe('a job', () => {
  test('is accepted at once and ends with what the plain run would have answered', async () => {
    const id = await idOf('read_file', { params: { path: 'a.txt' } });
    expect(id).toMatch(/^job_[0-9a-f]{32}$/);
    const plain = await daemon.request('POST', '/tools/read_file/run', {
      body: { params: { path: 'a.txt' } },
      headers: { 'x-hoody-cwd': cwd },
    });
    expect(await over(id)).toEqual({ status: 'succeeded', result: plain.body, error: null });
    const { body } = await daemon.request('GET', `/jobs/${id}`);
    expect(body).toEqual({
      job_id: id,
      kind: 'tool.run_gated',
      status: 'succeeded',
      result: plain.body,
      error: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
  });

  test('says only how far it is while it runs', async () => {
    const id = await idOf('bash', waiting('slow'));
    await begun('slow');
    expect(await resultOf(id)).toEqual({ status: 'running' });
    expect((await daemon.request('GET', `/jobs/${id}`)).body).toMatchObject({ result: null, error: null });
    await writeFile(join(cwd, 'slow.go'), '');
    expect(await over(id)).toMatchObject({
      status: 'succeeded',
      result: { output: expect.stringContaining('slow went') },
    });
  });

  const refused: [string, string, Body, string][] = [
    ['an unknown tool', 'nothing', {}, 'tool_not_found'],
    ['a mutation without a permission', 'write_file', { params: { path: 'b', content: 'x' } }, 'tool_mutation_refused'],
    ['params the tool does not take', 'read_file', { params: { path: 3 } }, 'bad_request'],
  ];
  test.each(refused)('that is %s has failed with the error of the plain run', async (_what, tool, body, code) => {
    const { status, result, error } = await over(await idOf(tool, body));
    expect([status, result, error.code]).toEqual(['failed', null, code]);
  });

  test('whose tool fails has succeeded, with that result', async () => {
    expect(await over(await idOf('read_file', { params: { path: 'missing' } }))).toMatchObject({
      status: 'succeeded',
      result: { ok: false, is_error: true, error_code: 'tool_error' },
      error: null,
    });
  });

  test('that has to be confirmed has failed with the token, which a second job redeems', async () => {
    const params = { path: '.env', content: 'x' };
    const { status, error } = await over(await idOf('write_file', { params, allow_mutations: true }));
    expect([status, error.code, error.details.tool, error.details.params]).toEqual([
      'failed',
      'tool_needs_confirmation',
      'write_file',
      params,
    ]);
    const confirmed = { params, confirm: true, confirm_token: error.details.confirm_token };
    expect(await over(await idOf('write_file', confirmed))).toMatchObject({
      status: 'succeeded',
      result: { ok: true },
    });
    expect(await over(await idOf('write_file', confirmed))).toMatchObject({ status: 'failed' });
  });

  test('is not accepted when the request itself is wrong', async () => {
    const coded = ({ status, body }: Answer): unknown => [status, body.code];
    expect(coded(await start('read_file', { params: 'a' }))).toEqual([400, 'bad_request']);
    expect(coded(await start('read_file', { confirm: true }, {}, '?confirm=false'))).toEqual([400, 'bad_request']);
    expect(coded(await start('read_file', {}, { 'x-hoody-cwd': join(cwd, 'nowhere') }))).toEqual([400, 'bad_request']);
    expect(coded(await start('read_file', {}, { 'x-hoody-realm': 'global' }))).toEqual([
      400,
      'realm_scope_unsupported',
    ]);
  });

  test('that is unknown is 404 on every route', async () => {
    for (const [method, path] of [
      ['GET', '/jobs/job_0'],
      ['GET', '/jobs/job_0/result'],
      ['DELETE', '/jobs/job_0'],
    ] as const) {
      const { status, body } = await daemon.request(method, path);
      expect([status, body]).toEqual([404, { code: 'not_found', message: 'resource not found' }]);
    }
  });
});

describe('deleting a job', () => {
  test('cancels it while it runs, its process ends, and it stays canceled', async () => {
    const id = await idOf('bash', waiting('doomed'));
    await begun('doomed');
    const answer = await daemon.request('DELETE', `/jobs/${id}`);
    expect(answer.body).toEqual({ status: 'ok', canceled: true });
    await writeFile(join(cwd, 'doomed.go'), '');
    const next = await idOf('bash', { params: { command: 'echo after' }, allow_mutations: true });
    await over(next);
    expect(await resultOf(id)).toEqual({ status: 'canceled', result: null, error: null });
  });

  test('removes its record when it is over', async () => {
    const id = await idOf('read_file', { params: { path: 'a.txt' } });
    await over(id);
    expect((await daemon.request('DELETE', `/jobs/${id}`)).body).toEqual({ status: 'ok', deleted: true });
    expect((await daemon.request('GET', `/jobs/${id}`)).status).toBe(404);
  });
});

test('two hundred jobs at once all end, and each as its own', async () => {
  const ids = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      idOf('bash', { params: { command: `echo number ${n}` }, allow_mutations: true }),
    ),
  );
  expect(new Set(ids).size).toBe(200);
  for (const [n, id] of ids.entries()) {
    expect(await over(id)).toMatchObject({
      status: 'succeeded',
      result: { output: expect.stringMatching(`number ${n}\n`) },
    });
  }
}, 60_000);

describe('over a restart', () => {
  test('what is over stays, what ran has failed as interrupted, and its process is gone', async () => {
    const dataDir = join(daemon.folder, 'second-data');
    const first = await startTestDaemon({ config: { dataDir } });
    const post = async (tool: string, body: Body): Promise<string> =>
      (await first.request('POST', `/tools/${tool}/runAsync`, { body, headers: { 'x-hoody-cwd': cwd } })).body.job_id;
    const finished = await post('read_file', { params: { path: 'a.txt' } });
    const kept = await over(finished, first);
    const cut = await post('bash', waiting('cut'));
    await begun('cut');
    await first.close();

    const second = await startTestDaemon({ config: { dataDir } });
    try {
      expect(await resultOf(finished, second)).toEqual(kept);
      const { status, result, error } = await resultOf(cut, second);
      expect([status, result, error.code]).toEqual(['failed', null, 'interrupted']);
    } finally {
      await second.close();
    }
  });
});

describe('what is kept', () => {
  const record = (id: string, more: Partial<JobRecord> = {}): JobRecord => ({
    id,
    kind: 'tool.run_gated',
    account: 'local',
    status: 'succeeded',
    result: { ok: true, output: '' },
    error: null,
    createdAt: 0,
    updatedAt: 0,
    ...more,
  });
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const opened: Store[] = [];
  const open = async (clock: FakeClock, sqlitePath = join(cwd, `${systemIds.ulid()}.sqlite`)) => {
    const store = await openStore({ url: null, sqlitePath, ids: systemIds, logger, run: { id: systemIds.ulid() } });
    opened.push(store);
    return { store, sqlitePath, jobs: new Jobs({ clock, ids: systemIds, store: store.jobs, logger }) };
  };
  afterAll(async () => {
    for (const store of opened) await store.close();
  });
  const work = (): Promise<JsonObject> => Promise.resolve({ ok: true });
  const untilAborted = (signal: AbortSignal): Promise<JsonObject> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve({})));
  const statusOf = async (jobs: Jobs, id: string): Promise<string> => (await jobs.get(id, 'local')).status;

  test('a job that was running when the daemon was killed has failed, and another account does not find it', async () => {
    const clock = new FakeClock();
    const first = await open(clock);
    const id = await first.jobs.start('tool.run_gated', 'local', untilAborted);
    const { jobs } = await open(clock, first.sqlitePath);
    expect(await jobs.get(id, 'local')).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
    await expect(jobs.get(id, 'another account')).rejects.toThrow('resource not found');
    // Whatever the run still comes to.
    await first.jobs.close();
    expect(await jobs.get(id, 'local')).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
  });

  test('jobs that an earlier version kept in files are taken over, and what cannot be read stays', async () => {
    const dataDir = join(daemon.folder, 'old-data');
    const put = async (name: string, job: unknown): Promise<void> =>
      writeJson(join(dataDir, 'jobs', name), typeof job === 'string' ? job : JSON.stringify(job));
    const now = Date.now();
    await put('job_a.json', record('job_a', { updatedAt: now }));
    await put('job_b.json', record('job_b', { status: 'running', result: null, updatedAt: now }));
    await put('job_c.json', '{"id":');
    await put('job_d.json.draft', '{');
    const newer = await startTestDaemon({ config: { dataDir } });
    expect(await resultOf('job_a', newer)).toEqual({
      status: 'succeeded',
      result: { ok: true, output: '' },
      error: null,
    });
    expect(await resultOf('job_b', newer)).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
    expect(await readdir(join(dataDir, 'jobs'))).toEqual(['job_c.json']);
    await newer.close();
  });

  test('a job is forgotten an hour after its end', async () => {
    const clock = new FakeClock();
    const { jobs, store } = await open(clock);
    const id = await jobs.start('tool.run_gated', 'local', work);
    await until(async () => (await statusOf(jobs, id)) === 'succeeded');
    await clock.advance(HOUR_MS - 1);
    expect(await statusOf(jobs, id)).toBe('succeeded');
    await clock.advance(1);
    await expect(jobs.get(id, 'local')).rejects.toThrow('resource not found');
    await jobs.tend();
    expect(await store.jobs.find(id)).toBeUndefined();
  });

  test('beyond a thousand finished jobs the oldest goes', async () => {
    const clock = new FakeClock();
    const { jobs, store } = await open(clock);
    for (let n = 0; n < 1_000; n += 1) await store.jobs.add(record(`job_${n}`, { updatedAt: clock.now() - 2_000 + n }));
    const id = await jobs.start('tool.run_gated', 'local', work);
    await until(async () => (await statusOf(jobs, id)) === 'succeeded');
    await until(async () => (await store.jobs.find('job_0')) === undefined);
    expect(await statusOf(jobs, 'job_1')).toBe('succeeded');
  });

  test('outcomes that are too large together go, the oldest first, and never the last', async () => {
    const { store } = await open(new FakeClock());
    for (const n of [1, 2, 3])
      await store.jobs.add(record(`job_${n}`, { updatedAt: n, result: { output: 'x'.repeat(500) } }));
    const kept = async (chars: number): Promise<boolean[]> => {
      await store.jobs.prune({ endedBefore: 0, count: 10, chars });
      return Promise.all([1, 2, 3].map(async (n) => (await store.jobs.find(`job_${n}`)) !== undefined));
    };
    expect(await kept(5_000)).toEqual([true, true, true]);
    expect(await kept(1_500)).toEqual([false, true, true]);
    expect(await kept(10)).toEqual([false, false, true]);
  });

  test('when a thousand jobs wait or run the next is refused for now', async () => {
    const { jobs } = await open(new FakeClock());
    const started = Array.from({ length: 1_000 }, () => jobs.start('tool.run_gated', 'local', untilAborted));
    await expect(jobs.start('tool.run_gated', 'local', untilAborted)).rejects.toThrow('service unavailable');
    await Promise.all(started);
    await jobs.close();
  });

  test('a job that cannot be stored is refused, and an outcome that cannot is told and stored later', async () => {
    const clock = new FakeClock();
    const { jobs, store, sqlitePath } = await open(clock);
    let finish = (): void => undefined;
    const id = await jobs.start(
      'tool.run_gated',
      'local',
      () => new Promise((resolve) => (finish = () => resolve({ ok: true }))),
    );
    const other = new Sqlite(sqlitePath);
    other.exec('begin immediate');
    await expect(jobs.start('tool.run_gated', 'local', work)).rejects.toMatchObject({ code: 'service_unavailable' });
    finish();
    await until(async () => (await statusOf(jobs, id)) === 'succeeded');
    await expect(jobs.tend()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect((await store.jobs.find(id))?.status).toBe('running');
    other.exec('rollback');
    other.close();
    await jobs.tend();
    await until(async () => (await store.jobs.find(id))?.status === 'succeeded');
  });
});
