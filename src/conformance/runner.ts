/**
 * Runs cases against a target and says how each went. It decides which cases run and in which order (a seeded shuffle,
 * then those that fill a limit, one at a time), gives each its own record of exchanges, and turns what happened into one
 * of the outcomes. It prints nothing.
 *
 * Invariant: every case that was selected has exactly one outcome, whatever it did.
 */
import picomatch from 'picomatch';
import { Broken, type Case, type Level, NotApplicable, type Tier, Untestable } from './check.js';
import type { Exchange } from './client.js';
import { type Setting, Target } from './target.js';

/**
 * `warn` is a failed SHOULD; `untestable` lacks a prerequisite; `not_applicable` is declined by the target; `disabled`
 * was asked for by the operator; `error` is the suite's own fault; `unscored` came into the suite after the requirement
 * set that is judged.
 */
export const OUTCOMES = [
  'pass',
  'fail',
  'warn',
  'untestable',
  'not_applicable',
  'disabled',
  'error',
  'unscored',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What no run fails for, whatever is scored. */
const HARMLESS: readonly Outcome[] = ['pass', 'not_applicable'];

export interface CaseResult {
  readonly id: string;
  readonly title: string;
  readonly level: Case['level'];
  readonly tier: Tier;
  readonly outcome: Outcome;
  /** What an unscored case would have been. */
  readonly came?: Outcome;
  /** Why it is no pass; empty for a pass. */
  readonly reasons: readonly string[];
  readonly ms: number;
  readonly exchanges: readonly Exchange[];
}

export interface Selection {
  readonly tiers: ReadonlySet<Tier>;
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly slow: boolean;
}

export interface RunOptions {
  readonly selection: Selection;
  /** Ids that count, with the level they count at; undefined: all. A case outside it never fails a run. */
  readonly scored: ReadonlyMap<string, Level> | undefined;
  readonly seed: number;
  readonly concurrency: number;
  readonly caseTimeoutMs: number;
  readonly onResult?: (result: CaseResult) => void;
}

export interface RunResult {
  readonly results: readonly CaseResult[];
  /** What the run made and could not remove. */
  readonly leftovers: readonly string[];
}

/** Says why a case is left out; undefined of one that runs. */
export const leavingOut = ({ tiers, only, skip, slow }: Selection): ((each: Case) => string | undefined) => {
  const [isChosen, isSkipped] = [picomatch([...only]), picomatch([...skip])];
  return (each) => {
    if (only.length > 0 && !isChosen(each.id)) return 'not among --only';
    if (isSkipped(each.id)) return 'among --skip';
    if (!tiers.has(each.tier)) return `the tier ${each.tier} was not asked for`;
    if (each.slow === true && !slow && only.length === 0) return 'slow; ask for it with --slow';
    return undefined;
  };
};

export const runCases = async (cases: readonly Case[], setting: Setting, options: RunOptions): Promise<RunResult> => {
  const results: CaseResult[] = [];
  const leftovers: string[] = [];
  const note = (result: CaseResult): void => {
    results.push(result);
    options.onResult?.(result);
  };
  const waiting: Case[] = [];
  const leftOut = leavingOut(options.selection);
  for (const each of cases) {
    const reason = leftOut(each);
    if (reason === undefined) waiting.push(each);
    else note(resultOf(each, 'disabled', [reason], 0, []));
  }
  const { scored } = options;
  const run = async (each: Case): Promise<void> => {
    const level = scored?.get(each.id) ?? each.level;
    const result = await runCase({ ...each, level }, setting, options, leftovers);
    const { outcome, reasons } = result;
    const counts = scored === undefined || scored.has(each.id) || HARMLESS.includes(outcome);
    note(counts ? result : { ...result, outcome: 'unscored', came: outcome, reasons: [outcome, ...reasons] });
  };
  const shuffled = shuffle(waiting, options.seed);
  const together = shuffled.filter(({ alone }) => alone !== true);
  const worker = async (): Promise<void> => {
    for (let each = together.shift(); each !== undefined; each = together.shift()) await run(each);
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  for (const each of shuffled.filter(({ alone }) => alone === true)) await run(each);
  return { results, leftovers };
};

/** Runs one case by itself. */
export const runCase = async (
  each: Case,
  setting: Setting,
  { caseTimeoutMs }: Pick<RunOptions, 'caseTimeoutMs'>,
  leftovers: string[] = [],
): Promise<CaseResult> => {
  const declined = [each.id.split('/')[0]!, ...each.features].find(
    (feature) => setting.capabilities.features[feature] === false,
  );
  if (declined !== undefined) {
    return resultOf(each, 'not_applicable', [`the target does not claim ${declined}`], 0, []);
  }
  const exchanges: Exchange[] = [];
  const started = performance.now();
  const target = new Target(
    setting,
    setting.client.with({ journal: (exchange) => exchanges.push(exchange) }),
    leftovers,
  );
  let failure: unknown;
  try {
    await withDeadline(each.run(target), caseTimeoutMs);
  } catch (error) {
    failure = unreadable(error, exchanges) ?? error;
  }
  // How a case cleans up after itself is told only where the contract has something against it.
  const own = exchanges.length;
  await target.settle();
  const told = exchanges.filter(({ complaints }, index) => index < own || complaints.length > 0);
  const reasons = exchanges.flatMap(({ method, url, complaints }) =>
    complaints.map((said) => `${method} ${url}: ${said}`),
  );
  const outcome = outcomeOf(each, failure, reasons.length > 0);
  if (failure !== undefined) reasons.unshift(outcome === 'error' ? toldOf(failure) : (failure as Error).message);
  return resultOf(each, outcome, reasons, performance.now() - started, told);
};

/** A fault of the suite, with the place in it. */
const toldOf = (failure: unknown): string =>
  failure instanceof Error ? (failure.stack ?? failure.message).split('\n').slice(0, 2).join('') : String(failure);

const outcomeOf = (each: Case, failure: unknown, hasComplaints: boolean): Outcome => {
  if (failure === undefined && !hasComplaints) return 'pass';
  if (failure === undefined || failure instanceof Broken)
    return each.level === 'MUST' || hasComplaints ? 'fail' : 'warn';
  // What the target got wrong on the way counts more than what was missing.
  if (hasComplaints) return 'fail';
  if (failure instanceof Untestable) return 'untestable';
  return failure instanceof NotApplicable ? 'not_applicable' : 'error';
};

/**
 * A case that stumbles over an answer (a member of nothing, text that is no JSON) found something else than every answer
 * it was written for, so it is the target that is told. Stumbling without an answer is the suite's own fault, and so is
 * whatever Node itself refuses to do.
 */
const unreadable = (failure: unknown, exchanges: readonly Exchange[]): Broken | undefined => {
  const stumbled = (failure instanceof TypeError || failure instanceof SyntaxError) && !('code' in failure);
  const answered = exchanges.findLast(({ status }) => status !== 0);
  if (!stumbled || answered === undefined) return undefined;
  const { method, url, status } = answered;
  return new Broken(`the answers could not be read, the last ${status} to ${method} ${url}: ${failure.message}`);
};

const withDeadline = async (work: Promise<void>, ms: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Broken(`the case was not over within ${ms} ms`)), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
};

const resultOf = (
  { id, title, level, tier }: Case,
  outcome: Outcome,
  reasons: readonly string[],
  ms: number,
  exchanges: readonly Exchange[],
): CaseResult => ({ id, title, level, tier, outcome, reasons, ms: Math.round(ms), exchanges });

/** The same order for the same seed (mulberry32, Fisher and Yates). */
const shuffle = <T>(items: readonly T[], seed: number): T[] => {
  const shuffled = [...items];
  let state = seed >>> 0;
  const chance = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  for (let index = shuffled.length - 1; index > 0; index -= 1) {
    const other = Math.floor(chance() * (index + 1));
    [shuffled[index], shuffled[other]] = [shuffled[other]!, shuffled[index]!];
  }
  return shuffled;
};
