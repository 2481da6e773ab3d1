/** The gate operations: what sessions wait for, and the replies of a person. */
import { DaemonError } from '../../domain/errors.js';
import { listScopeOf } from '../../domain/session.js';
import type { LoginSource } from '../../ports.js';
import type { EndedGate, GateAddress, Gates, WaitingGate } from '../../services/gates.js';
import type { Sessions } from '../../services/sessions.js';
import type { Handlers } from '../operation.js';
import { gateResolution, gateRow, listWindow } from '../views.js';

type GateHandlers = Pick<Handlers, 'listGates' | 'answerGate' | 'confirmGate'>;

export interface GateHandlerDeps {
  readonly sessions: Sessions;
  readonly gates: Gates;
  readonly login: LoginSource;
}

export const gateHandlers = ({ sessions, gates, login }: GateHandlerDeps): GateHandlers => {
  const resolved = (gate: EndedGate) =>
    ({ status: 200, body: { status: 'ok', resolved: gateResolution(gate) } }) as const;

  return {
    listGates: ({ query }, { scope }) => {
      const states = sessions.liveStates(listScopeOf(login.current(), scope));
      const visible = new Set(states.map(({ sessionId }) => sessionId));
      const waiting = gates.list().filter(({ session }) => visible.has(session.posture.sessionId));
      const { items, meta } = listWindow(waiting.toSorted(byAge), query, gateRow);
      // Reading what is in memory takes no time in which anything could change.
      return { status: 200, body: { items, meta: { ...meta, omitted: 0 } } };
    },

    answerGate: ({ path, body }, { scope }) => {
      const session = sessions.live(path.id, scope);
      const texts = [body.answer, body.text].filter((text) => text !== undefined && text.trim() !== '');
      const answers = Object.fromEntries(Object.entries(body.answers ?? {}).filter(([, text]) => text.trim() !== ''));
      if (texts[0] === undefined && Object.keys(answers).length === 0) {
        throw new DaemonError('bad_request', 'answer, text, answers: one of them must not be empty');
      }
      const answer = texts[0] === undefined ? {} : { answer: texts[0] };
      return resolved(gates.answer(session, addressOf(body), { ...answer, answers }));
    },

    confirmGate: ({ path, body }, { scope }) => {
      const session = sessions.live(path.id, scope);
      const { approved, reason } = body;
      if (approved === undefined) throw new DaemonError('approved_required');
      if (approved && reason !== undefined) throw new DaemonError('bad_request', 'reason: goes with approved: false');
      const decision = { approved, ...(reason === undefined ? {} : { reason }) };
      return resolved(gates.confirm(session, addressOf(body), decision));
    },
  };
};

const addressOf = ({ gate_id, generation }: { gate_id?: string; generation?: number }): GateAddress => ({
  gateId: gate_id,
  generation,
});

const byAge = (one: WaitingGate, other: WaitingGate): number =>
  one.parkedAt - other.parkedAt || (one.session.posture.sessionId < other.session.posture.sessionId ? -1 : 1);
