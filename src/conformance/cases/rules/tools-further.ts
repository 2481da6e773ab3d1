/** Further rules of tools: a question that is declined, nulls, tools that are not there yet, trees elsewhere, ignores. */
import { execFile } from 'node:child_process';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { must, mustEqual } from '../../check.js';
import { mustAnswer, type Target } from '../../target.js';
import type { Rules } from '../rules.js';
import { McpSession, toolName } from './mcp-session.js';
import { exists, Folder, stateOf } from './tool-folder.js';

/** Declines what a session waits for, which cannot be approved. */
const decline = async (target: Target, id: string): Promise<void> => {
  const path = { id };
  await stateOf(target, id, 'parked');
  await target.refused(409, 'gate_type_mismatch', 'confirmGate', { path, body: { approved: true } });
  await target.expect(200, 'confirmGate', { path, body: { approved: false } });
};

export const toolFurtherRules: Rules = {
  'tools.question.declined': async (target) => {
    const mcp = await McpSession.open(target);
    const asking = mcp.run(await mcp.connected(), 'ask');
    await decline(target, mcp.id);
    mustEqual(JSON.parse((await asking).json.output).action, 'decline', 'what the server was told');
    const path = { id: mcp.id, name: 'ask_question_to_user' };
    const builtIn = target.call('runSessionTool', { path, body: { params: { question: 'Which one?' } } });
    await decline(target, mcp.id);
    mustEqual((await builtIn).json?.is_error, true, 'is_error of the tool that asked');
  },
  'tools.params.strict-nulls': async (target) => {
    const folder = await Folder.open(target);
    await target.write(folder.path('a.txt'), 'one\ntwo\n');
    const read = (params: object) => folder.run('read_file', { params });
    const [plain, withNull] = [await read({ path: 'a.txt' }), await read({ path: 'a.txt', offset: null })];
    mustAnswer(withNull, 200);
    mustEqual(withNull.json.output, plain.json.output, 'the output with null for a member that may be absent');
    mustAnswer(await read({ path: null }), 400);
    mustAnswer(await read({ path: 5, offset: null }), 400);
  },
  'tools.approval.known-tool': {
    features: ['mcp.stdio'],
    run: async (target) => {
      const later = target.setting.mcp.child(target.name('srv'), { enabled: false });
      const mcp = await McpSession.open(target, { settings: [later] });
      const deny = (tool: string) =>
        target.call('setApprovalRule', { path: { id: mcp.id, tool }, body: { decision: 'deny' } });
      for (const nobody of ['no_such_tool', toolName('nobody', 'echo')]) {
        mustAnswer(await deny(nobody), 404, 'tool_not_found');
      }
      mustAnswer(await deny(toolName(later.name, 'echo')), 200);
      await mcp.enable(later.name, true);
      const denied = await mcp.run(later.name, 'echo', { text: 'x' });
      mustAnswer(denied, 200);
      mustEqual(denied.json.is_error, true, 'is_error of a tool that was denied before its server was connected');
    },
  },
  'tools.static-stakes.outside': {
    features: ['tools.bash'],
    run: async (target) => {
      const { id, cwd } = await target.session();
      await target.expect(200, 'setSessionYolo', { path: { id }, body: { enabled: true } });
      const remove = (tree: string) =>
        target.call('runSessionTool', { path: { id, name: 'bash' }, body: { params: { command: `rm -rf ${tree}` } } });
      // None of these is there.
      const name = target.name('tree');
      for (const elsewhere of [`/srv/${name}`, `~/${name}`, `/srv/../opt/${name}`]) {
        mustAnswer(await remove(elsewhere), 409, 'tool_needs_confirmation');
      }
      await mkdir(join(cwd, name, 'sub'), { recursive: true });
      for (const here of [name, `/tmp/${name}`, `~/.cache/${name}`]) {
        const removed = await remove(here);
        mustAnswer(removed, 200);
        mustEqual(
          removed.json.ok,
          true,
          `ok of a tree below ${here.slice(0, -name.length) || 'the working directory'}`,
        );
      }
      must(!(await exists(join(cwd, name))), 'the tree is still there');
    },
  },
  'tools.toolbox.user-ignores': async (target) => {
    const folder = await Folder.open(target);
    const git = (...args: string[]) => promisify(execFile)('git', ['-C', folder.path('main'), ...args]);
    await mkdir(folder.path('main'));
    await git('init', '-q');
    await git('-c', 'user.name=c', '-c', 'user.email=c@example.org', 'commit', '-qm', 'first', '--allow-empty');
    await git('worktree', 'add', '-q', folder.path('worktree'), '-b', 'other');
    await appendFile(folder.path('main/.git/info/exclude'), 'shared.txt\n');
    await writeFile(folder.path('ignores'), 'own.txt\n');
    await git('config', 'core.excludesFile', folder.path('ignores'));
    for (const tree of ['main', 'worktree']) {
      for (const name of ['shared.txt', 'own.txt', 'plain.txt']) await writeFile(folder.path(`${tree}/${name}`), 'x');
      const { json } = await folder.run('glob_files', { params: { pattern: '*.txt', path: tree } });
      must(json?.output?.includes('plain.txt'), `the ${tree} lacks what git keeps`);
      must(!json.output.includes('shared.txt'), `the ${tree} shows what its repository leaves out`);
      must(!json.output.includes('own.txt'), `the ${tree} shows what its user leaves out`);
    }
  },
};
