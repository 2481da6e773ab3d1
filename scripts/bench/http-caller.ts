/**
 * One keep-alive HTTP/1.1 connection to this machine with at most one request under way, on a bare socket: it costs a
 * fraction of Node's own client, and the load generator shares the machine with what it measures. It knows what the
 * measured servers send (a length or chunks, no interim answers) and throws on anything else.
 */
import { type Socket, connect } from 'node:net';

/** No measured request may take longer; a hanging one fails the measurement. */
const ANSWER_DEADLINE_MS = 60_000;
const HEAD_MAX_BYTES = 64 * 1_024;
const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
}

interface Waiting {
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (error: Error) => void;
}

export class HttpCaller {
  readonly #port: number;
  #socket: Socket | undefined;
  #waiting: Waiting | undefined;
  #chunks: Buffer[] = [];
  #receivedBytes = 0;
  #head: { status: number; bodyStart: number; end: number | undefined } | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** The text of a request, to be prepared outside a measurement where it can be. */
  request(method: string, path: string, body?: string): string {
    const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${this.#port}\r\n`;
    if (body === undefined) return `${head}\r\n`;
    return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}${HEAD_END}${body}`;
  }

  /** Sends it and resolves with the whole answer; connects again when the other side closed an idle connection. */
  async ask(request: string): Promise<HttpAnswer> {
    const socket = this.#socket?.writable ? this.#socket : await this.#connect();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      socket.write(request);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #connect(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
      this.#socket = socket;
      socket.setTimeout(ANSWER_DEADLINE_MS, () => socket.destroy(new Error('no answer in time')));
      socket.once('connect', () => resolve(socket));
      // A connection that was given up may still report its end when the next one is already in use.
      socket.on('data', (chunk) => socket === this.#socket && this.#receive(chunk));
      socket.on('error', (error) => {
        reject(error);
        if (socket === this.#socket) this.#fail(error);
      });
      socket.on('close', () => {
        if (socket === this.#socket) this.#fail(new Error('the connection was closed before the answer'));
      });
    });
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#reset();
    waiting?.reject(error);
  }

  #reset(): void {
    this.#waiting = undefined;
    this.#chunks = [];
    this.#receivedBytes = 0;
    this.#head = undefined;
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#receivedBytes += chunk.length;
    this.#head ??= this.#readHead();
    if (this.#head === undefined) return;
    const { status, bodyStart, end } = this.#head;
    if (end === undefined) {
      // Only bytes that end like a last chunk are worth decoding from the start.
      const latest = chunk.length < LAST_CHUNK.length ? this.#joined() : chunk;
      if (!latest.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) return;
      const body = decodeChunks(this.#joined().subarray(bodyStart));
      if (body) this.#finish({ status, body });
    } else if (this.#receivedBytes === end) {
      this.#finish({ status, body: this.#joined().subarray(bodyStart) });
    } else if (this.#receivedBytes > end) {
      this.#socket?.destroy(new Error('more bytes than the answer announced'));
    }
  }

  #finish(answer: HttpAnswer): void {
    const waiting = this.#waiting;
    this.#reset();
    waiting?.resolve(answer);
  }

  #joined(): Buffer {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first) return first;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  #readHead(): { status: number; bodyStart: number; end: number | undefined } | undefined {
    const bytes = this.#joined();
    const headEnd = bytes.indexOf(HEAD_END);
    if (headEnd === -1) {
      if (bytes.length > HEAD_MAX_BYTES) this.#socket?.destroy(new Error('an endless head'));
      return undefined;
    }
    const head = bytes.toString('latin1', 0, headEnd);
    const status = Number(head.slice(9, 12));
    const bodyStart = headEnd + HEAD_END.length;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) return { status, bodyStart, end: bodyStart + Number(length) };
    if (/\r\ntransfer-encoding: *chunked/i.test(head)) return { status, bodyStart, end: undefined };
    this.#socket?.destroy(new Error('an answer without a length'));
    return undefined;
  }
}

/** The body of a chunked answer, or undefined when it is not complete yet. */
function decodeChunks(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const start = lineEnd + 2;
    if (size === 0) return Buffer.concat(parts);
    if (!(start + size + 2 <= bytes.length)) return undefined;
    parts.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}
