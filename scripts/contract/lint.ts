/**
 * Our own rules over the contract, beside Redocly's: what every generator can read, what the edge relies on, and what
 * keeps the lists and the files true to each other. Each rule is in rules/, and test/contract proves each can fail.
 */
import { errorRules } from './rules/errors.js';
import { exampleRules } from './rules/examples.js';
import { listRules } from './rules/lists.js';
import { operationRules } from './rules/operations.js';
import type { LintInput, Rule } from './rules/rule.js';
import { schemaRules } from './rules/schemas.js';
import { sourceRules } from './rules/sources.js';

export const RULES: readonly Rule[] = [
  ...sourceRules,
  ...schemaRules,
  ...operationRules,
  ...errorRules,
  ...exampleRules,
  ...listRules,
];

export interface Finding {
  readonly rule: string;
  readonly at: string;
  readonly message: string;
}

/** Everything that breaks a rule; empty for a good contract. */
export const lintContract = (input: LintInput): Finding[] =>
  RULES.flatMap(({ name, find }) => [...find(input)].map(([at, message]) => ({ rule: name, at, message })));
