/** Waiting with a limit. */
import type { Clock } from '../ports.js';

/** The longest delay a timer takes: "never", for waits that end by our own limits. */
export const NEVER_MS = 2 ** 31 - 1;

/** What `work` comes to, or `tooLate()` after `ms`; the work itself is left to end on its own. */
export const within = <T>(work: Promise<T>, clock: Clock, ms: number, tooLate: () => Error): Promise<T> =>
  new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(tooLate()));
    void work.then(resolve, reject).finally(cancel);
  });
