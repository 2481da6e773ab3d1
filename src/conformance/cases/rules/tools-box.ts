/** Rules of the Tools page about single tools: edits, moves, searches, the shell, the network. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { must, mustEqual } from '../../check.js';
import { mustAnswer } from '../../target.js';
import type { Rules } from '../rules.js';
import { exists, Folder, writer } from './tool-folder.js';

export const toolBoxRules: Rules = {
  'tools.toolbox.exact-edits': async (target) => {
    const { cwd, run } = await writer(target);
    const file = join(cwd, 'a.txt');
    await writeFile(file, 'one\ntwo\none\n');
    await run('read_file', { path: 'a.txt' });
    for (const old_string of ['one', 'three']) {
      mustEqual(
        (await run('edit_file', { path: 'a.txt', old_string, new_string: 'x' })).ok,
        false,
        `ok of replacing ${old_string}`,
      );
    }
    mustEqual(await readFile(file, 'utf8'), 'one\ntwo\none\n', 'the file');
    mustEqual((await run('edit_file', { path: 'a.txt', old_string: 'two', new_string: '2' })).ok, true, 'ok');
    mustEqual(await readFile(file, 'utf8'), 'one\n2\none\n', 'the file after the edit');
  },
  'tools.toolbox.all-or-nothing': async (target) => {
    const { cwd, run } = await writer(target);
    await writeFile(join(cwd, 'a.txt'), 'one\ntwo\n');
    await run('read_file', { path: 'a.txt' });
    const edits = [
      { old_string: 'one', new_string: '1' },
      { old_string: 'three', new_string: '3' },
    ];
    mustEqual((await run('multi_edit', { path: 'a.txt', edits })).ok, false, 'ok');
    mustEqual(await readFile(join(cwd, 'a.txt'), 'utf8'), 'one\ntwo\n', 'the file');
  },
  'tools.toolbox.never-replace': async (target) => {
    const { cwd, run } = await writer(target);
    await writeFile(join(cwd, 'a.txt'), 'a');
    await writeFile(join(cwd, 'b.txt'), 'b');
    for (const path of ['a.txt', 'b.txt']) await run('read_file', { path });
    mustEqual((await run('move_file', { from: 'a.txt', to: 'b.txt' })).ok, false, 'ok');
    mustEqual(await readFile(join(cwd, 'b.txt'), 'utf8'), 'b', 'the file that was there');
  },
  'tools.toolbox.gitignore': async (target) => {
    const folder = await Folder.open(target);
    await mkdir(folder.path('.git'));
    await writeFile(folder.path('.gitignore'), '*.log\n!keep.log\n');
    for (const name of ['a.log', 'keep.log', 'a.txt']) await writeFile(folder.path(name), 'conformance-needle');
    for (const [tool, params] of [
      ['glob_files', { pattern: '**/*' }],
      ['grep', { pattern: 'conformance-needle' }],
    ] as const) {
      const { output } = await folder.done(tool, params);
      must(output.includes('keep.log') && output.includes('a.txt'), `${tool} leaves out what git keeps`);
      must(!/(^|[/\s])a\.log/.test(output), `${tool} shows what git leaves out`);
      const all = await folder.done(tool, { ...params, include_ignored: true });
      must(all.output.includes('a.log'), `${tool} does not look there with include_ignored`);
    }
  },
  'tools.toolbox.schemas': async (target) => {
    const { json } = await target.expect(200, 'listTools');
    for (const { name, input_schema: schema } of json.items) {
      mustEqual(schema.additionalProperties, false, `additionalProperties of ${name}`);
      for (const [param, sub] of Object.entries<{ description?: string }>(schema.properties ?? {})) {
        must((sub.description ?? '') !== '', `${name} does not say what ${param} is for`);
      }
    }
  },
  'tools.bash.no-text': {
    features: ['tools.bash'],
    run: async (target) => {
      const folder = await Folder.open(target);
      const { json } = await folder.run('bash', {
        params: { command: String.raw`printf '\377\376abc'` },
        allow_mutations: true,
      });
      mustEqual([json?.ok, typeof json?.output], [true, 'string'], 'ok and the type of output');
      must(json.output.includes('abc'), 'the text in it is lost');
    },
  },
  'tools.bash.giant-output': {
    features: ['tools.bash'],
    run: async (target) => {
      const folder = await Folder.open(target);
      const command = 'echo first; head -c 5000000 /dev/zero | tr "\\0" x; echo last';
      const { json } = await folder.run('bash', { params: { command }, allow_mutations: true });
      mustEqual([json?.truncated, json?.original_bytes], [true, 5_000_011], 'truncated and original_bytes');
      must(json.output.startsWith('first') && json.output.trimEnd().endsWith('last'), 'beginning or end is not shown');
    },
  },
  'tools.bash.endless-output': {
    features: ['tools.bash'],
    run: async (target) => {
      const folder = await Folder.open(target);
      const { json } = await folder.run('bash', { params: { command: 'yes', timeout_ms: 300 }, allow_mutations: true });
      mustEqual([json?.ok, json?.error_code, json?.truncated], [false, 'timeout', true], 'the result');
    },
  },
  'tools.bash.every-child-gone': {
    features: ['tools.bash'],
    run: async (target) => {
      const folder = await Folder.open(target);
      const beat = folder.path('beat');
      const loop = `(setsid bash -c 'while :; do date +%s%N > ${beat}; sleep 0.02; done' >/dev/null 2>&1 &)`;
      const command = `${loop}; until [ -s ${beat} ]; do sleep 0.02; done`;
      mustAnswer(await folder.run('bash', { params: { command }, allow_mutations: true }), 200);
      must(await exists(beat), 'the daemon of the line did not start');
      await target.until('the end of what the line had started', async () => {
        const before = await readFile(beat, 'utf8');
        await new Promise((resolve) => setTimeout(resolve, 150));
        return before === (await readFile(beat, 'utf8'));
      });
    },
  },
  'tools.web-fetch.public-only': async (target) => {
    const folder = await Folder.open(target);
    for (const url of [
      'http://127.0.0.1:9/',
      'http://localhost:9/',
      'http://[::1]:9/',
      'http://2130706433:9/',
      'http://0x7f.1:9/',
    ]) {
      const { ok } = await folder.done('web_fetch', { url });
      must(ok === false, `${url} was fetched`);
    }
  },
};
