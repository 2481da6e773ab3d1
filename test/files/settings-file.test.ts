/** Settings files on a real disk: reading, writing under the lock, watching. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../../src/domain/json.js';
import { stampNow } from '../../src/files/file-stamp.js';
import { createSettingsFiles } from '../../src/files/settings-file.js';
import type { Logger, ServerListEdit } from '../../src/ports.js';

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const files = createSettingsFiles({ logger: silent });

const root = mkdtempSync(join(tmpdir(), 'settings-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const folder = (): string => {
  const path = join(root, String((folders += 1)));
  mkdirSync(path);
  return path;
};
const file = (content?: string | Uint8Array): string => {
  const path = join(folder(), 'settings.json');
  if (content !== undefined) writeFileSync(path, content);
  return path;
};

const add = (path: string, entry: JsonObject, meanwhile?: () => void) =>
  files.update(path, () => {
    meanwhile?.();
    return { edits: [{ kind: 'append', entry }], result: 'said by the plan' };
  });
const names = (path: string): unknown[] => {
  const { mcp_servers: servers } = JSON.parse(readFileSync(path, 'utf8')) as { mcp_servers: { name: string }[] };
  return servers.map((server) => server.name);
};
const refusal = async (attempt: Promise<unknown>): Promise<{ code: string; message: string; cause: unknown }> => {
  try {
    await attempt;
  } catch (error) {
    return error as { code: string; message: string; cause: unknown };
  }
  throw new Error('it was not refused');
};
const isRoot = process.getuid?.() === 0;
/** The user nobody. */
const OTHER_USER = 65_534;

const program = fileURLToPath(new URL('writer.ts', import.meta.url));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
const start = (args: string[], user: { uid: number; gid: number } | undefined = undefined) => {
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...user,
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout });
  return { child, line: async (): Promise<string> => String((await once(lines, 'line'))[0]) };
};

describe('reading', () => {
  test.each<[string, string | Uint8Array, JsonObject]>([
    ['an empty file is an empty object', '', {}],
    ['blanks and comments are an empty object', ' // nothing\n/* yet */ ', {}],
    ['comments, trailing commas and a byte order mark are fine', '\uFEFF{"a": [1, /* x */ 2,], // y\n}', { a: [1, 2] }],
    ['a repeated key counts once, the last time', '{"a": 1, "a": 2}', { a: 2 }],
  ])('%s', async (_, content, value) => {
    const path = file(content);
    expect(await files.read(path)).toEqual({ path, state: 'loaded', value });
  });

  test.each<[string, string | Uint8Array, string]>([
    ['a missing comma', '{\n  "a": 1\n  "secret": 2}', 'line 3, column 3: a comma is missing'],
    ['a missing comma behind CRLF', '\uFEFF{\r\n"a": 1 "secret": 2}', 'line 2, column 8: a comma is missing'],
    ['an open string', '{"secret', 'line 1, column 2: a string is not closed on its line'],
    [
      'an escape that is none',
      '{"p": "c:\\xsecret"}',
      'line 1, column 7: an escape in a string that JSON does not have (a backslash is written twice)',
    ],
    ['an open comment', '{} /* secret', 'line 1, column 4: a comment is not closed'],
    ['a list', '// x\n[]', 'line 2, column 1: the document is not an object'],
    ['a number without end', '{"n": 1e999}', 'line 1, column 7: a number out of range'],
    ['half a character', '{"s": "\\ud800"}', 'line 1, column 7: half a surrogate pair in a string'],
    ['depth', `{"a": ${'['.repeat(150)}${']'.repeat(150)}}`, 'line 1, column 107: nested deeper than 100 levels'],
    ['endless depth', '['.repeat(300_000), 'nested deeper than 100 levels'],
    ['another encoding', Buffer.from('\uFEFF{}', 'utf16le'), 'it is not UTF-8 text'],
    ['too much', Buffer.alloc(8 * 1024 * 1024 + 1, ' '), 'it is larger than 8388608 bytes'],
  ])('says where and why a file is broken, without quoting it: %s', async (_, content, reason) => {
    const path = file(content);
    expect(await files.read(path)).toEqual({ path, state: 'broken', reason });
  });

  test('a missing file, a folder, a pipe and a file in the place of a folder are told apart', async () => {
    const path = file();
    expect(await files.read(path)).toEqual({ path, state: 'missing', value: {} });
    expect(await files.read(dirname(path))).toMatchObject({ reason: 'a folder is in the place of the file' });
    expect(await files.read('/dev/null')).toMatchObject({ reason: 'it is not a regular file' });
    writeFileSync(path, '{}');
    expect(await files.read(join(path, 'x.json'))).toMatchObject({
      reason: 'a file is in the place of one of its folders',
    });
    expect(await files.read('/a\0b')).toMatchObject({ state: 'broken' });
  });

  test('one reading serves everybody, so it cannot be changed; an edit of any kind ends it', async () => {
    const path = file('{"a": {"b": [1]}}');
    // Long untouched, so there is no doubt that the reading is the file's.
    await changeAge(path);
    const first = await files.read(path);
    expect(await files.read(path)).toBe(first);
    if (first.state === 'broken') throw new Error(first.reason);
    expect(() => ((first.value['a'] as JsonObject)['b'] = null)).toThrow(TypeError);
    const { atime, mtime } = statSync(path);
    writeFileSync(path, '{"a": {"b": [2]}}');
    utimesSync(path, atime, mtime);
    expect(await files.read(path)).toMatchObject({ value: { a: { b: [2] } } });
    writeFileSync(path, '{"a": {"b": [3]}}');
    expect(await files.read(path)).toMatchObject({ value: { a: { b: [3] } } });
    rmSync(path);
    expect(await files.read(path)).toMatchObject({ state: 'missing' });
  });
});

/** Waits until the file's last change is too old to be confused with another one. */
const changeAge = async (path: string): Promise<void> => {
  while (Date.now() - statSync(path).ctimeMs < 60) await new Promise((resolve) => setImmediate(resolve));
};

describe('writing', () => {
  test('a missing file is made, private, in private folders', async () => {
    const path = join(folder(), 'a', 'b', 'settings.json');
    const { servers, result } = await add(path, { name: 'x' });
    expect({ servers, result }).toEqual({ servers: [{ name: 'x' }], result: 'said by the plan' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(statSync(dirname(dirname(path))).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(path))).toEqual(['settings.json']);
  });

  test('what is not changed stays byte for byte', async () => {
    const path = file(
      '\uFEFF// mine\r\n{\r\n\t"x": 1.0, // kept\r\n\t"mcp_servers": [\r\n\t\t{"name": "a"},\r\n\t],\r\n}\r\n',
    );
    await add(path, { name: 'b' });
    expect(readFileSync(path, 'utf8')).toBe(
      '\uFEFF// mine\r\n{\r\n\t"x": 1.0, // kept\r\n\t"mcp_servers": [\r\n\t\t{"name": "a"},\r\n\t\t{\r\n\t\t\t"name": "b"\r\n\t\t},\r\n\t],\r\n}\r\n',
    );
  });

  test('no edits and equal edits write nothing', async () => {
    const path = file('{"mcp_servers": [ {"name":"a"} ]}');
    const before = stampNow(path);
    const edits: ServerListEdit[] = [{ kind: 'replace', index: 0, entry: { name: 'a' } }];
    expect(await files.update(path, () => ({ edits: [], result: 1 }))).toEqual({ servers: [{ name: 'a' }], result: 1 });
    expect(await files.update(path, () => ({ edits, result: 2 }))).toEqual({ servers: [{ name: 'a' }], result: 2 });
    expect(stampNow(path)).toBe(before);
  });

  test('what the plan throws is thrown, nothing is written and no folder is left', async () => {
    const path = join(folder(), 'a', 'b', 'settings.json');
    const error = new Error('no');
    const attempt = files.update(path, () => {
      throw error;
    });
    await expect(attempt).rejects.toBe(error);
    expect(readdirSync(dirname(dirname(dirname(path))))).toEqual([]);
  });

  test('a broken file is never written, and the plan is not asked', async () => {
    const path = file('{"mcp_servers": [}');
    let asked = false;
    const error = await refusal(
      files.update(path, () => {
        asked = true;
        return { edits: [], result: undefined };
      }),
    );
    expect(asked).toBe(false);
    expect(error.code).toBe('bad_request');
    expect(error.message).toContain('line 1, column 18: a value is missing');
    expect(readFileSync(path, 'utf8')).toBe('{"mcp_servers": [}');
    expect((await refusal(add(dirname(path), {}))).code).toBe('bad_request');
  });

  test('a value that could not be read again is refused', async () => {
    const path = file('{}');
    expect((await refusal(add(path, { name: '\ud800' }))).code).toBe('bad_request');
    expect((await refusal(add(path, { name: 'x'.repeat(8 * 1024 * 1024) }))).code).toBe('bad_request');
    expect(readFileSync(path, 'utf8')).toBe('{}');
  });

  test.each<[string, (path: string) => void]>([
    ['written into', (path) => writeFileSync(path, '{"mine": 1}')],
    ['appended to', (path) => appendFileSync(path, '// mine')],
    [
      'replaced by one of the same size and time',
      (path) => {
        const { atime, mtime } = statSync(path);
        writeFileSync(`${path}.new`, '[]');
        utimesSync(`${path}.new`, atime, mtime);
        renameSync(`${path}.new`, path);
      },
    ],
    ['removed', (path) => unlinkSync(path)],
  ])('a file that is %s between reading and writing is a conflict, and the hand edit stays', async (_, edit) => {
    const path = file('{}');
    const error = await refusal(add(path, { name: 'x' }, () => edit(path)));
    expect(error.code).toBe('mcp_conflict');
    expect(existsSync(path) ? readFileSync(path, 'utf8') : '').not.toContain('"x"');
    expect(readdirSync(dirname(path)).filter((name) => name !== 'settings.json')).toEqual([]);
  });

  test('a file that appears between reading and writing is a conflict', async () => {
    const path = file();
    expect((await refusal(add(path, { name: 'x' }, () => writeFileSync(path, '// mine')))).code).toBe('mcp_conflict');
    expect(readFileSync(path, 'utf8')).toBe('// mine');
  });

  test('a link stays a link, and its target is written, also when the target is yet to come', async () => {
    const target = file('{}');
    const link = join(folder(), 'settings.json');
    symlinkSync(target, link);
    await add(link, { name: 'a' });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(names(target)).toEqual(['a']);
    rmSync(target);
    await add(link, { name: 'b' });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(names(target)).toEqual(['b']);
    // One that is pointed elsewhere meanwhile is a conflict for both.
    const other = file('{}');
    const error = await refusal(
      add(link, { name: 'c' }, () => {
        rmSync(link);
        symlinkSync(other, link);
      }),
    );
    expect(error.code).toBe('mcp_conflict');
    expect([names(target), readFileSync(other, 'utf8')]).toEqual([['b'], '{}']);
  });

  test('mode and owner stay', async () => {
    const path = file('{}');
    chmodSync(path, 0o640);
    if (isRoot) chownSync(path, 12345, 23456);
    const before = statSync(path);
    chmodSync(path, 0o640);
    await add(path, { name: 'a' });
    const { mode, uid, gid } = statSync(path);
    expect({ mode: mode & 0o777, uid, gid }).toEqual({ mode: 0o640, uid: before.uid, gid: before.gid });
  });

  test('what the file system refuses is an internal error with its cause, and nothing is lost', async () => {
    const path = file('{}');
    // A lock that cannot be made stands for a folder without room or permission: it needs no other user.
    mkdirSync(`${path}.lock`);
    const error = await refusal(add(path, { name: 'a' }));
    expect(error.code).toBe('internal_error');
    expect(error.message).toBe('internal server error');
    expect(error.cause).toMatchObject({ code: 'EISDIR' });
    expect(readFileSync(path, 'utf8')).toBe('{}');
    expect((await refusal(add('/proc/settings.json', {}))).code).toBe('internal_error');
    rmSync(`${path}.lock`, { recursive: true });
    await add(path, { name: 'a' });
    expect(names(path)).toEqual(['a']);
  });

  test('changes of one process are made in the order they were asked for', async () => {
    const path = file('{}');
    const wanted = Array.from({ length: 10 }, (_, index) => `n${index}`);
    await Promise.all(wanted.map((name) => add(path, { name })));
    expect(names(path)).toEqual(wanted);
  });
});

describe('several processes', () => {
  test('twenty writers in five processes lose nothing, in a folder that was not there', async () => {
    const path = join(folder(), 'new', 'settings.json');
    const wanted = Array.from({ length: 20 }, (_, index) => `n${index}`);
    const others = [0, 1, 2, 3].map((child) => start(['append', path, ...wanted.slice(child * 4, child * 4 + 4)]));
    await Promise.all([...wanted.slice(16).map((name) => add(path, { name })), ...others.map((other) => other.line())]);
    expect(names(path).toSorted()).toEqual(wanted.toSorted());
    expect(readdirSync(dirname(path))).toEqual(['settings.json']);
  });

  test('a writer killed at any moment leaves a whole file, and what it leaves beside it is taken over at once', async () => {
    const path = file('{}');
    for (let kill = 0; kill < 4; kill += 1) {
      const { child, line } = start(['churn', path]);
      await line();
      // A moment that no round of the writer depends on.
      for (let turn = 0; turn < 20 * kill; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      child.kill('SIGKILL');
      await once(child, 'exit');
      const [entry] = (JSON.parse(readFileSync(path, 'utf8')) as { mcp_servers: JsonObject[] }).mcp_servers;
      expect(entry?.['round']).toBe(entry?.['again']);
    }
    // As if the last one had died in the middle of it.
    writeFileSync(`${path}.0123456789abcdef.tmp`, 'half');
    await add(path, { name: 'next' });
    expect(names(path)).toEqual(['churned', 'next']);
    expect(readdirSync(dirname(path))).toEqual(['settings.json']);
  });
});

describe('another user', () => {
  // Root may write everything, so where the tests run as root the writer is somebody else.
  const user = isRoot ? { uid: OTHER_USER, gid: OTHER_USER } : undefined;
  const give = (path: string): void => {
    if (user) chownSync(path, user.uid, user.gid);
  };

  test('is refused a file without write permission and a folder without it; nothing is lost', async () => {
    chmodSync(root, 0o755);
    const readOnly = file('{}');
    chmodSync(readOnly, 0o444);
    give(dirname(readOnly));
    give(readOnly);
    const locked = file('{}');
    give(locked);
    chmodSync(dirname(locked), 0o555);
    const answers = [readOnly, locked].map((path) => start(['append', path, 'a'], user).line());
    expect(await Promise.all(answers)).toEqual(['internal_error EACCES', 'internal_error EACCES']);
    expect([readFileSync(readOnly, 'utf8'), readFileSync(locked, 'utf8')]).toEqual(['{}', '{}']);
    expect(readdirSync(dirname(readOnly))).toEqual(['settings.json']);
    chmodSync(dirname(locked), 0o700);
  });
});

describe('watching', () => {
  /** Makes a change and waits until the watcher tells. */
  const told = (path: string, make: () => void): Promise<void> =>
    new Promise((resolve) => {
      const stop = files.watch(path, () => {
        stop();
        resolve();
      });
      make();
    });

  test('tells about every way in which a file changes', async () => {
    const path = file('{}');
    await told(path, () => writeFileSync(path, '{"a": 1}'));
    await told(path, () => {
      writeFileSync(`${path}.new`, '{"a": 2}');
      renameSync(`${path}.new`, path);
    });
    await told(path, () => unlinkSync(path));
    await told(path, () => writeFileSync(path, '{}'));
    await told(path, () => chmodSync(path, 0o600));
    await told(path, () => renameSync(dirname(path), `${dirname(path)}-moved`));
    await told(path, () => renameSync(`${dirname(path)}-moved`, dirname(path)));
    await told(path, () => rmSync(dirname(path), { recursive: true }));
  });

  test('tells about a file whose folders are yet to come', async () => {
    const path = join(folder(), 'a', 'b', 'c', 'settings.json');
    await told(path, () => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, '{}');
    });
    rmSync(dirname(dirname(path)), { recursive: true });
    const changes: string[] = [];
    const first = new Promise<void>((resolve) => {
      const stop = files.watch(path, () => {
        changes.push(existsSync(path) ? 'there' : 'gone');
        if (changes.length === 1) resolve();
        if (changes.length === 2) stop();
      });
    });
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '{}');
    await first;
    // Another folder under the same name is watched too.
    rmSync(dirname(path), { recursive: true });
    await told(path, () => {});
    expect(changes).toEqual(['there', 'gone']);
  });

  test('follows a link to its target, and notices when it is pointed elsewhere', async () => {
    const target = file('{}');
    const link = join(folder(), 'settings.json');
    symlinkSync(target, link);
    await told(link, () => appendFileSync(target, ' '));
    await told(link, () => {
      symlinkSync(file('{ }'), `${link}.new`);
      renameSync(`${link}.new`, link);
    });
  });

  test('waits until a file that is emptied and written again is whole', async () => {
    const path = file('{"a": 1}');
    const seen: string[] = [];
    await told(path, () => {
      writeFileSync(path, '');
      setImmediate(() => writeFileSync(path, '{"a": 2}'));
    });
    seen.push(readFileSync(path, 'utf8'));
    expect(seen).toEqual(['{"a": 2}']);
  });

  test('a burst is told once, and what happens beside the file is not told', async () => {
    const path = file('{}');
    let count = 0;
    const stop = files.watch(path, () => (count += 1));
    for (let index = 0; index < 100; index += 1) {
      writeFileSync(path, `{"a": ${index}}`);
      writeFileSync(`${path}.lock`, 'x');
    }
    await told(path, () => {});
    // The neighbour's news come in order, so by now its own would have come too.
    await told(`${path}.lock`, () => unlinkSync(`${path}.lock`));
    expect(count).toBe(1);
    stop();
    await told(path, () => writeFileSync(path, '{}'));
    expect(count).toBe(1);
  });
});
