/** What a session may do unasked, and stopping what it does. All of it needs a live session. */
import { DaemonError } from '../../domain/errors.js';
import type { Sessions } from '../../services/sessions.js';
import type { ToolRunner } from '../../services/tool-runner.js';
import type { Handlers } from '../operation.js';
import { approvalRules, approvalView } from '../views.js';

type ApprovalHandlers = Pick<
  Handlers,
  'setSessionYolo' | 'getSessionApproval' | 'setApprovalRule' | 'deleteApprovalRule' | 'cancelSession'
>;

export interface ApprovalHandlerDeps {
  readonly sessions: Sessions;
  readonly runner: ToolRunner;
}

export const approvalHandlers = ({ sessions, runner }: ApprovalHandlerDeps): ApprovalHandlers => ({
  setSessionYolo: ({ path, body }, { scope }) => {
    const { approval } = sessions.live(path.id, scope);
    approval.setYolo(body.enabled);
    return { status: 200, body: { status: 'ok', yolo: approval.yolo } };
  },

  getSessionApproval: ({ path }, { scope }) => ({
    status: 200,
    body: approvalView(sessions.live(path.id, scope).approval),
  }),

  setApprovalRule: ({ path, body }, { scope }) => {
    const session = sessions.live(path.id, scope);
    const { approval } = session;
    const name = runner.rulableName(session, path.tool);
    if (name === undefined) throw new DaemonError('tool_not_found');
    approval.setRule(name, body.decision);
    return { status: 200, body: { status: 'ok', rules: approvalRules(approval) } };
  },

  deleteApprovalRule: ({ path }, { scope }) => {
    const session = sessions.live(path.id, scope);
    const { approval } = session;
    // A rule goes even when its tool went before it.
    approval.deleteRule(runner.rulableName(session, path.tool) ?? path.tool);
    return { status: 200, body: { status: 'ok', rules: approvalRules(approval) } };
  },

  cancelSession: ({ path, query, body = {} }, { scope }) => {
    const { slot } = sessions.live(path.id, scope);
    if (query.turn_id !== undefined && body.turn_id !== undefined && query.turn_id !== body.turn_id) {
      throw new DaemonError('bad_request', 'turn_id: the body and the query parameter say different things');
    }
    const turn_id = body.turn_id ?? query.turn_id;
    // Nothing that runs here is a turn with an id, so a named one is not running.
    if (turn_id !== undefined) return { status: 200, body: { status: 'ok', turn_id, matched: false } };
    return { status: 200, body: { status: 'ok', matched: slot.abort() } };
  },
});
