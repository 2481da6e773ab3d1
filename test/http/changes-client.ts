/**
 * A client of the change tokens, written from the page alone: read the tokens, list everything, then list again what
 * moved, and everything when the scope changes. It holds lists and tokens, reconnects when a stream ends, and knows
 * nothing of the daemon but its URLs.
 */
import { once } from 'node:events';
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { API } from '../harness.js';

export interface Block {
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks at what came, whatever its shape.
  readonly data: any;
  /** As it came, for tests of the wire form. */
  readonly raw: string;
}

export interface ChangeStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The next frame or comment; undefined when the stream has ended. */
  next(): Promise<Block | undefined>;
  /** Leaves without a word, as a client that loses its network does. */
  leave(): void;
}

export const openChanges = async (baseUrl: string, headers: Record<string, string> = {}): Promise<ChangeStream> => {
  // A connection of its own: what leaves here is the connection, and no pool opens another in its place.
  const request = get(`${baseUrl}${API}/changes/stream`, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks = response.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
  let text = '';
  return {
    status: response.statusCode!,
    headers: response.headers,
    next: async () => {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end !== -1) {
          const raw = text.slice(0, end);
          text = text.slice(end + 2);
          return blockOf(raw);
        }
        try {
          const { done, value } = await chunks.next();
          if (done) return undefined;
          text += value;
        } catch {
          return undefined; // The connection broke, which is an end too.
        }
      }
    },
    leave: () => void request.destroy(),
  };
};

const blockOf = (raw: string): Block => {
  const field = (name: string): string | undefined =>
    raw
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  return { event: field('event') ?? 'comment', data: JSON.parse(field('data') ?? 'null'), raw };
};

export class ChangesClient {
  readonly #baseUrl: string;
  readonly #headers: Record<string, string>;
  readonly #lists: Readonly<Record<string, string>>;
  #scope: string | undefined;
  #tokens: Record<string, string> = {};
  #stream: ChangeStream | undefined;
  #isStopped = false;
  #running: Promise<void> = Promise.resolve();
  /** What the client shows, by topic. */
  readonly shown: Record<string, unknown> = {};
  listings = 0;

  /** `lists` says where the list of each topic is that the client shows. */
  constructor(baseUrl: string, lists: Record<string, string>, headers: Record<string, string> = {}) {
    this.#baseUrl = baseUrl;
    this.#lists = lists;
    this.#headers = headers;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** The network breaks; the client comes back by itself. */
  disconnect(): void {
    this.#stream?.leave();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stream?.leave();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const stream = await openChanges(this.#baseUrl, this.#headers);
      this.#stream = stream;
      if (stream.status !== 200) throw new Error(`no stream: ${stream.status}`);
      for (let block = await stream.next(); block && !this.#isStopped; block = await stream.next()) {
        await this.#hear(block);
      }
    }
  }

  async #hear({ event, data }: Block): Promise<void> {
    if (event === 'changed') await this.#learn({ [data.topic]: data.token });
    if (event !== 'snapshot') return;
    if (data.scope !== this.#scope) this.#tokens = {};
    this.#scope = data.scope;
    await this.#learn(data.tokens);
  }

  /** The token is held before the list is read: a change in between moves it once more. */
  async #learn(tokens: Record<string, string>): Promise<void> {
    for (const [topic, token] of Object.entries(tokens)) {
      if (this.#tokens[topic] === token) continue;
      this.#tokens[topic] = token;
      const path = this.#lists[topic];
      if (path === undefined) continue;
      const response = await fetch(`${this.#baseUrl}${API}${path}`, { headers: this.#headers });
      this.shown[topic] = ((await response.json()) as { items: unknown }).items;
      this.listings += 1;
    }
  }
}
