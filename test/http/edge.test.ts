/** Every answer the edge gives by itself, over real sockets. The order between them is edge-order.test.ts. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DaemonError } from '../../src/domain/errors.js';
import { RateLimit } from '../../src/http/limits.js';
import { FakeClock } from '../fakes/clock.js';
import {
  BODY_CAP,
  exchange,
  readAnswer,
  requestBytes,
  send,
  startEdge,
  type Answer,
  type Edge,
  type Handler,
} from './edge-fixture.js';

const RUN = '/api/v1/agent/sessions/sess_1/tools/read_file/run';
const INTENT = '/api/v1/agent/mcp/write-intents';
const INTENT_BODY = { session_id: 'sess_1', op: 'upsert' };
const WORKSPACE = '/api/v1/workspaces/ws_1/tools';

const expectError = (answer: Answer, status: number, code: string, message?: RegExp | string): void => {
  expect([answer.status, answer.json?.code]).toEqual([status, code]);
  if (message !== undefined) expect(answer.json.message).toMatch(message);
  expect(answer.headers['content-type']).toBe('application/json');
};

describe('with the defaults of one machine', () => {
  let edge: Edge;
  const seen: Parameters<Handler>[] = [];
  beforeAll(async () => {
    const echo: Handler = (input, context) => {
      seen.push([input, context]);
      return { status: 200, body: { ok: true, output: 'done' } };
    };
    edge = await startEdge({ handlers: { runSessionTool: echo } });
  });
  afterAll(() => edge.close());

  const run = (body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
    send(edge, 'POST', RUN, { body, headers });
  const lastInput = () => seen.at(-1)![0];

  describe('what is no request', () => {
    test.each([
      ['noise', '\x16\x03\x01\x02garbage\r\n\r\n', /not HTTP/],
      ['an unknown method', 'BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n', /not HTTP/],
      [
        'a length and a transfer coding together',
        'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n',
        /not HTTP/,
      ],
      ['headers over 16 KiB', `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(300_000)}\r\n\r\n`, /headers/],
      ['more than 100 headers', `GET / HTTP/1.1\r\nHost: localhost\r\n${'a: b\r\n'.repeat(101)}\r\n`, /100 headers/],
      [
        'an absolute-form target',
        'GET http://localhost/api/v1/agent/health HTTP/1.1\r\nHost: localhost\r\n\r\n',
        /target/,
      ],
      ['an asterisk target', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n', /target/],
      ['a tunnel', 'CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n', /target/],
      ['no Host', 'GET /api/v1/agent/health HTTP/1.1\r\n\r\n', /host must be sent exactly once/],
      [
        'two Hosts',
        'GET /api/v1/agent/health HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n\r\n',
        /host must be sent/,
      ],
      ['another expectation', 'POST / HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\n\r\n', /expect must be/],
    ])('answers %s with 400 in the documented form', async (_name, bytes, message) => {
      expectError(await exchange(edge.port, bytes), 400, 'bad_request', message);
    });

    test('closes the connection of a client it could not read', async () => {
      const socket = connect(edge.port, '127.0.0.1');
      socket.write('garbage\r\n\r\n');
      const answer = await readAnswer(socket);
      expect(answer.headers['connection']).toBe('close');
      socket.end();
      await once(socket, 'close');
    });
  });

  describe('what follows a request', () => {
    test('does not come between it and its answer', async () => {
      const release = new Promise<void>((resolve) => setImmediate(resolve));
      const slow = await startEdge({
        handlers: {
          closeSession: async () => {
            await release;
            return { status: 200, body: { status: 'ok' } };
          },
        },
      });
      const request = requestBytes({ method: 'POST', target: '/api/v1/agent/sessions/s/close', headers: [] });
      const answer = await exchange(slow.port, [Buffer.concat([request, Buffer.from('garbage\r\n\r\n')])]);
      expect([answer.status, answer.headers['connection']]).toEqual([200, 'close']);
      await slow.close();
    });
  });

  describe('source guard', () => {
    const get = (...headers: [string, string][]): Promise<Answer> =>
      exchange(edge.port, requestBytes({ method: 'GET', target: '/api/v1/agent/health', headers }));

    test.each(['localhost', 'LOCALHOST:99', 'localhost.:80', '127.0.0.1', '127.8.0.1:7317', '[::1]', '[::1]:7317'])(
      'admits the Host %s',
      async (host) => {
        expect((await get(['Host', host])).status).toBe(200);
        expect((await get(['Host', host], ['Origin', `http://${host.toLowerCase()}`])).status).toBe(200);
      },
    );

    test.each([
      'example.com',
      'localhost.example.com',
      '127.0.0.1.example.com',
      '::1',
      '10.0.0.1',
      'localhost:port',
      '[::2]',
      '',
    ])('refuses the Host "%s"', async (host) => {
      expectError(await get(['Host', host]), 403, 'forbidden', 'request must arrive through the Hoody proxy');
    });

    test.each(['null', 'http://localhost:3000', 'https://localhost', 'http://example.com', ''])(
      'refuses a page of the origin "%s"',
      async (origin) => expectError(await get(['Host', 'localhost'], ['Origin', origin]), 403, 'forbidden'),
    );

    test('refuses what a browser marks as cross-site', async () => {
      expectError(await get(['Sec-Fetch-Site', 'cross-site']), 403, 'forbidden');
      expect((await get(['Sec-Fetch-Site', 'same-origin'])).status).toBe(200);
      expect((await get(['Sec-Fetch-Site', 'none'])).status).toBe(200);
    });
  });

  describe('size', () => {
    test('answers a declared length over the cap at once, without the body', async () => {
      const head = requestBytes({ method: 'POST', target: RUN, headers: [['Content-Length', String(BODY_CAP + 1)]] });
      const answer = await exchange(edge.port, head);
      expectError(answer, 413, 'payload_too_large', 'request body exceeds the configured size limit');
      expect(answer.headers['connection']).toBe('close');
    });

    test('answers while the client is still sending, and the client can read it', async () => {
      const headers: [string, string][] = [['Content-Length', String(4 * BODY_CAP)]];
      const parts = [requestBytes({ method: 'POST', target: RUN, headers }), Buffer.alloc(BODY_CAP, 0x20)];
      expectError(await exchange(edge.port, parts), 413, 'payload_too_large');
    });

    test('answers a chunked body when it passes the cap, without its end', async () => {
      const head = requestBytes({ method: 'POST', target: RUN, headers: [['Transfer-Encoding', 'chunked']] });
      const chunk = Buffer.concat([
        Buffer.from(`${(BODY_CAP + 1).toString(16)}\r\n`),
        Buffer.alloc(BODY_CAP + 1, 0x20),
        Buffer.from('\r\n'),
      ]);
      expectError(await exchange(edge.port, [head, chunk]), 413, 'payload_too_large');
    });

    test('takes a body of exactly the cap', async () => {
      const text = JSON.stringify({ params: { text: '' } });
      const body = text.replace('""', `"${'x'.repeat(BODY_CAP - text.length)}"`);
      expect(Buffer.byteLength(body)).toBe(BODY_CAP);
      expect((await run(body)).status).toBe(200);
    });

    test('refuses a body beyond the cap also where the operation takes none', async () => {
      const headers = { 'Content-Length': String(BODY_CAP + 1) };
      expectError(await send(edge, 'GET', '/api/v1/agent/health', { headers }), 413, 'payload_too_large');
    });

    test('refuses compressed bodies', async () => {
      expectError(await run('{}', { 'Content-Encoding': 'gzip' }), 400, 'bad_request', /content-encoding/i);
      expect((await run('{}', { 'Content-Encoding': 'identity' })).status).toBe(200);
      const coded = requestBytes({ method: 'POST', target: RUN, headers: [['Transfer-Encoding', 'gzip, chunked']] });
      const answer = await exchange(edge.port, [Buffer.concat([coded, Buffer.from('2\r\n{}\r\n0\r\n\r\n')])]);
      expectError(answer, 400, 'bad_request', /transfer-encoding/i);
    });

    test('invites an announced body that fits, and refuses one that does not before it is sent', async () => {
      const expecting: [string, string] = ['Expect', '100-continue'];
      const tooLarge = requestBytes({
        method: 'POST',
        target: RUN,
        headers: [expecting, ['Content-Length', String(BODY_CAP + 1)]],
      });
      expectError(await exchange(edge.port, tooLarge), 413, 'payload_too_large');

      const socket = connect(edge.port, '127.0.0.1');
      socket.write(
        requestBytes({
          method: 'POST',
          target: RUN,
          headers: [expecting, ['Content-Length', '2'], ['Content-Type', 'application/json']],
        }),
      );
      const [invitation] = (await once(socket, 'data')) as [Buffer];
      expect(invitation.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write('{}');
      expect((await readAnswer(socket)).status).toBe(200);
      socket.destroy();
    });
  });

  describe('routing', () => {
    test.each([
      ['GET', '/api/v1/agent/nothing'],
      ['GET', '/'],
      ['GET', '//api/v1/agent/health'],
      ['GET', '/api/v1/agent/health/'],
      ['GET', '/API/v1/agent/health'],
      ['POST', '/api/v1/agent/tools//run'],
      ['GET', '/api/v1/agent/docs/../openapi.json'],
      ['GET', '/api/v1/agent/docs/constructor'],
    ])('answers %s %s with 404', async (method, target) => {
      expectError(await send(edge, method, target), 404, 'not_found', 'resource not found');
    });

    test.each([
      ['POST', '/api/v1/agent/health', 'GET, HEAD'],
      ['OPTIONS', '/api/v1/agent/health', 'GET, HEAD'],
      ['PATCH', '/api/v1/agent/mcp/servers', 'DELETE, GET, HEAD, PUT'],
      ['GET', RUN, 'POST'],
      ['HEAD', RUN, 'POST'],
      ['HEAD', '/api/v1/agent/changes/stream', 'GET'],
      ['POST', '/api/v1/agent/tools/read-only', 'GET, HEAD'],
    ])('answers %s %s with 405 and Allow: %s', async (method, target, allow) => {
      const answer = await send(edge, method, target, { headers: { Connection: 'close' } });
      expect([answer.status, answer.headers['allow']]).toEqual([405, allow]);
      if (method !== 'HEAD') expectError(answer, 405, 'method_not_allowed');
    });

    test('prefers a literal segment, and falls back to the template beside it', async () => {
      expect((await send(edge, 'GET', '/api/v1/agent/tools/read-only')).json).toHaveProperty('items');
      expect((await send(edge, 'GET', '/api/v1/agent/tools/bash')).json).toHaveProperty('name');
      expect((await send(edge, 'POST', '/api/v1/agent/tools/read-only/run')).json).toHaveProperty('ok');
    });

    test('decodes path parameters, an encoded slash included', async () => {
      await send(edge, 'POST', '/api/v1/agent/sessions/s%2F1/tools/a%20%C3%A9/run');
      expect(lastInput().path).toEqual({ id: 's/1', name: 'a é' });
    });

    test('refuses a path that cannot be decoded', async () => {
      const answer = await send(edge, 'POST', '/api/v1/agent/sessions/s/tools/%zz/run');
      expectError(answer, 400, 'bad_request', /path parameter name/);
    });

    test('answers HEAD like GET without the body', async () => {
      const get = await send(edge, 'GET', '/api/v1/agent/health');
      const socket = connect(edge.port, '127.0.0.1');
      socket.end(requestBytes({ method: 'HEAD', target: '/api/v1/agent/health', headers: [['Connection', 'close']] }));
      let text = '';
      for await (const chunk of socket) text += chunk;
      expect(text).toMatch(/^HTTP\/1.1 200 /);
      expect(text).toContain(`Content-Length: ${get.headers['content-length']}`);
      expect(text).toMatch(/\r\n\r\n$/);
    });

    test('answers in the envelope of the path family', async () => {
      const refused = await send(edge, 'GET', '/api/v1/workspaces/ws_1/nothing');
      expect(refused.json).toEqual({
        data: null,
        errors: [{ code: 'NOT_FOUND', message: 'resource not found' }],
        success: false,
      });
      const codes = await Promise.all([
        send(edge, 'POST', WORKSPACE),
        send(edge, 'GET', `${WORKSPACE}?x=1`),
        send(edge, 'GET', WORKSPACE, { headers: { 'X-Hoody-Realm': 'global' } }),
        send(edge, 'GET', WORKSPACE, { headers: { Host: 'example.com' } }),
        send(edge, 'GET', WORKSPACE, { headers: { 'Content-Length': String(BODY_CAP + 1) } }),
      ]);
      expect(codes.map(({ status, json }) => [status, json.errors[0].code])).toEqual([
        [405, 'METHOD_NOT_ALLOWED'],
        [400, 'BAD_REQUEST'],
        [400, 'BAD_REQUEST'],
        [403, 'FORBIDDEN'],
        [413, 'PAYLOAD_TOO_LARGE'],
      ]);
    });
  });

  describe('body', () => {
    test.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json-patch+json',
      'application/json; charset=latin1',
      '',
    ])('refuses the media type "%s" with 400', async (type) => {
      expectError(await run('{}', { 'Content-Type': type }), 400, 'bad_request', /Content-Type must be/);
    });

    test.each(['application/json', 'Application/JSON', 'application/json;charset=UTF-8', 'application/json; q=17'])(
      'reads the media type %s',
      async (type) => expect((await run('{}', { 'Content-Type': type })).status).toBe(200),
    );

    test('answers a missing body with 400 where one is required, and takes none where it is optional', async () => {
      const missing = await send(edge, 'POST', INTENT);
      expectError(missing, 400, 'bad_request', /the body is required/);
      expect(missing.json.details.errors).toEqual([
        { pointer: '/body', keyword: 'required', message: 'is required, as JSON' },
      ]);
      expect((await send(edge, 'POST', RUN)).status).toBe(200);
      expect(lastInput().body).toBeUndefined();
    });

    test('reads away a body the operation does not take', async () => {
      const socket = connect(edge.port, '127.0.0.1');
      const close = requestBytes({
        method: 'POST',
        target: '/api/v1/agent/sessions/sess_1/close',
        headers: [],
        body: 'not even JSON',
      });
      socket.write(close);
      expect((await readAnswer(socket)).status).toBe(200);
      socket.removeAllListeners();
      socket.write(close);
      expect((await readAnswer(socket)).status).toBe(200);
      socket.destroy();
    });

    test.each([
      ['{"a": tru}', /line 1, column 7/],
      ['{\n  "token": "s3cret",\n}', /line 3, column 1/],
      ['{"a":"s3cret"', /line 1, column 14/],
      ['{"a":1} s3cret', /line 1, column 9/],
      ["{'s3cret': 1}", /line 1, column 2/],
      ['{"a": 01}', /not valid JSON/],
      ['[1,,2]', /line 1, column 4/],
      ['// s3cret', /not valid JSON/],
    ])('names the position of a syntax error and never the text (%#)', async (body, position) => {
      const answer = await run(body);
      expectError(answer, 400, 'bad_request', position);
      expect(answer.text).not.toContain('s3cret');
    });

    test('refuses bytes that are no UTF-8', async () => {
      expectError(await run(Buffer.from('{"params":{"a":"\xff"}}', 'latin1')), 400, 'bad_request', /UTF-8/);
    });

    const nested = (levels: number): string => `{"params":{"a":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}}`;

    test('takes 64 levels and refuses the 65th', async () => {
      expect((await run(nested(64))).status).toBe(200);
      expectError(await run(nested(65)), 400, 'bad_request', /deeper than 64 levels/);
    });

    test('survives 100,000 levels, well-formed or not', async () => {
      expectError(await run(nested(100_000)), 400, 'bad_request', /deeper than 64 levels/);
      expectError(await run('['.repeat(100_000)), 400, 'bad_request', /not valid JSON/);
      expectError(await run('{"a":'.repeat(100_000)), 400, 'bad_request', /not valid JSON/);
    });

    test('takes 10,000 keys and refuses one more', async () => {
      const params = Object.fromEntries(Array.from({ length: 9_999 }, (_, index) => [`k${index}`, 0]));
      expect((await run(JSON.stringify({ params }))).status).toBe(200);
      expectError(await run(JSON.stringify({ params: { ...params, more: 0 } })), 400, 'bad_request', /10000 keys/);
    });

    test.each([
      ['{"params":{"id":9007199254740993}}', '/body/params/id', 'exactInteger'],
      ['{"params":{"a~/b":[0,-123456789012345678.0e1]}}', '/body/params/a~0~1b/1', 'exactInteger'],
      ['{"params":{"a":{"x":1,"\\u0078":1}}}', '/body/params/a', 'uniqueMembers'],
      ['{"params":{"text":"\\\\"},"params":{}}', '/body', 'uniqueMembers'],
    ])('refuses what reading would change: %s', async (body, pointer, keyword) => {
      const answer = await run(body);
      expectError(answer, 400, 'bad_request');
      expect(answer.json.details.errors).toEqual([{ pointer, keyword, message: expect.any(String) }]);
      expect(answer.text).not.toMatch(/\d{16}/);
    });

    test('takes what a double holds, fractions as near as they come, and strings that look like either', async () => {
      const params =
        '[9007199254740992,-1e23,100000000000000000000000,0.12345678901234567890,5e-324,"\\"12345678901234567","x:x"]';
      expect((await run(`{"params": {"a" : ${params}, "b":{"a":1}} }`)).status).toBe(200);
      expect(lastInput().body).toMatchObject({ params: { a: JSON.parse(params) } });
    });

    test('keeps __proto__ an ordinary member that pollutes nothing', async () => {
      await run('{"params":{"__proto__":{"polluted":true}},"__proto__":{"confirm":true}}');
      const body = lastInput().body as { params: object; confirm?: boolean };
      expect(Object.keys(body.params)).toEqual(['__proto__']);
      expect(body.confirm).toBeUndefined();
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    });

    test('stays flat over a thousand hostile media types', async () => {
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      const hostile = async (from: number): Promise<void> => {
        for (let n = from; n < from + 1_000; n += 1) {
          const type = `application/json; x=${n}${'y'.repeat(1_000)}`;
          expect((await run('{}', { 'Content-Type': type })).status).toBe(200);
        }
      };
      await hostile(0);
      seen.length = 0;
      collect();
      const before = process.memoryUsage().heapUsed;
      await hostile(1_000);
      seen.length = 0;
      collect();
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(2_000_000);
    }, 60_000);
  });

  describe('contract', () => {
    test.each([
      [{ ...INTENT_BODY, session_id: 7 }, '/body/session_id', 'type', 'invalid request: /session_id must be string'],
      [{ op: 'upsert' }, '/body', 'required', 'invalid request: the body must have a member named "session_id"'],
      [{ ...INTENT_BODY, op: 's3cret' }, '/body/op', 'enum', /^invalid request: \/op must be one of upsert, /],
      ['s3cret', '/body', 'type', 'invalid request: the body must be object'],
      [null, '/body', 'type', 'invalid request: the body must be object'],
      [{ ...INTENT_BODY, session_id: '' }, '/body/session_id', 'minLength', /fewer than 1 characters/],
    ])('names place and rule of %j', async (body, pointer, keyword, message) => {
      const answer = await send(edge, 'POST', INTENT, { body: JSON.stringify(body) });
      expectError(answer, 400, 'bad_request', message);
      expect(answer.json.details.errors).toEqual([{ pointer, keyword, message: expect.any(String) }]);
      expect(answer.text).not.toContain('s3cret');
    });

    test('refuses an unknown member of a closed body by its name, and ignores it on tool runs', async () => {
      const answer = await send(edge, 'POST', '/api/v1/agent/sessions', { body: '{"colour":"blue"}' });
      expectError(answer, 400, 'bad_request', /must not have a member named "colour"/);
      expect((await run('{"colour":"blue"}')).status).toBe(200);
    });

    test.each([
      ['/api/v1/agent/tools?colour=blue', '/query/colour', 'unknown'],
      ['/api/v1/agent/tools?page=1&page=2', '/query/page', 'duplicate'],
      ['/api/v1/agent/tools?page=', '/query/page', 'allowEmptyValue'],
      ['/api/v1/agent/tools?page', '/query/page', 'allowEmptyValue'],
      ['/api/v1/agent/tools?page=0x10', '/query/page', 'type'],
      ['/api/v1/agent/tools?page=1e1', '/query/page', 'type'],
      ['/api/v1/agent/tools?page=+1', '/query/page', 'type'],
      ['/api/v1/agent/tools?page=1.0', '/query/page', 'type'],
      ['/api/v1/agent/tools?page=9007199254740993', '/query/page', 'type'],
      ['/api/v1/agent/tools?page=0', '/query/page', 'minimum'],
      ['/api/v1/agent/tools?limit=1001', '/query/limit', 'maximum'],
      ['/api/v1/agent/tools?page=%zz', '/query/page', 'encoding'],
      ['/api/v1/agent/tools?__proto__=1', '/query/__proto__', 'unknown'],
      ['/api/v1/agent/mcp/servers', '/query/session_id', 'required'],
    ])('refuses the query of %s', async (target, pointer, keyword) => {
      const answer = await send(edge, 'GET', target);
      expectError(answer, 400, 'bad_request', /query parameter/);
      expect(answer.json.details.errors[0]).toMatchObject({ pointer, keyword });
    });

    test.each(['1', 'TRUE', 'yes'])('does not take %s for a boolean', async (value) => {
      expectError(await send(edge, 'POST', `${RUN}?confirm=${value}`), 400, 'bad_request', /must be true or false/);
    });

    test('hands the query over in the types of the contract', async () => {
      await send(edge, 'POST', `${RUN}?confirm=true&confirm_token=a%20b+c`);
      expect({ ...lastInput().query }).toEqual({ confirm: true, confirm_token: 'a b c' });
    });
  });

  describe('scope', () => {
    const REALM = '0123456789abcdef01234567';
    const SESSIONS = '/api/v1/agent/sessions';
    test.each<[string, string, Record<string, string>, number, string | null]>([
      ['a realm where there is one', SESSIONS, { 'X-Hoody-Realm': REALM }, 200, null],
      ['the global realm', SESSIONS, { 'X-Hoody-Realm': 'global' }, 200, null],
      ['an empty realm', SESSIONS, { 'X-Hoody-Realm': '' }, 200, null],
      ['an empty realm query', `${SESSIONS}?realm=`, {}, 200, null],
      ['an upper-case realm', SESSIONS, { 'X-Hoody-Realm': REALM.toUpperCase() }, 400, 'invalid_realm'],
      ['two realms', SESSIONS, { 'X-Hoody-Realm': 'global, global' }, 400, 'invalid_realm'],
      ['a malformed realm query', `${SESSIONS}?realm=all`, {}, 400, 'invalid_realm'],
      ['a header that wins over a bad query', `${SESSIONS}?realm=all`, { 'X-Hoody-Realm': REALM }, 200, null],
      ['a realm where there is none', RUN, { 'X-Hoody-Realm': 'global' }, 400, 'realm_scope_unsupported'],
      ['a malformed realm where there is none', RUN, { 'X-Hoody-Realm': '?' }, 400, 'realm_scope_unsupported'],
      ['a realm query where there is none', `${RUN}?realm=x`, {}, 400, 'realm_scope_unsupported'],
      ['an empty realm where there is none', `${RUN}?realm=`, { 'X-Hoody-Realm': '' }, 200, null],
      ['a container', SESSIONS, { 'X-Hoody-Container': 'c1' }, 400, 'bad_request'],
      ['an empty container', SESSIONS, { 'X-Hoody-Container': '' }, 200, null],
      ['a container on changes', '/api/v1/agent/changes', { 'X-Hoody-Container': 'c' }, 400, 'realm_scope_unsupported'],
      ['a relative cwd', '/api/v1/agent/health', { 'X-Hoody-Cwd': 'src' }, 400, 'bad_request'],
      ['a relative config dir', SESSIONS, { 'X-Hoody-Config-Dir': './x' }, 400, 'bad_request'],
      ['a cwd that is no UTF-8', SESSIONS, { 'X-Hoody-Cwd': '/\xff' }, 400, 'bad_request'],
      ['an unknown tool mode', '/api/v1/agent/tools/x/run', { 'X-Hoody-Tool-Mode': 'all' }, 400, 'bad_request'],
      ['an unknown tool mode where it is ignored', RUN, { 'X-Hoody-Tool-Mode': 'all' }, 200, null],
      ['an unknown dir scope', '/api/v1/agent/tools/x/run', { 'X-Hoody-Dir-Scope': 'root' }, 400, 'bad_request'],
    ])('%s', async (_name, target, headers, status, code) => {
      const method = target.includes('/run') ? 'POST' : 'GET';
      const answer = await send(edge, method, target, { headers });
      expect([answer.status, answer.json.code ?? null]).toEqual([status, code]);
    });

    test('refuses a path header that was sent twice, rather than reading two paths as one', async () => {
      const headers: [string, string][] = [
        ['X-Hoody-Cwd', '/a'],
        ['x-hoody-cwd', '/b'],
      ];
      const answer = await exchange(edge.port, requestBytes({ method: 'GET', target: SESSIONS, headers }));
      expectError(answer, 400, 'bad_request', /x-hoody-cwd must be given once/);
    });

    test('hands the scope over, paths read as UTF-8', async () => {
      const cwd = Buffer.from('/home/é, b').toString('latin1');
      await send(edge, 'POST', RUN, { headers: { 'X-Hoody-Cwd': cwd, 'X-Hoody-Config-Dir': '/etc/x' } });
      expect(seen.at(-1)![1].scope).toEqual({
        realm: undefined,
        cwd: '/home/é, b',
        configDir: '/etc/x',
        toolMode: undefined,
        dirScope: undefined,
      });
    });
  });
});

describe('source guard behind a proxy', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge({
      config: { access: 'proxy', trustedProxies: ['127.0.0.1', '10.0.0.0/8', '2001:db8:1::/48'] },
    });
  });
  afterAll(() => edge.close());

  const via = (...forwarded: string[]): Promise<Answer> =>
    exchange(
      edge.port,
      requestBytes({
        method: 'GET',
        target: '/api/v1/agent/health',
        headers: [['Host', 'agent.example.com'], ...forwarded.map((f): [string, string] => ['X-Forwarded-For', f])],
      }),
    );

  test.each([
    ['one public client', ['203.0.113.7'], 403],
    ['a public client', ['8.8.8.8'], 200],
    ['a public client behind a listed proxy', ['8.8.8.8, 10.1.2.3'], 200],
    ['proxies on two header lines', ['8.8.8.8', '10.1.2.3'], 200],
    ['a public IPv6 client', ['2606:4700::1111'], 200],
    ['a client with a port', ['8.8.8.8:5123'], 200],
    ['an IPv6 client with a port', ['[2606:4700::1111]:5123'], 200],
    ['a mapped public client', ['::ffff:8.8.8.8'], 200],
    ['no header', [], 403],
    ['an empty header', [''], 403],
    ['a private client', ['192.168.1.1'], 403],
    ['a spoofed public client before the private one', ['8.8.8.8, 192.168.1.1'], 403],
    ['a loopback client', ['127.8.8.8'], 403],
    ['a mapped private client', ['::ffff:192.168.1.1'], 403],
    ['a unique local client', ['fd00::1'], 403],
    ['an address in another spelling', ['0x08.8.8.8'], 403],
    ['proxies only', ['10.1.1.1, 10.2.2.2'], 403],
    ['a name', ['client.example.com'], 403],
    ['garbage at the right', ['8.8.8.8, unknown'], 403],
  ])('%s (%j) is answered with %i', async (_name, forwarded, status) => {
    expect((await via(...forwarded)).status).toBe(status);
  });

  test('a listener whose peer is no listed proxy refuses whatever is forwarded', async () => {
    const direct = await startEdge({ config: { access: 'proxy', trustedProxies: ['10.0.0.0/8'] } });
    const answer = await send(direct, 'GET', '/api/v1/agent/health', { headers: { 'X-Forwarded-For': '8.8.8.8' } });
    expectError(answer, 403, 'forbidden');
    await direct.close();
  });

  test('does not start without a proxy to trust, or with one that is no address', async () => {
    await expect(startEdge({ config: { access: 'proxy' } })).rejects.toThrow('--trusted-proxy');
    await expect(startEdge({ config: { access: 'proxy', trustedProxies: ['10.0.0.0/99'] } })).rejects.toThrow(
      '10.0.0.0/99',
    );
  });
});

test('a bearer token is asked for on every request when one is set', async () => {
  const edge = await startEdge({ config: { token: 'a-long-token' } });
  const status = async (authorization?: string): Promise<number> =>
    (
      await send(edge, 'GET', '/api/v1/agent/health', {
        headers: authorization === undefined ? {} : { Authorization: authorization },
      })
    ).status;
  expect(await status()).toBe(403);
  expect(await status('Bearer a-long-tokem')).toBe(403);
  expect(await status('Bearer a-long')).toBe(403);
  expect(await status('Basic a-long-token')).toBe(403);
  expect(await status('a-long-token')).toBe(403);
  expect(await status('Bearer a-long-token')).toBe(200);
  expect(await status('bearer a-long-token')).toBe(200);
  await edge.close();
});

describe('limits', () => {
  test('the bucket empties, says when to come back, and fills with time', async () => {
    const edge = await startEdge({ config: { rate: { perSecond: 2, burst: 3 } } });
    const health = (): Promise<Answer> => send(edge, 'GET', '/api/v1/agent/health');
    for (let n = 0; n < 3; n += 1) expect((await health()).status).toBe(200);
    const refused = await health();
    expectError(refused, 429, 'rate_limited', 'request rate limit exceeded');
    expect(refused.headers['retry-after']).toBe('1');
    await edge.clock.advance(500);
    expect((await health()).status).toBe(200);
    expect((await health()).status).toBe(429);
    await edge.clock.advance(60_000);
    for (let n = 0; n < 3; n += 1) expect((await health()).status).toBe(200);
    expect((await health()).status).toBe(429);
    await edge.close();
  });

  test('remembers so many addresses and no more; the one longest unseen starts over', () => {
    const limit = new RateLimit({ perSecond: 0.001, burst: 1 }, new FakeClock());
    const isRefused = (address: string): boolean => {
      try {
        limit.take(address);
        return false;
      } catch {
        return true;
      }
    };
    for (let n = 0; n < 10_000; n += 1) limit.take(`client ${n}`);
    expect([isRefused('client 0'), isRefused('client 1')]).toEqual([true, true]);
    limit.take('one more');
    expect([isRefused('client 0'), isRefused('client 1'), isRefused('client 2')]).toEqual([true, true, false]);
  });

  test('clients behind a proxy have a bucket each', async () => {
    const edge = await startEdge({
      config: { access: 'proxy', trustedProxies: ['127.0.0.1'], rate: { perSecond: 1, burst: 1 } },
    });
    const from = async (client: string): Promise<number> =>
      (await send(edge, 'GET', '/api/v1/agent/health', { headers: { 'X-Forwarded-For': client } })).status;
    expect(await from('8.8.8.8')).toBe(200);
    expect(await from('8.8.8.8')).toBe(429);
    expect(await from('8.8.4.4')).toBe(200);
    expect(await from('8.8.8.8')).toBe(429);
    await edge.close();
  });

  test('requests in work are capped until they wait', async () => {
    let settle: (() => void)[] = [];
    let waits = false;
    const edge = await startEdge({
      config: { inFlightMax: 2 },
      handlers: {
        closeSession: async (_input, { waiting }) => {
          if (waits) waiting();
          await new Promise<void>((resolve) => settle.push(resolve));
          return { status: 200, body: { status: 'ok' } };
        },
      },
    });
    const started = async (count: number): Promise<void> => {
      while (settle.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    const close = (): Promise<Answer> => send(edge, 'POST', '/api/v1/agent/sessions/s/close');
    const first = [close(), close()];
    await started(2);
    const refused = await send(edge, 'GET', '/api/v1/agent/health');
    expectError(refused, 503, 'service_unavailable', 'service unavailable');
    expect(refused.headers['retry-after']).toBe('1');
    for (const resolve of settle) resolve();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);

    settle = [];
    waits = true;
    const waiting = [close(), close(), close()];
    await started(3);
    expect((await send(edge, 'GET', '/api/v1/agent/health')).status).toBe(200);
    for (const resolve of settle) resolve();
    await Promise.all(waiting);
    await edge.close();
  });

  test('half a body keeps nobody out, unless the bodies in arrival are too much together', async () => {
    const edge = await startEdge({ config: { inFlightMax: 1, arrivingBytesMax: 2_000 } });
    const whole = requestBytes({
      method: 'POST',
      target: RUN,
      headers: [],
      body: JSON.stringify({ filler: 'x'.repeat(900) }),
    });
    const begun = Array.from({ length: 2 }, () => connect(edge.port, '127.0.0.1'));
    for (const socket of begun) socket.write(whole.subarray(0, -1));
    expect((await send(edge, 'GET', '/api/v1/agent/health')).status).toBe(200);
    // The first two may have sent less than half of theirs by now.
    const refused = async (): Promise<Answer> => {
      for (;;) {
        const answer = await exchange(edge.port, whole);
        if (answer.status !== 200) return answer;
      }
    };
    const answer = await refused();
    expectError(answer, 503, 'service_unavailable', 'service unavailable');
    expect(answer.headers['retry-after']).toBe('1');
    for (const socket of begun) {
      const end = readAnswer(socket);
      socket.write(whole.subarray(-1));
      expect((await end).status).toBe(200);
      socket.destroy();
    }
    expect((await exchange(edge.port, whole)).status).toBe(200);
    const left = connect(edge.port, '127.0.0.1');
    left.write(whole.subarray(0, -1));
    left.destroy();
    await edge.close();
  });
});

describe('login', () => {
  test('while the restriction is unknown, realm-scoped operations are refused and the others are not', async () => {
    const edge = await startEdge({ login: { serves: 'unknown' } });
    const refused = await send(edge, 'GET', '/api/v1/agent/sessions');
    expectError(refused, 503, 'restriction_unknown');
    expect(refused.headers['retry-after']).toBeUndefined();
    expect((await send(edge, 'POST', RUN)).status).toBe(200);
    expect((await send(edge, 'GET', '/api/v1/agent/hoody/auth/status')).status).toBe(200);
    await edge.close();
  });

  test('a pinned daemon refuses every other realm', async () => {
    const pinned = 'aaaaaaaaaaaaaaaaaaaaaaaa';
    const edge = await startEdge({ login: { pinned } });
    const status = async (realm: string): Promise<[number, string]> => {
      const answer = await send(edge, 'GET', '/api/v1/agent/sessions', { headers: { 'X-Hoody-Realm': realm } });
      return [answer.status, answer.json.code];
    };
    expect(await status(pinned)).toEqual([200, undefined]);
    expect(await status('')).toEqual([200, undefined]);
    expect(await status('global')).toEqual([400, 'realm_scope_unsupported']);
    expect(await status('All')).toEqual([400, 'invalid_realm']);
    await edge.close();
  });
});

describe('answers of handlers', () => {
  const answering = async (handler: Handler, strict: boolean): Promise<{ answer: Answer; edge: Edge }> => {
    const edge = await startEdge({ strict, handlers: { listMcpServers: handler } });
    const answer = await send(edge, 'GET', '/api/v1/agent/mcp/servers?session_id=s');
    await edge.close();
    return { answer, edge };
  };
  const broken: Handler = () => ({ status: 200, body: { status: 'ok' } });

  test('an error that was thrown is answered by its code, with its details and its wait', async () => {
    const { answer } = await answering(() => {
      throw new DaemonError('rate_limited', 'wait 2 s', { details: { some: 1 }, retryAfterSeconds: 2 });
    }, true);
    expect(answer.json).toEqual({ code: 'rate_limited', message: 'wait 2 s', details: { some: 1 } });
    expect(answer.headers['retry-after']).toBe('2');
  });

  test('a wait that only the message names sends no Retry-After', async () => {
    const { answer } = await answering(() => {
      throw new DaemonError('rate_limited', 'wait 2 s');
    }, true);
    expect(answer.headers['retry-after']).toBeUndefined();
  });

  test('anything else is an internal error whose cause only the log has', async () => {
    const { answer, edge } = await answering(() => {
      throw new Error('ENOENT: /home/alice/secret');
    }, true);
    expect(answer.json).toEqual({ code: 'internal_error', message: 'internal server error' });
    expect(edge.log).toEqual([
      {
        level: 'error',
        message: 'request failed',
        fields: {
          requestId: answer.headers['x-request-id'],
          operationId: 'listMcpServers',
          err: expect.objectContaining({ message: 'ENOENT: /home/alice/secret' }),
        },
      },
    ]);
  });

  test('details that cannot be written are an internal error too', async () => {
    const { answer } = await answering(() => {
      const details: Record<string, unknown> = {};
      details['self'] = details;
      throw new DaemonError('bad_request', 'no', { details });
    }, false);
    expectError(answer, 500, 'internal_error');
  });

  test('an answer that breaks the contract is an error in tests', async () => {
    const { answer, edge } = await answering(broken, true);
    expectError(answer, 500, 'internal_error');
    expect(edge.app.contractBreaches).toBe(1);
  });

  test('in production it is logged, counted and sent', async () => {
    const { answer, edge } = await answering(broken, false);
    expect([answer.status, answer.json]).toEqual([200, { status: 'ok' }]);
    expect(edge.app.contractBreaches).toBe(1);
    expect(edge.log[0]).toMatchObject({ level: 'error', fields: { operationId: 'listMcpServers' } });
  });

  test('but never when it could carry a credential', async () => {
    const { answer, edge } = await answering(
      () => ({ status: 200, body: { status: 'ok', servers: [{ name: 'a', env: { TOKEN: 's3cret' } }] } }),
      false,
    );
    expectError(answer, 500, 'internal_error');
    expect(answer.text + JSON.stringify(edge.log)).not.toContain('s3cret');
  });

  test('undocumented statuses and error codes are breaches too', async () => {
    const undocumented = await answering(() => ({ status: 202, body: {} }), true);
    expectError(undocumented.answer, 500, 'internal_error');
    const foreign = await answering(() => {
      throw new DaemonError('tool_not_found');
    }, true);
    expectError(foreign.answer, 500, 'internal_error');
  });

  test('the signal aborts when the caller leaves, and the edge goes on', async () => {
    let left: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => (left = resolve));
    let entered: (() => void) | undefined;
    const inside = new Promise<void>((resolve) => (entered = resolve));
    const edge = await startEdge({
      handlers: {
        closeSession: async (_input, { signal }) => {
          signal.addEventListener('abort', () => left!());
          entered!();
          await gone;
          throw signal.reason;
        },
      },
    });
    const socket = connect(edge.port, '127.0.0.1');
    socket.write(requestBytes({ method: 'POST', target: '/api/v1/agent/sessions/s/close', headers: [] }));
    await inside;
    socket.destroy();
    await gone;
    expect((await send(edge, 'GET', '/api/v1/agent/health')).status).toBe(200);
    expect(edge.log).toEqual([]);
    await edge.close();
  });

  test('a caller that leaves in the middle of its body costs nothing', async () => {
    const edge = await startEdge();
    const socket = connect(edge.port, '127.0.0.1');
    const headers: [string, string][] = [
      ['Content-Length', '100'],
      ['Content-Type', 'application/json'],
    ];
    socket.write(requestBytes({ method: 'POST', target: INTENT, headers }));
    socket.end('{');
    socket.resume();
    await once(socket, 'close');
    expect((await send(edge, 'GET', '/api/v1/agent/health')).status).toBe(200);
    expect(edge.log).toEqual([]);
    await edge.close();
  });
});
