/**
 * Kills the daemon in the middle of writes, again and again, on SQLite and on a PostgreSQL server of its own, and counts
 * what it had acknowledged and does not have any more: `npx tsx scripts/crash-todos.ts [writes]`. Exits 1 when any is lost.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres, whyNoPostgres } from '../test/store/postgres.js';

const WRITES_DEFAULT = 1_000;
const WRITERS = 8;
/** The kill falls after some of so many writes. */
const WRITES_A_LIFE = 100;
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

const writes = Number(process.argv[2] ?? WRITES_DEFAULT);

const start = async (folder: string, store: readonly string[]) => {
  const child = spawn(
    process.execPath,
    [
      '--import',
      'tsx',
      MAIN,
      'serve',
      '--port',
      '0',
      '--http-rate-limit',
      '0',
      '--data-dir',
      join(folder, 'data'),
      ...store,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, HOODY_AGENTD_LOG_LEVEL: 'error' } },
  );
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const found = /listening on (http:\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(`${found}/api/v1/agent`);
    });
    child.once('exit', () => reject(new Error('the daemon did not start')));
  });
  return { child, url };
};

const crash = async (name: string, store: readonly string[]): Promise<boolean> => {
  const folder = mkdtempSync(join(tmpdir(), 'crash-todos-'));
  const acknowledged: string[] = [];
  let lives = 0;
  while (acknowledged.length < writes) {
    const { child, url } = await start(folder, store);
    const killAt = Math.min(writes, acknowledged.length + Math.ceil(Math.random() * WRITES_A_LIFE));
    const ended = once(child, 'exit');
    const write = async (): Promise<void> => {
      for (;;) {
        const answer = await fetch(`${url}/todos`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ title: `write ${acknowledged.length}`, cwd: folder }),
        });
        const { todo } = (await answer.json()) as { todo: { id: string } };
        acknowledged.push(todo.id);
        if (acknowledged.length >= killAt) child.kill('SIGKILL');
      }
    };
    // Each ends with the daemon: what was under way then was not acknowledged.
    await Promise.all(Array.from({ length: WRITERS }, () => write().catch(() => undefined)));
    await ended;
    lives += 1;
  }
  const { child, url } = await start(folder, store);
  const { items } = (await (await fetch(`${url}/todos`)).json()) as { items: { id: string }[] };
  const kept = new Set(items.map(({ id }) => id));
  const lost = acknowledged.filter((id) => !kept.has(id)).length;
  console.log(`${name}: ${acknowledged.length} acknowledged, ${lives} kills, ${lost} lost, ${items.length} kept`);
  child.kill('SIGTERM');
  await once(child, 'exit');
  rmSync(folder, { recursive: true });
  return lost === 0;
};

let isSound = await crash('SQLite', []);
const whyNot = whyNoPostgres();
if (whyNot === undefined) {
  const server = await startPostgres();
  isSound = (await crash('PostgreSQL', ['--store', server.url])) && isSound;
  await server.stop();
} else {
  console.log(`PostgreSQL was left out: ${whyNot}`);
}
process.exitCode = isSound ? 0 : 1;
