import { afterEach, describe, expect, it } from '@jest/globals';
import type { ServerStatus } from '../../src/domain/connection.js';
import type { JsonObject, JsonValue } from '../../src/domain/json.js';
import { type LayerPath, readLayer, resolveSettings } from '../../src/domain/settings.js';
import type { SettingsDocument } from '../../src/ports.js';
import {
  BACKGROUND_SLOTS,
  type ReconciledSession,
  Reconciler,
  type ReconcilerDeps,
  SETTLE_MS,
  SLOT_WAIT_MS,
} from '../../src/services/reconciler.js';
import type { ServerPool } from '../../src/services/server-pool.js';
import { FakeClock } from '../fakes/clock.js';
import { isAlive, newPool, posture, quiet, realConnector, stored, until } from './pool-fixture.js';

const USER = '/user/settings.json';
const never = new AbortController().signal;
/** Never finishes its start: whoever waited for it would wait longer than a test may take. */
const MUTE = stored('mute', 'noinit');

const running: { reconciler: Reconciler; pool: ServerPool }[] = [];
afterEach(async () => {
  await Promise.all(
    running.splice(0).map(async ({ reconciler, pool }) => {
      await reconciler.close();
      await pool.close();
    }),
  );
});

/** A reconciler over settings files that are values in a map; sessions A, B, … have a project folder each. */
function open({ denied }: Pick<ReconcilerDeps, 'denied'> = {}) {
  const clock = new FakeClock();
  const connector = realConnector();
  const pool = newPool(clock, connector);
  const documents = new Map<string, SettingsDocument>();
  const untrusted = new Set<string>();
  const reads: string[] = [];
  const held: (() => void)[] = [];
  let hold = false;

  const layerPaths = (letter: string): LayerPath[] => [
    { layer: 'user', path: USER },
    { layer: 'project', path: `/project/${letter}` },
  ];
  const readSettings = async (session: ReconciledSession) => {
    reads.push(session.posture.sessionId);
    const layers = session.layerPaths.map((layer) =>
      readLayer(layer, documents.get(layer.path) ?? { path: layer.path, state: 'missing', value: {} }),
    );
    const settings = resolveSettings(layers, ({ name }) => !untrusted.has(name));
    if (hold) await new Promise<void>((resolve) => held.push(resolve));
    return settings;
  };
  const reconciler = new Reconciler({
    pool,
    readSettings,
    clock,
    logger: quiet,
    ...(denied === undefined ? {} : { denied }),
  });
  running.push({ reconciler, pool });

  const row = async (letter: string, name: string): Promise<ServerStatus | undefined> =>
    (await reconciler.status(letter)).servers.find(({ server }) => server.entry.name === name);
  return {
    reconciler,
    clock,
    reads,
    untrusted,
    row,
    opened: connector.opened,
    write: (path: string, ...servers: JsonObject[]) =>
      documents.set(path, { path, state: 'loaded', value: { mcp_servers: servers as JsonValue } }),
    breakLayer: (path: string) => documents.set(path, { path, state: 'broken', reason: 'line 1, column 2: no' }),
    attach: async (...letters: string[]) => {
      for (const letter of letters) {
        await reconciler.attach({ posture: posture(letter), layerPaths: layerPaths(letter) });
      }
    },
    connected: async (...letters: string[]) => {
      for (const letter of letters) await reconciler.settled(letter);
    },
    pid: async (letter: string, name: string) => (await row(letter, name))?.identity?.pid ?? 0,
    tool: (letter: string, name: string) => {
      const tool = reconciler.tools(letter).find((candidate) => candidate.name === name);
      if (tool === undefined) throw new Error(`${letter} has no tool ${name}`);
      return tool;
    },
    names: (letter: string) => reconciler.tools(letter).map(({ name }) => name),
    /** Readings begun from now on wait; the first call of what it returns ends that, the second lets them go. */
    holdReadings: () => {
      hold = true;
      return () => {
        hold = false;
        const parked = held.splice(0);
        return () => parked.forEach((go) => go());
      };
    },
  };
}

const project = (letter: string): string => `/project/${letter}`;

describe('a session', () => {
  it('opens without waiting for its servers; one is usable while another still starts', async () => {
    const { attach, write, names, tool, row } = open();
    write(USER, MUTE, stored('fast', 'echo'));
    await attach('A');
    expect(names('A')).toEqual([]);
    await until('the fast server is there', () => names('A').length > 0);
    expect(await tool('A', 'mcp__fast__echo').call({ text: 'hi' }, never)).toMatchObject({ isError: false });
    expect(await row('A', 'mute')).toMatchObject({ connected: false });
  });

  it('shares its servers with others, and what it alone held is gone when it ends', async () => {
    const { attach, connected, write, reconciler, pid } = open();
    write(USER, stored('shared', 'echo'));
    write(project('A'), stored('own', 'echo'));
    await attach('A', 'B');
    await connected('A', 'B');
    const [shared, own] = [await pid('A', 'shared'), await pid('A', 'own')];
    expect(await pid('B', 'shared')).toBe(shared);
    const [tool] = reconciler.tools('A');
    await reconciler.detach('A');
    expect([isAlive(shared), isAlive(own)]).toEqual([true, false]);
    await expect(tool?.call({}, never)).rejects.toThrow('the session ended');
    expect(() => reconciler.tools('A')).toThrow('session not found');
    await reconciler.detach('B');
    expect(isAlive(shared)).toBe(false);
    await expect(reconciler.reconcile('A')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('lists a server that would not start with its reason and its last words, and others undisturbed', async () => {
    const { attach, connected, write, reconciler } = open();
    write(USER, stored('broken', 'crashinit', { env: { MODE: 'crashinit', T: '${NO_SUCH}' } }), stored('fine', 'echo'));
    await attach('A');
    await connected('A');
    const { servers, warnings } = await reconciler.status('A');
    expect(servers).toMatchObject([{ connected: false, stderrTail: ['cannot start'] }, { connected: true }]);
    expect(servers[0]).not.toHaveProperty('identity');
    expect(warnings).toEqual([
      expect.stringMatching(/NO_SUCH/),
      expect.stringMatching(/^server "broken" is not connected: ./),
    ]);
  });

  it('does not start what is disabled, not trusted or denied, and says why', async () => {
    const { attach, connected, write, untrusted, reconciler, opened } = open({
      denied: ({ entry }) => (entry.name === 'denied' ? 'its arguments name a denied path' : undefined),
    });
    untrusted.add('stranger');
    write(USER, ...['stranger', 'denied', 'off'].map((name) => stored(name, 'echo', { enabled: name !== 'off' })));
    await attach('A');
    await connected('A');
    const { servers, warnings } = await reconciler.status('A');
    expect(servers.map(({ server, connected }) => [server.entry.name, connected])).toEqual([
      ['stranger', false],
      ['denied', false],
      ['off', false],
    ]);
    expect(warnings).toEqual([
      expect.stringContaining('"stranger" is not started'),
      'user entry "denied" is not started: its arguments name a denied path',
    ]);
    expect(opened).toEqual([]);
  });
});

describe('revocation', () => {
  it('reaches every session before the write is answered: calls under way and held tools fail at once', async () => {
    const { attach, connected, write, reconciler, tool, names, pid } = open();
    write(USER, stored('a', 'slow'), stored('b', 'echo'));
    await attach('A', 'B', 'C');
    await connected('A', 'B', 'C');
    const child = await pid('A', 'a');
    const kept = tool('B', 'mcp__b__echo');
    const sleep = tool('C', 'mcp__a__sleep');
    const underWay = sleep.call({ ms: 60_000 }, never).catch((error: Error) => error.message);

    write(USER, stored('b', 'echo'));
    const report = await reconciler.reconcile('A');
    expect(report).toMatchObject({ sessions: 3, partialSessions: 0, revoked: 3, deferredSessions: 2 });
    expect(report).toMatchObject({ deferredStarted: true, warnings: [], servers: [{ connected: true }] });
    expect(await underWay).toBe('server "a" cannot be called: it was revoked (deleted)');
    await expect(sleep.call({ ms: 1 }, never)).rejects.toThrow('revoked (deleted)');
    expect(names('B')).toEqual(['mcp__b__echo']);
    expect(await kept.call({ text: 'mid-turn' }, never)).toMatchObject({ isError: false });
    await until('the child is gone', () => !isAlive(child));
  });

  it('reaches the others also when the caller has ended meanwhile', async () => {
    const { attach, connected, write, reconciler, names } = open();
    write(USER, stored('a', 'echo'));
    await attach('A', 'B');
    await connected('A', 'B');
    await reconciler.detach('A');
    write(USER, stored('b', 'echo'));
    await expect(reconciler.reconcile('A')).rejects.toMatchObject({ code: 'not_found' });
    await connected('B');
    expect(names('B')).toEqual(['mcp__b__echo']);
  });

  it('of a re-pointed server leaves a session in its turn with what it was shown, and shows the new one next', async () => {
    const { attach, connected, write, reconciler, tool, names, row } = open();
    write(USER, stored('a', 'slow'), stored('b', 'echo'));
    await attach('A');
    await connected('A');
    const shown = reconciler.tools('A');
    write(USER, stored('a', 'counter'), stored('b', 'echo'));
    const before = await row('A', 'a');
    const report = await reconciler.reconcile('A');
    expect(report).toMatchObject({ sessions: 1, revoked: 1, deferredSessions: 0, deferredStarted: true });
    const results = await Promise.allSettled(shown.map(({ call }) => call({ ms: 1, text: 'x' }, never)));
    expect(shown.map(({ name }, at) => [name, results[at]?.status])).toEqual([
      ['mcp__a__echo', 'rejected'],
      ['mcp__a__sleep', 'rejected'],
      ['mcp__b__echo', 'fulfilled'],
    ]);
    expect(names('A')).toEqual(['mcp__a__echo', 'mcp__a__count', 'mcp__b__echo']);
    expect(await tool('A', 'mcp__a__count').call({}, never)).toMatchObject({ content: [{ text: '1' }] });
    const after = await row('A', 'a');
    expect(after?.identity?.pid).not.toBe(before?.identity?.pid);
    expect(after).not.toHaveProperty('revoked');
  });

  it('of a disabled server stops its child, keeps telling what it was, and leaves the others alone', async () => {
    const { attach, connected, write, reconciler, pid, row, opened } = open();
    const [a, b] = [stored('a', 'echo'), stored('b', 'echo')];
    write(USER, a, b);
    await attach('A');
    await connected('A');
    const [pidOfA, pidOfB] = [await pid('A', 'a'), await pid('A', 'b')];

    write(USER, { ...a, enabled: false }, b);
    expect(await reconciler.reconcile('A')).toMatchObject({ revoked: 1 });
    await until('the child is gone', () => !isAlive(pidOfA));
    const disabled = { connected: false, revoked: 'disabled', identity: { pid: pidOfA, toolCount: 1 } };
    expect(await row('A', 'a')).toMatchObject(disabled);
    expect(await reconciler.reconcile('A')).toMatchObject({ revoked: 0, servers: [disabled, { connected: true }] });

    write(USER, a, b);
    expect(await reconciler.reconcile('A')).toMatchObject({ revoked: 0, servers: [{ connected: true }, {}] });
    expect(await row('A', 'a')).not.toHaveProperty('revoked');
    expect(await pid('A', 'b')).toBe(pidOfB);
    expect(opened.map(({ name }) => name)).toEqual(['a', 'b', 'a']);

    write(USER, b);
    expect(await reconciler.reconcile('A')).toMatchObject({
      revoked: 1,
      servers: [{ server: { entry: { name: 'b' } } }],
    });
  });

  it('does not count a definition that never came up', async () => {
    const { attach, connected, write, reconciler } = open();
    write(USER, stored('broken', 'crashinit'));
    await attach('A');
    await connected('A');
    write(USER, stored('broken', 'crashinit', { enabled: false }));
    const report = await reconciler.reconcile('A');
    expect(report).toMatchObject({ revoked: 0, servers: [{ connected: false }], warnings: [] });
    expect(report.servers[0]).not.toHaveProperty('revoked');
  });

  it('cuts off a server whose definition is no longer trusted', async () => {
    const { attach, connected, write, reconciler, untrusted, names } = open();
    write(USER, stored('a', 'echo'));
    await attach('A');
    await connected('A');
    untrusted.add('a');
    expect(await reconciler.reconcile('A')).toMatchObject({ revoked: 1, servers: [{ revoked: 'untrusted' }] });
    expect(names('A')).toEqual([]);
    untrusted.clear();
    expect(await reconciler.reconcile('A')).toMatchObject({ revoked: 0, servers: [{ connected: true }] });
  });

  it('restarts nothing when only allowed_tools or require_confirmation change', async () => {
    const { attach, connected, write, reconciler, names, tool, opened } = open();
    write(USER, stored('a', 'slow'));
    await attach('A', 'B');
    await connected('A', 'B');
    const narrow = (allowed: string[]) => stored('a', 'slow', { allowed_tools: allowed, require_confirmation: true });
    write(USER, narrow(['sleep', 'no_such_tool']));
    expect(await reconciler.reconcile('A')).toMatchObject({ revoked: 0, sessions: 2 });
    expect([names('A'), names('B')]).toEqual([['mcp__a__sleep'], ['mcp__a__sleep']]);
    expect(tool('A', 'mcp__a__sleep').requireConfirmation).toBe(true);
    write(USER, narrow([]));
    await reconciler.reconcile('A');
    expect(names('A')).toEqual([]);
    expect(opened).toHaveLength(1);
  });
});

describe('a session with an unreadable layer', () => {
  it('loses what only that layer has, connects nothing, and gets the same child back in place', async () => {
    const { attach, connected, write, breakLayer, reconciler, pid, row, tool, opened } = open();
    write(USER, stored('a', 'echo'));
    write(project('B'), stored('own', 'echo'));
    await attach('A', 'B', 'C');
    await connected('A', 'B', 'C');
    const child = await pid('B', 'own');
    const held = tool('B', 'mcp__own__echo');

    breakLayer(project('B'));
    write(USER, stored('a', 'echo'), stored('new', 'echo'));
    expect(await reconciler.reconcile('A')).toMatchObject({
      sessions: 2,
      partialSessions: 1,
      revoked: 1,
      deferredSessions: 1,
      deferredStarted: true,
    });
    await expect(held.call({}, never)).rejects.toThrow('revoked (layer_unreadable)');
    expect(await row('B', 'own')).toMatchObject({
      connected: false,
      revoked: 'layer_unreadable',
      identity: { pid: child },
    });
    expect(await row('B', 'a')).toMatchObject({ connected: true });
    expect(await row('B', 'new')).toMatchObject({ connected: false });

    const own = await reconciler.reconcile('B');
    expect(own).toMatchObject({ sessions: 2, partialSessions: 1, revoked: 0, deferredSessions: 2 });
    expect(own.warnings).toEqual([expect.stringContaining('line 1, column 2: no')]);
    expect(isAlive(child)).toBe(true);

    write(project('B'), stored('own', 'echo'));
    expect(await reconciler.reconcile('B')).toMatchObject({ sessions: 3, partialSessions: 0, revoked: 0 });
    expect(await held.call({ text: 'again' }, never)).toMatchObject({ content: [{ text: 'again' }] });
    expect(await row('B', 'own')).toMatchObject({ connected: true, identity: { pid: child } });
    expect(await row('B', 'new')).toMatchObject({ connected: true });
    expect(opened.map(({ name }) => name)).toEqual(['a', 'own', 'new']);
  });

  it('lets go of what the repaired layer no longer has', async () => {
    const { attach, connected, write, breakLayer, reconciler, pid } = open();
    write(project('A'), stored('own', 'echo'));
    await attach('A');
    await connected('A');
    const child = await pid('A', 'own');
    breakLayer(project('A'));
    expect(await reconciler.reconcile('A')).toMatchObject({ sessions: 0, partialSessions: 1, revoked: 1 });
    write(project('A'));
    expect(await reconciler.reconcile('A')).toMatchObject({ sessions: 1, revoked: 0, servers: [] });
    await until('the child is gone', () => !isAlive(child));
  });
});

describe('the connect half', () => {
  it('is waited for in the caller’s session alone', async () => {
    const { attach, write, reconciler, row } = open();
    await attach('A', 'B');
    write(project('B'), MUTE);
    write(USER, stored('a', 'echo'), stored('broken', 'crashinit'));
    expect(await reconciler.reconcile('A')).toMatchObject({
      sessions: 2,
      deferredSessions: 1,
      deferredStarted: true,
      servers: [{ connected: true }, { connected: false, error: expect.stringMatching(/^server "broken"/) }],
    });
    expect(await row('B', 'mute')).toMatchObject({ connected: false });
  });

  it('is waited for also when another write changes meanwhile what the caller wants', async () => {
    const { attach, write, reconciler, names, opened } = open();
    await attach('A', 'B');
    write(USER, MUTE, stored('a', 'echo'));
    const first = reconciler.reconcile('A');
    await until('it is being started', () => opened.length === 2);
    write(USER, stored('mute', 'slowinit', { env: { MODE: 'slowinit', DELAY: '300' } }), stored('a', 'slow'));
    const second = reconciler.reconcile('B');
    for (const report of [await first, await second]) {
      expect(report.servers.map(({ connected: is }) => is)).toEqual([true, true]);
    }
    expect(names('A')).toEqual(['mcp__mute__echo', 'mcp__a__echo', 'mcp__a__sleep']);
  });

  it('of the others is skipped when every slot stays busy, and a later write makes up for it', async () => {
    const { attach, connected, write, reconciler, clock, row, names } = open();
    write(USER, stored('old', 'echo'));
    write(project('B'), MUTE);
    await attach('A', 'B', 'C');
    await connected('A', 'C');
    for (let pass = 0; pass < BACKGROUND_SLOTS; pass += 1) {
      expect(await reconciler.reconcile('A')).toMatchObject({ sessions: 3, deferredStarted: true });
    }
    write(USER, stored('new', 'echo'));
    const skipped = reconciler.reconcile('A');
    await clock.advance(SLOT_WAIT_MS);
    expect(await skipped).toMatchObject({ sessions: 1, revoked: 3, deferredSessions: 2, deferredStarted: false });
    // Skipped is the connecting alone: what is gone was cut off everywhere.
    expect([names('A'), names('B'), names('C')]).toEqual([['mcp__new__echo'], [], []]);
    expect(await row('C', 'new')).toMatchObject({ connected: false });

    const waiting = reconciler.reconcile('A');
    await reconciler.detach('B');
    expect(await waiting).toMatchObject({ deferredStarted: true });
    await connected('C');
    expect(names('C')).toEqual(['mcp__new__echo']);
    expect(clock.waiting).toBe(0);
  });

  it('revives a dead server when asked to, in every session', async () => {
    const { attach, connected, write, reconciler, pid, row } = open();
    write(USER, stored('a', 'echo'));
    await attach('A', 'B');
    await connected('A', 'B');
    const old = await pid('A', 'a');
    process.kill(old, 'SIGKILL');
    await until('the death is seen', () => reconciler.tools('B').length === 0, 2_000);
    expect(await row('B', 'a')).toMatchObject({ connected: false, identity: { pid: old } });
    expect(await reconciler.reconcile('A', { retryDead: true })).toMatchObject({
      revoked: 0,
      servers: [{ connected: true }],
      warnings: [],
    });
    expect(await pid('B', 'a')).not.toBe(old);
  });
});

describe('a reading', () => {
  it('never replaces one that began later', async () => {
    const { attach, connected, write, reconciler, names, holdReadings } = open();
    write(USER, stored('a', 'echo'));
    await attach('A');
    await connected('A');
    const hold = holdReadings();
    const older = reconciler.reconcile('A');
    const letGo = hold();
    write(USER);
    expect(await reconciler.reconcile('A')).toMatchObject({ revoked: 1, servers: [] });
    letGo();
    expect(await older).toMatchObject({ servers: [] });
    expect(names('A')).toEqual([]);
  });

  it('includes a session that opens meanwhile, and leaves out one that ends', async () => {
    const { attach, reconciler, holdReadings } = open();
    await attach('A', 'B');
    const hold = holdReadings();
    const opening = attach('C');
    const report = reconciler.reconcile('A');
    await reconciler.detach('B');
    hold()();
    await opening;
    expect(await report).toMatchObject({ sessions: 2, partialSessions: 0, deferredSessions: 1 });
  });

  it('follows a hand edit by itself, once for a burst of changes, in the sessions that have the file', async () => {
    const { attach, connected, write, reconciler, names, reads, clock } = open();
    write(USER, stored('a', 'echo'));
    await attach('A', 'B');
    await connected('A', 'B');
    reads.length = 0;
    write(project('B'), stored('own', 'echo'));
    for (let burst = 0; burst < 5; burst += 1) reconciler.settingsChanged(project('B'));
    reconciler.settingsChanged('/project/nobody');
    await clock.advance(SETTLE_MS);
    expect(reads).toEqual(['B']);
    await connected('B');
    expect([names('A'), names('B')]).toEqual([['mcp__a__echo'], ['mcp__a__echo', 'mcp__own__echo']]);
    write(USER);
    reconciler.settingsChanged(USER);
    await clock.advance(SETTLE_MS);
    expect([names('A'), names('B')]).toEqual([[], ['mcp__own__echo']]);
  });

  it('after a hand edit waits for a write under way, whose own report tells what it cut off', async () => {
    const { attach, connected, write, reconciler, names, clock } = open();
    write(USER, stored('a', 'echo'));
    await attach('A');
    await connected('A');
    await reconciler.whileWriting(async () => {
      write(USER);
      reconciler.settingsChanged(USER);
      await clock.advance(3 * SETTLE_MS);
      expect(names('A')).toEqual(['mcp__a__echo']);
    });
    expect(await reconciler.reconcile('A')).toMatchObject({ revoked: 1 });
    await clock.advance(SETTLE_MS);
    expect(clock.waiting).toBe(0);
  });
});
