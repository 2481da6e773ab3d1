/**
 * A small MCP server: what the suite needs a target to connect to, and nothing a real server would be used for. It
 * speaks JSON-RPC to whoever hands it messages; stdio and HTTP are mcp-stdio.ts and mcp-http.ts. It needs no package, so
 * that any Node can run it.
 *
 * Tools: `echo {text}`, `look {path}` and `seen` say that they only read; `change {path}`, `mirror`, `add {a, b}`, `big {bytes}`,
 * `fail {text}`, `blocks`, `sleep {ms}`, `progress {steps, every_ms}`, `ask {message?, properties?}`, `received`,
 * `add_tool {name}`, `crash`. Resources: r1 to r5, two a page; two of them are named r1.
 *
 * Invariant: every message of the client is noted before it is worked on, so that a case can tell what reached it.
 */

/** How a server misbehaves, by its own choice. */
const TRAITS = {
  paged: 'lists its tools two a page',
  dies: 'writes a line to stderr and ends before it answers anything',
  silent: 'never answers initialize',
} as const;
export type Trait = keyof typeof TRAITS;

/** One message of the client, as far as cases look at it. */
export interface Seen {
  readonly method: string;
  /** Of a call. */
  readonly tool?: string;
}

/** What the server can tell about how it was started or called. */
export interface Received {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  readonly cwd?: string;
  readonly pid?: number;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- what a client sends.
  readonly params?: any;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** One message on its way in: whom to answer, and how the client introduced itself on this way. */
interface Call {
  readonly id: number | string;
  // oxlint-disable-next-line typescript/no-explicit-any -- what a client sends.
  readonly given: any;
  readonly progressToken: unknown;
  readonly send: Send;
  readonly received: Received;
  readonly cancelled: AbortSignal;
}

export type Send = (message: object) => void;

/** Credentials of the target may be around it; only what cases put there under these names is told with its value. */
const TOLD = /^(x-)?conformance[-_]/i;
/** Ends a child in the middle of a call; no code of Node's own. */
export const CRASH_EXIT_CODE = 17;
const METHOD_NOT_FOUND = -32_601;
const PAGE_SIZE = 2;

type Tool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly annotations?: object;
};

const tool = (
  name: string,
  description: string,
  properties: Record<string, string>,
  more: Partial<Tool> = {},
): Tool => ({
  name,
  description,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([key, type]) => [key.replace('?', ''), { type }] as const),
    ),
    required: Object.keys(properties).filter((key) => !key.endsWith('?')),
  },
  ...more,
});

const READS = { annotations: { readOnlyHint: true } };

const TOOLS: readonly Tool[] = [
  tool('echo', 'Answers with the text it was given.', { text: 'string' }, READS),
  tool('look', 'Answers with the path it was given.', { path: 'string' }, READS),
  tool('seen', 'How many messages of each kind it got, as JSON.', {}, READS),
  tool('change', 'Answers with the path it was given.', { path: 'string' }),
  tool('mirror', 'Answers with what it was given, as JSON.', {}),
  tool('add', 'Adds two numbers.', { a: 'number', b: 'number' }),
  tool('big', 'Answers with so many bytes of text.', { bytes: 'integer' }),
  tool('fail', 'Answers with an error that says the text.', { text: 'string' }),
  tool('blocks', 'Answers with a text, an image and structured content.', {}),
  tool('sleep', 'Answers after so many milliseconds, unless it is cancelled.', { ms: 'integer' }),
  tool('progress', 'Reports so many steps, so far apart.', { steps: 'integer', every_ms: 'integer' }),
  tool('ask', 'Asks the person a question and answers with the reply, as JSON.', {
    'message?': 'string',
    'properties?': 'object',
  }),
  tool('received', 'Names of the environment and headers it got, its folder and process, as JSON.', {}),
  tool('add_tool', 'Has one more tool from now on, and says so.', { name: 'string' }),
  tool('crash', 'Ends the process without an answer.', {}),
];

const RESOURCES = ['r1', 'r2', 'r3', 'r4', 'r5'].map((name) => ({
  uri: `conformance://${name}`,
  name: name === 'r5' ? 'r1' : name,
  description: `The resource ${name}.`,
  mimeType: 'text/plain',
}));

/** What `ask` asks unless it is told otherwise: the question the contract has as its example. */
const QUESTION = {
  message: 'Which environment?',
  properties: { environment: { type: 'string', title: 'Which environment?', enum: ['staging', 'production'] } },
};

const text = (said: unknown) => ({
  content: [{ type: 'text', text: typeof said === 'string' ? said : JSON.stringify(said) }],
});

const page = <T>(items: readonly T[], cursor: string | undefined, size: number) => {
  const from = Number(cursor ?? 0);
  const next = from + size;
  return { items: items.slice(from, next), ...(next < items.length && { nextCursor: String(next) }) };
};

export interface McpServerOptions {
  readonly traits: readonly string[];
  readonly note: (seen: Seen) => void;
  /** Ends the server at once. */
  readonly exit: (said: string) => void;
}

export class McpServer {
  readonly #options: McpServerOptions;
  readonly #counts: Record<string, number> = {};
  readonly #added: Tool[] = [];
  readonly #working = new Map<number | string, AbortController>();
  readonly #asked = new Map<number | string, (reply: unknown) => void>();
  #lastAsked = 0;
  #takesQuestions = false;

  constructor(options: McpServerOptions) {
    this.#options = options;
    if (this.#has('dies')) options.exit('cannot start: this server was asked to die');
  }

  /** Works on one message and sends what there is to say; resolves when nothing more will be sent for it. */
  async take(message: Message, send: Send, received: Received): Promise<void> {
    const { id, method, params } = message;
    if (method === undefined) {
      this.#asked.get(id!)?.(message.result ?? { error: message.error });
      this.#asked.delete(id!);
      return;
    }
    this.note({ method, ...(method === 'tools/call' && { tool: String(params?.name) }) });
    if (method === 'notifications/cancelled') this.#working.get(params?.requestId)?.abort();
    if (id === undefined) return;
    const working = new AbortController();
    this.#working.set(id, working);
    const call: Call = {
      id,
      given: params?.arguments ?? {},
      progressToken: params?._meta?.progressToken,
      send,
      received,
      cancelled: working.signal,
    };
    try {
      const result = await this.#answer(method, params ?? {}, call);
      if (result !== undefined && !working.signal.aborted) send({ jsonrpc: '2.0', id, result });
    } catch (error) {
      send({ jsonrpc: '2.0', id, error: { code: METHOD_NOT_FOUND, message: (error as Error).message } });
    } finally {
      this.#working.delete(id);
    }
  }

  note(seen: Seen): void {
    this.#counts[seen.method] = (this.#counts[seen.method] ?? 0) + 1;
    this.#options.note(seen);
  }

  /** The result; undefined for no answer at all. Throws for what it does not have. */
  // oxlint-disable-next-line typescript/no-explicit-any -- what a client sends.
  async #answer(method: string, params: any, call: Call): Promise<unknown> {
    switch (method) {
      case 'initialize':
        this.#takesQuestions = params.capabilities?.elicitation !== undefined;
        if (this.#has('silent')) return undefined;
        return {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: { listChanged: true }, resources: {} },
          serverInfo: { name: 'conformance', version: '1' },
        };
      case 'ping':
        return {};
      case 'tools/list': {
        const all = [...TOOLS, ...this.#added];
        const { items, ...rest } = page(all, params.cursor, this.#has('paged') ? PAGE_SIZE : all.length);
        return { tools: items, ...rest };
      }
      case 'resources/list': {
        const { items, ...rest } = page(RESOURCES, params.cursor, PAGE_SIZE);
        return { resources: items, ...rest };
      }
      case 'tools/call':
        return this.#call(params.name as string, call);
      default:
        throw new Error(`there is no method ${method}`);
    }
  }

  async #call(name: string, call: Call): Promise<unknown> {
    const { given, received, cancelled } = call;
    switch (name) {
      case 'echo':
        return text(given.text);
      case 'look':
      case 'change':
        return text(given.path);
      case 'mirror':
        return text(given);
      case 'seen':
        return text(this.#counts);
      case 'add':
        return text(String(given.a + given.b));
      case 'big':
        return text('x'.repeat(given.bytes));
      case 'fail':
        return { ...text(given.text), isError: true };
      case 'blocks':
        return {
          content: [
            { type: 'text', text: 'a picture' },
            { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
          ],
          structuredContent: { width: 1, height: 1 },
        };
      case 'sleep':
        await pause(given.ms, cancelled);
        return text(`slept ${String(given.ms)}`);
      case 'progress':
        return this.#progress(call);
      case 'ask':
        return this.#ask(call);
      case 'received':
        return text({ ...received, env: told(received.env), headers: told(received.headers) });
      case 'add_tool':
        this.#added.push(tool(given.name, 'Was added later.', {}));
        call.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        return text(`added ${String(given.name)}`);
      case 'crash':
        this.#options.exit('crashing, as asked');
        return undefined;
      default:
        if (!this.#added.some((added) => added.name === name)) throw new Error(`there is no tool ${name}`);
        return text(name);
    }
  }

  async #progress({ given, progressToken, send, cancelled }: Call): Promise<unknown> {
    for (let step = 1; step <= given.steps && !cancelled.aborted; step += 1) {
      await pause(given.every_ms, cancelled);
      if (progressToken === undefined) continue;
      const params = { progressToken, progress: step, total: given.steps };
      send({ jsonrpc: '2.0', method: 'notifications/progress', params });
    }
    return text(progressToken === undefined ? 'nobody asked for progress' : 'done');
  }

  async #ask({ given, send, cancelled }: Call): Promise<unknown> {
    if (!this.#takesQuestions) return { ...text('the client takes no questions'), isError: true };
    const { message, properties } = { ...QUESTION, ...given };
    const id = `ask-${(this.#lastAsked += 1)}`;
    const reply = new Promise<unknown>((resolve) => {
      this.#asked.set(id, resolve);
      cancelled.addEventListener('abort', resolve, { once: true });
    });
    const requestedSchema = { type: 'object', properties, required: Object.keys(properties) };
    send({ jsonrpc: '2.0', id, method: 'elicitation/create', params: { message, requestedSchema } });
    return text(await reply);
  }

  #has(trait: Trait): boolean {
    return this.#options.traits.includes(trait);
  }
}

/** Names, and the values cases put there. */
const told = (all: Readonly<Record<string, unknown>> | undefined) =>
  all === undefined
    ? undefined
    : {
        names: Object.keys(all).toSorted(),
        values: Object.fromEntries(Object.entries(all).filter(([name]) => TOLD.test(name))),
      };

const pause = (ms: number, cancelled: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    cancelled.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
