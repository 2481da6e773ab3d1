/**
 * A clock that stands still until a test moves it. Timers run in the order they are due; between two of them everything
 * that is ready (microtasks, immediates) gets its turn, so code that sleeps again is seen within the same `advance`.
 */
import type { Clock } from '../../src/ports.js';

interface Timer {
  readonly due: number;
  readonly action: () => void;
}

/** Rounds of the event loop after each timer: a few hops through immediates, as pipes and streams make them. */
const SETTLE_ROUNDS = 3;

const settle = async (): Promise<void> => {
  for (let round = 0; round < SETTLE_ROUNDS; round += 1) await new Promise((resolve) => setImmediate(resolve));
};

export class FakeClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#now = startMs;
  }

  /** How many timers are waiting: lets a test see that nothing was left behind. */
  get waiting(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = (): void => {
        cancel();
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const cancel = this.after(ms, wake);
      signal?.addEventListener('abort', wake);
    });
  }

  after(ms: number, action: () => void): () => void {
    const timer = { due: this.#now + Math.max(0, ms), action };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Moves time by `ms`, running on the way whatever falls due, also what is set while moving. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let timer = this.#nextDue(end); timer; timer = this.#nextDue(end)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.due);
      timer.action();
      await settle();
    }
    this.#now = end;
  }

  /** Moves time at once, as it does for a machine that slept: what fell due meanwhile runs once, and late. */
  async leap(ms: number): Promise<void> {
    this.#now += ms;
    const due = [...this.#timers].filter((timer) => timer.due <= this.#now);
    for (const timer of due) {
      this.#timers.delete(timer);
      timer.action();
      await settle();
    }
  }

  /** A Set keeps the order of insertion, so of two timers due together the older one runs first. */
  #nextDue(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.due <= end && (next === undefined || timer.due < next.due)) next = timer;
    }
    return next;
  }
}
