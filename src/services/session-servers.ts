/**
 * The servers one session holds: what its settings want, the leases it took, and which of them were cut off. It applies
 * plans; when to read settings and which session connects first is decided in reconciler.ts.
 * Invariant: from the instant `apply` returns, nothing it revoked can be called, not even by a tool handed out before.
 */
import { type ConnectionState, identityOfState, type RevokedReason, type ServerStatus } from '../domain/connection.js';
import type { JsonObject } from '../domain/json.js';
import { type HeldBuild, planReconcile } from '../domain/reconcile.js';
import type { Posture } from '../domain/session.js';
import type { EffectiveServer, EffectiveSettings } from '../domain/settings.js';
import { modelToolNames } from '../domain/tool.js';
import { serverToolStatus, type ToolStatus } from '../domain/workspace.js';
import type { Caller, ServerResource, ServerTool, ServerToolResult } from '../ports.js';
import type { Lease, ServerPool } from './server-pool.js';
import { notConnected } from './shared-connection.js';
import { lastingAbort, underBoth } from './until-aborted.js';

/** A tool of a session's server, as it was when handed out. */
export interface SessionTool {
  /** The model-facing name. */
  readonly name: string;
  readonly server: string;
  /** Of what the server is; another one when its definition was changed. */
  readonly identity: string;
  readonly tool: ServerTool;
  /** As the settings have it now: a tool handed out before asks too once its server is set to. */
  readonly requireConfirmation: boolean;
  /** Rejects with an Error whose message may be shown; at once when the server was revoked or is not connected. */
  call(args: JsonObject, signal: AbortSignal, caller?: Caller): Promise<ServerToolResult>;
}

/** A server of a session with its tools as last read, whether or not they can be called now. */
export interface KnownServer {
  readonly name: string;
  /** Equal where sessions share one child. */
  readonly identity: string;
  readonly status: ToolStatus;
  readonly tools: readonly ServerTool[];
  readonly requireConfirmation: boolean;
  /** Rejects with an Error whose message may be shown. */
  listResources(signal: AbortSignal): Promise<readonly ServerResource[]>;
}

export interface SessionStatus {
  readonly servers: readonly ServerStatus[];
  readonly files: EffectiveSettings['files'];
  readonly warnings: readonly string[];
}

/** Why a policy refuses an entry (the deny list), or undefined. */
export type Denied = (server: EffectiveServer, settings: EffectiveSettings, posture: Posture) => string | undefined;

/** A lease this session took, by the name of its server. */
interface Build {
  /** The entry as last read. */
  server: EffectiveServer;
  readonly lease: Lease;
  /** False after a revocation for good: the lease is released and only tells what was. */
  held: boolean;
  revoked: RevokedReason | undefined;
  /** Ends the calls under way when the build is revoked. */
  cut: AbortController;
}

export class SessionServers {
  readonly posture: Posture;
  readonly #pool: ServerPool;
  readonly #denied: Denied;
  readonly #builds = new Map<string, Build>();
  readonly #releasing = new Set<Promise<void>>();
  #offered: { madeFrom: readonly unknown[]; tools: readonly SessionTool[] } = { madeFrom: [], tools: [] };
  #settings: EffectiveSettings | undefined;

  constructor(posture: Posture, pool: ServerPool, denied: Denied) {
    this.posture = posture;
    this.#pool = pool;
    this.#denied = denied;
  }

  /** The settings last applied; undefined before the first. */
  get settings(): EffectiveSettings | undefined {
    return this.#settings;
  }

  /**
   * The revocation half of a plan, without waiting for anything: cuts off what the settings no longer say and brings
   * back in place what an unreadable layer had cut off. Returns how many builds were cut off.
   */
  apply(settings: EffectiveSettings): number {
    this.#settings = settings;
    const plan = this.#plan(settings);
    let revoked = 0;
    for (const { name, reason } of plan.revoke) if (this.#revoke(name, reason)) revoked += 1;
    for (const name of plan.reinstate) this.#reinstate(name);
    for (const server of settings.servers) {
      const build = this.#builds.get(server.entry.name);
      if (build?.held && build.revoked === undefined) build.server = server;
    }
    if (!settings.partial) this.#forgetAllBut(new Set(settings.servers.map(({ entry }) => entry.name)));
    return revoked;
  }

  /**
   * The connect half: takes the leases the settings want and this session lacks; false when it lacked none. With
   * `retryDead` also asks dead ones to try again.
   */
  connect(retryDead = false): boolean {
    if (this.#settings === undefined || this.#settings.partial) return false;
    const lacking = this.#plan(this.#settings).connect;
    for (const server of lacking) {
      const lease = this.#pool.acquire(server, this.posture);
      const build = { server, lease, held: true, revoked: undefined, cut: lastingAbort() };
      this.#builds.set(server.entry.name, build);
    }
    if (retryDead) for (const { lease, revoked } of this.#builds.values()) if (revoked === undefined) lease.retry();
    return lacking.length > 0;
  }

  get isConnecting(): boolean {
    return [...this.#builds.values()].some(({ lease }) => lease.state.state === 'connecting');
  }

  /** Resolves when no connection of this session is being attempted, also none that was wanted only meanwhile. */
  async settled(): Promise<void> {
    while (this.isConnecting) await Promise.all([...this.#builds.values()].map(({ lease }) => lease.settled()));
  }

  /** Cuts everything off; resolves when every child this session alone held is gone. */
  async release(): Promise<void> {
    for (const build of this.#builds.values()) {
      cutOff(build, `server "${build.server.entry.name}" cannot be called: the session ended`);
      this.#letGo(build);
    }
    this.#builds.clear();
    await Promise.all(this.#releasing);
  }

  /** The tools that may be called now, in the order of the settings. Every run asks, so they are made once a change. */
  tools(): readonly SessionTool[] {
    const builds = this.#ordered().filter(({ revoked }) => revoked === undefined);
    const madeFrom = builds.flatMap((build) => [build, build.server, build.lease.tools]);
    if (
      madeFrom.length !== this.#offered.madeFrom.length ||
      madeFrom.some((part, at) => part !== this.#offered.madeFrom[at])
    ) {
      this.#offered = { madeFrom, tools: toolsOf(builds) };
    }
    return this.#offered.tools;
  }

  /** What is known of the session's servers at this instant, in the order of the settings. Starts nothing. */
  known(): KnownServer[] {
    return (this.#settings?.servers ?? []).flatMap(({ entry }): KnownServer[] => {
      const build = this.#builds.get(entry.name);
      const status = build && serverToolStatus(build.lease.state, build.revoked);
      if (build === undefined || status === undefined) return [];
      const { lease } = build;
      return [
        {
          name: entry.name,
          identity: lease.identity,
          status,
          tools: lease.knownTools.filter(({ name }) => entry.allowedTools?.includes(name) ?? true),
          requireConfirmation: entry.requireConfirmation,
          listResources: (signal) => lease.listResources(signal),
        },
      ];
    });
  }

  /** The rows of a listing for these settings, which may be newer than those applied. Starts nothing. */
  status(settings: EffectiveSettings): SessionStatus {
    const servers = [...settings.servers, ...this.#unreadable(settings)].map((server) =>
      rowOf(server, this.#builds.get(server.entry.name)),
    );
    const warnings = new Set([
      ...settings.warnings,
      ...settings.servers.map((server) => this.#refusal(server, settings)),
      ...this.#ordered().flatMap(({ lease, revoked }) => (revoked === undefined ? lease.warnings : [])),
      ...servers.map(({ error }) => error),
    ]);
    warnings.delete(undefined);
    return { servers, files: settings.files, warnings: [...warnings] as string[] };
  }

  #plan(settings: EffectiveSettings): ReturnType<typeof planReconcile> {
    const held: HeldBuild[] = [];
    for (const [name, { held: isHeld, lease, server, revoked }] of this.#builds) {
      if (isHeld) held.push({ name, identity: lease.identity, scope: server.scope, ...(revoked && { revoked }) });
    }
    // What a policy refuses is planned like an entry somebody disabled: cut off, and not started again.
    const servers = settings.servers.map((server) =>
      this.#refusal(server, settings) === undefined
        ? server
        : { ...server, entry: { ...server.entry, enabled: false } },
    );
    return planReconcile(held, { ...settings, servers }, (server) => this.#pool.identityOf(server, this.posture));
  }

  /** The warning for an entry that a policy keeps from starting. */
  #refusal(server: EffectiveServer, settings: EffectiveSettings): string | undefined {
    const reason = server.entry.enabled ? this.#denied(server, settings, this.posture) : undefined;
    return reason === undefined ? undefined : `${server.scope} entry "${server.entry.name}" is not started: ${reason}`;
  }

  /** True when this cut off a build; a definition that never came up leaves nothing to tell. */
  #revoke(name: string, reason: RevokedReason): boolean {
    const build = this.#builds.get(name);
    if (build === undefined) return false;
    const counts = build.revoked === undefined && isOrWasRunning(build.lease.state);
    build.revoked = reason;
    cutOff(build, `server "${name}" cannot be called: it was revoked (${reason})`);
    // What an unreadable layer cut off keeps its child: the next clean reading brings it back in place.
    // Requires: mcp.partial.reinstated
    if (reason !== 'layer_unreadable') {
      this.#letGo(build);
      if (identityOfState(build.lease.state) === undefined) this.#builds.delete(name);
    }
    return counts;
  }

  #reinstate(name: string): void {
    const build = this.#builds.get(name);
    if (build === undefined) return;
    build.revoked = undefined;
    build.cut = lastingAbort();
  }

  #forgetAllBut(names: ReadonlySet<string>): void {
    for (const name of this.#builds.keys()) if (!names.has(name)) this.#builds.delete(name);
  }

  #letGo(build: Build): void {
    if (!build.held) return;
    build.held = false;
    const released = build.lease.release().finally(() => this.#releasing.delete(released));
    this.#releasing.add(released);
  }

  /** Builds in the order of the settings. */
  #ordered(): Build[] {
    return (this.#settings?.servers ?? []).flatMap(({ entry }) => this.#builds.get(entry.name) ?? []);
  }

  /** Entries that only an unreadable layer has: not gone as far as anybody knows, so their builds are still told. */
  #unreadable(settings: EffectiveSettings): EffectiveServer[] {
    const names = new Set(settings.servers.map(({ entry }) => entry.name));
    return [...this.#builds.values()]
      .map(({ server }) => server)
      .filter(({ scope, entry }) => settings.brokenLayers.includes(scope) && !names.has(entry.name));
  }
}

function toolsOf(builds: readonly Build[]): SessionTool[] {
  const offered = builds.flatMap((build) => {
    const { name: server, allowedTools } = build.server.entry;
    return build.lease.tools
      .filter((tool) => allowedTools?.includes(tool.name) ?? true)
      .map((tool) => ({ build, server, tool: tool.name, descriptor: tool }));
  });
  return [...modelToolNames(offered)].map(([{ build, server, descriptor }, name]) => ({
    name,
    server,
    identity: build.lease.identity,
    tool: descriptor,
    get requireConfirmation() {
      return build.server.entry.requireConfirmation;
    },
    call: (args, signal, caller) =>
      underBoth(build.cut.signal, signal, (either) => build.lease.call(descriptor.name, args, either, caller)),
  }));
}

const isOrWasRunning = (state: ConnectionState): boolean =>
  state.state === 'connecting' || identityOfState(state) !== undefined;

function cutOff(build: Build, message: string): void {
  build.cut.abort(new Error(message));
}

function rowOf(server: EffectiveServer, build: Build | undefined): ServerStatus {
  if (build === undefined) return { server, connected: false, stderrTail: [] };
  const { state } = build.lease;
  const identity = identityOfState(state);
  return {
    server,
    connected: build.revoked === undefined && state.state === 'connected',
    stderrTail: build.lease.stderrTail(),
    ...(identity && { identity }),
    ...(build.revoked && { revoked: build.revoked }),
    ...(build.revoked === undefined && state.state === 'dead' ? { error: notConnected(server.entry.name, state) } : {}),
  };
}
