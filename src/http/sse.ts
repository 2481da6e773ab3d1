/**
 * Event streams: an async iterable of events onto a response, with a heartbeat. Frames have no ids, because a stream is
 * never resumed: it starts again from a fresh snapshot.
 * Invariant: what waits for a reader is bounded. One that does not read is dropped, not queued for.
 */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../ports.js';
import type { Exchange } from './exchange.js';
import type { SseEvent } from './operation.js';

/** What may wait in memory for one reader. */
const WAITING_BYTES_MAX = 1024 * 1024;
/** A frame larger than that goes out in pieces, each when the one before has left. */
const PIECE_BYTES = 256 * 1024;

export interface StreamOptions {
  readonly clock: Clock;
  readonly heartbeatMs: number;
  /** Throws when the event breaks the contract and must not be sent. */
  readonly check: (event: SseEvent) => void;
}

export class EventStream {
  readonly #exchange: Exchange;
  readonly #options: StreamOptions;
  #stopHeartbeat: () => void = () => {};
  /** Pieces sent of a large frame under way. */
  #pieces: { sent: number; sentAtLastBeat: number } | undefined;
  #isOver = false;

  constructor(exchange: Exchange, options: StreamOptions) {
    this.#exchange = exchange;
    this.#options = options;
    exchange.response.once('close', () => this.#stop());
  }

  /**
   * Resolves when the stream is over, whoever ended it. Rejects with what the iterable throws: before its first event
   * the answer can still be an ordinary one, after it the connection must break, so that no reader takes it for the end.
   */
  async run(events: AsyncIterable<SseEvent>): Promise<void> {
    const iterator = events[Symbol.asyncIterator]();
    let next = await iterator.next();
    if (this.#isOver) return;
    this.#open();
    try {
      while (!next.done) {
        await this.#write(next.value);
        if (this.#isOver) return;
        next = await iterator.next();
      }
      if (!this.#isOver) this.#exchange.response.end();
    } finally {
      this.#stop();
      // Not awaited: a producer that is slow to stop does not hold the caller's place.
      void Promise.resolve(iterator.return?.()).catch(() => {});
    }
  }

  /** Ends the stream from our side, with a last frame that says why. */
  end(reason: string): void {
    const { response } = this.#exchange;
    if (this.#isOver) return;
    if (this.#pieces !== undefined) return this.#drop();
    if (!response.headersSent) this.#open();
    response.end(frame({ event: 'end', data: { reason } }));
    this.#stop();
  }

  #open(): void {
    const { response, requestId } = this.#exchange;
    response.writeHead(200, [
      'Content-Type',
      'text/event-stream',
      'Cache-Control',
      'no-cache',
      'X-Accel-Buffering',
      'no',
      'X-Content-Type-Options',
      'nosniff',
      'X-Request-Id',
      requestId,
    ]);
    this.#beatLater();
  }

  async #write(event: SseEvent): Promise<void> {
    this.#options.check(event);
    const { response } = this.#exchange;
    const bytes = Buffer.from(frame(event));
    if (bytes.length > WAITING_BYTES_MAX) return this.#writeInPieces(bytes);
    if (response.write(bytes)) return;
    // What the kernel took still counts as waiting until the event loop has turned.
    await new Promise((resolve) => setImmediate(resolve));
    if (response.writableLength > WAITING_BYTES_MAX) this.#drop();
  }

  /** The reader of a large frame is busy, not slow: it is waited for as long as it takes something between two beats. */
  async #writeInPieces(bytes: Buffer): Promise<void> {
    const { response } = this.#exchange;
    const pieces = (this.#pieces = { sent: 0, sentAtLastBeat: -1 });
    for (let offset = 0; offset < bytes.length && !this.#isOver; offset += PIECE_BYTES) {
      const isTaken = response.write(bytes.subarray(offset, offset + PIECE_BYTES));
      if (!isTaken) await drainedOrClosed(response);
      pieces.sent += 1;
    }
    this.#pieces = undefined;
  }

  #beatLater(): void {
    this.#stopHeartbeat = this.#options.clock.after(this.#options.heartbeatMs, () => this.#beat());
  }

  /** A comment, but not into the middle of a frame: its pieces are a sign of life themselves. */
  #beat(): void {
    const pieces = this.#pieces;
    if (pieces === undefined) {
      this.#exchange.response.write(': heartbeat\n\n');
    } else if (pieces.sent === pieces.sentAtLastBeat) {
      this.#drop();
      return;
    } else {
      pieces.sentAtLastBeat = pieces.sent;
    }
    this.#beatLater();
  }

  /** At once, not when the socket says so: the producer must not go on in between. */
  #drop(): void {
    this.#exchange.response.destroy();
    this.#stop();
  }

  #stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopHeartbeat();
    this.#exchange.abandon();
  }
}

/** JSON has no line breaks of its own, so one `data:` line holds it. */
const frame = ({ event, data }: SseEvent): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const drainedOrClosed = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
