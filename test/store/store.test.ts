/**
 * The store, the same sentences against SQLite and against a PostgreSQL server of our own; and what each says when it
 * cannot be used.
 */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import Sqlite from 'libsql';
import pg from 'pg';
import { planArchive, planComment, planCreate, planUpdate, type Todo, type TodoFilter } from '../../src/domain/todo.js';
import type { StoredSession } from '../../src/domain/session.js';
import type { ListScope } from '../../src/domain/topics.js';
import type { Workflow } from '../../src/domain/workflow.js';
import { afterStep, endedRun, type WorkflowRunDetail } from '../../src/domain/workflow-run.js';
import type { Logger, Store } from '../../src/ports.js';
import { countsOf } from '../../src/store/counters.js';
import { answered } from '../../src/store/database-errors.js';
import { Kysely, PostgresDialect, sql, SqliteDialect } from '../../src/store/kysely.js';
import { migrate, MIGRATIONS, type Database } from '../../src/store/schema.js';
import { SqliteFile } from '../../src/store/sqlite-file.js';
import { openStore } from '../../src/store/store.js';
import { TodoTable } from '../../src/store/todo-table.js';
import { WorkflowRunTable } from '../../src/store/workflow-run-table.js';
import { systemIds } from '../../src/system.js';
import { until } from '../processes.js';
import { startPostgres, whyNoPostgres, type PostgresServer } from './postgres.js';
import { STEP_ENDED, workflowRun } from './workflow-run.js';

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const HERE: ListScope = { account: 'anna', realm: 'global' };
const EVERYTHING = { page: 1, limit: 0 };
const NO_FILTER: TodoFilter = {
  states: [],
  tags: [],
  text: undefined,
  openOnly: false,
  archived: false,
  sort: 'default',
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentd-store-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const whyNot = whyNoPostgres();
if (whyNot !== undefined) console.warn(`PostgreSQL is left out: ${whyNot}`);

describe.each(['SQLite', 'PostgreSQL'] as const)('work lists in %s', (kind) => {
  const it = kind === 'PostgreSQL' && whyNot !== undefined ? test.skip : test;
  let server: PostgresServer | undefined;
  let store: Store;
  let accounts = 0;
  let mine: ListScope;

  const open = (): Promise<Store> =>
    openStore({
      url: server?.url ?? null,
      sqlitePath: join(folder, 'lists.sqlite'),
      ids: systemIds,
      logger: silent,
      run: { id: systemIds.ulid() },
    });
  /** A database of that name without a schema, and the two ways to open it. */
  const emptyDatabase = async (name: string) => {
    const sqlitePath = join(folder, `${name}.sqlite`);
    const url = server?.url.replace('/postgres?', `/${name}?`) ?? null;
    if (server) {
      const admin = new pg.Client(server.url);
      await admin.connect();
      await admin.query(`create database ${name}`);
      await admin.end();
    }
    return {
      open: async (): Promise<Database> => {
        if (url === null)
          return new Kysely({ dialect: new SqliteDialect({ database: new SqliteFile(sqlitePath, []) }) });
        const pool = new pg.Pool({ connectionString: url });
        return new Kysely({ dialect: new PostgresDialect({ pool }) });
      },
      openStore: () => openStore({ url, sqlitePath, ids: systemIds, logger: silent, run: { id: systemIds.ulid() } }),
    };
  };
  const reopen = async (): Promise<void> => {
    await store.close();
    store = await open();
  };

  beforeAll(async () => {
    if (kind === 'PostgreSQL' && whyNot === undefined) server = await startPostgres();
    if (kind === 'SQLite' || server) store = await open();
  }, 60_000);
  afterAll(async () => {
    await store?.close();
    await server?.stop();
  });
  beforeEach(() => {
    mine = { account: `account-${(accounts += 1)}`, realm: 'global' };
  });

  const todo = (title: string, more: Partial<Todo> & { at?: number } = {}) => ({
    ...planCreate(
      {
        id: `todo_${systemIds.ulid()}`,
        account: mine.account,
        realm: mine.realm,
        cwd: '/work',
        configDir: null,
        title,
        body: undefined,
        priority: undefined,
        tags: undefined,
      },
      more.at ?? 1,
    ),
    ...more,
  });
  const titles = async (filter: Partial<TodoFilter> = {}, scope = mine): Promise<string[]> =>
    (await store.todos.list(scope, { ...NO_FILTER, ...filter }, EVERYTHING)).items.map(({ title }) => title);
  const session = (more: Partial<StoredSession['posture']> = {}): StoredSession => ({
    posture: {
      sessionId: `sess_${systemIds.ulid()}`,
      account: mine.account,
      realm: mine.realm,
      cwd: '/work',
      configDir: null,
      toolMode: 'full',
      dirScope: 'home',
      headless: false,
      agent: null,
      workspaceId: '0'.repeat(24),
      ...more,
    },
    name: 'a session',
    startedAt: 1,
    lastRequestAt: 2,
  });

  it('keeps its identity, its lists and its counts over a restart', async () => {
    const kept = await store.todos.insert(todo('kept'));
    const record = session();
    await store.sessions.insert(record);
    await store.sessions.release(record);
    const { id } = store;
    const counts = await store.counts(mine);
    await reopen();
    expect(store.id).toBe(id);
    expect(await store.counts(mine)).toEqual(counts);
    expect(await store.todos.find(kept.id)).toEqual(kept);
    expect(await store.sessions.find(record.posture.sessionId)).toEqual({ ...record, isHeldElsewhere: false });
  });

  it('gives every text back as it was, whatever is in it', async () => {
    const odd = fc.string({
      unit: fc.oneof(fc.constantFrom('\0', '\ud800', '\udfff', "'", '\\', '%', '"', '🦆', '\r\n'), fc.string()),
    });
    await fc.assert(
      fc.asyncProperty(odd, odd, odd, async (title, body, cwd) => {
        const made = await store.todos.insert(todo(title, { body, cwd: `/${cwd.replaceAll('\0', '')}` }));
        expect(await store.todos.find(made.id)).toEqual(made);
        const commented = await store.todos.update(made.id, mine, (now) => planComment(now!, body, 2));
        expect((await store.todos.timeline(commented.id)).at(-1)).toEqual({ at: 2, kind: 'commented', text: body });
        const record = { ...session({ cwd: `/${cwd.replaceAll('\0', '')}` }), name: title };
        await store.sessions.insert(record);
        expect(await store.sessions.find(record.posture.sessionId)).toEqual({ ...record, isHeldElsewhere: false });
      }),
      { numRuns: 60 },
    );
  });

  it('numbers the todos of an account and realm, and of no other', async () => {
    const first = await store.todos.insert(todo('one'));
    const elsewhere = await store.todos.insert(todo('elsewhere', { realm: '0'.repeat(24) }));
    const second = await store.todos.insert(todo('two'));
    expect([first.num, second.num, elsewhere.num]).toEqual([1, 2, 1]);
  });

  it('lists by priority, rank and number, or the last closed first', async () => {
    await store.todos.insert(todo('later', { priority: 3 }));
    await store.todos.insert(todo('second', { priority: 1, rank: 0.5 }));
    await store.todos.insert(todo('first', { priority: 1, rank: -1.25 }));
    await store.todos.insert(todo('third', { priority: 1, rank: 0.5 }));
    expect(await titles()).toEqual(['first', 'second', 'third', 'later']);
    await store.todos.insert(todo('closed', { state: 'done', closedAt: 5 }));
    await store.todos.insert(todo('closed last', { state: 'dropped', closedAt: 6 }));
    expect((await titles({ sort: 'closed_at' })).slice(0, 2)).toEqual(['closed last', 'closed']);
    expect(await titles({ openOnly: true })).toEqual(['first', 'second', 'third', 'later']);
    expect(await titles({ states: ['done', 'dropped'] })).toEqual(['closed', 'closed last']);
  });

  it('finds text whatever its case, takes no letter for a wildcard, and wants every tag', async () => {
    await store.todos.insert(todo('Straße 100%', { body: 'ÄPFEL', tags: ['fruit', 'ops'] }));
    await store.todos.insert(todo('another_thing', { tags: ['ops'] }));
    expect(await titles({ text: 'äpfel' })).toEqual(['Straße 100%']);
    expect(await titles({ text: '0%' })).toEqual(['Straße 100%']);
    expect(await titles({ text: 'r_t' })).toEqual(['another_thing']);
    expect(await titles({ text: '!' })).toEqual([]);
    expect(await titles({ text: '#2' })).toEqual(['another_thing']);
    expect(await titles({ tags: ['ops'] })).toHaveLength(2);
    expect(await titles({ tags: ['ops', 'fruit'] })).toEqual(['Straße 100%']);
  });

  it('shows a window and the size of the whole', async () => {
    for (const title of ['a', 'b', 'c', 'd', 'e']) await store.todos.insert(todo(title));
    const { items, total } = await store.todos.list(mine, NO_FILTER, { page: 2, limit: 2 });
    expect([items.map(({ title }) => title), total]).toEqual([['c', 'd'], 5]);
    expect((await store.todos.list(mine, NO_FILTER, { page: 9, limit: 2 })).items).toEqual([]);
  });

  it('changes a todo with nobody in between', async () => {
    const { id } = await store.todos.insert(todo('contended'));
    const writers = Array.from({ length: 20 }, () =>
      store.todos.update(id, mine, (now) => planComment(now!, 'me too', 3)),
    );
    await Promise.all(writers);
    expect((await store.todos.find(id))?.commentCount).toBe(20);
    expect(await store.todos.timeline(id)).toHaveLength(21);
    const edits = await Promise.allSettled(
      ['x', 'y', 'z'].map((title) => store.todos.update(id, mine, (now) => planUpdate(now!, 1, { title }, 4))),
    );
    expect(edits.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await store.todos.find(id))?.revision).toBe(2);
  });

  it('writes nothing, and counts nothing, when the plan throws', async () => {
    const { id } = await store.todos.insert(todo('left alone'));
    const before = await store.counts(mine);
    await expect(
      store.todos.update(id, mine, () => {
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await store.counts(mine)).toEqual(before);
  });

  it('erases what was archived before, with its timeline and tags', async () => {
    const old = await store.todos.insert(todo('old', { tags: ['x'] }));
    const young = await store.todos.insert(todo('young'));
    await store.todos.update(old.id, mine, (now) => planArchive(now!, 1, 10));
    await store.todos.update(young.id, mine, (now) => planArchive(now!, 1, 20));
    expect(await titles()).toEqual([]);
    expect(await titles({ archived: true })).toEqual(['old', 'young']);
    expect(await store.todos.purge(mine, 20)).toBe(1);
    expect(await titles({ archived: true })).toEqual(['young']);
    expect(await store.todos.timeline(old.id)).toEqual([]);
  });

  it('counts a change for every scope that sees it and for no other', async () => {
    const scopes: Record<string, ListScope> = {
      whole: mine,
      work: { ...mine, cwd: '/work' },
      home: { ...mine, cwd: '/home' },
      install: { ...mine, configDir: '/etc/x' },
      both: { ...mine, cwd: '/home', configDir: '/etc/x' },
      realm: { ...mine, realm: '1'.repeat(24) },
      account: { ...mine, account: 'somebody else' },
    };
    const moved = async (work: () => Promise<unknown>): Promise<string[]> => {
      const counts = async (): Promise<number[]> =>
        Promise.all(Object.values(scopes).map(async (scope) => (await store.counts(scope)).todos));
      const before = await counts();
      await work();
      const after = await counts();
      return Object.keys(scopes).filter((_, index) => before[index] !== after[index]);
    };
    let made: Todo | undefined;
    expect(await moved(async () => (made = await store.todos.insert(todo('a'))))).toEqual(['whole', 'work']);
    expect(await moved(() => store.todos.insert(todo('b', { cwd: '/home', configDir: '/etc/x' })))).toEqual([
      'whole',
      'home',
      'install',
      'both',
    ]);
    const move = (): Promise<Todo> =>
      store.todos.update(made!.id, mine, (now) => planUpdate(now!, 1, { cwd: '/home' }, 2));
    expect(await moved(move)).toEqual(['whole', 'work', 'home']);
    expect(await moved(() => store.sessions.insert(session()))).toEqual([]);
  });

  it('lists sessions newest first, with their folders, and forgets one that is deleted', async () => {
    const records = [session({ cwd: '/a' }), session({ cwd: '/b', configDir: '/etc/x' }), session({ cwd: '/a' })];
    for (const record of records) await store.sessions.insert(record);
    const ids = async (scope: ListScope): Promise<string[]> =>
      (await store.sessions.list(scope, EVERYTHING)).items.map(({ posture }) => posture.sessionId);
    const [first, second, third] = records.map(({ posture }) => posture.sessionId);
    expect(await ids(mine)).toEqual([third, second, first]);
    expect(await ids({ ...mine, cwd: '/a' })).toEqual([third, first]);
    expect(await ids({ ...mine, configDir: '/etc/x' })).toEqual([second]);
    expect(await ids(HERE)).toEqual([]);
    expect(await store.sessions.folders(mine)).toEqual(['/a', '/b']);
    await store.sessions.update({ ...records[0]!, name: 'renamed', lastRequestAt: 9 });
    expect(await store.sessions.find(first!)).toMatchObject({ name: 'renamed', lastRequestAt: 9 });
    await store.sessions.delete(records[2]!);
    expect(await ids(mine)).toEqual([second, first]);
    expect(await store.sessions.find(third!)).toBeUndefined();
  });

  it('brings a database of the first schema to the newest and keeps its lists, whichever change it had before', async () => {
    const kept = todo('kept');
    for (const [n, had] of [[], ...[...MIGRATIONS.keys()].slice(1).map((name) => [name])].entries()) {
      const place = await emptyDatabase(`old_${n}`);
      const old = await place.open();
      await migrate(old, new Map([...MIGRATIONS].filter(([name]) => name === 'lists' || had.includes(name))));
      if (had.length === 0) {
        // As the program left it that had this schema alone.
        await sql`drop table migrations`.execute(old);
        await sql`update schema_version set version = 1`.execute(old);
      }
      await sql`insert into todos values ('todo_old', ${kept.account}, ${kept.realm}, '/work', null, 1, 'draft', 2, 0, null,
        null, 'kept', ${JSON.stringify({ ...kept, id: 'todo_old', num: 1 })})`.execute(old);
      await old.destroy();
      const now = await place.openStore();
      expect(await now.todos.find('todo_old')).toEqual({ ...kept, id: 'todo_old', num: 1 });
      await now.sessions.insert(session());
      await now.close();
    }
  });

  it('refuses a database that a newer program has changed', async () => {
    const place = await emptyDatabase('newer');
    await (await place.openStore()).close();
    const db = await place.open();
    await sql`insert into migrations values ('from the future')`.execute(db);
    await db.destroy();
    await expect(place.openStore()).rejects.toThrow(
      'a newer program has changed its schema (from the future): run that program',
    );
  });

  it('has nothing under a name that no column could hold', async () => {
    const id = 'x\0\ud800';
    const found = [store.todos, store.sessions, store.workflowRuns, store.jobs].map((table) => table.find(id));
    expect(await Promise.all([...found, store.workflows.find(mine, id)])).toEqual(Array(5).fill(undefined));
  });

  it('gives nobody a session that was deleted while they looked', async () => {
    const record = session();
    await store.sessions.insert(record);
    await store.sessions.release(record);
    await store.sessions.delete(record);
    const gone = { code: 'not_found', message: 'session not found' };
    await expect(store.sessions.claim(record)).rejects.toMatchObject(gone);
  });

  it('counts an edit of a workflow where it is made, for good, and keeps each to its account and realm', async () => {
    const owner = { account: mine.account, realm: mine.realm };
    const put = (name: string, of = owner): Promise<Workflow> =>
      store.workflows.change(of, name, (found, { revision }) => ({
        ...of,
        name,
        revision,
        hidden: false,
        definition: { steps: [{ id: 'a', tool: `after ${found?.revision} \0 \ud800`, params: { big: 1e300 } }] },
        createdAt: 1,
        updatedAt: 2,
      }));
    const edits = await Promise.all(Array.from({ length: 8 }, () => put('b')));
    expect(new Set(edits.map(({ revision }) => revision)).size).toBe(8);
    const last = await store.workflows.find(owner, 'b');
    expect(edits).toContainEqual(last);
    await put('B');
    await put('a', { ...owner, realm: '1'.repeat(24) });
    expect((await store.workflows.list(owner)).map(({ name }) => name)).toEqual(['B', 'b']);
    await store.workflows.change(owner, 'b', () => undefined);
    expect(await store.workflows.find(owner, 'b')).toBeUndefined();
    expect((await put('b')).revision).toBeGreaterThan(last!.revision);
    const refusal = store.workflows.change(owner, 'b', () => {
      throw new Error('no');
    });
    await expect(refusal).rejects.toThrow('no');
    expect(await store.workflows.list(owner)).toHaveLength(2);
  });

  it('keeps the last workflow runs, forgets none that goes on, and counts a change of each for who sees it', async () => {
    const db = await (await emptyDatabase('runs')).open();
    await migrate(db);
    const table = new WorkflowRunTable(db, 'd', 2);
    const end = (id: string): Promise<WorkflowRunDetail> =>
      table.update(id, HERE, (now) => endedRun(now!, 'completed', null, 5));
    const ids = async (scope = HERE): Promise<string[]> =>
      (await table.list(scope, EVERYTHING)).items.map(({ id }) => id);
    const count = async (scope: ListScope): Promise<number> =>
      Number((await countsOf(db, scope)).get('workflow_runs') ?? 0);
    await table.insert(workflowRun('r1', { cwd: '/home', configDir: '/etc/x' }));
    await table.insert(workflowRun('r2'));
    await table.update('r2', HERE, (now) => afterStep(now!, STEP_ENDED, 's2'));
    expect(await table.find('r2')).toEqual({
      ...workflowRun('r2', { steps: [STEP_ENDED], ended: 1, lastStep: 's', currentStep: 's2' }),
    });
    expect((await table.list({ ...HERE, cwd: '/work' }, { page: 1, limit: 1 })).items[0]).not.toHaveProperty('steps');
    await end('r1');
    expect(await end('r1')).toMatchObject({ status: 'completed', finishedAt: 5 });
    const home = { ...HERE, cwd: '/home', configDir: '/etc/x' };
    const before = await count(home);
    await table.insert(workflowRun('r3'));
    expect([await ids(), await ids(home)]).toEqual([['r3', 'r2'], []]);
    expect(await count(home)).toBeGreaterThan(before);
    await table.insert(workflowRun('r4'));
    await table.insert(workflowRun('r5'));
    expect(await ids()).toEqual(['r5', 'r4', 'r3', 'r2']);
    await db.destroy();
  });

  if (kind === 'SQLite') return;

  it('answers 503 to writers while the server takes reads alone, and says so at start', async () => {
    const before = await store.todos.insert(todo('before'));
    const place = await emptyDatabase('sealed');
    await (await place.openStore()).close();
    const admin = new pg.Client(server!.url);
    await admin.connect();
    await admin.query('alter system set default_transaction_read_only = on');
    const reload = async (): Promise<void> => {
      await admin.query('select pg_reload_conf()');
    };
    await reload();
    await until(
      async () =>
        !(await store.todos.insert(todo('refused')).then(
          () => true,
          () => false,
        )),
    );
    await expect(store.todos.insert(todo('refused'))).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('the database is read-only'),
    });
    expect(await store.todos.find(before.id)).toEqual(before);
    await expect(place.openStore()).rejects.toThrow('the database is read-only');
    await admin.query('set default_transaction_read_only = off');
    await admin.query('alter system reset default_transaction_read_only');
    await reload();
    await until(() =>
      store.todos.insert(todo('after')).then(
        () => true,
        () => false,
      ),
    );
    await admin.end();
  });

  it('starts many at once on a new database, and makes the schema once', async () => {
    const url = server!.url.replace('/postgres?', '/template1?');
    const stores = await Promise.all(
      Array.from({ length: 3 }, () =>
        openStore({ url, sqlitePath: '', ids: systemIds, logger: silent, run: { id: systemIds.ulid() } }),
      ),
    );
    expect(new Set(stores.map(({ id }) => id)).size).toBe(1);
    await Promise.all(stores.map((one) => one.close()));
  });

  it('has a session live in one daemon alone, until that is silent for too long', async () => {
    const other = await open();
    const record = session();
    const id = record.posture.sessionId;
    await store.sessions.insert(record);
    expect((await store.sessions.find(id))?.isHeldElsewhere).toBe(false);
    expect((await other.sessions.find(id))?.isHeldElsewhere).toBe(true);
    const held = { code: 'session_held' };
    const counts = await store.counts(mine);
    for (const change of ['claim', 'update', 'release', 'delete'] as const) {
      await expect(other.sessions[change](record)).rejects.toMatchObject(held);
    }
    expect(await store.counts(mine)).toEqual(counts);
    expect(await store.presence.renew()).toBe(true);

    const admin = new pg.Client(server!.url);
    await admin.connect();
    await admin.query('update daemons set expires_at = 0 where id = (select held_by from sessions where id = $1)', [
      id,
    ]);
    await other.sessions.claim(record);
    expect((await store.sessions.find(id))?.isHeldElsewhere).toBe(true);
    expect(await store.presence.renew()).toBe(false);
    await expect(store.sessions.claim(record)).rejects.toMatchObject(held);
    await expect(store.sessions.release(record)).rejects.toMatchObject(held);

    // One that is gone without a word: its sessions close and its jobs end for all to see, and the token moves.
    const job = {
      kind: 'tool.run_gated',
      account: mine.account,
      status: 'running',
      result: null,
      error: null,
    } as const;
    await other.jobs.add({ ...job, id: 'job_1', createdAt: 1, updatedAt: 2 });
    await admin.query('delete from daemons where id = (select held_by from sessions where id = $1)', [id]);
    await admin.end();
    const before = await store.counts(mine);
    // Who was silent itself leaves the others time to come back: what it takes for their silence may have been an outage.
    await store.presence.freeAbandoned();
    expect((await store.sessions.find(id))?.isHeldElsewhere).toBe(true);
    for (let renewal = 0; renewal < 3; renewal += 1) expect(await store.presence.renew()).toBe(true);
    await store.presence.freeAbandoned();
    expect((await store.sessions.find(id))?.isHeldElsewhere).toBe(false);
    expect(await store.jobs.find('job_1')).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
    expect(await store.counts(mine)).toEqual({ ...before, sessions: before.sessions + 1 });
    expect(await other.jobs.save({ ...job, id: 'job_1', createdAt: 1, updatedAt: 3 })).toBe(false);
    await store.sessions.claim(record);
    await other.close();
  });

  it('answers 503 while the server is away, and goes on when it is back', async () => {
    const { id } = await store.todos.insert(todo('before'));
    const heard = { mine: 0, other: 0 };
    const unwatch = [
      store.watch(mine, () => void (heard.mine += 1)),
      store.watch({ ...mine, realm: '0'.repeat(24) }, () => void (heard.other += 1)),
    ];
    // One write is in the middle of its transaction.
    const admin = new pg.Client(server!.url);
    admin.on('error', () => undefined);
    await admin.connect();
    await admin.query('begin; lock table counters');
    const cut = expect(store.todos.insert(todo('cut off'))).rejects.toMatchObject({ code: 'service_unavailable' });
    await until(async () => (await admin.query('select 1 from pg_locks where not granted')).rowCount === 1);
    await server!.kill();
    await cut;
    await expect(store.todos.insert(todo('lost'))).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(store.counts(mine)).rejects.toMatchObject({ code: 'service_unavailable' });
    await server!.start();
    expect(await titles()).toEqual(['before']);
    expect((await store.todos.find(id))?.title).toBe('before');
    // Heard again, and first of all that anything may have changed meanwhile.
    await until(() => heard.other > 0);
    await store.todos.insert(todo('after'));
    await until(() => heard.mine > heard.other);
    for (const stop of unwatch) stop();
  });
});

test("a new file and its companions are the user's alone", async () => {
  const path = join(folder, 'private.sqlite');
  const store = await openStore({
    url: null,
    sqlitePath: path,
    ids: systemIds,
    logger: silent,
    run: { id: systemIds.ulid() },
  });
  for (const suffix of ['', '-wal', '-shm']) expect((await stat(path + suffix)).mode & 0o777).toBe(0o600);
  await store.close();
});

describe('a database that cannot be used', () => {
  const path = (name: string): string => join(folder, name);
  const open = (sqlitePath: string, url: string | null = null): Promise<Store> =>
    openStore({ url, sqlitePath, ids: systemIds, logger: silent, run: { id: systemIds.ulid() } });

  test('says so at start when the file is no database, a folder, or in a folder that is missing', async () => {
    await writeFile(path('text'), 'these are not the pages you are looking for'.repeat(100));
    await expect(open(path('text'))).rejects.toThrow('the file is no database');
    await mkdir(path('folder.sqlite'));
    execFileSync('mkfifo', [path('pipe.sqlite')]);
    await expect(open(path('pipe.sqlite'))).rejects.toThrow('cannot be opened');
    await expect(open(path('folder.sqlite'))).rejects.toThrow('cannot be opened');
    await expect(open(path('missing/lists.sqlite'))).rejects.toThrow('cannot be used');
  });

  test('says so at start when the server is not there, without the password', async () => {
    const attempt = open('', 'postgres://user:sentinel-9c1f@127.0.0.1:1/db');
    await expect(attempt).rejects.toThrow('the database server does not answer');
    await attempt.catch((error: Error) => expect(String(error.stack)).not.toContain('sentinel-9c1f'));
  });

  const untitled = (): Omit<Todo, 'num'> => {
    const { account, realm } = HERE;
    const place = { id: `todo_${systemIds.ulid()}`, account, realm, cwd: '/w', configDir: null, title: 'x' };
    return planCreate({ ...place, body: undefined, priority: undefined, tags: undefined }, 1);
  };

  test('says so at start when it may only be read, and when its log cannot be written', async () => {
    await (await open(path('sealed.sqlite'))).close();
    await chmod(path('sealed.sqlite'), 0o444);
    // Root may write what it likes; somebody else may not.
    const isRoot = process.getuid!() === 0;
    if (isRoot) process.seteuid!(65_534);
    try {
      await expect(open(path('sealed.sqlite'))).rejects.toThrow(/the database is read-only|cannot be opened/);
    } finally {
      if (isRoot) process.seteuid!(0);
    }
    await (await open(path('logless.sqlite'))).close();
    await rm(path('logless.sqlite-wal'), { force: true });
    await mkdir(path('logless.sqlite-wal'));
    await expect(open(path('logless.sqlite'))).rejects.toThrow('cannot be opened');
  });

  test('answers 503 when it is full or may not be written any more, keeps what it acknowledged, and goes on after', async () => {
    for (const [name, limit, lift, words] of [
      ['full', 'pragma max_page_count = 1', 'pragma max_page_count = 1000000', 'the disk is full'],
      ['sealed', 'pragma query_only = on', 'pragma query_only = off', 'the database is read-only'],
    ] as const) {
      const file = new SqliteFile(path(`${name}-later.sqlite`), ['journal_mode = wal']);
      const db: Database = new Kysely({ dialect: new SqliteDialect({ database: file }) });
      await migrate(db);
      const todos = new TodoTable(db);
      const kept = await todos.insert(untitled());
      await sql.raw(limit).execute(db);
      const refusal = { code: 'service_unavailable', message: expect.stringContaining(words) };
      const fill = async (): Promise<never> => {
        for (;;) await todos.insert({ ...untitled(), body: 'x'.repeat(20_000) });
      };
      await expect(fill()).rejects.toMatchObject(refusal);
      expect(await todos.find(kept.id)).toEqual(kept);
      // A connection on which a statement failed is replaced, and its pragmas with it.
      await sql.raw(lift).execute(db);
      await todos.insert(untitled());
      await db.destroy();
    }
  });

  test('says so at start and answers 503 later while another process holds it, and loses nothing', async () => {
    const store = await open(path('held.sqlite'));
    const other = new Sqlite(path('held.sqlite'));
    other.exec('begin immediate');
    await expect(open(path('held.sqlite'))).rejects.toThrow('another process holds the database');
    const todo = untitled();
    await expect(store.todos.insert(todo)).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('another process holds the database'),
    });
    other.exec('rollback');
    other.close();
    await store.todos.insert(todo);
    expect((await store.todos.list(HERE, NO_FILTER, EVERYTHING)).total).toBe(1);
    await store.close();
  });

  test.each([
    [{ code: 'SQLITE_FULL' }, 'the disk is full'],
    [{ code: 'SQLITE_READONLY_DBMOVED' }, 'read-only'],
    [{ code: 'SQLITE_IOERR_WRITE' }, 'does not read or write'],
    [{ code: '53100' }, 'full'],
    [{ code: '57P01' }, 'stopping'],
    [{ code: '57014' }, 'too busy'],
    [{ code: '25006' }, 'read-only'],
    [{ code: 'ECONNREFUSED' }, 'does not answer'],
    [{ code: 'ENOENT', syscall: 'connect' }, 'does not answer'],
    [new AggregateError([{ code: 'ECONNREFUSED' }]), 'does not answer'],
    [new Error('Connection terminated unexpectedly'), 'does not answer'],
    [new Error('Query read timeout'), 'does not answer'],
  ])('answers %j with 503', async (cause, words) => {
    await expect(answered(() => Promise.reject(cause))).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining(words),
    });
  });

  test('takes a mistake of ours for what it is', async () => {
    const mistake = Object.assign(new Error('no such column'), { code: 'SQLITE_ERROR' });
    await expect(answered(() => Promise.reject(mistake))).rejects.toBe(mistake);
  });
});
