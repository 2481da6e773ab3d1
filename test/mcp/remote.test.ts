/** Servers behind HTTP: refusals, sessions, redirects, event streams and signs of life. */
import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { systemClock } from '../../src/system.js';
import type { Clock } from '../../src/ports.js';
import {
  attempt,
  call,
  namesOf,
  open,
  type Opened,
  type OpenOptions,
  said,
  startEverything,
  startHttpFixture,
  until,
} from './fixture-server.js';

interface RemoteOptions extends Omit<OpenOptions, 'launch'> {
  headers?: Record<string, string>;
  transport?: 'http' | 'sse';
  secrets?: string[];
}

const remote = (
  url: string,
  { headers = {}, transport = 'http', secrets = [], ...options }: RemoteOptions = {},
): OpenOptions => ({
  ...options,
  launch: { transport, url, headers, secrets, args: [], env: {} },
});
const openRemote = (url: string, options?: RemoteOptions): Promise<Opened> => open('', remote(url, options));

/** The real time, a hundred times as fast for what sleeps. */
const hurriedClock: Clock = {
  now: () => systemClock.now() * 100,
  sleep: (ms, signal) => systemClock.sleep(ms / 100, signal),
  after: (ms, action) => systemClock.after(ms / 100, action),
};

describe('server-everything from npm', () => {
  it.each(['streamableHttp', 'sse'] as const)('can be used over %s', async (mode) => {
    const transport = mode === 'sse' ? 'sse' : 'http';
    const { connection } = await openRemote(await startEverything(mode), { transport });
    expect(connection.protocolVersion).toBe('2025-11-25');
    expect(connection.pid).toBe(0);
    expect(namesOf(connection.tools)).toContain('echo');
    expect(await said(connection, 'echo', { message: 'far away' })).toContain('far away');
    expect(connection.stderrTail()).toEqual([]);
  });
});

describe('a refusal', () => {
  it.each([401, 403])('with %i is shown as such', async (status) => {
    const { url } = await startHttpFixture({ STATUS: String(status) });
    const words = status === 401 ? 'Unauthorized' : 'Forbidden';
    await expect(attempt('', remote(url)).opening).rejects.toMatchObject({
      name: 'ConnectError',
      message: `it answered ${status} ${words}`,
    });
  });

  it('with 500 is the first and only error: nothing falls back to sse', async () => {
    const { url, record } = await startHttpFixture({ STATUS: '500' });
    await expect(attempt('', remote(url)).opening).rejects.toThrow('it answered 500 Internal Server Error: ');
    expect(record().map((entry) => `${entry.http} ${entry.rpc}`)).toEqual(['POST initialize']);
  });

  it('on the old transport is shown as such too', async () => {
    const { url } = await startHttpFixture({ TRANSPORT: 'sse', REQUIRE: 'x-key: right' });
    await expect(attempt('', remote(url, { transport: 'sse' })).opening).rejects.toThrow('it answered 401');
  });

  it('of one call fails that call only', async () => {
    const { url } = await startHttpFixture({ REQUIRE: 'authorization: Bearer right', REQUIRE_ON: 'call' });
    const wrong = await openRemote(url, { headers: { Authorization: 'Bearer wrong' }, secrets: ['Bearer wrong'] });
    await expect(call(wrong.connection, 'echo')).rejects.toThrow('server "subject": it answered 401 Unauthorized');
    expect(wrong.closed).toEqual([]);
    const right = await openRemote(url, { headers: { Authorization: 'Bearer right' } });
    expect(await said(right.connection, 'echo', { text: 'let in' })).toBe('let in');
  });

  const faults: [what: string, url: string, message: string][] = [
    ['nobody listens', 'http://127.0.0.1:2/mcp', 'nothing listens at its address (ECONNREFUSED)'],
    ['fetch refuses the port', 'http://127.0.0.1:9/mcp', 'it could not be reached (bad port)'],
    ['the host is unknown', 'http://no-such-host.invalid/mcp', 'its host name'],
    ['the url is not valid', 'mcp.example.com', 'its url is not valid'],
    ['the url is of another kind', 'file:///etc/passwd', 'its url is neither http nor https'],
    ['the url carries credentials', 'http://me:secret@127.0.0.1/mcp', 'its url has a user name or password in it'],
  ];
  it.each(faults)('is a sentence when %s', async (_what, url, message) => {
    await expect(attempt('', remote(url)).opening).rejects.toThrow(message);
    await expect(attempt('', remote(url)).opening).rejects.not.toThrow('secret');
  });
});

describe('a request', () => {
  it('goes to the exact path and carries the headers of the launch', async () => {
    const { url, record } = await startHttpFixture({ MCP_PATH: '/a/b' });
    const { connection } = await openRemote(url, { headers: { 'X-Key': 'value' } });
    expect(JSON.parse(await said(connection, 'headers'))).toContain('x-key');
    expect(new Set(record().map((entry) => entry.path))).toEqual(new Set(['/a/b']));
    await expect(attempt('', remote(`${url}/`)).opening).rejects.toThrow('it answered 404 Not Found');
  });

  it('is answered as JSON or as an event stream, alike', async () => {
    const { url } = await startHttpFixture({ ANSWER: 'json', STATELESS: '1', GET: '405' });
    const { connection } = await openRemote(url);
    expect((await said(connection, 'big', { bytes: 12_000_000 })).length).toBe(12_000_000);
    const streamed = await openRemote((await startHttpFixture()).url);
    expect((await said(streamed.connection, 'big', { bytes: 12_000_000 })).length).toBe(12_000_000);
  });

  it.each(['json', 'sse'])(
    'whose answer (%s) is over the size limit fails, and the next one is answered',
    async (ANSWER) => {
      const { url } = await startHttpFixture({ ANSWER });
      const { connection, closed } = await openRemote(url);
      await expect(call(connection, 'big', { bytes: 70_000_000 })).rejects.toThrow(
        'it sent a message over the size limit',
      );
      expect(await said(connection, 'echo', { text: 'still there' })).toBe('still there');
      expect(closed).toEqual([]);
    },
  );

  it('is not sent on to another host by a redirect', async () => {
    const elsewhere = await startHttpFixture();
    const { url } = await startHttpFixture({ REDIRECT: elsewhere.url });
    await expect(attempt('', remote(url, { headers: { Authorization: 'Bearer mine' } })).opening).rejects.toThrow(
      'not followed',
    );
    expect(elsewhere.record()).toEqual([]);
  });

  it('may run longer than the pings have patience, while the server is busy with it', async () => {
    const { url } = await startHttpFixture({ PING: 'never' });
    const { connection, closed } = await openRemote(url, { pingIntervalMs: 50 });
    expect(await said(connection, 'sleep', { ms: 600 })).toBe('slept 600');
    expect(closed).toEqual([]);
  });
});

describe('a session', () => {
  it('is one for all calls, and ended politely', async () => {
    const { url, record } = await startHttpFixture();
    const { connection } = await openRemote(url);
    for (const count of ['1', '2', '3', '4', '5']) expect(await said(connection, 'count')).toBe(count);
    await connection.close();
    expect(record().filter((entry) => entry.rpc === 'initialize')).toHaveLength(1);
    expect(record().at(-1)?.http).toBe('DELETE');
  });

  it.each(['404', '400'])(
    'that is over (%s) is replaced once for all calls, which are then repeated',
    async (status) => {
      const { url, record } = await startHttpFixture({ EXPIRE: '2', EXPIRE_STATUS: status });
      const { connection, closed } = await openRemote(url);
      expect([await said(connection, 'count'), await said(connection, 'count')]).toEqual(['1', '2']);
      const counts = await Promise.all([said(connection, 'count'), said(connection, 'count')]);
      expect(counts.toSorted()).toEqual(['1', '2']);
      expect(record().filter((entry) => entry.rpc === 'initialize')).toHaveLength(2);
      expect(closed).toEqual([]);
      await connection.close();
      expect(record().filter((entry) => entry.http === 'DELETE').length).toBeGreaterThanOrEqual(1);
    },
  );

  it('that is over costs a call one repetition, in the new session', async () => {
    const { url, record } = await startHttpFixture({ EXPIRE: '0' });
    const { connection } = await openRemote(url);
    await said(connection, 'echo', { text: 'repeated once' });
    const calls = record().filter((entry) => entry.rpc === 'tools/call');
    expect(calls).toHaveLength(2);
    expect(calls[0]?.session).not.toBe(calls[1]?.session);
  });
});

describe('the event stream', () => {
  it('brings a changed tool list', async () => {
    const { url, record } = await startHttpFixture();
    const { connection, changes } = await openRemote(url);
    await until(() => record().some((entry) => entry.http === 'GET'), 'the stream is open');
    await call(connection, 'add', { name: 'late' });
    await until(() => changes.length > 0, 'the change arrives');
    expect(changes[0]?.tools).toContain('late');
  });

  it.each(['404', '405'])('is asked for once when the answer is %s', async (status) => {
    const { url, record } = await startHttpFixture({ GET: status });
    const { connection, closed } = await openRemote(url, { clock: hurriedClock });
    await systemClock.sleep(600);
    expect(await said(connection, 'echo', { text: 'works without' })).toBe('works without');
    expect(record().filter((entry) => entry.http === 'GET')).toHaveLength(1);
    expect(closed).toEqual([]);
  });

  it('is reopened with pauses by a server that ends it at once', async () => {
    const { url, record } = await startHttpFixture({ GET: 'close' });
    await openRemote(url, { clock: hurriedClock });
    await systemClock.sleep(600);
    // A minute of our clock: five at once, then one every five seconds.
    expect(record().filter((entry) => entry.http === 'GET').length).toBeLessThanOrEqual(5 + 60_000 / 5_000 + 1);
  });

  it('that never names its endpoint fails the start in time', async () => {
    const { url } = await startHttpFixture({ TRANSPORT: 'sse', SILENT: '1' });
    const { opening } = attempt('', remote(url, { transport: 'sse', startTimeoutMs: 300 }));
    await expect(opening).rejects.toThrow('it was not ready within 0.3 s');
  });
});

describe('a remote server', () => {
  it.each(['http', 'sse'] as const)('that dies is noticed by its broken stream (%s)', async (transport) => {
    const { url, child, record } = await startHttpFixture({ TRANSPORT: transport });
    const { connection, closed } = await openRemote(url, { transport });
    await until(() => record().some((entry) => entry.http === 'GET'), 'the stream is open');
    const waiting = expect(call(connection, 'sleep', { ms: 600_000 })).rejects.toThrow(
      /it broke the connection|it ended during the call/,
    );
    await until(() => record().some((entry) => entry.rpc === 'tools/call'), 'the call has arrived');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await until(() => closed.length > 0, 'the end is noticed');
    await waiting;
    expect(closed).toHaveLength(1);
  });

  it('without a stream is noticed by two pings', async () => {
    const { url, child } = await startHttpFixture({ GET: '405' });
    const { closed } = await openRemote(url, { pingIntervalMs: 50 });
    child.kill('SIGKILL');
    await until(() => closed.length > 0, 'the end is noticed');
    expect(closed).toEqual(['nothing listens at its address (ECONNREFUSED)']);
  });

  it('that answers no ping any more is dead', async () => {
    const { url, record } = await startHttpFixture({ GET: '405', PING: 'never' });
    const { closed } = await openRemote(url, { pingIntervalMs: 50 });
    await until(() => closed.length > 0, 'the end is noticed');
    expect(closed).toEqual(['it does not answer']);
    expect(record().filter((entry) => entry.rpc === 'ping')).toHaveLength(2);
  });

  it('that answers pings slowly, or only calls, is alive', async () => {
    const slow = await openRemote((await startHttpFixture({ PING: '60' })).url, { pingIntervalMs: 1_000 });
    const silent = await openRemote((await startHttpFixture({ PING: 'never' })).url, { pingIntervalMs: 200 });
    const endAt = systemClock.now() + 1_500;
    while (systemClock.now() < endAt) await said(silent.connection, 'echo', { text: 'alive' });
    expect([...slow.closed, ...silent.closed]).toEqual([]);
  });
});
