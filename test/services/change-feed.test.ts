/**
 * Change tokens against the lists they are about, over random changes in several scopes; and what becomes of a reading
 * when the store cannot be read. Store, sessions and todos are the real ones.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { framesBetween, tokenOf, type Reading } from '../../src/domain/change-tokens.js';
import { NO_RULES } from '../../src/domain/rules.js';
import type { Login, Scope } from '../../src/domain/session.js';
import type { TurnClaim } from '../../src/domain/turn-slot.js';
import { afterStep, endedRun } from '../../src/domain/workflow-run.js';
import { ChangeFeed } from '../../src/services/change-feed.js';
import { Sessions } from '../../src/services/sessions.js';
import { Todos } from '../../src/services/todos.js';
import { openStore } from '../../src/store/store.js';
import { systemIds } from '../../src/system.js';
import { FakeClock } from '../fakes/clock.js';
import { startPostgres, whyNoPostgres } from '../store/postgres.js';
import { STEP_ENDED, workflowRun } from '../store/workflow-run.js';

const quiet = (): void => undefined;
const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const NOWHERE: Scope = {
  realm: undefined,
  cwd: undefined,
  configDir: undefined,
  toolMode: undefined,
  dirScope: undefined,
};
const REALMS = ['global', 'a'.repeat(24)];
const CWDS = ['/one', '/two'];
const DIRS = ['/etc/install'];
const ACCOUNTS = ['anna', 'bert'];
const EVERYTHING = { page: 1, limit: 0 };
const ALL_TODOS = {
  states: [],
  tags: [],
  text: undefined,
  openOnly: false,
  archived: true,
  sort: 'default',
} as const;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentd-feed-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const open = async (name: string, url: string | null = null) => {
  const clock = new FakeClock();
  const login: { now: Login } = { now: { accountId: 'anna', activeRealm: 'global', serves: 'all', pinned: null } };
  const source = { current: () => login.now };
  const folders = { resolve: async (path: string) => path };
  const store = await openStore({
    url,
    sqlitePath: join(folder, name),
    ids: systemIds,
    logger,
    run: { id: systemIds.ulid() },
  });
  const sessions = new Sessions({
    store: store.sessions,
    clock,
    ids: systemIds,
    logger,
    login: source,
    folders,
    defaultCwd: '/one',
    defaultConfigDir: null,
    idleMs: 1e12,
    checkCwd: async () => undefined,
    agentOf: async () => undefined,
    toolsOf: () => [],
    settingsOf: () => ({ denyList: [], disabledTools: [], rules: NO_RULES }),
    opened: async () => undefined,
    closed: async () => undefined,
  });
  const todos = new Todos({ store, login: source, clock, ids: systemIds, folders });
  const agents = { stamp: async () => '' };
  const rules = { stamp: async () => '' };
  const feed = new ChangeFeed({ store, sessions, agents, rules, login: source, clock, logger, epoch: 'epoch' });
  const close = async (): Promise<void> => {
    await sessions.closeAll();
    await store.close();
  };
  return { clock, login, store, sessions, agents, rules, todos, feed, close };
};

type World = Awaited<ReturnType<typeof open>>;

interface Place {
  readonly account: string;
  readonly realm: string;
  readonly cwd: string;
  readonly configDir: string | undefined;
}

/** What a caller may ask for; a member that is undefined is not given. */
interface Asked {
  readonly account: string;
  readonly realm: string;
  readonly cwd: string | undefined;
  readonly configDir: string | undefined;
}

const ASKED: Asked[] = ACCOUNTS.flatMap((account) =>
  REALMS.flatMap((realm) =>
    [undefined, ...CWDS].flatMap((cwd) =>
      [undefined, ...DIRS].map((configDir) => ({ account, realm, cwd, configDir })),
    ),
  ),
);
const sees = (asked: Asked, place: Place): boolean =>
  asked.account === place.account &&
  asked.realm === place.realm &&
  (asked.cwd === undefined || asked.cwd === place.cwd) &&
  (asked.configDir === undefined || asked.configDir === place.configDir);

const as = (world: World, { account, realm, cwd, configDir }: Asked): Scope => {
  world.login.now = { ...world.login.now, accountId: account };
  return { ...NOWHERE, realm, cwd, configDir };
};

const placeArb = fc.record({
  account: fc.constantFrom(...ACCOUNTS),
  realm: fc.constantFrom(...REALMS),
  cwd: fc.constantFrom(...CWDS),
  configDir: fc.constantFrom(undefined, ...DIRS),
});
const stepArb = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('create' as const), place: placeArb }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('edit', 'move', 'comment', 'snooze', 'archive', 'purge', 'stale'),
      pick: fc.nat(),
      cwd: fc.constantFrom(...CWDS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('open' as const), place: placeArb }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('run' as const), place: placeArb }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('step' as const, 'end' as const), pick: fc.nat() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('rename', 'close', 'attach', 'erase', 'claim', 'park', 'unpark', 'release', 'look'),
      pick: fc.nat(),
    }),
  },
);
type Step = typeof stepArb extends fc.Arbitrary<infer T> ? T : never;

interface Held {
  readonly id: string;
  readonly place: Place;
  claim?: TurnClaim | undefined;
}

/** Does one step. Returns the places it may have been seen from, and of which topics. */
const take = async (
  world: World,
  todos: Held[],
  sessions: Held[],
  runs: Held[],
  step: Step,
): Promise<{ places: Place[]; topics: string[] }> => {
  const { kind } = step;
  if (kind === 'run') {
    const { place } = step;
    const id = systemIds.ulid();
    await world.store.workflowRuns.insert(workflowRun(id, { ...place, configDir: place.configDir ?? null }));
    runs.push({ id, place });
    return { places: [place], topics: ['workflow_runs'] };
  }
  if (kind === 'step' || kind === 'end') {
    const held = runs[step.pick % runs.length];
    if (!held) return { places: [], topics: [] };
    await world.store.workflowRuns.update(held.id, held.place, (run) =>
      kind === 'step' ? afterStep(run!, STEP_ENDED, `s${step.pick}`) : endedRun(run!, 'completed', null, step.pick),
    );
    return { places: [held.place], topics: ['workflow_runs'] };
  }
  if (kind === 'create') {
    const { id } = await world.todos.create(
      { title: 'x', body: undefined, priority: undefined, tags: undefined, cwd: undefined },
      as(world, step.place),
    );
    todos.push({ id, place: step.place });
    return { places: [step.place], topics: ['todos'] };
  }
  if (kind === 'open') {
    const { posture } = await world.sessions.open({
      ...step.place,
      toolMode: undefined,
      dirScope: undefined,
      headless: false,
      agent: undefined,
      name: undefined,
      realm: as(world, step.place).realm,
    });
    sessions.push({ id: posture.sessionId, place: step.place });
    return { places: [step.place], topics: ['sessions'] };
  }
  const list = 'cwd' in step ? todos : sessions;
  const held = list[step.pick % list.length];
  if (!held) return { places: [], topics: [] };
  const index = list.indexOf(held);
  const { id, place } = held;
  const scope = as(world, place);
  const touched = (topic: string, ...places: Place[]) => ({ places: [place, ...places], topics: [topic] });
  if ('cwd' in step) {
    const { todo } = await world.todos.get(id, scope);
    if (kind === 'purge') {
      await world.clock.advance(1);
      await world.store.todos.purge({ account: place.account, realm: place.realm, cwd: place.cwd }, world.clock.now());
      const kept = [];
      for (const other of todos) if (await world.store.todos.find(other.id)) kept.push(other);
      todos.splice(0, todos.length, ...kept);
      return { places: [place, { ...place, configDir: DIRS[0] }], topics: ['todos'] };
    }
    if (kind === 'stale') {
      await expect(world.todos.update(id, todo.revision + 1, { title: 'no' }, scope)).rejects.toThrow();
      return { places: [], topics: [] };
    }
    if (todo.archivedAt !== null) return { places: [], topics: [] };
    if (kind === 'edit') await world.todos.update(id, todo.revision, { title: `${step.pick}` }, scope);
    if (kind === 'comment') await world.todos.comment(id, 'hm', scope);
    if (kind === 'snooze') await world.todos.snooze(id, todo.revision, step.pick % 1e12, scope);
    if (kind === 'archive') await world.todos.archive(id, todo.revision, scope);
    if (kind !== 'move') return touched('todos');
    await world.todos.update(id, todo.revision, { cwd: step.cwd }, scope);
    const moved = { ...place, cwd: step.cwd };
    todos[index] = { id, place: moved };
    return touched('todos', moved);
  }
  const record = await world.sessions.get(id, scope);
  const gate = { id: `gate-${step.pick}`, generation: step.pick, type: 'confirm' as const };
  switch (kind) {
    case 'rename':
      await world.sessions.rename(record, `${step.pick}`);
      break;
    case 'close':
      held.claim = undefined;
      await world.sessions.close(record);
      break;
    case 'attach':
      await world.sessions.attach(id, scope);
      break;
    case 'erase':
      sessions.splice(index, 1);
      await world.sessions.delete(record, true);
      break;
    case 'claim':
      if (record.live?.slot.state === 'idle') held.claim = record.live.slot.claim('tool');
      break;
    case 'park':
      held.claim?.park(gate);
      break;
    case 'unpark':
      held.claim?.unpark();
      break;
    case 'release':
      held.claim?.release();
      held.claim = undefined;
      break;
    case 'look':
      if (record.live) world.sessions.live(id, scope);
      return { places: [], topics: [] };
  }
  return { places: [place], topics: ['sessions', 'gates'] };
};

/** Everything a caller could be shown, topic by topic. */
const shown = async (world: World, asked: Asked): Promise<Record<string, string>> => {
  const scope = as(world, asked);
  const { items } = await world.sessions.list(scope, EVERYTHING);
  const live = items.map(({ live: held, ...row }) => [row, held?.slot.state ?? null]);
  const gates = items.flatMap(({ posture, live: held }) =>
    held?.slot.pendingGate ? [[posture.sessionId, held.slot.pendingGate]] : [],
  );
  const todos = (await world.todos.list(scope, ALL_TODOS, EVERYTHING)).items;
  const runs = (await world.store.workflowRuns.list(asked, EVERYTHING)).items;
  const details = await Promise.all(runs.map(({ id }) => world.store.workflowRuns.find(id)));
  return {
    sessions: JSON.stringify(live),
    gates: JSON.stringify(gates.toSorted()),
    todos: JSON.stringify(todos),
    workflow_runs: JSON.stringify([runs, details]),
  };
};

describe('change tokens', () => {
  test('move whenever a list answers differently, and never for what a scope does not see', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(stepArb, { minLength: 5, maxLength: 25 }), async (steps) => {
        const world = await open(`property-${(runs += 1)}.sqlite`);
        const todos: Held[] = [];
        const sessions: Held[] = [];
        const workflowRuns: Held[] = [];
        const look = async () => {
          await world.clock.advance(1_000);
          const looks = [];
          for (const asked of ASKED) {
            const { tokens } = await world.feed.read(as(world, asked));
            looks.push({ tokens: tokens as Record<string, string>, lists: await shown(world, asked) });
          }
          return looks;
        };
        let before = await look();
        for (const step of steps) {
          const { places, topics } = await take(world, todos, sessions, workflowRuns, step);
          const after = await look();
          for (const [index, asked] of ASKED.entries()) {
            const mayMove = places.some((place) => sees(asked, place));
            for (const [topic, token] of Object.entries(after[index]!.tokens)) {
              const hasMoved = token !== before[index]!.tokens[topic];
              const differs = after[index]!.lists[topic] !== before[index]!.lists[topic];
              if (differs && !hasMoved)
                throw new Error(`${topic} of ${JSON.stringify(asked)} stood still: ${step.kind}`);
              if (hasMoved && !(mayMove && topics.includes(topic))) {
                throw new Error(`${topic} of ${JSON.stringify(asked)} moved: ${step.kind}`);
              }
            }
          }
          before = after;
        }
        await world.close();
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  test('share one reading for a second, also between requests that come together', async () => {
    const world = await open('shared.sqlite');
    let reads = 0;
    const feed = new ChangeFeed({
      ...world,
      store: {
        id: world.store.id,
        watch: () => () => undefined,
        counts: (scope) => {
          reads += 1;
          return world.store.counts(scope);
        },
      },
      login: { current: () => world.login.now },
      logger,
      epoch: 'epoch',
    });
    await Promise.all(Array.from({ length: 50 }, () => feed.read(NOWHERE)));
    await world.clock.advance(999);
    await feed.read({ ...NOWHERE, realm: 'global' });
    expect(reads).toBe(1);
    await feed.read({ ...NOWHERE, cwd: '/one' });
    await world.clock.advance(1);
    await feed.read(NOWHERE);
    expect(reads).toBe(3);
    await world.close();
  });

  test('are told by a stream within two seconds of the change, also when it shares the readings of others', async () => {
    const world = await open('latency.sqlite');
    const leaving = new AbortController();
    const stream = world.feed.follow(NOWHERE, leaving.signal);
    await stream.next();
    for (const [readAt, changedAt] of [
      [1_900, 1_901],
      [1_001, 1_002],
      [400, 1_500],
    ] as const) {
      await world.clock.advance(readAt);
      await world.feed.read(NOWHERE);
      await world.clock.advance(changedAt - readAt);
      await world.todos.create(
        { title: 'x', body: undefined, priority: undefined, tags: undefined, cwd: '/one' },
        NOWHERE,
      );
      let told: unknown;
      void stream.next().then(({ value }) => (told = value));
      await world.clock.advance(2_000);
      expect(told).toMatchObject({ kind: 'changed', topic: 'todos' });
    }
    leaving.abort();
    await stream.return(undefined);
    await world.close();
  });

  const whyNot = whyNoPostgres();
  const withServer = whyNot === undefined ? test : test.skip;
  withServer(
    'name the topics that cannot be read, and go on with the others; what one daemon changes, another tells',
    async () => {
      const server = await startPostgres();
      const world = await open('', server.url);
      const other = await open('', server.url);
      const leaving = new AbortController();
      const stream = world.feed.follow(NOWHERE, leaving.signal);
      const next = async () => (await stream.next()).value;
      const first = await next();

      await other.todos.create(
        { title: 'x', body: undefined, priority: undefined, tags: undefined, cwd: '/one' },
        NOWHERE,
      );
      const told = next();
      await world.clock.advance(2_000);
      expect(await told).toMatchObject({ kind: 'changed', topic: 'todos' });

      await server.kill();
      const broken = next();
      await until(world, broken);
      expect(await broken).toMatchObject({
        kind: 'snapshot',
        reading: { scope: (first as { reading: Reading }).reading.scope },
      });
      const { reading } = (await broken) as { reading: Reading };
      expect(Object.keys(reading.unavailable!)).toEqual(['sessions', 'todos', 'workflow_runs']);
      expect(Object.keys(reading.tokens)).toEqual(['loops', 'tasks', 'gates', 'agents', 'rules']);

      await server.start();
      const healed = next();
      await until(world, healed);
      expect((await healed) as { reading: Reading }).toMatchObject({ kind: 'snapshot' });
      expect(((await healed) as { reading: Reading }).reading.unavailable).toBeUndefined();
      leaving.abort();
      await stream.return(undefined);
      await Promise.all([world.close(), other.close()]);
      await server.stop();
    },
    60_000,
  );
});

/** Moves time until the frame has come: a server that broke is noticed when the kernel says so. */
const until = async (world: World, frame: Promise<unknown>): Promise<void> => {
  let hasCome = false;
  void frame.then(() => (hasCome = true));
  while (!hasCome) await world.clock.advance(2_000);
};

describe('two readings', () => {
  const reading = (tokens: Record<string, string>, scope = 's', unavailable?: Record<string, string>): Reading => ({
    scope,
    tokens,
    ...(unavailable && { unavailable }),
  });

  test('are a snapshot when there was none, when the scope is another, and when a topic comes or goes', () => {
    const after = reading({ todos: 'b' });
    const snapshot = [{ kind: 'snapshot', reading: after }];
    expect(framesBetween(undefined, after)).toEqual(snapshot);
    expect(framesBetween(reading({ todos: 'b' }, 'other'), after)).toEqual(snapshot);
    expect(framesBetween(reading({}, 's', { todos: 'why' }), after)).toEqual(snapshot);
    const without = reading({}, 's', { todos: 'why' });
    expect(framesBetween(after, without)).toEqual([{ kind: 'snapshot', reading: without }]);
    expect(framesBetween(without, reading({}, 's', { todos: 'another reason' }))).toEqual([]);
  });

  test('are one frame for each token that moved', () => {
    expect(framesBetween(reading({ todos: 'a', rules: 'r' }), reading({ todos: 'b', rules: 'r' }))).toEqual([
      { kind: 'changed', topic: 'todos', token: 'b' },
    ]);
    expect(framesBetween(reading({ todos: 'a' }), reading({ todos: 'a' }))).toEqual([]);
  });

  test('a token is the first 130 bits of a SHA-256 in Crockford base32', () => {
    // The digest of `"x"`, worked out elsewhere.
    expect(tokenOf('x')).toBe('Q8PZ941T5GAEGVE3QK55H48V8J');
    expect(tokenOf({ a: 1, b: 2 })).toBe(tokenOf({ b: 2, a: 1 }));
    expect(tokenOf(['a', 'b'])).not.toBe(tokenOf(['ab']));
  });
});
