/**
 * The tools a session may call: the built-in ones its settings leave enabled and the tools of its connected servers,
 * less the mutating ones under a read-only tool mode and those its agent definition leaves out. The listing, the lookup of a run and the membership gate all ask
 * here, so they cannot disagree.
 */
import { allowsTool, type AgentTools } from './agent.js';
import type { ToolMode } from './session.js';
import type { BuiltinTool } from './tool.js';

/** What is needed to know of a server's tool to list and gate it. */
export interface ListedServerTool {
  readonly name: string;
  /** The server it is of. */
  readonly server: string;
  readonly requireConfirmation: boolean;
  readonly tool: { readonly name: string; readonly description: string; readonly readOnly: boolean };
}

export type EffectiveTool<Builtin extends BuiltinTool, Server extends ListedServerTool> =
  | {
      readonly source: 'builtin';
      readonly name: string;
      readonly description: string;
      readonly readOnly: boolean;
      readonly builtin: Builtin;
    }
  | {
      readonly source: 'mcp';
      readonly name: string;
      readonly description: string;
      readonly readOnly: boolean;
      readonly server: Server;
    };

export interface ToolSources<Builtin extends BuiltinTool, Server extends ListedServerTool> {
  readonly toolbox: readonly Builtin[];
  /** Asked only when it is needed: a session may have hundreds of them. */
  readonly serverTools: () => readonly Server[];
  readonly disabledTools: readonly string[];
  readonly toolMode: ToolMode;
  /** Somebody can be asked: without it the tools that ask are left out. */
  readonly canAsk: boolean;
  /** What the agent definition of the session narrows it to. */
  readonly agent: AgentTools | undefined;
}

const canRun = (tool: BuiltinTool, { disabledTools, canAsk }: { disabledTools: readonly string[]; canAsk: boolean }) =>
  !disabledTools.includes(tool.name) && (canAsk || tool.category !== 'interaction');

/** `standard` is a later name of `full`; an orchestrator looks and delegates, so it changes nothing itself. */
const allowsMutation = (mode: ToolMode): boolean => mode === 'full' || mode === 'standard';

const ofBuiltin = <Builtin extends BuiltinTool>(builtin: Builtin) => {
  const { name, description, readOnly } = builtin;
  return { source: 'builtin', name, description, readOnly, builtin } as const;
};

const ofServer = <Server extends ListedServerTool>(server: Server) => {
  const { description, readOnly } = server.tool;
  return { source: 'mcp', name: server.name, description, readOnly, server } as const;
};

const isAllowed = <Builtin extends BuiltinTool, Server extends ListedServerTool>(
  tool: EffectiveTool<Builtin, Server>,
  { agent, toolMode }: Pick<ToolSources<Builtin, Server>, 'agent' | 'toolMode'>,
): boolean => {
  if (!tool.readOnly && !allowsMutation(toolMode)) return false;
  if (agent === undefined) return true;
  const server = tool.source === 'mcp' ? { name: tool.server.server, tool: tool.server.tool.name } : undefined;
  return allowsTool(agent, { name: tool.name, ...(server && { server }) });
};

/** Every tool of the session: built-in ones in toolbox order, then those of its servers. */
export const effectiveTools = <Builtin extends BuiltinTool, Server extends ListedServerTool>(
  sources: ToolSources<Builtin, Server>,
): EffectiveTool<Builtin, Server>[] =>
  [
    ...sources.toolbox.filter((tool) => canRun(tool, sources)).map(ofBuiltin),
    ...sources
      .serverTools()
      .filter((tool) => !sources.disabledTools.includes(tool.name))
      .map(ofServer),
  ].filter((tool) => isAllowed(tool, sources));

/** The tool of that name in `effectiveTools`, found without building the list. */
export const findEffectiveTool = <Builtin extends BuiltinTool, Server extends ListedServerTool>(
  sources: ToolSources<Builtin, Server>,
  name: string,
): EffectiveTool<Builtin, Server> | undefined => {
  if (sources.disabledTools.includes(name)) return undefined;
  const builtin = sources.toolbox.find((tool) => tool.name === name);
  if (builtin && !canRun(builtin, sources)) return undefined;
  const server = builtin ? undefined : sources.serverTools().find((tool) => tool.name === name);
  const found = builtin ? ofBuiltin(builtin) : server && ofServer(server);
  return found && isAllowed(found, sources) ? found : undefined;
};
