/** The audit log on a real disk: what a line has and has not, rotation, and what happens while it cannot be written. */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createAuditLog } from '../../src/files/audit-log.js';
import type { AuditEntry, AuditLog } from '../../src/ports.js';
import { FakeClock } from '../fakes/clock.js';

const FILE_BYTES_MAX = 10 * 1024 * 1024;
const WAITING_MAX = 10_000;

let dataDir: string;
let folder: string;
let errors: string[];
let log: AuditLog;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'audit-'));
  folder = join(dataDir, 'audit');
  errors = [];
  const logger = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (_: object, text: string) => void errors.push(text),
  };
  log = createAuditLog(dataDir, { clock: new FakeClock(), logger });
});
afterEach(async () => {
  await log.close();
  await rm(dataDir, { recursive: true });
});

const entry = (tool: string): AuditEntry => ({
  session: 'sess_1',
  cwd: '/work',
  tool,
  params: { content: 'what is in the file', token: 'a secret' },
  verdict: 'confirm',
  gates: { write_permission: 'confirm' },
  token: 'refused',
});
const linesOf = async (name = 'audit.jsonl'): Promise<Record<string, unknown>[]> =>
  (await readFile(join(folder, name), 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('the audit log', () => {
  test('has a line for each decision, with a digest in place of the params', async () => {
    log.append(entry('write_file'));
    log.append(entry('bash'));
    expect(await log.flush()).toBe(true);
    const lines = await linesOf();
    expect(lines.map(({ tool }) => tool)).toEqual(['write_file', 'bash']);
    expect(lines[0]).toEqual({
      time: '2026-01-01T00:00:00.000Z',
      session: 'sess_1',
      cwd: '/work',
      tool: 'write_file',
      verdict: 'confirm',
      gates: { write_permission: 'confirm' },
      token: 'refused',
      params: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    expect(JSON.stringify(lines)).not.toMatch(/what is in|a secret/);
    expect((await stat(join(folder, 'audit.jsonl'))).mode & 0o777).toBe(0o600);
  });

  test('writes by itself what was appended', async () => {
    log.append(entry('one'));
    await new Promise(setImmediate);
    expect(await log.flush()).toBe(true);
    expect(await linesOf()).toHaveLength(1);
  });

  test('is ten files at most: the newest keeps its name, the oldest goes', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'audit.jsonl'), `${' '.repeat(FILE_BYTES_MAX - 1)}\n`);
    for (let number = 1; number < 10; number += 1) await writeFile(join(folder, `audit.${number}.jsonl`), `${number}`);
    await log.flush();
    log.append(entry('next'));
    await log.flush();
    expect((await readdir(folder)).toSorted()).toEqual(
      ['audit.jsonl', ...Array.from({ length: 9 }, (_, n) => `audit.${n + 1}.jsonl`)].toSorted(),
    );
    expect((await linesOf()).map(({ tool }) => tool)).toEqual(['next']);
    expect((await stat(join(folder, 'audit.1.jsonl'))).size).toBe(FILE_BYTES_MAX);
    expect(await readFile(join(folder, 'audit.9.jsonl'), 'utf8')).toBe('8');
  });

  test('keeps what it cannot write, says so once, and writes it first when it can', async () => {
    await writeFile(folder, 'in the way');
    log.append(entry('first'));
    expect([await log.flush(), log.isFailing]).toEqual([false, true]);
    log.append(entry('second'));
    expect(await log.flush()).toBe(false);
    expect(errors).toEqual(['the audit log cannot be written; tools that change things are refused']);
    await rm(folder);
    log.append(entry('third'));
    expect([await log.flush(), log.isFailing]).toEqual([true, false]);
    expect((await linesOf()).map(({ tool }) => tool)).toEqual(['first', 'second', 'third']);
  });

  test('counts what it had to drop', async () => {
    await writeFile(folder, 'in the way');
    for (let number = 0; number < WAITING_MAX + 5; number += 1) log.append(entry(`t${number}`));
    expect(await log.flush()).toBe(false);
    await rm(folder);
    expect(await log.flush()).toBe(true);
    const lines = await linesOf();
    expect(lines[0]).toEqual({ time: '2026-01-01T00:00:00.000Z', lost: 5 });
    expect([lines.length, lines[1]?.['tool']]).toEqual([WAITING_MAX + 1, 't5']);
  });
});
