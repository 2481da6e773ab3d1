/** Replays of the documented examples about work lists: todos, and agent definitions. */
import { plain, type Replay, type Replays } from './examples-replay.js';
import { type Body, inFolder, type Scene } from './examples-scene.js';

const TODO = ['title', 'body', 'state', 'priority', 'rank', 'tags', 'comment_count', 'attempts', 'needs_human'];
const todo = ['status', ...TODO.map((member) => `todo.${member}`)];

/** An example that changes a todo it needs in some state. */
const changedTodo = (before: (scene: Scene, id: string) => Promise<Body | void>, change: Body = {}): Replay => ({
  literal: todo,
  send: async (scene) => {
    const { id } = await scene.todo();
    const bound = await before(scene, id);
    const revision = await scene.revision(id);
    const named = 'revision' in scene.body() && { revision };
    return scene.send({ path: { id }, body: scene.body({ ...named, ...change, ...bound }) });
  },
});

const comment = async ({ target }: Scene, id: string): Promise<void> => {
  await target.expect(201, 'createTodoComment', { path: { id }, body: { text: 'A comment.' } });
};

/** Far enough from now to be still ahead when the suite is old. */
const IN_A_WEEK_MS = 7 * 86_400_000;

const AGENT = ['provenance', 'shadows_lower', 'description', 'tools', 'prompt_preview'].map((name) => `agent.${name}`);

/** An example that changes the documented definition. */
const changedAgent = (literal: readonly string[], bound?: (scene: Scene, cwd: string) => Body): Replay => ({
  literal: ['status', ...AGENT, ...literal],
  send: async (scene) => {
    const { name, cwd, headers } = await scene.agent();
    return scene.send({ path: { name }, headers, body: scene.body(bound?.(scene, cwd)) });
  },
});

/** A name of the case's own in place of the documented one; what has it then is removed. */
const newName = (scene: Scene, cwd: string): Body => {
  const new_name = scene.target.name('agent');
  scene.forgetAgent(new_name, cwd);
  return { new_name };
};

const source = async ({ target }: Scene, name: string, headers: Record<string, string>): Promise<string> =>
  (await target.expect(200, 'getAgentSource', { path: { name }, headers })).json.revision as string;

export const LIST_REPLAYS: Replays = {
  createTodo: {
    literal: todo,
    send: async (scene) => {
      const answer = await scene.send({ body: scene.body({ cwd: await scene.target.anyFolder() }) });
      scene.archiveLater(answer.json?.todo?.id);
      return answer;
    },
  },
  listTodos: {
    literal: ['items.0.title', 'items.0.body', 'items.0.priority', 'items.0.tags'],
    send: async (scene) => scene.send({ headers: inFolder((await scene.todo()).cwd) }),
  },
  getTodosRevision: plain,
  /** It erases for good, so it is asked to where nothing can be. */
  purgeTodos: {
    literal: ['status'],
    send: async (scene) => scene.send({ headers: inFolder(`/${scene.target.name('nowhere')}`) }),
  },
  getTodo: {
    literal: [...todo, 'timeline.0.kind', 'timeline.1.kind', 'timeline.1.fields', 'timeline.1.from', 'timeline.1.to'],
    send: async (scene) => {
      const { id } = await scene.todo();
      await scene.moveTodo(id, 'ready');
      return scene.send({ path: { id } });
    },
  },
  updateTodo: changedTodo(async () => undefined),
  claimTodo: changedTodo(async (scene, id) => {
    const { id: session_id } = await scene.target.session();
    await scene.moveTodo(id, 'ready');
    return { session_id };
  }),
  releaseTodo: changedTodo(async (scene, id) => ({ session_id: await scene.claim(id) })),
  createTodoComment: changedTodo((scene, id) => scene.moveTodo(id, 'ready')),
  snoozeTodo: changedTodo(async (scene, id) => {
    await scene.moveTodo(id, 'ready');
    await comment(scene, id);
    return { wake_at: new Date(Date.now() + IN_A_WEEK_MS).toISOString() };
  }),
  archiveTodo: changedTodo(async (scene, id) => {
    const session_id = await scene.claim(id);
    await scene.target.expect(200, 'releaseTodo', { path: { id }, body: { session_id, outcome: 'done' } });
    await scene.moveTodo(id, 'done');
    await comment(scene, id);
  }),

  listAgents: { send: async (scene) => scene.send({ headers: (await scene.agent()).headers }) },
  createAgent: {
    literal: ['status', ...AGENT],
    send: async (scene) => {
      const cwd = await scene.target.anyFolder();
      const name = scene.target.name('agent');
      scene.forgetAgent(name, cwd);
      return scene.send({ headers: inFolder(cwd), body: scene.body({ name }) });
    },
  },
  deleteAgent: {
    literal: ['status'],
    send: async (scene) => {
      const { name, headers } = await scene.agent();
      return scene.send({ path: { name }, headers });
    },
  },
  getAgentSource: {
    literal: ['content'],
    send: async (scene) => {
      const { name, headers } = await scene.agent();
      const body = { content: scene.example.content, expected_revision: await source(scene, name, headers) };
      await scene.target.expect(200, 'setAgentSource', { path: { name }, headers, body });
      return scene.send({ path: { name }, headers });
    },
  },
  setAgentSource: {
    literal: ['status', ...AGENT],
    send: async (scene) => {
      const { name, headers } = await scene.agent();
      const expected_revision = await source(scene, name, headers);
      return scene.send({ path: { name }, headers, body: scene.body({ expected_revision }) });
    },
  },
  copyAgent: changedAgent([], newName),
  renameAgent: changedAgent([], newName),
  setAgentModel: changedAgent(['agent.model']),
  setAgentTools: changedAgent([]),
  setAgentTurns: changedAgent(['agent.max_turns']),
};
