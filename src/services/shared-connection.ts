/**
 * One connection that several sessions share: it opens, notices its death, restarts with pauses that grow, and stops
 * for good when told. Who holds it and when it may go is counted in server-pool.ts.
 * Invariant: at most one child of this connection lives; a restart waits until the last one and its descendants are gone.
 */
import { advance, type ConnectionMove, type ConnectionState, FIRST_ATTEMPT } from '../domain/connection.js';
import type { JsonObject } from '../domain/json.js';
import {
  type Caller,
  type Clock,
  ConnectError,
  type Launch,
  type Logger,
  type ServerConnection,
  type ServerConnector,
  type ServerResource,
  type ServerTool,
  type ServerToolResult,
} from '../ports.js';
import { lastingAbort, untilAborted } from './until-aborted.js';

export interface ConnectionDeps {
  readonly connector: ServerConnector;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly callIdleTimeoutMs: number;
  readonly callTotalTimeoutMs: number;
}

/** One opened connection, and what fails its calls when it is lost or stopped. */
interface Life {
  readonly connection: ServerConnection;
  readonly end: AbortController;
}

export class SharedConnection {
  readonly #deps: ConnectionDeps;
  readonly #launch: Launch;
  #state: ConnectionState = FIRST_ATTEMPT;
  #life: Life | undefined;
  /** Of the last life. */
  #lastTools: readonly ServerTool[] = [];
  #tail: () => readonly string[] = () => [];
  #stop = new AbortController();
  #attempt: Promise<void>;
  #cancelRestart: () => void = () => {};

  /** Starts at once, or when `after` resolves (a predecessor of the same identity is still closing). */
  constructor(deps: ConnectionDeps, launch: Launch, after: Promise<void>) {
    this.#deps = deps;
    this.#launch = launch;
    this.#attempt = this.#open(after, this.#stop.signal);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get tools(): readonly ServerTool[] {
    return this.#life?.connection.tools ?? [];
  }

  /** The tools as last read, also when it is not connected. */
  get knownTools(): readonly ServerTool[] {
    return this.#life?.connection.tools ?? this.#lastTools;
  }

  get warnings(): readonly string[] {
    return this.#life?.connection.warnings ?? [];
  }

  stderrTail(): readonly string[] {
    return this.#tail();
  }

  /** Resolves when no attempt is under way: connected, failed or closed. */
  async settled(): Promise<void> {
    while (this.#state.state === 'connecting') await this.#attempt;
  }

  /** Tries again now when it is dead, whatever pause or limit it is in. */
  retry(): void {
    this.#restart({ move: 'retry' });
  }

  /** Rejects at once when not connected, and promptly when the connection is lost while the call runs. */
  async call(tool: string, args: JsonObject, signal: AbortSignal, caller?: Caller): Promise<ServerToolResult> {
    const life = this.#life;
    if (life === undefined) throw new Error(notConnected(this.#launch.name, this.#state));
    const { callIdleTimeoutMs: idleTimeoutMs, callTotalTimeoutMs: totalTimeoutMs } = this.#deps;
    return untilAborted(
      life.connection.callTool(tool, args, { signal, idleTimeoutMs, totalTimeoutMs, ...(caller && { caller }) }),
      life.end.signal,
    );
  }

  /** Rejects like `call`. */
  async listResources(signal: AbortSignal): Promise<readonly ServerResource[]> {
    const life = this.#life;
    if (life === undefined) throw new Error(notConnected(this.#launch.name, this.#state));
    return untilAborted(life.connection.listResources(signal), life.end.signal);
  }

  /** The stop; resolves when the process and its descendants are gone. */
  async close(): Promise<void> {
    this.#move({ move: 'close' });
    this.#cancelRestart();
    const life = this.#life;
    this.#lastTools = this.knownTools;
    this.#life = undefined;
    this.#stop.abort();
    life?.end.abort(new Error(notConnected(this.#launch.name, this.#state)));
    await Promise.all([this.#attempt, life === undefined ? undefined : this.#dispose(life.connection)]);
  }

  async #open(after: Promise<void>, stop: AbortSignal): Promise<void> {
    const { connector, clock, logger } = this.#deps;
    await after;
    if (stop.aborted) return;
    const end = lastingAbort();
    let life: Life | undefined;
    try {
      const connection = await connector.open(
        this.#launch,
        {
          closed: (reason) => {
            end.abort(new Error(`server "${this.#launch.name}" ended while the call was running: ${reason}`));
            if (life !== undefined && life === this.#life) this.#lost(life.connection, reason);
          },
          toolsChanged: ({ length: toolCount }) => {
            if (life !== undefined && life === this.#life) this.#move({ move: 'listed', toolCount });
          },
        },
        stop,
      );
      if (stop.aborted) return await this.#dispose(connection);
      life = { connection, end };
      const { protocolVersion, serverName, serverVersion, pid, tools } = connection;
      const identity = { protocolVersion, serverName, serverVersion, pid, toolCount: tools.length };
      this.#tail = () => connection.stderrTail();
      this.#life = life;
      this.#move({ move: 'opened', identity, at: clock.now() });
      logger.info({ server: this.#launch.name, childPid: pid, tools: tools.length }, 'MCP server connected');
      if (end.signal.aborted) this.#lost(connection, 'it ended right after it was connected');
    } catch (error) {
      if (stop.aborted) return;
      const message = error instanceof ConnectError ? error.message : 'internal error while connecting';
      if (error instanceof ConnectError) this.#tail = () => error.stderrTail;
      else logger.error({ server: this.#launch.name, err: error }, 'connecting failed unexpectedly');
      this.#dead(message, Promise.resolve(), error instanceof ConnectError && error.needsAuth);
    }
  }

  #lost(connection: ServerConnection, reason: string): void {
    this.#lastTools = connection.tools;
    this.#life = undefined;
    this.#dead(reason, this.#dispose(connection));
  }

  /** Notes the death and plans the restart; `gone` resolves when nothing of the dead child is left. */
  #dead(error: string, gone: Promise<void>, needsAuth = false): void {
    const { clock, logger } = this.#deps;
    this.#attempt = gone;
    const state = this.#move({ move: 'lost', error, at: clock.now(), needsAuth });
    logger.warn({ server: this.#launch.name, reason: error }, 'MCP server is not connected');
    if (state?.state !== 'dead' || state.retryAt === undefined) return;
    this.#cancelRestart = clock.after(state.retryAt - clock.now(), () => this.#restart({ move: 'restart' }));
  }

  #restart(move: ConnectionMove): void {
    if (this.#move(move) === undefined) return;
    this.#cancelRestart();
    this.#stop = new AbortController();
    this.#attempt = this.#open(this.#attempt, this.#stop.signal);
  }

  #move(move: ConnectionMove): ConnectionState | undefined {
    const next = advance(this.#state, move);
    if (next !== undefined) this.#state = next;
    return next;
  }

  /** A server that cannot be stopped cleanly must not keep its holder from going on: it is logged. */
  async #dispose(connection: ServerConnection): Promise<void> {
    try {
      await connection.close();
    } catch (error) {
      this.#deps.logger.error({ server: this.#launch.name, err: error }, 'stopping an MCP server failed');
    }
  }
}

/** The sentence for a call or a warning about a server that cannot be called now. */
export function notConnected(name: string, state: ConnectionState): string {
  const reason =
    state.state === 'dead' ? state.error : state.state === 'connecting' ? 'it is starting' : 'it was stopped';
  return `server "${name}" is not connected: ${reason}`;
}
