/**
 * Rules somebody set: an approval rule of the session that denies the tool, and the server owner's wish to be asked about
 * every call. A rule that allows is the business of write permission; it lifts neither of these.
 */
import { ALLOW, confirm, deny, type Gate } from './verdict.js';

export const rulesGate: Gate = ({ tool, approvalRule, requireConfirmation }) => {
  if (approvalRule === 'deny') return deny('denied_rule', `an approval rule of this session denies ${tool}`);
  return requireConfirmation ? confirm(`the server of ${tool} asks for a confirmation of every call`) : ALLOW;
};
