/**
 * The tool operations: catalogue, what a session may call, and a run inside a session. Every run becomes one ToolCall
 * for the runner.
 */
import { DaemonError } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json.js';
import type { Scope } from '../../domain/session.js';
import type { LiveSession, Sessions } from '../../services/sessions.js';
import type { ToolOutcome, ToolRunner } from '../../services/tool-runner.js';
import type { Handlers } from '../operation.js';
import { listWindow, sessionToolRow, toolResult, toolRow } from '../views.js';

type ToolHandlers = Pick<
  Handlers,
  'listTools' | 'getTool' | 'listReadOnlyTools' | 'listSessionTools' | 'listSessionMcpTools' | 'runSessionTool'
>;

export interface ToolHandlerDeps {
  readonly sessions: Sessions;
  readonly runner: ToolRunner;
}

/** Tool routes have no scope of their own: a session is found wherever the login may see it. */
const ANYWHERE: Scope = {
  realm: undefined,
  cwd: undefined,
  configDir: undefined,
  toolMode: undefined,
  dirScope: undefined,
};

export const toolHandlers = ({ sessions, runner }: ToolHandlerDeps): ToolHandlers => {
  /** The tools page names a missing session like any other missing resource. */
  const live = (id: string): LiveSession => {
    try {
      return sessions.live(id, ANYWHERE);
    } catch (error) {
      throw error instanceof DaemonError && error.code === 'not_found' ? new DaemonError('not_found') : error;
    }
  };

  return {
    listTools: ({ query }) => ({ status: 200, body: listWindow(runner.catalogue, query, toolRow) }),

    listReadOnlyTools: ({ query }) => {
      const readOnly = runner.catalogue.filter((tool) => tool.readOnly);
      return { status: 200, body: listWindow(readOnly, query, toolRow) };
    },

    getTool: ({ path }) => {
      const tool = runner.catalogue.find(({ name }) => name === path.name);
      if (!tool) throw new DaemonError('tool_not_found');
      return { status: 200, body: toolRow(tool) };
    },

    listSessionTools: ({ path, query }) => ({
      status: 200,
      body: listWindow(runner.tools(live(path.id)), query, sessionToolRow),
    }),

    listSessionMcpTools: ({ path, query }) => {
      const tools = runner.tools(live(path.id)).filter(({ source }) => source === 'mcp');
      return { status: 200, body: listWindow(tools, query, sessionToolRow) };
    },

    runSessionTool: async ({ path, query, body = {} }, context) => {
      const session = live(path.id);
      context.waiting();
      const outcome = await runner.run(
        { session, tool: path.name, sessionless: false, ...confirmation(query, body), params: paramsOf(body) },
        context.signal,
      );
      return { status: 200, body: toolResult(resultOf(outcome)) };
    },
  };
};

type Confirmation = { confirm?: boolean; confirm_token?: string };

const paramsOf = (body: { params?: object }): JsonObject => (body.params ?? {}) as JsonObject;

/** Body and query alias say the same thing or only one of them speaks. Throws bad_request when they differ. */
const confirmation = (query: Confirmation, body: Confirmation): { confirm?: boolean; confirmToken?: string } => {
  for (const field of ['confirm', 'confirm_token'] as const) {
    if (query[field] !== undefined && body[field] !== undefined && query[field] !== body[field]) {
      throw new DaemonError('bad_request', `${field}: the body and the query parameter say different things`);
    }
  }
  const confirm = body.confirm ?? query.confirm;
  const confirmToken = body.confirm_token ?? query.confirm_token;
  return { ...(confirm === undefined ? {} : { confirm }), ...(confirmToken === undefined ? {} : { confirmToken }) };
};

/** A parked confirmation is an error of the exchange, not a result. */
const resultOf = (outcome: ToolOutcome) => {
  if (outcome.kind === 'result') return outcome.result;
  throw new DaemonError('tool_needs_confirmation', undefined, {
    details: {
      tool: outcome.tool,
      params: outcome.params,
      confirm_token: outcome.confirmToken,
      reason: outcome.reasons.join('; '),
    },
  });
};
