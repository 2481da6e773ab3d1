/**
 * Random changes of sessions and todos in several folders and realms, while clients that follow the page watch some of
 * them over connections that break. After every few changes each client must show what the lists say.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FakeClock } from '../fakes/clock.js';
import type { Answer, TestDaemon } from '../harness.js';
import { until } from '../processes.js';
import { ChangesClient } from './changes-client.js';

/** Two re-reads: one may have been shared with a reading from before the change. */
const LATEST_MS = 4_000;
const STEP_MS = 500;
const CHANGES_A_ROUND = 5;
const REALM = 'b'.repeat(24);
/** Enough for everything to happen to some, few enough to list quickly. */
const KEPT_MAX = 12;

/** The same numbers for the same seed. */
export const dice = (seed: number) => {
  let state = seed;
  return (sides: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    mixed ^= mixed >>> 15;
    return (mixed >>> 0) % sides;
  };
};

interface Thing {
  readonly id: string;
  readonly headers: Record<string, string>;
}

export interface Churned {
  readonly changes: number;
  readonly disconnects: number;
  readonly listings: number;
}

/** Rejects when a client shows something else than the lists say. */
export const churn = async (daemon: TestDaemon, clock: FakeClock, changes: number, seed: number): Promise<Churned> => {
  const roll = dice(seed);
  const folders = ['one', 'two'].map((name) => join(daemon.folder, name));
  for (const folder of folders) mkdirSync(folder);
  const scopes = [{}, { 'x-hoody-cwd': folders[0]! }, { 'x-hoody-realm': REALM }];
  const lists = { todos: '/todos?all=true', sessions: '/sessions' };
  const clients = scopes.map((headers) => new ChangesClient(daemon.baseUrl, lists, headers));
  for (const client of clients) client.start();

  const todos: Thing[] = [];
  const sessions: Thing[] = [];
  const ask = async (method: string, path: string, thing: Pick<Thing, 'headers'>, body?: object): Promise<Answer> => {
    const answer = await daemon.request(method, path, { headers: thing.headers, ...(body && { body }) });
    if (answer.status >= 500) throw new Error(`${method} ${path}: ${answer.status}`);
    return answer;
  };
  const create = async (): Promise<void> => {
    const headers = { 'x-hoody-cwd': folders[roll(2)]!, ...(roll(4) === 0 && { 'x-hoody-realm': REALM }) };
    if (roll(2) === 0) {
      const { body } = await ask('POST', '/todos', { headers }, { title: `todo ${roll(1_000)}` });
      todos.push({ id: body.todo.id, headers });
    } else {
      const { body } = await ask('POST', '/sessions', { headers }, {});
      sessions.push({ id: body.session_id, headers });
    }
  };
  const changeTodo = async (thing: Thing): Promise<void> => {
    const path = `/todos/${thing.id}`;
    const { revision } = (await ask('GET', path, thing)).body.todo;
    const kind = roll(5);
    if (kind === 0) await ask('POST', `${path}/messages`, thing, { text: 'hm' });
    else if (kind === 1) await ask('PATCH', path, thing, { revision, state: ['ready', 'blocked', 'inbox'][roll(3)] });
    else if (kind === 2) await ask('PATCH', path, thing, { revision, cwd: folders[roll(2)] });
    else if (kind === 3) await ask('POST', `${path}/snooze`, thing, { revision, wake_at: '' });
    else await ask('PATCH', path, thing, { revision, title: `title ${roll(1_000)}` });
  };
  const changeSession = async (thing: Thing): Promise<void> => {
    const path = `/sessions/${thing.id}`;
    const kind = roll(4);
    if (kind === 0) await ask('PATCH', path, thing, { name: `name ${roll(1_000)}` });
    else if (kind === 1) await ask('POST', `${path}/close`, thing);
    else if (kind === 2) await ask('POST', '/sessions', thing, { attach: thing.id });
    else await ask('POST', `${path}/tools/list_dir/run`, thing, { params: { path: '.' } });
  };
  const change = async (): Promise<void> => {
    const all = [...todos, ...sessions];
    if (all.length < 4 || (all.length < KEPT_MAX && roll(6) === 0)) return create();
    if (sessions.length > 0 && roll(12) === 0) {
      const [gone] = sessions.splice(roll(sessions.length), 1);
      await ask('DELETE', `/sessions/${gone!.id}?hard=true`, gone!);
      return;
    }
    const thing = all[roll(all.length)]!;
    return todos.includes(thing) ? changeTodo(thing) : changeSession(thing);
  };

  let disconnects = 0;
  for (let done = 0; done < changes; done += CHANGES_A_ROUND) {
    for (let step = 0; step < CHANGES_A_ROUND; step += 1) {
      await change();
      await clock.advance(roll(3_000));
      if (roll(4) === 0) {
        clients[roll(clients.length)]!.disconnect();
        disconnects += 1;
      }
    }
    await clock.advance(LATEST_MS);
    for (const [index, client] of clients.entries()) {
      for (const [topic, path] of Object.entries(lists)) {
        const { items } = (await ask('GET', path, { headers: scopes[index]! })).body;
        // A client whose connection broke late comes back late: its own re-read is still to come.
        await until(async () => {
          if (JSON.stringify(client.shown[topic]) === JSON.stringify(items)) return true;
          await clock.advance(STEP_MS);
          return false;
        });
      }
    }
  }
  for (const client of clients) await client.stop();
  return { changes, disconnects, listings: clients.reduce((sum, { listings }) => sum + listings, 0) };
};
