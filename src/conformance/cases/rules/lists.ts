/** Rules of the work lists: sessions, todos, agent definitions. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { must, mustEqual } from '../../check.js';
import type { CallArguments } from '../../client.js';
import { mustAnswer, type Target } from '../../target.js';
import type { Rules } from '../rules.js';

type Json = Record<string, any>;

class Todos {
  readonly target: Target;
  readonly cwd: string;

  private constructor(target: Target, cwd: string) {
    this.target = target;
    this.cwd = cwd;
  }

  static async open(target: Target): Promise<Todos> {
    return new Todos(target, await target.folder());
  }

  async create(more: Json = {}): Promise<Json> {
    const body = { title: this.target.name('todo'), cwd: this.cwd, ...more };
    const made = bare((await this.target.expect(201, 'createTodo', { body })).json);
    this.target.defer(() => this.archive(made['id']));
    return made;
  }

  async get(id: string): Promise<Json> {
    return bare((await this.target.expect(200, 'getTodo', { path: { id } })).json);
  }

  async update(todo: Json, change: Json): Promise<Json> {
    const body = { revision: todo['revision'], ...change };
    return bare((await this.target.expect(200, 'updateTodo', { path: { id: todo['id'] }, body })).json);
  }

  async archive(id: string): Promise<void> {
    const answer = await this.target.call('getTodo', { path: { id } });
    if (answer.status !== 200) return;
    await this.target.call('archiveTodo', { path: { id }, body: { revision: bare(answer.json)['revision'] } });
  }

  async list(query: NonNullable<CallArguments['query']>): Promise<string[]> {
    const { json } = await this.target.expect(200, 'listTodos', { query, headers: { 'x-hoody-cwd': this.cwd } });
    return json.items.map(({ id }: { id: string }) => id);
  }
}

/** Some answers have the todo under a member of its name. */
const bare = (json: Json): Json => json['todo'] ?? json;

/** Definitions live in an install of the case's own. */
const agents = async (target: Target) => {
  const install = await target.folder();
  const headers = { 'x-hoody-config-dir': install };
  return { install, headers };
};

export const listRules: Rules = {
  'store.sessions.records': async (target) => {
    const { id, cwd } = await target.session();
    await target.expect(200, 'closeSession', { path: { id } });
    const listed = async () => {
      const { json } = await target.expect(200, 'listSessions', { headers: { 'x-hoody-cwd': cwd } });
      return json.items.some((row: Json) => row['id'] === id);
    };
    must(await listed(), 'a closed session is not listed');
    const { json } = await target.expect(201, 'createSession', { body: { attach: id } });
    mustEqual(json.session_id, id, 'the id of the attached session');
    await target.expect(200, 'deleteSession', { path: { id }, query: { hard: true } });
    must(!(await listed()), 'an erased session is listed');
    await target.refused(404, 'not_found', 'createSession', { body: { attach: id } });
  },
  'store.text.unharmed': async (target) => {
    const todos = await Todos.open(target);
    for (const body of ['nul \u0000 in the middle', '🙂 ünï \u2028', ' \t\r\n ', "'; drop table todos; --"]) {
      const { id } = await todos.create({ body });
      mustEqual((await todos.get(id))['body'], body, 'the text');
    }
  },
  'todos.create.folder': async (target) => {
    await target.refused(400, 'bad_request', 'createTodo', { body: { title: 'x' } });
    const todos = await Todos.open(target);
    const missing = { title: 'x', cwd: join(todos.cwd, 'nowhere') };
    await target.refused(422, 'cwd_not_found', 'createTodo', { body: missing });
    const headers = { 'x-hoody-cwd': todos.cwd };
    const made = bare((await target.expect(201, 'createTodo', { body: { title: 'x' }, headers })).json);
    target.defer(() => todos.archive(made['id']));
    mustEqual(made['cwd'], todos.cwd, 'the folder');
  },
  'todos.update.revision': async (target) => {
    const todos = await Todos.open(target);
    const made = await todos.create();
    const updated = await todos.update(made, { title: 'second' });
    must(updated['revision'] !== made['revision'], 'the revision is the old one');
    const stale = { path: { id: made['id'] }, body: { revision: made['revision'], title: 'third' } };
    await target.refused(409, 'todo_conflict', 'updateTodo', stale);
    mustEqual((await todos.get(made['id']))['title'], 'second', 'the title');
  },
  'todos.state.moves': async (target) => {
    const todos = await Todos.open(target);
    let todo = await todos.create();
    mustEqual(todo['state'], 'inbox', 'the first state');
    for (const state of ['in_progress', 'review', 'done']) {
      const body = { revision: todo['revision'], state };
      await target.refused(400, 'bad_request', 'updateTodo', { path: { id: todo['id'] }, body });
    }
    for (const state of ['ready', 'blocked', 'inbox', 'dropped', 'ready']) {
      todo = await todos.update(todo, { state });
      mustEqual(todo['state'], state, 'the state');
    }
  },
  'todos.claim.one-at-a-time': async (target) => {
    const todos = await Todos.open(target);
    const made = await todos.create();
    const todo = await todos.update(made, { state: 'ready' });
    const [one, two] = [await target.session(), await target.session()];
    const claim = (session_id: string, revision: number) => ({
      path: { id: todo['id'] },
      body: { session_id, revision },
    });
    const claimed = bare((await target.expect(200, 'claimTodo', claim(one.id, todo['revision']))).json);
    mustEqual(claimed['state'], 'in_progress', 'the state of a claimed todo');
    const now = (await todos.get(todo['id']))['revision'];
    await target.refused(409, 'todo_conflict', 'claimTodo', claim(two.id, now));
    const release = (session_id: string) => ({ path: { id: todo['id'] }, body: { session_id, outcome: 'done' } });
    const refused = await target.call('releaseTodo', release(two.id));
    must(refused.status >= 400, 'a session that does not have it gave it back');
    await target.expect(200, 'releaseTodo', release(one.id));
  },
  'todos.archived.frozen': async (target) => {
    const todos = await Todos.open(target);
    const made = await todos.create();
    await todos.archive(made['id']);
    const { revision } = await todos.get(made['id']);
    await target.refused(400, 'bad_request', 'updateTodo', {
      path: { id: made['id'] },
      body: { revision, title: 'x' },
    });
  },
  'todos.timeline.complete': async (target) => {
    const todos = await Todos.open(target);
    const made = await todos.create();
    await todos.update(made, { title: 'renamed' });
    await target.expect(201, 'createTodoComment', { path: { id: made['id'] }, body: { text: 'said' } });
    const { json } = await target.expect(200, 'getTodo', { path: { id: made['id'] } });
    const timeline: Json[] = bare(json)['timeline'] ?? json.timeline;
    must(timeline.length >= 3, 'the timeline lacks changes');
    const times = timeline.map((event) => event['at'] ?? event['created_at'] ?? '');
    mustEqual(times, times.toSorted(), 'the order of the timeline');
    must(JSON.stringify(timeline.at(-1)).includes('said'), 'the last event is not the last change');
  },
  'todos.list.filters': async (target) => {
    const todos = await Todos.open(target);
    const word = target.name('word');
    const one = await todos.create({ title: `${word} one`, tags: ['a', 'b'] });
    const two = await todos.create({ title: `${word} two`, tags: ['a'] });
    await todos.update(two, { state: 'dropped' });
    const ids = [one['id'], two['id']];
    mustEqual((await todos.list({ query: word, all: true })).toSorted(), ids.toSorted(), 'by word');
    mustEqual(await todos.list({ query: word, tags: ['a', 'b'], all: true }), [ids[0]], 'by all of two tags');
    mustEqual(await todos.list({ query: word, states: 'dropped', all: true }), [ids[1]], 'by state');
    mustEqual(await todos.list({ query: word, open_only: true }), [ids[0]], 'open ones');
  },
  'todos.scope.one-answer': async (target) => {
    const todos = await Todos.open(target);
    const { id } = await todos.create();
    const headers = { 'x-hoody-realm': 'ef'.repeat(12) };
    const elsewhere = await target.call('getTodo', { path: { id }, headers });
    mustAnswer(elsewhere, 404, 'not_found');
    const unknown = await target.call('getTodo', { path: { id: 'todo_conformance_missing' }, headers });
    mustEqual(unknown.text, elsewhere.text, 'the answer for one that never was');
  },
  'todos.purge.ninety-days': async (target) => {
    const todos = await Todos.open(target);
    const made = await todos.create();
    await todos.archive(made['id']);
    await target.expect(200, 'purgeTodos', {});
    mustEqual((await todos.get(made['id']))['id'], made['id'], 'the id of what was archived just now');
  },
  'todos.tools.revision': async (target) => {
    const todos = await Todos.open(target);
    const { id: session } = await target.session({ cwd: todos.cwd });
    await target.expect(200, 'setSessionYolo', { path: { id: session }, body: { enabled: true } });
    const update = async (revision: number, title: string): Promise<Json> => {
      const body = { params: { action: 'update', id, revision, title } };
      return (await target.expect(200, 'runSessionTool', { path: { id: session, name: 'todo_write' }, body })).json;
    };
    const { id, revision: first } = await todos.create();
    mustEqual((await update(first, 'second'))['ok'], true, 'ok from the revision that was read');
    const current = (await todos.get(id))['revision'];
    const late = await update(first, 'third');
    mustEqual(late['is_error'], true, 'is_error from an earlier revision');
    must(late['output'].includes(`${current}`), 'the result does not say the current revision');
    mustEqual((await todos.get(id))['title'], 'second', 'the title');
  },

  'agents.source.revision': async (target) => {
    const { headers } = await agents(target);
    await target.expect(201, 'createAgent', { headers, body: { name: 'reader', system_prompt: 'Read.' } });
    const path = { name: 'reader' };
    const { json: first } = await target.expect(200, 'getAgentSource', { headers, path });
    const revision = first.revision ?? first.agent?.revision;
    const set = (content: string) => ({ headers, path, body: { content, expected_revision: revision } });
    await target.expect(200, 'setAgentSource', set(`${first.content}\nMore.\n`));
    await target.refused(409, 'revision_conflict', 'setAgentSource', set('Lost.'));
    const { json: now } = await target.expect(200, 'getAgentSource', { headers, path });
    mustEqual(now.content, `${first.content}\nMore.\n`, 'the text');
  },
  'agents.edit.rest-kept': async (target) => {
    const { headers } = await agents(target);
    await target.expect(201, 'createAgent', { headers, body: { name: 'keeper', system_prompt: 'Keep me.' } });
    const path = { name: 'keeper' };
    const { json: first } = await target.expect(200, 'getAgentSource', { headers, path });
    const content = '---\n# mine\ndescription: kept\nx_own: 1\nmodel: one\n---\nKeep me.\n';
    const revision = first.revision ?? first.agent?.revision;
    await target.expect(200, 'setAgentSource', { headers, path, body: { content, expected_revision: revision } });
    await target.expect(200, 'setAgentModel', { headers, path, body: { model: 'two' } });
    const { json: now } = await target.expect(200, 'getAgentSource', { headers, path });
    mustEqual(now.content, content.replace('model: one', 'model: two'), 'the text');
  },
  'agents.list.broken-named': async (target) => {
    const { headers, install } = await agents(target);
    await target.expect(201, 'createAgent', { headers, body: { name: 'good', system_prompt: 'x' } });
    const { json } = await target.expect(200, 'listAgents', { headers });
    const { path } = json.items.find((row: Json) => row['name'] === 'good');
    await writeFile(join(path, '..', 'broken.md'), '---\n: [\n---\nx');
    const { json: listed } = await target.expect(200, 'listAgents', { headers });
    must(
      listed.items.some((row: Json) => row['name'] === 'good'),
      'the good definition is not listed',
    );
    must(
      listed.warnings.some((warning: string) => warning.includes('broken')),
      'no warning names the file',
    );
    must(path.startsWith(install), 'the definition is not in the install of the header');
  },
  'agents.session.tools': async (target) => {
    const { headers, install } = await agents(target);
    const body = { name: 'narrow', frontmatter: { tools: ['read_file'] }, system_prompt: 'x' };
    await target.expect(201, 'createAgent', { headers, body });
    const { id } = await target.session({ config_dir: install, agent: 'narrow' });
    const { json } = await target.expect(200, 'listSessionTools', { path: { id } });
    mustEqual(
      json.items.map(({ name }: Json) => name),
      ['read_file'],
      'the tools of the session',
    );
    const cwd = await target.folder();
    const missing = await target.call('createSession', { body: { cwd, config_dir: install, agent: 'nobody' } });
    must(missing.status >= 400, 'a session was opened for a definition that is not there');
  },
};
