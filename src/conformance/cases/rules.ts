/**
 * A case for each row of `openapi/requirements.yaml` that can be seen from outside: `rule/` and the id of the row, with
 * its level and its text. What cannot be seen over HTTP says so in the row itself (`unseen`), and is counted as such.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type Case, type Level, NotApplicable, type Tier } from '../check.js';
import type { Target } from '../target.js';

export interface Requirement {
  readonly id: string;
  readonly level: Level;
  readonly text: string;
  /** Why no caller can tell whether it holds. */
  readonly unseen?: string;
}

export type Rule =
  | Case['run']
  | (Partial<Pick<Case, 'tier' | 'features' | 'slow' | 'alone'>> & { readonly run: (target: Target) => Promise<void> });

/** By the id of the requirement. */
export type Rules = Readonly<Record<string, Rule>>;

/** The rows this package was released with. */
export const releasedRequirements = (): readonly Requirement[] =>
  parse(readFileSync(new URL('../../../openapi/requirements.yaml', import.meta.url), 'utf8')) as Requirement[];

/** Throws when a rule has no row: a mistake in the suite. */
export const ruleCases = (rules: Rules, rows: readonly Requirement[] = releasedRequirements()): Case[] => {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return Object.entries(rules).map(([id, rule]) => {
    const row = byId.get(id);
    if (row === undefined) throw new Error(`no requirement has the id ${id}`);
    const { run, tier = 'request', features = [], ...more } = typeof rule === 'function' ? { run: rule } : rule;
    return {
      id: `rule/${id}`,
      title: row.text,
      level: row.level,
      tier: tier satisfies Tier,
      features,
      ...more,
      run: async (target) => {
        if (target.setting.capabilities.mock) throw new NotApplicable('a mock keeps no state, and so no rule');
        await run(target);
      },
    };
  });
};
