/**
 * Which error wins when two apply: every pair of faults, put into one request. A fault higher in the table wins over
 * every fault below it, whatever the pair.
 */
import { afterAll, describe, expect, test } from '@jest/globals';
import { DaemonError } from '../../src/domain/errors.js';
import { BODY_CAP, exchange, requestBytes, startEdge, type Edge, type RequestParts } from './edge-fixture.js';

interface Fault {
  readonly name: string;
  readonly status: number;
  readonly message: RegExp;
  /** Puts the fault into a request that is sound otherwise. */
  readonly apply?: (request: RequestParts) => void;
  /** State of the daemon the fault needs instead. */
  readonly state?: keyof typeof STATES;
  /** Faults that cannot be in the same request. */
  readonly excludes?: readonly string[];
}

/** Each is a daemon of its own; two at once are merged. */
const STATES = {
  rate: { config: { rate: { perSecond: 0.001, burst: 1 } } },
  busy: { config: { inFlightMax: 0 } },
  restricted: { login: { serves: 'unknown' } },
} as const;

const setHeader = (name: string, value: string) => (request: RequestParts) => void request.headers.push([name, value]);
const addQuery = (text: string) => (request: RequestParts) =>
  void (request.target += `${request.target.includes('?') ? '&' : '?'}${text}`);
const setPath = (path: string) => (request: RequestParts) =>
  void (request.target = request.target.replace(/\/api\/v1[^?]*/, path));

/** In the order of the edge's steps. */
const FAULTS: readonly Fault[] = [
  {
    name: 'absolute-form target',
    status: 400,
    message: /target/,
    apply: (request) => void (request.target = `http://localhost${request.target}`),
  },
  {
    name: 'second Host',
    status: 400,
    message: /host/,
    apply: (request) => void request.headers.push(['Host', 'localhost'], ['Host', 'localhost']),
  },
  { name: 'foreign page', status: 403, message: /Hoody proxy/, apply: setHeader('Origin', 'http://example.com') },
  { name: 'rate', status: 429, message: /rate limit/, state: 'rate' },
  { name: 'too many at once', status: 503, message: /service unavailable/, state: 'busy' },
  {
    name: 'declared size',
    status: 413,
    message: /size limit/,
    apply: setHeader('Content-Length', String(BODY_CAP + 1)),
    excludes: ['chunked size', 'syntax', 'body member'],
  },
  { name: 'compressed body', status: 400, message: /uncompressed/, apply: setHeader('Content-Encoding', 'gzip') },
  { name: 'unknown path', status: 404, message: /resource not found/, apply: setPath('/api/v1/agent/nothing') },
  {
    name: 'wrong method',
    status: 405,
    message: /no such method/,
    apply: (request) => void (request.method = 'PATCH'),
    excludes: ['unknown path'],
  },
  {
    name: 'chunked size',
    status: 413,
    message: /size limit/,
    apply: (request) => {
      request.headers.push(['Transfer-Encoding', 'chunked']);
      request.body = Buffer.concat([
        Buffer.from(`${(BODY_CAP + 1).toString(16)}\r\n`),
        Buffer.alloc(BODY_CAP + 1, 0x20),
        Buffer.from('\r\n0\r\n\r\n'),
      ]);
    },
    excludes: ['syntax', 'body member'],
  },
  { name: 'media type', status: 400, message: /Content-Type/, apply: setHeader('Content-Type', 'text/plain') },
  {
    name: 'syntax',
    status: 400,
    message: /not valid JSON/,
    apply: (request) => void (request.body = '{'),
    excludes: ['body member'],
  },
  { name: 'unknown query', status: 400, message: /query parameter colour/, apply: addQuery('colour=blue') },
  {
    name: 'body member',
    status: 400,
    message: /session_id must be string/,
    apply: (request) => void (request.body = '{"session_id":1}'),
  },
  { name: 'realm', status: 400, message: /24 lower-case hex/, apply: setHeader('X-Hoody-Realm', '?') },
  { name: 'container', status: 400, message: /x-hoody-container/, apply: setHeader('X-Hoody-Container', 'c') },
  { name: 'cwd', status: 400, message: /x-hoody-cwd/, apply: setHeader('X-Hoody-Cwd', 'relative') },
  { name: 'restriction', status: 503, message: /restriction/, state: 'restricted' },
];

/** What the handler would say: every fault of the edge comes before it. */
const HANDLER_STATUS = 404;

const edges = new Map<string, Promise<Edge>>();

function edgeFor(states: readonly (keyof typeof STATES)[]): Promise<Edge> {
  const key = states.join();
  let edge = edges.get(key);
  if (edge === undefined) {
    const wanted = states.map((state): { config?: object; login?: object } => STATES[state]);
    edge = startEdge({
      config: Object.assign({}, ...wanted.map(({ config }) => config)),
      login: Object.assign({}, ...wanted.map(({ login }) => login)),
      handlers: {
        reconnectMcp: () => {
          throw new DaemonError('not_found', 'session not found');
        },
      },
    });
    edges.set(key, edge);
  }
  return edge;
}

const soundRequest = (): RequestParts => ({
  method: 'POST',
  target: '/api/v1/agent/mcp/reconnect',
  headers: [],
  body: '{"session_id":"sess_1"}',
});

async function answerTo(faults: readonly Fault[]): Promise<{ status: number; message: string }> {
  const edge = await edgeFor(faults.flatMap(({ state }) => state ?? []));
  // The one token there is may be taken already; then this is refused, which is as well.
  if (faults.some(({ state }) => state === 'rate')) await exchange(edge.port, requestBytes(soundRequest()));
  const request = soundRequest();
  for (const { apply } of faults) apply?.(request);
  if (request.headers.some(([name]) => name === 'Content-Length')) delete request.body;
  const { status, json } = await exchange(edge.port, requestBytes(request));
  return { status, message: json.message };
}

afterAll(async () => {
  for (const edge of edges.values()) await (await edge).close();
});

test('a sound request reaches the handler', async () => {
  expect(await answerTo([])).toEqual({ status: HANDLER_STATUS, message: 'session not found' });
});

describe.each(FAULTS.map((fault, index) => ({ fault, index })))('$fault.name', ({ fault, index }) => {
  test('is answered', async () => {
    expect(await answerTo([fault])).toEqual({ status: fault.status, message: expect.stringMatching(fault.message) });
  });

  test('wins over every fault below it', async () => {
    for (const later of FAULTS.slice(index + 1)) {
      if (fault.excludes?.includes(later.name) || later.excludes?.includes(fault.name)) continue;
      const answer = await answerTo([fault, later]);
      expect({ with: later.name, ...answer }).toEqual({
        with: later.name,
        status: fault.status,
        message: expect.stringMatching(fault.message),
      });
    }
  });
});
