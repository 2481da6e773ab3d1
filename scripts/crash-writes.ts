/**
 * Kills a writer in the middle of its work, again and again, and looks at what is left: the settings file must parse and
 * hold a whole old or new entry, beside the comment that a person wrote, and the next write must not wait for the dead.
 * `npx tsx scripts/crash-writes.ts [rounds]`; exits 1 when a round finds anything else.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isJsonObject } from '../src/domain/json.js';
import { createSettingsFiles } from '../src/files/settings-file.js';
import { createLogger } from '../src/system.js';

const ROUNDS_DEFAULT = 200;
/** A write takes a few milliseconds, so the kill falls anywhere in one of the first dozen. */
const KILL_WITHIN_MS = 40;
/** Far above the time of a write on a busy machine, far below any wait for a lock. */
const NEXT_WRITE_MS_MAX = 1_000;

const rounds = Number(process.argv[2] ?? ROUNDS_DEFAULT);
const folder = mkdtempSync(join(tmpdir(), 'crash-writes-'));
const path = join(folder, 'settings.json');
const writer = fileURLToPath(new URL('../test/files/writer.ts', import.meta.url));
const files = createSettingsFiles({ logger: createLogger({ level: 'warn' }) });
const remark = '// written by a person';
const found = { torn: 0, lost: 0, slow: 0, leftDrafts: 0, leftLocks: 0 };

writeFileSync(path, `{\n  ${remark}\n  "deny_list": ["~/private"],\n}\n`);
for (let round = 0; round < rounds; round += 1) {
  const child = spawn(process.execPath, ['--import', 'tsx', writer, 'churn', path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  await delay(Math.random() * KILL_WITHIN_MS);
  child.kill('SIGKILL');
  await once(child, 'exit');

  const document = await files.read(path);
  const servers = document.state === 'loaded' ? document.value['mcp_servers'] : undefined;
  const entry = Array.isArray(servers) ? servers[0] : undefined;
  if (!isJsonObject(entry) || entry['round'] !== entry['again']) found.torn += 1;
  if (!readFileSync(path, 'utf8').includes(remark)) found.lost += 1;
  const left = readdirSync(folder);
  if (left.some((name) => name.endsWith('.tmp'))) found.leftDrafts += 1;
  if (left.some((name) => name.includes('.lock'))) found.leftLocks += 1;

  const startedAt = performance.now();
  await files.update(path, () => ({
    edits: [{ kind: 'replace', index: 0, entry: { round, again: round } }],
    result: 0,
  }));
  if (performance.now() - startedAt > NEXT_WRITE_MS_MAX) found.slow += 1;
  if (readdirSync(folder).length !== 1) throw new Error(`left behind: ${readdirSync(folder).join(', ')}`);
}
rmSync(folder, { recursive: true });

const { torn, lost, slow, leftDrafts, leftLocks } = found;
process.stdout.write(
  `${rounds} kills: ${torn} torn files, ${lost} lost remarks, ${slow} slow next writes ` +
    `(${leftDrafts} left a draft and ${leftLocks} a lock, all taken over)\n`,
);
process.exitCode = torn + lost + slow === 0 ? 0 : 1;
