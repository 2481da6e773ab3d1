/** Rules of the Tools page about the ways to run a tool: at once, as a job, as a stream, inside a session. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { must, mustEqual } from '../../check.js';
import type { Answer } from '../../client.js';
import { mustAnswer, type Target } from '../../target.js';
import type { Rules } from '../rules.js';
import { McpSession } from './mcp-session.js';
import { exists, Folder, stateOf } from './tool-folder.js';

const REALM = 'ab'.repeat(12);

export const toolRunRules: Rules = {
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

  'tools.run.control-keys': async (target) => {
    const folder = await Folder.open(target);
    const params = { path: '.env', content: 'x', confirmed: true, _confirmed: true };
    const answer = await folder.run('write_file', { params, allow_mutations: true, confirmed: true, _x: 1 });
    mustAnswer(answer, 409, 'tool_needs_confirmation');
    mustEqual(answer.json.details.params, { path: '.env', content: 'x' }, 'the params the confirmation repeats');
  },
  'tools.run.no-smuggled-confirmation': async (target) => {
    const folder = await Folder.open(target);
    const smuggled = { confirmed: true, _confirmed: true, _confirm_token: 'x', _allow: true };
    const params = { path: '.env', content: 'x', ...smuggled };
    mustAnswer(
      await folder.run('write_file', { params, allow_mutations: true, ...smuggled }),
      409,
      'tool_needs_confirmation',
    );
    must(!(await exists(folder.path('.env'))), 'a smuggled confirmation wrote the file');
  },
  'tools.run.params-schema': async (target) => {
    const folder = await Folder.open(target);
    const params = { path: 3, content: 'x' };
    const answer = await folder.run('write_file', { params, allow_mutations: true });
    mustAnswer(answer, 400, 'bad_request');
    mustEqual(answer.json.details?.errors?.[0]?.pointer, '/params/path', 'the pointer');
  },
  'tools.params.every-fault': async (target) => {
    const folder = await Folder.open(target);
    const params = { path: 3, content: ['cfm-value'], cfm_unknown: 'cfm-value' };
    const answer = await folder.run('write_file', { params, allow_mutations: true });
    mustAnswer(answer, 400, 'bad_request');
    const pointers = answer.json.details.errors.map(({ pointer }: { pointer: string }) => pointer);
    for (const member of ['path', 'content']) must(pointers.includes(`/params/${member}`), `${member} is not told`);
    must(answer.text.includes('cfm_unknown'), 'the unknown param is not told');
    must(!answer.text.includes('cfm-value'), 'a value is told');
  },
  'tools.params.byte-for-byte': async (target) => {
    const mcp = await McpSession.open(target);
    const name = await mcp.connected();
    const nested = { path: 'p', filter: { _id: 1, confirmed: true, list: [{ _x: null }] } };
    const { json } = await mcp.run(name, 'mirror', { ...nested, _dropped: 1, confirmed: true });
    mustEqual(json.output, JSON.stringify(nested), 'what reached the tool');
  },
  'tools.run.failure-is-result': async (target) => {
    const folder = await Folder.open(target);
    const missing = await folder.run('read_file', { params: { path: 'missing.txt' } });
    mustAnswer(missing, 200);
    mustEqual([missing.json.ok, missing.json.is_error], [false, true], 'ok and is_error');
    const mcp = await McpSession.open(target);
    const failed = await mcp.run(await mcp.connected(), 'fail', { text: 'on purpose' });
    mustAnswer(failed, 200);
    mustEqual([failed.json.ok, failed.json.is_error], [false, true], 'ok and is_error of a server tool');
  },
  'tools.run.kinds-apart': async (target) => {
    const mcp = await McpSession.open(target);
    const name = await mcp.connected();
    const { json } = await mcp.run(name, 'blocks');
    must(Array.isArray(json.content) && json.content.length > 0, 'there are no content blocks');
    must(typeof json.structured_content === 'object', 'there is no structured content');
    const plain = (await mcp.run(name, 'echo', { text: 'plain' })).json;
    mustEqual(
      [plain.output, 'structured_content' in plain],
      ['plain', false],
      'output, and structured content of text',
    );
  },

  'tools.confirm.echo': async (target) => {
    const folder = await Folder.open(target);
    const params = { path: '.env', content: 'x' };
    const answer = await folder.run('write_file', { params, allow_mutations: true });
    mustAnswer(answer, 409, 'tool_needs_confirmation');
    mustEqual([answer.json.details.tool, answer.json.details.params], ['write_file', params], 'tool and params');
    must(typeof answer.json.details.confirm_token === 'string', 'there is no confirm_token');
    must(!(await exists(folder.path('.env'))), 'the tool was run');
  },
  'tools.confirm.once': async (target) => {
    const folder = await Folder.open(target);
    const { params, confirm_token } = await folder.ask('.env');
    const confirmed = { params, confirm: true, confirm_token };
    const first = await folder.run('write_file', confirmed);
    mustAnswer(first, 200);
    mustEqual(first.json.ok, true, 'ok');
    mustAnswer(await folder.run('write_file', confirmed), 409, 'tool_needs_confirmation');
  },
  'tools.confirm.bound': async (target) => {
    const folder = await Folder.open(target);
    const other = await Folder.open(target);
    const { id } = await target.session({ cwd: folder.cwd });
    type Present = (params: Record<string, unknown>, token: string) => Promise<Answer>;
    const elsewhere: Record<string, Present> = {
      'other params': (params, confirm_token) =>
        folder.run('write_file', { params: { ...params, content: 'y' }, confirm: true, confirm_token }),
      'another tool': (params, confirm_token) =>
        folder.run('delete_file', { params: { path: params['path'] }, confirm: true, confirm_token }),
      'another folder': (params, confirm_token) => other.run('write_file', { params, confirm: true, confirm_token }),
      'another scope': (params, confirm_token) =>
        folder.run(
          'write_file',
          { params, confirm: true, confirm_token },
          { headers: { 'x-hoody-dir-scope': 'full' } },
        ),
      'a session': (params, confirm_token) =>
        target.call('runSessionTool', {
          path: { id, name: 'write_file' },
          body: { params, confirm: true, confirm_token },
        }),
      'no confirm': (params, confirm_token) =>
        folder.run('write_file', { params, allow_mutations: true, confirm_token }),
    };
    for (const [where, present] of Object.entries(elsewhere)) {
      const { params, confirm_token } = await folder.ask(`.env.${where.replace(' ', '-')}`);
      const presented = await present(params, confirm_token);
      must(presented.json?.ok !== true, `a token was worth something for ${where}`);
      const again = await folder.run('write_file', { params, confirm: true, confirm_token });
      mustAnswer(again, 409, 'tool_needs_confirmation');
    }
  },
  'tools.confirm.spent-when-presented': async (target) => {
    const folder = await Folder.open(target);
    const { params, confirm_token } = await folder.ask('.env');
    const harmless = { params: { path: 'plain.txt', content: 'x' }, confirm: true, confirm_token };
    await folder.run('write_file', { ...harmless, allow_mutations: true });
    const again = await folder.run('write_file', { params, confirm: true, confirm_token });
    mustAnswer(again, 409, 'tool_needs_confirmation');
  },
  'tools.confirm.query-alias': async (target) => {
    const folder = await Folder.open(target);
    const one = await folder.ask('.env.one');
    const alone = await folder.run(
      'write_file',
      { params: one.params },
      { query: { confirm: true, confirm_token: one.confirm_token } },
    );
    mustEqual(alone.json?.ok, true, 'ok, with the token in the query');
    const two = await folder.ask('.env.two');
    const body = { params: two.params, confirm: true, confirm_token: two.confirm_token };
    mustAnswer(await folder.run('write_file', body, { query: { confirm: false } }), 400, 'bad_request');
    mustAnswer(await folder.run('write_file', body, { query: { confirm_token: 'ctok_other' } }), 400, 'bad_request');
    mustEqual((await folder.run('write_file', body)).json?.ok, true, 'ok, with the token that was not spent');
  },

  'tools.sessionless.read-only-default': async (target) => {
    const folder = await Folder.open(target);
    const params = { path: 'new.txt', content: 'x' };
    for (const posture of [{}, { confirm: false }, { allow_mutations: false }]) {
      mustAnswer(await folder.run('write_file', { params, ...posture }), 400, 'tool_mutation_refused');
    }
    must(!(await exists(folder.path('new.txt'))), 'a refused mutation happened');
    const allowed = await folder.run('write_file', { params, allow_mutations: true });
    mustEqual(allowed.json?.ok, true, 'ok, with allow_mutations');
    mustAnswer(
      await folder.run('write_file', { params: { ...params, path: 'asked.txt' }, confirm: true }),
      409,
      'tool_needs_confirmation',
    );
  },
  'tools.sessionless.whole-chain': async (target) => {
    const folder = await Folder.open(target);
    const params = { path: '.hoody/settings.json', content: '{}' };
    const denied = await folder.run('write_file', { params, allow_mutations: true });
    mustEqual([denied.status, denied.json?.error_code], [200, 'denied_deny_list'], 'status and error_code');
    const guarded = { path: '.env', content: 'x' };
    mustAnswer(
      await folder.run('write_file', { params: guarded, allow_mutations: true }),
      409,
      'tool_needs_confirmation',
    );
  },
  'tools.sessionless.scope-headers': async (target) => {
    const folder = await Folder.open(target);
    await writeFile(folder.path('here.txt'), 'the folder of the header');
    const read = await folder.run('read_file', { params: { path: 'here.txt' } });
    must(read.json?.output?.includes('the folder of the header'), 'the folder of the header was not used');
    const write = { params: { path: 'x.txt', content: 'x' }, allow_mutations: true };
    const mode = (value: string) => folder.run('write_file', write, { headers: { 'x-hoody-tool-mode': value } });
    mustAnswer(await mode('read_only'), 404, 'tool_not_found');
    mustAnswer(await mode('everything'), 400, 'bad_request');
    const outside = { params: { path: '/etc/hostname' } };
    mustAnswer(await folder.run('read_file', outside), 409, 'tool_needs_confirmation');
    mustAnswer(await folder.run('read_file', outside, { headers: { 'x-hoody-dir-scope': 'full' } }), 200);
    const configDir = await target.folder();
    await target.write(join(configDir, 'settings.json'), { tools: { read_file: { enabled: false } } });
    const install = { headers: { 'x-hoody-config-dir': configDir } };
    mustAnswer(await folder.run('read_file', { params: { path: 'here.txt' } }, install), 404, 'tool_not_found');
  },
  'tools.sessionless.settings-obeyed': async (target) => {
    const folder = await Folder.open(target);
    await writeFile(folder.path('private.txt'), 'x');
    const settings = { deny_list: ['private.txt'], tools: { list_dir: { enabled: false } } };
    await target.write(folder.path('.hoody/settings.json'), settings);
    const denied = await folder.run('read_file', { params: { path: 'private.txt' } });
    mustEqual(denied.json?.error_code, 'denied_deny_list', 'error_code');
    mustAnswer(await folder.run('list_dir', { params: { path: '.' } }), 404, 'tool_not_found');
  },
  'tools.sessionless.cwd-exists': async (target) => {
    const folder = await Folder.open(target);
    const elsewhere = { headers: { 'x-hoody-cwd': folder.path('nowhere') } };
    mustAnswer(await folder.run('list_dir', { params: { path: '.' } }, elsewhere), 400, 'bad_request');
  },
  'tools.sessionless.leaves-nothing': async (target) => {
    const folder = await Folder.open(target);
    mustAnswer(await folder.run('list_dir', { params: { path: '.' } }), 200);
    const { json } = await target.expect(200, 'listSessions', { headers: { 'x-hoody-cwd': folder.cwd } });
    mustEqual(json.items, [], 'the sessions of the folder');
  },
  'tools.sessionless.built-in-only': async (target) => {
    const mcp = await McpSession.open(target);
    const name = await mcp.connected();
    const call = { path: { name: `mcp__${name}__echo` }, body: { params: { text: 'x' } } };
    await target.refused(404, 'tool_not_found', 'runTool', call);
  },
  'tools.sessionless.install-exists': async (target) => {
    const folder = await Folder.open(target);
    const missing = { headers: { 'x-hoody-config-dir': folder.path('nowhere') } };
    mustAnswer(await folder.run('list_dir', { params: { path: '.' } }, missing), 404, 'not_found');
  },

  'tools.async.accepted': async (target) => {
    const folder = await Folder.open(target);
    await writeFile(folder.path('a.txt'), 'alpha');
    const body = { params: { path: 'a.txt' } };
    const plain = (await folder.run('read_file', body)).json;
    const { status, result } = await folder.outcome('read_file', body);
    mustEqual([status, result], ['succeeded', plain], 'the status and result of the job');
  },
  'tools.async.refusal-is-outcome': async (target) => {
    const folder = await Folder.open(target);
    const refused: [string, object, string][] = [
      ['conformance_no_such_tool', { params: {} }, 'tool_not_found'],
      ['write_file', { params: { path: 'x', content: 'x' } }, 'tool_mutation_refused'],
      ['read_file', { params: { path: 3 } }, 'bad_request'],
    ];
    for (const [tool, body, code] of refused) {
      const { status, error } = await folder.outcome(tool, body);
      mustEqual([status, error?.code], ['failed', code], `status and code of the job of ${tool}`);
    }
  },
  'tools.async.parked-confirmation': async (target) => {
    const folder = await Folder.open(target);
    const params = { path: '.env', content: 'x' };
    const { status, error } = await folder.outcome('write_file', { params, allow_mutations: true });
    mustEqual([status, error?.code], ['failed', 'tool_needs_confirmation'], 'status and code of the job');
    const confirmed = { params, confirm: true, confirm_token: error.details.confirm_token };
    mustEqual((await folder.run('write_file', confirmed)).json?.ok, true, 'ok, with the token of the job');
  },
  'tools.async.unknown-job': async (target) => {
    const path = { id: 'job_conformance_missing' };
    for (const operation of ['getJob', 'getJobResult', 'deleteJob'])
      await target.refused(404, 'not_found', operation, { path });
  },
  'tools.async.canceled-stays': {
    features: ['tools.bash'],
    run: async (target) => {
      const folder = await Folder.open(target);
      const mark = folder.path('running');
      const body = { params: { command: `touch running; sleep 600` }, allow_mutations: true };
      const id = await folder.accept('bash', body);
      await target.until('the start of the job', () => exists(mark));
      await target.expect(200, 'deleteJob', { path: { id } });
      const { json } = await target.expect(200, 'getJob', { path: { id } });
      mustEqual(json.status, 'canceled', 'the status');
    },
  },

  'tools.stream.order': async (target) => {
    const folder = await Folder.open(target);
    await writeFile(folder.path('a.txt'), 'alpha');
    const events = await folder.events('read_file', { params: { path: 'a.txt' } });
    mustEqual(
      events.map(({ event }) => event),
      ['start', 'result', 'end'],
      'the frames',
    );
    must(events[1]!.data.output.includes('alpha'), 'the result is not that of the tool');
  },
  'tools.stream.confirmation-frame': async (target) => {
    const folder = await Folder.open(target);
    const params = { path: '.env', content: 'x' };
    const events = await folder.events('write_file', { params, allow_mutations: true });
    mustEqual(
      events.map(({ event }) => event),
      ['start', 'needs_confirmation', 'end'],
      'the frames',
    );
    const { code, details } = events[1]!.data;
    mustEqual(
      [code, details.tool, details.params],
      ['tool_needs_confirmation', 'write_file', params],
      'the confirmation',
    );
    const confirmed = { params, confirm: true, confirm_token: details.confirm_token };
    mustEqual((await folder.events('write_file', confirmed))[1]!.data.ok, true, 'ok, with the token of the frame');
  },
  'tools.stream.error-frame': async (target) => {
    const folder = await Folder.open(target);
    const refused: [string, object, string][] = [
      ['conformance_no_such_tool', { params: {} }, 'tool_not_found'],
      ['write_file', { params: { path: 'x', content: 'x' } }, 'tool_mutation_refused'],
    ];
    for (const [tool, body, code] of refused) {
      const events = await folder.events(tool, body);
      mustEqual(
        events.map(({ event, data }) => [event, data.code ?? null]),
        [
          ['start', null],
          ['error', code],
          ['end', null],
        ],
        'the frames',
      );
    }
  },
  'tools.stream.plain-errors': async (target) => {
    const folder = await Folder.open(target);
    const path = { name: 'read_file' };
    for (const body of [{ params: { path: 3 } }, { params: 'a.txt' }]) {
      await target.refused(400, 'bad_request', 'streamTool', { path, body, headers: folder.headers });
    }
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
