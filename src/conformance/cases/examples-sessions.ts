/** Replays of the documented examples about the daemon itself, sessions and gates. */
import { inFolder, LONG_MS, type Scene } from './examples-scene.js';
import { plain, type Replays } from './examples-replay.js';

const POSTURE = ['tool_mode', 'dir_scope', 'headless'];
const started = POSTURE.map((member) => `started.${member}`);

/** A session as the contract documents one, in a folder of its own. */
const documentedSession = async ({ target }: Scene): Promise<string> => {
  const { cwd: _, ...body } = target.contract.operation('createSession').requestExample as Record<string, unknown>;
  return (await target.session(body)).id;
};

export const SESSION_REPLAYS: Replays = {
  getHealth: { ...plain, literal: ['status'] },
  getVersion: plain,
  getOpenapiJson: plain,
  getOpenapiYaml: plain,
  getDocs: plain,
  getAuthStatus: plain,

  createSession: {
    literal: started,
    send: async (scene) => {
      const answer = await scene.send({ body: scene.body({ cwd: await scene.target.anyFolder() }) });
      const id = answer.json?.session_id as string;
      scene.target.defer(() => scene.target.call('deleteSession', { path: { id }, query: { hard: true } }));
      return answer;
    },
  },
  listSessions: {
    send: async (scene) => {
      const { cwd } = await scene.target.session();
      return scene.send({ headers: inFolder(cwd) });
    },
  },
  listSessionCwds: {
    send: async (scene) => {
      await scene.target.session();
      return scene.send();
    },
  },
  getSession: {
    literal: ['attached', 'session.name', 'session.live', ...POSTURE.map((name) => `session.${name}`), ...started],
    send: async (scene) => scene.send({ path: { id: await documentedSession(scene) } }),
  },
  renameSession: {
    literal: ['status', 'name'],
    send: async (scene) => scene.send({ path: { id: (await scene.target.session()).id }, body: scene.body() }),
  },
  deleteSession: {
    literal: ['status', 'closed', 'hard'],
    send: async (scene) => scene.send({ path: { id: (await scene.target.session()).id } }),
  },
  closeSession: {
    literal: ['status'],
    send: async (scene) => scene.send({ path: { id: (await scene.target.session()).id } }),
  },
  getSessionState: {
    literal: ['live', 'state'],
    send: async (scene) => scene.send({ path: { id: (await scene.target.session()).id } }),
  },
  cancelSession: {
    literal: ['status', 'matched'],
    send: async (scene) => {
      const { session, server } = await scene.withServer();
      scene.startRun(session, server, 'sleep', { ms: LONG_MS });
      const path = { id: session };
      await scene.until('the run', async () => {
        return (await scene.target.expect(200, 'getSessionState', { path })).json.state === 'running';
      });
      // The run of a single tool is no turn and has no id.
      return scene.send({ path, body: {} });
    },
  },
  setSessionYolo: {
    literal: ['status', 'yolo'],
    send: async (scene) => scene.send({ path: { id: (await scene.target.session()).id }, body: scene.body() }),
  },
  getSessionApproval: {
    literal: ['mode', 'locked', 'yolo', 'auto_write', 'auto_dir_access', 'rules'],
    send: async (scene) => {
      const { id } = await scene.target.session();
      const [{ tool, decision }] = scene.example.rules;
      await scene.target.expect(200, 'setApprovalRule', { path: { id, tool }, body: { decision } });
      return scene.send({ path: { id } });
    },
  },
  setApprovalRule: {
    literal: ['status', 'rules'],
    send: async (scene) => {
      const { id } = await scene.target.session();
      return scene.send({ path: { id, tool: scene.example.rules[0].tool }, body: scene.body() });
    },
  },
  deleteApprovalRule: {
    literal: ['status', 'rules'],
    send: async (scene) => {
      const path = { id: (await scene.target.session()).id, tool: 'write_file' };
      await scene.target.expect(200, 'setApprovalRule', { path, body: { decision: 'allow' } });
      return scene.send({ path });
    },
  },

  listGates: {
    literal: ['items.0.kind', 'items.0.gate.type', 'items.0.gate.options', 'meta.page', 'meta.limit', 'meta.omitted'],
    send: async (scene) => {
      const { cwd } = await scene.parked();
      const { page, limit } = scene.example.meta;
      return scene.send({ query: { page, limit }, headers: inFolder(cwd) });
    },
  },
  answerGate: {
    literal: ['status', 'resolved.outcome'],
    send: async (scene) => {
      const { session, gate } = await scene.parked();
      return scene.send({ path: { id: session }, body: scene.body({ ...gate }) });
    },
  },
};
