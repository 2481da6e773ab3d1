/**
 * The edge: one request at a time through the steps of `#dispatch`, in the order that decides which error wins. It runs
 * on Node's own server, because routing, parsing and replying are few lines here and a framework around them would cost
 * more than the call they lead to.
 * Invariant: whatever happens to a request, it gets one answer in the documented form, or its caller is gone.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { DaemonError, toDaemonError } from '../domain/errors.js';
import type { Clock, Ids, LoginSource, Logger } from '../ports.js';
import { CallerGone, hasBody, parseJson, readBody, requireAcceptableSize, requireJson } from './body.js';
import { ContractBreach, ReplyChecker } from './check-reply.js';
import type { Contract } from './contract.js';
import { DocsAssets } from './docs.js';
import { errorBody, errorHeaders, invalidRequest, STATUS, statusOf } from './errors.js';
import { Exchange } from './exchange.js';
import { ArrivingBytes, InFlight, RateLimit, StreamSlots } from './limits.js';
import type { AnyReply, Context, Handlers } from './operation.js';
import { closeAfterReply, JSON_TYPE, writeRawReply, writeReply } from './reply.js';
import { Router } from './router.js';
import { Schemas } from './schemas.js';
import { countOf, readScope } from './scope.js';
import { SourceGuard, type GuardConfig } from './source-guard.js';
import { EventStream, type StreamOptions } from './sse.js';
import { RequestValidator, type RequestInput } from './validate.js';

export interface EdgeConfig extends GuardConfig {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** `perSecond` 0 switches the limit off. */
  readonly rate: { readonly perSecond: number; readonly burst: number };
  readonly inFlightMax: number;
  readonly arrivingBytesMax: number;
  readonly maxBodyBytes: number;
  readonly maxStreamsPerIp: number;
  readonly sseHeartbeatMs: number;
}

export interface AppDeps {
  readonly handlers: Handlers;
  readonly contract: Contract;
  readonly config: EdgeConfig;
  readonly login: LoginSource;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** For tests: an answer that breaks the contract is an error instead of a log line. */
  readonly strict: boolean;
}

/** A client that has not finished its headers by then is not a client of ours. */
const HEADERS_TIMEOUT_MS = 15_000;
/** 8 MiB at little more than a megabit a second. It covers receiving the request only, so streams are unaffected. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than clients and proxies keep idle connections, so that they close first and never write into a closing one. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** How often Node looks for connections over the limits above. */
const TIMEOUT_CHECK_MS = 5_000;
/** Node's default, stated because the contract's 400 for it is. */
const HEADER_BYTES_MAX = 16 * 1024;
/** Far more than any client sends. Refused rather than cut: a header dropped silently could be the one that scopes. */
const HEADERS_MAX = 100;
/** What requests in work get at shutdown before their connections are cut. */
const SHUTDOWN_GRACE_MS = 3_000;

type UntypedHandler = (input: RequestInput, context: Context) => AnyReply | Promise<AnyReply>;

export class App {
  readonly #config: EdgeConfig;
  readonly #login: LoginSource;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #handlers: Readonly<Record<string, UntypedHandler>>;
  readonly #guard: SourceGuard;
  readonly #rate: RateLimit;
  readonly #inFlight: InFlight;
  readonly #arriving: ArrivingBytes;
  readonly #streamSlots: StreamSlots;
  readonly #router: Router;
  readonly #docs: DocsAssets;
  readonly #validator: RequestValidator;
  readonly #checker: ReplyChecker;
  readonly #streams = new Set<EventStream>();
  readonly #server: Server;
  readonly #runPrefix: string;
  #requests = 0;
  #isClosing = false;

  constructor(deps: AppDeps) {
    const { config, contract } = deps;
    this.#config = config;
    this.#login = deps.login;
    this.#clock = deps.clock;
    this.#logger = deps.logger;
    this.#handlers = deps.handlers as unknown as Readonly<Record<string, UntypedHandler>>;
    this.#guard = new SourceGuard(config);
    this.#rate = new RateLimit(config.rate, deps.clock);
    this.#inFlight = new InFlight(config.inFlightMax);
    this.#arriving = new ArrivingBytes(config.arrivingBytesMax);
    this.#streamSlots = new StreamSlots(config.maxStreamsPerIp);
    this.#router = new Router(contract.operations);
    this.#docs = new DocsAssets(contract);
    const schemas = Schemas.of(contract.bundle);
    this.#validator = new RequestValidator(schemas);
    this.#checker = new ReplyChecker(contract, schemas, deps.logger, deps.strict);
    this.#runPrefix = deps.ids.hex(8);
    this.#server = this.#createServer();
  }

  /** Answers that broke the contract since the start. */
  get contractBreaches(): number {
    return this.#checker.breaches;
  }

  /** Resolves when the port is open. Rejects with Node's error when it cannot be (in use, not allowed). */
  async listen(): Promise<{ readonly baseUrl: string }> {
    const { host, port } = this.#config;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    const address = this.#server.address() as AddressInfo;
    const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
    return { baseUrl: `http://${name}:${address.port}` };
  }

  /** Stops listening, ends the streams, lets requests in work finish for a moment, then cuts what is left. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const stream of this.#streams) stream.end('shutting_down');
    const cancel = this.#clock.after(SHUTDOWN_GRACE_MS, () => this.#server.closeAllConnections());
    await closed;
    cancel();
  }

  /** The order here decides which error wins when several apply. Steps 11 and later belong to the handler. */
  async #dispatch(exchange: Exchange): Promise<AnyReply> {
    const { request, response } = exchange;
    requireSoundRequest(request); //                                            2 target and Host
    exchange.clientAddress = this.#guard.admit(request); //                     3 source guard
    this.#rate.take(exchange.clientAddress); //                                 4 rate
    this.#inFlight.requireRoom(); //                                            5 requests at once
    requireAcceptableSize(request, this.#config.maxBodyBytes); //               6 size, as declared
    const { path, query } = splitTarget(request.url!);
    const asset = this.#docs.find(request.method!, path);
    if (asset !== undefined) return asset;
    const route = this.#router.find(request.method!, path); //                  7 route
    const operation = (exchange.operation = route.operation);
    let body;
    if (hasBody(request)) {
      if (request.headers.expect !== undefined) response.writeContinue();
      const bytes = await readBody(request, this.#config.maxBodyBytes, this.#arriving); // 6 size, as it arrives
      if (operation.body !== undefined) {
        requireJson(request.headers['content-type']);
        body = parseJson(bytes);
      }
    }
    // Only now: half a body must not keep others out for as long as the rest may take.
    exchange.enter(this.#inFlight); //                                          5 again
    const input = this.#validator.check(route, query, body); //                 8 parameters and body
    exchange.scope = readScope(operation, request, input.query['realm'], this.#login.current()); // 9, 10
    if (operation.streams) this.#takeStreamSlot(exchange);
    return this.#handlers[operation.id]!(input, exchange);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = new Exchange(request, response, this.#nextRequestId());
    try {
      const reply = await this.#dispatch(exchange);
      if ('events' in reply) await this.#stream(exchange, reply.events);
      else this.#answer(exchange, reply);
    } catch (error) {
      this.#fail(exchange, error);
    } finally {
      exchange.waiting();
    }
  }

  #answer(exchange: Exchange, reply: Exclude<AnyReply, { events: unknown }>): void {
    if (exchange.isCallerGone) return;
    const isJson = 'body' in reply;
    // Assets of the reference page are no operation: nothing in the contract describes them.
    if (exchange.operation !== undefined) {
      this.#checker.check(exchange, reply.status, isJson, isJson ? reply.body : reply.text);
    }
    this.#write(exchange, reply);
  }

  #write({ response, requestId }: Exchange, reply: Exclude<AnyReply, { events: unknown }>): void {
    if (this.#isClosing) response.shouldKeepAlive = false;
    if ('body' in reply) {
      writeReply(response, reply.status, JSON_TYPE, JSON.stringify(reply.body), requestId, reply.headers);
    } else {
      writeReply(response, reply.status, `${reply.contentType}; charset=utf-8`, reply.text, requestId, reply.headers);
    }
  }

  /** Any error to its documented answer. Once a stream has begun there is none: the connection breaks. */
  #fail(exchange: Exchange, thrown: unknown): void {
    const { request, response, requestId, family } = exchange;
    if (thrown instanceof CallerGone || exchange.isCallerGone) return;
    const error = toDaemonError(thrown);
    if (error.code === 'internal_error' || response.headersSent) {
      this.#logger.error(
        { requestId, operationId: exchange.operation?.id, err: error.cause ?? error },
        'request failed',
      );
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (error.code === 'payload_too_large') closeAfterReply(request, response, this.#clock);
    const headers = errorHeaders(error);
    const reply = { status: statusOf(error.code), body: errorBody(error, family), ...(headers && { headers }) };
    try {
      this.#checker.check(exchange, reply.status, true, reply.body);
      this.#write(exchange, reply);
    } catch (cause) {
      if (!(cause instanceof ContractBreach))
        this.#logger.error({ requestId, err: cause }, 'an answer could not be written');
      if (response.headersSent) response.destroy();
      else
        this.#write(exchange, {
          status: STATUS.internal_error,
          body: errorBody(new DaemonError('internal_error'), family),
        });
    }
  }

  #takeStreamSlot({ response, clientAddress }: Exchange): void {
    this.#streamSlots.take(clientAddress);
    response.once('close', () => this.#streamSlots.release(clientAddress));
  }

  async #stream(exchange: Exchange, events: AsyncIterable<{ event: string; data: unknown }>): Promise<void> {
    exchange.waiting();
    const options: StreamOptions = {
      clock: this.#clock,
      heartbeatMs: this.#config.sseHeartbeatMs,
      check: (event) => this.#checker.checkEvent(exchange, event),
    };
    const stream = new EventStream(exchange, options);
    this.#streams.add(stream);
    try {
      await stream.run(events);
    } finally {
      this.#streams.delete(stream);
    }
  }

  #createServer(): Server {
    const server = createServer({
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      // Answered here instead, in the documented form.
      requireHostHeader: false,
    });
    server.maxHeadersCount = 0;
    const serve = (request: IncomingMessage, response: ServerResponse): void => void this.#serve(request, response);
    server.on('request', serve);
    // Without these Node would ask for a body that is too large, and answer other expectations by itself.
    server.on('checkContinue', serve);
    server.on('checkExpectation', serve);
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.#refuseUnparsed(error, socket));
    server.on('connect', (_request, socket) => this.#refuseUnparsed(undefined, socket));
    return server;
  }

  /** What Node could not read as a request, or did not get in time. */
  #refuseUnparsed(cause: NodeJS.ErrnoException | undefined, socket: Duplex): void {
    const pending = (socket as { _httpMessage?: ServerResponse | null })._httpMessage;
    if (pending?.req.complete === true) {
      // What follows a whole request is noise; an error written now would be read as that request's answer.
      pending.shouldKeepAlive = false;
      return;
    }
    if (cause?.code === 'ECONNRESET' || !socket.writable || pending?.headersSent === true) {
      socket.destroy();
      return;
    }
    const error = new DaemonError('bad_request', `invalid request: ${unparsedReason(cause?.code)}`);
    writeRawReply(socket, STATUS.bad_request, errorBody(error, 'agent'), this.#nextRequestId(), this.#clock);
  }

  /** Unique across restarts for whoever reads logs, and cheap: one counter behind a random prefix. */
  #nextRequestId(): string {
    this.#requests += 1;
    return `${this.#runPrefix}-${this.#requests.toString(36)}`;
  }
}

/** Throws `bad_request` unless the target is a path and there is exactly one Host. */
function requireSoundRequest(request: IncomingMessage): void {
  if (request.url?.startsWith('/') !== true)
    throw new DaemonError('bad_request', 'invalid request: the target must be a path');
  if (request.rawHeaders.length > 2 * HEADERS_MAX) {
    throw new DaemonError('bad_request', `invalid request: more than ${HEADERS_MAX} headers`);
  }
  const hosts = countOf(request.rawHeaders, 'host');
  if (hosts !== 1) {
    const fault = { pointer: '/headers/host', keyword: 'count', message: 'must be sent exactly once' };
    throw invalidRequest('header host', fault);
  }
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    const fault = { pointer: '/headers/expect', keyword: 'enum', message: 'must be 100-continue' };
    throw invalidRequest('header expect', fault);
  }
}

function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?');
  return mark === -1 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

function unparsedReason(code: string | undefined): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return `the headers are larger than ${HEADER_BYTES_MAX} bytes`;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'the request was not complete in time';
    case undefined:
      return 'the target must be a path';
    default:
      return 'this is not HTTP/1.1';
  }
}
