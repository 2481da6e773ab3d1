/**
 * Waiting for work that may answer an abort late, or end only when something outside it does. `AbortSignal.any` is not
 * used: tied to a signal that outlives many calls, it costs more memory and time with each of them (Node 20).
 */
import { setMaxListeners } from 'node:events';

/** What `work` comes to, or the signal's reason as soon as it aborts; the work itself is left to end on its own. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Gives `work` one signal that aborts with the first of two, and waits no longer than that. */
export async function underBoth<T>(
  one: AbortSignal,
  other: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const either = new AbortController();
  const abort = (event: Event): void => either.abort((event.target as AbortSignal).reason);
  try {
    for (const signal of [one, other]) {
      signal.throwIfAborted();
      signal.addEventListener('abort', abort);
    }
    return await untilAborted(work(either.signal), either.signal);
  } finally {
    for (const signal of [one, other]) signal.removeEventListener('abort', abort);
  }
}

/** The controller of something that outlives calls: each call under way listens to it, however many there are. */
export function lastingAbort(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
