/**
 * The gates sessions are parked on: a run waits here for a person, who answers or decides over the API. It does not know
 * what a question is about: whoever parks says how a reply is read.
 * Invariant: a gate is resolved once. It ends with its answer, with the run that waits for it, or when its time is over.
 */
import { DaemonError } from '../domain/errors.js';
import type { JsonObject } from '../domain/json.js';
import type { Answer, Question } from '../domain/question.js';
import type { ParkedGate, TurnClaim } from '../domain/turn-slot.js';
import type { Clock, Ids } from '../ports.js';
import type { RunSession } from './tool-runner.js';

/** What a person is shown of a gate. */
export interface GateDescription {
  readonly tool: string;
  /** Of a question. */
  readonly question?: Question;
  /** Of a confirmation: which rule asks, in a word, what is asked about, and with which params the tool would run. */
  readonly cause?: string;
  readonly detail?: string;
  readonly params?: JsonObject;
}

export interface Decision {
  readonly approved: boolean;
  readonly reason?: string;
}

/**
 * A gate to park on. `read` turns a reply into what the run wants; what it throws is told and the gate stays. `decline`
 * says what the run gets when a person will not answer.
 */
export type GateRequest<T> = GateDescription &
  (
    | { readonly type: 'question'; readonly read: (answer: Answer) => T; readonly decline: (reason?: string) => T }
    | { readonly type: 'confirm'; readonly read: (decision: Decision) => T }
  );

export type GateOutcome = 'answered' | 'cancelled' | 'timeout';

export type GateEnd<T> =
  { readonly outcome: 'answered'; readonly value: T } | { readonly outcome: 'cancelled' | 'timeout' };

/** Which gate a reply means; the one that waits where nothing is said. */
export interface GateAddress {
  readonly gateId: string | undefined;
  readonly generation: number | undefined;
}

export interface WaitingGate extends ParkedGate {
  readonly session: RunSession;
  /** Epoch milliseconds. */
  readonly parkedAt: number;
  readonly description: GateDescription;
}

export interface EndedGate extends ParkedGate {
  readonly outcome: GateOutcome;
  /** Of a confirmation that was decided; false for a question that was declined. */
  readonly approved?: boolean;
}

/** People have lunch; beyond that nobody is there. */
const WAIT_MAX_MS = 15 * 60_000;
/** Ended gates of a session that a late reply is told about. */
const ENDED_MAX = 32;
const ID_DIGITS = 16;

interface Waiting extends WaitingGate {
  readonly claim: TurnClaim;
  readonly end: (how: EndedGate, value?: unknown) => void;
  readonly read: (reply: never) => unknown;
  readonly decline: ((reason?: string) => unknown) | undefined;
  readonly over: Promise<unknown>;
}

/** What is remembered of a live session; it goes with it. */
interface Past {
  readonly prefix: string;
  generation: number;
  readonly ended: EndedGate[];
}

export class Gates {
  readonly #clock: Clock;
  readonly #ids: Ids;
  /** By session, in the order in which they were parked. A session waits for one thing at a time. */
  readonly #waiting = new Map<RunSession, Waiting>();
  readonly #past = new WeakMap<RunSession, Past>();

  constructor({ clock, ids }: { clock: Clock; ids: Ids }) {
    this.#clock = clock;
    this.#ids = ids;
  }

  /**
   * Parks the claim and resolves when the gate has ended; a second gate of the same run waits for the first. Aborting the
   * signal, or the claim, cancels it.
   */
  async park<T>(session: RunSession, claim: TurnClaim, gate: GateRequest<T>, signal: AbortSignal): Promise<GateEnd<T>> {
    for (let other = this.#waiting.get(session); other; other = this.#waiting.get(session)) await other.over;
    if (signal.aborted || claim.signal.aborted) return { outcome: 'cancelled' };
    const past = this.#pastOf(session);
    const generation = (past.generation += 1);
    const parked: ParkedGate = { id: `${past.prefix}-${generation}`, generation, type: gate.type };
    let settle!: (how: GateEnd<T>) => void;
    const over = new Promise<GateEnd<T>>((resolve) => (settle = resolve));
    const end = (how: EndedGate, value?: unknown): void => {
      this.#waiting.delete(session);
      past.ended.unshift(how);
      past.ended.splice(ENDED_MAX);
      stopTimer();
      for (const stop of [signal, claim.signal]) stop.removeEventListener('abort', cancel);
      claim.unpark();
      settle(how.outcome === 'answered' ? { outcome: how.outcome, value: value as T } : { outcome: how.outcome });
    };
    const cancel = (): void => end({ ...parked, outcome: 'cancelled' });
    const stopTimer = this.#clock.after(WAIT_MAX_MS, () => end({ ...parked, outcome: 'timeout' }));
    for (const stop of [signal, claim.signal]) stop.addEventListener('abort', cancel);
    const { read, ...description } = gate;
    const decline = gate.type === 'question' ? gate.decline : undefined;
    this.#waiting.set(session, {
      ...parked,
      session,
      parkedAt: this.#clock.now(),
      description,
      claim,
      end,
      read,
      decline,
      over,
    });
    claim.park(parked);
    return over;
  }

  /** Ends what a run still waits for: the run itself is over. */
  dismiss(session: RunSession, claim: TurnClaim): void {
    const waiting = this.#waiting.get(session);
    if (waiting?.claim === claim) waiting.end({ ...parkedOf(waiting), outcome: 'cancelled' });
  }

  /** What a session waits for. */
  of(session: RunSession): WaitingGate | undefined {
    return this.#waiting.get(session);
  }

  /** Every gate that waits, the oldest first. */
  list(): WaitingGate[] {
    return [...this.#waiting.values()];
  }

  /** Throws what `#find` throws, and what the question refuses as an answer. */
  answer(session: RunSession, address: GateAddress, answer: Answer): EndedGate {
    const waiting = this.#find(session, address, ['question']);
    return this.#resolve(waiting, waiting.read(answer as never), {});
  }

  /** The same for a confirmation. What is not approved may also be a question, which is declined then. */
  confirm(session: RunSession, address: GateAddress, decision: Decision): EndedGate {
    const { approved, reason } = decision;
    const waiting = this.#find(session, address, approved ? ['confirm'] : ['confirm', 'question']);
    const value = waiting.decline ? waiting.decline(reason) : waiting.read(decision as never);
    return this.#resolve(waiting, value, { approved });
  }

  #resolve(waiting: Waiting, value: unknown, more: { approved?: boolean }): EndedGate {
    const ended: EndedGate = { ...parkedOf(waiting), outcome: 'answered', ...more };
    waiting.end(ended, value);
    return ended;
  }

  /** Throws no_pending_gate, stale_gate, gate_type_mismatch, gate_already_answered and gate_already_resolved. */
  #find(session: RunSession, { gateId, generation }: GateAddress, types: readonly ParkedGate['type'][]): Waiting {
    const waiting = this.#waiting.get(session);
    const isMeant = (gate: ParkedGate): boolean =>
      (gateId === undefined || gate.id === gateId) && (generation === undefined || gate.generation === generation);
    if (waiting === undefined || !isMeant(waiting)) {
      const ended = gateId === undefined ? undefined : this.#pastOf(session).ended.find(isMeant);
      if (ended) throw endedError(ended);
      if (waiting === undefined) throw new DaemonError('no_pending_gate');
      throw new DaemonError('stale_gate', undefined, {
        details: { gate_id: waiting.id, generation: waiting.generation, type: waiting.type },
      });
    }
    if (!types.includes(waiting.type)) {
      const how = waiting.type === 'question' ? 'answer' : 'confirm';
      throw new DaemonError('gate_type_mismatch', `this gate is a ${waiting.type}; ${how} it`);
    }
    return waiting;
  }

  #pastOf(session: RunSession): Past {
    let past = this.#past.get(session);
    if (past === undefined) {
      past = { prefix: `gate-${this.#ids.hex(ID_DIGITS)}`, generation: 0, ended: [] };
      this.#past.set(session, past);
    }
    return past;
  }
}

const parkedOf = ({ id, generation, type }: ParkedGate): ParkedGate => ({ id, generation, type });

const endedError = ({ id, generation, type, outcome, approved }: EndedGate): DaemonError =>
  type === 'question' && outcome === 'answered'
    ? new DaemonError('gate_already_answered')
    : new DaemonError('gate_already_resolved', undefined, {
        details: {
          gate_id: id,
          generation,
          outcome,
          ...(approved === undefined ? {} : { decision: { approved } }),
        },
      });
