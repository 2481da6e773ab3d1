import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createFilesRead } from '../../src/domain/gate/facts.js';
import type { JsonObject } from '../../src/domain/json.js';
import type { Posture } from '../../src/domain/session.js';
import type { ToolResult } from '../../src/domain/tool.js';
import { systemClock } from '../../src/system.js';
import { htmlText } from '../../src/tools/html-text.js';
import { createParamsValidator } from '../../src/tools/params-validator.js';
import { isPublicAddress } from '../../src/tools/public-address.js';
import { createWebFetchTool } from '../../src/tools/web-fetch.js';

let server: Server;
let port: number;
let answer: (path: string, response: ServerResponse) => void;
let asked: string[];
const gone: Promise<unknown>[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.host} ${request.url}`);
    gone.push(once(response, 'close'));
    answer(request.url as string, response);
  });
  // Every address of this machine, so that one of them can be taken for public and another one not.
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});
beforeEach(() => {
  asked = [];
  gone.length = 0;
});

/** One address of this machine stands in for the public internet, the others are what they are. */
const tool = createWebFetchTool({
  clock: systemClock,
  isPublic: (address) => address === '127.0.0.1' || isPublicAddress(address),
});
const guarded = createWebFetchTool({ clock: systemClock });

const run = (
  params: JsonObject,
  options: { fetch?: typeof tool; allowPrivateFetch?: boolean; signal?: AbortSignal } = {},
): Promise<ToolResult> => {
  const { fetch = tool, allowPrivateFetch = false, signal = new AbortController().signal } = options;
  expect(createParamsValidator().faults(fetch.inputSchema, params)).toEqual([]);
  const context = { owner: 'session:a', posture: {} as Posture, cwd: '/', paths: [], filesRead: createFilesRead() };
  return fetch
    .run(params, { ...context, isDenied: () => false, signal, allowPrivateFetch })
    .catch((error: Error): ToolResult => ({ ok: false, output: error.message, isError: true }));
};
const at = (path: string, host = '127.0.0.1'): string => `http://${host}:${port}${path}`;
const fetched = (path: string, params: JsonObject = {}): Promise<ToolResult> => run({ url: at(path), ...params });
const replies =
  (body: string | Buffer, headers: Record<string, string> = { 'content-type': 'text/plain' }, status = 200) =>
  (_path: string, response: ServerResponse): void =>
    void response.writeHead(status, headers).end(body);

describe('addresses', () => {
  test.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '::ffff:8.8.8.8'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    '127.0.0.1',
    '127.255.0.1',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    'fec0::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '2001:db8::1',
    'localhost',
    '',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[0:0:0:0:0:ffff:7f00:1]',
    'localhost',
    'LOCALHOST.',
    '%31%32%37.0.0.1',
    '１２７.0.0.1',
    '169.254.169.254',
  ])('no url leads to a private one unless the settings allow it: %s', async (host) => {
    answer = replies('inside');
    expect(await run({ url: at('/', host) }, { fetch: guarded })).toMatchObject({ ok: false });
    expect(asked).toEqual([]);
  });

  test('a setting opens them, by address and by name', async () => {
    answer = replies('inside');
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433']) {
      const result = await run({ url: at('/', host) }, { fetch: guarded, allowPrivateFetch: true });
      expect(result).toMatchObject({ ok: true, output: 'inside' });
    }
  });

  test('are told in the refusal, with the setting that would allow them', async () => {
    expect((await run({ url: at('/', 'localhost') }, { fetch: guarded })).output).toBe(
      'localhost is not on the public internet; tools.web_fetch.allow_private in the settings would allow it',
    );
  });
});

describe('redirects', () => {
  const leads = (location: string, status = 302) => replies('', { location }, status);

  test('are followed, relative ones too, and where the answer came from is told', async () => {
    answer = (path, response) =>
      path === '/a/b' ? leads('../c?x=1', 307)(path, response) : replies('there')(path, response);
    expect(await fetched('/a/b')).toEqual({
      ok: true,
      output: 'there',
      hint: `status 200 OK; text/plain; from ${at('/c?x=1')}`,
    });
    expect(asked).toEqual([`GET 127.0.0.1:${port} /a/b`, `GET 127.0.0.1:${port} /c?x=1`]);
  });

  test.each(['//127.0.0.2', 'http://[::1]', 'http://2130706434', 'http://169.254.169.254', 'http://[::ffff:7f00:2]'])(
    'that lead to a private address are not: %s',
    async (where) => {
      answer = leads(`${where}:${port}/secret`);
      expect((await fetched('/')).output).toContain('is not on the public internet');
      expect(asked).toHaveLength(1);
    },
  );

  test.each(['file:///etc/passwd', 'gopher://127.0.0.1/', 'data:text/plain,x', 'http://'])(
    'that lead out of the web are not: %s',
    async (where) => {
      answer = leads(where);
      expect((await fetched('/')).output).toBe('redirected to what is no http or https url');
    },
  );

  test('that never end do', async () => {
    answer = leads('/again');
    expect((await fetched('/')).output).toBe('redirected more than 10 times');
    expect(asked).toHaveLength(11);
  });
});

describe('what comes back', () => {
  test('is the text; HTML in readable form unless it is wanted raw', async () => {
    const page = '<!doctype html><title>T</title><p>One <b>two</b>&amp;<a href="/x">three</a></p>';
    answer = replies(page, { 'content-type': 'text/html; charset=utf-8' });
    expect((await fetched('/')).output).toBe(`T\n\nOne two&[three](${at('/x')})\n`);
    expect((await fetched('/', { raw: true })).output).toBe(page);
    answer = replies('{"a":1}', { 'content-type': 'application/problem+json' });
    expect((await fetched('/')).output).toBe('{"a":1}');
  });

  test('is a failure with its text when the status is one', async () => {
    answer = replies('no such page', { 'content-type': 'text/plain' }, 404);
    expect(await fetched('/')).toMatchObject({
      ok: false,
      errorCode: 'tool_error',
      output: 'no such page',
      hint: expect.stringContaining('404 Not Found'),
    });
  });

  test.each<[string, string, Buffer]>([
    ['text/plain; charset=iso-8859-1', 'é', Buffer.from([0xe9])],
    ['text/plain; charset="windows-1252"', '€', Buffer.from([0x80])],
    ['text/plain', 'é', Buffer.from([0xef, 0xbb, 0xbf, 0xc3, 0xa9])],
    ['text/plain', 'é', Buffer.from([0xff, 0xfe, 0xe9, 0x00])],
    ['text/plain; charset=nonsense', 'é', Buffer.from('é')],
    ['text/plain', 'a\ufffdb', Buffer.from([0x61, 0xff, 0x62])],
    ['text/html', '\u00e9\n', Buffer.from([...Buffer.from('<meta charset=latin1>'), 0xe9])],
  ])('is read in its charset: %s, %s', async (type, output, bytes) => {
    answer = replies(bytes, { 'content-type': type });
    expect((await fetched('/')).output).toBe(output);
  });

  test('is unpacked, and bounded while it is', async () => {
    answer = replies(gzipSync('packed'), { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
    expect((await fetched('/')).output).toBe('packed');
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, 'a'));
    answer = replies(bomb, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
    expect(await fetched('/', { max_bytes: 10 })).toMatchObject({ ok: true, output: 'aaaaaaaaaa', truncated: true });
    answer = replies('no gzip', { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
    expect(await fetched('/')).toMatchObject({ ok: false, output: expect.stringContaining('cannot be fetched') });
  });

  test('is named and not shown when it is binary, whatever it is called', async () => {
    answer = replies(Buffer.from([0x89, 0x50]), { 'content-type': 'image/png', 'content-length': '2' });
    expect((await fetched('/')).output).toBe('binary content (image/png, 2 bytes); it is not shown\n');
    answer = replies(Buffer.from('a\0b'));
    expect((await fetched('/')).output).toBe('binary content (text/plain, 3 bytes); it is not shown\n');
  });

  test('is cut between characters, and the size of the whole is told', async () => {
    answer = replies('é'.repeat(10));
    expect(await fetched('/', { max_bytes: 5 })).toMatchObject({ output: 'éé', truncated: true, originalBytes: 20 });
    const size = 50 * 1024 * 1024;
    answer = replies(Buffer.alloc(size, 'a'), { 'content-type': 'text/plain', 'content-length': String(size) });
    const result = await fetched('/');
    expect([result.output.length, result.truncated, result.originalBytes]).toEqual([256 * 1024, true, size]);
    expect(result.hint).toContain('only the first 5242880 bytes');
  });

  test('is left alone when it never ends', async () => {
    answer = (_path, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const chunk = Buffer.alloc(64 * 1024, 'a');
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    };
    const result = await fetched('/');
    expect([result.ok, result.output.length, result.truncated]).toEqual([true, 256 * 1024, true]);
    await Promise.all(gone);
  });
});

describe('a server that', () => {
  test.each<[string, (path: string, response: ServerResponse) => void]>([
    ['says nothing', () => undefined],
    [
      'stops in the middle',
      (_path, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).write('a'),
    ],
  ])('%s is left when time is up, or when the run is cancelled', async (_name, silent) => {
    answer = silent;
    expect(await fetched('/', { timeout_ms: 150 })).toMatchObject({
      errorCode: 'timeout',
      output: 'no whole answer within 150 ms',
    });
    const cancel = new AbortController();
    const running = run({ url: at('/') }, { signal: cancel.signal });
    answer = (path, response) => {
      silent(path, response);
      cancel.abort();
    };
    expect(await running).toMatchObject({ ok: false });
    await Promise.all(gone);
  });

  test('is not there, or ends in the middle, or speaks no HTTP is told without the path', async () => {
    answer = (_path, response) => void response.socket?.end('nonsense\r\n\r\n');
    expect((await fetched('/secret?token=x')).output).toMatch(/^127\.0\.0\.1:\d+ cannot be fetched from \(HPE_\w+\)$/);
    answer = (_path, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '10' });
      response.write('a', () => response.socket?.destroy());
    };
    expect((await fetched('/secret')).output).toMatch(/^127\.0\.0\.1:\d+ cannot be fetched from \(ECONNRESET\)$/);
    expect((await run({ url: 'http://127.0.0.1:1/secret' })).output).toBe(
      '127.0.0.1:1 cannot be fetched from (ECONNREFUSED)',
    );
  });
});

test.each([
  'file:///etc/passwd',
  'ftp://example.com/',
  'example.com',
  ' http://example.com',
  `http://${'a'.repeat(8200)}`,
])('the schema refuses what is no url of the web: %s', (url) => {
  expect(createParamsValidator().faults(tool.inputSchema, { url })[0]).toMatchObject({ pointer: '/url' });
});

test('credentials in a url are not sent', async () => {
  expect((await run({ url: `http://user:word@127.0.0.1:${port}/` })).output).toContain('credentials');
  expect(asked).toEqual([]);
});

describe('HTML as text', () => {
  const base = new URL('https://example.com/docs/');

  test.each([
    ['<h2>Head</h2>text<br>more', '## Head\n\ntext\nmore\n'],
    ['<ul><li>one<li>two</ul>', '- one\n- two\n'],
    ['a\n   b <i> c</i>', 'a b c\n'],
    ['<pre>a\n  b</pre>', 'a\n  b\n'],
    ['<script>var a = "<p>x</p>";</script>a<style>p{}</style>b<!-- c --><svg><text>d</text></svg>', 'ab\n'],
    [
      '<a href="#x">here</a> <a href=javascript:alert(1)>js</a> <a href="y">there</a>',
      'here js [there](https://example.com/docs/y)\n',
    ],
    ['1 < 2 && 3 > 2 &lt;b&gt; &#65;&#x42;&#0;&unknown;', '1 < 2 && 3 > 2 <b> AB�&unknown;\n'],
    ['<p title="a > b">x</p><p title=it\'s>y', 'x\n\ny\n'],
    ['<table><tr><td>1</td><td>2</td></tr></table>', '1 | 2 |\n'],
    ['text <b unclosed', 'text\n'],
    ['', '\n'],
  ])('%s', (html, text) => {
    expect(htmlText(html, base)).toBe(text);
  });

  test.each([
    '<a ',
    '<!',
    '<!--',
    '<a b="',
    "<a b='",
    '<script>',
    '</script',
    '&',
    '&#32;',
    '<div>',
    '<a href=" ',
    '<p>\n ',
    '<',
  ])('is read in time that grows with its length, whatever is repeated: %s', (piece) => {
    const startedAt = performance.now();
    htmlText(piece.repeat(Math.ceil(2_000_000 / piece.length)), base);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
