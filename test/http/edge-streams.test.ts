/** Event streams and the shutdown, over real sockets, against the contract's two streams. */
import { describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DaemonError } from '../../src/domain/errors.js';
import type { Context, SseEvent } from '../../src/http/operation.js';
import { requestBytes, send, startEdge, wholeContract, firstExample, type Edge, type Handler } from './edge-fixture.js';

const CHANGES = '/api/v1/agent/changes/stream';
const RUN = '/api/v1/agent/tools/read_file/stream';

const snapshot: SseEvent = {
  event: 'snapshot',
  data: firstExample(
    wholeContract.bundle['paths']['/api/v1/agent/changes'].get.responses['200'].content['application/json'],
  ),
};
const changed = (token: string): SseEvent => ({ event: 'changed', data: { topic: 'sessions', token } });

/** A stream the test feeds. It ends when the caller leaves, as every stream of ours does. */
class Feed {
  readonly #events: SseEvent[] = [];
  #wake: () => void = () => {};
  #isOver = false;
  pulled = 0;

  push(...events: SseEvent[]): void {
    this.#events.push(...events);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  readonly handler: Handler = (_input, context) => ({ status: 200, events: this.#read(context) });

  async *#read({ signal }: Context): AsyncGenerator<SseEvent> {
    signal.addEventListener('abort', () => this.end());
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) {
        this.pulled += 1;
        yield event;
      } else if (this.#isOver) {
        return;
      } else {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    }
  }

  get isOver(): boolean {
    return this.#isOver;
  }
}

/** One open stream as its reader sees it. */
class Reader {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  text = '';

  constructor(edge: Edge, method: string, target: string) {
    this.socket = connect(edge.port, '127.0.0.1');
    this.socket.write(requestBytes({ method, target, headers: [] }));
    this.socket.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
  }

  /** All that was read, as soon as it has what is wanted. */
  async until(wanted: RegExp): Promise<string> {
    while (!wanted.test(this.text)) await once(this.socket, 'data');
    return this.text;
  }

  /** All of an answer that ended as it should: the last chunk of its body is there. */
  async whole(): Promise<string> {
    while (!this.text.endsWith(LAST_CHUNK)) await once(this.socket, 'data');
    return this.text;
  }
}

/** Something that happens once, in another place than it is waited for. */
function signalled(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

const openStream = (edge: Edge, target = CHANGES, method = 'GET'): Reader => new Reader(edge, method, target);

const LAST_CHUNK = '\r\n0\r\n\r\n';

/** The frames of a chunked body, without the chunk lengths. */
const frames = (text: string): string =>
  text
    .slice(text.indexOf('\r\n\r\n') + 4)
    .split('\r\n')
    .filter((line) => !/^[0-9a-f]+$/.test(line))
    .join('');

describe('a stream', () => {
  test('prints each event as one frame without an id, and ends with its iterable', async () => {
    const feed = new Feed();
    const edge = await startEdge({ handlers: { streamChanges: feed.handler } });
    const reader = openStream(edge);
    feed.push(snapshot, changed('B'), { event: 'end', data: { reason: 'tokens_unreadable' } });
    feed.end();
    const text = await reader.whole();
    expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(text).toContain('\r\nContent-Type: text/event-stream\r\n');
    expect(text).toContain('\r\nCache-Control: no-cache\r\n');
    expect(text).toContain('\r\nX-Accel-Buffering: no\r\n');
    expect(frames(text)).toBe(
      `event: snapshot\ndata: ${JSON.stringify(snapshot.data)}\n\n` +
        'event: changed\ndata: {"topic":"sessions","token":"B"}\n\n' +
        'event: end\ndata: {"reason":"tokens_unreadable"}\n\n',
    );
    reader.socket.destroy();
    await edge.close();
  });

  test('beats its heart in a comment while nothing happens', async () => {
    const feed = new Feed();
    const edge = await startEdge({ handlers: { streamChanges: feed.handler } });
    const reader = openStream(edge);
    feed.push(snapshot);
    await reader.until(/snapshot/);
    await edge.clock.advance(24_999);
    expect(reader.text).not.toContain('heartbeat');
    await edge.clock.advance(1);
    expect(frames(await reader.until(/heartbeat/))).toMatch(/\n\n: heartbeat\n\n$/);
    await edge.clock.advance(25_000);
    await reader.until(/heartbeat[^]*heartbeat/);
    reader.socket.destroy();
    await edge.close();
  });

  test('that fails before its first event is answered as an ordinary error', async () => {
    const failing: Handler = () => ({
      status: 200,
      // oxlint-disable-next-line require-yield -- it never gets that far.
      events: (async function* () {
        throw new DaemonError('not_found', 'session not found');
      })(),
    });
    const edge = await startEdge({ handlers: { streamChanges: failing } });
    const answer = await send(edge, 'GET', CHANGES);
    expect([answer.status, answer.json.code]).toEqual([404, 'not_found']);
    await edge.close();
  });

  test('that fails later breaks off, so that nobody takes it for the end', async () => {
    const failing: Handler = () => ({
      status: 200,
      events: (async function* () {
        yield snapshot;
        throw new Error('lost');
      })(),
    });
    const edge = await startEdge({ handlers: { streamChanges: failing } });
    const reader = openStream(edge);
    await reader.closed;
    expect(reader.text.endsWith(LAST_CHUNK)).toBe(false);
    expect(edge.log).toMatchObject([{ level: 'error', fields: { operationId: 'streamChanges' } }]);
    await edge.close();
  });

  test.each<[string, SseEvent]>([
    ['an event the contract does not have', { event: 'news', data: {} }],
    ['a payload that is not of its event', { event: 'changed', data: { topic: 'sessions' } }],
  ])('never sends %s in tests, and counts it in production', async (_name, event) => {
    for (const strict of [true, false]) {
      const feed = new Feed();
      const edge = await startEdge({ handlers: { streamChanges: feed.handler }, strict });
      const reader = openStream(edge);
      feed.push(snapshot, event);
      feed.end();
      await (strict ? reader.closed : reader.whole());
      expect(reader.text.includes(`event: ${event.event}`)).toBe(!strict);
      expect(edge.app.contractBreaches).toBe(1);
      reader.socket.destroy();
      await edge.close();
    }
  });

  test('tells its producer when the caller leaves', async () => {
    const feed = new Feed();
    const edge = await startEdge({ handlers: { streamChanges: feed.handler } });
    const reader = openStream(edge);
    feed.push(snapshot);
    await reader.until(/snapshot/);
    expect(feed.isOver).toBe(false);
    reader.socket.destroy();
    while (!feed.isOver) await new Promise((resolve) => setImmediate(resolve));
    await edge.close();
  });
});

describe('a reader', () => {
  const big = (bytes: number): SseEvent => ({ event: 'result', data: { ok: true, output: 'x'.repeat(bytes) } });
  const start: SseEvent = { event: 'start', data: { job: 'run', name: 'read_file' } };

  test('that does not read is dropped once 1 MiB waits for it', async () => {
    const feed = new Feed();
    const edge = await startEdge({ handlers: { streamTool: feed.handler } });
    const reader = openStream(edge, RUN, 'POST');
    reader.socket.pause();
    // Kernel buffers take some megabytes first; the feed is larger than they and the limit together.
    feed.push(start, ...Array.from({ length: 1_000 }, () => big(64 * 1024)));
    while (!feed.isOver) await new Promise((resolve) => setImmediate(resolve));
    expect(feed.pulled).toBeLessThan(1_000);
    reader.socket.destroy();
    await edge.close();
  });

  test('that reads gets one frame far beyond 1 MiB whole, and what follows', async () => {
    const feed = new Feed();
    const edge = await startEdge({ handlers: { streamTool: feed.handler } });
    const reader = openStream(edge, RUN, 'POST');
    feed.push(start, big(4 * 1024 * 1024), { event: 'end', data: {} });
    feed.end();
    const text = await reader.whole();
    expect(text.length).toBeGreaterThan(4 * 1024 * 1024);
    expect(frames(text)).toMatch(/event: end\ndata: \{\}\n\n$/);
    reader.socket.destroy();
    await edge.close();
  });

  test('that stops in the middle of such a frame is dropped at a heartbeat', async () => {
    const feed = new Feed();
    const edge = await startEdge({ handlers: { streamTool: feed.handler } });
    const reader = openStream(edge, RUN, 'POST');
    reader.socket.pause();
    feed.push(start, big(32 * 1024 * 1024), { event: 'end', data: {} });
    while (feed.pulled < 2) await new Promise((resolve) => setImmediate(resolve));
    while (!feed.isOver) await edge.clock.advance(25_000);
    expect(feed.pulled).toBe(2);
    reader.socket.destroy();
    await edge.close();
  });
});

test('an address has so many streams and no more, and only streams are refused for it', async () => {
  const feeds = [new Feed(), new Feed(), new Feed()];
  let opened = 0;
  const handler: Handler = (...call) => feeds[opened++]!.handler(...call);
  const edge = await startEdge({ config: { maxStreamsPerIp: 2 }, handlers: { streamChanges: handler } });
  const readers = [openStream(edge), openStream(edge)];
  feeds[0]!.push(snapshot);
  feeds[1]!.push(snapshot);
  for (const reader of readers) await reader.until(/snapshot/);

  for (const [method, target] of [
    ['GET', CHANGES],
    ['POST', RUN],
  ] as const) {
    const refused = await send(edge, method, target);
    expect([refused.status, refused.json.code, refused.headers['retry-after']]).toEqual([
      503,
      'service_unavailable',
      '1',
    ]);
  }
  expect((await send(edge, 'GET', '/api/v1/agent/changes')).status).toBe(200);

  readers[0]!.socket.destroy();
  while (!feeds[0]!.isOver) await new Promise((resolve) => setImmediate(resolve));
  const third = openStream(edge);
  feeds[2]!.push(snapshot);
  expect(await third.until(/snapshot/)).toMatch(/^HTTP\/1.1 200/);
  for (const reader of [...readers, third]) reader.socket.destroy();
  await edge.close();
});

test('a refused stream gives its place back', async () => {
  const refusing: Handler = () => {
    throw new DaemonError('not_found');
  };
  const edge = await startEdge({ config: { maxStreamsPerIp: 1 }, handlers: { streamChanges: refusing } });
  for (let n = 0; n < 3; n += 1) expect((await send(edge, 'GET', CHANGES)).status).toBe(404);
  await edge.close();
});

describe('shutting down', () => {
  test('ends streams with the reason, lets a request in work finish, and takes no more', async () => {
    const feed = new Feed();
    const entered = signalled();
    const finish = signalled();
    const edge = await startEdge({
      handlers: {
        streamChanges: feed.handler,
        closeSession: async () => {
          entered.resolve();
          await finish.promise;
          return { status: 200, body: { status: 'ok' } };
        },
      },
    });
    const reader = openStream(edge);
    feed.push(snapshot);
    await reader.until(/snapshot/);
    const inWork = send(edge, 'POST', '/api/v1/agent/sessions/s/close');
    await entered.promise;

    const closed = edge.close();
    expect(await reader.whole()).toContain('event: end\ndata: {"reason":"shutting_down"}\n\n');
    expect(feed.isOver).toBe(true);
    finish.resolve();
    const answer = await inWork;
    expect([answer.status, answer.headers['connection']]).toEqual([200, 'close']);
    reader.socket.destroy();
    await closed;
    await expect(send(edge, 'GET', '/api/v1/agent/health')).rejects.toThrow('ECONNREFUSED');
  });

  test('cuts what has not finished in time', async () => {
    const entered = signalled();
    const aborted = signalled();
    const edge = await startEdge({
      handlers: {
        closeSession: (_input, { signal }) =>
          new Promise((_resolve, reject) => {
            entered.resolve();
            signal.addEventListener('abort', () => {
              aborted.resolve();
              reject(signal.reason);
            });
          }),
      },
    });
    const reader = openStream(edge, '/api/v1/agent/sessions/s/close', 'POST');
    await entered.promise;
    const closed = edge.close();
    await edge.clock.advance(3_000);
    await aborted.promise;
    await closed;
    reader.socket.destroy();
  });
});
