/** Errors about what a session waits for: a question of the tool that asks one, or a step of a workflow to confirm. */
import type { Broken } from '../check.js';
import type { Answer } from '../client.js';
import type { Target } from '../target.js';
import type { Asked, Way } from './errors-way.js';
import { MISSING, type Names, SAMPLES } from './samples.js';

interface Parked {
  readonly session: string;
  readonly gate: { readonly id: string; readonly generation: number };
}

export const GATE_WAYS: Readonly<Record<string, Way>> = {
  gate_parked: {
    tier: 'request',
    provoke: async (asked) => {
      const { session } = await parked(asked.target);
      return asked.send(asked.call({ session, ...(await workflowFor(asked)) }));
    },
  },
  approved_required: {
    tier: 'request',
    provoke: async (asked) => {
      const { session } = await parked(asked.target);
      return asked.send({ ...asked.call({ session }), body: {} });
    },
  },
  no_pending_gate: {
    tier: 'request',
    provoke: async (asked) => asked.send(asked.call({ session: (await asked.target.session()).id })),
  },
  stale_gate: {
    tier: 'request',
    provoke: async (asked) => {
      const { session, gate } = await parked(asked.target);
      return asked.send(asked.callWith({ session }, { gate_id: `${gate.id}0` }));
    },
  },
  gate_type_mismatch: {
    tier: 'request',
    // A question can be declined, but not approved.
    provoke: async (asked) =>
      asked.send(asked.callWith({ session: (await parked(asked.target)).session }, { approved: true })),
  },
  gate_already_answered: {
    tier: 'request',
    provoke: async (asked) => {
      const { session, gate } = await parked(asked.target);
      await asked.target.expect(200, 'answerGate', { path: { id: session }, body: { answer: 'yes' } });
      return asked.send(asked.callWith({ session }, { gate_id: gate.id }));
    },
  },
  gate_already_resolved: {
    tier: 'request',
    provoke: async (asked) => {
      const { session, gate } = await parked(asked.target);
      await asked.target.expect(200, 'cancelSession', { path: { id: session } });
      return asked.send(asked.callWith({ session }, { gate_id: gate.id }));
    },
  },
};

/** A confirmation that is answered: the only step of a workflow writes, and a session asks about that. */
export const CONFIRMATION_ANSWERED: Way = {
  tier: 'request',
  provoke: async (asked) => {
    const { target } = asked;
    const { id: session } = await target.session();
    const write = { id: 'write', tool: 'write_file', params: { path: 'made.txt', content: 'x' } };
    const name = await storedWorkflow(target, { expected_absent: true, definition: { steps: [write] } });
    await target.expect(202, 'runSessionWorkflow', { path: { id: session, name }, body: {} });
    target.defer(() => target.call('cancelSession', { path: { id: session } }));
    await gateOf(target, session);
    return asked.send(asked.call({ session }));
  },
};

/** A workflow that reads, where the operation runs one. */
export const workflowFor = async ({ target, of }: Asked): Promise<Partial<Names>> => {
  if (!of.operation.path.includes('/workflows/{name}/runs')) return {};
  return { workflow: await storedWorkflow(target, SAMPLES['setWorkflow']!(MISSING).body) };
};

/** The name of a new workflow that goes with the case. */
const storedWorkflow = async (target: Target, body: unknown): Promise<string> => {
  const path = { name: target.name('workflow') };
  await target.expect(200, 'setWorkflow', { path, body });
  target.defer(() => target.expect(200, 'deleteWorkflow', { path }));
  return path.name;
};

/** A session that waits for the answer to a question; the run that asks ends with the case. */
export const parked = async (target: Target): Promise<Parked> => {
  const { id: session } = await target.session();
  whileRunning(target, session, 'ask_question_to_user', { question: 'Which one?' });
  return { session, gate: await gateOf(target, session) };
};

/** What a session comes to wait for. */
const gateOf = (target: Target, session: string): Promise<Parked['gate']> =>
  target.until('the gate', async () => {
    const { json } = await target.expect(200, 'getSessionState', { path: { id: session } });
    return json.pending_gate as Parked['gate'] | undefined;
  });

/** Starts a run and goes on; when the case is over the session is told to stop and the run is over too. */
export const whileRunning = (target: Target, session: string, tool: string, params: object): void => {
  const run: Promise<Answer | Broken> = target
    .call('runSessionTool', { path: { id: session, name: tool }, body: { params } })
    .catch((error: Broken) => error);
  target.defer(async () => {
    await target.call('cancelSession', { path: { id: session } });
    await run;
  });
};
