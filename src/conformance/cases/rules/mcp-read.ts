/** Rules of the MCP servers page that are seen by reading: sessions, the list, the preview, the probe. */
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { must, mustEqual } from '../../check.js';
import type { CallArguments } from '../../client.js';
import { mustAnswer, type Target } from '../../target.js';
import type { Rules } from '../rules.js';
import { MISSING, SAMPLES } from '../samples.js';
import { idle, McpSession, namesOf } from './mcp-session.js';

const SECRET = 'cfm-secret-value';
const NO_SESSION = 'sess_conformance_missing';
const OTHER_REALM = 'ab'.repeat(12);

/** A well-formed request of every operation of the group, for this session. */
const everyOperation = (target: Target, session: string): [string, CallArguments][] =>
  target.contract.operations
    .filter(({ tag }) => tag === 'mcp')
    .map(({ id }) => [id, SAMPLES[id]!({ ...MISSING, session })]);

const preview = (target: Target, mcp: McpSession, document: unknown) =>
  target.call('previewMcpImport', {
    body: { session_id: mcp.id, document: typeof document === 'string' ? document : JSON.stringify(document) },
  });

const RUNTIME = ['pid', 'tool_count', 'protocol_version', 'server_name', 'server_version'];

export const mcpReadRules: Rules = {
  'mcp.session.live': async (target) => {
    for (const [operation, call] of everyOperation(target, NO_SESSION))
      await target.refused(404, 'not_found', operation, call);
  },
  'mcp.session.one-answer': async (target) => {
    const closed = await target.session();
    await target.expect(200, 'closeSession', { path: { id: closed.id } });
    const elsewhere = await target.session({ realm: OTHER_REALM });
    const global = { headers: { 'x-hoody-realm': 'global' } };
    const ask = (session: string, more: CallArguments = {}) =>
      target.call('listMcpServers', { query: { session_id: session }, ...more });
    const unknown = await ask(NO_SESSION);
    mustAnswer(unknown, 404, 'not_found');
    mustEqual((await ask(closed.id)).text, unknown.text, 'the answer for a closed session');
    mustEqual((await ask(elsewhere.id, global)).text, unknown.text, 'the answer for a session of another realm');
  },
  'mcp.login.unknown-does-nothing': {
    tier: 'state',
    run: async (own) => {
      const target = await own.inState('restriction_unknown');
      for (const [operation, call] of everyOperation(target, NO_SESSION)) {
        await target.refused(503, 'restriction_unknown', operation, call);
      }
    },
  },
  'mcp.realm.header-wins': async (target) => {
    const { id } = await target.session({ realm: OTHER_REALM });
    const ask = (realm: string, header?: string) =>
      target.call('listMcpServers', {
        query: { session_id: id, realm },
        ...(header === undefined ? {} : { headers: { 'x-hoody-realm': header } }),
      });
    mustAnswer(await ask('global', OTHER_REALM), 200);
    mustAnswer(await ask(OTHER_REALM, 'global'), 404, 'not_found');
    mustAnswer(await ask(OTHER_REALM, ''), 200);
    mustAnswer(await ask('global'), 404, 'not_found');
  },
  'mcp.realm.form': async (target) => {
    const { id } = await target.session();
    for (const realm of ['Global', 'ab'.repeat(11), 'AB'.repeat(12), `${'ab'.repeat(12)}0`, 'all']) {
      const headers = { 'x-hoody-realm': realm };
      await target.refused(400, 'invalid_realm', 'listMcpServers', { query: { session_id: id }, headers });
      await target.refused(400, 'invalid_realm', 'listMcpServers', { query: { session_id: id, realm } });
    }
  },

  'mcp.list.merged': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('one'), idle('both', { args: ['project'] })] });
    await mcp.upsert(idle('both', { args: ['local'] }), 'local');
    const { servers } = await mcp.list();
    const rows = servers.map(({ name, scope, args }: Record<string, unknown>) => [name, scope, args]);
    mustEqual(
      rows,
      [
        ['one', 'project', []],
        ['both', 'local', ['local']],
      ],
      'names, layers and args',
    );
  },
  'mcp.list.no-values': async (target) => {
    const mcp = await McpSession.open(target, {
      settings: [idle('a', { env: { A: SECRET }, headers: { B: SECRET } })],
    });
    const entry = { name: 'a', env: { A: SECRET, C: SECRET } };
    const answers = [
      JSON.stringify(await mcp.list()),
      JSON.stringify(await mcp.upsert(entry)),
      (await preview(target, mcp, { mcpServers: { p: { command: 'true', env: { A: SECRET } } } })).text,
      (await mcp.write('import', { servers: [idle('b', { env: { A: SECRET } })] })).text,
      (await mcp.write('upsert', { server: { ...entry, Args: [SECRET] } })).text,
      (await mcp.reconnect()).text,
      JSON.stringify(await mcp.remove('a')),
    ];
    for (const answer of answers) must(!answer.includes(SECRET), 'an answer has the value of a credential');
  },
  'mcp.list.key-names': async (target) => {
    const credentials = { env: { B: '1', A: '2' }, headers: { 'X-B': '1', 'X-A': '2' } };
    const mcp = await McpSession.open(target, { settings: [idle('a', credentials)] });
    const row = await mcp.row('a');
    mustEqual(
      [row.env_keys, row.header_keys],
      [
        ['A', 'B'],
        ['X-A', 'X-B'],
      ],
      'env_keys and header_keys',
    );
  },
  'mcp.list.verbatim': async (target) => {
    const url = 'http://127.0.0.1:9/a%20b/../${NAME}?q=1';
    const args = ['--x=${HOME}', ' two  spaces ', '~/y'];
    const settings = [idle('a', { command: '~/bin/x', args }), { name: 'r', type: 'http', url, enabled: false }];
    const mcp = await McpSession.open(target, { settings });
    const row = await mcp.row('a');
    mustEqual([row.command, row.args], ['~/bin/x', args], 'command and args');
    mustEqual((await mcp.row('r')).url, url, 'url');
  },
  'mcp.list.runtime-of-build': async (target) => {
    const mcp = await McpSession.open(target);
    const name = await mcp.connected();
    const up = await mcp.row(name);
    for (const member of RUNTIME) must(member in up, `a connected server has no ${member}`);
    const { servers } = await mcp.enable(name, false);
    const [down] = servers;
    mustEqual(
      RUNTIME.map((member) => down[member]),
      RUNTIME.map((member) => up[member]),
      'what a revoked build was',
    );
  },
  'mcp.list.runtime-absent': async (target) => {
    const mcp = await McpSession.open(target, {
      settings: [idle('a'), { name: 'never', command: '/no/such/program' }],
    });
    for (const name of ['a', 'never']) {
      const row = await mcp.row(name);
      mustEqual(row.connected, false, 'connected');
      for (const member of RUNTIME) must(!(member in row), `a server that never connected has ${member}`);
    }
  },
  'mcp.list.conditional-members': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('off')] });
    const name = await mcp.connected();
    for (const each of [name, 'off']) {
      const row = await mcp.row(each);
      for (const member of ['revoked', 'revoked_reason', 'stderr_tail']) must(!(member in row), `${member} is there`);
    }
    const [, row] = (await mcp.enable(name, false)).servers;
    mustEqual([row.revoked, row.revoked_reason], [true, 'disabled'], 'revoked and its reason');
  },
  'mcp.list.warnings-layer': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('a')] });
    await target.write(join(mcp.configDir, 'settings.local.json'), '{ "mcp_servers": [');
    const { servers, warnings, files } = await mcp.list();
    mustEqual(namesOf({ servers }), ['a'], 'the servers of the other layer');
    must(
      warnings.some((warning: string) => warning.includes('settings.local.json')),
      'no warning names the layer',
    );
    mustEqual(
      files.map(({ layer }: { layer: string }) => layer),
      ['project'],
      'the layers that could be read',
    );
  },
  'mcp.list.warnings-entry': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('a'), { name: 'half' }, idle('b')] });
    const { servers, warnings } = await mcp.list();
    mustEqual(namesOf({ servers }), ['a', 'b'], 'the servers');
    must(
      warnings.some((warning: string) => warning.includes('half')),
      'no warning names the entry',
    );
  },
  'mcp.list.stderr-tail': {
    features: ['mcp.stdio'],
    run: async (target) => {
      const mcp = await McpSession.open(target);
      const dying = {
        name: 'dying',
        command: process.execPath,
        args: ['-e', 'console.error("last words"); process.exit(1)'],
      };
      const { servers } = await mcp.upsert(dying);
      mustEqual(servers[0].stderr_tail, ['last words'], 'stderr_tail');
    },
  },

  'mcp.preview.writes-nothing': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('a')] });
    const before = await mcp.text();
    mustAnswer(await preview(target, mcp, { mcpServers: { b: { command: 'true' } } }), 200);
    must((await mcp.text()) === before, 'a preview changed the file');
    mustEqual(await readdir(mcp.configDir), ['settings.json'], 'the files of the install');
  },
  'mcp.preview.no-values': async (target) => {
    const mcp = await McpSession.open(target);
    const answer = await preview(target, mcp, {
      mcpServers: { a: { command: 'true', env: { KEY: SECRET } }, b: { url: 'http://h/', headers: { Auth: SECRET } } },
    });
    mustAnswer(answer, 200);
    must(!answer.text.includes(SECRET), 'the preview has the value of a credential');
    mustEqual(answer.json.servers[0].env_keys, ['KEY'], 'env_keys');
    mustEqual(answer.json.servers[1].header_keys, ['Auth'], 'header_keys');
  },
  'mcp.preview.same-as-import': async (target) => {
    const mcp = await McpSession.open(target);
    const document = JSON.stringify({ mcpServers: { a: { command: 'x', args: ['y'] }, b: { url: 'http://h/mcp' } } });
    const { json } = await preview(target, mcp, document);
    await mcp.done('import', { document });
    const shown = json.servers.map(({ name, type }: Record<string, unknown>) => [name, type]);
    const written = (await mcp.list()).servers.map(({ name, transport }: Record<string, unknown>) => [name, transport]);
    mustEqual(shown, written, 'what a preview shows, beside what the import wrote');
    mustEqual(json.count, 2, 'count');
  },
  'mcp.preview.dialects': async (target) => {
    const mcp = await McpSession.open(target);
    const documents: Record<string, unknown> = {
      hoody: { mcp_servers: [{ name: 'a', command: 'demo' }] },
      claude: { mcpServers: { a: { command: 'demo' } } },
      vscode: { servers: { a: { command: 'demo' } } },
      single: { name: 'a', command: 'demo' },
      bare: { a: { command: 'demo' } },
    };
    for (const [dialect, document] of Object.entries(documents)) {
      const { json } = await preview(target, mcp, document);
      mustEqual([json.dialect, json.servers?.[0]?.name], [dialect, 'a'], `dialect and entry of a ${dialect} document`);
    }
  },
  'mcp.preview.mixed-refused': async (target) => {
    const mcp = await McpSession.open(target);
    for (const document of [
      { mcpServers: {}, servers: {} },
      { mcp_servers: [], mcpServers: {} },
    ]) {
      mustAnswer(await preview(target, mcp, document), 400, 'bad_request');
    }
  },
  'mcp.preview.unresolvable': async (target) => {
    const mcp = await McpSession.open(target);
    const { json } = await preview(target, mcp, {
      servers: { a: { command: 'c', args: ['${workspaceFolder}/x'], env: { K: '${input:k}' } } },
    });
    const all = json.warnings.join('\n');
    for (const reference of ['${workspaceFolder}', '${input:k}'])
      must(all.includes(reference), `no warning names ${reference}`);
  },
  'mcp.preview.env-translated': async (target) => {
    const mcp = await McpSession.open(target);
    const document = JSON.stringify({ servers: { a: { command: 'c', env: { L: '${env:LANG}' } } } });
    const { json } = await preview(target, mcp, document);
    mustEqual(json.warnings, [], 'warnings');
    await mcp.done('import', { document });
    mustEqual((await mcp.stored())[0].env, { L: '${LANG}' }, 'env');
  },

  'mcp.probe.never-succeeds': async (target) => {
    const mcp = await McpSession.open(target);
    for (let turn = 0; turn < 3; turn += 1) {
      await target.refused(403, 'human_only', 'testMcpServer', { body: { session_id: mcp.id, server: idle('a') } });
    }
  },
  'mcp.probe.starts-nothing': async (target) => {
    const mcp = await McpSession.open(target);
    const marker = join(mcp.configDir, 'probed');
    let reached = 0;
    const listener = createServer((socket) => {
      reached += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    target.defer(() => new Promise((resolve) => listener.close(resolve)));
    const { port } = listener.address() as { port: number };
    const candidates = [
      {
        name: 'a',
        command: process.execPath,
        args: ['-e', `require('fs').writeFileSync(${JSON.stringify(marker)}, '')`],
      },
      { name: 'r', type: 'http', url: `http://127.0.0.1:${port}/mcp` },
    ];
    for (const server of candidates) {
      await target.refused(403, 'human_only', 'testMcpServer', { body: { session_id: mcp.id, server } });
    }
    // Whatever had been started would have come by before a server that is started now has answered.
    await mcp.connected();
    mustEqual(reached, 0, 'connections of a probe');
    must(!(await readdir(mcp.configDir)).includes('probed'), 'a probe started a process');
  },
  'mcp.probe.malformed': async (target) => {
    const mcp = await McpSession.open(target);
    const probe = (server: unknown) => ({ body: { session_id: mcp.id, server } });
    for (const server of [
      { command: 'x' },
      { name: 'a' },
      { name: 'a', command: 'x', Env: {} },
      { name: 'Hoody', command: 'x' },
    ]) {
      await target.refused(400, 'bad_request', 'testMcpServer', probe(server));
    }
    await target.refused(404, 'not_found', 'testMcpServer', { body: { session_id: NO_SESSION, server: idle('a') } });
  },
  'mcp.probe.deny-list': async (target) => {
    const mcp = await McpSession.open(target, { settings: { deny_list: ['/opt/cfm-denied/**'] } });
    const server = { name: 'a', command: '/opt/cfm-denied/run' };
    await target.refused(400, 'bad_request', 'testMcpServer', { body: { session_id: mcp.id, server } });
  },
  'mcp.limit.payload': {
    tier: 'load',
    run: async (own) => {
      const target = await own.inState('small_limits');
      const { id } = await target.session();
      const frame = JSON.stringify({ session_id: id, document: '' });
      const body = (size: number) => JSON.stringify({ session_id: id, document: ' '.repeat(size - frame.length) });
      const { max_body_bytes: limit } = target.limits;
      mustAnswer(await target.call('previewMcpImport', { body: body(limit + 1) }), 413, 'payload_too_large');
      const { status } = await target.call('previewMcpImport', { body: body(limit) });
      must(status !== 413, 'a body of exactly the limit is answered 413');
    },
  },
  'mcp.limit.rate': {
    tier: 'load',
    alone: true,
    run: async (own) => {
      const target = await own.inState('rate_limited');
      const limited = await target.until('a 429', async () => {
        const answer = await target.call('listMcpServers', { query: { session_id: NO_SESSION } });
        return answer.status === 429 && answer;
      });
      mustAnswer(limited, 429, 'rate_limited');
      must(limited.headers['retry-after'] !== undefined, 'the limiter says no Retry-After');
    },
  },
};
