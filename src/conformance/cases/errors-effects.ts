/** Errors about something that is there: a list that changed, a tool that asks or is busy, a folder that is none. */
import { must } from '../check.js';
import type { CallArguments } from '../client.js';
import type { Target } from '../target.js';
import { whileRunning, workflowFor } from './errors-gates.js';
import { type Asked, type Way, withHeaders } from './errors-way.js';
import { NOWHERE_PATH } from './samples.js';

/** What a write intent is minted for, by the operation that spends it. */
const WRITE_OPS: Readonly<Record<string, string>> = {
  upsertMcpServer: 'upsert',
  setMcpServerEnabled: 'set_enabled',
  deleteMcpServer: 'delete',
  importMcpServers: 'import',
};
/** Of no list and no text. */
const OTHER_HASH = `sha256:${'0'.repeat(64)}`;
const write = (path: string): object => ({ params: { path, content: 'x' } });

const request = (provoke: Way['provoke'], features: readonly string[] = []): Way => ({
  tier: 'request',
  features,
  provoke,
});

export const EFFECT_WAYS: Readonly<Record<string, Way>> = {
  // Live in one of two daemons, the session is asked for at the other.
  session_held: {
    tier: 'state',
    features: ['sessions.shared'],
    provoke: async (asked) => {
      const target = await asked.target.inState('shared_records');
      const { id: session } = await target.session();
      const call = asked.of.operation.id === 'createSession' ? { body: { attach: session } } : asked.call({ session });
      return asked.send(call, target.other());
    },
  },

  human_only: request(async (asked) => asked.send(asked.call({ session: (await asked.target.session()).id }))),

  tool_not_found: request(async (asked) => {
    const { id: session } = await asked.target.session();
    return asked.send(asked.call({ session, tool: 'no_such_tool' }));
  }),
  tool_mutation_refused: request((asked) =>
    asked.send({ ...asked.call({ tool: 'write_file' }), body: write(`${NOWHERE_PATH}/a.txt`) }),
  ),
  // In a session writing asks; without one, a confirmation that brings no token is a question.
  tool_needs_confirmation: request(async (asked) => {
    const { id: session, cwd } = await asked.target.session();
    const body = { ...write(`${cwd}/a.txt`), confirm: true };
    return asked.send(withHeaders({ ...asked.call({ session, tool: 'write_file' }), body }, { 'x-hoody-cwd': cwd }));
  }),
  turn_in_flight: request(
    async (asked) => {
      const { target } = asked;
      const { id: session } = await target.session();
      await target.expect(200, 'setSessionYolo', { path: { id: session }, body: { enabled: true } });
      whileRunning(target, session, 'bash', { command: 'sleep 600' });
      await target.until('the run', async () => {
        const { json } = await target.expect(200, 'getSessionState', { path: { id: session } });
        return json.state === 'running';
      });
      return asked.send(asked.call({ session, ...(await workflowFor(asked)) }));
    },
    ['tools.bash'],
  ),

  mcp_conflict: request(async (asked) => {
    const { id: session } = await asked.target.session();
    const intent = { session_id: session, op: WRITE_OPS[asked.of.operation.id] };
    const { json } = await asked.target.expect(200, 'createMcpWriteIntent', { body: intent });
    return asked.send(asked.callWith({ session }, { nonce: json.nonce, expect_hash: OTHER_HASH }));
  }),

  todo_conflict: request(async (asked) => {
    const { session, todo } = await todoOf(asked.target);
    // A todo nobody holds cannot be given back; everything else names a revision that was never there.
    const stale = asked.of.operation.id === 'releaseTodo' ? {} : { revision: 99 };
    return asked.send(asked.callWith({ session, todo }, stale));
  }),
  cwd_not_found: request(async (asked) => {
    const { operation } = asked.of;
    const todo = operation.path.includes('{') ? (await todoOf(asked.target)).todo : undefined;
    return asked.send(asked.callWith(todo === undefined ? {} : { todo }, { cwd: NOWHERE_PATH }));
  }),
  revision_conflict: request(async (asked) => {
    if (asked.of.operation.id === 'setWorkflow') return asked.send(await madeWorkflow(asked));
    if (asked.of.operation.id === 'setHookRules') return asked.send(await staleRules(asked));
    const { agent, scope } = await agentOf(asked.target);
    return asked.send(withHeaders(asked.callWith({ agent }, { expected_revision: OTHER_HASH }), scope));
  }),

  INVALID_PROVIDER: request(async (asked) => {
    const { answer } = await asked.target.session();
    const call: CallArguments = asked.call({ workspace: answer.json.started.workspace_id });
    return asked.send({ ...call, query: { ...call.query, provider: 'nobody' } });
  }),
};

/** A todo in the folder of a new session, ready to be worked on; archived with the case. */
const todoOf = async (target: Target): Promise<{ session: string; todo: string }> => {
  const { id: session, cwd } = await target.session();
  const { json } = await target.expect(201, 'createTodo', { body: { title: target.name('todo'), cwd } });
  const { id: todo } = json.todo as { id: string };
  const path = { id: todo };
  target.defer(async () => {
    const now = await target.expect(200, 'getTodo', { path });
    await target.expect(200, 'archiveTodo', { path, body: { revision: now.json.todo.revision } });
  });
  await target.expect(200, 'updateTodo', { path, body: { revision: json.todo.revision, state: 'ready' } });
  return { session, todo };
};

/** A definition in the project of a new session. */
const agentOf = async (target: Target): Promise<{ agent: string; scope: Record<string, string> }> => {
  const { cwd } = await target.session();
  const scope = { 'x-hoody-cwd': cwd };
  const agent = target.name('agent');
  await target.expect(201, 'createAgent', { headers: scope, body: { name: agent } });
  target.defer(() => target.expect(200, 'deleteAgent', { headers: scope, path: { name: agent } }));
  return { agent, scope };
};

/** The request that makes a workflow where there is none, once it has. */
const madeWorkflow = async (asked: Asked): Promise<CallArguments> => {
  const made = asked.target.name('workflow');
  const call = asked.call({ made });
  must((await asked.send(call)).status < 400, 'a workflow could not be made');
  asked.target.defer(() => asked.target.expect(200, 'deleteWorkflow', { path: { name: made } }));
  return call;
};

/** Rules for the project of a new session, from a revision it never had. */
const staleRules = async (asked: Asked): Promise<CallArguments> => {
  const { id: session } = await asked.target.session();
  const intent = { session_id: session, op: 'rules_set', scope: 'project' };
  const { json } = await asked.target.expect(200, 'createHookWriteIntent', { body: intent });
  return asked.callWith({ session }, { nonce: json.nonce, scope: 'project', expected_revision: OTHER_HASH });
};
