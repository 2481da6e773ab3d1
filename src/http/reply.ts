/**
 * Answers onto the socket: status, headers and body in one write. What an answer must look like is check-reply.ts;
 * event streams are sse.ts.
 */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../ports.js';

export const JSON_TYPE = 'application/json';

/** How long a refused upload is read away after its answer: long enough for the answer to arrive. */
const LINGER_MS = 2_000;

/** Writes the whole answer. Node leaves the body out for HEAD by itself. */
export function writeReply(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string | Buffer,
  requestId: string,
  extra: Readonly<Record<string, string>> | undefined,
): void {
  const headers = [
    'Content-Type',
    contentType,
    'Content-Length',
    String(typeof body === 'string' ? Buffer.byteLength(body) : body.length),
    'X-Content-Type-Options',
    'nosniff',
    'X-Request-Id',
    requestId,
  ];
  if (extra?.['Cache-Control'] === undefined) headers.push('Cache-Control', 'no-store');
  if (extra !== undefined) for (const name of Object.keys(extra)) headers.push(name, extra[name]!);
  response.writeHead(status, headers);
  response.end(body);
}

/**
 * Makes the connection end after the answer, without a reset: our half is closed and the rest of the upload is read
 * away, for a moment. Closing at once would let the reset overtake the answer.
 */
export function closeAfterReply(request: IncomingMessage, response: ServerResponse, clock: Clock): void {
  response.shouldKeepAlive = false;
  request.socket.destroySoon = () => linger(request.socket, clock);
}

/** Answers a request that Node could not parse, on the bare socket, and closes it. */
export function writeRawReply(socket: Duplex, status: number, body: object, requestId: string, clock: Clock): void {
  const text = JSON.stringify(body);
  socket.write(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `Content-Type: ${JSON_TYPE}`,
      `Content-Length: ${Buffer.byteLength(text)}`,
      `X-Request-Id: ${requestId}`,
      'Cache-Control: no-store',
      'Connection: close',
      '',
      text,
    ].join('\r\n'),
  );
  linger(socket, clock);
}

function linger(socket: Duplex, clock: Clock): void {
  socket.end();
  socket.resume();
  const cancel = clock.after(LINGER_MS, () => socket.destroy());
  socket.once('close', cancel);
}
