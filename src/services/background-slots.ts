/**
 * A small number of slots for work that nobody waits for. Whoever finds them all taken waits a bounded time, in the
 * order of arrival, and then does without.
 */
import type { Clock } from '../ports.js';

export class BackgroundSlots {
  readonly #clock: Clock;
  #free: number;
  readonly #waiting = new Set<(granted: boolean) => void>();

  constructor(clock: Clock, slots: number) {
    this.#clock = clock;
    this.#free = slots;
  }

  /** True when a slot was taken: it must be given back. False when none came free within `waitMs`. */
  async take(waitMs: number): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    return new Promise((resolve) => {
      const answer = (granted: boolean): void => {
        cancel();
        this.#waiting.delete(answer);
        resolve(granted);
      };
      const cancel = this.#clock.after(waitMs, () => answer(false));
      this.#waiting.add(answer);
    });
  }

  giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else next(true);
  }
}
