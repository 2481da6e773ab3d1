/** Rules of the Change tokens page: the snapshot, what moves a token and what does not, the stream. */
import { must, mustEqual } from '../../check.js';
import type { Target } from '../../target.js';
import type { Rules } from '../rules.js';
import { stateOf } from './tool-folder.js';

const TOPICS = ['sessions', 'todos', 'workflow_runs', 'loops', 'tasks', 'gates', 'agents', 'rules'];

let lastRealm = 0;
/** A realm no other case works in. */
export const freshRealm = (target: Target): string => {
  lastRealm += 1;
  return `${target.setting.prefix.slice(3)}${'0'.repeat(16)}`.slice(0, 16) + lastRealm.toString(16).padStart(8, '0');
};
const within = (realm: string) => ({ headers: { 'x-hoody-realm': realm } });

/** One reading is shared for a second, so a case waits until it can tell. */
const SHARED_MS = 1_000;
const WITHIN_MS = 2_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const tokens = async (target: Target, realm: string): Promise<Record<string, string>> =>
  (await target.expect(200, 'getChanges', within(realm))).json.tokens;

/** Does something and waits for the topic to move. */
const moves = async (target: Target, realm: string, topic: string, act: () => Promise<unknown>): Promise<void> => {
  const before = (await tokens(target, realm))[topic];
  await act();
  await target.until(
    `a move of the token of ${topic}`,
    async () => (await tokens(target, realm))[topic] !== before,
    SHARED_MS + WITHIN_MS,
  );
};

const todo = async (target: Target, realm: string): Promise<{ id: string; revision: number }> => {
  const cwd = await target.folder();
  const { json } = await target.expect(201, 'createTodo', {
    ...within(realm),
    body: { title: target.name('todo'), cwd },
  });
  const made = json.todo ?? json;
  target.defer(async () => {
    const { json: now } = await target.call('getTodo', { ...within(realm), path: { id: made.id } });
    const revision = (now?.todo ?? now)?.revision ?? made.revision;
    await target.call('archiveTodo', { ...within(realm), path: { id: made.id }, body: { revision } });
  });
  return made;
};

export const changeRules: Rules = {
  'changes.topics.eight': async (target) => {
    const { json } = await target.expect(200, 'getChanges');
    must(typeof json.scope === 'string' && json.scope !== '', 'there is no scope');
    const told = [...Object.keys(json.tokens), ...Object.keys(json.unavailable ?? {})].toSorted();
    mustEqual(told, TOPICS.toSorted(), 'the topics');
  },
  'changes.scope.no-account': async (target) => {
    const status = (await target.expect(200, 'getAuthStatus')).json;
    const { json } = await target.expect(200, 'getChanges');
    if (status.account_id !== undefined) must(!json.scope.includes(status.account_id), 'the scope carries the account');
    const other = (await target.expect(200, 'getChanges', within(freshRealm(target)))).json;
    must(other.scope !== json.scope, 'two realms have one scope');
  },
  'changes.token.moves': async (target) => {
    const realm = freshRealm(target);
    const made = await todo(target, realm);
    await moves(target, realm, 'todos', () =>
      target.expect(200, 'updateTodo', {
        ...within(realm),
        path: { id: made.id },
        body: { revision: made.revision, title: 'x' },
      }),
    );
  },
  'changes.token.own-scope': async (target) => {
    const realm = freshRealm(target);
    const before = await tokens(target, realm);
    const elsewhere = freshRealm(target);
    await todo(target, elsewhere);
    await target.session({ realm: elsewhere });
    await pause(SHARED_MS + 100);
    mustEqual(await tokens(target, realm), before, 'the tokens after work in another realm');
  },
  'changes.token.no-clock': async (target) => {
    const realm = freshRealm(target);
    await todo(target, realm);
    await pause(SHARED_MS + 100);
    const before = await tokens(target, realm);
    await pause(SHARED_MS + 100);
    mustEqual(await tokens(target, realm), before, 'the tokens after a while');
  },
  'changes.sessions.turn': async (target) => {
    const realm = freshRealm(target);
    let id = '';
    await moves(target, realm, 'sessions', async () => ({ id } = await target.session({ realm })));
    await moves(target, realm, 'sessions', () =>
      target.expect(200, 'renameSession', { path: { id }, body: { name: 'renamed' } }),
    );
    await moves(target, realm, 'sessions', () => target.expect(200, 'closeSession', { path: { id } }));
  },
  'changes.todos.any': async (target) => {
    const realm = freshRealm(target);
    let made = { id: '', revision: 0 };
    await moves(target, realm, 'todos', async () => (made = await todo(target, realm)));
    await moves(target, realm, 'todos', () =>
      target.expect(201, 'createTodoComment', { ...within(realm), path: { id: made.id }, body: { text: 'x' } }),
    );
  },
  'changes.gates.parked': async (target) => {
    const realm = freshRealm(target);
    const { id } = await target.session({ realm });
    const call = { path: { id, name: 'ask_question_to_user' }, body: { params: { question: 'Which?' } } };
    const running = target.call('runSessionTool', call).catch(() => undefined);
    target.defer(async () => running);
    await moves(target, realm, 'gates', () => stateOf(target, id, 'parked')).catch(async (error: unknown) => {
      // Read before the gate was there, or after: either way it must move when it is resolved.
      if ((await tokens(target, realm))['gates'] === undefined) throw error;
    });
    await moves(target, realm, 'gates', () =>
      target.expect(200, 'answerGate', { path: { id }, body: { answer: 'x' } }),
    );
  },
  'changes.realm.default': async (target) => {
    const status = (await target.expect(200, 'getAuthStatus')).json;
    const active = status.realm?.id ?? 'global';
    const [plain, named] = [
      (await target.expect(200, 'getChanges')).json,
      (await target.expect(200, 'getChanges', within(active))).json,
    ];
    mustEqual(plain.scope, named.scope, 'the scope without a realm');
  },
  'changes.container.refused': async (target) => {
    const headers = { 'x-hoody-container': 'c1' };
    for (const operation of ['getChanges', 'streamChanges', 'listGates']) {
      await target.refused(400, 'realm_scope_unsupported', operation, { headers });
    }
  },
  'changes.stream.snapshot-first': async (target) => {
    const realm = freshRealm(target);
    const stream = await target.stream('streamChanges', within(realm));
    const { event, data } = await stream.next();
    mustEqual([event, Object.keys(data.tokens).length], ['snapshot', TOPICS.length], 'the first frame and its topics');
  },
  'changes.stream.changed': async (target) => {
    const realm = freshRealm(target);
    const stream = await target.stream('streamChanges', within(realm));
    const first = await stream.next('snapshot');
    await todo(target, realm);
    let frame = await stream.next('changed');
    while (frame.data.topic !== 'todos') frame = await stream.next('changed');
    must(frame.data.token !== first.data.tokens.todos, 'the token in the frame is the old one');
  },
  'changes.stream.no-ids': {
    slow: true,
    run: async (target) => {
      // A heartbeat fills a silence, so nothing may happen in the realm.
      const stream = await target.stream('streamChanges', within(freshRealm(target)));
      await stream.next('snapshot');
      await stream.comment(target.limits.heartbeat_ms * 1.5);
    },
  },
  'changes.stream.reconnect': async (target) => {
    const realm = freshRealm(target);
    const stream = await target.stream('streamChanges', within(realm));
    const before = (await stream.next('snapshot')).data.tokens;
    stream.close();
    await todo(target, realm);
    await pause(SHARED_MS + 100);
    const again = await target.stream('streamChanges', within(realm));
    const after = (await again.next('snapshot')).data.tokens;
    must(after.todos !== before.todos, 'the snapshot does not show what was missed');
    mustEqual(after.agents, before.agents, 'the token of a list that did not change');
  },
};
