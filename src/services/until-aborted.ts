/** Waits for work that may answer an abort late, without waiting longer than the signal. */

/** What `work` comes to, or the signal's reason as soon as it aborts; the work itself is left to end on its own. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
