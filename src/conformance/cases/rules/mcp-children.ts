/** Rules of the MCP servers page about what a server is started with, and what becomes of it. */
import { must, mustEqual } from '../../check.js';
import { mustAnswer } from '../../target.js';
import type { Rules } from '../rules.js';
import { idle, McpSession } from './mcp-session.js';
import { isAlive } from './tool-folder.js';

const received = async (mcp: McpSession, name: string): Promise<Record<string, string>> => {
  const answer = await mcp.run(name, 'received');
  mustAnswer(answer, 200);
  const { json } = answer;
  return JSON.parse(json.output).env.values;
};

export const mcpChildRules: Rules = {
  'mcp.environment.entry-wins': {
    features: ['mcp.stdio'],
    run: async (target) => {
      const mcp = await McpSession.open(target);
      const env = { CONFORMANCE_API_KEY: 'own', CONFORMANCE_SECRET: 'own' };
      const values = await received(mcp, await mcp.connected({ env }));
      // What else the target inherited under such a name is no business of this case.
      for (const [key, value] of Object.entries(env)) mustEqual(values[key], value, `${key} in the environment`);
    },
  },
  'mcp.entry.variables': {
    features: ['mcp.stdio'],
    run: async (target) => {
      const mcp = await McpSession.open(target);
      const env = { CONFORMANCE_HOME: 'is ${HOME}', CONFORMANCE_OTHER: '${CONFORMANCE_UNSET:-by default}' };
      const name = await mcp.connected({ env });
      const values = await received(mcp, name);
      mustEqual(values['CONFORMANCE_OTHER'], 'by default', 'a variable with a default');
      must(/^is [^$]+$/.test(values['CONFORMANCE_HOME']!), 'a variable of the daemon was not expanded');
      mustEqual((await mcp.stored())[0].env, env, 'what is stored');
    },
  },
  'mcp.apply.others-not-awaited': async (target) => {
    const slow = target.setting.mcp.child(target.name('silent'), {}, 'silent');
    await McpSession.open(target, { settings: [slow] });
    const mcp = await McpSession.open(target);
    // The slow one never comes up, so an answer at all says that nobody waited for it.
    await mcp.upsert(idle('a'));
  },
  'mcp.counters.nothing-deferred': {
    alone: true,
    run: async (target) => {
      const mcp = await McpSession.open(target);
      const { deferred_sessions, deferred_started } = await mcp.upsert(idle('a'));
      must(deferred_sessions > 0 || deferred_started === true, 'deferred_started is false with nothing to defer');
    },
  },
  'mcp.delete.child-reaped': {
    features: ['mcp.stdio'],
    run: async (target) => {
      const mcp = await McpSession.open(target);
      const name = await mcp.connected();
      const { pid } = await mcp.row(name);
      must(isAlive(pid), 'the process of a connected server is not there');
      await mcp.remove(name);
      await target.until('the end of the process', async () => !isAlive(pid));
    },
  },
};
