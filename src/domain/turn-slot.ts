/**
 * A session's one serial turn slot. A turn, a direct tool run and a workflow run each claim it, so none of them races
 * another. It is idle, running (somebody holds the claim) or parked (the holder waits for a person to answer a gate).
 * It does not queue: who comes second is refused and told why.
 */
import { DaemonError, sessionNotFound } from './errors.js';

export type TurnKind = 'turn' | 'tool' | 'workflow';

/** What a person has to answer before the session moves on. */
export interface ParkedGate {
  readonly id: string;
  readonly generation: number;
  readonly type: 'confirm' | 'question';
}

/** The right to run, held by one caller until `release`. */
export interface TurnClaim {
  readonly kind: TurnKind;
  /** Aborted by `TurnSlot.abort` (cancel, close) and by `abort` here. Who listens stops listening before `release`. */
  readonly signal: AbortSignal;
  abort(): void;
  park(gate: ParkedGate): void;
  unpark(): void;
  /** Frees the slot. Releasing twice is harmless: the second one does not free somebody else's claim. */
  release(): void;
}

export class TurnSlot {
  readonly #changed: () => void;
  #claim: TurnClaim | undefined;
  #gate: ParkedGate | undefined;
  #closed = false;
  /** Goes from claim to claim until it is aborted: making one costs as much as all the rest of a short run. */
  #controller: AbortController | undefined;

  /** `changed` is called after each change of state. */
  constructor(changed: () => void = () => undefined) {
    this.#changed = changed;
  }

  get state(): 'idle' | 'running' | 'parked' {
    if (!this.#claim) return 'idle';
    return this.#gate ? 'parked' : 'running';
  }

  /** What is running, parked or not. */
  get kind(): TurnKind | undefined {
    return this.#claim?.kind;
  }

  get pendingGate(): ParkedGate | undefined {
    return this.#gate;
  }

  /**
   * The claim. Throws `gate_parked` (with `details.pending_gate`) or `turn_in_flight` when somebody holds the slot, and
   * `not_found` after `close`.
   */
  claim(kind: TurnKind): TurnClaim {
    if (this.#closed) throw sessionNotFound();
    if (this.#gate) {
      const { id, generation, type } = this.#gate;
      throw new DaemonError('gate_parked', `a ${type} gate is parked on this session; answer it first`, {
        details: { pending_gate: { id, generation, type } },
      });
    }
    if (this.#claim) {
      throw new DaemonError('turn_in_flight', `a ${this.#claim.kind} is already running on this session`);
    }
    const controller = (this.#controller ??= new AbortController());
    const claim: TurnClaim = {
      kind,
      signal: controller.signal,
      abort: () => {
        if (this.#claim !== claim) return;
        controller.abort();
        this.#controller = undefined;
      },
      park: (gate) => this.#set(claim, claim, gate),
      unpark: () => this.#set(claim, claim, undefined),
      release: () => this.#set(claim, undefined, undefined),
    };
    this.#set(undefined, claim, undefined);
    return claim;
  }

  /** Only the holder changes anything. */
  #set(holder: TurnClaim | undefined, claim: TurnClaim | undefined, gate: ParkedGate | undefined): void {
    if (this.#claim !== holder) return;
    this.#claim = claim;
    this.#gate = gate;
    this.#changed();
  }

  /** Aborts what is running, parked or not. The holder releases the slot when it has stopped. False when idle. */
  abort(): boolean {
    this.#claim?.abort();
    return this.#claim !== undefined;
  }

  /** Aborts what is running and lets nobody in again: the session has ended. */
  close(): void {
    this.#closed = true;
    this.abort();
  }
}
