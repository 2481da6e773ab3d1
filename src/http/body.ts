/**
 * A request's body, as bytes and then as JSON. Size is refused as early as it is known: declared, before anything is
 * routed; chunked, at the byte that passes the cap. Whether the JSON fits the contract is validate.ts.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { parse, type ParseError } from 'jsonc-parser';
import { DaemonError } from '../domain/errors.js';
import type { JsonValue } from '../domain/json.js';
import { invalidRequest } from './errors.js';
import { inexactness } from './exact-json.js';
import type { ArrivingBytes } from './limits.js';

/** Deeper than any document of the contract; free-form members have no schema of ours that would stop them. */
const DEPTH_MAX = 64;
/** Arbitrary, and far above real documents: what follows a parse should not cost more than the parse. */
const KEYS_MAX = 10_000;

/** The caller left before the request was complete: nobody is there to answer. */
export class CallerGone extends Error {
  constructor() {
    super('the caller closed the connection before the request was complete');
    this.name = 'CallerGone';
  }
}

/**
 * Throws `payload_too_large` for a declared length over the cap and `bad_request` for a compressed body, whichever header
 * says so.
 */
export function requireAcceptableSize(request: IncomingMessage, bytesMax: number): void {
  const { headers } = request;
  const declared = headers['content-length'];
  if (declared !== undefined && Number(declared) > bytesMax) throw new DaemonError('payload_too_large');
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== '' && encoding.toLowerCase() !== 'identity') {
    throw invalidRequest('header Content-Encoding', {
      pointer: '/headers/content-encoding',
      keyword: 'identity',
      message: 'is not supported; send the body uncompressed',
    });
  }
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    throw invalidRequest('header Transfer-Encoding', {
      pointer: '/headers/transfer-encoding',
      keyword: 'chunked',
      message: 'must be chunked and nothing else',
    });
  }
}

export const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

/**
 * Resolves to the whole body. Rejects with `payload_too_large` at the byte that passes the cap, with `service_unavailable`
 * when all that arrives is too much together, and with CallerGone. After a rejection the rest is read away unkept, so
 * that the answer is not overtaken by a reset.
 */
export function readBody(request: IncomingMessage, bytesMax: number, arriving: ArrivingBytes): Promise<Buffer> {
  let chunks: Buffer[] | undefined = [];
  let held = 0;
  return new Promise<Buffer>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      if (chunks === undefined) return;
      try {
        if (held + chunk.length > bytesMax) throw new DaemonError('payload_too_large');
        arriving.take(chunk.length);
        held += chunk.length;
        chunks.push(chunk);
      } catch (error) {
        chunks = undefined;
        reject(error as Error);
      }
    });
    request.on('end', () => chunks && resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.on('close', () => request.complete || reject(new CallerGone()));
  }).finally(() => arriving.release(held));
}

/** Throws `bad_request` unless the media type is JSON in UTF-8. Parameters beside the charset are ignored. */
export function requireJson(contentType: string | undefined): void {
  if (contentType === 'application/json') return;
  const [type, ...parameters] = (contentType ?? '').split(';', MEDIA_TYPE_PARTS_MAX);
  const charset = parameters.map((parameter) => parameter.trim().toLowerCase()).find((p) => p.startsWith('charset='));
  const isJson = type!.trim().toLowerCase() === 'application/json';
  if (isJson && (charset === undefined || UTF8_CHARSETS.has(charset))) return;
  throw invalidRequest('header Content-Type', {
    pointer: '/headers/content-type',
    keyword: 'mediaType',
    message: 'must be application/json in UTF-8',
  });
}

/** More parameters than any client sends; a hostile list is not taken apart to its end. */
const MEDIA_TYPE_PARTS_MAX = 8;
const UTF8_CHARSETS = new Set(['charset=utf-8', 'charset="utf-8"', 'charset=utf8']);

/**
 * Throws `bad_request`, naming the position of a syntax error, for nesting, key counts or numbers over the limits, and for
 * what would be changed by being read.
 */
export function parseJson(bytes: Buffer): JsonValue {
  if (!isUtf8(bytes)) throw badBody('encoding', 'must be UTF-8');
  const text = bytes.toString('utf8');
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    throw badBody('syntax', `is not valid JSON${positionOfFault(text)}`);
  }
  const inexact = inexactness(text, measure(value, 1, 0));
  if (inexact) throw invalidRequest(inexact.pointer.slice('/body'.length) || 'the body', inexact);
  return value;
}

/** Counts keys, and levels down to the limit only: recursion is never deeper than that. Returns the keys so far. */
function measure(value: JsonValue, depth: number, keysBefore: number): number {
  // What is read as Infinity could not be written down again.
  if (value === Infinity || value === -Infinity) throw badBody('maximum', 'must not have numbers beyond 1.8e308');
  if (typeof value !== 'object' || value === null) return keysBefore;
  if (depth > DEPTH_MAX) throw badBody('maxDepth', `must not be nested deeper than ${DEPTH_MAX} levels`);
  let keys = keysBefore;
  if (Array.isArray(value)) {
    for (const item of value) keys = measure(item, depth + 1, keys);
    return keys;
  }
  for (const key of Object.keys(value)) {
    keys += 1;
    if (keys > KEYS_MAX) throw badBody('maxKeys', `must not have more than ${KEYS_MAX} keys`);
    keys = measure(value[key]!, depth + 1, keys);
  }
  return keys;
}

const badBody = (keyword: string, message: string): DaemonError =>
  invalidRequest('the body', { pointer: '/body', keyword, message });

/** Node's own message quotes the text, and may leave the position out; a second parser finds it. */
function positionOfFault(text: string): string {
  const faults: ParseError[] = [];
  try {
    parse(text, faults, { disallowComments: true });
  } catch {
    return ''; // It recurses, and this text is too deep for it.
  }
  const offset = faults[0]?.offset;
  if (offset === undefined) return '';
  const before = text.slice(0, offset).split('\n');
  return `: line ${before.length}, column ${before.at(-1)!.length + 1}`;
}
