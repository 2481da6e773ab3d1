/**
 * What an agent definition is once it has been read, and what it lets a session call. The text it is read from is
 * agent-definition.ts, which is loaded by those alone who need it.
 */
import { createHash } from 'node:crypto';
import { DaemonError } from './errors.js';

export type AgentLayer = 'user' | 'project';

/** What a definition says. Keys of the frontmatter that are not read here are kept in the file. */
export interface AgentContent {
  readonly description: string | undefined;
  readonly model: string | undefined;
  /** Tools it may call, by the names of the tool list; undefined is all of them. */
  readonly tools: readonly string[] | undefined;
  /** Tools of MCP servers it may call beside them: `server/tool`, `server/*` or the name of the tool list. */
  readonly mcpTools: readonly string[] | undefined;
  readonly maxTurns: number | undefined;
  readonly prompt: string;
}

export interface AgentDefinition extends AgentContent {
  readonly name: string;
  readonly layer: AgentLayer;
  readonly path: string;
  /** Of the whole text: an edit names the one it was made from. */
  readonly revision: string;
  /** A definition of a weaker layer has the same name. */
  readonly shadowsLower: boolean;
}

/** A definition in a layer, as text. */
export interface AgentSource {
  readonly name: string;
  readonly layer: AgentLayer;
  readonly path: string;
  readonly text: string;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The tools a session of the agent may call, as far as the definition narrows them. */
export type AgentTools = Pick<AgentContent, 'tools' | 'mcpTools'>;

/** Throws bad_request, naming the member. */
export const checkAgentName = (member: string, name: string): string => {
  if (!NAME.test(name)) {
    throw new DaemonError('bad_request', `${member}: 1 to 64 letters, digits, underscores and hyphens`);
  }
  return name;
};

export const agentRevision = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** Whether an agent lets a session call a tool; `server` is the MCP server the tool is of. */
export const allowsTool = (
  { tools, mcpTools }: AgentTools,
  tool: { readonly name: string; readonly server?: { readonly name: string; readonly tool: string } },
): boolean => {
  const names = [...(tools ?? []), ...(mcpTools ?? [])];
  if (names.length === 0) return true;
  if (names.includes(tool.name)) return true;
  // `tools` covers the tools of servers too; `mcp_tools` alone leaves the built-in ones as they are.
  if (tool.server === undefined) return tools === undefined || tools.length === 0;
  const { name, tool: own } = tool.server;
  return (mcpTools ?? []).some((one) => one === `${name}/*` || one === `${name}/${own}`);
};
