/**
 * Event streams: an async iterable of events onto a response, with a heartbeat. Frames have no ids, because a stream is
 * never resumed: it starts again from a fresh snapshot.
 * Invariant: what waits for a reader is bounded. One that does not read is dropped, not queued for.
 */
import type { Clock } from '../ports.js';
import type { Exchange } from './exchange.js';
import type { SseEvent } from './operation.js';

/** What may wait in memory for one reader. */
const WAITING_BYTES_MAX = 1024 * 1024;

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
  #bytesAtLastBeat = 0;
  #isOver = false;

  constructor(exchange: Exchange, options: StreamOptions) {
    this.#exchange = exchange;
    this.#options = options;
    exchange.response.once('close', () => this.#stop());
  }

  /**
   * Resolves when the stream is over, whoever ended it. What the iterable throws before its first event is thrown here,
   * and the answer is still an ordinary one; after that the connection breaks, so that no reader takes it for the end.
   */
  async run(events: AsyncIterable<SseEvent>): Promise<void> {
    const iterator = events[Symbol.asyncIterator]();
    let next = await iterator.next();
    if (this.#isOver) return;
    this.#open();
    try {
      while (!next.done && !this.#isOver) {
        await this.#write(next.value);
        next = await iterator.next();
      }
      if (!this.#isOver) this.#exchange.response.end();
    } catch (error) {
      this.#exchange.response.destroy();
      throw error;
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
    if (response.headersSent) response.write(frame({ event: 'end', data: { reason } }));
    else this.#open();
    response.end();
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

  /** Waits only behind a frame that is itself larger than what may wait: its reader is busy, not slow. */
  async #write(event: SseEvent): Promise<void> {
    this.#options.check(event);
    const { response } = this.#exchange;
    const text = frame(event);
    response.write(text);
    if (response.writableLength <= WAITING_BYTES_MAX) return;
    if (text.length <= WAITING_BYTES_MAX) {
      response.destroy();
      return;
    }
    await new Promise<void>((resolve) => {
      response.once('drain', resolve);
      response.once('close', resolve);
    });
  }

  #beatLater(): void {
    this.#stopHeartbeat = this.#options.clock.after(this.#options.heartbeatMs, () => {
      const { response } = this.#exchange;
      const bytes = response.socket?.bytesWritten ?? 0;
      const isStuck = response.writableLength > WAITING_BYTES_MAX && bytes === this.#bytesAtLastBeat;
      this.#bytesAtLastBeat = bytes;
      if (isStuck) {
        response.destroy();
        return;
      }
      response.write(': heartbeat\n\n');
      this.#beatLater();
    });
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
