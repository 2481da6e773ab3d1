/** The operations on agent definitions. Values to values. */
import type { AgentDefinition } from '../../domain/agent.js';
import type { JsonObject } from '../../domain/json.js';
import type { LoginSource } from '../../ports.js';
import type { Scope } from '../../domain/session.js';
import type { Agents } from '../../services/agents.js';
import type { Handlers } from '../operation.js';
import { agentRow, listWindow } from '../views.js';

type AgentHandlers = Pick<
  Handlers,
  | 'listAgents'
  | 'createAgent'
  | 'deleteAgent'
  | 'getAgentSource'
  | 'setAgentSource'
  | 'copyAgent'
  | 'renameAgent'
  | 'setAgentModel'
  | 'setAgentTools'
  | 'setAgentTurns'
>;

export interface AgentHandlerDeps {
  readonly agents: Agents;
  readonly login: LoginSource;
}

export const agentHandlers = ({ agents, login }: AgentHandlerDeps): AgentHandlers => {
  const realmOf = (scope: Scope): string => scope.realm ?? login.current().activeRealm;
  const answer = (agent: AgentDefinition, scope: Scope) => ({
    status: 'ok' as const,
    agent: agentRow(agent, realmOf(scope)),
  });

  return {
    listAgents: async ({ query }, { scope }) => {
      const { agents: all, warnings } = await agents.list(scope);
      const listed = listWindow(all, query, (agent) => agentRow(agent, realmOf(scope)));
      return { status: 200, body: { ...listed, warnings: [...warnings] } };
    },

    createAgent: async ({ body }, { scope }) => {
      const { name, frontmatter = {}, system_prompt: prompt = '' } = body;
      return { status: 201, body: answer(await agents.create(name, frontmatter as JsonObject, prompt, scope), scope) };
    },

    deleteAgent: async ({ path }, { scope }) => {
      await agents.delete(path.name, scope);
      return { status: 200, body: { status: 'ok' } };
    },

    getAgentSource: async ({ path }, { scope }) => ({ status: 200, body: await agents.source(path.name, scope) }),

    setAgentSource: async ({ path, body }, { scope }) => ({
      status: 200,
      body: answer(await agents.setSource(path.name, body.content, body.expected_revision, scope), scope),
    }),

    copyAgent: async ({ path, body }, { scope }) => ({
      status: 201,
      body: answer(await agents.copy(path.name, body.new_name, scope), scope),
    }),

    renameAgent: async ({ path, body }, { scope }) => ({
      status: 200,
      body: answer(await agents.rename(path.name, body.new_name, scope), scope),
    }),

    setAgentModel: async ({ path, body }, { scope }) => ({
      status: 200,
      body: answer(await agents.set(path.name, { model: body.model === '' ? undefined : body.model }, scope), scope),
    }),

    setAgentTools: async ({ path, body }, { scope }) => ({
      status: 200,
      body: answer(
        await agents.set(path.name, { tools: body.tools.length === 0 ? undefined : [...body.tools] }, scope),
        scope,
      ),
    }),

    setAgentTurns: async ({ path, body }, { scope }) => ({
      status: 200,
      body: answer(await agents.set(path.name, { max_turns: body.turns === 0 ? undefined : body.turns }, scope), scope),
    }),
  };
};
