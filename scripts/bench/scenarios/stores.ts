/**
 * The work lists on each store, SQLite and a PostgreSQL server of the run's own: todos created a second, a start over a
 * long list, and how long a change takes to be told by a stream, of the same daemon and of another on the same server.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Sqlite from 'libsql';
import pg from 'pg';
import { startPostgres, whyNoPostgres } from '../../../test/store/postgres.js';
import type { Bench, Scenario } from '../bench.js';
import { HttpCaller } from '../http-caller.js';
import { load, median } from '../load.js';
import { markedEnvironment, startListening } from '../processes.js';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const API = '/api/v1/agent';
const WRITERS = 16;
const WRITES = 500;
const TODOS = 100_000;
/** In this order, each of them once: so the first one meets a daemon that has answered nothing yet. */
const FIRST_ASKED = ['/changes', '/todos?limit=50', '/todos?limit=50&page=1000', '/todos'];
const CHANGES = 8;
/** Changes come at any point of a stream's rhythm. */
const CHANGE_EVERY_MS = 1_300;

export const stores: Scenario = {
  name: 'stores',
  run: async (bench) => {
    await bench.attempt('daemon', () => measure(bench, 'SQLite'));
    if (whyNoPostgres() !== undefined) return;
    const server = await startPostgres();
    try {
      await bench.attempt('daemon', () => measure(bench, 'PostgreSQL', server.url));
    } finally {
      await server.stop();
    }
  },
};

async function measure(bench: Bench, store: string, url?: string): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-stores-'));
  const start = (name: string) => {
    const args = [MAIN, 'serve', '--port', '0', '--http-rate-limit', '0', '--data-dir', join(dir, name)];
    const env = markedEnvironment({ HOME: dir });
    return startListening({ args: url === undefined ? args : [...args, '--store', url], env, cwd: dir });
  };
  let daemon = await start('one');
  const callers = Array.from({ length: WRITERS }, () => new HttpCaller(daemon.port));
  const create = callers[0]!.request('POST', `${API}/todos`, JSON.stringify({ title: 'a todo', cwd: dir }));
  const asks = callers.map((caller) => async () => {
    const { status } = await caller.ask(create);
    return () => status === 201;
  });
  const { perSecond } = await load(asks, bench.windowMs, WRITES);
  bench.record('daemon', `todos created in ${store}, ${WRITERS} callers`, 'a second', perSecond);

  const tell = async (port: number, name: string): Promise<void> => {
    const told = await tellTimes(port, () => callers[0]!.ask(create));
    bench.record('daemon', `change to frame, ${store}, ${name}, p50`, 'ms', median(told));
    bench.record('daemon', `change to frame, ${store}, ${name}, longest`, 'ms', Math.max(...told));
  };
  await tell(daemon.port, 'same daemon');
  if (url !== undefined) {
    const other = await start('two');
    await tell(other.port, 'another daemon');
    await other.stop();
  }
  for (const caller of callers) caller.close();
  await daemon.stop();
  await fill(url ?? join(dir, 'one', 'lists.sqlite'), url !== undefined);
  daemon = await start('one');
  bench.record('daemon', `start over ${TODOS} todos in ${store}`, 'ms', daemon.startMs);
  const first = new HttpCaller(daemon.port);
  for (const path of FIRST_ASKED) {
    const askedAt = performance.now();
    const { status } = await first.ask(first.request('GET', API + path));
    if (status !== 200) throw new Error(`${path} answers ${status}`);
    bench.record('daemon', `first GET ${path} after the start, ${store}`, 'ms', performance.now() - askedAt);
  }
  first.close();
  await daemon.stop();
  rmSync(dir, { recursive: true });
}

/** From the answer of each change to its frame in a stream. */
async function tellTimes(port: number, change: () => Promise<unknown>): Promise<number[]> {
  const stream = connect({ port, host: '127.0.0.1' });
  await once(stream, 'connect');
  stream.write(`GET ${API}/changes/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  await once(stream, 'data');
  const told: number[] = [];
  for (let n = 0; n < CHANGES; n += 1) {
    await pause(CHANGE_EVERY_MS + Math.random() * CHANGE_EVERY_MS);
    const frame = once(stream, 'data');
    await change();
    const changedAt = performance.now();
    await frame;
    told.push(Math.max(0, performance.now() - changedAt));
  }
  stream.destroy();
  return told;
}

/** Copies of the newest todo until there are enough, made in the database: through the API it would take minutes. */
async function fill(database: string, isServer: boolean): Promise<void> {
  const columns = 'account, realm, cwd, config_dir, num + i, state, priority, rank, archived_at, closed_at';
  const copies = `
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${TODOS})
    insert into todos select 'fill_' || i, ${columns}, search_text, document
    from n, (select * from todos order by num desc limit 1) as newest`;
  if (!isServer) {
    const file = new Sqlite(database);
    file.exec(copies);
    file.close();
    return;
  }
  const client = new pg.Client(database);
  await client.connect();
  await client.query(copies);
  await client.end();
}
