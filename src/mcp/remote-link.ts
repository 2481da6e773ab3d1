/**
 * A server behind HTTP: Streamable HTTP, or the older SSE transport where the entry says so. It never falls back from
 * one to the other, because the error of the second attempt would hide the first. What the SDK's transports leave open
 * is closed in the `fetch` they are given: statuses as sentences, bounded messages, event streams that are not reopened
 * in a tight loop.
 * Invariant: headers of the entry are sent to the origin of its url only (the SDK follows no redirect elsewhere).
 */
/* oxlint-disable unicorn/prefer-add-event-listener -- transports of the SDK have handlers, not listeners */
import { setMaxListeners } from 'node:events';
import { STATUS_CODES } from 'node:http';
import { SSEClientTransport, SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Clock, Launch } from '../ports.js';
import type { Link, LinkEvents } from './link.js';
import { MESSAGE_BYTES_MAX } from './message-lines.js';
import type { SecretMask } from './secret-mask.js';
import { quote, SessionGoneError, tell, ToldError, UNAUTHORIZED, UnauthorizedError } from './told-error.js';
import { within } from './within.js';

/** The goodbye to a session is a courtesy: a server that does not take it is left alone. */
const GOODBYE_MS = 2_000;
/** A server that ends or refuses its event stream is asked again this often, after a first burst. */
const STREAM_EVERY_MS = 5_000;
const STREAM_BURST = 5;

export class RemoteLink implements Link {
  readonly transport: Transport;
  readonly pid = 0;
  readonly #clock: Clock;
  readonly #mask: SecretMask;
  readonly #events: LinkEvents;
  readonly #http: StreamableHTTPClientTransport | undefined;
  #isStarted = false;
  #endReason: string | undefined;
  #nextStreamAt = 0;
  #closing: Promise<void> | undefined;

  constructor(launch: Launch, mask: SecretMask, events: LinkEvents, deps: { clock: Clock }) {
    this.#clock = deps.clock;
    this.#mask = mask;
    this.#events = events;
    const url = new URL(launch.url ?? '');
    const options = { requestInit: { headers: { ...launch.headers } }, fetch: this.#fetch };
    if (launch.transport === 'http') {
      this.#http = new StreamableHTTPClientTransport(url, options);
      // The SDK's own types disagree under exactOptionalPropertyTypes.
      this.transport = this.#http as Transport;
    } else {
      this.transport = new SSEClientTransport(url, options);
    }
    const start = this.transport.start.bind(this.transport);
    this.transport.start = async () => {
      await start();
      this.#isStarted = true;
    };
    this.transport.onerror = (error) => this.#broke(error);
  }

  get endReason(): string | undefined {
    return this.#endReason;
  }

  stderrTail(): readonly string[] {
    return [];
  }

  warnings(): readonly string[] {
    return [];
  }

  close(because?: string): Promise<void> {
    this.#endReason ??= because;
    return (this.#closing ??= because === undefined ? this.#goodbye() : this.transport.close());
  }

  async #goodbye(): Promise<void> {
    const goodbye = this.#http?.terminateSession().catch(() => undefined) ?? Promise.resolve();
    await within(goodbye, this.#clock, GOODBYE_MS, () => new ToldError('no answer')).catch(() => undefined);
    await this.transport.close();
  }

  /**
   * The old transport answers on its event stream only: without it nothing can be answered. What breaks before it is
   * open fails the start anyway.
   */
  #broke(error: Error): void {
    if (!this.#isStarted || this.#closing !== undefined || error instanceof ToldError) return;
    if (error instanceof SseError) void this.close('its event stream broke');
    else this.#events.doubted(tell(error, this.#mask));
  }

  readonly #fetch: FetchLike = async (url, init = {}) => {
    // All requests of a transport share one signal, and Node warns about many listeners on it.
    if (init.signal) setMaxListeners(0, init.signal);
    if (this.#http !== undefined && init.method === 'GET') await this.#streamTurn(init.signal ?? undefined);
    const response = await fetch(url, init);
    if (init.method === 'POST' && response.status >= 400)
      throw await this.#refusal(response, new Headers(init.headers));
    return this.#bounded(response);
  };

  async #streamTurn(signal: AbortSignal | undefined): Promise<void> {
    const now = this.#clock.now();
    this.#nextStreamAt = Math.max(this.#nextStreamAt, now - STREAM_BURST * STREAM_EVERY_MS) + STREAM_EVERY_MS;
    if (this.#nextStreamAt > now) await this.#clock.sleep(this.#nextStreamAt - now, signal);
  }

  async #refusal(response: Response, sent: Headers): Promise<ToldError> {
    const { status } = response;
    const body = await response.text().catch(() => '');
    const answered = `it answered ${status} ${response.statusText || (STATUS_CODES[status] ?? '')}`.trimEnd();
    // The protocol says 404 for a session that is over; servers that answer 400 name the session in the text.
    const gone = status === 404 || (status === 400 && /session/i.test(body));
    if (gone && sent.has('mcp-session-id')) return new SessionGoneError(`${answered}: its session is over`);
    if (status === UNAUTHORIZED) return new UnauthorizedError(answered);
    const words = quote(body, this.#mask);
    return new ToldError(status === 403 || words === '' ? answered : `${answered}: ${words}`);
  }

  /** Ends a body in which one message is over the limit. */
  #bounded(response: Response): Response {
    if (!response.ok || response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    let size = 0;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        const eventEnd = isStream ? lastEventEnd(chunk) : -1;
        size = eventEnd === -1 ? size + chunk.length : chunk.length - eventEnd;
        if (size <= MESSAGE_BYTES_MAX) return controller.enqueue(chunk);
        this.#events.oversized();
        controller.error(new ToldError('it sent a message over the size limit'));
      },
    });
    return new Response(response.body.pipeThrough(counter), response);
  }
}

/** Where the last blank line of the chunk begins, or -1. */
function lastEventEnd(chunk: Uint8Array): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\r\n\r\n'));
}
