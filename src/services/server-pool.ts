/**
 * The pool of connections: sessions that want the same server in the same place share one child, counted by leases. The
 * first lease opens it, the last one to be released stops it. Which session wants what is decided in reconciler.ts.
 * Invariant: at most one child lives per identity; a lease taken while the last child is still stopping waits for its
 * end before the next one starts.
 */
import { digest } from '../domain/canonical.js';
import { type ConnectionState, identityOfState } from '../domain/connection.js';
import type { JsonObject } from '../domain/json.js';
import type { Posture } from '../domain/session.js';
import type { EffectiveServer } from '../domain/settings.js';
import { childEnvironment, expandEntry } from '../domain/variables.js';
import type { Caller, Launch, ServerResource, ServerTool, ServerToolResult } from '../ports.js';
import { type ConnectionDeps, notConnected, SharedConnection } from './shared-connection.js';

export interface ServerPoolDeps extends ConnectionDeps {
  /** The daemon's own environment: what children inherit a part of, and where `${VAR}` is looked up. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
}

/** A share in one connection. After its release it still tells what the connection last was, and calls nothing. */
export interface Lease {
  /** Of the definition, see `identityOf`. */
  readonly identity: string;
  readonly state: ConnectionState;
  readonly tools: readonly ServerTool[];
  /** The tools as last read: also of a server that died, and after the release. */
  readonly knownTools: readonly ServerTool[];
  readonly warnings: readonly string[];
  stderrTail(): readonly string[];
  /** Resolves when no attempt is under way: connected or failed. */
  settled(): Promise<void>;
  /** Asks for a new attempt now when it is not connected. */
  retry(): void;
  /** Rejects with an Error whose message may be shown: at once when not connected, promptly when the child dies. */
  call(tool: string, args: JsonObject, signal: AbortSignal, caller?: Caller): Promise<ServerToolResult>;
  /** Every page of the server's resources, as they are now. Rejects like `call`. */
  listResources(signal: AbortSignal): Promise<readonly ServerResource[]>;
  /** The last one stops the child; resolves when it is gone. Requires: mcp.delete.child-reaped */
  release(): Promise<void>;
}

/** What of a server and of a session selects a child. */
type Wanted = Pick<EffectiveServer, 'entry'>;
type Place = Pick<Posture, 'cwd' | 'realm'>;

/** What is started for an effective server in a session, and what tells it from every other. */
interface Definition {
  readonly identity: string;
  readonly launch: Launch;
  /** About the definition itself: variables that are not set. */
  readonly warnings: readonly string[];
}

interface Shared {
  readonly connection: SharedConnection;
  holders: number;
}

export class ServerPool {
  readonly #deps: ServerPoolDeps;
  readonly #inherited: Record<string, string>;
  readonly #shared = new Map<string, Shared>();
  readonly #stopping = new Map<string, Promise<void>>();

  constructor(deps: ServerPoolDeps) {
    this.#deps = deps;
    this.#inherited = childEnvironment(deps.hostEnv);
  }

  /** Equal for two sessions exactly when they can share a child. Holds no secret in readable form. */
  identityOf(server: Wanted, posture: Place): string {
    return this.#define(server, posture).identity;
  }

  /** A lease on the connection of this definition, which starts now when nobody holds it. Never waits. */
  acquire(server: Wanted, posture: Place): Lease {
    const { identity, launch, warnings } = this.#define(server, posture);
    let shared = this.#shared.get(identity);
    if (shared === undefined) {
      const stopped = this.#stopping.get(identity) ?? Promise.resolve();
      shared = { connection: new SharedConnection(this.#deps, launch, stopped), holders: 0 };
      this.#shared.set(identity, shared);
    } else shared.connection.retry(); // A new holder of a dead server has not had its attempt yet.
    shared.holders += 1;
    const { connection } = shared;
    return new ConnectionLease(identity, launch.name, connection, warnings, () => this.#release(identity, connection));
  }

  /** Stops every connection, whoever still holds it. */
  async close(): Promise<void> {
    for (const [identity, { connection }] of this.#shared) this.#stop(identity, connection);
    await Promise.all(this.#stopping.values());
  }

  async #release(identity: string, connection: SharedConnection): Promise<void> {
    const shared = this.#shared.get(identity);
    if (shared?.connection === connection) {
      shared.holders -= 1;
      if (shared.holders > 0) return;
      this.#stop(identity, connection);
    }
    await this.#stopping.get(identity);
  }

  #stop(identity: string, connection: SharedConnection): void {
    this.#shared.delete(identity);
    const stopped = connection.close().finally(() => {
      if (this.#stopping.get(identity) === stopped) this.#stopping.delete(identity);
    });
    this.#stopping.set(identity, stopped);
  }

  #define(server: Wanted, posture: Place): Definition {
    const { name, transport, command, args, url } = server.entry;
    const { env, headers, warnings, secrets } = expandEntry(server.entry, this.#deps.hostEnv);
    const { cwd, realm } = posture;
    // The name belongs to it: two entries of one settings file are two servers, also when they run the same command.
    const identity = digest({
      name,
      transport,
      command: command ?? null,
      args: [...args],
      url: url ?? null,
      env,
      headers,
      realm,
      cwd,
    });
    const launch: Launch = {
      name,
      transport,
      args,
      headers,
      cwd,
      secrets,
      ...(command === undefined ? {} : { command }),
      ...(url === undefined ? {} : { url }),
      env: { ...this.#inherited, ...env },
    };
    return { identity, launch, warnings };
  }
}

class ConnectionLease implements Lease {
  readonly identity: string;
  readonly #name: string;
  readonly #ownWarnings: readonly string[];
  readonly #letGo: () => Promise<void>;
  #connection: SharedConnection | undefined;
  #released: Promise<void> | undefined;
  /** What is still told after the release. */
  #last: ConnectionState = { state: 'closed' };
  #lastTail: readonly string[] = [];
  #lastTools: readonly ServerTool[] = [];

  constructor(
    identity: string,
    name: string,
    connection: SharedConnection,
    warnings: readonly string[],
    letGo: () => Promise<void>,
  ) {
    this.identity = identity;
    this.#name = name;
    this.#connection = connection;
    this.#ownWarnings = warnings;
    this.#letGo = letGo;
  }

  get state(): ConnectionState {
    return this.#connection?.state ?? this.#last;
  }

  get tools(): readonly ServerTool[] {
    return this.#connection?.tools ?? [];
  }

  get knownTools(): readonly ServerTool[] {
    return this.#connection?.knownTools ?? this.#lastTools;
  }

  get warnings(): readonly string[] {
    return this.#connection === undefined ? [] : [...this.#ownWarnings, ...this.#connection.warnings];
  }

  stderrTail(): readonly string[] {
    return this.#connection?.stderrTail() ?? this.#lastTail;
  }

  async settled(): Promise<void> {
    await this.#connection?.settled();
  }

  retry(): void {
    this.#connection?.retry();
  }

  async call(tool: string, args: JsonObject, signal: AbortSignal, caller?: Caller): Promise<ServerToolResult> {
    if (this.#connection === undefined) throw new Error(notConnected(this.#name, this.#last));
    return this.#connection.call(tool, args, signal, caller);
  }

  async listResources(signal: AbortSignal): Promise<readonly ServerResource[]> {
    if (this.#connection === undefined) throw new Error(notConnected(this.#name, this.#last));
    return this.#connection.listResources(signal);
  }

  release(): Promise<void> {
    if (this.#released !== undefined) return this.#released;
    const last = identityOfState(this.state);
    this.#last = last === undefined ? { state: 'closed' } : { state: 'closed', last };
    this.#lastTail = this.stderrTail();
    this.#lastTools = this.knownTools;
    this.#connection = undefined;
    this.#released = this.#letGo();
    return this.#released;
  }
}
