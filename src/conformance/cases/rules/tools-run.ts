/** Rules of the Tools page about the ways to run a tool without a session: at once, as a job, as a stream. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { must, mustEqual } from '../../check.js';
import type { Answer } from '../../client.js';
import { mustAnswer } from '../../target.js';
import type { Rules } from '../rules.js';
import { McpSession } from './mcp-session.js';
import { exists, Folder } from './tool-folder.js';

/** As one writes it down again: a largest integer, and a member that is easily lost. */
const NESTED =
  '{"path":"p","filter":{"_id":9007199254740991,"confirmed":true,"__proto__":{"a":1},"list":[{"_x":null}]}}';

export const toolRunRules: Rules = {
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
    const nested = JSON.parse(NESTED) as Record<string, unknown>;
    const { json } = await mcp.run(name, 'mirror', { ...nested, _dropped: 1, confirmed: true });
    mustEqual(json.output, NESTED, 'what reached the tool');
  },
  'edge.body.exact': async (target) => {
    const folder = await Folder.open(target);
    for (const [params, pointer] of [
      ['{"path":".","ids":[1,12345678901234567890]}', '/body/params/ids/1'],
      ['{"path":".","id":-9007199254740993}', '/body/params/id'],
      ['{"path":".","more":{"a":1,"a":2}}', '/body/params/more'],
    ] as const) {
      const call = { path: { name: 'list_dir' }, headers: folder.headers, body: `{"params":${params}}` };
      const { json } = await target.refused(400, 'bad_request', 'runTool', call);
      mustEqual(json.details?.errors?.[0]?.pointer, pointer, `the pointer for ${params}`);
    }
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
};
