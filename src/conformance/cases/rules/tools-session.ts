/** Rules of the Tools page about the catalogue, the tools of a session, and runs inside one. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { must, mustEqual } from '../../check.js';
import { mustAnswer, type Target } from '../../target.js';
import type { Rules } from '../rules.js';
import { McpSession } from './mcp-session.js';
import { exists, Folder, stateOf } from './tool-folder.js';

const REALM = 'ab'.repeat(12);

export const toolSessionRules: Rules = {
  'tools.catalogue.complete': async (target) => {
    const { json } = await target.expect(200, 'listTools');
    const names = json.items.map(({ name }: { name: string }) => name);
    mustEqual(new Set(names).size, names.length, 'the number of distinct names');
    for (const name of ['read_file', 'write_file', 'list_dir', 'glob_files', 'grep', 'edit_file']) {
      must(names.includes(name), `the catalogue has no ${name}`);
    }
    for (const row of json.items) {
      must(row.description !== '' && row.input_schema?.type === 'object', `the row of ${row.name} is incomplete`);
      const { json: alone } = await target.expect(200, 'getTool', { path: { name: row.name } });
      mustEqual(alone, row, `the row of ${row.name} by itself`);
    }
  },
  'tools.catalogue.read-only': async (target) => {
    const all = (await target.expect(200, 'listTools')).json.items;
    const readOnly = (await target.expect(200, 'listReadOnlyTools')).json.items;
    mustEqual(
      readOnly,
      all.filter((row: { read_only: boolean }) => row.read_only),
      'the read-only list',
    );
  },
  'tools.catalogue.no-realm': async (target) => {
    const { id } = await target.session();
    const calls: [string, object][] = [
      ['listTools', {}],
      ['listReadOnlyTools', {}],
      ['getTool', { path: { name: 'read_file' } }],
      ['listSessionTools', { path: { id } }],
      ['listSessionMcpTools', { path: { id } }],
      ['runTool', { path: { name: 'read_file' }, body: { params: { path: 'a' } } }],
      ['runSessionTool', { path: { id, name: 'read_file' }, body: { params: { path: 'a' } } }],
    ];
    for (const [operation, call] of calls) {
      await target.refused(400, 'realm_scope_unsupported', operation, { ...call, headers: { 'x-hoody-realm': REALM } });
      await target.refused(400, 'realm_scope_unsupported', operation, { ...call, query: { realm: 'global' } });
    }
  },
  'tools.catalogue.unknown-name': async (target) => {
    await target.refused(404, 'tool_not_found', 'getTool', { path: { name: 'conformance_no_such_tool' } });
  },
  'tools.list.windows': async (target) => {
    const all = (await target.expect(200, 'listTools')).json;
    must(!('page' in all.meta) && !('limit' in all.meta), 'page or limit is told without a limit');
    mustEqual(all.meta.total, all.items.length, 'meta.total');
    const window = async (page: number, limit: number) =>
      (await target.expect(200, 'listTools', { query: { page, limit } })).json;
    mustEqual((await window(1, 0)).items, all.items, 'the items with limit 0');
    const second = await window(2, 2);
    mustEqual(second, { items: all.items.slice(2, 4), meta: { total: all.meta.total, page: 2, limit: 2 } }, 'page 2');
    mustEqual((await window(1_000, 10)).items, [], 'the items past the end');
  },
  'tools.session.effective': async (target) => {
    const { id, cwd } = await target.session();
    await target.write(join(cwd, '.hoody', 'settings.json'), { tools: { list_dir: { enabled: false } } });
    const full = await sessionTools(target, id);
    must(full.includes('write_file') && full.includes('read_file'), 'a session lacks built-in tools');
    const reading = await target.session({ cwd, tool_mode: 'read_only' });
    const listed = await sessionTools(target, reading.id);
    must(
      !listed.includes('write_file') && listed.includes('read_file'),
      'a read_only session lists what it may not call',
    );
    must(!listed.includes('list_dir'), 'a session lists a tool its settings switch off');
  },
  'tools.session.mcp-subset': async (target) => {
    const mcp = await McpSession.open(target);
    await mcp.connected();
    const all = await sessionTools(target, mcp.id);
    const own = await mcp.tools();
    must(
      own.length > 0 && own.every((name) => all.includes(name)),
      'a server tool is not among the tools of the session',
    );
    mustEqual(
      all.filter((name) => name.startsWith('mcp__')),
      own,
      'the server tools of the session',
    );
  },
  'tools.session.live-only': async (target) => {
    const { id } = await target.session();
    await target.expect(200, 'closeSession', { path: { id } });
    for (const session of [id, 'sess_conformance_missing']) {
      await target.refused(404, 'not_found', 'listSessionTools', { path: { id: session } });
      await target.refused(404, 'not_found', 'listSessionMcpTools', { path: { id: session } });
    }
  },
  'tools.session.headless-exclusions': async (target) => {
    const { id } = await target.session({ headless: true });
    must(
      !(await sessionTools(target, id)).includes('ask_question_to_user'),
      'a headless session lists a tool that asks',
    );
    const folder = await Folder.open(target);
    mustAnswer(await folder.run('ask_question_to_user', { params: { question: 'x' } }), 404, 'tool_not_found');
  },

  'tools.in-session.frozen-posture': async (target) => {
    const { id } = await target.session();
    const write = { params: { path: 'unasked.txt', content: 'x' }, allow_mutations: true };
    for (const headers of [{}, { 'x-hoody-tool-mode': 'read_only' }, { 'x-hoody-dir-scope': 'full' }]) {
      const call = { path: { id, name: 'write_file' }, body: write, headers: headers as Record<string, string> };
      await target.refused(409, 'tool_needs_confirmation', 'runSessionTool', call);
    }
  },
  'tools.in-session.one-at-a-time': async (target) => {
    const mcp = await McpSession.open(target);
    const name = await mcp.connected();
    const leaving = new AbortController();
    const running = target
      .call('runSessionTool', {
        path: { id: mcp.id, name: `mcp__${name}__sleep` },
        body: { params: { ms: 600_000 } },
        signal: leaving.signal,
      })
      .catch(() => undefined);
    await stateOf(target, mcp.id, 'running');
    const second = { path: { id: mcp.id, name: 'list_dir' }, body: { params: { path: '.' } } };
    await target.refused(409, 'turn_in_flight', 'runSessionTool', second);
    leaving.abort();
    await running;
    await stateOf(target, mcp.id, 'idle');
    await target.expect(200, 'runSessionTool', second);
  },
  'tools.in-session.gate-parked': async (target) => {
    const { id } = await target.session();
    const asking = { path: { id, name: 'ask_question_to_user' }, body: { params: { question: 'Which one?' } } };
    const running = target.call('runSessionTool', asking);
    const { pending_gate } = await stateOf(target, id, 'parked');
    const second = { path: { id, name: 'list_dir' }, body: { params: { path: '.' } } };
    const refused = await target.refused(409, 'gate_parked', 'runSessionTool', second);
    mustEqual(refused.json.details?.pending_gate?.id, pending_gate.id, 'the gate the refusal names');
    await target.expect(200, 'answerGate', { path: { id }, body: { answer: 'this one' } });
    mustAnswer(await running, 200);
  },
  'tools.in-session.cancel': async (target) => {
    const mcp = await McpSession.open(target);
    const name = await mcp.connected();
    const running = mcp.run(name, 'sleep', { ms: 600_000 });
    await stateOf(target, mcp.id, 'running');
    await target.expect(200, 'cancelSession', { path: { id: mcp.id }, body: {} });
    const { json } = await running;
    mustEqual([json.ok, json.error_code], [false, 'cancelled'], 'ok and error_code of the run');
    await stateOf(target, mcp.id, 'idle');
  },
  'tools.in-session.headless-denied': async (target) => {
    const { id, cwd } = await target.session({ headless: true });
    const call = { path: { id, name: 'write_file' }, body: { params: { path: 'x.txt', content: 'x' } } };
    const { json } = await target.expect(200, 'runSessionTool', call);
    mustEqual([json.ok, json.is_error, json.error_code], [false, true, 'denied_headless'], 'the result');
    must(!(await exists(join(cwd, 'x.txt'))), 'the denied tool ran');
  },
  'tools.in-session.require-confirmation': async (target) => {
    const mcp = await McpSession.open(target);
    const name = await mcp.connected({ require_confirmation: true });
    const asked = await mcp.run(name, 'echo', { text: 'hello' });
    mustAnswer(asked, 409, 'tool_needs_confirmation');
    const { confirm_token } = asked.json.details;
    const confirmed = await mcp.run(name, 'echo', { text: 'hello' }, { confirm: true, confirm_token });
    mustEqual([confirmed.json.ok, confirmed.json.output], [true, 'hello'], 'ok and output');
    mustAnswer(await mcp.run(name, 'echo', { text: 'hello' }), 409, 'tool_needs_confirmation');
  },
  'tools.in-session.read-before-edit': async (target) => {
    const { id, cwd } = await target.session();
    await target.expect(200, 'setSessionYolo', { path: { id }, body: { enabled: true } });
    await writeFile(join(cwd, 'edited.txt'), 'before\n');
    const run = async (name: string, params: object) =>
      (await target.expect(200, 'runSessionTool', { path: { id, name }, body: { params } })).json;
    const edit = { path: 'edited.txt', old_string: 'before', new_string: 'after' };
    mustEqual((await run('edit_file', edit)).error_code, 'read_required', 'error_code of an edit before a reading');
    await run('read_file', { path: 'edited.txt' });
    mustEqual((await run('edit_file', edit)).ok, true, 'ok of an edit after a reading');
  },
  'tools.membership.taken-away': async (target) => {
    const mcp = await McpSession.open(target);
    const name = await mcp.connected();
    await mcp.remove(name);
    mustAnswer(await mcp.run(name, 'echo', { text: 'x' }), 404, 'tool_not_found');
  },
};

const sessionTools = async (target: Target, id: string): Promise<string[]> => {
  const { json } = await target.expect(200, 'listSessionTools', { path: { id } });
  return json.items.map(({ name }: { name: string }) => name);
};
