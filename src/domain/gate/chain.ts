/**
 * The gates in their order, and the fold of their answers to one decision. Every gate is asked: a caller who has to
 * confirm learns all the reasons at once, and a late denial is never hidden behind an early question.
 */
import { denyListGate } from './deny-list.js';
import { dirScopeGate } from './dir-scope.js';
import { readBeforeEditGate } from './read-before-edit.js';
import { rulesGate } from './rules.js';
import { staticStakesGate } from './static-stakes.js';
import { toolMembershipGate } from './tool-membership.js';
import type { Decision, Gate, GateName, Question, Verdict } from './verdict.js';
import { writePermissionGate } from './write-permission.js';

export const GATES: readonly (readonly [GateName, Gate])[] = [
  ['deny_list', denyListGate],
  ['static_stakes', staticStakesGate],
  ['read_before_edit', readBeforeEditGate],
  ['dir_scope', dirScopeGate],
  ['write_permission', writePermissionGate],
  ['tool_membership', toolMembershipGate],
  ['rules', rulesGate],
];

export interface FoldStance {
  /** Nobody is there to answer. */
  readonly headless: boolean;
  /** A confirm token for exactly this call has been redeemed. */
  readonly confirmed: boolean;
}

/** One denial wins (the first in gate order names the code); then open confirmations, which headless denies. */
export const fold = (verdicts: readonly Verdict[], stance: FoldStance): Decision => {
  const denials = verdicts.filter((verdict) => verdict.kind === 'deny');
  if (denials[0]) return { kind: 'deny', code: denials[0].code, reasons: denials.map((denial) => denial.reason) };
  const reasons = verdicts.flatMap((verdict) => (verdict.kind === 'confirm' ? [verdict.reason] : []));
  if (reasons.length === 0) return { kind: 'allow' };
  if (stance.headless) return { kind: 'deny', code: 'denied_headless', reasons };
  return stance.confirmed ? { kind: 'allow' } : { kind: 'confirm', reasons };
};

/** What each gate says about one call, in their order. */
export const askGates = (question: Question): [GateName, Verdict][] =>
  GATES.map(([name, gate]) => [name, gate(question)]);

/** What the chain says about one call. */
export const judge = (question: Question, stance: FoldStance): Decision =>
  fold(
    askGates(question).map(([, verdict]) => verdict),
    stance,
  );
