/**
 * Sends requests to a target and keeps every exchange, each judged against the contract as it comes in, whatever the
 * case is about. It knows no cases and draws no conclusions: what is wrong with an exchange stands in the exchange.
 *
 * Invariant: no answer and no frame reaches a case without having been judged.
 */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { agents } from './agents.js';
import { Broken, Untestable } from './check.js';
import { type Contract, EVENT_STREAM, errorCode, type Operation, type StreamRules } from './contract.js';
import { type Frame, FrameReader } from './sse.js';

export interface Exchange {
  readonly operation: string | undefined;
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string | undefined;
  /** Those of the headers that the operator or the driver gave. */
  readonly credentials: Readonly<Record<string, string>>;
  /** 0 until the answer came. */
  status: number;
  responseHeaders: Readonly<Record<string, string | undefined>>;
  responseBody: string;
  /** What the contract has against it; also what kept it from ending. */
  readonly complaints: string[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- a case looks at what came, whatever its shape.
  readonly json: any;
  readonly text: string;
  /** Of an error, in either envelope. */
  readonly code: string | undefined;
}

export interface CallArguments {
  readonly path?: Readonly<Record<string, string>>;
  /** A list is sent as one parameter, its items between commas. */
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; text is sent as it is. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export interface ClientOptions {
  readonly baseUrl: string;
  readonly contract: Contract;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The target is a mock that picks its answer by a `Prefer` header. */
  readonly prefer?: { readonly status: number; readonly example?: string };
  /** The target was made to fail inside; of any other, an internal error is held against it. */
  readonly broken?: boolean;
  /** Gets every exchange when it begins. */
  readonly journal: (exchange: Exchange) => void;
}

/** Nothing is there. */
const ABSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'];
/** The longest answer that is kept and judged; a target that sends more is told so. */
const ANSWER_MAX_BYTES = 64 * 1_024 * 1_024;

/** Base URLs that answered: one that does not any more is no missing prerequisite. */
const heardFrom = new Set<string>();

export class Client {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get baseUrl(): string {
    return this.#options.baseUrl;
  }

  /** Another client of the same target; what is given replaces what this one has. */
  with(change: Partial<ClientOptions>): Client {
    return new Client({ ...this.#options, ...change });
  }

  /** The same for the case of another: its exchanges are noted where those of the other are, and waited for as long. */
  besides(other: Client): Client {
    const { journal, timeoutMs } = other.#options;
    return this.with({ journal, timeoutMs });
  }

  /** Calls an operation of the contract. Throws Broken when no answer comes; any status is an answer. */
  call(operationId: string, call: CallArguments = {}): Promise<Answer> {
    const operation = this.#options.contract.operation(operationId);
    const answer = this.send(operation.method, targetOf(operation, call), call);
    // A case that fails meanwhile awaits it no more.
    answer.catch(() => undefined);
    return answer;
  }

  /** Sends to a path, whether the contract has it or not. */
  async send(method: string, target: string, call: CallArguments = {}): Promise<Answer> {
    const { response, exchange, operation } = await this.#begin(method, target, call);
    const text = await this.#readAll(response, exchange);
    return this.#judge(operation, target, exchange, text);
  }

  /**
   * Opens an event stream. Throws Broken when the answer is none; what it was stands in the message. Whoever opens one
   * closes it.
   */
  async stream(operationId: string, call: CallArguments = {}): Promise<EventStream> {
    const operation = this.#options.contract.operation(operationId);
    const target = targetOf(operation, call);
    const { response, exchange } = await this.#begin(operation.method, target, call);
    const isStream = exchange.responseHeaders['content-type']?.startsWith(EVENT_STREAM) === true;
    if (response.statusCode !== 200 || !isStream) {
      const text = await this.#readAll(response, exchange);
      const { status, code } = this.#judge(operation, target, exchange, text);
      throw new Broken(`${operationId} answered ${status} ${code ?? ''} in place of an event stream`);
    }
    // Silence is nothing unusual from here on; who waits for a frame says how long.
    response.setTimeout(0);
    const { status, responseHeaders: headers } = exchange;
    const begun = { status, headers, json: undefined, text: '' };
    exchange.complaints.push(...this.#options.contract.complaints(operation, pathOf(target), begun));
    const rules = operation.answers.get(200)?.stream;
    if (rules === undefined) throw new Error(`the contract has no frames for ${operationId}`);
    if (exchange.responseHeaders['content-encoding'] !== undefined) exchange.complaints.push('a stream is compressed');
    return new EventStream(this.#options.contract, rules, response, exchange, this.#options.timeoutMs);
  }

  /** Opens a request whose body the caller writes, for what an ordinary call cannot do. The caller ends it. */
  open(method: string, target: string, headers: Readonly<Record<string, string>>): ClientRequest {
    const url = new URL(this.#options.baseUrl.replace(/\/$/, '') + target);
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const agent = url.protocol === 'https:' ? agents.https : agents.http;
    return send(url, { method, agent, headers: { ...this.#options.headers, ...headers } });
  }

  /** Judges an answer that came to a request of `open`. */
  receive(method: string, target: string, request: ClientRequest): Promise<Answer> {
    const answer = this.#receive(method, target, request);
    answer.catch(() => undefined);
    return answer;
  }

  async #receive(method: string, target: string, request: ClientRequest): Promise<Answer> {
    const exchange = this.#exchange(method, target, {}, undefined);
    const response = await this.#answerTo(request, exchange);
    const text = await this.#readAll(response, exchange);
    return this.#judge(this.#options.contract.find(method, pathOf(target)), target, exchange, text);
  }

  async #begin(method: string, target: string, call: CallArguments) {
    const operation = this.#options.contract.find(method, pathOf(target));
    const body = call.body === undefined || typeof call.body === 'string' ? call.body : JSON.stringify(call.body);
    const { prefer } = this.#options;
    const headers = {
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}` }),
      ...(prefer === undefined ? {} : { prefer: preferenceOf(prefer) }),
      ...call.headers,
    };
    const exchange = this.#exchange(method, target, headers, body, operation);
    const request = this.open(method, target, headers);
    const abort = (): void => void request.destroy(new Error('the caller hung up'));
    call.signal?.addEventListener('abort', abort);
    request.once('close', () => call.signal?.removeEventListener('abort', abort));
    request.end(body);
    const response = await this.#answerTo(request, exchange);
    return { response, exchange, operation };
  }

  #exchange(
    method: string,
    target: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    operation?: Operation,
  ): Exchange {
    const exchange: Exchange = {
      operation: operation?.id,
      method,
      url: target,
      requestHeaders: { ...this.#options.headers, ...headers },
      requestBody: body,
      credentials: this.#options.headers,
      status: 0,
      responseHeaders: {},
      responseBody: '',
      complaints: [],
    };
    this.#options.journal(exchange);
    return exchange;
  }

  async #answerTo(request: ClientRequest, exchange: Exchange): Promise<IncomingMessage> {
    request.setTimeout(this.#options.timeoutMs, () => {
      request.destroy(new Error(`no answer within ${this.#options.timeoutMs} ms`));
    });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve);
      request.on('error', reject);
    }).catch((error: Error & { code?: string }) => {
      const said = `${exchange.method} ${exchange.url}: ${error.message}`;
      const isAbsent = ABSENT.includes(error.code ?? '') && !heardFrom.has(this.baseUrl);
      throw isAbsent ? new Untestable(said) : new Broken(said);
    });
    heardFrom.add(this.baseUrl);
    exchange.status = response.statusCode!;
    exchange.responseHeaders = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
    );
    return response;
  }

  async #readAll(response: IncomingMessage, exchange: Exchange): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > ANSWER_MAX_BYTES) throw new Error(`the answer is longer than ${ANSWER_MAX_BYTES} bytes`);
        chunks.push(chunk);
      }
    } catch (error) {
      throw new Broken(`${exchange.method} ${exchange.url}: the answer broke off: ${(error as Error).message}`);
    }
    return (exchange.responseBody = Buffer.concat(chunks).toString('utf8'));
  }

  #judge(operation: Operation | undefined, target: string, exchange: Exchange, text: string): Answer {
    const { status, responseHeaders: headers } = exchange;
    const json = parseJson(text);
    const rules = status === 200 ? operation?.answers.get(200)?.stream : undefined;
    const isStream = rules !== undefined && headers['content-type']?.startsWith(EVENT_STREAM);
    exchange.complaints.push(
      ...this.#options.contract.complaints(operation, pathOf(target), { status, headers, json, text }),
      ...(isStream ? streamComplaints(this.#options.contract, rules, text) : []),
    );
    const { broken, prefer } = this.#options;
    if (status === 500 && broken !== true && prefer?.status !== 500) {
      exchange.complaints.push('it failed inside, and nothing was done to make it fail');
    }
    return { status, headers, json, text, code: status >= 400 ? errorCode(json) : undefined };
  }
}

/** Frames as they arrive, each judged; ends when the target ends it or the caller closes it. */
export class EventStream {
  readonly #judge: FrameJudge;
  readonly #reader = new FrameReader();
  readonly #response: IncomingMessage;
  readonly #exchange: Exchange;
  readonly #timeoutMs: number;
  readonly #frames: Frame[] = [];
  #ended = false;
  /** Comments that came, heartbeats among them. */
  comments = 0;

  constructor(
    contract: Contract,
    rules: StreamRules,
    response: IncomingMessage,
    exchange: Exchange,
    timeoutMs: number,
  ) {
    this.#judge = new FrameJudge(contract, rules, exchange.complaints);
    this.#response = response;
    this.#exchange = exchange;
    this.#timeoutMs = timeoutMs;
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      exchange.responseBody += text;
      for (const piece of this.#reader.push(text)) {
        if ('comment' in piece) this.comments += 1;
        else {
          this.#judge.take(piece);
          this.#frames.push(piece);
        }
      }
      response.emit('piece');
    });
    response.once('close', () => {
      this.#ended = true;
      response.emit('piece');
    });
    response.on('error', () => undefined);
  }

  get headers(): Exchange['responseHeaders'] {
    return this.#exchange.responseHeaders;
  }

  /**
   * The next frame of one of these names, or the next of any; its data parsed. Frames before it are passed over.
   * Throws Broken when the stream ends first, or when it does not come in time.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- a case looks at what came.
  async next(...events: string[]): Promise<{ event: string; data: any }> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame === undefined) await this.#more(events.join(' or ') || 'frame');
      else if (events.length === 0 || events.includes(frame.event)) {
        return { event: frame.event, data: parseJson(frame.data) };
      }
    }
  }

  /** Resolves with the next comment; throws Broken as `next` does. */
  async comment(withinMs: number): Promise<void> {
    const before = this.comments;
    while (this.comments === before) await this.#more('comment', withinMs);
  }

  /** Resolves when the target has ended the stream. Throws Broken when it does not in time. */
  async ended(): Promise<void> {
    while (!this.#ended) await this.#more('end of the stream');
  }

  close(): void {
    this.#response.destroy();
  }

  async #more(wanted: string, withinMs: number = this.#timeoutMs): Promise<void> {
    if (this.#ended) throw new Broken(`the stream ended without a ${wanted}`);
    await once(this.#response, 'piece', { signal: AbortSignal.timeout(withinMs) }).catch(() => {
      throw new Broken(`no ${wanted} came within ${withinMs} ms`);
    });
  }
}

/** Names, payloads and order of the frames of one stream. */
class FrameJudge {
  readonly #contract: Contract;
  readonly #rules: StreamRules;
  readonly #complaints: string[];
  #sequence = '';

  constructor(contract: Contract, rules: StreamRules, complaints: string[]) {
    this.#contract = contract;
    this.#rules = rules;
    this.#complaints = complaints;
  }

  take({ event, data, id }: Frame): void {
    const wasOver = this.#sequence.split(';').some((earlier) => this.#rules.terminal.has(earlier));
    this.#sequence += `${event};`;
    if (wasOver) this.#complaints.push(`the frame "${event}" came after the end`);
    else if (!this.#rules.beginning.test(this.#sequence)) this.#complaints.push(`the frame "${event}" is out of order`);
    if (id !== undefined && !this.#rules.ids) this.#complaints.push(`the frame "${event}" has an id line`);
    this.#complaints.push(...this.#contract.frameComplaints(this.#rules, event, parseJson(data)));
  }
}

const streamComplaints = (contract: Contract, rules: StreamRules, text: string): string[] => {
  const complaints: string[] = [];
  const judge = new FrameJudge(contract, rules, complaints);
  for (const piece of new FrameReader().push(text)) if (!('comment' in piece)) judge.take(piece);
  return complaints;
};

/** The path and query of a call. */
export const targetOf = (operation: Operation, { path, query }: CallArguments): string => {
  const filled = operation.path.replaceAll(/\{(.+?)\}/g, (_, name: string) => {
    const value = path?.[name];
    if (value === undefined) throw new Error(`${operation.id} needs the path parameter ${name}`);
    return encodeURIComponent(value);
  });
  const pairs = Object.entries(query ?? {}).map(([name, value]) => {
    const parts = Array.isArray(value) ? value : [value];
    return `${encodeURIComponent(name)}=${parts.map((part) => encodeURIComponent(String(part))).join(',')}`;
  });
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
};

const preferenceOf = ({ status, example }: NonNullable<ClientOptions['prefer']>): string =>
  `code=${status}${example === undefined ? '' : `, example=${example}`}`;

const pathOf = (target: string): string => target.split('?', 1)[0]!;

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
