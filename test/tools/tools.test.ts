import { execFileSync, spawnSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFilesRead, fileStamp, type FilesRead, type PathFact } from '../../src/domain/gate/facts.js';
import { isInside } from '../../src/domain/gate/dir-scope.js';
import type { JsonObject } from '../../src/domain/json.js';
import type { ToolResult } from '../../src/domain/tool.js';
import { childEnvironment } from '../../src/domain/variables.js';
import { createFileFacts } from '../../src/files/file-facts.js';
import { killMarked } from '../../src/mcp/process-sweep.js';
import { systemClock } from '../../src/system.js';
import type { Posture } from '../../src/domain/session.js';
import type { RunnableTool, TodoDesk, WorkflowDesk } from '../../src/ports.js';
import { BackgroundJobs } from '../../src/tools/background-jobs.js';
import { createParamsValidator } from '../../src/tools/params-validator.js';
import { createBashTools } from '../../src/tools/bash.js';
import { createGlobFilesTool } from '../../src/tools/glob-files.js';
import { createToolbox } from '../../src/tools/toolbox.js';
import { FakeClock } from '../fakes/clock.js';
import { carrying, until } from '../processes.js';

const spilled: string[] = [];
const spill = {
  keep: (text: string) => {
    spilled.push(text);
    return Promise.resolve(`/spill/${spilled.length}`);
  },
  isKeptFor: () => false,
};
const env = childEnvironment({
  ...process.env,
  PROVIDER_API_KEY: 'never-shown',
  BASH_ENV: '/nonexistent',
  'BASH_FUNC_ls%%': '() { echo hijacked; }',
});
const jobs = new BackgroundJobs();
/** What the lists do is tested over HTTP. */
const desks = { todos: {} as TodoDesk, workflows: {} as WorkflowDesk };
const posture = {} as Posture;
const toolbox = createToolbox({ clock: systemClock, env, spill, jobs, endMarked: killMarked, ...desks });
const validator = createParamsValidator();

let base: string;
let cwd: string;
let filesRead: FilesRead;
let signal: AbortSignal;
let denied: (path: string) => boolean;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'tools-')));
  cwd = join(base, 'app');
  await mkdir(cwd);
  filesRead = createFilesRead();
  signal = new AbortController().signal;
  denied = () => false;
});

afterEach(() => rm(base, { recursive: true, force: true }));

const toolNamed = (name: string): RunnableTool => toolbox.find((tool) => tool.name === name) as RunnableTool;

/** Runs a tool as the runner does, less the gates; `between` happens after the paths were judged. */
const call = async (
  name: string,
  params: JsonObject,
  between?: (paths: PathFact[]) => Promise<unknown>,
): Promise<ToolResult> => {
  const tool = toolNamed(name);
  expect(validator.faults(tool.inputSchema, params)).toEqual([]);
  const paths = await createFileFacts(base).gather(cwd, tool.reach(params).paths);
  await between?.(paths);
  return tool
    .run(params, { owner: 'session:a', posture, cwd, paths, signal, filesRead, isDenied: denied })
    .catch((error: Error): ToolResult => ({ ok: false, output: error.message, isError: true }));
};

const put = async (name: string, content: string | Uint8Array): Promise<string> => {
  const path = join(cwd, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content);
  return path;
};
const text = (name: string): Promise<string> => readFile(join(cwd, name), 'utf8');
const stampOf = async (path: string): Promise<string> => fileStamp(await stat(path, { bigint: true }));

describe('every tool', () => {
  test('has a schema that says what each param is for and bounds it, and refuses what it does not know', () => {
    for (const { name, description, inputSchema, permissionKey, readOnly } of toolbox) {
      expect(name).toMatch(/^[a-z_]{3,30}$/);
      expect(description.length).toBeGreaterThan(40);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect([name, /\.(read|fetch)$/.test(permissionKey ?? '')]).toEqual([name, readOnly]);
      for (const [param, schema] of Object.entries(inputSchema['properties'] as Record<string, JsonObject>)) {
        expect([name, param, typeof schema['description']]).toEqual([name, param, 'string']);
        const bound = { string: 'maxLength', integer: 'maximum', array: 'maxItems' }[schema['type'] as string];
        if (bound && !schema['enum']) expect([name, param, typeof schema[bound]]).toEqual([name, param, 'number']);
        if (schema['default'] !== undefined)
          expect(validator.faults(schema, schema['default'] as unknown as JsonObject)).toEqual([]);
      }
    }
  });

  test('is there once, read-only ones first, and only when its program is', () => {
    const names = toolbox.map(({ name }) => name);
    expect(names).toEqual([
      'read_file',
      'list_dir',
      'glob_files',
      'grep',
      'file_info',
      'web_fetch',
      'git_status',
      'git_diff',
      'git_log',
      'todo_read',
      'read_workflow',
      'bash_job_wait',
      'write_file',
      'edit_file',
      'multi_edit',
      'move_file',
      'delete_file',
      'make_dir',
      'todo_write',
      'upsert_workflow',
      'bash',
      'ask_question_to_user',
    ]);
    const bare = createToolbox({
      clock: systemClock,
      env: { PATH: '/nonexistent:' },
      spill,
      jobs,
      endMarked: killMarked,
      ...desks,
    }).map(({ name }) => name);
    expect(names.filter((name) => !bare.includes(name))).toEqual([
      'git_status',
      'git_diff',
      'git_log',
      'bash_job_wait',
      'bash',
    ]);
  });

  test('refuses a path with NUL in its schema', () => {
    expect(validator.faults(toolNamed('read_file').inputSchema, { path: 'a\0b' })).toMatchObject([
      { keyword: 'pattern' },
    ]);
    expect(validator.faults(toolNamed('read_file').inputSchema, { path: '' })).toMatchObject([
      { keyword: 'minLength' },
      { keyword: 'pattern' },
    ]);
  });
});

describe('read_file', () => {
  test('returns a text as it is', async () => {
    for (const content of ['', 'no newline', 'a\n', '\n\n', 'a\r\nb\r\n', '\ufeffbom', 'é😀\n']) {
      await put('a', content);
      const hint = content === '' ? { hint: 'the file is empty' } : {};
      expect(await call('read_file', { path: 'a' })).toEqual({ ok: true, output: content, ...hint });
    }
  });

  test('returns the lines that were asked for and says how to go on', async () => {
    await put('a', 'one\ntwo\nthree\nfour\n');
    expect(await call('read_file', { path: 'a', offset: 2, limit: 2 })).toEqual({
      ok: true,
      output: 'two\nthree\n',
      truncated: true,
      originalBytes: 19,
      hint: 'stopped in line 3; read on with offset 4',
    });
    expect(await call('read_file', { path: 'a', offset: 3 })).toEqual({ ok: true, output: 'three\nfour\n' });
    expect(await call('read_file', { path: 'a', offset: 4, limit: 1 })).toEqual({ ok: true, output: 'four\n' });
  });

  test('says why there is nothing, why it does not go on, and what is no text', async () => {
    const hint = async (more: JsonObject = {}) => (await call('read_file', { path: 'a', ...more })).hint;
    await put('a', 'one\ntwo\n');
    expect(await hint({ offset: 9 })).toBe('line 9 is past the end; the file has 2 line breaks');
    await put('a', `one\n${'x'.repeat(100)}\n`);
    expect(await hint({ max_bytes: 10 })).toBe('stopped in line 2; read on with offset 2');
    expect(await hint({ max_bytes: 10, offset: 2 })).toMatch(/^line 2 alone is longer than max_bytes/);
    await put('a', Buffer.from('caf\xe9\n', 'latin1'));
    expect(await hint()).toMatch(/^it is no UTF-8/);
  });

  test('stops at its byte limit, never inside a character', async () => {
    await put('a', 'é'.repeat(300_000));
    const result = await call('read_file', { path: 'a' });
    expect(result).toMatchObject({ ok: true, truncated: true, originalBytes: 600_000 });
    expect(result.output).toBe('é'.repeat(131_072));
    expect((await call('read_file', { path: 'a', max_bytes: 5 })).output).toBe('éé');
    await put('b', '😀😀');
    for (const [bytes, expected] of [
      [3, ''],
      [4, '😀'],
      [7, '😀'],
      [8, '😀😀'],
    ] as const) {
      expect((await call('read_file', { path: 'b', max_bytes: bytes })).output).toBe(expected);
    }
  });

  test('any window of lines is what splitting says', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.string({ maxLength: 5 }).filter((line) => !/[\n\0]/.test(line)),
          { maxLength: 8 },
        ),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        async (lines, offset, limit) => {
          const content = lines.map((line) => `${line}\n`).join('');
          await put('a', content);
          const { output } = await call('read_file', { path: 'a', offset, limit });
          expect(output).toBe(
            lines
              .slice(offset - 1, offset - 1 + limit)
              .map((line) => `${Buffer.from(line).toString()}\n`)
              .join(''),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test('names a binary file and does not return it, and that counts as having read it', async () => {
    const path = await put('a', Buffer.from([0x7f, 0x45, 0, 1]));
    expect(await call('read_file', { path: 'a' })).toMatchObject({
      ok: false,
      errorCode: 'tool_error',
      output: expect.stringContaining('binary file of 4 bytes'),
    });
    expect(filesRead.stampOf(path)).toBe(await stampOf(path));
  });

  test('refuses what is no regular file without waiting for it', async () => {
    spawnSync('mkfifo', [join(cwd, 'pipe')]);
    await symlink('nowhere', join(cwd, 'dangling'));
    for (const path of [
      'pipe',
      'dangling',
      '.',
      'missing',
      '/dev/zero',
      '/proc/self/environ',
      '/proc/self/fd/0',
      '/sys/kernel',
      'a/b',
      '/dev/stdin',
    ]) {
      const { ok, output } = await call('read_file', { path });
      expect([path, ok, output]).toEqual([
        path,
        false,
        expect.stringMatching(/no regular file|is a folder|does not exist|link/),
      ]);
    }
  });

  test('refuses what was put in its place after it was judged', async () => {
    const secret = join(base, 'secret');
    await writeFile(secret, 'SECRET');
    const swaps: Record<string, () => Promise<unknown>> = {
      'a link in place of the file': async () => (await rm(join(cwd, 'd/a')), symlink(secret, join(cwd, 'd/a'))),
      'a link in place of its folder': async () => {
        await rename(join(cwd, 'd'), join(cwd, 'moved'));
        await mkdir(join(base, 'other'), { recursive: true });
        await writeFile(join(base, 'other/a'), 'SECRET');
        return symlink(join(base, 'other'), join(cwd, 'd'));
      },
      'a pipe': async () => (await rm(join(cwd, 'd/a')), spawnSync('mkfifo', [join(cwd, 'd/a')])),
    };
    for (const [what, swap] of Object.entries(swaps)) {
      await rm(cwd, { recursive: true });
      await put('d/a', 'fine');
      const { ok, output } = await call('read_file', { path: 'd/a' }, swap);
      expect([what, ok, output.includes('SECRET')]).toEqual([what, false, false]);
    }
  });
});

describe('file facts', () => {
  test('follow the kernel through links and dots, and tell kinds and stamps', async () => {
    await put('d/a', 'x');
    await symlink(join(cwd, 'd'), join(base, 'short'));
    const [file, dots, folder, missing, homeFile, below] = await createFileFacts(base).gather(cwd, [
      { path: 'd/a', access: 'read' },
      { path: '../short/../d/a', access: 'read' },
      { path: '../short', access: 'read' },
      { path: 'new/deep/file', access: 'write' },
      { path: '~/app/d/a', access: 'read' },
      { path: 'd/a/b', access: 'read' },
    ]);
    const path = join(cwd, 'd/a');
    expect(file).toEqual({
      path: 'd/a',
      access: 'read',
      lexical: path,
      real: path,
      kind: 'file',
      stamp: await stampOf(path),
    });
    // `short/..` is the folder in which the target is, not the folder in which the link is.
    expect(dots).toMatchObject({ lexical: join(base, 'd/a'), real: path, kind: 'file' });
    expect(folder).toMatchObject({ real: join(cwd, 'd'), kind: 'directory' });
    expect(missing).toMatchObject({ real: join(cwd, 'new/deep/file'), kind: 'missing' });
    expect(homeFile).toMatchObject({ real: path, kind: 'file' });
    expect(below).toMatchObject({ kind: 'missing' });
  });

  test('of what only the shell knows are as wide as the shell', async () => {
    await mkdir(join(cwd, 'many'));
    await Promise.all(Array.from({ length: 5_001 }, (_, at) => writeFile(join(cwd, 'many', `${at}`), '')));
    const real = async (path: string, glob?: true): Promise<string[]> => {
      const facts = await createFileFacts(base).gather(cwd, [{ path, access: 'read', ...(glob ? { glob } : {}) }]);
      return facts.map((fact) => `${fact.kind} ${fact.real}`);
    };
    expect(await real('many/*', true)).toEqual([`special ${join(cwd, 'many')}/*`]);
    expect(await real('.*', true)).toContain(`directory ${dirname(cwd)}`);
    expect(await real(`~${userInfo().username}/.x-y-z`)).toEqual([`missing ${userInfo().homedir}/.x-y-z`]);
    expect(await real('~+/x')).toEqual([`missing ${cwd}/x`]);
  });

  test('of strange paths are facts too', async () => {
    await symlink('loop', join(cwd, 'loop'));
    const paths = ['loop', 'x'.repeat(300), `${'y/'.repeat(2_000)}z`, '', 'missing/../x'];
    const facts = await createFileFacts(base).gather(
      cwd,
      paths.map((path) => ({ path, access: 'read' })),
    );
    expect(facts.map(({ kind }) => kind)).toEqual(['special', 'missing', 'missing', 'directory', 'special']);
  });

  test('a stamp changes with the content, and with another file of the same name', async () => {
    const path = await put('a', 'x');
    const before = await stampOf(path);
    await writeFile(path, 'y');
    const after = await stampOf(path);
    await rename(await put('b', 'y'), path);
    expect(new Set([before, after, await stampOf(path)]).size).toBe(3);
  });

  test('hold the truth under random trees of links: nothing outside is called inside', async () => {
    const names = ['a', 'b', 'c'];
    const segment = fc.constantFrom(...names, '..', '.');
    const tree = fc.array(
      fc.record({
        at: fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 2 }),
        to: fc.array(segment, { maxLength: 4 }),
        kind: fc.constantFrom('link', 'absolute link', 'file', 'folder'),
      }),
      { maxLength: 8 },
    );
    const secret = join(base, 'secret');
    await writeFile(secret, 'SECRET');
    await fc.assert(
      fc.asyncProperty(
        tree,
        fc.array(fc.array(segment, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 }),
        async (entries, asked) => {
          for (const name of await readdir(base))
            if (name !== 'secret') await rm(join(base, name), { recursive: true });
          await mkdir(cwd);
          for (const { at, to, kind } of entries) {
            const path = join(cwd, ...at);
            await mkdir(join(path, '..'), { recursive: true }).catch(() => {});
            if (kind === 'file') await writeFile(path, 'inside', { flag: 'wx' }).catch(() => {});
            else if (kind === 'folder') await mkdir(path, { recursive: true }).catch(() => {});
            else await symlink(kind === 'link' ? to.join('/') || '.' : join(base, ...to), path).catch(() => {});
          }
          // Making the tree went through its links, too.
          const before = (await readdir(base)).toSorted();
          for (const segments of [...asked, ['a', '..', '..', 'secret'], ['..', 'secret']]) {
            const path = segments.join('/');
            const [fact] = await createFileFacts(base).gather(cwd, [{ path, access: 'read' }]);
            const truth = await realpath(`${cwd}/${path}`).catch(() => undefined);
            if (truth !== undefined) expect([path, fact?.real]).toEqual([path, truth]);
            if (!isInside((fact as PathFact).real, cwd)) continue;
            const { output } = await call('read_file', { path });
            expect(output).not.toContain('SECRET');
            await call('write_file', { path, content: 'written' });
            expect(await readFile(secret, 'utf8')).toBe('SECRET');
          }
          expect((await readdir(base)).toSorted()).toEqual(before);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('list_dir', () => {
  test('shows sorted names with their kinds', async () => {
    await put('b.txt', '');
    await put('.hidden', '');
    await mkdir(join(cwd, 'a'));
    await symlink('b.txt', join(cwd, 'c'));
    spawnSync('mkfifo', [join(cwd, 'p')]);
    expect(await call('list_dir', { path: '.' })).toEqual({
      ok: true,
      output: '.hidden\na/\nb.txt\nc -> b.txt\np (pipe)\n',
    });
  });

  test('is capped and says how many there are', async () => {
    for (const name of ['a', 'b', 'c']) await put(name, '');
    expect(await call('list_dir', { path: '.', limit: 2 })).toMatchObject({
      ok: true,
      output: 'a\nb\n',
      truncated: true,
      originalBytes: 6,
      hint: expect.stringContaining('3 entries'),
    });
  });

  test('refuses what is no folder', async () => {
    await put('a', '');
    for (const path of ['a', 'missing', '/proc', '/dev'])
      expect([path, (await call('list_dir', { path })).ok]).toEqual([path, false]);
  });
});

describe('write_file', () => {
  test('creates a file with the folders above it, and the session then knows it', async () => {
    expect(await call('write_file', { path: 'x/y/a', content: 'é' })).toEqual({
      ok: true,
      output: 'created x/y/a (2 bytes)',
    });
    expect(await text('x/y/a')).toBe('é');
    expect(filesRead.stampOf(join(cwd, 'x/y/a'))).toBe(await stampOf(join(cwd, 'x/y/a')));
  });

  test('replaces a file whole, keeps its mode, and leaves nothing beside it', async () => {
    const path = await put('a', 'old');
    await chmod(path, 0o750);
    expect(await call('write_file', { path: 'a', content: 'new' })).toMatchObject({ ok: true });
    expect([await text('a'), (await stat(path)).mode & 0o7777, await readdir(cwd)]).toEqual(['new', 0o750, ['a']]);
  });

  test('writes through a link to the file behind it', async () => {
    await put('real', 'old');
    await symlink('real', join(cwd, 'link'));
    await call('write_file', { path: 'link', content: 'new' });
    expect([await text('real'), (await lstat(join(cwd, 'link'))).isSymbolicLink()]).toEqual(['new', true]);
  });

  test('does nothing when the place is not what was judged', async () => {
    const outside = join(base, 'outside');
    await writeFile(outside, 'OUTSIDE');
    const swaps: Record<string, () => Promise<unknown>> = {
      'a file appeared': () => put('new', 'theirs'),
      'a link appeared': () => symlink(outside, join(cwd, 'new')),
      'the folder became a link': async () => (await rename(cwd, `${cwd}2`), symlink(base, cwd)),
    };
    for (const [what, swap] of Object.entries(swaps)) {
      await rm(cwd, { recursive: true, force: true });
      await mkdir(cwd);
      const { ok } = await call('write_file', { path: 'new', content: 'ours' }, swap);
      expect([what, ok, await readFile(outside, 'utf8')]).toEqual([what, false, 'OUTSIDE']);
      expect((await readdir(base)).includes('new')).toBe(false);
    }
    await rm(cwd, { force: true });
    await put('old', 'judged');
    const { ok, output } = await call('write_file', { path: 'old', content: 'ours' }, () => put('old', 'changed'));
    expect([ok, output, await text('old')]).toEqual([false, expect.stringContaining('changed meanwhile'), 'changed']);
  });

  test('refuses folders, pipes and links that lead nowhere', async () => {
    await mkdir(join(cwd, 'd'));
    spawnSync('mkfifo', [join(cwd, 'pipe')]);
    await symlink(join(base, 'elsewhere'), join(cwd, 'dangling'));
    for (const path of ['d', 'pipe', 'dangling', '/dev/null', '/proc/x'])
      expect([path, (await call('write_file', { path, content: 'x' })).ok]).toEqual([path, false]);
    expect(await readdir(base)).toEqual(['app']);
  });
});

describe('edit_file and multi_edit', () => {
  const edit = (old_string: string, new_string: string, more: JsonObject = {}) =>
    call('edit_file', { path: 'a', old_string, new_string, ...more });

  test('replace text that occurs exactly once', async () => {
    const path = await put('a', 'one two\n');
    expect(await edit('two', '$& $1 2')).toEqual({ ok: true, output: 'changed a in 1 place' });
    expect(await text('a')).toBe('one $& $1 2\n');
    expect(filesRead.stampOf(path)).toBe(await stampOf(path));
  });

  test('do not guess: text that is not there, or there twice, changes nothing', async () => {
    await put('a', 'x x\n');
    expect(await edit('y', 'z')).toMatchObject({
      ok: false,
      errorCode: 'tool_error',
      output: expect.stringContaining('not in the file'),
    });
    expect(await edit('x', 'z')).toMatchObject({ ok: false, output: expect.stringContaining('2 times') });
    expect(await edit('x', 'x')).toMatchObject({ ok: false });
    expect(await text('a')).toBe('x x\n');
    expect(await edit('x', 'z', { replace_all: true })).toMatchObject({ output: 'changed a in 2 places' });
    expect(await text('a')).toBe('z z\n');
  });

  test('show what may have been meant when text is not there', async () => {
    await put('a', 'def f(a, b):\n\treturn b\n\nsay(\u201chello\u201d)\nx\nx\n');
    const output = async (old_string: string): Promise<string> => (await edit(old_string, 'z')).output;
    expect(await output('\ndef f(a,b):\n    return b\n')).toMatch(
      /only white space differs from lines 1-2:\ndef f\(a, b\):\n\treturn b$/,
    );
    expect(await output('say("hello")')).toMatch(/only quotation marks or dashes differ from line 4:\nsay/);
    expect(await output('b):\\n\\treturn b')).toContain('in place of \\n');
    expect(await output('def g(a, b):\n\treturn c')).toMatch(
      /the most like it is lines 1-2:\ndef f\(a, b\):\n\treturn b$/,
    );
    expect(await output('nothing like it')).toMatch(/white space included$/);
    expect(await output('x\n')).toContain('2 times, in lines 5, 6;');
  });

  test('keep line ends and a byte-order mark', async () => {
    await put('a', '\ufeffone\r\ntwo\r\n');
    expect(await edit('one\ntwo', '1\n2')).toMatchObject({ ok: true });
    expect(await text('a')).toBe('\ufeff1\r\n2\r\n');
  });

  test('refuse a file that is no UTF-8, or changed after it was judged', async () => {
    await put('a', Buffer.from([0x61, 0xff, 0x62]));
    expect(await edit('a', 'b')).toMatchObject({ ok: false, output: expect.stringContaining('UTF-8') });
    await put('a', 'x');
    const late = await call('edit_file', { path: 'a', old_string: 'x', new_string: 'y' }, () => put('a', 'x!'));
    expect([late.ok, await text('a')]).toEqual([false, 'x!']);
    expect(await call('edit_file', { path: 'missing', old_string: 'x', new_string: 'y' })).toMatchObject({ ok: false });
  });

  test('make all edits or none, each on the result of the one before', async () => {
    await put('a', 'one two\n');
    const edits = (...pairs: [string, string][]) => ({
      path: 'a',
      edits: pairs.map(([old_string, new_string]) => ({ old_string, new_string })),
    });
    expect(await call('multi_edit', edits(['one', 'three'], ['nothing', 'x']))).toMatchObject({
      ok: false,
      output: expect.stringMatching(/^nothing was changed: edit 2 of 2/),
    });
    expect(await text('a')).toBe('one two\n');
    expect(await call('multi_edit', edits(['one', 'three'], ['three two', 'four']))).toMatchObject({
      ok: true,
      output: 'changed a in 2 places',
    });
    expect(await text('a')).toBe('four\n');
  });
});

describe('move_file, delete_file, make_dir and file_info', () => {
  test('move a file to where nothing is, and remember that it was read', async () => {
    const path = await put('a', 'x');
    filesRead.note(path, await stampOf(path));
    expect(await call('move_file', { from: 'a', to: 'd/b' })).toEqual({ ok: true, output: 'moved a to d/b' });
    expect([await text('d/b'), await readdir(cwd)]).toEqual(['x', ['d']]);
    expect(filesRead.stampOf(join(cwd, 'd/b'))).toBe(await stampOf(join(cwd, 'd/b')));
  });

  test('never replace', async () => {
    await put('a', 'ours');
    await put('b', 'theirs');
    await mkdir(join(cwd, 'd'));
    await symlink('a', join(cwd, 'link'));
    for (const to of ['b', 'd', 'link'])
      expect([to, (await call('move_file', { from: 'a', to })).ok]).toEqual([to, false]);
    const late = await call('move_file', { from: 'a', to: 'new' }, () => put('new', 'theirs'));
    expect([late.ok, await text('new'), await text('a')]).toEqual([false, 'theirs', 'ours']);
    for (const from of ['d', 'link', 'missing'])
      expect([from, (await call('move_file', { from, to: 'x' })).ok]).toEqual([from, false]);
    expect((await readdir(cwd)).toSorted()).toEqual(['a', 'b', 'd', 'link', 'new']);
  });

  test('delete one file or one empty folder, and no link', async () => {
    await put('a', 'x');
    await put('full/a', 'x');
    await mkdir(join(cwd, 'empty'));
    await symlink('full/a', join(cwd, 'link'));
    expect(await call('delete_file', { path: 'a' })).toEqual({ ok: true, output: 'deleted a' });
    expect(await call('delete_file', { path: 'empty' })).toMatchObject({ ok: true });
    for (const path of ['full', 'link', 'missing'])
      expect([path, (await call('delete_file', { path })).ok]).toEqual([path, false]);
    const late = await call('delete_file', { path: 'full/a' }, () => put('full/a', 'changed'));
    expect([late.ok, await text('full/a')]).toEqual([false, 'changed']);
  });

  test('make folders, again and again', async () => {
    expect(await call('make_dir', { path: 'a/b/c' })).toEqual({ ok: true, output: 'made a/b/c' });
    expect(await call('make_dir', { path: 'a/b/c' })).toEqual({ ok: true, output: 'a/b/c exists already' });
    await put('f', '');
    for (const path of ['f', 'f/g', '/proc/x/y'])
      expect([path, (await call('make_dir', { path })).ok]).toEqual([path, false]);
  });

  test('tell about a file', async () => {
    const path = await put('a', 'abc');
    await chmod(path, 0o640);
    await utimes(path, 0, 86_400);
    await symlink('a', join(cwd, 'link'));
    expect((await call('file_info', { path: 'link' })).output).toBe(
      `kind: file\nbytes: 3\nmodified: 1970-01-02T00:00:00.000Z\nmode: 0640\nreal_path: ${path}\n`,
    );
    expect((await call('file_info', { path: '.' })).output).toContain('kind: directory');
    expect(await call('file_info', { path: 'missing' })).toMatchObject({ ok: false });
  });
});

describe('glob_files and grep', () => {
  beforeEach(async () => {
    await put('src/a.ts', 'const one = 1;\nconst two = 2;\r\n');
    await put('src/deep/b.ts', 'one\n');
    await put('src/c.js', 'ONE (1)\n');
    await put('.env', 'one\n');
    await put('node_modules/x/one.ts', 'one\n');
    await put('.git/one', 'one\n');
    await put('bin', Buffer.from('one\0'));
    await mkdir(join(base, 'outside'));
    await writeFile(join(base, 'outside/one.ts'), 'one\n');
    await symlink(join(base, 'outside'), join(cwd, 'src/link'));
    await symlink(join(base, 'outside/one.ts'), join(cwd, 'src/file-link.ts'));
  });

  test('find by pattern, leaving out what others wrote, and follow no link', async () => {
    const glob = async (pattern: string, more: JsonObject = {}) =>
      (await call('glob_files', { pattern, ...more })).output.split('\n').slice(0, -1);
    expect(await glob('**/*.ts')).toEqual(['src/a.ts', 'src/deep/b.ts']);
    expect(await glob('*.ts')).toEqual(['src/a.ts', 'src/deep/b.ts']);
    expect(await glob('src/*.ts')).toEqual(['src/a.ts']);
    expect(await glob('*.ts', { path: 'src/deep' })).toEqual(['b.ts']);
    expect(await glob('node_modules/**/*.ts')).toEqual(['node_modules/x/one.ts']);
    expect(await glob('.env')).toEqual(['.env']);
    expect(await call('glob_files', { pattern: '*', max_results: 1 })).toMatchObject({
      truncated: true,
      hint: expect.stringContaining('5 paths'),
    });
    expect(await call('glob_files', { pattern: '*', path: 'src/a.ts' })).toMatchObject({ ok: false });
  });

  test('search lines, leaving out binary files', async () => {
    const grep = async (pattern: string, more: JsonObject = {}) => (await call('grep', { pattern, ...more })).output;
    expect(await grep('one')).toBe('.env:1:one\nsrc/a.ts:1:const one = 1;\nsrc/deep/b.ts:1:one\n');
    expect(await grep('^one$', { path: 'src' })).toBe('deep/b.ts:1:one\n');
    expect(await grep('two = \\d;$')).toBe('src/a.ts:2:const two = 2;\n');
    expect(await grep('one (1)', { fixed_string: true, ignore_case: true })).toBe('src/c.js:1:ONE (1)\n');
    expect(await grep('one', { glob: '*.ts', files_only: true })).toBe('src/a.ts\nsrc/deep/b.ts\n');
    expect(await grep('one', { path: 'src/a.ts' })).toBe('src/a.ts:1:const one = 1;\n');
    expect(await call('grep', { pattern: 'nothing' })).toEqual({ ok: true, output: '', hint: 'no line matches' });
    expect((await call('grep', { pattern: 'a\\nb' })).hint).toContain('one by one');
    expect((await call('grep', { pattern: '(?i)x' })).output).toContain('set ignore_case');
    expect(await call('grep', { pattern: 'one', max_results: 1 })).toMatchObject({
      output: '.env:1:one\n',
      truncated: true,
    });
    expect(await call('grep', { pattern: '(' })).toMatchObject({
      ok: false,
      output: expect.stringContaining('no regular expression'),
    });
    expect(await call('grep', { pattern: 'x', path: 'missing' })).toMatchObject({ ok: false });
  });

  test('show the lines around a match, none twice, and of a long line what is around the match', async () => {
    await put('deep/around', 'a1\r\n\nb2\r\nc3\nd4\ne5\nf6\ng7\nh8\n');
    const grep = async (pattern: string, more: JsonObject = {}) =>
      (await call('grep', { pattern, path: 'deep/around', context: 2, ...more })).output.replaceAll('deep/around', '');
    expect(await grep('[bd]\\d|h8')).toBe('-1-a1\n-2-\n:3:b2\n-4-c3\n:5:d4\n-6-e5\n-7-f6\n-8-g7\n:9:h8\n');
    expect(await grep('b2', { files_only: true })).toBe('\n');
    expect(await grep('b2', { context: 1, max_results: 1 })).toBe('-2-\n:3:b2\n-4-c3\n');
    await put('deep/around', `${'x'.repeat(5_000)}\u00c4needle${'y'.repeat(5_000)}\n`);
    const long = await grep('\\p{Lu}needle');
    expect([long.includes('\u00c4needle'), long.length < 520]).toEqual([true, true]);
    await put('deep/around', 'a\0b');
    expect(await grep('a')).toContain('binary');
  });

  test('tell that nothing was found, and what the pattern has to be relative to', async () => {
    const glob = (pattern: string) => call('glob_files', { pattern });
    expect(await glob('none.*')).toMatchObject({ ok: true, output: '', hint: expect.stringContaining('no file') });
    for (const pattern of ['/**/*.ts', '~/*.ts', '../*'])
      expect(await glob(pattern)).toMatchObject({ ok: false, output: expect.stringContaining('relative to path') });
  });

  test('do not look where the deny list forbids', async () => {
    denied = (path) => isInside(path, join(cwd, 'src/deep')) || path === join(cwd, '.env');
    expect((await call('grep', { pattern: 'one' })).output).toBe('src/a.ts:1:const one = 1;\n');
    expect((await call('glob_files', { pattern: '*.ts' })).output).toBe('src/a.ts\n');
  });

  test('leave out what .gitignore names, as git does, unless asked for everything', async () => {
    const tree = join(base, 'repository');
    const files: Record<string, string> = {
      '.gitignore':
        '\uFEFF# made\n*.log\n/build/\nlib/made/**\n!important.log\nsub/*.tmp\ntrailing \nspace\\ \n\r\nAbc\n\\#odd\n',
      'a.log': '',
      'important.log': '',
      'build/x': '',
      'deep/build/x': '',
      'lib/made/x/y': '',
      'lib/kept': '',
      'sub/a.tmp': '',
      'sub/deep/a.tmp': '',
      'sub/.gitignore': '!a.log\n/here\nany\nwith/slash\n!*.tmp\nfolder/\n',
      'sub/a.log': '',
      'sub/here': '',
      'sub/deep/here': '',
      'sub/deep/any': '',
      'sub/with/slash': '',
      'sub/deep/with/slash': '',
      'sub/folder/x': '',
      'sub/deep/folder': '',
      'odd [x]!/.gitignore': '*.x\n!keep.x\n',
      'odd [x]!/a.x': '',
      'odd [x]!/keep.x': '',
      'odd x/a.x': '',
      'parent/.gitignore': 'closed/\n',
      'parent/closed/.gitignore': '!back\n',
      'parent/closed/back': '',
      'sub/build/.gitignore': '!*\n',
      'sub/build/x': '',
      trailing: '',
      'space ': '',
      abc: '',
      '#odd': '',
      excluded: '',
      'deep/excluded': '',
    };
    for (const [name, content] of Object.entries(files)) await put(`../repository/${name}`, content);
    const git = (...args: string[]) => execFileSync('git', ['-C', tree, ...args], { encoding: 'utf8' });
    git('init', '-q');
    await writeFile(join(tree, '.git/info/exclude'), 'excluded\n');
    const sorted = (text: string, separator: string) => text.split(separator).slice(0, -1).toSorted();
    const listed = async (more: JsonObject = {}) =>
      sorted((await call('glob_files', { pattern: '**', path: tree, ...more })).output, '\n');
    const ofGit = (...args: string[]) => sorted(git('ls-files', '-z', '-o', ...args), '\0');
    expect(await listed()).toEqual(ofGit('--exclude-standard'));
    expect(await listed({ include_ignored: true })).toEqual(ofGit());
    expect(await listed({ path: join(tree, 'sub') })).toEqual(
      ofGit('--exclude-standard', 'sub').map((name) => name.slice(4)),
    );
    // A place that was asked for is looked at, and a repository in another one goes by its own rules.
    expect(await listed({ path: join(tree, 'build') })).toEqual(['x']);
    await put('../repository/inner/a.log', '');
    await put('../repository/inner/own', '');
    await put('../repository/inner/.gitignore', 'own\n');
    execFileSync('git', ['init', '-q', join(tree, 'inner')]);
    expect((await listed()).filter((name) => name.startsWith('inner/'))).toEqual(['inner/.gitignore', 'inner/a.log']);

    await put('../repository/a.log', 'one\n');
    await put('../repository/sub/a.log', 'one\n');
    const grep = async (more: JsonObject = {}) => (await call('grep', { pattern: 'one', path: tree, ...more })).output;
    expect(await grep()).toBe('sub/a.log:1:one\n');
    expect(await grep({ include_ignored: true })).toBe('a.log:1:one\nsub/a.log:1:one\n');
  });

  test('leave out what patterns of names match, as git does', async () => {
    const tree = join(base, 'names');
    await put(
      '../names/.gitignore',
      'a[bc]d*\n[xy]z\nq?r\n*.py[co]\n/top.txt\ndeep/*.o\nold\\.txt\n!in/keep.pyc\nshut[/\n',
    );
    const names =
      'abdx,acd/file,aed,xz,yz/file,zz,qar,qr,m.pyc,m.py,top.txt,deep/a.o,a.o,old.txt,old_txt,keep.pyc,shut[';
    for (const name of names.split(',')) {
      await put(`../names/${name}`, '');
      await put(`../names/in/${name}`, '');
    }
    const git = (...args: string[]) => execFileSync('git', ['-C', tree, ...args], { encoding: 'utf8' });
    git('init', '-q');
    const { output } = await call('glob_files', { pattern: '**', path: tree });
    const listed = output.split('\n').toSorted();
    expect(listed).toEqual(git('ls-files', '-z', '-o', '--exclude-standard').split('\0').toSorted());
    expect(listed).toContain('in/keep.pyc');
  });

  test("leave out what the user's own ignores and those a worktree shares name, as git does", async () => {
    const tree = join(base, 'main');
    const worktree = join(base, 'worktree');
    const home = join(base, 'home');
    const gitEnv = { ...env, HOME: home, XDG_CONFIG_HOME: join(home, 'config'), GIT_CONFIG_NOSYSTEM: '1' };
    const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', env: gitEnv });
    const author = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', '-c', 'commit.gpgsign=false'];
    git('init', '-q', tree);
    git('-C', tree, ...author, 'commit', '-qm', 'x', '--allow-empty');
    git('-C', tree, 'worktree', 'add', '-q', worktree, '-b', 'other');
    await put('../main/.git/info/exclude', 'excluded\n');
    for (const folder of ['main', 'worktree']) {
      await put(`../${folder}/.gitignore`, '!kept.own\n');
      for (const name of ['excluded', 'a.usual', 'a.own', 'kept.own', 'a.repo', 'plain'])
        await put(`../${folder}/${name}`, '');
    }
    const tool = createGlobFilesTool(gitEnv);
    const agrees = async (gone: string): Promise<void> => {
      for (const path of [tree, worktree]) {
        const paths = await createFileFacts(base).gather(cwd, [{ path, access: 'read' }]);
        const context = { owner: 'session:a', posture, cwd, paths, signal, filesRead, isDenied: denied };
        const listed = (await tool.run({ pattern: '**', path }, context)).output.split('\n').slice(0, -1);
        const ofGit = git('-C', path, 'ls-files', '-z', '-o', '--exclude-standard').split('\0').slice(0, -1);
        expect(listed).toEqual(ofGit.toSorted());
        expect(listed).toContain('kept.own');
        for (const name of ['excluded', gone]) expect(listed).not.toContain(name);
      }
    };
    await put('../home/config/git/ignore', '*.usual\n');
    await agrees('a.usual');
    await put('../home/.gitconfig', '[core]\n\texcludesFile = "~/own ignores" ; mine\n[user]\n\tname = Ann\n');
    await put('../home/own ignores', '*.own\n');
    await agrees('a.own');
    git('-C', tree, 'config', 'core.excludesFile', join(home, 'repo ignores'));
    await put('../home/repo ignores', '*.repo\n');
    await agrees('a.repo');
  });

  test('find what plain searching finds, in whatever files', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\r', ' '), maxLength: 6 });
    const file = fc.array(line, { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(file, { maxLength: 5 }),
        fc.constantFrom('a', 'é b', '^b', 'a$', '[ab]{2}'),
        async (texts, pattern) => {
          await rm(cwd, { recursive: true });
          for (const [index, lines] of texts.entries()) await put(`d${index % 2}/f${index}`, lines.join('\n'));
          const expected = texts.flatMap((lines, index) =>
            lines.flatMap((content, at) => {
              const shown = content.replace(/\r$/, '');
              return new RegExp(pattern).test(shown) ? [`d${index % 2}/f${index}:${at + 1}:${shown}`] : [];
            }),
          );
          await mkdir(cwd, { recursive: true });
          const { output } = await call('grep', { pattern });
          expect(output.split('\n').slice(0, -1).toSorted()).toEqual(expected.toSorted());
        },
      ),
      { numRuns: 30 },
    );
  });

  test('an expression that would take for ever is stopped', async () => {
    await put('long', `${'a'.repeat(40)}!`);
    expect(await call('grep', { pattern: '^(a+)+$', path: 'long' })).toMatchObject({
      ok: false,
      output: expect.stringContaining('takes too long'),
    });
  });
});

describe('git tools', () => {
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', '-c', 'commit.gpgsign=false', ...args],
      { cwd, stdio: 'pipe' },
    ).toString();

  beforeEach(async () => {
    git('init', '-q', '-b', 'main');
    await put('a.txt', 'one\n');
    await put('.hoody/settings.json', '{"token":"OLD"}\n');
    git('add', '-A');
    git('commit', '-q', '-m', 'first');
  });

  test('show status, changes and history', async () => {
    await put('a.txt', 'two\n');
    await put('new', '');
    expect(await call('git_status', {})).toEqual({ ok: true, output: '## main\n M a.txt\n?? new\n' });
    expect((await call('git_diff', {})).output).toContain('-one\n+two\n');
    expect(await call('git_diff', { staged: true })).toEqual({ ok: true, output: '' });
    expect((await call('git_diff', { names_only: true, revision: 'HEAD' })).output).toBe('a.txt\n');
    expect(await call('git_diff', { max_bytes: 10 })).toMatchObject({ truncated: true });
    expect((await call('git_log', { limit: 1 })).output).toMatch(/^[0-9a-f]+ \S+ Ann: first\n$/);
    expect(await call('git_log', { revision: 'nowhere' })).toMatchObject({ ok: false, errorCode: 'tool_error' });
  });

  test('take a file as well, tell a rename as one, and name a file in conflict once', async () => {
    const path = 'b [x].txt';
    await put(path, 'one\n');
    git('add', '-A');
    git('commit', '-q', '-m', 'second');
    await put(path, 'two\n');
    await put('a.txt', 'two\n');
    expect((await call('git_status', { path })).output).toBe('## main\n M "b [x].txt"\n');
    expect((await call('git_diff', { path, names_only: true })).output).toBe('b [x].txt\n');
    expect((await call('git_log', { path })).output).toMatch(/^\S+ \S+ Ann: second\n$/);
    git('reset', '-q', '--hard');
    git('mv', 'a.txt', 'c.txt');
    expect((await call('git_diff', { staged: true })).output).toContain('rename from a.txt\nrename to c.txt\n');
    git('reset', '-q', '--hard');
    git('checkout', '-q', '-b', 'other');
    await put('a.txt', 'other\n');
    git('commit', '-qam', 'other');
    git('checkout', '-q', 'main');
    await put('a.txt', 'main\n');
    git('commit', '-qam', 'main');
    expect(() => git('merge', '-q', 'other')).toThrow();
    expect((await call('git_diff', { names_only: true })).output).toBe('a.txt\n');
  });

  test('do not show the contents of a denied file', async () => {
    denied = (path) => path.endsWith('/.hoody/settings.json');
    await put('.hoody/settings.json', '{"token":"NEW"}\n');
    await put('a.txt', 'two\n');
    const { output, hint } = await call('git_diff', {});
    expect([output.includes('+two'), /OLD|NEW/.test(output), hint]).toEqual([
      true,
      false,
      expect.stringContaining('1 changed file'),
    ]);
  });

  test('run nothing that the repository names', async () => {
    const marker = join(base, 'ran');
    await put('evil.sh', `#!/bin/sh\ntouch ${marker}\n`);
    await chmod(join(cwd, 'evil.sh'), 0o755);
    const evil = join(cwd, 'evil.sh');
    for (const [key, value] of [
      ['core.fsmonitor', evil],
      ['diff.external', evil],
      ['core.pager', evil],
      ['diff.x.textconv', evil],
      ['filter.x.clean', evil],
      ['filter.a=b.process', evil],
      ['filter.x.required', 'true'],
      ['core.hooksPath', cwd],
      ['log.showSignature', 'true'],
      ['gpg.program', evil],
    ] as const)
      git('config', key, value);
    await put('.gitattributes', '*.txt diff=x filter=x\n');
    // As long as before, so that git has to read it.
    await put('a.txt', 'two\n');
    for (const name of ['git_status', 'git_diff', 'git_log'])
      expect([name, (await call(name, {})).ok]).toEqual([name, true]);
    await expect(lstat(marker)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('take no option for a revision, and no folder outside a repository', async () => {
    for (const name of ['git_diff', 'git_log'])
      expect(validator.faults(toolNamed(name).inputSchema, { revision: '--output=x' })).toMatchObject([
        { keyword: 'pattern' },
      ]);
    await mkdir(join(base, 'plain'));
    for (const name of ['git_status', 'git_diff', 'git_log'])
      expect([name, (await call(name, { path: '../plain' })).ok]).toEqual([name, false]);
  });
});

describe('bash', () => {
  test('returns what is printed, and how it ended', async () => {
    expect(await call('bash', { command: 'echo out; echo err >&2; pwd' })).toEqual({
      ok: true,
      output: `out\nerr\n${cwd}\n`,
    });
    expect(await call('bash', { command: 'echo x; exit 3' })).toEqual({
      ok: false,
      output: 'x\n',
      isError: true,
      errorCode: 'tool_error',
      hint: 'exit code 3',
    });
    expect(await call('bash', { command: 'kill -9 $$' })).toMatchObject({ ok: false, hint: 'ended by SIGKILL' });
    expect(await call('bash', { command: 'cat' })).toEqual({ ok: true, output: '' });
  });

  test('gets a scrubbed environment and nothing that changes what words mean', async () => {
    const { output } = await call('bash', { command: 'env; type -t ls' });
    expect(output).not.toContain('never-shown');
    expect(output.split('\n').at(-2)).toBe('file');
  });

  test('keeps the beginning and the end of a long output, and the whole elsewhere', async () => {
    const { output, ok, truncated, originalBytes, hint } = await call('bash', {
      command: 'seq 1 10000',
      max_bytes: 1_000,
    });
    expect({ ok, truncated, originalBytes, hint }).toEqual({
      ok: true,
      truncated: true,
      originalBytes: 48_894,
      hint: `the output is kept in /spill/${spilled.length}`,
    });
    expect([output.startsWith('1\n2\n'), output.endsWith('9999\n10000\n'), output.length < 1_200]).toEqual([
      true,
      true,
      true,
    ]);
    expect(spilled.at(-1)).toHaveLength(48_894);
  });

  test('is ended with all it started when time is up, even when it does not want to', async () => {
    const command = 'trap "" TERM; sleep 300 & echo $!; echo $$; wait; sleep 300';
    const result = await call('bash', { command, timeout_ms: 300 });
    expect(result).toMatchObject({ ok: false, errorCode: 'timeout', hint: 'ended after 300 ms' });
    for (const pid of result.output.trim().split('\n')) await untilDead(Number(pid));
  });

  test('is ended when the run is cancelled', async () => {
    const controller = new AbortController();
    ({ signal } = controller);
    const started = join(cwd, 'started');
    const running = call('bash', { command: `echo here; touch ${started}; sleep 300` });
    while (!(await lstat(started).catch(() => undefined))) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await running).toMatchObject({ ok: false, errorCode: 'cancelled', output: 'here\n' });
  });

  test('does not wait for what it leaves running, and ends it', async () => {
    const { ok, output } = await call('bash', { command: 'sleep 300 & echo $!' });
    expect(ok).toBe(true);
    await untilDead(Number(output));
  });
});

describe('a shell line that misbehaves', () => {
  const MIB = 1024 * 1024;
  /** Above what the daemon needed before, while `work` was going on. */
  const extraMemory = async <T>(work: Promise<T>): Promise<{ result: T; extraMiB: number }> => {
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
    const result = await work;
    clearInterval(watch);
    return { result, extraMiB: (peak - before) / MIB };
  };

  test('by printing 200 MB costs bounded memory; its beginning and its true end are kept', async () => {
    const command = 'echo begin; head -c 200000000 /dev/zero | tr "\\0" x; echo; echo end';
    const { result, extraMiB } = await extraMemory(call('bash', { command, max_bytes: 1_000 }));
    expect(result).toMatchObject({ ok: true, truncated: true, originalBytes: 200_000_011 });
    expect(result.output).toMatch(/^begin\nx+\n\[… 199999011 bytes left out …\]\nx+\nend\n$/);
    const kept = spilled.at(-1) as string;
    expect(kept).toMatch(/^begin\nx{100}/);
    expect(kept).toMatch(/x{100}\nend\n$/);
    expect(kept).toMatch(/\n\[… \d+ bytes left out …\]\n/);
    expect(kept.length).toBeLessThan(17 * MIB);
    expect(extraMiB).toBeLessThan(200);
  });

  test('by printing for ever is ended by its time limit, in bounded memory', async () => {
    const { result, extraMiB } = await extraMemory(call('bash', { command: 'yes', timeout_ms: 700, max_bytes: 1_000 }));
    expect(result).toMatchObject({ ok: false, errorCode: 'timeout', truncated: true });
    expect(result.output.startsWith('y\ny\n')).toBe(true);
    expect(extraMiB).toBeLessThan(200);
  });

  test('by printing bytes that are no text comes back as text', async () => {
    const { output, ok } = await call('bash', { command: "printf 'a\\xff\\xc3\\x00\\xf0\\x9f\\x98z\\xe2\\x82'" });
    expect([ok, output]).toEqual([true, 'a\ufffd\ufffd\0\ufffdz']);
    const noise = await call('bash', { command: 'head -c 300000 /dev/urandom', max_bytes: 10_000 });
    expect([noise.ok, noise.originalBytes, Buffer.from(noise.output).toString() === noise.output]).toEqual([
      true,
      300_000,
      true,
    ]);
  });

  test('by starting 300 processes, some of which leave the group, leaves none behind when time is up', async () => {
    const mark = `misbehaving-${process.pid}-${Date.now()}`;
    await put('daemon.sh', '#!/bin/bash\n(setsid bash -c \'trap "" TERM HUP; while :; do sleep 60; done\' &)\n');
    const command = `export MARK=${mark}
      for i in $(seq 1 270); do sleep 300 & done
      for i in $(seq 1 30); do bash daemon.sh; done
      echo ready; wait`;
    const clock = new FakeClock();
    const tools = createBashTools({ clock, env, spill, jobs, endMarked: killMarked });
    const bash = tools.find(({ name }) => name === 'bash') as RunnableTool;
    const params = { command, timeout_ms: 1_000 };
    const running = bash.run(params, {
      owner: 'session:a',
      posture,
      cwd,
      paths: [],
      signal,
      filesRead,
      isDenied: denied,
    });
    await until(() => carrying('MARK', mark).length >= 300);
    await clock.advance(1_000);
    const result = await running;
    expect(result).toMatchObject({ ok: false, errorCode: 'timeout' });
    expect(carrying('MARK', mark)).toEqual([]);
    expect((await call('bash', { command: 'echo alive' })).output).toBe('alive\n');
  });

  test('loses nothing of what it printed when many end at once and the daemon is slow to look', async () => {
    const endMarked = (): Promise<void> => {
      const lookedUntil = Date.now() + 25;
      while (Date.now() < lookedUntil);
      return Promise.resolve();
    };
    const tools = createBashTools({ clock: systemClock, env, spill, jobs, endMarked });
    const bash = tools.find(({ name }) => name === 'bash') as RunnableTool;
    const context = { owner: 'session:a', posture, cwd, paths: [], filesRead, isDenied: denied };
    const many = Array.from({ length: 60 }, () =>
      bash.run({ command: 'sleep 0.5; echo printed' }, { ...context, signal: new AbortController().signal }),
    );
    expect(new Set((await Promise.all(many)).map(({ output }) => output))).toEqual(new Set(['printed\n']));
  });

  test('by leaving a daemon that holds its output open does not hold the run', async () => {
    const command = "setsid bash -c 'echo $$; exec sleep 300' & sleep 0.2";
    const { ok, output } = await call('bash', { command });
    expect(ok).toBe(true);
    await untilDead(Number(output));
  });
});

describe('bash in the background', () => {
  const wait = (output: string, more: JsonObject = {}): Promise<ToolResult> =>
    call('bash_job_wait', { job_id: output.trim(), ...more });

  test('returns at once; waiting tells what was printed and how it ended', async () => {
    const late = await call('bash', { command: 'echo one; mkfifo gate; cat gate; exit 2', background: true });
    expect(late).toMatchObject({ ok: true, output: expect.stringMatching(/^bash_[0-9a-f]{32}\n$/) });
    while (!(await lstat(join(cwd, 'gate')).catch(() => undefined)))
      await new Promise((resolve) => setImmediate(resolve));
    expect(await wait(late.output, { timeout_ms: 50 })).toEqual({ ok: true, output: 'one\n', hint: 'still running' });
    await writeFile(join(cwd, 'gate'), 'two\n');
    const ended = { ok: false, output: 'one\ntwo\n', isError: true, errorCode: 'tool_error', hint: 'exit code 2' };
    expect(await wait(late.output)).toEqual(ended);
    expect(await wait(late.output)).toEqual(ended);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('belongs to whoever started it, and ends with them', async () => {
    const { output, hint } = await call('bash', { command: 'sleep 300', background: true });
    const other = toolNamed('bash_job_wait').run(
      { job_id: output.trim() },
      { owner: 'session:b', posture, cwd, paths: [], signal, filesRead, isDenied: denied },
    );
    await expect(other).rejects.toThrow('no background job');
    await jobs.endOwner('session:b');
    expect(await wait(output, { timeout_ms: 0 })).toMatchObject({ hint: 'still running' });
    await jobs.endOwner('session:a');
    await untilDead(Number(/group (\d+)/.exec(hint as string)?.[1]));
    expect(await wait(output)).toMatchObject({ ok: false, output: expect.stringContaining('no background job') });
  });

  test('is limited in number, and forgets what ended long ago', async () => {
    const running = await Promise.all(
      Array.from({ length: 8 }, () => call('bash', { command: 'sleep 300', background: true })),
    );
    expect(running.every(({ ok }) => ok)).toBe(true);
    expect(await call('bash', { command: 'true', background: true })).toMatchObject({
      ok: false,
      output: expect.stringContaining('8 background jobs'),
    });
    await jobs.close();
    const done: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const { output } = await call('bash', { command: `echo ${index}`, background: true });
      await wait(output);
      done.push(output);
    }
    expect([(await wait(done[0] as string)).ok, (await wait(done[11] as string)).output]).toEqual([false, '11\n']);
  });

  test('a wait ends when its run is cancelled, and the job goes on', async () => {
    const { output } = await call('bash', { command: 'sleep 300', background: true });
    const controller = new AbortController();
    ({ signal } = controller);
    const waiting = wait(output);
    controller.abort();
    expect(await waiting).toMatchObject({ ok: false });
    ({ signal } = new AbortController());
    expect(await wait(output, { timeout_ms: 0 })).toMatchObject({ hint: 'still running' });
    await jobs.close();
  });
});

/** The kernel ends a killed process in its own time. One that is dead and only waits for its parent counts as ended. */
const untilDead = async (pid: number): Promise<void> => {
  expect(pid).toBeGreaterThan(1);
  await until(() => {
    const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)])
      .stdout.toString()
      .trim();
    return state === '' || state.startsWith('Z');
  });
};

test('a hard link to a replaced file keeps the old text', async () => {
  const path = await put('a', 'old');
  await link(path, join(cwd, 'b'));
  await call('write_file', { path: 'a', content: 'new' });
  expect([await text('a'), await text('b')]).toEqual(['new', 'old']);
});
