/**
 * The edge's request validation against an independent one: express-openapi-validator over the same contract, one
 * instance for each tag. Every operation gets its documented request and systematic mutations of it, and both must
 * accept or refuse alike. Where the edge means to differ, the table below says why.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express, { type NextFunction, type Request, type Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Node, Operation } from '../../src/http/contract.js';
import {
  exchange,
  firstExample,
  requestBytes,
  resolveRef,
  startEdge,
  wholeContract,
  type Edge,
} from './edge-fixture.js';

interface Case {
  readonly operation: Operation;
  /** What was done to the documented request. */
  readonly mutation: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly [string, string][];
  readonly body: string | undefined;
}

/** Where the edge differs on purpose. Each row must be met by some case, or it is stale. */
const DIFFERENCES: readonly {
  readonly why: string;
  readonly isIt: (mutation: string) => boolean;
  readonly ours: boolean;
}[] = [
  {
    why: 'a realm has rules beside its schema, and on some operations none may be given',
    isIt: (m) => m.startsWith('query realm='),
    ours: false,
  },
  {
    why: 'a required body is required, also where it could be an empty object; the oracle reads none as one',
    isIt: (m) => m === 'no body',
    ours: false,
  },
  {
    why: 'a list is one comma-separated value; the oracle also takes it apart in pieces',
    isIt: (m) => /^query (?:tags|states) twice$/.test(m),
    ours: false,
  },
  {
    why: 'HEAD is answered wherever GET is; the oracle knows documented methods only',
    isIt: (m) => m === 'HEAD',
    ours: true,
  },
  {
    why: 'an integer is written in decimal digits; the oracle reads whatever JavaScript would',
    isIt: (m) => /^query \w+=(0x10|1e1|%2B1|9007199254740993)$/.test(m),
    ours: false,
  },
  {
    why: 'reserved characters are unambiguous in a query value; the oracle wants them encoded',
    isIt: (m) => /^query \w+=a:b\/c$/.test(m),
    ours: true,
  },
  {
    why: 'a body says that it is JSON; the oracle guesses',
    isIt: (m) => m === 'body without a media type',
    ours: false,
  },
];

let edge: Edge;
const oracles = new Map<string, Server>();

beforeAll(async () => {
  edge = await startEdge({ strict: false });
  for (const tag of new Set(wholeContract.operations.map((operation) => operation.tag))) {
    oracles.set(tag, await startOracle(tag));
  }
}, 60_000);

afterAll(async () => {
  await edge.close();
  for (const server of oracles.values()) server.close();
});

async function startOracle(tag: string): Promise<Server> {
  const spec = JSON.parse(readFileSync(new URL(`../../generated/specs/${tag}.json`, import.meta.url), 'utf8'));
  const app = express();
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  // It keeps a validator for each media type it meets, parameters included, and answers 415 for none at all.
  app.use((request: Request, _response: Response, next: NextFunction) => {
    const type = request.headers['content-type']?.split(';')[0]?.trim();
    request.headers['content-type'] = type === undefined || type === '' ? 'application/json' : type;
    next();
  });
  app.use(express.json({ strict: false, limit: '8mb' }));
  app.use(
    OpenApiValidator.middleware({
      apiSpec: { ...spec, servers: [{ url: '/' }] },
      validateSecurity: false,
      fileUploader: false,
      validateResponses: false,
    }),
  );
  app.use((_request: Request, response: Response) => void response.status(200).end());
  app.use((error: { status?: number; message: string }, _: Request, response: Response, _next: NextFunction) => {
    response.status(error.status ?? 500).end(error.message);
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const nodeOf = ({ path, method }: Operation): Node => wholeContract.bundle['paths'][path][method.toLowerCase()];

const parametersOf = (operation: Operation): Node[] =>
  ((nodeOf(operation)['parameters'] ?? []) as Node[]).map((parameter) => {
    const resolved = resolveRef(parameter);
    return { ...resolved, schema: resolveRef(resolved['schema']) };
  });

function bodyExample(operation: Operation): unknown {
  const content = resolveRef(nodeOf(operation)['requestBody'] ?? {})['content'];
  return content === undefined ? undefined : firstExample(content['application/json']);
}

const sample = (schema: Node): string =>
  schema['type'] === 'array'
    ? sample(resolveRef(schema['items']))
    : String(schema['enum']?.[0] ?? { integer: 1, boolean: true, string: 'a' }[schema['type'] as 'integer']);

function* casesOf(operation: Operation): Generator<Case> {
  const path = operation.path.replaceAll(/\{.+?\}/g, 'a1');
  const query = parametersOf(operation).filter((parameter) => parameter['in'] === 'query');
  const required = query.filter((parameter) => parameter['required']).map((p) => `${p['name']}=${sample(p['schema'])}`);
  const example = bodyExample(operation);
  const documented: Case = {
    operation,
    mutation: 'documented',
    method: operation.method,
    target: [path, required.join('&')].filter(Boolean).join('?'),
    headers: [],
    body: example === undefined ? undefined : JSON.stringify(example),
  };
  yield documented;
  if (operation.method === 'GET' && !operation.streams) yield { ...documented, mutation: 'HEAD', method: 'HEAD' };
  for (const mutation of queryMutations(query, required)) {
    yield { ...documented, mutation: mutation.name, target: [path, mutation.query].filter(Boolean).join('?') };
  }
  for (const { schema, name } of parametersOf(operation).filter((parameter) => parameter['in'] === 'header') as any[]) {
    if (schema.enum === undefined) continue;
    yield { ...documented, mutation: `header ${name}=${sample(schema)}`, headers: [[name, sample(schema)]] };
    yield { ...documented, mutation: `header ${name}=nonsense`, headers: [[name, 'nonsense']] };
  }
  if (example === undefined) return;
  yield { ...documented, mutation: 'no body', body: undefined };
  yield { ...documented, mutation: 'body of text/plain', headers: [['Content-Type', 'text/plain']] };
  yield {
    ...documented,
    mutation: 'body with a charset',
    headers: [['Content-Type', 'application/json; charset=utf-8']],
  };
  yield { ...documented, mutation: 'body without a media type', headers: [['Content-Type', '']] };
  yield { ...documented, mutation: 'malformed body', body: '{' };
  for (const { name, value } of mutations(example))
    yield { ...documented, mutation: `body ${name}`, body: JSON.stringify(value) };
}

function* queryMutations(
  query: readonly Node[],
  required: readonly string[],
): Generator<{ name: string; query: string }> {
  const withRequired = (text: string): string => [...required, text].join('&');
  yield { name: 'unknown query', query: withRequired('colour=blue') };
  for (const { name, schema, required: isRequired } of query as any[]) {
    const others = required.filter((pair) => !pair.startsWith(`${name}=`));
    const having = (...values: string[]) => [...others, ...values.map((value) => `${name}=${value}`)].join('&');
    if (isRequired) yield { name: `query without ${name}`, query: others.join('&') };
    yield { name: `query ${name} twice`, query: having(sample(schema), sample(schema)) };
    const values = [
      '',
      sample(schema),
      '1',
      '0',
      '-1',
      '1.5',
      '0x10',
      '1e1',
      '%2B1',
      'true',
      'TRUE',
      'x',
      '1001',
      'null',
    ];
    values.push('9007199254740993', 'a:b/c');
    if (schema.type === 'array') values.push(`${sample(schema)},${sample(schema)}`, `${sample(schema)},`);
    for (const value of new Set(values)) yield { name: `query ${name}=${value}`, query: having(value) };
  }
}

const REPLACEMENTS: readonly unknown[] = [null, 7, -1, 1.5, true, 'x', '', [], {}, [null], { a: null }];

/** The value with one place changed: replaced, removed, or given an unknown member. */
function* mutations(value: unknown, at = ''): Generator<{ name: string; value: unknown }> {
  for (const replacement of REPLACEMENTS)
    yield { name: `${at || 'all'} := ${JSON.stringify(replacement)}`, value: replacement };
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (value.length > 0) {
      for (const inner of mutations(value[0], `${at}/0`))
        yield { name: inner.name, value: [inner.value, ...value.slice(1)] };
    }
    return;
  }
  yield { name: `${at}/unknown added`, value: { ...value, unknown: 1 } };
  for (const [key, member] of Object.entries(value)) {
    const { [key]: _removed, ...rest } = value as Record<string, unknown>;
    yield { name: `${at}/${key} removed`, value: rest };
    for (const inner of mutations(member, `${at}/${key}`))
      yield { name: inner.name, value: { ...value, [key]: inner.value } };
  }
}

/** True when the request reached the handler. */
async function isAccepted(port: number, { method, target, headers, body }: Case): Promise<boolean> {
  // Closed after the answer, because a HEAD is complete without its body.
  const bytes = requestBytes({ method, target, headers: [['Connection', 'close'], ...headers], ...(body && { body }) });
  const { status, text } = await exchange(port, bytes);
  if (status === 500) throw new Error(`${method} ${target}: ${text}`);
  return status < 400;
}

test('both accept the documented request of every operation', async () => {
  for (const operation of wholeContract.operations) {
    const [documented] = casesOf(operation);
    const oracle = oracles.get(operation.tag)!.address() as AddressInfo;
    expect({ id: operation.id, oracle: await isAccepted(oracle.port, documented!) }).toEqual({
      id: operation.id,
      oracle: true,
    });
    expect({ id: operation.id, edge: await isAccepted(edge.port, documented!) }).toEqual({
      id: operation.id,
      edge: true,
    });
  }
}, 120_000);

test('both accept and refuse the same mutations, but for the differences in the table', async () => {
  const unexplained: string[] = [];
  const met = new Set<string>();
  let compared = 0;
  for (const operation of wholeContract.operations) {
    const oracle = oracles.get(operation.tag)!.address() as AddressInfo;
    for (const mutated of casesOf(operation)) {
      const [ours, theirs] = await Promise.all([isAccepted(edge.port, mutated), isAccepted(oracle.port, mutated)]);
      compared += 1;
      if (ours === theirs) continue;
      const row = DIFFERENCES.find(({ isIt, ours: wanted }) => wanted === ours && isIt(mutated.mutation));
      if (row === undefined) unexplained.push(`${operation.id}, ${mutated.mutation}: ours ${ours}, theirs ${theirs}`);
      else met.add(row.why);
    }
  }
  expect(unexplained).toEqual([]);
  expect(DIFFERENCES.map(({ why }) => why).filter((why) => !met.has(why))).toEqual([]);
  expect(compared).toBeGreaterThan(1_000);
}, 300_000);
