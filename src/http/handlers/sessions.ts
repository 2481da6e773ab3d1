/**
 * The session operations. Values to values: which requests get this far, and how a reply is written, is the edge's.
 */
import { DaemonError } from '../../domain/errors.js';
import type { Scope } from '../../domain/session.js';
import type { Sessions } from '../../services/sessions.js';
import type { Handlers } from '../operation.js';
import { checkPath, checkRealm } from '../scope.js';
import { listWindow, sessionPosture, sessionRow } from '../views.js';

type SessionHandlers = Pick<
  Handlers,
  | 'createSession'
  | 'listSessions'
  | 'getSession'
  | 'renameSession'
  | 'deleteSession'
  | 'closeSession'
  | 'getSessionState'
>;

export interface SessionHandlerDeps {
  readonly sessions: Sessions;
  /** Opaque; another value after a restart. */
  readonly epoch: string;
}

export const sessionHandlers = ({ sessions, epoch }: SessionHandlerDeps): SessionHandlers => {
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

    listSessions: ({ query }, { scope }) => ({
      status: 200,
      body: listWindow(sessions.list(scope), query, sessionRow),
    }),

    getSession: ({ path }, { scope }) => {
      const record = sessions.get(path.id, lookup(scope));
      const gate = record.live?.slot.pendingGate;
      return {
        status: 200,
        body: {
          session: sessionRow(record),
          attached: record.live !== null,
          started: sessionPosture(record.posture),
          ...(gate && { pending_gate: { ...gate } }),
        },
      };
    },

    renameSession: ({ path, body }, { scope }) => {
      const record = sessions.get(path.id, lookup(scope));
      record.name = body.name;
      return { status: 200, body: { status: 'ok', name: record.name } };
    },

    deleteSession: async ({ path, query }, context) => {
      const record = sessions.get(path.id, lookup(context.scope));
      const closed = record.live !== null;
      const hard = query.hard ?? false;
      context.waiting();
      await sessions.delete(record, hard);
      return { status: 200, body: { status: 'ok', closed, hard } };
    },

    closeSession: async ({ path }, context) => {
      const record = sessions.get(path.id, lookup(context.scope));
      context.waiting();
      await sessions.close(record);
      return { status: 200, body: { status: 'ok' } };
    },

    getSessionState: ({ path }, { scope }) => {
      const { live, posture } = sessions.get(path.id, lookup(scope));
      const gate = live?.slot.pendingGate;
      return {
        status: 200,
        body: {
          session_id: posture.sessionId,
          live: live !== null,
          epoch,
          state: live?.slot.state ?? 'closed',
          ...(gate && { pending_gate: { ...gate } }),
        },
      };
    },
  };
};
