/**
 * A small MCP server, the same over stdio and Streamable HTTP: what the suite needs a target to connect to, and nothing
 * a real server would be used for.
 *
 * Tools: `echo {text}` (read-only), `add {a, b}`, `sleep {ms}`, `fail {text}` (an error result).
 * Resources: `note` (text).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

const PROTOCOL_VERSION = '2025-06-18';

interface RpcRequest {
  readonly id?: number | string;
  readonly method: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- what a client sends.
  readonly params?: any;
}

const object = (properties: Record<string, unknown>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const TOOLS = [
  {
    name: 'echo',
    description: 'Answers with the text it was given.',
    inputSchema: object({ text: { type: 'string' } }),
    annotations: { readOnlyHint: true },
  },
  {
    name: 'add',
    description: 'Adds two numbers.',
    inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }),
  },
  {
    name: 'sleep',
    description: 'Answers after so many milliseconds.',
    inputSchema: object({ ms: { type: 'integer' } }),
  },
  {
    name: 'fail',
    description: 'Answers with an error that says the text.',
    inputSchema: object({ text: { type: 'string' } }),
  },
];

const text = (said: string) => ({ content: [{ type: 'text', text: said }] });

/** The result of a request; undefined for a notification. Throws for a method it does not have. */
export const answer = async ({ id, method, params }: RpcRequest): Promise<unknown> => {
  if (id === undefined) return undefined;
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: PROTOCOL_VERSION,
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: 'conformance', version: '1' },
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: TOOLS };
    case 'resources/list':
      return { resources: [{ uri: 'conformance://note', name: 'note', mimeType: 'text/plain' }] };
    case 'tools/call':
      return call(params.name as string, params.arguments ?? {});
    default:
      throw new Error(`no method ${method}`);
  }
};

// oxlint-disable-next-line typescript/no-explicit-any -- what a client sends.
const call = async (name: string, given: any): Promise<unknown> => {
  switch (name) {
    case 'echo':
      return text(given.text);
    case 'add':
      return text(String(given.a + given.b));
    case 'sleep':
      await new Promise((resolve) => setTimeout(resolve, given.ms));
      return text(`slept ${String(given.ms)}`);
    case 'fail':
      return { ...text(given.text), isError: true };
    default:
      throw new Error(`no tool ${name}`);
  }
};

const METHOD_NOT_FOUND = -32_601;

/** The response to one message, as JSON-RPC; undefined where there is none. */
export const respond = async (request: RpcRequest): Promise<object | undefined> => {
  const { id } = request;
  try {
    const result = await answer(request);
    return result === undefined ? undefined : { jsonrpc: '2.0', id, result };
  } catch (error) {
    return { jsonrpc: '2.0', id, error: { code: METHOD_NOT_FOUND, message: (error as Error).message } };
  }
};

/** Streamable HTTP without sessions and without a stream of its own: every answer is one JSON body. */
export const answerOverHttp = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const reply = await respond(JSON.parse(body) as RpcRequest);
  if (reply === undefined) return void response.writeHead(202).end();
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
};
