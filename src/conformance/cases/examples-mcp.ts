/** Replays of the documented examples about MCP servers, and of what a workspace has from them. */
import type { Replay, Replays } from './examples-replay.js';
import type { Scene } from './examples-scene.js';

/** An example about an effective server of a session. */
const withServer = (send: (scene: Scene, session: string, server: string) => ReturnType<Replay['send']>): Replay => ({
  literal: ['status'],
  send: async (scene) => {
    const { session, server } = await scene.withServer();
    return send(scene, session, server);
  },
});

const inWorkspace = (query: Readonly<Record<string, string>> = {}): Replay => ({
  send: async (scene) => {
    const { workspace } = await scene.withServer();
    return scene.send({ path: { workspaceID: workspace }, query });
  },
});

export const MCP_REPLAYS: Replays = {
  listMcpServers: withServer((scene, session_id) => scene.send({ query: { session_id } })),
  upsertMcpServer: {
    literal: ['status'],
    send: async (scene) => {
      const { id } = await scene.target.session();
      const { type: _, command: __, args: ___, env, ...options } = scene.body()['server'] as Record<string, unknown>;
      const server = await scene.entry(options, 'child');
      const isChild = 'command' in server;
      const answer = await scene.write(id, 'upsert', (guard) =>
        scene.send({ body: scene.body({ ...guard, server: { ...server, ...(isChild && { env }) } }) }),
      );
      if (answer.status === 200) scene.removeLater(id, server.name);
      return answer;
    },
  },
  setMcpServerEnabled: withServer((scene, session, name) =>
    scene.write(session, 'set_enabled', (guard) => scene.send({ body: scene.body({ ...guard, name }) })),
  ),
  deleteMcpServer: {
    literal: ['status'],
    send: async (scene) => {
      const { id } = await scene.target.session();
      const server = await scene.entry({ enabled: false });
      const { name } = server;
      await scene.write(id, 'upsert', (guard) => scene.target.call('upsertMcpServer', { body: { ...guard, server } }));
      return scene.write(id, 'delete', (guard) => scene.send({ body: scene.body({ ...guard, name }) }));
    },
  },
  previewMcpImport: {
    literal: ['status', 'dialect', ...['name', 'type', 'command', 'args'].map((member) => `servers.0.${member}`)],
    send: async (scene) => {
      const { id } = await scene.target.session();
      return scene.send({ body: scene.body({ session_id: id }) });
    },
  },
  importMcpServers: {
    literal: ['status'],
    send: async (scene) => {
      const { id } = await scene.target.session();
      const { mcpServers } = JSON.parse(scene.body()['document'] as string);
      const name = scene.target.name('mcp');
      const document = JSON.stringify({ mcpServers: { [name]: mcpServers.filesystem } });
      const answer = await scene.write(id, 'import', (guard) =>
        scene.send({ body: scene.body({ ...guard, document }) }),
      );
      if (answer.status === 200) scene.removeLater(id, name);
      return answer;
    },
  },
  createMcpWriteIntent: {
    literal: ['status'],
    send: async (scene) => {
      const { id } = await scene.target.session();
      return scene.send({ body: scene.body({ session_id: id, scope: 'project' }) });
    },
  },
  reconnectMcp: withServer((scene, session_id) => scene.send({ body: scene.body({ session_id }) })),

  listMcpResources: inWorkspace(),
  listToolSchemas: inWorkspace({ provider: 'openai', model: 'some-model' }),
  listToolIds: inWorkspace(),
  listWorkspaceTools: inWorkspace(),
};
