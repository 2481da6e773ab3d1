/** What the edge answers by itself, asked of every operation of the contract: none has a way around it. */
import { expect, test } from '@jest/globals';
import type { Operation } from '../../src/http/contract.js';
import {
  BODY_CAP,
  firstExample,
  resolveRef,
  send,
  startEdge,
  wholeContract,
  type EdgeOptions,
  type Handler,
} from './edge-fixture.js';

interface Row {
  readonly status: number;
  readonly code: string;
  /** What makes the daemon answer so, or the request. */
  readonly options?: EdgeOptions;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly method?: string;
  readonly isFor?: (operation: Operation) => boolean;
}

const isRealmScoped = ({ scopes }: Operation): boolean => scopes.has('realm');
const takesRealmQuery = ({ query }: Operation): boolean => query.has('realm');
const isWorkspaces = ({ path }: Operation): boolean => path.startsWith('/api/v1/workspaces/');

const throwing: Handler = () => {
  throw new Error('unforeseen');
};
const allThrow = Object.fromEntries(wholeContract.operations.map(({ id }) => [id, throwing]));

const ROWS: readonly Row[] = [
  { status: 400, code: 'bad_request', query: 'colour=blue' },
  { status: 400, code: 'invalid_realm', headers: { 'X-Hoody-Realm': 'x' }, isFor: isRealmScoped },
  { status: 400, code: 'invalid_realm', query: 'realm=x', isFor: (o) => isRealmScoped(o) && takesRealmQuery(o) },
  {
    status: 400,
    code: 'realm_scope_unsupported',
    headers: { 'X-Hoody-Realm': 'global' },
    isFor: (o) => !isRealmScoped(o) && !isWorkspaces(o),
  },
  {
    status: 400,
    code: 'realm_scope_unsupported',
    options: { login: { pinned: 'aaaaaaaaaaaaaaaaaaaaaaaa' } },
    headers: { 'X-Hoody-Realm': 'global' },
    isFor: isRealmScoped,
  },
  { status: 400, code: 'bad_request', headers: { 'X-Hoody-Cwd': 'relative' } },
  {
    status: 400,
    code: 'bad_request',
    headers: { 'X-Hoody-Container': 'c1' },
    isFor: ({ containerRefusal }) => containerRefusal === 'bad_request',
  },
  { status: 403, code: 'forbidden', headers: { Host: 'example.com' } },
  { status: 405, code: 'method_not_allowed', method: 'OPTIONS' },
  { status: 413, code: 'payload_too_large', headers: { 'Content-Length': String(BODY_CAP + 1) } },
  { status: 429, code: 'rate_limited', options: { config: { rate: { perSecond: 0.001, burst: 1 } } } },
  { status: 500, code: 'internal_error', options: { handlers: allThrow } },
  { status: 503, code: 'service_unavailable', options: { config: { inFlightMax: 0 } } },
  { status: 503, code: 'restriction_unknown', options: { login: { serves: 'unknown' } }, isFor: isRealmScoped },
];

const documentedBody = ({ path, method, body }: Operation): string | undefined => {
  if (body === undefined) return undefined;
  const { requestBody } = wholeContract.bundle['paths'][path][method.toLowerCase()];
  return JSON.stringify(firstExample(resolveRef(requestBody)['content']['application/json']));
};

const targetOf = ({ path, query, requiredQuery }: Operation, more: string | undefined): string => {
  const pairs = requiredQuery.map((name) => `${name}=${query.get(name)!.type === 'string' ? 'a' : '1'}`);
  if (more !== undefined) pairs.push(more);
  return [path.replaceAll(/\{.+?\}/g, 'a1'), pairs.join('&')].filter(Boolean).join('?');
};

test.each(ROWS)('$status $code is answered by every operation (%#)', async (row) => {
  const edge = await startEdge(row.options);
  if (row.status === 429) await send(edge, 'GET', '/api/v1/agent/health');
  for (const operation of wholeContract.operations.filter(row.isFor ?? (() => true))) {
    const body = row.headers?.['Content-Length'] === undefined ? documentedBody(operation) : undefined;
    const { status, json } = await send(edge, row.method ?? operation.method, targetOf(operation, row.query), {
      headers: row.headers ?? {},
      ...(body !== undefined && { body }),
    });
    const code = isWorkspaces(operation) ? json.errors[0].code : json.code;
    expect([operation.id, status, code]).toEqual([
      operation.id,
      row.status,
      isWorkspaces(operation) ? row.code.toUpperCase() : row.code,
    ]);
  }
  await edge.close();
});

test('every operation answers its documented success', async () => {
  const edge = await startEdge();
  for (const operation of wholeContract.operations) {
    if (![...operation.responses.keys()].some((status) => status < 300)) continue;
    const body = documentedBody(operation);
    const { status } = await send(edge, operation.method, targetOf(operation, undefined), {
      headers: { Connection: 'close' },
      ...(body !== undefined && { body }),
    });
    expect([operation.id, status < 300]).toEqual([operation.id, true]);
  }
  await edge.close();
});
