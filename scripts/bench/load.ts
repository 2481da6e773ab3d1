/**
 * The load generator: a closed loop of callers, each sending its next request when it has the answer to the last, and
 * the summary of their waiting times. Every answer is checked; one wrong answer fails the whole measurement.
 */

/** Sends one request; resolves when the answer is there with a check of it, which runs after the clock was read. */
export type Ask = (turn: number) => Promise<() => boolean>;

export interface LoadResult {
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A second limit beside the time, so that a wrong window cannot fill the memory. */
const COUNT_MAX = 2_000_000;

/** Runs all askers side by side for the window; throws on a failed request or a wrong answer. */
export async function load(asks: readonly Ask[], windowMs: number, countMax = COUNT_MAX): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + windowMs;
  let turn = 0;
  const run = async (ask: Ask): Promise<void> => {
    let sentAt = performance.now();
    while (sentAt < endsAt && turn < countMax) {
      const check = await ask(turn++);
      const answeredAt = performance.now();
      latenciesMs.push(answeredAt - sentAt);
      if (!check()) throw new Error('a wrong answer');
      sentAt = performance.now();
    }
  };
  await Promise.all(asks.map(run));
  const elapsedMs = performance.now() - startedAt;
  latenciesMs.sort((a, b) => a - b);
  return {
    count: latenciesMs.length,
    perSecond: (latenciesMs.length / elapsedMs) * 1_000,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  };
}

/** The smallest value that at least this share of a sorted list does not exceed. */
export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return (percentile(sorted, 0.5) + (sorted[Math.floor(sorted.length / 2)] ?? NaN)) / 2;
};
