/**
 * Todos over HTTP: the routes, the state machine, whose they are, and every refusal; and that an acknowledged write is
 * there after the daemon was killed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import Sqlite from 'libsql';
import { FakeClock } from '../fakes/clock.js';
import { API, startTestDaemon, type Answer, type TestDaemon } from '../harness.js';

const REALM = 'a'.repeat(24);
const DAY_MS = 24 * 3_600_000;

describe('todos', () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startTestDaemon({ clock });
  });
  afterAll(() => daemon.close());

  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    daemon.request(method, `/todos${path}`, { headers, ...(body === undefined ? {} : { body }) });
  const create = async (body: Record<string, unknown> = {}, headers: Record<string, string> = {}) => {
    const answer = await ask('POST', '', { title: 'x', cwd: daemon.cwd, ...body }, headers);
    expect(answer.status).toBe(201);
    return answer.body.todo;
  };
  const refusal = ({ status, body }: Answer): unknown[] => [status, body.code];

  test('begin in the inbox, numbered, with what was given and defaults for the rest', async () => {
    const todo = await create({ title: 'Rotate the key', body: 'soon', priority: 1, tags: ['ops', 'ops', 'keys'] });
    expect(todo).toEqual({
      id: expect.stringMatching(/^todo_/),
      num: 1,
      revision: 1,
      title: 'Rotate the key',
      body: 'soon',
      state: 'inbox',
      priority: 1,
      rank: 0,
      tags: ['ops', 'keys'],
      cwd: daemon.cwd,
      realm: 'global',
      comment_count: 0,
      attempts: 0,
      needs_human: false,
      last_activity: '2026-01-01T00:00:00.000Z',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
    expect(await create()).toMatchObject({ num: 2, body: '', priority: 2, tags: [] });
  });

  test('belong to a folder, named in the body or by the header, that exists', async () => {
    const header = { 'x-hoody-cwd': daemon.cwd };
    expect((await ask('POST', '', { title: 'x' }, header)).body.todo.cwd).toBe(daemon.cwd);
    expect((await ask('POST', '', { title: 'x', cwd: '/' }, header)).body.todo.cwd).toBe('/');
    expect(refusal(await ask('POST', '', { title: 'x' }))).toEqual([400, 'bad_request']);
    expect(refusal(await ask('POST', '', { title: 'x', cwd: 'relative' }))).toEqual([400, 'bad_request']);
    expect(await ask('POST', '', { title: 'x', cwd: '/no/such/folder' })).toMatchObject({
      status: 422,
      body: { code: 'cwd_not_found', message: 'cwd: no such folder' },
    });
  });

  test('keep a timeline of all that happened', async () => {
    const { id } = await create();
    await clock.advance(1_000);
    await ask('PATCH', `/${id}`, { revision: 1, state: 'ready', title: 'y' });
    await ask('POST', `/${id}/messages`, { text: 'a word' });
    await ask('POST', `/${id}/snooze`, { revision: 2, wake_at: '2026-02-01T10:00:00+02:00' });
    await ask('POST', `/${id}/snooze`, { revision: 3, wake_at: '' });
    await ask('POST', `/${id}/archive`, { revision: 4 });
    const { status, body } = await ask('GET', `/${id}`);
    expect(status).toBe(200);
    expect(body.todo).toMatchObject({ revision: 5, title: 'y', state: 'ready', comment_count: 1 });
    const at = new Date(clock.now()).toISOString();
    expect(body.todo).toMatchObject({ archived_at: at, updated_at: at });
    expect(body.todo.wake_at).toBeUndefined();
    expect(body.timeline).toEqual([
      { at: '2026-01-01T00:00:00.000Z', kind: 'created' },
      { at, kind: 'edited', fields: ['state', 'title'], from: 'inbox', to: 'ready' },
      { at, kind: 'commented', text: 'a word' },
      { at, kind: 'snoozed', wake_at: '2026-02-01T08:00:00.000Z' },
      { at, kind: 'snoozed' },
      { at, kind: 'archived' },
    ]);
    for (const [method, path, change] of [
      ['PATCH', '', { revision: 5, title: 'z' }],
      ['POST', '/messages', { text: 'late' }],
      ['POST', '/snooze', { revision: 5, wake_at: '' }],
      ['POST', '/archive', { revision: 5 }],
    ] as const) {
      expect(refusal(await ask(method, `/${id}${path}`, change))).toEqual([400, 'bad_request']);
    }
  });

  test('refuse a change made from a revision that is no longer true, and say which is', async () => {
    const { id } = await create();
    expect((await ask('PATCH', `/${id}`, { revision: 1, rank: -2.5 })).body.todo).toMatchObject({ rank: -2.5 });
    const stale = [
      await ask('PATCH', `/${id}`, { revision: 1, title: 'lost' }),
      await ask('POST', `/${id}/snooze`, { revision: 1, wake_at: '' }),
      await ask('POST', `/${id}/archive`, { revision: 3 }),
    ];
    for (const { status, body } of stale) {
      expect([status, body]).toEqual([
        409,
        {
          code: 'todo_conflict',
          message: 'the todo changed since you read it; read it again',
          details: { current_revision: 2 },
        },
      ]);
    }
    expect((await ask('GET', `/${id}`)).body.todo).toMatchObject({ revision: 2, title: 'x' });
  });

  const STATES = ['inbox', 'ready', 'blocked', 'in_progress', 'review', 'done', 'dropped'];
  /** Those an edit can bring about; the way there from the inbox. */
  const REACHABLE: Record<string, string[]> = {
    inbox: [],
    ready: ['ready'],
    blocked: ['blocked'],
    dropped: ['dropped'],
  };
  const LEGAL: Record<string, string[]> = {
    inbox: ['inbox', 'ready', 'blocked', 'dropped'],
    ready: ['ready', 'blocked', 'dropped', 'inbox'],
    blocked: ['blocked', 'ready', 'inbox', 'dropped'],
    dropped: ['dropped', 'inbox', 'ready'],
  };

  test.each(Object.entries(REACHABLE))('that are %s move where they may, and nowhere else', async (from, way) => {
    for (const to of STATES) {
      const { id } = await create();
      let revision = 1;
      for (const state of way) ({ revision } = (await ask('PATCH', `/${id}`, { revision, state })).body.todo);
      const answer = await ask('PATCH', `/${id}`, { revision, state: to });
      expect([from, to, answer.status]).toEqual([from, to, LEGAL[from]!.includes(to) ? 200 : 400]);
      if (answer.status === 200) expect('closed_at' in answer.body.todo).toBe(to === 'dropped');
    }
  });

  test('are worked on by one session at a time, which gives them back with an outcome', async () => {
    const [mine, theirs] = [await daemon.open(), await daemon.open()];
    const { id } = await create();
    const claim = (session: string, revision?: number): Promise<Answer> =>
      ask('POST', `/${id}/claim`, { session_id: session, ...(revision !== undefined && { revision }) });
    const release = (session: string, body: Record<string, unknown>): Promise<Answer> =>
      ask('POST', `/${id}/release`, { session_id: session, ...body });
    expect(refusal(await claim(mine, 1))).toEqual([400, 'bad_request']); // It is in the inbox.
    await ask('PATCH', `/${id}`, { revision: 1, state: 'ready' });
    expect(refusal(await claim(mine))).toEqual([400, 'bad_request']);
    expect(refusal(await claim(mine, 1))).toEqual([409, 'todo_conflict']);
    expect(refusal(await claim('sess_none', 2))).toEqual([404, 'not_found']);
    const held = (await claim(mine, 2)).body.todo;
    expect(held).toMatchObject({ state: 'in_progress', revision: 3, attempts: 1 });
    expect(Date.parse(held.lease.expires_at) - clock.now()).toBe(30 * 60_000);
    expect(refusal(await claim(theirs, 3))).toEqual([409, 'todo_conflict']);
    expect(refusal(await release(theirs, { outcome: 'done' }))).toEqual([409, 'todo_conflict']);

    await clock.advance(20 * 60_000);
    const again = (await claim(mine)).body.todo;
    expect(again).toMatchObject({ attempts: 1, lease: { session_id: mine, acquired_at: held.lease.acquired_at } });
    expect(Date.parse(again.lease.expires_at) - clock.now()).toBe(30 * 60_000);
    await clock.advance(30 * 60_000);
    const taken = (await claim(theirs, again.revision)).body.todo;
    expect(taken).toMatchObject({ attempts: 2, lease: { session_id: theirs } });

    const asked = (await release(theirs, { outcome: 'blocked', question_for_human: 'Which key?' })).body.todo;
    expect(asked).toMatchObject({ state: 'blocked', needs_human: true, question_for_human: 'Which key?' });
    expect(asked.lease).toBeUndefined();
    const { body } = await ask('PATCH', `/${id}`, { revision: asked.revision, state: 'ready' });
    expect(body.todo).toMatchObject({ state: 'ready', needs_human: false });
    await claim(theirs, body.todo.revision);
    const done = (await release(theirs, { outcome: 'done', summary: 'Both have it.' })).body.todo;
    expect(done).toMatchObject({ state: 'review', attempts: 3 });
    const closed = (await ask('PATCH', `/${id}`, { revision: done.revision, state: 'done' })).body.todo;
    expect(closed).toMatchObject({ state: 'done', closed_at: new Date(clock.now()).toISOString() });
    const { timeline } = (await ask('GET', `/${id}`)).body;
    expect(timeline.at(-2)).toEqual({
      at: new Date(clock.now()).toISOString(),
      kind: 'released',
      session_id: theirs,
      outcome: 'done',
      summary: 'Both have it.',
    });
  });

  test.each([
    ['failed', 'ready'],
    ['cancelled', 'ready'],
    ['blocked', 'blocked'],
    ['done', 'review'],
  ])("whose work %s are %s, and one that a person moves on is nobody's any more", async (outcome, state) => {
    const session = await daemon.open();
    const { id } = await create();
    await ask('PATCH', `/${id}`, { revision: 1, state: 'ready' });
    await ask('POST', `/${id}/claim`, { session_id: session, revision: 2 });
    await daemon.request('POST', `/sessions/${session}/close`);
    const { body } = await ask('POST', `/${id}/release`, { session_id: session, outcome });
    expect(body.todo).toMatchObject({ state, revision: 4 });
    expect(refusal(await ask('POST', `/${id}/release`, { session_id: session, outcome }))).toEqual([
      409,
      'todo_conflict',
    ]);
  });

  test('are listed by filters, in windows, and are found by words', async () => {
    const headers = { 'x-hoody-cwd': join(daemon.folder, 'listing') };
    await mkdir(headers['x-hoody-cwd']);
    const own = async (title: string, more: Record<string, unknown> = {}) =>
      (await ask('POST', '', { title, ...more }, headers)).body.todo;
    await own('low', { priority: 4 });
    const urgent = await own('urgent', { priority: 0, tags: ['ops'], body: 'Änderung' });
    const dropped = await own('dropped', { tags: ['ops', 'old'] });
    await ask('PATCH', `/${dropped.id}`, { revision: 1, state: 'dropped' });
    const archived = await own('archived');
    await ask('POST', `/${archived.id}/archive`, { revision: 1 });
    const titles = async (query: string): Promise<string[]> =>
      (await ask('GET', query, undefined, headers)).body.items.map(({ title }: { title: string }) => title);
    expect(await titles('')).toEqual(['urgent', 'dropped', 'low']);
    expect(await titles('?all=true')).toEqual(['urgent', 'dropped', 'archived', 'low']);
    expect(await titles('?open_only=true')).toEqual(['urgent', 'low']);
    expect(await titles('?states=dropped,done')).toEqual(['dropped']);
    expect(await titles('?tags=ops')).toEqual(['urgent', 'dropped']);
    expect(await titles('?tags=ops,old')).toEqual(['dropped']);
    expect(await titles(`?query=${encodeURIComponent('äNDER')}`)).toEqual(['urgent']);
    expect(await titles(`?query=%23${urgent.num}`)).toEqual(['urgent']);
    expect(await titles('?sort=closed_at')).toEqual(['dropped', 'urgent', 'low']);
    const window = (await ask('GET', '?page=2&limit=2', undefined, headers)).body;
    expect([window.items.map(({ title }: { title: string }) => title), window.meta]).toEqual([
      ['low'],
      { total: 3, page: 2, limit: 2 },
    ]);
    const { revision } = (await ask('GET', '/revision', undefined, headers)).body;
    expect(window.revision).toBe(revision);
    await own('one more');
    expect((await ask('GET', '/revision', undefined, headers)).body.revision).toBeGreaterThan(revision);
    for (const bad of [
      '?states=open',
      '?states=',
      '?tags=a%20b',
      '?sort=rank',
      '?limit=1001',
      '?page=0',
      '?state=inbox',
    ]) {
      expect([bad, ...refusal(await ask('GET', bad))]).toEqual([bad, 400, 'bad_request']);
    }
  });

  test('of another realm, or unknown, are answered alike and never listed', async () => {
    const header = { 'x-hoody-realm': REALM };
    const theirs = await create({}, header);
    expect(theirs).toMatchObject({ num: 1, realm: REALM });
    const paths = [theirs.id, 'todo_none'];
    const answers = await Promise.all(
      paths.flatMap((id) => [
        ask('GET', `/${id}`),
        ask('PATCH', `/${id}`, { revision: 1 }),
        ask('POST', `/${id}/messages`, { text: 'x' }),
        ask('POST', `/${id}/snooze`, { revision: 1, wake_at: '' }),
        ask('POST', `/${id}/archive`, { revision: 1 }),
      ]),
    );
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([404, { code: 'not_found', message: 'resource not found' }]);
    }
    const listed = (await ask('GET', '?all=true')).body.items.map(({ id }: { id: string }) => id);
    expect(listed).not.toContain(theirs.id);
    expect((await ask('GET', '', undefined, header)).body.items).toHaveLength(1);
    expect((await ask('GET', '?realm=' + REALM)).body.items).toHaveLength(1);
  });

  test.each<[string, string, string, unknown, Record<string, string>?]>([
    ['a title that is empty', 'POST', '', { title: '', cwd: '/' }],
    ['a title of more than a thousand characters', 'POST', '', { title: 'x'.repeat(1_001), cwd: '/' }],
    ['a priority there is not', 'POST', '', { title: 'x', cwd: '/', priority: 5 }],
    ['a tag with a comma', 'POST', '', { title: 'x', cwd: '/', tags: ['a,b'] }],
    ['a member it does not know', 'POST', '', { title: 'x', cwd: '/', owner: 'me' }],
    ['a patch without a revision', 'PATCH', '/todo_x', { title: 'x' }],
    ['a state there is not', 'PATCH', '/todo_x', { revision: 1, state: 'open' }],
    ['a comment without text', 'POST', '/todo_x/messages', { text: '' }],
    ['a time without an offset', 'POST', '/todo_x/snooze', { revision: 1, wake_at: '2026-02-01T10:00:00' }],
    ['an hour there is not', 'POST', '/todo_x/snooze', { revision: 1, wake_at: '2026-02-28T24:00:00Z' }],
    ['a day there is not', 'POST', '/todo_x/snooze', { revision: 1, wake_at: '2026-02-30T10:00:00Z' }],
    ['a year of five digits', 'POST', '/todo_x/snooze', { revision: 1, wake_at: '9999-12-31T23:59:59-01:00' }],
    ['a year before all others', 'POST', '/todo_x/snooze', { revision: 1, wake_at: '0000-01-01T00:00:00+01:00' }],
    ['a number that is read as infinite', 'PATCH', '/todo_x', '{"revision":1,"rank":1e999}'],
    ['a container', 'POST', '', { title: 'x', cwd: '/' }, { 'x-hoody-container': 'c' }],
  ])('refuse %s', async (_what, method, path, body, headers = {}) => {
    expect(refusal(await ask(method, path, body, headers))).toEqual([400, 'bad_request']);
  });

  test('keep text that is no Unicode, also in tags that no column can tell apart', async () => {
    const given = { title: 'a\0\ud800', body: '\udfff', tags: ['\ud800', '\udfff', '\ufffd'] };
    const { id } = await create(given);
    expect((await ask('GET', `/${id}`)).body.todo).toMatchObject(given);
  });

  test('are claimed for a run with a name that is one', async () => {
    const { id } = await create();
    await ask('PATCH', `/${id}`, { revision: 1, state: 'ready' });
    const claim = { session_id: await daemon.open(), revision: 2, run_id: 'x'.repeat(201) };
    expect(refusal(await ask('POST', `/${id}/claim`, claim))).toEqual([400, 'bad_request']);
  });

  test('are erased ninety days after they were archived, those of the scope alone', async () => {
    const cwd = join(daemon.folder, 'purging');
    await mkdir(cwd);
    const purge = async (): Promise<unknown> => (await ask('POST', '/purge', undefined, { 'x-hoody-cwd': cwd })).body;
    const old = await create({ cwd });
    const kept = await create({ cwd });
    const elsewhere = await create();
    for (const { id } of [old, elsewhere]) await ask('POST', `/${id}/archive`, { revision: 1 });
    await clock.leap(90 * DAY_MS);
    expect(await purge()).toEqual({ status: 'ok', purged: 0 });
    await clock.advance(1);
    expect(await purge()).toEqual({ status: 'ok', purged: 1 });
    expect((await ask('GET', `/${old.id}`)).status).toBe(404);
    for (const { id } of [kept, elsewhere]) expect((await ask('GET', `/${id}`)).status).toBe(200);
  });

  test('answer 503 while the database is held, change nothing, and go on afterwards', async () => {
    const { id } = await create();
    const other = new Sqlite(join(daemon.dataDir, 'lists.sqlite'));
    other.exec('begin immediate');
    const refused = await ask('PATCH', `/${id}`, { revision: 1, title: 'not yet' });
    expect(refusal(refused)).toEqual([503, 'service_unavailable']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await ask('GET', `/${id}`)).body.todo.title).toBe('x');
    other.exec('rollback');
    other.close();
    expect((await ask('PATCH', `/${id}`, { revision: 1, title: 'now' })).status).toBe(200);
  });

  describe('as a session has them in its tools', () => {
    const run = async (session: string, tool: string, params: Record<string, unknown>): Promise<any> =>
      (await daemon.request('POST', `/sessions/${session}/tools/${tool}/run`, { body: { params } })).body;
    const write = async (session: string, params: Record<string, unknown>) => {
      const { ok, output } = await run(session, 'todo_write', params);
      return ok ? JSON.parse(output) : output;
    };
    const read = async (session: string, params: Record<string, unknown> = {}) =>
      JSON.parse((await run(session, 'todo_read', params)).output);
    const openIn = async (name: string, body: Record<string, unknown> = {}): Promise<string> => {
      const cwd = join(daemon.folder, name);
      await mkdir(cwd, { recursive: true });
      const session = await daemon.open({ cwd, ...body });
      await daemon.request('PATCH', `/sessions/${session}/yolo`, { body: { enabled: true } });
      return session;
    };

    test('are those of its realm and folder, and the API shows the same', async () => {
      const [own, elsewhere, other] = [
        await openIn('tools'),
        await openIn('elsewhere'),
        await openIn('tools', { realm: REALM }),
      ];
      const made = await write(own, { action: 'create', title: 'From a tool', tags: ['ai'], priority: 0 });
      expect(made).toMatchObject({ state: 'inbox', revision: 1, priority: 0, title: 'From a tool', tags: ['ai'] });
      expect(await read(own, { tags: ['ai'], query: 'from A' })).toEqual({ total: 1, todos: [made] });
      for (const session of [elsewhere, other]) expect(await read(session)).toEqual({ total: 0, todos: [] });
      expect((await ask('GET', `/${made.id}`)).body.todo).toMatchObject({ title: 'From a tool', revision: 1 });
      const hidden = await run(other, 'todo_read', { id: made.id });
      expect(hidden).toMatchObject({ is_error: true, output: 'there is no todo of that id' });
    });

    test('go from the inbox to review, each change from the revision that was read', async () => {
      const session = await openIn('at-work');
      const { id } = await write(session, { action: 'create', title: 'Work', body: 'All of it.' });
      expect(await write(session, { action: 'update', id, revision: 1, state: 'ready' })).toMatchObject({
        revision: 2,
      });
      expect(await write(session, { action: 'update', id, revision: 1, title: 'late' })).toMatch(
        /nothing was changed.*at revision 2 now; read it again with todo_read/,
      );
      const claimed = await write(session, { action: 'claim', id, revision: 2 });
      expect(claimed).toMatchObject({ state: 'in_progress', claimed_by: session });
      await write(session, { action: 'comment', id, text: 'y'.repeat(5_000) });
      const asked = await write(session, { action: 'release', id, outcome: 'done', question: 'Good?' });
      expect(asked).toMatchObject({ state: 'review', question: 'Good?', comments: 1 });
      const whole = await read(session, { id });
      expect(whole).toMatchObject({ body: 'All of it.', earlier_events: 0 });
      expect(whole.timeline.map(({ kind }: { kind: string }) => kind)).toEqual([
        'created',
        'edited',
        'claimed',
        'commented',
        'released',
      ]);
      expect(whole.timeline[3].text).toHaveLength(4_000);
      expect(await write(session, { action: 'archive', id, revision: 4 })).toMatchObject({ archived: true });
      expect(await read(session, { states: ['review'] })).toEqual({ total: 0, todos: [] });
    });

    test('are changed only with a permission, and what is missing or impossible is told', async () => {
      const session = await daemon.open();
      const call = { params: { action: 'create', title: 'x' } };
      const asked = await daemon.request('POST', `/sessions/${session}/tools/todo_write/run`, { body: call });
      expect(refusal(asked)).toEqual([409, 'tool_needs_confirmation']);
      const { items } = (await daemon.request('GET', '/tools')).body;
      const access = items.filter(({ name }: { name: string }) => name.startsWith('todo_'));
      expect(access.map((tool: any) => [tool.name, tool.read_only])).toEqual([
        ['todo_read', true],
        ['todo_write', false],
      ]);
      const yolo = await openIn('refused');
      expect(await write(yolo, { action: 'update', title: 'x' })).toBe('update needs id and revision');
      const { id } = await write(yolo, { action: 'create', title: 'x' });
      expect(await write(yolo, { action: 'update', id, revision: 1, state: 'done' })).toMatch(/cannot become done/);
      const bare = (body: Record<string, unknown>) =>
        daemon.request('POST', '/tools/todo_write/run', { body, headers: { 'x-hoody-cwd': daemon.cwd } });
      expect(refusal(await bare(call))).toEqual([400, 'tool_mutation_refused']);
      expect((await bare({ ...call, allow_mutations: true })).body.ok).toBe(true);
      const claim = await bare({ params: { action: 'claim', id, revision: 1 }, allow_mutations: true });
      expect(claim.body).toMatchObject({ is_error: true, output: expect.stringContaining('this run has none') });
    });
  });
});

describe('a daemon that is killed, or has no room', () => {
  const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agentd-killed-'));
    await writeFile(join(folder, 'token'), 't');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** `before` are shell commands that narrow what the daemon may use. */
  const start = async (data: string, before = 'true') => {
    const args = [main, 'serve', '--port', '0', '--data-dir', join(folder, data)];
    const child = spawn('sh', ['-c', `${before} && exec "$0" "$@"`, process.execPath, ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [, baseUrl] = await new Promise<RegExpExecArray>((resolve, reject) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const line = /listening on (http:\S+)/.exec(text);
        if (line) resolve(line);
      });
      child.once('exit', () => reject(new Error('the daemon did not start')));
    });
    return { child, url: baseUrl + API };
  };

  test('has every todo and session it acknowledged, and its tokens, when it is started again', async () => {
    const { child, url } = await start('data');
    const acknowledged = { todos: [] as string[], sessions: [] as string[] };
    const write = async (path: 'todos' | 'sessions', body: object): Promise<boolean> => {
      try {
        const answer = await fetch(`${url}/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ cwd: folder, ...body }),
        });
        const { session_id: session, todo } = (await answer.json()) as { session_id: string; todo: { id: string } };
        acknowledged[path].push(session ?? todo.id);
        return true;
      } catch {
        return false; // Killed meanwhile: nothing was acknowledged.
      }
    };
    const writers = [0, 1, 2, 3].map(async (writer) => {
      while (await write(writer === 3 ? 'sessions' : 'todos', writer === 3 ? {} : { title: `from ${writer}` }));
    });
    while (acknowledged.todos.length < 40) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await Promise.all(writers);

    const again = await start('data');
    const get = async (path: string): Promise<any> => (await fetch(again.url + path)).json();
    const ids = async (path: string): Promise<string[]> => (await get(path)).items.map(({ id }: { id: string }) => id);
    const lost = async (path: 'todos' | 'sessions'): Promise<string[]> => {
      const listed = new Set(await ids(`/${path}`));
      return acknowledged[path].filter((id) => !listed.has(id));
    };
    expect([await lost('todos'), await lost('sessions')]).toEqual([[], []]);
    const [before, after] = [await get('/changes'), await get('/changes')];
    expect(after).toEqual(before);
    again.child.kill('SIGTERM');
    await new Promise((resolve) => again.child.once('exit', resolve));
  });

  test('answers 503 when the disk is full, keeps what it acknowledged, and still shows it', async () => {
    // As many blocks as a file may have: the database fits, and not much more.
    const { child, url } = await start('narrow', 'ulimit -f 800');
    const create = (): Promise<Response> =>
      fetch(`${url}/todos`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ title: 'x', body: 'x'.repeat(20_000), cwd: folder }),
      });
    let acknowledged = 0;
    let answer = await create();
    for (; answer.status === 201; answer = await create()) acknowledged += 1;
    expect(acknowledged).toBeGreaterThan(0);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(((await answer.json()) as { code: string }).code).toBe('service_unavailable');
    const { meta, items } = (await (await fetch(`${url}/todos`)).json()) as {
      meta: { total: number };
      items: unknown[];
    };
    expect([meta.total, items.length]).toEqual([acknowledged, acknowledged]);
    expect((await create()).status).toBe(503);
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });
});
