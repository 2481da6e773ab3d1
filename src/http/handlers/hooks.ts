/** The operations on tool-call rules. Values to values. */
import type { JsonObject } from '../../domain/json.js';
import type { Rules } from '../../services/rules.js';
import type { Sessions } from '../../services/sessions.js';
import type { Handlers } from '../operation.js';
import { applicableRules, ruleSet } from '../rule-views.js';

type HookHandlers = Pick<Handlers, 'getHookRules' | 'createHookWriteIntent' | 'setHookRules' | 'listApplicableRules'>;

export interface HookHandlerDeps {
  readonly sessions: Sessions;
  readonly rules: Rules;
}

export const hookHandlers = ({ sessions, rules }: HookHandlerDeps): HookHandlers => ({
  getHookRules: async (_input, { scope }) => ({ status: 200, body: { rules: ruleSet(await rules.read(scope)) } }),

  createHookWriteIntent: async ({ body }, { scope }) => {
    const session = sessions.live(body.session_id, scope);
    return { status: 200, body: { status: 'ok', ...(await rules.createWriteIntent(session, body.scope)) } };
  },

  setHookRules: async ({ body }, { scope }) => {
    const session = sessions.live(body.session_id, scope);
    const written = await rules.set(session, {
      nonce: body.nonce,
      scope: body.scope,
      rules: body.rules as readonly JsonObject[] | undefined,
      timeoutMs: body.timeout_ms,
      execTrust: body.exec_trust,
      expectedRevision: body.expected_revision,
    });
    const { path, revision } = written;
    return { status: 200, body: { status: 'ok', path, revision, rules: ruleSet(written.rules) } };
  },

  listApplicableRules: ({ path, query }, { scope }) => {
    const { agent, tool } = query;
    const applicable = rules.applies(sessions.live(path.id, scope), agent, tool);
    return { status: 200, body: applicableRules(applicable, tool) };
  },
});
