/**
 * The small MCP server over Streamable HTTP, with sessions. An answer is one JSON body; a call that has more to say on
 * the way (progress, a question, a changed list) is answered as an event stream. There is no stream of its own (GET).
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpServer } from './mcp-server.js';

const SESSION = 'mcp-session-id';

export class McpOverHttp {
  readonly #server: McpServer;
  readonly #sessions = new Set<string>();

  constructor(server: McpServer) {
    this.#server = server;
  }

  /** From now on the sessions that were begun are unknown, as after a restart. */
  forgetSessions(): void {
    this.#sessions.clear();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = request.headers[SESSION];
    if (request.method === 'DELETE') {
      this.#sessions.delete(String(session));
      this.#server.note({ method: '(end)' });
      return void response.writeHead(200).end();
    }
    if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST, DELETE' }).end();
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const message = JSON.parse(body) as Parameters<McpServer['take']>[0];
    if (message.method === 'initialize') {
      const begun = randomUUID();
      this.#sessions.add(begun);
      response.setHeader(SESSION, begun);
    } else if (!this.#sessions.has(String(session))) {
      return void response.writeHead(404).end();
    }
    const isRequest = message.id !== undefined && message.method !== undefined;
    await this.#server.take(message, sendTo(response, message.id), { headers: request.headers });
    if (response.writableEnded) return;
    if (!isRequest) response.writeHead(202);
    else if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end();
  }
}

/** The response to the request itself ends the answer; whatever comes before it makes a stream of it. */
const sendTo = (response: ServerResponse, id: unknown) => (message: object) => {
  const isLast = 'id' in message && message.id === id && !('method' in message);
  if (isLast && !response.headersSent) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
    return;
  }
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  if (isLast) response.end();
};
