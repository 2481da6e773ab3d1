/** Rules of the Tools page about how far a run reaches: every way through the gates, questions, repositories, the network. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { must, mustEqual } from '../../check.js';
import { mustAnswer, type Target } from '../../target.js';
import type { Rules } from '../rules.js';
import { McpSession } from './mcp-session.js';
import { exists, Folder, stateOf } from './tool-folder.js';

const MIB = 1_024 * 1_024;
const GIANT_BYTES = 17 * MIB;

/** A repository with one committed file. */
const repository = async (target: Target): Promise<Folder> => {
  const folder = await Folder.open(target);
  const git = (...args: string[]) => promisify(execFile)('git', ['-C', folder.cwd, ...args]);
  await git('init', '-q');
  await writeFile(folder.path('a.txt'), 'before\n');
  await writeFile(folder.path('private.txt'), 'before\n');
  await git('add', '.');
  await git('-c', 'user.name=c', '-c', 'user.email=c@example.org', 'commit', '-qm', 'first');
  return folder;
};

/** A web server of ours, on this machine. */
const web = async (target: Target, answer: Parameters<typeof createServer>[1]): Promise<string> => {
  const server: Server = createServer(answer as never);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  target.defer(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** A folder whose install, the operator's own, lets web_fetch reach this machine. */
const fetching = async (target: Target) => {
  const folder = await Folder.open(target);
  const install = await target.folder();
  await target.write(`${install}/settings.json`, { tools: { web_fetch: { allow_private: true } } });
  const headers = { 'x-hoody-config-dir': install };
  return {
    folder,
    install,
    fetch: (url: string) => folder.done('web_fetch', { url }, { headers }),
  };
};

export const toolReachRules: Rules = {
  'tools.gates.every-gate': async (target) => {
    const folder = await Folder.open(target);
    await target.write(folder.path('.hoody/settings.json'), { deny_list: ['denied.txt'] });
    const body = { params: { path: 'denied.txt', content: 'x' }, allow_mutations: true };
    const { id } = await target.session({ cwd: folder.cwd });
    const results = {
      run: (await folder.run('write_file', body)).json,
      runAsync: (await folder.outcome('write_file', body)).result,
      stream: (await folder.events('write_file', body))[1]!.data,
      session: (await target.call('runSessionTool', { path: { id, name: 'write_file' }, body })).json,
    };
    for (const [way, result] of Object.entries(results)) {
      mustEqual(result?.error_code, 'denied_deny_list', `error_code by ${way}`);
    }
    must(!(await exists(folder.path('denied.txt'))), 'a denied run happened');
  },
  'tools.run.giant-output': async (target) => {
    const mcp = await McpSession.open(target);
    const { json } = await mcp.run(await mcp.connected(), 'big', { bytes: GIANT_BYTES });
    mustEqual([json.ok, json.truncated, json.original_bytes], [true, true, GIANT_BYTES], 'the result');
    must(json.output.length < GIANT_BYTES, 'the result is not cut');
    must(/\S/.test(json.hint ?? ''), 'there is no hint where the whole is kept');
  },
  'tools.run.caller-gone': {
    features: ['tools.bash'],
    run: async (target) => {
      const folder = await Folder.open(target);
      const beat = folder.path('beat');
      const body = { params: { command: `while :; do date +%s%N > beat; sleep 0.02; done` }, allow_mutations: true };
      const leaving = new AbortController();
      const call = { path: { name: 'bash' }, body, headers: folder.headers, signal: leaving.signal };
      const gone = target.client.call('runTool', call).catch(() => undefined);
      await target.until('the start of the run', () => exists(beat));
      leaving.abort();
      await gone;
      await target.until('the end of the run', async () => {
        const before = await readFile(beat, 'utf8');
        await new Promise((resolve) => setTimeout(resolve, 150));
        return before === (await readFile(beat, 'utf8'));
      });
    },
  },
  'tools.question.parked': async (target) => {
    const mcp = await McpSession.open(target);
    const running = mcp.run(await mcp.connected(), 'ask');
    const { pending_gate } = await stateOf(target, mcp.id, 'parked');
    mustEqual(pending_gate.type, 'question', 'the type of the gate');
    await target.expect(200, 'answerGate', { path: { id: mcp.id }, body: { answers: { environment: 'staging' } } });
    const { output } = (await running).json;
    mustEqual(JSON.parse(output), { action: 'accept', content: { environment: 'staging' } }, 'what the server got');
  },
  'tools.question.one-session': {
    features: ['mcp.stdio'],
    run: async (target) => {
      const mcp = await McpSession.open(target);
      const other = await McpSession.open(target, { beside: mcp });
      const name = await mcp.connected();
      await target.until('the server in both sessions', async () => (await other.row(name))?.connected === true);
      const busy = other.run(name, 'sleep', { ms: 600_000 });
      await stateOf(target, other.id, 'running');
      const { json } = await mcp.run(name, 'ask');
      mustEqual(JSON.parse(json.output).action, 'cancel', 'what the server got');
      await target.expect(200, 'cancelSession', { path: { id: other.id }, body: {} });
      await busy;
    },
  },
  'tools.deny-list.diffs': async (target) => {
    const folder = await repository(target);
    await writeFile(folder.path('a.txt'), 'open-content\n');
    await writeFile(folder.path('private.txt'), 'private-content\n');
    await target.write(folder.path('.hoody/settings.json'), { deny_list: ['private.txt'] });
    const json = await folder.done('git_diff', {});
    must(json.output.includes('open-content'), 'the diff lacks the open file');
    must(!JSON.stringify(json).includes('private-content'), 'the diff has the content of a denied file');
  },
  'tools.toolbox.git-runs-nothing': async (target) => {
    const folder = await repository(target);
    const marker = folder.path('ran');
    for (const key of ['core.fsmonitor', 'diff.external', 'core.pager', 'core.sshCommand']) {
      await promisify(execFile)('git', ['-C', folder.cwd, 'config', key, `touch ${marker}`]);
    }
    await writeFile(folder.path('a.txt'), 'changed\n');
    for (const tool of ['git_status', 'git_diff', 'git_log']) mustAnswer(await folder.run(tool, { params: {} }), 200);
    must(!(await exists(marker)), 'a git tool ran what the repository names');
  },
  'tools.toolbox.endless-expression': async (target) => {
    const folder = await Folder.open(target);
    await writeFile(folder.path('a.txt'), `${'a'.repeat(60)}!\n`);
    const searching = folder.run('grep', { params: { pattern: '^(a+)+$' } });
    await target.expect(200, 'getHealth');
    mustAnswer(await searching, 200);
  },
  'tools.web-fetch.setting': async (target) => {
    const url = await web(target, (_request, response) => response.end('reached'));
    const { folder, fetch, install } = await fetching(target);
    must((await fetch(url)).output.includes('reached'), 'the setting of the operator does not count');
    await target.write(`${install}/settings.local.json`, { tools: { web_fetch: { allow_private: false } } });
    must((await fetch(url)).ok === false, 'a layer that forbids it does not count');
    await target.write(folder.path('.hoody/settings.json'), { tools: { web_fetch: { allow_private: true } } });
    must((await folder.done('web_fetch', { url })).ok === false, 'the setting of a project counts');
  },
  'tools.web-fetch.redirects': async (target) => {
    const url = await web(target, (request, response) => {
      if (request.url === '/') response.writeHead(302, { location: 'file:///etc/hostname' }).end();
      else response.end('reached');
    });
    const { fetch } = await fetching(target);
    must((await fetch(`${url}/plain`)).ok === true, 'an address that is allowed is not fetched');
    must((await fetch(url)).ok === false, 'a redirect was followed that would be refused as a first url');
  },
  'tools.web-fetch.bounds': async (target) => {
    const url = await web(target, (_request, response) => {
      const more = (): void => {
        while (response.write('x'.repeat(MIB))) continue;
        response.once('drain', more);
      };
      response.writeHead(200, { 'content-type': 'text/plain' });
      more();
    });
    const { fetch } = await fetching(target);
    const json = await fetch(url);
    must(json.ok === false || json.truncated === true, 'an endless answer is not told to be cut');
  },
  'todos.tools.scope': async (target) => {
    const { id, cwd } = await target.session();
    await target.expect(200, 'setSessionYolo', { path: { id }, body: { enabled: true } });
    const title = target.name('todo');
    const run = async (name: string, params: object) =>
      (await target.expect(200, 'runSessionTool', { path: { id, name }, body: { params } })).json;
    mustEqual((await run('todo_write', { action: 'create', title })).ok, true, 'ok of creating one');
    must((await run('todo_read', { query: title })).output.includes(title), 'the tool does not see what it made');
    const { json } = await target.expect(200, 'listTodos', { headers: { 'x-hoody-cwd': cwd } });
    mustEqual(
      json.items.map((row: { title: string }) => row.title),
      [title],
      'the todos of the folder',
    );
    target.defer(async () => {
      const [{ id: todo, revision }] = json.items;
      await target.call('archiveTodo', { path: { id: todo }, body: { revision } });
    });
    const elsewhere = await target.session();
    const call = { path: { id: elsewhere.id, name: 'todo_read' }, body: { params: { query: title } } };
    must(!(await target.expect(200, 'runSessionTool', call)).json.output.includes(title), 'another folder sees it');
  },
};
