/** A run as lines for a person: what did not pass and why, the counts, the requirements, and the denominator last. */
import type { CaseResult, RunResult } from '../runner.js';
import { OUTCOMES } from '../runner.js';
import { denominatorOf, requirementsLineOf, type Summary } from './summary.js';

/** Untestable cases often share one reason; they are told once for each reason. */
const EXAMPLES_MAX = 3;

export const consoleLines = ({ results, leftovers }: RunResult, summary: Summary): string[] => {
  const lines: string[] = [];
  for (const { id, outcome, reasons } of results) {
    if (outcome !== 'fail' && outcome !== 'error' && outcome !== 'warn') continue;
    lines.push(`${outcome.toUpperCase().padEnd(5)} ${id}`, ...reasons.map((reason) => `      ${reason}`));
  }
  for (const [reason, cases] of byReason(results.filter(({ outcome }) => outcome === 'untestable'))) {
    const some = cases.slice(0, EXAMPLES_MAX).map(({ id }) => id);
    const more = cases.length > EXAMPLES_MAX ? ` and ${cases.length - EXAMPLES_MAX} more` : '';
    lines.push(`UNTESTABLE: ${reason}`, `      ${some.join(', ')}${more}`);
  }
  for (const leftover of leftovers) lines.push(`LEFTOVER ${leftover}`);
  for (const [tier, counts] of Object.entries(summary.byTier)) {
    const parts = OUTCOMES.filter((outcome) => counts[outcome] > 0).map((outcome) => `${counts[outcome]} ${outcome}`);
    lines.push(`${tier.padEnd(8)} ${parts.join(', ')}`);
  }
  return [...lines, requirementsLineOf(summary), denominatorOf(summary)];
};

const byReason = (results: readonly CaseResult[]): Map<string, CaseResult[]> => {
  const groups = new Map<string, CaseResult[]>();
  for (const result of results) {
    const reason = result.reasons[0] ?? '';
    groups.set(reason, [...(groups.get(reason) ?? []), result]);
  }
  return groups;
};
