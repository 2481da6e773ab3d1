/** Errors about what a session waits for. The gates are questions of the tool that asks one. */
import { Broken, must } from '../check.js';
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

/** A confirmation that is answered. No operation parks on one yet, so a target that has them shows one. */
export const CONFIRMATION_ANSWERED: Way = {
  tier: 'state',
  features: ['gates.confirm'],
  provoke: async (asked) => {
    const target = await asked.target.inState('confirmation_waits');
    const { json } = await target.expect(200, 'listGates');
    const found = json.items.find(({ kind }: { kind: string }) => kind === 'confirm');
    must(found !== undefined, 'no session of the target waits for a confirmation');
    return asked.send(asked.call({ session: found.session_id }), target);
  },
};

/** A workflow that reads, where the operation runs one. */
export const workflowFor = async ({ target, of }: Asked): Promise<Partial<Names>> => {
  if (!of.operation.path.includes('/workflows/{name}/runs')) return {};
  const workflow = target.name('workflow');
  const path = { name: workflow };
  await target.expect(200, 'setWorkflow', SAMPLES['setWorkflow']!({ ...MISSING, made: workflow }));
  target.defer(() => target.expect(200, 'deleteWorkflow', { path }));
  return { workflow };
};

/** A session that waits for the answer to a question; the run that asks ends with the case. */
export const parked = async (target: Target): Promise<Parked> => {
  const { id: session } = await target.session();
  whileRunning(target, session, 'ask_question_to_user', { question: 'Which one?' });
  const gate = await target.until('the question', async () => {
    const { json } = await target.expect(200, 'getSessionState', { path: { id: session } });
    return json.pending_gate as Parked['gate'] | undefined;
  });
  return { session, gate };
};

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
