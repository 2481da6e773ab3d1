/** What a run came to: counts by outcome and tier, and how much of what is documented and required was exercised. */
import { releasedRequirements } from '../cases/rules.js';
import type { Contract } from '../contract.js';
import { type CaseResult, OUTCOMES, type Outcome, type RunResult } from '../runner.js';

export type Counts = Readonly<Record<Outcome, number>>;

export interface Summary {
  readonly total: Counts;
  readonly byTier: Readonly<Record<string, Counts>>;
  /** Of the error codes, examples and frames the contract documents one by one. */
  readonly documented: number;
  readonly exercised: number;
  readonly untestable: number;
  readonly notApplicable: number;
  /** The same of the error pairs alone. */
  readonly pairs: { readonly documented: number; readonly exercised: number };
  readonly requirements: RequirementCounts;
}

export interface RequirementCounts {
  readonly rows: number;
  readonly with_case: number;
  readonly exercised: number;
  /** No caller can tell whether they hold. */
  readonly unseen: number;
}

/** The target was really asked. */
const EXERCISED: readonly Outcome[] = ['pass', 'fail', 'warn'];

export const summaryOf = (contract: Contract, { results }: RunResult): Summary => {
  const byTier: Record<string, Counts> = {};
  for (const tier of new Set(results.map((result) => result.tier))) {
    byTier[tier] = countsOf(results.filter((result) => result.tier === tier));
  }
  const documented = contract.operations.flatMap((operation) => operation.documented);
  // Whether it counts or not, what came tells whether the target was asked.
  const byId = new Map(results.map(({ id, came, outcome }) => [id, came ?? outcome]));
  const outcomes = (kinds: readonly string[]) =>
    documented.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => byId.get(id));
  const all = outcomes(['error', 'example', 'frame']);
  const errors = outcomes(['error']);
  const rows = releasedRequirements();
  const rules = rows.map(({ id }) => byId.get(`rule/${id}`)).filter((outcome) => outcome !== undefined);
  const exercised = (each: readonly (Outcome | undefined)[]) =>
    each.filter((outcome) => outcome !== undefined && EXERCISED.includes(outcome)).length;
  return {
    total: countsOf(results),
    byTier,
    documented: all.length,
    exercised: exercised(all),
    untestable: all.filter((outcome) => outcome === 'untestable').length,
    notApplicable: all.filter((outcome) => outcome === 'not_applicable').length,
    pairs: { documented: errors.length, exercised: exercised(errors) },
    requirements: {
      rows: rows.length,
      with_case: rules.length,
      exercised: exercised(rules),
      unseen: rows.filter(({ unseen }) => unseen !== undefined).length,
    },
  };
};

const countsOf = (results: readonly CaseResult[]): Counts =>
  Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, results.filter((result) => result.outcome === outcome).length]),
  ) as Record<Outcome, number>;

/** The line before the last: how much of what a schema cannot say the run was about. */
export const requirementsLineOf = ({ requirements: { rows, with_case, exercised, unseen } }: Summary): string =>
  `${rows} requirements, ${with_case} with a case, ${exercised} exercised, ${unseen} that no caller can see`;

/** The last line of every report: how much of the contract the run was about. */
export const denominatorOf = ({ documented, exercised, untestable, notApplicable }: Summary): string => {
  const share = documented === 0 ? 0 : Math.floor((100 * exercised) / documented);
  return `${documented} documented, ${exercised} exercised (${share} %), ${untestable} untestable, ${notApplicable} not applicable`;
};
