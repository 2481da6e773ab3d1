/** Replays of the documented examples about tools, jobs and change tokens. */
import type { Answer } from '../client.js';
import { plain, type Replay, type Replays } from './examples-replay.js';
import { inFolder, LONG_MS, type Scene } from './examples-scene.js';

const WINDOW = ['meta.page', 'meta.limit'];
const window = ({ example }: Scene) => ({ page: example.meta.page, limit: example.meta.limit });
const catalogue = (...literal: string[]): Replay => ({
  literal: [...WINDOW, ...literal],
  send: (scene) => scene.send({ query: window(scene) }),
});

/** A run of the documented tool on a file that has the documented text. */
const reading = (text: (scene: Scene) => string, literal: readonly string[]): Replay => ({
  literal,
  send: async (scene) => {
    const { cwd, path } = await scene.file(text(scene));
    return scene.send({ path: { name: 'read_file' }, headers: inFolder(cwd), body: scene.body({ params: { path } }) });
  },
});

/** A run that goes on until it is cancelled. */
const sleeping = { params: { command: `sleep ${LONG_MS / 1_000}` }, allow_mutations: true };

const finishedJob = async (scene: Scene): Promise<string> => {
  const { cwd, path } = await scene.file(scene.example.result?.output ?? '');
  const id = await scene.job('read_file', { params: { path } }, cwd);
  await scene.jobIs(id, 'succeeded', 'failed');
  return id;
};

const runningJob = async (scene: Scene): Promise<string> => {
  const id = await scene.job('bash', sleeping, await scene.target.anyFolder());
  await scene.jobIs(id, 'running');
  return id;
};

export const TOOL_REPLAYS: Replays = {
  listTools: catalogue(),
  listReadOnlyTools: catalogue('items.0.read_only'),
  getTool: { literal: ['name', 'read_only'], send: (scene) => scene.send({ path: { name: scene.example.name } }) },
  listSessionTools: {
    literal: WINDOW,
    send: async (scene) => scene.send({ path: { id: (await scene.target.session()).id }, query: window(scene) }),
  },
  listSessionMcpTools: {
    literal: WINDOW,
    send: async (scene) => scene.send({ path: { id: (await scene.withServer()).session }, query: window(scene) }),
  },
  runTool: reading(({ example }) => example.output, ['ok', 'output']),
  runToolAsync: reading(() => 'text', []),
  streamTool: reading(
    ({ example }) => JSON.parse(/^event: result\ndata: (.*)$/m.exec(example)![1]!).output,
    ['0.event', '0.data', '1.event', '1.data', '2.event', '2.data'],
  ),
  'streamTool:needs_confirmation': {
    literal: ['0', '1.event', '1.data.code', '1.data.message', '1.data.details.tool', '2'],
    send: async (scene) => scene.send(await guardedWrite(scene)),
  },
  'streamTool:error': {
    literal: ['0', '1.event', '1.data.code', '2'],
    send: (scene) => scene.send({ path: { name: 'no_such_tool' }, body: {} }),
  },
  runSessionTool: {
    literal: ['ok', 'output'],
    send: async (scene) => {
      const { cwd, path } = await scene.file(scene.example.output);
      const { id } = await scene.target.session({ cwd });
      return scene.send({ path: { id, name: 'read_file' }, body: scene.body({ params: { path } }) });
    },
  },

  getJob: {
    literal: ['kind', 'status', 'result.ok', 'result.output', 'error'],
    send: async (scene) => scene.send({ path: { id: await finishedJob(scene) } }),
  },
  'deleteJob:deleted': {
    literal: ['status', 'deleted'],
    send: async (scene) => scene.send({ path: { id: await finishedJob(scene) } }),
  },
  'deleteJob:canceled': {
    features: ['tools.bash'],
    literal: ['status', 'canceled'],
    send: async (scene) => scene.send({ path: { id: await runningJob(scene) } }),
  },
  'getJobResult:succeeded': {
    literal: ['status', 'result.ok', 'result.output', 'error'],
    send: async (scene) => scene.send({ path: { id: await finishedJob(scene) } }),
  },
  'getJobResult:failed': {
    literal: ['status', 'result', 'error.code', 'error.message', 'error.details.tool'],
    send: async (scene) => {
      const { headers, body, path } = await guardedWrite(scene);
      const id = await scene.job(path.name, body, headers['x-hoody-cwd']!);
      await scene.jobIs(id, 'failed');
      return scene.send({ path: { id } });
    },
  },
  'getJobResult:running': {
    features: ['tools.bash'],
    literal: ['status'],
    send: async (scene) => scene.send({ path: { id: await runningJob(scene) } }),
  },

  getChanges: plain,
  streamChanges: {
    literal: ['0.event', '1.event', '1.data.topic'],
    send: async (scene) => {
      const stream = await scene.stream();
      const frames = [await stream.next()];
      await scene.target.session();
      do frames[1] = await stream.next();
      while (!scene.isMock && frames[1].data?.topic !== 'sessions');
      return { status: 200, headers: stream.headers, json: frames, text: '', code: undefined } satisfies Answer;
    },
  },
};

/** A write that asks first, whatever permits it: to a file that decides who gets in. */
export const guardedWrite = async (scene: Scene) => {
  const cwd = await scene.target.anyFolder();
  const params = { path: `${cwd}/.env`, content: '...' };
  return { path: { name: 'write_file' }, headers: inFolder(cwd), body: { params, allow_mutations: true } };
};
