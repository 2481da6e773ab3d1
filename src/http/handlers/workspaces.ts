/** The workspaces family: what the sessions of a folder have together. Only the resources wait, for servers. */
import type { Workspaces } from '../../services/workspaces.js';
import type { Handlers } from '../operation.js';
import { resourceRow, toolSchemaRow, workspaceToolRow } from '../views.js';

type WorkspaceHandlers = Pick<Handlers, 'listMcpResources' | 'listToolSchemas' | 'listToolIds' | 'listWorkspaceTools'>;

export const workspaceHandlers = ({ workspaces }: { readonly workspaces: Workspaces }): WorkspaceHandlers => ({
  listMcpResources: async ({ path, query }, context) => {
    context.waiting();
    const resources = await workspaces.resources(path.workspaceID, query.name);
    return {
      status: 200,
      body: Object.fromEntries([...resources].map(([key, resource]) => [key, resourceRow(resource)])),
    };
  },

  listToolSchemas: async ({ path, query }) => ({
    status: 200,
    body: (await workspaces.schemas(path.workspaceID, query.provider)).map(toolSchemaRow),
  }),

  listToolIds: async ({ path }) => ({ status: 200, body: await workspaces.ids(path.workspaceID) }),

  listWorkspaceTools: async ({ path }) => ({
    status: 200,
    body: (await workspaces.tools(path.workspaceID)).map(workspaceToolRow),
  }),
});
