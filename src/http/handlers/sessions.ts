/**
 * The session operations. Values to values: which requests get this far, and how a reply is written, is the edge's.
 */
import { DaemonError } from '../../domain/errors.js';
import type { Scope } from '../../domain/session.js';
import type { Gates } from '../../services/gates.js';
import type { Sessions } from '../../services/sessions.js';
import type { Handlers } from '../operation.js';
import { checkPath, checkRealm } from '../scope.js';
import { gateView, listBody, sessionPosture, sessionRow, windowOf } from '../views.js';

type SessionHandlers = Pick<
  Handlers,
  | 'createSession'
  | 'listSessions'
  | 'listSessionCwds'
  | 'getSession'
  | 'renameSession'
  | 'deleteSession'
  | 'closeSession'
  | 'getSessionState'
>;

export interface SessionHandlerDeps {
  readonly sessions: Sessions;
  readonly gates: Gates;
  /** Opaque; another value after a restart. */
  readonly epoch: string;
}

export const sessionHandlers = ({ sessions, gates, epoch }: SessionHandlerDeps): SessionHandlers => {
  /** A session belongs to the folder it was opened in: on session routes the scope's folders were only form-checked. */
  const lookup = (scope: Scope): Scope => ({ ...scope, cwd: undefined, configDir: undefined });

  return {
    createSession: async ({ body = {} }, context) => {
      const { scope } = context;
      if (body.attach !== undefined) {
        const frozen = Object.keys(body).find((field) => field !== 'attach');
        if (frozen !== undefined) {
          throw new DaemonError(
            'bad_request',
            `${frozen}: a session keeps what it was opened with; attach stands alone`,
          );
        }
        const record = await sessions.attach(body.attach, lookup(scope));
        return {
          status: 201,
          body: { session_id: record.posture.sessionId, started: sessionPosture(record.posture) },
        };
      }
      context.waiting();
      const record = await sessions.open({
        realm: checkRealm('realm', body.realm) ?? scope.realm,
        cwd: checkPath('cwd', body.cwd) ?? scope.cwd,
        configDir: checkPath('config_dir', body.config_dir) ?? scope.configDir,
        toolMode: body.tool_mode ?? scope.toolMode,
        dirScope: body.dir_scope ?? scope.dirScope,
        headless: body.headless ?? false,
        agent: body.agent,
        name: body.name,
      });
      return { status: 201, body: { session_id: record.posture.sessionId, started: sessionPosture(record.posture) } };
    },

    listSessions: async ({ query }, { scope }) => {
      const window = windowOf(query);
      return { status: 200, body: listBody(await sessions.list(scope, window), window, sessionRow) };
    },

    listSessionCwds: async (_input, { scope }) => ({
      status: 200,
      body: { cwds: [...(await sessions.folders(scope))] },
    }),

    getSession: async ({ path }, { scope }) => {
      const record = await sessions.get(path.id, lookup(scope));
      const gate = record.live && gates.of(record.live);
      return {
        status: 200,
        body: {
          session: sessionRow(record),
          attached: record.live !== null,
          started: sessionPosture(record.posture),
          ...(gate && { pending_gate: gateView(gate) }),
        },
      };
    },

    renameSession: async ({ path, body }, { scope }) => {
      await sessions.rename(await sessions.get(path.id, lookup(scope)), body.name);
      return { status: 200, body: { status: 'ok', name: body.name } };
    },

    deleteSession: async ({ path, query }, context) => {
      const record = await sessions.get(path.id, lookup(context.scope));
      const closed = record.live !== null;
      const hard = query.hard ?? false;
      context.waiting();
      await sessions.delete(record, hard);
      return { status: 200, body: { status: 'ok', closed, hard } };
    },

    closeSession: async ({ path }, context) => {
      const record = await sessions.get(path.id, lookup(context.scope));
      context.waiting();
      await sessions.close(record);
      return { status: 200, body: { status: 'ok' } };
    },

    getSessionState: async ({ path }, { scope }) => {
      const { live, posture, isHeldElsewhere } = await sessions.get(path.id, lookup(scope));
      const gate = live && gates.of(live);
      return {
        status: 200,
        body: {
          session_id: posture.sessionId,
          live: live !== null,
          live_elsewhere: isHeldElsewhere,
          epoch,
          state: live?.slot.state ?? 'closed',
          ...(gate && { pending_gate: gateView(gate) }),
        },
      };
    },
  };
};
