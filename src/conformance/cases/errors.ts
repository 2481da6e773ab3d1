/** One case for each documented error of each operation: the request that brings it about, and the answer it must get. */
import { type Case, Untestable } from '../check.js';
import { type CallArguments, type Answer } from '../client.js';
import type { Contract, Documented } from '../contract.js';
import { mustAnswer, type Target } from '../target.js';
import { SAMPLES } from './samples.js';

/** An id no target issues. */
const NO_SESSION = 'sess_conformance_missing';

interface Way {
  readonly tier: Case['tier'];
  readonly provoke: (target: Target, sample: (session?: string) => CallArguments, of: Documented) => Promise<Answer>;
}

const WAYS: Readonly<Record<string, Way>> = {
  bad_request: {
    tier: 'request',
    provoke: (target, sample, { operation }) => {
      const call = sample();
      return target.call(operation.id, { ...call, query: { ...call.query, no_such_parameter: 1 } });
    },
  },
};

export const errorCases = (contract: Contract): Case[] =>
  contract.operations
    .flatMap(({ documented }) => documented)
    .filter(({ kind }) => kind === 'error')
    .map((of) => errorCase(of));

const errorCase = (of: Documented): Case => {
  const way = WAYS[of.name];
  return {
    id: of.id,
    title: `${of.operation.id} answers ${of.status} ${of.name} to what the contract says it is for`,
    level: 'MUST',
    tier: way?.tier ?? 'request',
    features: [],
    run: async (target) => {
      const sample = SAMPLES[of.operation.id];
      if (way === undefined || sample === undefined) throw new Untestable('the suite has no way to bring it about');
      mustAnswer(await way.provoke(target, (session = NO_SESSION) => sample(session), of), of.status, of.name);
    },
  };
};
