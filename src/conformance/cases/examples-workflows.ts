/** Replays of the documented examples about workflows. */
import type { Replay, Replays } from './examples-replay.js';
import { type Body, inFolder, type Scene } from './examples-scene.js';

const WORKFLOW = ['summary', 'labels', 'step_count', 'entry_point', 'steps', 'params', 'hidden'];
const workflow = ['status', ...WORKFLOW.map((member) => `workflow.${member}`), 'definition'];

const deleteLater = ({ target }: Scene, name: string): void =>
  target.defer(() => target.call('deleteWorkflow', { path: { name } }));

/** The documented workflow under a name of the case's own. */
const stored = async (scene: Scene): Promise<string> => {
  const name = scene.target.name('workflow');
  const body = scene.target.contract.operation('setWorkflow').requestExample as Body;
  await scene.target.expect(200, 'setWorkflow', { path: { name }, body });
  deleteLater(scene, name);
  return name;
};

const STEP = ['step_id', 'tool', 'success', 'output'].map((member) => `run.steps.0.${member}`);
const RUN = ['status', 'current_idx', 'total_steps', 'last_step'].map((member) => `run.${member}`);

/** The text of the documented file. */
const TEXT = 'alpha';

const startable = async (scene: Scene) => {
  const { path: file, cwd } = await scene.file(TEXT);
  const { id } = await scene.target.session({ cwd });
  scene.target.defer(() => scene.target.call('cancelSession', { path: { id } }));
  return { file, cwd, path: { id, name: await stored(scene) }, body: { inputs: { file } } };
};

/** The documented run under way: its first step is done, and the second, a write, waits to be confirmed. */
const runUnderWay = async (scene: Scene) => {
  const { path, body, cwd, file } = await startable(scene);
  const { json } = await scene.target.expect(202, 'runSessionWorkflow', { path, body });
  const gate = await scene.waitingGate(path.id, cwd);
  return { session: path.id, cwd, file, run_id: json.run_id as string, gate };
};

const ofWorkflow = (literal: readonly string[], more: (scene: Scene) => object = () => ({})): Replay => ({
  literal,
  send: async (scene) => scene.send({ path: { name: await stored(scene) }, ...more(scene) }),
});

export const WORKFLOW_REPLAYS: Replays = {
  listWorkflows: {
    send: async (scene) => {
      await stored(scene);
      return scene.send();
    },
  },
  getWorkflow: ofWorkflow(workflow, () => ({ query: { include_revision: true } })),
  setWorkflow: {
    literal: workflow,
    send: async (scene) => {
      const name = scene.target.name('workflow');
      deleteLater(scene, name);
      return scene.send({ path: { name }, body: scene.body() });
    },
  },
  deleteWorkflow: ofWorkflow(['status']),
  hideWorkflow: ofWorkflow(workflow, (scene) => ({ body: scene.body() })),

  runSessionWorkflow: {
    send: async (scene) => {
      const { path, body } = await startable(scene);
      return scene.send({ path, body: scene.body(body) });
    },
  },
  listWorkflowRuns: {
    literal: ['items.0.total_steps'],
    send: async (scene) => scene.send({ headers: inFolder((await runUnderWay(scene)).cwd) }),
  },
  getWorkflowRun: {
    literal: [...RUN, 'run.current_step', ...STEP],
    send: async (scene) => scene.send({ path: { run_id: (await runUnderWay(scene)).run_id } }),
  },
  // Whether the step that was told to stop has ended by then is up to it.
  cancelWorkflowRun: {
    literal: ['run.status', 'run.total_steps', ...STEP],
    send: async (scene) => scene.send({ path: { run_id: (await runUnderWay(scene)).run_id } }),
  },
  confirmGate: {
    literal: ['status', 'resolved.outcome', 'resolved.decision'],
    send: async (scene) => {
      const { session, file, run_id, gate } = await runUnderWay(scene);
      const answer = await scene.send({ path: { id: session }, body: scene.body({ ...gate }) });
      await scene.until('the end of the run', async () => {
        const { json } = await scene.target.expect(200, 'getWorkflowRun', { path: { run_id } });
        return json.run.status !== 'running';
      });
      await scene.removeFileLater(`${file}.copy`);
      return answer;
    },
  },
};
