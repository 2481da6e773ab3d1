/**
 * One connection to one server: initialized, its tools known and kept up to date, calls with limits, its end reported.
 * How it is reached is a link's matter (stdio-child.ts, remote-link.ts); whether it is opened again is the pool's.
 * Invariant: the same call is sent a second time only when the first one was refused because its session was over.
 */
/* oxlint-disable unicorn/prefer-add-event-listener -- clients and transports of the SDK have handlers, not listeners */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject, type JsonObject } from '../domain/json.js';
import type { Elicitation, ElicitReply } from '../domain/question.js';
import {
  type Caller,
  type Clock,
  ConnectError,
  type Launch,
  type Logger,
  type ServerConnection,
  type ServerConnectionEvents,
  type ServerResource,
  type ServerTool,
  type ServerToolResult,
} from '../ports.js';
import { Heartbeat } from './heartbeat.js';
import type { Link, LinkEvents } from './link.js';
import { IdlePause, type Limits, Requests } from './requests.js';
import { readResourceList } from './resource-list.js';
import type { SecretMask } from './secret-mask.js';
import { abortError, isUnauthorized, quote, SessionGoneError, tell, timeoutError, ToldError } from './told-error.js';
import { type ToolList, readToolList } from './tool-list.js';
import { NEVER_MS, within } from './within.js';

/** For all pages of the tool list together: it is read while a caller waits for the start. */
const LIST_TIMEOUT_MS = 60_000;
/** Between two readings of a changed list: a server that announces every single tool costs a few readings. */
const LIST_SPACING_MS = 500;

export interface ConnectionDeps {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly clock: Clock;
  readonly logger: Logger;
  readonly startTimeoutMs: number;
  readonly pingIntervalMs: number;
  readonly mask: SecretMask;
  createLink(events: LinkEvents): Link;
}

/** An initialized client; a remote server whose session is over gets a new one. */
interface Session {
  readonly client: Client;
  readonly link: Link;
  readonly protocolVersion: string;
  readonly requests: Requests;
}

export class Connection implements ServerConnection {
  readonly #deps: ConnectionDeps;
  readonly #launch: Launch;
  readonly #events: ServerConnectionEvents;
  /** Aborts when this connection ends, for whatever reason. */
  readonly #life = new AbortController();
  #link: Link;
  #session: Session | undefined;
  readonly #retired = new Set<Session>();
  #renewal: Promise<Session> | undefined;
  #heartbeat: Heartbeat | undefined;
  readonly #calls = new Set<{ readonly caller: Caller | undefined; readonly pause: IdlePause }>();
  #list: ToolList = { tools: [], warnings: [] };
  #listIsStale = false;
  #isListing = false;
  #isOpen = false;
  #closing: Promise<void> | undefined;

  private constructor(deps: ConnectionDeps, launch: Launch, events: ServerConnectionEvents) {
    this.#deps = deps;
    this.#launch = launch;
    this.#events = events;
    this.#link = this.#createLink();
  }

  /** Rejects with ConnectError when it cannot be initialized in time or the signal aborts; nothing of it is left then. */
  static async open(
    deps: ConnectionDeps,
    launch: Launch,
    events: ServerConnectionEvents,
    signal: AbortSignal,
  ): Promise<Connection> {
    const connection = new Connection(deps, launch, events);
    const stop = (): void => connection.#life.abort();
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    try {
      await connection.#start();
      return connection;
    } catch (error) {
      const link = connection.#link;
      const reason = link.endReason === undefined ? tell(error, deps.mask) : `${link.endReason} before it was ready`;
      await connection.close();
      const told = signal.aborted ? 'its start was stopped' : reason;
      throw new ConnectError(told, link.stderrTail(), error, isUnauthorized(error));
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  get protocolVersion(): string {
    return this.#session?.protocolVersion ?? '';
  }

  get serverName(): string {
    return quote(this.#session?.client.getServerVersion()?.name ?? '', this.#deps.mask);
  }

  get serverVersion(): string {
    return quote(this.#session?.client.getServerVersion()?.version ?? '', this.#deps.mask);
  }

  get pid(): number {
    return this.#link.pid;
  }

  get tools(): readonly ServerTool[] {
    return this.#list.tools;
  }

  get warnings(): readonly string[] {
    return [...this.#list.warnings, ...this.#link.warnings()].map((part) => `server "${this.#launch.name}" ${part}`);
  }

  stderrTail(): readonly string[] {
    return this.#link.stderrTail();
  }

  async callTool(
    name: string,
    args: JsonObject,
    { caller, ...limits }: Limits & { readonly caller?: Caller },
  ): Promise<ServerToolResult> {
    const call = { caller, pause: new IdlePause() };
    this.#calls.add(call);
    try {
      return toToolResult(
        await this.#request('tools/call', { name, arguments: args }, { ...limits, pause: call.pause }, true),
      );
    } catch (error) {
      throw this.#callError(error);
    } finally {
      this.#calls.delete(call);
    }
  }

  /**
   * Asks the session whose call is under way. The protocol does not say which call a question belongs to, so when more
   * than one session waits for this server, nobody is asked.
   */
  async #elicit(elicitation: Elicitation, signal: AbortSignal): Promise<ElicitReply> {
    const calls = [...this.#calls];
    const caller = calls[0]?.caller;
    if (caller === undefined || calls.some((call) => call.caller?.session !== caller.session)) {
      return { action: 'cancel' };
    }
    for (const { pause } of calls) pause.begin();
    try {
      return await caller.elicit(elicitation, signal);
    } finally {
      for (const { pause } of calls) pause.end();
    }
  }

  async listResources(signal: AbortSignal): Promise<readonly ServerResource[]> {
    if (this.#session?.client.getServerCapabilities()?.resources === undefined) return [];
    const limits = { signal, idleTimeoutMs: LIST_TIMEOUT_MS, totalTimeoutMs: LIST_TIMEOUT_MS };
    try {
      return await readResourceList((cursor) =>
        this.#request('resources/list', cursor === undefined ? {} : { cursor }, limits),
      );
    } catch (error) {
      throw this.#callError(error);
    }
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    for (const session of [this.#session, ...this.#retired]) session?.requests.failAll(new ToldError('it was stopped'));
    this.#life.abort();
    await this.#renewal?.catch(() => undefined);
    await this.#link.close();
  }

  async #start(): Promise<void> {
    this.#session = await this.#initialize(this.#link);
    this.#list = await this.#readList();
    if (this.#link.endReason !== undefined || this.#life.signal.aborted) throw new ToldError('it ended');
    this.#isOpen = true;
    if (this.#listIsStale) void this.#followList();
    if (this.#launch.transport !== 'stdio') this.#watchRemote();
  }

  #createLink(): Link {
    return this.#deps.createLink({
      oversized: () =>
        this.#session?.requests.failAll(new ToldError('it sent a message over the size limit, which was left out')),
      doubted: (reason) => {
        this.#deps.logger.debug({ server: this.#launch.name, reason }, 'a link to an MCP server is in doubt');
        this.#heartbeat?.doubt();
      },
    });
  }

  /** Our limit ends the whole link: `initialize` is the one request that must not be cancelled on the wire. */
  async #initialize(link: Link): Promise<Session> {
    const { clientInfo, clock, startTimeoutMs } = this.#deps;
    const { transport } = link;
    const client = new Client(clientInfo, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) =>
      'requestedSchema' in params
        ? this.#elicit({ message: params.message, requestedSchema: params.requestedSchema as JsonObject }, signal)
        : { action: 'cancel' as const },
    );
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      this.#listIsStale = true;
      if (this.#isOpen && !this.#isListing) void this.#followList();
    });
    client.onclose = () => this.#linkEnded(link);
    transport.onmessage = () => this.#heartbeat?.heard();
    const version = captureVersion(transport);

    if (this.#life.signal.aborted) throw abortError('it was stopped');
    const stop = (): void => void link.close();
    this.#life.signal.addEventListener('abort', stop);
    try {
      const tooLate = (): Error => timeoutError(`it was not ready within ${startTimeoutMs / 1000} s`);
      const ready = client.connect(transport, { timeout: NEVER_MS });
      await within(ready, clock, startTimeoutMs, tooLate);
      return { client, link, protocolVersion: version(), requests: new Requests(clock) };
    } finally {
      this.#life.signal.removeEventListener('abort', stop);
    }
  }

  #linkEnded(link: Link): void {
    if (!this.#isOpen || link !== this.#link || this.#life.signal.aborted) return;
    this.#life.abort();
    this.#events.closed(link.endReason ?? 'the connection ended');
  }

  /** Sends it in the current session, and once more in a new one if the server refused it because the old one is over. */
  async #request(method: string, params: JsonObject, limits: Limits, progress = false): Promise<JsonObject> {
    const session = this.#session;
    if (session === undefined || this.#life.signal.aborted) {
      throw new ToldError(`it is not connected: ${this.#link.endReason ?? 'it was stopped'}`);
    }
    try {
      return await session.requests.send(session.client, method, params, limits, progress);
    } catch (error) {
      if (!(error instanceof SessionGoneError)) throw error;
      const next = await this.#renew(session);
      return next.requests.send(next.client, method, params, limits, progress);
    }
  }

  /** Requests that find the same session over share one new session. */
  #renew(old: Session): Promise<Session> {
    if (this.#session !== old && this.#session !== undefined) return Promise.resolve(this.#session);
    return (this.#renewal ??= this.#openSession(old).finally(() => (this.#renewal = undefined)));
  }

  async #openSession(old: Session): Promise<Session> {
    const link = this.#createLink();
    try {
      const session = await this.#initialize(link);
      this.#link = link;
      this.#session = session;
      // Calls that still wait on the old link may be answered there, so it is not closed under them.
      this.#retired.add(old);
      void old.requests.idle().then(() => {
        this.#retired.delete(old);
        return old.link.close();
      });
      if (!this.#isListing) void this.#followList();
      return session;
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  async #readList(): Promise<ToolList> {
    const session = this.#session;
    if (session?.client.getServerCapabilities()?.tools === undefined) return { tools: [], warnings: [] };
    const limits = { signal: this.#life.signal, idleTimeoutMs: LIST_TIMEOUT_MS, totalTimeoutMs: LIST_TIMEOUT_MS };
    const list = readToolList((cursor) => this.#request('tools/list', cursor === undefined ? {} : { cursor }, limits));
    const tooLate = (): Error => timeoutError(`its tool list was not read within ${LIST_TIMEOUT_MS / 1000} s`);
    return within(list, this.#deps.clock, LIST_TIMEOUT_MS, tooLate);
  }

  /** Reads the list until no change was announced since, with a pause after each reading. */
  async #followList(): Promise<void> {
    const { clock, logger, mask } = this.#deps;
    this.#isListing = true;
    do {
      this.#listIsStale = false;
      try {
        this.#list = await this.#readList();
        if (!this.#life.signal.aborted) this.#events.toolsChanged(this.tools, this.warnings);
      } catch (error) {
        logger.warn({ server: this.#launch.name, reason: tell(error, mask) }, 'a changed tool list could not be read');
      }
      await clock.sleep(LIST_SPACING_MS, this.#life.signal);
    } while (this.#listIsStale && !this.#life.signal.aborted);
    this.#isListing = false;
  }

  #watchRemote(): void {
    const { clock, pingIntervalMs, mask } = this.#deps;
    const limits = { signal: this.#life.signal, idleTimeoutMs: pingIntervalMs, totalTimeoutMs: pingIntervalMs };
    this.#heartbeat = new Heartbeat({
      clock,
      intervalMs: pingIntervalMs,
      busy: () => (this.#session?.requests.waiting ?? 0) > 0,
      ping: async () => {
        try {
          await this.#request('ping', {}, limits);
        } catch (error) {
          if ((error as Error).name === 'TimeoutError') throw timeoutError('it does not answer');
          throw new ToldError(tell(error, mask), { cause: error });
        }
      },
      dead: (reason) => void this.#link.close(reason),
    });
    this.#heartbeat.start();
    this.#life.signal.addEventListener('abort', () => this.#heartbeat?.stop());
  }

  #callError(error: unknown): Error {
    const ended = error instanceof ToldError ? undefined : this.#link.endReason;
    const what = ended === undefined ? tell(error, this.#deps.mask) : `it ended during the call: ${ended}`;
    const shown = new ToldError(`server "${this.#launch.name}": ${what}`, { cause: error });
    if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'))
      shown.name = error.name;
    return shown;
  }
}

/** The version both sides agreed on: a client tells it to its transport and to nobody else. */
function captureVersion(transport: Transport): () => string {
  let agreed = '';
  const tellTransport = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    agreed = version;
    tellTransport?.(version);
  };
  return () => agreed;
}

function toToolResult(result: JsonObject): ServerToolResult {
  const { content, structuredContent, isError } = result;
  return {
    content: Array.isArray(content) ? content.filter(isJsonObject) : [],
    ...(isJsonObject(structuredContent) && { structuredContent }),
    isError: isError === true,
  };
}
