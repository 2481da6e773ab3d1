/** The lock, the data directory and the two small files beside it, each with a second process where it matters. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { openDataDir } from '../../src/files/data-dir.js';
import { createLoginSource } from '../../src/files/login-file.js';
import { inTurn, tryLock, withLock } from '../../src/files/process-lock.js';
import { createTrustStore } from '../../src/files/trust-file.js';
import type { Logger } from '../../src/ports.js';
import { createLogger, systemClock, systemIds } from '../../src/system.js';

const root = mkdtempSync(join(tmpdir(), 'lock-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const folder = (): string => mkdtempSync(join(root, 'case-'));

const program = fileURLToPath(new URL('writer.ts', import.meta.url));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
/** Another process that holds the lock. */
const holder = async (path: string): Promise<ChildProcess> => {
  const child = spawn(process.execPath, ['--import', 'tsx', program, 'hold', path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  expect(await once(createInterface({ input: child.stdout }), 'line')).toEqual(['held']);
  return child;
};
const end = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL');
  await once(child, 'exit');
};

/** Content of a lock whose owner never was: this process's pid with another start. */
const deadOwner = (token: string): string => JSON.stringify({ pid: process.pid, start: '1@another boot', token });

describe('a lock', () => {
  test('names its living owner and is taken at once when that dies', async () => {
    const path = join(folder(), 'a.lock');
    const child = await holder(path);
    expect(await tryLock(path)).toMatchObject({ owner: { pid: child.pid } });
    await end(child);
    const lock = await tryLock(path);
    if (!('release' in lock)) throw new Error('not taken');
    expect(await tryLock(path)).toMatchObject({ owner: { pid: process.pid } });
    await lock.release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  test('of many that find a dead owner, and dead ones that found it before, one at a time gets in', async () => {
    const path = join(folder(), 'a.lock');
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    };
    for (let round = 0; round < 10; round += 1) {
      writeFileSync(path, deadOwner('aa'));
      writeFileSync(`${path}.aa`, deadOwner('bb'));
      writeFileSync(`${path}.aa.bb`, deadOwner('cc'));
      writeFileSync(`${path}.4194999-00`, 'the draft of a process that is gone');
      await Promise.all(Array.from({ length: 8 }, () => withLock(path, work)));
    }
    expect(most).toBe(1);
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  test('whose content was lost in a crash is taken once no living process can be about to fill it', async () => {
    const path = join(folder(), 'a.lock');
    writeFileSync(path, '');
    expect(await tryLock(path)).toEqual({ owner: undefined });
    utimesSync(path, 1, 1);
    const lock = await tryLock(path);
    expect('release' in lock).toBe(true);
  });

  test('is let go when the work fails, and a turn that fails does not stop the next', async () => {
    const path = join(folder(), 'a.lock');
    const order: number[] = [];
    const turn = (index: number) => inTurn(path, () => withLock(path, async () => void order.push(index)));
    const failed = inTurn(path, () => withLock(path, () => Promise.reject(new Error('no'))));
    await Promise.all([expect(failed).rejects.toThrow('no'), turn(1), turn(2), turn(3)]);
    expect(order).toEqual([1, 2, 3]);
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });
});

describe('the data directory', () => {
  test('is private and has one daemon at a time, and the refusal names the other', async () => {
    const path = join(folder(), 'state', 'data');
    const first = await openDataDir(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    await expect(openDataDir(path)).rejects.toThrow(`the data directory ${path} is in use by process ${process.pid}`);
    await first.release();
    const child = await holder(join(path, 'daemon.lock'));
    await expect(openDataDir(path)).rejects.toThrow(`in use by process ${child.pid}`);
    await end(child);
    await (await openDataDir(path)).release();
    expect(readdirSync(path)).toEqual([]);
  });

  test('is refused with its path and the flag when something is in the way', async () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    for (const [path, reason] of [
      [file, 'a file is in its place'],
      [join(file, 'below'), 'a file is in the place of one of its folders'],
      ['/proc/x/y', 'no folder can be made there'],
    ] as const) {
      await expect(openDataDir(path)).rejects.toThrow(
        `the data directory ${path} cannot be used: ${reason}; name another one with --data-dir`,
      );
    }
  });
});

describe('the trust store', () => {
  test('knows the latest acknowledged definition of each name in each file, over restarts', async () => {
    const dataDir = join(folder(), 'data');
    const store = createTrustStore(dataDir);
    expect(store.has('/p', 'a', 'd1')).toBe(false);
    await Promise.all([store.add('/p', 'a', 'd1'), store.add('/p', 'b', 'd2'), store.add('/q', 'a', 'd3')]);
    for (const reader of [store, createTrustStore(dataDir)]) {
      expect([reader.has('/p', 'a', 'd1'), reader.has('/p', 'b', 'd2'), reader.has('/q', 'a', 'd3')]).toEqual([
        true,
        true,
        true,
      ]);
      expect([reader.has('/p', 'a', 'd3'), reader.has('/r', 'a', 'd1')]).toEqual([false, false]);
    }
    await store.add('/p', 'a', 'd9');
    expect([store.has('/p', 'a', 'd1'), store.has('/p', 'a', 'd9')]).toEqual([false, true]);
    expect(statSync(join(dataDir, 'trust.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir)).toEqual(['trust.json']);
  });

  test('sees at once what another process acknowledges, and a broken file acknowledges nothing', async () => {
    const dataDir = folder();
    const [one, other] = [createTrustStore(dataDir), createTrustStore(dataDir)];
    await one.add('/p', 'a', 'd1');
    expect(other.has('/p', 'a', 'd1')).toBe(true);
    await Promise.all([one.add('/p', 'b', 'd2'), other.add('/p', 'c', 'd3')]);
    expect([one.has('/p', 'c', 'd3'), other.has('/p', 'b', 'd2')]).toEqual([true, true]);
    writeFileSync(join(dataDir, 'trust.json'), '{');
    expect(one.has('/p', 'a', 'd1')).toBe(false);
    await one.add('/p', 'a', 'd1');
    expect(other.has('/p', 'a', 'd1')).toBe(true);
  });
});

const recorded = (): { logger: Logger; lines: object[] } => {
  const lines: object[] = [];
  const record = (fields: object): void => void lines.push(fields);
  return { logger: { debug: record, info: record, warn: record, error: record }, lines };
};

describe('the login', () => {
  const REALM = '0123456789abcdef01234567';
  const good = { account_id: 'acc', active_realm: REALM, serves: [REALM, 'global'], pinned: REALM };

  test('without a file is the local account, which serves all', () => {
    expect(createLoginSource(undefined, recorded().logger).current()).toEqual({
      accountId: 'local',
      activeRealm: 'global',
      serves: 'all',
      pinned: null,
    });
  });

  test('follows its file, and is unknown while the file is missing or torn; a fault is told once', () => {
    const path = join(folder(), 'login.json');
    const { logger, lines } = recorded();
    const source = createLoginSource(path, logger);
    const replace = (content: string): void => {
      writeFileSync(`${path}.new`, content);
      renameSync(`${path}.new`, path);
    };
    expect([source.current().serves, source.current().serves]).toEqual(['unknown', 'unknown']);
    expect(lines).toHaveLength(1);
    replace(JSON.stringify(good));
    expect(source.current()).toEqual({
      accountId: 'acc',
      activeRealm: REALM,
      serves: [REALM, 'global'],
      pinned: REALM,
    });
    replace(JSON.stringify({ ...good, serves: 'all', pinned: null }));
    expect(source.current()).toMatchObject({ serves: 'all', pinned: null });
    replace('{"account_id": "secr');
    expect(source.current().serves).toBe('unknown');
    expect(lines).toEqual([
      { path, reason: expect.stringContaining('ENOENT') },
      { path, reason: 'it is not JSON' },
    ]);
  });

  test.each<[string, object]>([
    ['an account of another type', { ...good, account_id: 7 }],
    ['an empty account', { ...good, account_id: '' }],
    ['a missing realm', { ...good, active_realm: undefined }],
    ['a realm in capitals', { ...good, active_realm: REALM.toUpperCase() }],
    ['serves without a meaning', { ...good, serves: 'some' }],
    ['a served realm that is none', { ...good, serves: ['x'] }],
    ['missing serves', { ...good, serves: undefined }],
    ['a pin that is no realm', { ...good, pinned: '' }],
    ['a misspelt member', { ...good, pined: REALM }],
    ['a list', [good]],
  ])('is unknown with %s', (_, content) => {
    const path = join(folder(), 'login.json');
    writeFileSync(path, JSON.stringify(content));
    expect(createLoginSource(path, recorded().logger).current().serves).toBe('unknown');
  });
});

describe('the system', () => {
  test('ids are of their alphabets, and a neighbour gives no ulid away', () => {
    const ulids = Array.from({ length: 100 }, () => systemIds.ulid());
    // The last 16 characters are chance: counting up from the one before would show as one long common beginning.
    expect(new Set(ulids.map((ulid) => ulid.slice(10, 16))).size).toBe(100);
    for (const ulid of ulids) expect(ulid).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    for (const digits of [1, 7, 32]) expect(systemIds.hex(digits)).toMatch(new RegExp(`^[0-9a-f]{${digits}}$`));
  });

  test('a sleep ends early when its signal aborts, also one that is longer than a timer can be', async () => {
    const controller = new AbortController();
    const year = systemClock.sleep(365 * 24 * 3600 * 1000, controller.signal);
    await systemClock.sleep(1);
    controller.abort();
    await year;
    await systemClock.sleep(1e12, AbortSignal.abort());
    let ran = false;
    systemClock.after(0, () => (ran = true))();
    await systemClock.sleep(1);
    expect(ran).toBe(false);
  });

  test('the log is JSON lines of its level, without credentials, and goes on when nobody reads it', () => {
    const lines: string[] = [];
    let taken = 0;
    const stream = new Writable({
      highWaterMark: 1,
      write: (chunk: Buffer, _encoding, done) => {
        taken += 1;
        lines.push(chunk.toString());
        // The second line is never finished: whoever reads has stopped.
        if (taken < 2) done();
      },
    });
    const logger = createLogger({ level: 'info', stream });
    logger.debug({}, 'no');
    logger.info({ env: { A: 'secret' }, server: { headers: { B: 'secret' }, name: 'x' } }, 'yes');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'yes',
      env: '[REDACTED]',
      server: { headers: '[REDACTED]', name: 'x' },
    });
    for (let index = 0; index < 100; index += 1) logger.info({ filler: 'x'.repeat(200_000) }, 'unread');
    expect(stream.writableLength).toBeLessThan(9 * 1024 * 1024);
    stream.destroy(new Error('gone'));
    logger.info({}, 'to nobody');
  });

  test('what was logged before an abrupt exit is on stderr', async () => {
    const lines = `import { createLogger } from ${JSON.stringify(new URL('../../src/system.ts', import.meta.url).href)};
      const logger = createLogger({ level: 'info' });
      for (let index = 0; index < 100; index += 1) logger.info({ index }, 'line');
      process.exit(3);`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', lines], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    expect((await once(child, 'close'))[0]).toBe(3);
    const indexes = text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { index: number }).index);
    expect(indexes).toEqual(Array.from({ length: 100 }, (_, index) => index));
  });
});

test('no lock or draft is left beside the files of these tests', () => {
  const left = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.lock\.|\.tmp$/.test(name));
  expect(left).toEqual([]);
});
