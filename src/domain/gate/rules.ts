/**
 * Rules somebody set: an approval rule of the session that denies the tool, the tool-call rules of the settings, and the
 * server owner's wish to be asked about every call. A rule that allows is the business of write permission; it lifts none
 * of these. A tool-call rule that asks where nobody can answer denies by its own name.
 */
import { ALLOW, confirm, deny, type Gate } from './verdict.js';

export const rulesGate: Gate = ({ tool, approvalRule, requireConfirmation, rules, headless }) => {
  if (approvalRule === 'deny') return deny('denied_rule', `an approval rule of this session denies ${tool}`);
  const reasons = [
    ...rules,
    ...(requireConfirmation ? [`the server of ${tool} asks for a confirmation of every call`] : []),
  ];
  if (reasons.length === 0) return ALLOW;
  if (headless && rules.length > 0) {
    return deny('denied_rule', `${reasons.join('; ')} (this session is headless, so nobody can confirm it)`);
  }
  return confirm(reasons.join('; '));
};
