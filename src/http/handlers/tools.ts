/** The tool operations that only look: the catalogue, and what a session may call. Running is tool-runs.ts. */
import { DaemonError } from '../../domain/errors.js';
import { NO_SCOPE } from '../../domain/session.js';
import type { LiveSession, Sessions } from '../../services/sessions.js';
import type { ToolRunner } from '../../services/tool-runner.js';
import type { Handlers } from '../operation.js';
import { listWindow, sessionToolRow, toolRow } from '../views.js';

type ToolHandlers = Pick<
  Handlers,
  'listTools' | 'getTool' | 'listReadOnlyTools' | 'listSessionTools' | 'listSessionMcpTools'
>;

export interface ToolHandlerDeps {
  readonly sessions: Sessions;
  readonly runner: ToolRunner;
}

/** The tools page names a missing session like any other missing resource, and its routes have no scope. */
export const liveForTools = (sessions: Sessions, id: string): LiveSession => {
  try {
    return sessions.live(id, NO_SCOPE);
  } catch (error) {
    throw error instanceof DaemonError && error.code === 'not_found' ? new DaemonError('not_found') : error;
  }
};

export const toolHandlers = ({ sessions, runner }: ToolHandlerDeps): ToolHandlers => {
  const live = (id: string): LiveSession => liveForTools(sessions, id);

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
  };
};
