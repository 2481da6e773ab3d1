/**
 * A broken daemon: the real one behind a proxy that tells one lie. Everything a lie does not touch passes as it is, event
 * streams piece by piece, so that a case which does not look at the lie cannot tell the difference.
 */
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Contract, Operation } from '../../../src/conformance/contract.js';
import { errorCode } from '../../../src/conformance/contract.js';

/** Longer than a case waits for the end of what it left. */
const DEAF_MS = 12_000;

/** A request on its way to the daemon. */
export interface Asked {
  readonly operation: Operation | undefined;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever a case sent.
  readonly body: any;
}

/** An answer on its way back. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the daemon said.
  readonly body: any;
  readonly code: string | undefined;
}

export interface Lie {
  /** What such a daemon does. */
  readonly says: string;
  readonly ask?: (asked: Asked) => Partial<Pick<Asked, 'target' | 'headers' | 'body'>> | undefined;
  readonly answer?: (answered: Answered, asked: Asked) => Partial<Answered> | undefined;
  /** Each frame of an event stream; undefined takes it out. */
  readonly frame?: (frame: string, event: string) => string | undefined;
  /** Does not notice that a caller hung up. */
  readonly isDeaf?: boolean;
}

/** `teller` holds the lie; several daemons may share one. */
export interface Teller {
  lie: Lie | undefined;
  told: number;
}

export const breakDaemon = async (
  contract: Contract,
  baseUrl: string,
  teller: Teller,
): Promise<{ url: string; close: () => Promise<void> }> => {
  const upstream = new URL(baseUrl);
  const server = createServer((request, response) => {
    pass(contract, upstream, teller, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

const pass = async (
  contract: Contract,
  upstream: URL,
  teller: Teller,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { lie } = teller;
  const text = await textOf(request);
  const method = request.method!;
  const target = request.url!;
  const whole: Asked = {
    operation: contract.find(method, target.split('?', 1)[0]!),
    method,
    target,
    headers: request.headers,
    body: parsed(text),
  };
  const change = lie?.ask?.(whole);
  if (change !== undefined) teller.told += 1;
  const asked = { ...whole, ...change };
  const sent = change !== undefined && 'body' in change ? JSON.stringify(change.body) : text;
  const { host: _host, connection: _connection, 'transfer-encoding': _coding, ...headers } = asked.headers;
  const outgoing = httpRequest(new URL(asked.target, upstream), {
    method,
    headers: {
      ...headers,
      // A case may choose its Host, and the daemon judges it.
      host: request.headers.host?.startsWith('127.0.0.1') === true ? upstream.host : request.headers.host,
      ...(sent === '' && method === 'GET' ? {} : { 'content-length': `${Buffer.byteLength(sent)}` }),
    },
  });
  response.once('close', () => {
    if (lie?.isDeaf !== true || response.writableFinished) return void outgoing.destroy();
    teller.told += 1;
    setTimeout(() => outgoing.destroy(), DEAF_MS).unref();
  });
  outgoing.end(sent);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const type = incoming.headers['content-type'] ?? '';
  if (type.startsWith('text/event-stream')) return streamThrough(incoming, response, teller);
  const came = await textOf(incoming);
  const body = parsed(came);
  const answered: Answered = {
    status: incoming.statusCode!,
    headers: incoming.headers,
    body,
    code: incoming.statusCode! >= 400 ? errorCode(body) : undefined,
  };
  const instead = lie?.answer?.(answered, asked);
  if (instead !== undefined) teller.told += 1;
  const told = instead !== undefined && 'body' in instead ? JSON.stringify(instead.body) : came;
  const {
    'transfer-encoding': _chunked,
    'content-length': _length,
    ...kept
  } = { ...incoming.headers, ...instead?.headers };
  const present = Object.entries(kept).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined);
  response.writeHead(instead?.status ?? answered.status, {
    ...Object.fromEntries(present),
    'content-length': Buffer.byteLength(told),
  });
  response.end(told);
};

const streamThrough = async (incoming: IncomingMessage, response: ServerResponse, teller: Teller): Promise<void> => {
  response.writeHead(incoming.statusCode!, incoming.headers);
  let rest = '';
  for await (const chunk of incoming.setEncoding('utf8') as AsyncIterable<string>) {
    const frames = (rest + chunk).split('\n\n');
    rest = frames.pop()!;
    for (const frame of frames) {
      const event = /^event: ?(.*)$/m.exec(frame)?.[1] ?? '';
      const told = teller.lie?.frame === undefined ? frame : teller.lie.frame(frame, event);
      if (told !== frame) teller.told += 1;
      if (told !== undefined) response.write(`${told}\n\n`);
    }
  }
  response.end(rest);
};

const textOf = async (message: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
