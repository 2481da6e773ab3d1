import { afterEach, describe, expect, it } from '@jest/globals';
import type { ServerPool } from '../../src/services/server-pool.js';
import { FakeClock } from '../fakes/clock.js';
import { effective, isAlive, newPool, pidOf, posture, realConnector, stored, until } from './pool-fixture.js';

const echo = effective(stored('echo', 'echo'));
const never = new AbortController().signal;

const pools: ServerPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function open({ hostEnv = process.env as Record<string, string | undefined> } = {}) {
  const clock = new FakeClock();
  const connector = realConnector();
  const pool = newPool(clock, connector, hostEnv);
  pools.push(pool);
  return { pool, clock, opened: connector.opened };
}

describe('sharing', () => {
  it('gives sessions with the same server in the same place one child, which lives until the last lease is released', async () => {
    const { pool, opened } = open();
    const first = pool.acquire(echo, posture('sess_A'));
    const second = pool.acquire(echo, posture('sess_B'));
    await Promise.all([first.settled(), second.settled()]);
    const pid = pidOf(first);
    expect(pidOf(second)).toBe(pid);
    expect(opened).toHaveLength(1);

    await first.release();
    expect(isAlive(pid)).toBe(true);
    await expect(first.call('echo', {}, never)).rejects.toThrow('server "echo" is not connected: it was stopped');
    expect(first.state).toMatchObject({ state: 'closed', last: { pid, toolCount: 1 } });
    expect(await second.call('echo', { text: 'still here' }, never)).toMatchObject({ isError: false });

    await Promise.all([second.release(), second.release()]);
    expect(isAlive(pid)).toBe(false);
  });

  it('starts a new child for a lease taken while the old one is stopping, and only when that is gone', async () => {
    const { pool } = open();
    const old = pool.acquire(echo, posture());
    await old.settled();
    const oldPid = pidOf(old);
    const released = old.release();
    const fresh = pool.acquire(echo, posture());
    expect(fresh.state.state).toBe('connecting');
    await fresh.settled();
    expect(isAlive(oldPid)).toBe(false);
    expect(pidOf(fresh)).not.toBe(oldPid);
    await released;
  });

  it('stops an attempt under way when its only lease is released', async () => {
    const { pool } = open();
    const lease = pool.acquire(effective(stored('mute', 'noinit')), posture());
    await lease.release();
    await lease.settled();
    expect(lease.state).toEqual({ state: 'closed' });
  });

  it('tells servers apart by what is started and where, and not by what is shown of them', () => {
    const hostEnv: Record<string, string | undefined> = { TOKEN: 'one' };
    const { pool } = open({ hostEnv });
    const identity = (more = {}, where = {}): string =>
      pool.identityOf(effective(stored('echo', 'echo', more)), posture('sess_A', where));
    const plain = identity();
    const same = [{ allowed_tools: ['echo'] }, { require_confirmation: true }, { enabled: false }, { note: 'mine' }];
    for (const more of same) expect(identity(more)).toBe(plain);
    const other = [{ args: [] }, { command: 'node' }, { env: { MODE: 'slow' } }, { name: 'other' }];
    for (const more of other) expect(identity(more)).not.toBe(plain);
    expect(identity({}, { cwd: '/tmp' })).not.toBe(plain);
    expect(identity({}, { realm: 'a'.repeat(24) })).not.toBe(plain);
    expect(identity({}, { sessionId: 'sess_B', toolMode: 'read_only' })).toBe(plain);

    const withToken = identity({ env: { T: '${TOKEN}' } });
    hostEnv['TOKEN'] = 'two';
    expect(identity({ env: { T: '${TOKEN}' } })).not.toBe(withToken);
  });
});

describe('the child', () => {
  it('gets the expanded variables of its entry over a scrubbed environment, and runs in the cwd of the session', async () => {
    const hostEnv = { ...process.env, TOKEN: 's3cret-value', HOODY_TOKEN: 'platform', ANTHROPIC_API_KEY: 'provider' };
    const { pool } = open({ hostEnv });
    const env = { MODE: 'env,cwd', A: 'Bearer ${TOKEN}', B: '${NOWHERE}' };
    const lease = pool.acquire(effective(stored('env', 'env', { env })), posture('sess_A', { cwd: '/tmp' }));
    await lease.settled();
    const { content } = await lease.call('env', {}, never);
    const seen = JSON.parse(content[0]?.['text'] as string) as Record<string, string>;
    expect(seen).toMatchObject({ A: 'Bearer s3cret-value', B: '', PATH: process.env['PATH'] });
    expect(seen).not.toHaveProperty('HOODY_TOKEN');
    expect(seen).not.toHaveProperty('ANTHROPIC_API_KEY');
    expect(await lease.call('cwd', {}, never)).toMatchObject({ content: [{ text: '/tmp' }] });
    expect(lease.warnings).toEqual([expect.stringContaining('NOWHERE')]);
  });

  it('is shown with the tools it announces later', async () => {
    const { pool } = open();
    const lease = pool.acquire(effective(stored('grow', 'listchanged')), posture());
    await lease.settled();
    await lease.call('add', { name: 'extra' }, never);
    await until('the new tool is listed', () => lease.tools.some(({ name }) => name === 'extra'));
    expect(lease.state).toMatchObject({ identity: { toolCount: lease.tools.length } });
  });
});

describe('a child that dies', () => {
  it('is noticed within 2 s without a call, fails calls at once, and is back after the pause', async () => {
    const { pool, clock } = open();
    const lease = pool.acquire(effective(stored('victim', 'slow')), posture());
    await lease.settled();
    const pid = pidOf(lease);
    const underWay = lease.call('sleep', { ms: 60_000 }, never).catch((error: Error) => error.message);
    process.kill(pid, 'SIGKILL');
    await until('the death is seen', () => lease.state.state === 'dead', 2_000);
    expect(await underWay).toMatch(/server "victim"/);
    expect(lease.state).toMatchObject({ last: { pid }, retryAt: clock.now() + 1_000 });
    await expect(lease.call('sleep', { ms: 1 }, never)).rejects.toThrow(/^server "victim" is not connected: /);

    await clock.advance(999);
    expect(lease.state.state).toBe('dead');
    await clock.advance(1);
    expect(lease.state).toMatchObject({ state: 'connecting', last: { pid } });
    await lease.settled();
    expect(pidOf(lease)).not.toBe(pid);
    expect(await lease.call('echo', { text: 'back' }, never)).toMatchObject({ content: [{ text: 'back' }] });
  });

  it('is not started again after five restarts that failed, until somebody asks', async () => {
    const { pool, clock, opened } = open();
    const lease = pool.acquire(effective(stored('broken', 'crashinit')), posture());
    await lease.settled();
    for (const pauseMs of [1_000, 3_000, 10_000, 30_000, 60_000]) {
      expect(lease.state).toMatchObject({ state: 'dead', retryAt: clock.now() + pauseMs });
      await clock.advance(pauseMs);
      await lease.settled();
    }
    expect(lease.state).not.toHaveProperty('retryAt');
    expect(lease.stderrTail()).toEqual(['cannot start']);
    expect(clock.waiting).toBe(0);
    expect(opened).toHaveLength(6);

    lease.retry();
    lease.retry();
    await lease.settled();
    expect(opened).toHaveLength(7);
    expect(lease.state).toMatchObject({ state: 'dead', retryAt: clock.now() + 1_000 });
  });

  it('is retried at once when asked during a pause, and the pause ends with it', async () => {
    const { pool, clock } = open();
    const lease = pool.acquire(echo, posture());
    await lease.settled();
    const pid = pidOf(lease);
    process.kill(pid, 'SIGKILL');
    await until('the death is seen', () => lease.state.state === 'dead', 2_000);
    lease.retry();
    await lease.settled();
    expect(pidOf(lease)).not.toBe(pid);
    expect(clock.waiting).toBe(0);
  });

  it('gets a new attempt when somebody new wants it', async () => {
    const { pool, opened } = open();
    const first = pool.acquire(effective(stored('broken', 'crashinit')), posture('sess_A'));
    await first.settled();
    const second = pool.acquire(effective(stored('broken', 'crashinit')), posture('sess_B'));
    expect([first.state.state, second.state.state]).toEqual(['connecting', 'connecting']);
    await second.settled();
    expect(opened).toHaveLength(2);
  });

  it('is not started again after its last lease is released', async () => {
    const { pool, clock, opened } = open();
    const lease = pool.acquire(effective(stored('missing', 'echo', { command: '/no/such/program' })), posture());
    await lease.settled();
    expect(lease.state).toMatchObject({ state: 'dead', attempt: 0 });
    await lease.release();
    await clock.advance(3_600_000);
    expect(opened).toHaveLength(1);
    expect(clock.waiting).toBe(0);
  });
});

describe('a slow server', () => {
  it('is in nobody’s way: the one beside it is usable while it starts, and a late success is taken up', async () => {
    const { pool } = open();
    const mute = pool.acquire(effective(stored('mute', 'noinit')), posture());
    const slow = pool.acquire(
      effective(stored('slow', 'slowinit', { env: { MODE: 'slowinit', DELAY: '500' } })),
      posture(),
    );
    const fast = pool.acquire(echo, posture());
    await fast.settled();
    expect(await fast.call('echo', { text: 'quick' }, never)).toMatchObject({ isError: false });
    expect(mute.state.state).toBe('connecting');
    await expect(mute.call('echo', {}, never)).rejects.toThrow('server "mute" is not connected: it is starting');
    await slow.settled();
    expect(slow.state.state).toBe('connected');
  });
});
