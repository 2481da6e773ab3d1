/**
 * The real edge over the real contract, with handlers that answer the contract's own examples, and a client that writes
 * bytes: most of what the edge refuses cannot be said through a well-behaved HTTP client.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { Login } from '../../src/domain/session.js';
import { App, type EdgeConfig } from '../../src/http/app.js';
import { indexContract, type Contract, type Node } from '../../src/http/contract.js';
import type { AnyReply, Context, Handlers } from '../../src/http/operation.js';
import type { RequestInput } from '../../src/http/validate.js';
import type { Logger } from '../../src/ports.js';
import { FakeClock } from '../fakes/clock.js';
import { FakeIds } from '../fakes/ids.js';
import { notePair } from '../pairs.js';

const readGenerated = (name: string): Node =>
  JSON.parse(readFileSync(new URL(`../../generated/${name}`, import.meta.url), 'utf8')) as Node;

export const wholeContract: Contract = indexContract(readGenerated('openapi.json'));

export type Handler = (input: RequestInput, context: Context) => AnyReply | Promise<AnyReply>;

export interface LogLine {
  readonly level: string;
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

export interface Edge {
  readonly app: App;
  readonly port: number;
  readonly baseUrl: string;
  readonly clock: FakeClock;
  readonly log: LogLine[];
  /** Requests that got as far as a handler. */
  handled(): number;
  close(): Promise<void>;
}

export interface EdgeOptions {
  readonly config?: Partial<EdgeConfig>;
  readonly login?: Partial<Login>;
  readonly handlers?: Readonly<Record<string, Handler>>;
  readonly strict?: boolean;
  readonly contract?: Contract;
}

export const BODY_CAP = 8 * 1024 * 1024;

export async function startEdge({
  config,
  login,
  handlers,
  strict = true,
  contract = wholeContract,
}: EdgeOptions = {}): Promise<Edge> {
  const clock = new FakeClock();
  const log: LogLine[] = [];
  let handled = 0;
  const counted = ([id, handler]: [string, Handler]): [string, Handler] => [
    id,
    (input, context) => {
      handled += 1;
      return handler(input, context);
    },
  ];
  const app = new App({
    contract,
    handlers: Object.fromEntries(
      Object.entries({ ...exampleHandlers(), ...handlers }).map(counted),
    ) as unknown as Handlers,
    config: {
      access: 'local',
      trustedProxies: [],
      token: undefined,
      host: '127.0.0.1',
      port: 0,
      rate: { perSecond: 0, burst: 0 },
      inFlightMax: 256,
      arrivingBytesMax: 4 * BODY_CAP,
      maxBodyBytes: BODY_CAP,
      maxStreamsPerIp: 16,
      sseHeartbeatMs: 25_000,
      ...config,
    },
    login: { current: () => ({ accountId: 'local', activeRealm: 'global', serves: 'all', pinned: null, ...login }) },
    clock,
    ids: new FakeIds(),
    logger: recordingLogger(log),
    strict,
  });
  const { baseUrl } = await app.listen();
  return {
    app,
    baseUrl,
    port: Number(new URL(baseUrl).port),
    clock,
    log,
    handled: () => handled,
    close: () => app.close(),
  };
}

function recordingLogger(log: LogLine[]): Logger {
  const at = (level: string) => (fields: object, message: string) =>
    void log.push({ level, fields: fields as Record<string, unknown>, message });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** For each operation, the first documented success. */
function exampleHandlers(): Record<string, Handler> {
  return Object.fromEntries(wholeContract.operations.map(({ id, path, method }) => [id, exampleHandler(path, method)]));
}

function exampleHandler(path: string, method: string): Handler {
  const responses = wholeContract.bundle['paths'][path][method.toLowerCase()].responses as Node;
  const status = Object.keys(responses).find((key) => key.startsWith('2')) ?? '200';
  const content = responses[status]?.content ?? {};
  if (content['text/event-stream']) return () => ({ status: 200, events: noEvents() });
  const [type] = Object.keys(content);
  if (type !== undefined && type !== 'application/json') return () => ({ status: 200, contentType: type, text: '' });
  return () => ({ status: Number(status), body: firstExample(content['application/json']) });
}

// oxlint-disable-next-line require-yield -- a stream that is over at once.
async function* noEvents(): AsyncGenerator<never> {}

export function resolveRef(node: Node): Node {
  const ref = node['$ref'] as string | undefined;
  if (ref === undefined) return node;
  const steps = ref.slice(2).split('/');
  return resolveRef(
    steps.reduce<any>((at, step) => at[step.replaceAll('~1', '/').replaceAll('~0', '~')], wholeContract.bundle),
  );
}

/** The value of a media type's first example. */
export function firstExample(mediaType: Node | undefined): unknown {
  const [example] = Object.values<Node>(mediaType?.['examples'] ?? {});
  return example === undefined ? {} : resolveRef(example)['value'];
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed body, undefined when it is no JSON. */
  readonly json: any;
  /** The server has closed its half. */
  readonly closed: boolean;
}

/** Writes bytes on a fresh connection and reads the first answer, as soon as it is complete. */
export async function exchange(port: number, bytes: string | Buffer | readonly (string | Buffer)[]): Promise<Answer> {
  const socket = connect(port, '127.0.0.1');
  try {
    for (const part of typeof bytes === 'string' || Buffer.isBuffer(bytes) ? [bytes] : bytes) socket.write(part);
    return await readAnswer(socket);
  } finally {
    socket.destroy();
  }
}

/** Reads one final answer from a socket; `100 Continue` is skipped. */
export function readAnswer(socket: Socket): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const done = (closed: boolean): void => {
      const answer = parseAnswer(bytes, closed);
      if (answer !== undefined) resolve(answer);
      else if (closed) reject(new Error(`the connection ended after ${JSON.stringify(bytes.toString('latin1'))}`));
    };
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      done(false);
    });
    socket.on('end', () => done(true));
    socket.on('error', reject);
  });
}

function parseAnswer(bytes: Buffer, closed: boolean): Answer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [start = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(start.split(' ')[1]);
  if (status === 100) return parseAnswer(bytes.subarray(end + 4), closed);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const text = bytes.subarray(end + 4).toString('utf8');
  if (!closed && Buffer.byteLength(text) < Number(headers['content-length'] ?? Infinity)) return undefined;
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status, headers, text, json, closed };
}

export interface RequestParts {
  method: string;
  target: string;
  headers: [name: string, value: string][];
  body?: string | Buffer;
}

/** A request as bytes: Host and, with a body, its type and length are added unless they are there. */
export function requestBytes({ method, target, headers, body }: RequestParts): Buffer {
  const has = (name: string): boolean => headers.some(([given]) => given.toLowerCase() === name);
  const all = [...headers];
  if (!has('host')) all.unshift(['Host', 'localhost']);
  if (body !== undefined) {
    if (!has('content-type')) all.push(['Content-Type', 'application/json']);
    if (!has('content-length') && !has('transfer-encoding'))
      all.push(['Content-Length', String(Buffer.byteLength(body))]);
  }
  const head = [`${method} ${target} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '', ''].join(
    '\r\n',
  );
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body ?? '')]);
}

/** One request and its answer. */
export async function send(
  edge: Edge,
  method: string,
  target: string,
  { headers = {}, body }: { headers?: Readonly<Record<string, string>>; body?: string | Buffer } = {},
): Promise<Answer> {
  const parts: RequestParts = { method, target, headers: Object.entries(headers), ...(body !== undefined && { body }) };
  const before = edge.handled();
  const answer = await exchange(edge.port, requestBytes(parts));
  // What a stand-in handler answers proves nothing about the daemon; what the edge answers before one does.
  if (answer.json !== undefined && edge.handled() === before) notePair(method, target, answer.status, answer.json);
  return answer;
}
