/**
 * How a run asks a person: its question is parked as a gate of the session, and the reply is read as what the run wants.
 * Where nobody watches (headless, or a run without a session) nobody is asked.
 */
import { DaemonError } from '../domain/errors.js';
import {
  elicitedContent,
  questionOf,
  textAnswer,
  type Answer,
  type Elicitation,
  type ElicitReply,
  type Question,
} from '../domain/question.js';
import type { Posture } from '../domain/session.js';
import type { TurnClaim } from '../domain/turn-slot.js';
import type { Caller, ParamsValidator } from '../ports.js';
import type { GateRequest, Gates } from './gates.js';
import type { RunSession } from './tool-runner.js';

/** False for headless sessions and for runs without a session, which have no id to answer under. */
export const canAsk = ({ headless, sessionId }: Posture): boolean => !headless && sessionId !== '';

/** A run that holds the turn slot of its session. */
export interface AskingRun {
  readonly session: RunSession;
  readonly claim: TurnClaim;
  readonly tool: string;
}

/** The answer, or undefined when the run was cancelled or nobody answered in time. Throws when the person declines. */
export const ask = async (
  gates: Gates,
  { session, claim, tool }: AskingRun,
  question: Question,
): Promise<string | undefined> => {
  const gate: GateRequest<string | Error> = {
    type: 'question',
    tool,
    question,
    read: (answer) => textAnswer(question, answer),
    decline: (reason) => new Error(`the question was declined${reason === undefined ? '' : `: ${reason}`}`),
  };
  const end = await gates.park(session, claim, gate, claim.signal);
  if (end.outcome !== 'answered') return undefined;
  if (end.value instanceof Error) throw end.value;
  return end.value;
};

/** The caller of an MCP tool, to whose session the server's questions are put. */
export const callerOf = (gates: Gates, validator: ParamsValidator, run: AskingRun): Caller => ({
  session: run.session.posture.sessionId,
  elicit: async (elicitation, signal): Promise<ElicitReply> => {
    const { session, claim, tool } = run;
    if (!canAsk(session.posture)) return { action: 'cancel' };
    const gate: GateRequest<ElicitReply> = {
      type: 'question',
      tool,
      question: questionOf(elicitation),
      read: (answer) => ({ action: 'accept', content: checkedContent(validator, elicitation, answer) }),
      // The protocol has no place for a reason.
      decline: () => ({ action: 'decline' }),
    };
    const end = await gates.park(session, claim, gate, signal);
    return end.outcome === 'answered' ? end.value : { action: 'cancel' };
  },
});

/** Throws bad_request with `details.errors` when the answer is not what the server asked for. */
const checkedContent = (validator: ParamsValidator, elicitation: Elicitation, answer: Answer) => {
  const content = elicitedContent(elicitation, answer);
  const faults = validator.faults(elicitation.requestedSchema, content);
  const [first] = faults;
  if (!first) return content;
  throw new DaemonError('bad_request', `answers${first.pointer}: ${first.message}`, {
    details: { errors: faults.map((fault) => ({ ...fault, pointer: `/answers${fault.pointer}` })) },
  });
};
