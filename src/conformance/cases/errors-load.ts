/**
 * Errors of a target that has too much to do: more requests than its rate, more at once than it works on, more streams
 * than a client may have. A driver offers targets with small limits; without one, the limits the target declares are
 * filled where they are small enough.
 *
 * Invariant: what asks for the error breaks the contract besides, so that nothing comes of it when it is let through.
 */
import { Broken, must, Untestable } from '../check.js';
import type { Answer } from '../client.js';
import { type Target } from '../target.js';
import { Asked, spoiled, type Way } from './errors-way.js';

/** Larger limits are left alone: what it takes to fill them is an attack. */
const RATE_MAX = 50;
const STREAMS_MAX = 64;
const IN_FLIGHT_MAX = 32;
/** More than twice the rate, for a target may let bursts through, and one more. */
const BURST_FACTOR = 4;
/** Requests that keep a target at work, for each it works on at once. */
const CROWD_FACTOR = 4;
const CROWD_MS = 5_000;
/** Reads that look at files and lists. */
const WORK = ['listAgents', 'getChanges', 'listSessions', 'listTodos'] as const;

export const LOAD_WAYS: Readonly<Record<string, Way>> = {
  rate_limited: {
    tier: 'load',
    alone: true,
    provoke: async (asked) => {
      const target = await withSmallRate(asked.target);
      const answer = await limited(target, () => asked.send(spoiled(asked.call()), target));
      const wait = Number(mustSayWhen(answer));
      if (target === asked.target) target.defer(() => seconds(wait));
      return answer;
    },
  },
  service_unavailable: {
    tier: 'load',
    alone: true,
    provoke: async (asked) => (asked.isStream ? refusedStream(asked) : refusedInCrowd(asked)),
  },
};

/** Asks until the limiter answers. Throws Broken when it does not. */
export const limited = async (target: Target, ask: () => Promise<Answer>): Promise<Answer> => {
  const first = await ask();
  if (first.status === 429) return first;
  const most = BURST_FACTOR * (target.limits.rate_limit + 1);
  const answers = await Promise.all(Array.from({ length: most }, ask));
  const refused = answers.find(({ status }) => status === 429);
  if (refused === undefined) {
    const came = answers.at(-1)!;
    throw new Broken(`${most} requests at once were none too many: the last was answered ${came.status} ${came.code}`);
  }
  return refused;
};

/** The value of Retry-After. Throws Broken unless it is a positive whole number. */
export const mustSayWhen = ({ status, headers }: Answer): string => {
  const after = headers['retry-after'];
  must(after !== undefined && /^[1-9]\d*$/.test(after), `${status} came with Retry-After: ${after ?? '(none)'}`);
  return after;
};

export const seconds = (wait: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, wait * 1_000));

export const withSmallRate = async (target: Target): Promise<Target> =>
  withSmall(target, 'rate_limited', 'rate_limit', RATE_MAX);

export const withFewStreams = (target: Target): Promise<Target> =>
  withSmall(target, 'small_limits', 'max_streams_per_ip', STREAMS_MAX);

export const withFewAtOnce = (target: Target): Promise<Target> =>
  withSmall(target, 'small_limits', 'max_in_flight', IN_FLIGHT_MAX);

const withSmall = async (
  target: Target,
  state: 'rate_limited' | 'small_limits',
  limit: keyof Target['limits'],
  max: number,
): Promise<Target> => {
  const small = (await target.inStateIfOffered(state)) ?? target;
  const declared = small.limits[limit];
  if (declared === 0 || declared > max) {
    throw new Untestable(`needs the state ${state} (see --driver), or limits.${limit} declared from 1 to ${max}`);
  }
  return small;
};

/** Opens every stream a client may have. The streams of earlier cases may still be closing. */
export const fillStreams = async (target: Target): Promise<{ close(): void }> => {
  const streams: { close(): void }[] = [];
  for (let open = 0; open < target.limits.max_streams_per_ip; open += 1) {
    const opened = await target.until('a place for a stream', () =>
      target.stream('streamChanges').catch(() => undefined),
    );
    streams.push(opened);
  }
  return { close: () => streams.forEach((stream) => stream.close()) };
};

const refusedStream = async (asked: Asked): Promise<Answer> => {
  const target = await withFewStreams(asked.target);
  await fillStreams(target);
  return asked.send(asked.call(), target);
};

const refusedInCrowd = async (asked: Asked): Promise<Answer> => {
  const target = await withFewAtOnce(asked.target);
  const leave = crowd(target);
  try {
    return await refused(() => asked.send(spoiled(asked.call()), target));
  } finally {
    await leave();
  }
};

/** Asks until it is refused for want of a place. Throws Broken when it is let through every time. */
export const refused = async (ask: () => Promise<Answer>): Promise<Answer> => {
  const deadline = Date.now() + CROWD_MS;
  for (;;) {
    const answer = await ask();
    if (answer.status !== 400) return answer;
    if (Date.now() > deadline) throw new Broken(`nothing was refused in ${CROWD_MS} ms of more work than the limit`);
  }
};

/** Keeps the target at work until it is told to leave. What it asks is not noted: it is not what the case is about. */
export const crowd = (target: Target): (() => Promise<void>) => {
  let isOver = false;
  const visit = async (_: unknown, index: number): Promise<void> => {
    const work = WORK[index % WORK.length]!;
    while (!isOver) await target.setting.client.call(work);
  };
  const visitors = Array.from({ length: CROWD_FACTOR * (target.limits.max_in_flight + 1) }, visit);
  const gone = Promise.allSettled(visitors);
  return async () => {
    isOver = true;
    await gone;
  };
};
