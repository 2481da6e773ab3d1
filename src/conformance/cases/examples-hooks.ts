/** Replays of the documented examples about tool-call rules. They are written to the project of the case's folder. */
import type { Answer } from '../client.js';
import type { Replays } from './examples-replay.js';
import { type Body, inFolder, type Scene, WRITE_ATTEMPTS } from './examples-scene.js';

const INTENT = { op: 'rules_set', scope: 'project' };

/** The rule of this layer is the last one: what the target has for its user comes before. */
const rule = (list: string): string[] =>
  ['id', 'text', 'kind', 'applies_as', 'scope'].map((member) => `${list}.-1.${member}`);

/** A write with a nonce and a revision of its own. `send` gets the members that guard it. */
const write = async (scene: Scene, session_id: string, send: (guard: Body) => Promise<Answer>): Promise<Answer> => {
  for (let attempt = 1; ; attempt += 1) {
    const { json } = await scene.target.expect(200, 'createHookWriteIntent', { body: { session_id, ...INTENT } });
    const answer = await send({
      session_id,
      nonce: json.nonce,
      scope: INTENT.scope,
      expected_revision: json.revision,
    });
    if (answer.code !== 'revision_conflict' || attempt === WRITE_ATTEMPTS) return answer;
  }
};

/** Writes the documented rule, for a tool that no other case calls. */
const withRule = async (scene: Scene, send: (body: Body) => Promise<Answer>) => {
  const { id: session, cwd } = await scene.target.session();
  const tool = `mcp__${scene.target.name('deploy')}__release`;
  const [documented] = (scene.target.contract.operation('setHookRules').requestExample as { rules: Body[] }).rules;
  scene.target.defer(() =>
    write(scene, session, (guard) => scene.target.call('setHookRules', { body: { ...guard, rules: [] } })),
  );
  const answer = await write(scene, session, (guard) => send({ ...guard, rules: [{ ...documented, tools: [tool] }] }));
  return { session, cwd, tool, answer };
};

const stored = (scene: Scene) => withRule(scene, (body) => scene.target.expect(200, 'setHookRules', { body }));

export const HOOK_REPLAYS: Replays = {
  getHookRules: {
    literal: rule('rules.live'),
    send: async (scene) => scene.send({ headers: inFolder((await stored(scene)).cwd) }),
  },
  setHookRules: {
    literal: ['status', ...rule('rules.live')],
    send: async (scene) => (await withRule(scene, (body) => scene.send({ body: scene.body(body) }))).answer,
  },
  createHookWriteIntent: {
    literal: ['status'],
    send: async (scene) => scene.send({ body: scene.body({ session_id: (await scene.target.session()).id }) }),
  },
  listApplicableRules: {
    literal: ['agent', 'read_only', 'active', 'prompt_off', ...rule('rules')],
    send: async (scene) => {
      const { session, tool } = await stored(scene);
      return scene.send({ path: { id: session }, query: { agent: scene.example.agent, tool } });
    },
  },
};
