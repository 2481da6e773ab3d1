/**
 * `web_fetch`: what a url of the web answers, as text. Redirects are followed here, one judged hop at a time, and a
 * connection is made to exactly the address that was judged, so neither a name nor a redirect leads into private networks.
 * Invariant: no byte is sent to an address that is not public, unless the settings allow it.
 */
import { lookup as resolveName } from 'node:dns';
import { request as requestPlain, STATUS_CODES, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { failed, succeeded, type ToolResult } from '../domain/tool.js';
import type { Clock, RunnableTool } from '../ports.js';
import { htmlText } from './html-text.js';
import { ToolFailure } from './judged-file.js';
import { isPublicAddress } from './public-address.js';
import { DEFAULT_OUTPUT_BYTES, MAX_BYTES, objectSchema, textSlice, withOwnAbort } from './tool-kit.js';

/** What servers and browsers agree on. */
const URL_CHARS_MAX = 8_192;
const DEFAULT_TIMEOUT_MS = 30_000;
const TIMEOUT_MS_MAX = 120_000;
/** Browsers follow twenty; a page that is moved more often than this is not found. */
const REDIRECTS_MAX = 10;
/** Read of one answer at most, unpacked. More than the longest text, and turned into text in a moment. */
const BODY_BYTES_MAX = 5 * 1024 * 1024;
const HEADER_BYTES_MAX = 64 * 1024;
/** Where a page names its charset, if it does. */
const CHARSET_BYTES = 1_024;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const TEXT_TYPE = /^(text\/|$)|[/+](json|xml|yaml|javascript|ecmascript|x-ndjson|toml|x-sh|sql|graphql)\b/;

type MayReach = (address: string) => boolean;

const privateAddress = (host: string): ToolFailure =>
  new ToolFailure(
    `${host} is not on the public internet; tools.web_fetch.allow_private in the settings would allow it`,
  );

/** The url to ask. Throws ToolFailure for what is no address of the web, or a private one by its own words. */
const judgedUrl = (text: string, base: URL | undefined, mayReach: MayReach): URL => {
  const url = URL.canParse(text, base?.href) ? new URL(text, base?.href) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ToolFailure(base ? `redirected to what is no http or https url` : 'url is no http or https url');
  }
  if (url.username !== '' || url.password !== '') throw new ToolFailure('a url with credentials in it is not fetched');
  // The parser has resolved every spelling of an address by now. Names are judged when they are looked up.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if ((/^[\d.]+$/.test(host) || host.includes(':')) && !mayReach(host)) throw privateAddress(url.hostname);
  return url;
};

/** Looks a name up once, and hands out what it found only when all of it may be reached. */
const judgedLookup =
  (mayReach: MayReach): LookupFunction =>
  (host, options, callback) => {
    resolveName(host, { ...options, all: true }, (error, found) => {
      const [first] = found ?? [];
      if (error || !first) return callback(error ?? new ToolFailure(`${host} has no address`), '');
      if (!found.every(({ address }) => mayReach(address))) return callback(privateAddress(host), '');
      if (options.all) return callback(null, found);
      return callback(null, first.address, first.family);
    });
  };

/** What was said of a connection that failed. The host is the caller's own or named by a redirect; no path, no query. */
const connectionFailure = (error: unknown, url: URL): Error => {
  if (error instanceof ToolFailure) return error;
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  const said = code === 'ENOTFOUND' ? 'is not known' : `cannot be fetched from (${code})`;
  return new ToolFailure(`${url.host} ${said}`, { cause: error });
};

const ask = (url: URL, mayReach: MayReach, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestSecure : requestPlain;
    const request = send(url, {
      // A connection of its own: one that is kept open was judged for somebody else.
      agent: false,
      lookup: judgedLookup(mayReach),
      signal,
      maxHeaderSize: HEADER_BYTES_MAX,
      headers: {
        accept: 'text/html, text/*;q=0.9, */*;q=0.5',
        'accept-encoding': 'identity',
        'user-agent': 'hoody-agentd',
      },
    });
    request.once('response', resolve);
    request.on('error', (error) => reject(connectionFailure(error, url)));
    request.end();
  });

interface Answer {
  readonly url: URL;
  readonly response: IncomingMessage;
}

/** The first answer that is no redirect; its body is unread. */
const follow = async (text: string, mayReach: MayReach, signal: AbortSignal): Promise<Answer> => {
  let url = judgedUrl(text, undefined, mayReach);
  for (let hops = 0; hops <= REDIRECTS_MAX; hops += 1) {
    const response = await ask(url, mayReach, signal);
    const { location } = response.headers;
    if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) return { url, response };
    response.destroy();
    url = judgedUrl(location, url, mayReach);
  }
  throw new ToolFailure(`redirected more than ${REDIRECTS_MAX} times`);
};

const unpacked = (response: IncomingMessage): Readable => {
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return response;
  if (!/^(x-)?gzip$|^deflate$|^br$/.test(encoding)) throw new ToolFailure('the answer is packed in an unknown way');
  const unpack = encoding === 'br' ? createBrotliDecompress() : createUnzip();
  // What goes wrong is told to whoever reads.
  return pipeline(response, unpack, () => undefined);
};

interface Body {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

const bodyOf = async ({ url, response }: Answer): Promise<Body> => {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of unpacked(response) as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length > BODY_BYTES_MAX) break;
    }
  } catch (error) {
    throw connectionFailure(error, url);
  } finally {
    response.destroy();
  }
  return { bytes: Buffer.concat(parts).subarray(0, BODY_BYTES_MAX), isWhole: length <= BODY_BYTES_MAX };
};

const BYTE_ORDER_MARKS: readonly (readonly [string, string])[] = [
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
];

/** The charset of a body: its mark, else what the server says, else what the page says, else UTF-8. */
const charsetOf = (contentType: string, bytes: Buffer, isHtml: boolean): string => {
  const head = bytes.subarray(0, CHARSET_BYTES);
  const marked = BYTE_ORDER_MARKS.find(([mark]) => head.toString('hex', 0, 3).startsWith(mark))?.[1];
  const named = /charset\s*=\s*["']?([\w.:-]+)/i;
  return (
    marked ?? named.exec(contentType)?.[1] ?? (isHtml ? named.exec(head.toString('latin1'))?.[1] : undefined) ?? 'utf-8'
  );
};

const decode = (bytes: Buffer, charset: string): string => {
  try {
    const decoder = new TextDecoder(charset);
    // As a stream: Node's short cut for whole texts takes windows-1252 for Latin-1.
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch {
    // A name nobody knows.
    return bytes.toString('utf8');
  }
};

const resultOf = async (answer: Answer, raw: boolean, maxBytes: number): Promise<ToolResult> => {
  const { url, response } = answer;
  const status = response.statusCode ?? 0;
  const contentType = response.headers['content-type'] ?? '';
  const type = (contentType.split(';')[0] as string).trim().toLowerCase();
  const shown = type || 'an unnamed type';
  const declared = Number(response.headers['content-length'] ?? NaN);
  const binary = (bytes: number): string =>
    `binary content (${shown}${Number.isFinite(bytes) ? `, ${bytes} bytes` : ''}); it is not shown\n`;
  const make = (output: string, extras: Pick<ToolResult, 'truncated' | 'originalBytes'> = {}, more?: string) => {
    const hints = [`status ${status} ${STATUS_CODES[status] ?? ''}`.trim(), shown, `from ${url.href}`, more];
    const options = { ...extras, hint: hints.filter((hint) => hint !== undefined).join('; ') };
    return status < 400 ? succeeded(output, options) : failed('tool_error', output, options);
  };

  if (!TEXT_TYPE.test(type)) {
    response.destroy();
    return make(binary(declared));
  }
  const { bytes, isWhole } = await bodyOf(answer);
  const isHtml = /^(text\/html|application\/xhtml\+xml)$/.test(type);
  const charset = charsetOf(contentType, bytes, isHtml);
  if (!/^utf-?16/i.test(charset) && bytes.includes(0)) return make(binary(isWhole ? bytes.length : declared));
  const content = decode(isWhole ? bytes : bytes.subarray(0, -4), charset);
  const text = Buffer.from(isHtml && !raw ? htmlText(content, url) : content);
  if (text.length <= maxBytes && isWhole) return make(text.toString('utf8'));
  const originalBytes = Math.max(text.length, Number.isFinite(declared) ? declared : bytes.length);
  return make(
    textSlice(text.subarray(0, maxBytes)),
    { truncated: true, originalBytes: isWhole ? text.length : originalBytes },
    isWhole ? undefined : `only the first ${BODY_BYTES_MAX} bytes were read`,
  );
};

export interface WebFetchParts {
  readonly clock: Clock;
  /** What counts as public. */
  readonly isPublic?: (address: string) => boolean;
}

export const createWebFetchTool = ({ clock, isPublic = isPublicAddress }: WebFetchParts): RunnableTool => ({
  name: 'web_fetch',
  description:
    'Fetch a page or file of the web with GET and return it as text; HTML is turned into readable text with its links. Redirects are followed. Only public addresses, only text: of other content its type and size are named.',
  readOnly: true,
  category: 'network',
  permissionKey: 'net.fetch',
  asyncCapable: false,
  inputSchema: objectSchema(
    {
      url: {
        type: 'string',
        minLength: 1,
        maxLength: URL_CHARS_MAX,
        pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
        description: 'An http or https url, without credentials.',
      },
    },
    ['url'],
    {
      raw: { type: 'boolean', default: false, description: 'Return HTML as it is.' },
      timeout_ms: {
        type: 'integer',
        minimum: 1,
        maximum: TIMEOUT_MS_MAX,
        default: DEFAULT_TIMEOUT_MS,
        description: 'Give up when the whole answer is not there after this many milliseconds.',
      },
      max_bytes: { ...MAX_BYTES, description: 'How many bytes of text to return at most: its beginning.' },
    },
  ),
  reach: () => ({ paths: [] }),
  run: async (params, { signal, allowPrivateFetch }) => {
    const timeoutMs = (params['timeout_ms'] as number | undefined) ?? DEFAULT_TIMEOUT_MS;
    const mayReach = allowPrivateFetch === true ? () => true : isPublic;
    return withOwnAbort(signal, async (own) => {
      const forget = clock.after(timeoutMs, () => own.abort());
      try {
        const answer = await follow(params['url'] as string, mayReach, own.signal);
        const maxBytes = (params['max_bytes'] as number | undefined) ?? DEFAULT_OUTPUT_BYTES;
        return await resultOf(answer, params['raw'] === true, maxBytes);
      } catch (error) {
        if (own.signal.aborted && !signal.aborted) return failed('timeout', `no whole answer within ${timeoutMs} ms`);
        throw error;
      } finally {
        forget();
      }
    });
  },
});
