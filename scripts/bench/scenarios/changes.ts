/**
 * Change tokens over long lists: a reading with nothing changing at 100, 10,000 and 100,000 todos, shared and not; how
 * many todos are created a second; and what a stream costs in memory and CPU while nothing changes.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'libsql';
import type { Bench, Scenario } from '../bench.js';
import type { Daemon } from '../daemon.js';
import { HttpCaller } from '../http-caller.js';
import { load, median } from '../load.js';
import { cpuMs, memoryMiB } from '../processes.js';

const TODOS = [100, 10_000, 100_000];
const WRITERS = 16;
const WRITES = 1_000;
const API = '/api/v1/agent';
/** A reading is shared for a second. */
const STALE_MS = 1_010;
const FRESH_READINGS = 10;
const STREAMS = 2_000;
const IDLE_MS = 6_000;

export const changes: Scenario = {
  name: 'changes',
  run: (bench) =>
    bench.withTargets({ names: ['daemon'] }, async ({ daemon }) => {
      if (daemon) await bench.attempt('daemon', () => measure(bench, daemon));
    }),
};

async function measure(bench: Bench, daemon: Daemon): Promise<void> {
  const callers = Array.from({ length: WRITERS }, () => new HttpCaller(daemon.port));
  const [caller] = callers as [HttpCaller];
  const create = caller.request('POST', `${API}/todos`, JSON.stringify({ title: 'a todo', cwd: daemon.dataDir }));
  const asks = callers.map((one) => async () => {
    const { status } = await one.ask(create);
    return () => status === 201;
  });
  const written = await load(asks, bench.windowMs, WRITES);
  bench.record('daemon', `todos created, ${WRITERS} callers`, 'a second', written.perSecond);

  const read = caller.request('GET', `${API}/changes`);
  for (const count of TODOS) {
    fill(join(daemon.dataDir, 'lists.sqlite'), count);
    const fresh: number[] = [];
    for (let reading = 0; reading < FRESH_READINGS; reading += 1) {
      await pause(STALE_MS);
      const sentAt = performance.now();
      const { status } = await caller.ask(read);
      if (status !== 200) throw new Error(`unexpected answer: ${status}`);
      fresh.push(performance.now() - sentAt);
    }
    bench.record('daemon', `GET /changes read anew, ${count} todos, p50`, 'ms', median(fresh));
    const askOne = async () => {
      const { status } = await caller.ask(read);
      return () => status === 200;
    };
    bench.record('daemon', `GET /changes, ${count} todos, p50`, 'ms', (await load([askOne], bench.windowMs)).p50Ms);
  }
  for (const one of callers) one.close();

  const before = memoryMiB(daemon.pid).now;
  const streams = await openStreams(daemon.port);
  await pause(IDLE_MS);
  bench.record('daemon', 'memory of a stream', 'KiB', ((memoryMiB(daemon.pid).now - before) * 1_024) / STREAMS);
  const cpuBefore = cpuMs(daemon.pid);
  await pause(IDLE_MS);
  const share = ((cpuMs(daemon.pid) - cpuBefore) / IDLE_MS) * 100;
  bench.record('daemon', `CPU of ${STREAMS} streams, nothing changing`, '% of a core', share);
  for (const stream of streams) stream.destroy();
}

/** Copies of the newest todo until there are `count`, made in the file: through the API it would take minutes. */
function fill(path: string, count: number): void {
  const file = new Sqlite(path);
  file.pragma('busy_timeout = 5000');
  file
    .prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       insert into todos
       select 'fill_' || ? || '_' || i, account, realm, cwd, config_dir, num + i, state, priority, rank, archived_at,
         closed_at, search_text, document
       from n, (select * from todos order by num desc limit 1)
       where i <= ? - (select count(*) from todos)`,
    )
    .run([count, count, count]);
  file.close();
}

/** Streams of the same scope, each past its first frame. */
async function openStreams(port: number): Promise<Socket[]> {
  const streams: Socket[] = [];
  for (let opened = 0; opened < STREAMS; opened += 1) {
    const socket = connect({ port, host: '127.0.0.1' });
    await once(socket, 'connect');
    socket.write(`GET ${API}/changes/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    if (!first.toString().startsWith('HTTP/1.1 200')) throw new Error('a stream was refused');
    streams.push(socket);
  }
  return streams;
}
