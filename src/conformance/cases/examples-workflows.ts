/** Replays of the documented examples about workflows. */
import type { Replay, Replays } from './examples-replay.js';
import type { Body, Scene } from './examples-scene.js';

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
};
