/** Tool-call rules as wire objects, each named member by member. */
import { isChecked, PROMPT_BUDGET_BYTES, type EffectiveRules, type LiveRule } from '../domain/rules.js';
import type { ApplicableRules } from '../services/rules.js';

export const ruleSet = ({ live, timeoutMs, scopes, warnings, ruleWarnings, complete }: EffectiveRules) => ({
  live: live.map(liveRule),
  timeout_ms: timeoutMs,
  scopes: scopes.map(({ scope, revision }) => ({ scope, revision })),
  exec_trust: [],
  warnings: [...warnings],
  rule_warnings: [...ruleWarnings],
  rules_complete: complete,
});

export const applicableRules = (
  { agent, readOnly, rules, asks, complete, prompt }: ApplicableRules,
  tool: string | undefined,
) => ({
  ...(agent !== null && { agent }),
  ...(tool !== undefined && { tool }),
  read_only: readOnly,
  active: asks,
  count: rules.length,
  rules: rules.map(liveRule),
  prompt_off: false,
  prompt_bytes: prompt.bytes,
  prompt_budget_bytes: PROMPT_BUDGET_BYTES,
  prompt_over_budget: [...prompt.overBudget],
  ...(asks && { fail_closed_reason: complete ? 'jev_disabled' : 'rules_incomplete' }),
});

const liveRule = (rule: LiveRule) => ({
  id: rule.id,
  text: rule.text,
  kind: rule.kind,
  ...(rule.tools.length > 0 && { tools: [...rule.tools] }),
  ...(rule.agents.length > 0 && { agents: [...rule.agents] }),
  applies_as: isChecked(rule) ? 'checked' : 'prompt',
  scope: rule.scope,
  source: rule.source,
});
