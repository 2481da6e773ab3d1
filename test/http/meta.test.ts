/** What the daemon says about itself, and the contract it publishes, over real sockets. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { loadContract, type Node } from '../../src/http/contract.js';
import { metaHandlers } from '../../src/http/handlers/meta.js';
import { exchange, requestBytes, send, startEdge, type Answer, type Edge, type Handler } from './edge-fixture.js';

const contract = loadContract();
const login = { accountId: 'acc', activeRealm: 'global', serves: ['aaaaaaaaaaaaaaaaaaaaaaaa'], pinned: null } as const;
let edge: Edge;

beforeAll(async () => {
  const handlers = metaHandlers({
    contract,
    login: { current: () => login },
    loginSource: 'login_file',
    tokenRequired: false,
    program: { name: 'agentd', version: '1.2.3' },
    startedAt: Date.UTC(2026, 0, 1),
  });
  edge = await startEdge({ contract, handlers: handlers as unknown as Record<string, Handler> });
});
afterAll(() => edge.close());

const get = (path: string, headers?: Record<string, string>): Promise<Answer> =>
  send(edge, 'GET', `/api/v1/agent${path}`, headers && { headers });

test('health tells about the process and the caller', async () => {
  const { json } = await get('/health', { 'User-Agent': 'probe/1' });
  expect(json).toMatchObject({
    status: 'ok',
    service: 'agentd',
    built: '1.2.3',
    started: '2026-01-01T00:00:00.000Z',
    pid: process.pid,
    ip: '127.0.0.1',
    userAgent: 'probe/1',
  });
  expect(json.memory.rss).toBeGreaterThan(json.memory.heap);
});

test('version names what is served and what is not yet', async () => {
  const { json, headers } = await get('/version');
  expect(headers['cache-control']).toBe('no-store');
  expect(json).toMatchObject({
    api_version: contract.bundle['info'].version,
    build_version: '1.2.3',
    pinned_realm: null,
  });
  const served = new Set(contract.operations.map(({ tag }) => tag));
  for (const { name, supported } of json.capabilities) expect([name, supported]).toEqual([name, served.has(name)]);
});

test('the auth status tells the restriction', async () => {
  expect((await get('/hoody/auth/status')).json).toEqual({
    connected: true,
    source: 'login_file',
    account_id: 'acc',
    auth_active: false,
    restriction: 'realms',
    restricted: true,
    realm_ids: ['aaaaaaaaaaaaaaaaaaaaaaaa'],
    realm: { id: 'global', pinned: false },
  });
});

test('the published document has what is served, whole, and nothing else', async () => {
  const document = (await get('/openapi.json')).json as Node;
  const published = Object.values<Node>(document['paths']).flatMap((item) =>
    Object.values<Node>(item).map((operation) => operation['operationId'] as string),
  );
  expect(published.toSorted()).toEqual(contract.operations.map(({ id }) => id).toSorted());

  const text = JSON.stringify(document);
  const references = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map((match) => match[1]!));
  const components = Object.entries<Node>(document['components']).flatMap(([kind, members]) =>
    Object.keys(members).map((name) => `${kind}/${name}`),
  );
  expect(components.toSorted()).toEqual([...references].toSorted());
});

test('the same document is there as YAML', async () => {
  const answer = await get('/openapi.yaml');
  expect(answer.headers['content-type']).toBe('application/yaml; charset=utf-8');
  expect(parse(answer.text)).toEqual((await get('/openapi.json')).json);
});

test('the page loads nothing from elsewhere, and everything it names is there', async () => {
  const page = await get('/docs');
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/);
  expect(page.text).not.toMatch(/https?:\/\//);
  const named = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
  expect(named.toSorted()).toEqual(['docs/start.js', 'docs/swagger-ui-bundle.js', 'docs/swagger-ui.css']);
  for (const name of [...named, 'docs/LICENSE', 'docs/NOTICE']) {
    const asset = await get(`/${name}`);
    expect([name, asset.status, asset.text.length > 50]).toEqual([name, 200, true]);
  }
  expect((await get('/docs/start.js')).headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect((await get('/docs/swagger-ui.css')).headers['content-type']).toBe('text/css; charset=utf-8');
});

test('an asset is behind the same guard as everything else, and has only GET', async () => {
  expect((await get('/docs/start.js', { Host: 'example.com' })).status).toBe(403);
  expect((await send(edge, 'POST', '/api/v1/agent/docs/start.js')).status).toBe(404);
  const head = requestBytes({
    method: 'HEAD',
    target: '/api/v1/agent/docs/start.js',
    headers: [['Connection', 'close']],
  });
  expect((await exchange(edge.port, head)).status).toBe(200);
});
