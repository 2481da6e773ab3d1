/**
 * Tool membership: the tool is still in the session's effective set. The lookup at the start of a run has answered this
 * once; the gate catches a tool that was disabled or revoked while facts were gathered.
 */
import { ALLOW, deny, type Gate } from './verdict.js';

export const toolMembershipGate: Gate = ({ member, tool }) =>
  member ? ALLOW : deny('tool_not_found', `${tool} is no longer available in this session`);
