/**
 * Workspaces: what the live sessions of one folder have together. A workspace is a folder the daemon knows; it has no
 * state of its own, so every answer is made from the sessions and their servers as they are at that instant.
 * Invariant: no answer waits for a server longer than `RESOURCES_LIMIT_MS`, and none is lost to a server that fails.
 */
import { DaemonError } from '../domain/errors.js';
import type { JsonObject } from '../domain/json.js';
import { type AdaptedSchema, adaptSchema } from '../domain/provider-schemas/adapt.js';
import { isProvider, type Provider } from '../domain/provider-schemas/profiles.js';
import { servesRealm } from '../domain/session.js';
import { type BuiltinTool, modelToolNames, type ToolCategory } from '../domain/tool.js';
import {
  colonId,
  isBetter,
  keyedResources,
  type ListedResource,
  permissionKey,
  type ToolStatus,
  underscoreIds,
} from '../domain/workspace.js';
import type { Clock, Folders, Logger, LoginSource, ServerTool } from '../ports.js';
import type { Reconciler } from './reconciler.js';
import type { KnownServer } from './session-servers.js';
import { workspaceIdOf } from './sessions.js';

export interface WorkspacesDeps {
  readonly reconciler: Pick<Reconciler, 'live'>;
  readonly login: LoginSource;
  readonly folders: Folders;
  /** The daemon's own folder: a workspace without any session. */
  readonly ownFolder: string;
  /** Working folders of sessions that are closed, too. */
  readonly sessionFolders: () => Promise<readonly string[]>;
  readonly builtins: readonly BuiltinTool[];
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface WorkspaceTool {
  readonly id: string;
  readonly description: string;
  readonly source: 'builtin' | 'mcp';
  readonly sourceName: string;
  readonly category: ToolCategory | 'mcp';
  readonly status: ToolStatus;
  readonly asyncCapable: boolean;
  readonly wakePolicy: 'auto' | 'next_turn' | 'manual';
  readonly permissionKey: string | null;
}

export interface ToolSchema {
  /** The name a model calls the tool by. */
  readonly id: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly strict?: boolean;
}

/** Servers answer in milliseconds; one that takes longer is not waited for, and its resources are missing this time. */
export const RESOURCES_LIMIT_MS = 2_000;

/** Schemas adapted in one go: hundreds of tools are adapted the first time, and calls go on meanwhile. */
const SLICE = 50;

/** What came from a caller is shown in a message up to here. */
const SHOWN_CHARS_MAX = 64;
const ID_PREFIX = 'ws_';

interface Describable {
  readonly id: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

type LiveSessions = ReturnType<Reconciler['live']>;

/** A server's tool, as the session that has it best knows it. */
interface WorkspaceServerTool {
  readonly server: string;
  readonly tool: string;
  readonly known: ServerTool;
  readonly status: ToolStatus;
  readonly requireConfirmation: boolean;
}

export class Workspaces {
  readonly #deps: WorkspacesDeps;
  readonly #adapted = new WeakMap<JsonObject, Partial<Record<Provider, AdaptedSchema>>>();

  constructor(deps: WorkspacesDeps) {
    this.#deps = deps;
  }

  /**
   * The resources of every connected server, by a key of their own; `name` selects by exact name. Throws
   * workspace_not_found. Requires: workspaces.resources.not-slowest and workspaces.resources.dead-beside
   */
  async resources(id: string, name?: string): Promise<ReadonlyMap<string, ListedResource>> {
    const sessions = await this.#find(id);
    const connected = new Map<string, KnownServer>();
    for (const server of sessions.flatMap(({ servers }) => servers)) {
      if (server.status === 'ready') connected.set(server.identity, server);
    }
    const lists = await Promise.all([...connected.values()].map((server) => this.#resourcesOf(server)));
    const keyed = keyedResources(lists.flat());
    return name === undefined ? keyed : new Map([...keyed].filter(([, resource]) => resource.name === name));
  }

  /** The tools that can be called, their schemas as the provider takes them. Throws workspace_not_found, invalid_provider. */
  async schemas(id: string, provider: string): Promise<ToolSchema[]> {
    const sessions = await this.#find(id);
    if (!isProvider(provider)) {
      throw new DaemonError('invalid_provider', `Provider '${shown(provider)}' is not supported`);
    }
    const builtins = this.#builtins(sessions).filter(({ status }) => status === 'ready');
    const tools: Describable[] = [
      ...builtins.map(({ tool }) => ({ ...tool, id: tool.name })),
      ...[...modelToolNames(readyOf(serverTools(sessions)))].map(([{ known }, id]) => ({ ...known, id })),
    ];
    const schemas: ToolSchema[] = [];
    let fresh = 0;
    for (const tool of tools) {
      const isKnown = this.#adapted.get(tool.inputSchema)?.[provider] !== undefined;
      if (!isKnown && (fresh += 1) % SLICE === 0) await this.#deps.clock.sleep(0);
      schemas.push(this.#schema(provider, tool));
    }
    return schemas;
  }

  /** The ids of the tools that can be called. Throws workspace_not_found. */
  async ids(id: string): Promise<string[]> {
    const sessions = await this.#find(id);
    const builtins = this.#builtins(sessions).filter(({ status }) => status === 'ready');
    return [...builtins.map(({ tool }) => tool.name), ...readyOf(serverTools(sessions)).map(colonId)];
  }

  /** Every tool with how it stands now. Throws workspace_not_found. Requires: workspaces.tools.states-true */
  async tools(id: string): Promise<WorkspaceTool[]> {
    const sessions = await this.#find(id);
    const servers = serverTools(sessions);
    const ids = underscoreIds(servers);
    return [
      ...this.#builtins(sessions).map(({ tool, status }): WorkspaceTool => ({
        id: tool.name,
        description: tool.description,
        source: 'builtin',
        sourceName: 'core',
        category: tool.category,
        status,
        asyncCapable: tool.asyncCapable,
        wakePolicy: 'auto',
        permissionKey: tool.permissionKey,
      })),
      ...servers.map((tool): WorkspaceTool => ({
        id: ids.get(tool) as string,
        description: tool.known.description,
        source: 'mcp',
        sourceName: tool.server,
        category: 'mcp',
        status: tool.status,
        asyncCapable: false,
        wakePolicy: tool.requireConfirmation ? 'manual' : 'next_turn',
        permissionKey: permissionKey(tool),
      })),
    ];
  }

  /** The live sessions of a workspace, of those the caller may see. Throws workspace_not_found. */
  async #find(id: string): Promise<LiveSessions> {
    const { reconciler, login } = this.#deps;
    const wanted = id.startsWith(ID_PREFIX) ? id.slice(ID_PREFIX.length) : id;
    const current = login.current();
    const sessions = reconciler
      .live()
      .filter(
        ({ posture: { workspaceId, account, realm } }) =>
          workspaceId === wanted && account === current.accountId && servesRealm(current, realm),
      );
    if (sessions.length > 0 || (await this.#isKnownFolder(wanted))) return sessions;
    // Then it is not known either which sessions there are.
    if (current.serves === 'unknown') throw new DaemonError('service_unavailable');
    throw new DaemonError('workspace_not_found', `Workspace '${shown(id)}' does not exist`);
  }

  async #isKnownFolder(wanted: string): Promise<boolean> {
    const { folders, login, ownFolder, sessionFolders } = this.#deps;
    const isIt = async (folder: string): Promise<boolean> => {
      const real = await folders.resolve(folder);
      return real !== undefined && workspaceIdOf(real) === wanted;
    };
    if (await isIt(ownFolder)) return true;
    const current = login.current();
    if (!servesRealm(current, current.activeRealm)) return false;
    return (await Promise.all((await sessionFolders()).map(isIt))).includes(true);
  }

  /** A built-in tool is off when every session of the folder has it off. */
  #builtins(sessions: LiveSessions): { tool: BuiltinTool; status: ToolStatus }[] {
    return this.#deps.builtins.map((tool) => {
      const isOn = sessions.some(({ settings }) => settings?.disabledTools.includes(tool.name) !== true);
      return { tool, status: isOn || sessions.length === 0 ? 'ready' : 'disabled' };
    });
  }

  async #resourcesOf({ name, listResources }: KnownServer): Promise<ListedResource[]> {
    const { clock, logger } = this.#deps;
    const limit = new AbortController();
    const cancel = clock.after(RESOURCES_LIMIT_MS, () => limit.abort());
    try {
      return (await listResources(limit.signal)).map((resource) => ({ ...resource, client: name }));
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      logger.warn({ server: name, reason, late: limit.signal.aborted }, 'the resources of an MCP server are left out');
      return [];
    } finally {
      cancel();
    }
  }

  /** Schemas are adapted once: a tool's schema is the same object until the server's list is read again. */
  #schema(provider: Provider, { id, description, inputSchema }: Describable): ToolSchema {
    const known = this.#adapted.get(inputSchema) ?? {};
    const { parameters, remark, strict } = (known[provider] ??= adaptSchema(provider, inputSchema));
    this.#adapted.set(inputSchema, known);
    return {
      id,
      description: [description, remark].filter((part) => part !== '').join('\n'),
      parameters,
      ...(strict !== undefined && { strict }),
    };
  }
}

/** The tools of all servers of these sessions, each once, as the session that has it best knows it. */
function serverTools(sessions: LiveSessions): WorkspaceServerTool[] {
  const best = new Map<string, WorkspaceServerTool>();
  for (const { settings, servers } of sessions) {
    const disabled = new Set(settings?.disabledTools);
    const found = servers.flatMap(({ name: server, tools, status, requireConfirmation }) =>
      tools.map((known) => ({ server, tool: known.name, known, status, requireConfirmation })),
    );
    const names = disabled.size === 0 ? undefined : modelToolNames(found);
    for (const tool of found) {
      const isOff = disabled.has(names?.get(tool) ?? '');
      const candidate = isOff ? { ...tool, status: 'disabled' as const } : tool;
      const key = colonId(tool);
      const held = best.get(key);
      if (held === undefined || isBetter(candidate.status, held.status)) best.set(key, candidate);
    }
  }
  return [...best.values()];
}

const readyOf = (tools: readonly WorkspaceServerTool[]): WorkspaceServerTool[] =>
  tools.filter(({ status }) => status === 'ready');

const shown = (text: string): string => [...text].slice(0, SHOWN_CHARS_MAX).join('');
