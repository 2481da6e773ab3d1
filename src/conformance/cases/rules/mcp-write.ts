/** Rules of the MCP servers page about writing: nonce, hash, intent, merge, re-point, repair, names. */
import { dirname, join } from 'node:path';
import { must, mustEqual } from '../../check.js';
import { mustAnswer, type Target } from '../../target.js';
import type { Rules } from '../rules.js';
import { ACCEPTED, EMPTY_LIST_HASH, idle, McpSession, namesOf, OPS, rowOf, WRITES } from './mcp-session.js';

/** A value no answer may carry. */
const SECRET = 'cfm-secret-value';

/** What is stored of `a` after an upsert of the patch over the stored entry. */
const merged = async (target: Target, stored: Record<string, unknown>, patch: Record<string, unknown>) => {
  const mcp = await McpSession.open(target, { settings: [idle('a', stored)] });
  await mcp.upsert({ name: 'a', ...patch });
  return (await mcp.stored())[0];
};

const refusesPatch = async (target: Target, patch: Record<string, unknown>, field: string): Promise<void> => {
  const mcp = await McpSession.open(target, {
    settings: [idle('a', { env: { ONE: '1' }, headers: { 'X-One': '1' } })],
  });
  const message = await mcp.refusesUpsert({ name: 'a', ...patch });
  must(message.includes(field), `the refusal does not name ${field}`);
};

/** A fault of a stored entry, the write that repairs it, and one that does not. */
const FAULTS: readonly [fault: Record<string, unknown>, repair: Record<string, unknown>, member: string][] = [
  [{ Args: ['x'] }, { args: ['x'] }, 'args'],
  [{ args: [null] }, { args: ['y'] }, 'args'],
];

export const mcpWriteRules: Rules = {
  'mcp.write.nonce-required': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('a')] });
    const before = await mcp.text();
    for (const op of OPS) {
      for (const nonce of [undefined, '']) {
        mustAnswer(await mcp.write(op, { ...ACCEPTED[op], nonce }), 400, 'bad_request');
      }
    }
    must((await mcp.text()) === before, 'a write without a nonce changed the file');
  },
  'mcp.write.hash-required': async (target) => {
    const mcp = await McpSession.open(target);
    for (const op of OPS) {
      for (const expect_hash of [undefined, '']) {
        mustAnswer(await mcp.write(op, { ...ACCEPTED[op], expect_hash }), 400, 'bad_request');
      }
    }
    must((await mcp.text()) === undefined, 'a write without a hash made the file');
  },
  'mcp.write.hash-first': async (target) => {
    const mcp = await McpSession.open(target);
    for (const { hash } of (await mcp.list()).files)
      mustEqual(hash, EMPTY_LIST_HASH, 'the hash of a file that is not there');
    mustEqual((await mcp.intent('upsert')).hash, EMPTY_LIST_HASH, 'the hash an intent answers for such a file');
    await mcp.done('upsert', { server: idle('a'), expect_hash: EMPTY_LIST_HASH });
  },
  'mcp.write.hash-mismatch': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('a')] });
    const before = await mcp.text();
    for (const op of OPS) {
      for (const expect_hash of [EMPTY_LIST_HASH, 'garbage']) {
        mustAnswer(await mcp.write(op, { ...ACCEPTED[op], expect_hash }), 409, 'mcp_conflict');
      }
    }
    must((await mcp.text()) === before, 'a write with another hash changed the file');
  },
  'mcp.write.hash-scope': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('a')] });
    const { nonce, hash } = await mcp.intent('upsert');
    await target.write(mcp.settingsPath, JSON.stringify({ theme: 'dark', mcp_servers: [idle('a')] }));
    await mcp.done('upsert', { nonce, expect_hash: hash, server: idle('b') });
  },
  'mcp.write.hash-after': async (target) => {
    const mcp = await McpSession.open(target);
    const first = await mcp.upsert(idle('a'));
    const second = await mcp.done('delete', { expect_hash: first.hash, name: 'a' });
    await mcp.done('upsert', { expect_hash: second.hash, server: idle('b') });
  },
  'mcp.write.servers-like-list': async (target) => {
    const mcp = await McpSession.open(target, { settings: [{ name: 'half' }, idle('a')] });
    const { servers, warnings } = await mcp.upsert(idle('b'));
    const list = await mcp.list();
    mustEqual({ servers, warnings }, { servers: list.servers, warnings: list.warnings }, 'what a write answers');
  },
  'mcp.list.hash-usable': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('a')] });
    const { files } = await mcp.list();
    await mcp.done('upsert', { expect_hash: files[0].hash, server: idle('b') });
  },

  'mcp.nonce.single-use': async (target) => {
    const mcp = await McpSession.open(target);
    const { nonce } = await mcp.intent('upsert');
    await mcp.done('upsert', { nonce, server: idle('a') });
    mustAnswer(await mcp.write('upsert', { nonce, server: idle('b') }), 400, 'bad_request');
    mustEqual(namesOf(await mcp.list()), ['a'], 'the servers after a nonce was used twice');
  },
  'mcp.nonce.bound-session': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('a')] });
    const other = await McpSession.open(target, { beside: mcp });
    const { nonce } = await mcp.intent('upsert');
    mustAnswer(await other.write('upsert', { nonce, ...ACCEPTED.upsert }), 400, 'bad_request');
  },
  'mcp.nonce.bound-op': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('a')] });
    for (const op of OPS) {
      for (const other of OPS.filter((each) => each !== op)) {
        const { nonce } = await mcp.intent(op);
        mustAnswer(await mcp.write(other, { nonce, ...ACCEPTED[other] }), 400, 'bad_request');
      }
    }
  },
  'mcp.nonce.bound-path': async (target) => {
    const mcp = await McpSession.open(target);
    const { nonce } = await mcp.intent('upsert', 'project');
    mustAnswer(await mcp.write('upsert', { nonce, server: idle('a') }, 'local'), 400, 'bad_request');
    mustEqual(namesOf(await mcp.list()), [], 'the servers after a write with the nonce of another file');
  },
  'mcp.nonce.expires': {
    tier: 'state',
    run: async (own) => {
      const target = await own.inState('short_times');
      const mcp = await McpSession.open(target);
      const { nonce, hash } = await mcp.intent('upsert');
      await new Promise((resolve) => setTimeout(resolve, target.limits.nonce_ttl_ms));
      const body = { session_id: mcp.id, nonce, expect_hash: hash, server: idle('a') };
      await target.refused(400, 'bad_request', 'upsertMcpServer', { body });
    },
  },
  'mcp.nonce.fails-closed': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('a')] });
    const before = await mcp.text();
    const { nonce } = await mcp.intent('delete');
    mustAnswer(await mcp.write('upsert', { nonce, ...ACCEPTED.upsert }), 400, 'bad_request');
    mustAnswer(await mcp.write('delete', { nonce, name: 'a' }), 400, 'bad_request');
    mustAnswer(await mcp.write('upsert', { nonce: 'nce_nobody_minted', ...ACCEPTED.upsert }), 400, 'bad_request');
    must((await mcp.text()) === before, 'a write with a refused nonce changed the file');
  },
  'mcp.nonce.spent-on-conflict': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('a')] });
    const failures = [{ expect_hash: 'stale', ...ACCEPTED.upsert }, { server: { name: 'a', Args: [] } }];
    for (const failing of failures) {
      const { nonce } = await mcp.intent('upsert');
      const { status } = await mcp.write('upsert', { nonce, ...failing });
      must(status === 409 || status === 400, `a write that has to fail is answered ${status}`);
      mustAnswer(await mcp.write('upsert', { nonce, ...ACCEPTED.upsert }), 400, 'bad_request');
    }
  },

  'mcp.intent.default-layer': async (target) => {
    // Under an install of its own a session has no user layer.
    const mcp = await McpSession.open(target);
    mustEqual(
      (await mcp.intent('upsert')).path,
      (await mcp.intent('upsert', 'project')).path,
      'the file without a scope',
    );
    await target.refused(400, 'bad_request', 'createMcpWriteIntent', {
      body: { session_id: mcp.id, op: 'upsert', scope: 'user' },
    });
  },
  'mcp.intent.resolved-path': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('a')] });
    const { files } = await mcp.list();
    for (const { path, hash, layer } of files) {
      const intent = await mcp.intent('upsert', layer);
      mustEqual([intent.path, intent.hash], [path, hash], `path and hash of an intent for ${layer}`);
    }
    mustEqual((await mcp.upsert(idle('b'))).path, mcp.settingsPath, 'the file that was written');
  },
  'mcp.intent.broken-file': async (target) => {
    const broken = '{\n  "mcp_servers": [}\n';
    const mcp = await McpSession.open(target, { settings: broken });
    for (const op of OPS) {
      await target.refused(400, 'bad_request', 'createMcpWriteIntent', { body: { session_id: mcp.id, op } });
    }
    mustEqual(await mcp.text(), broken, 'the file');
  },

  'mcp.upsert.absent-keeps': async (target) => {
    const stored = { args: ['x'], env: { ONE: '1' }, allowed_tools: ['t'], require_confirmation: true };
    mustEqual(
      await merged(target, stored, { enabled: false }),
      idle('a', stored),
      'the entry after a write of another member',
    );
  },
  'mcp.upsert.unknown-kept': async (target) => {
    const entry = await merged(target, { x_group: { owner: null } }, { require_confirmation: true });
    mustEqual(entry.x_group, { owner: null }, 'a member nobody knows');
  },
  'mcp.upsert.file-kept': async (target) => {
    const text = `{\r\n\t// mine\r\n\t"theme": "dark",\r\n\t"mcp_servers": [\r\n\t\t${JSON.stringify(idle('a'))}, /* kept */\r\n\t],\r\n}\r\n`;
    const mcp = await McpSession.open(target, { settings: text });
    await mcp.upsert({ name: 'a', require_confirmation: true });
    const after = (await mcp.text())!;
    for (const kept of ['\t// mine\r\n', '\t"theme": "dark",\r\n', '/* kept */', '\r\n}\r\n']) {
      must(after.includes(kept), `the write lost ${JSON.stringify(kept)}`);
    }
    must(after.includes('require_confirmation'), 'the write is not in the file');
  },
  'mcp.upsert.env-key-set': async (target) => {
    const entry = await merged(target, { env: { ONE: '1', TWO: '2' } }, { env: { TWO: 'two', NEW: 'n' } });
    mustEqual(entry.env, { ONE: '1', TWO: 'two', NEW: 'n' }, 'env');
  },
  'mcp.upsert.env-key-null': async (target) => {
    mustEqual((await merged(target, { env: { ONE: '1', TWO: '2' } }, { env: { ONE: null } })).env, { TWO: '2' }, 'env');
    const headers = { 'X-One': '1', 'X-Two': '2' };
    mustEqual((await merged(target, { headers }, { headers: { 'X-One': null } })).headers, { 'X-Two': '2' }, 'headers');
  },
  'mcp.upsert.env-empty': async (target) => {
    const entry = await merged(target, { env: { ONE: '1' }, headers: { 'X-One': '1' } }, { env: {} });
    mustEqual([entry.env ?? {}, entry.headers], [{}, { 'X-One': '1' }], 'env and headers');
  },
  'mcp.upsert.null-refused': async (target) => {
    for (const member of ['command', 'args', 'env', 'headers', 'enabled', 'type']) {
      await refusesPatch(target, { [member]: null }, member);
    }
  },
  'mcp.upsert.case-refused': (target) => refusesPatch(target, { Args: ['x'] }, 'Args'),
  'mcp.entry.misspelled-named': async (target) => {
    const mcp = await McpSession.open(target);
    const told = await mcp.refusesUpsert({ name: 'a', comand: 'true' });
    must(told.includes('comand'), 'the refusal of an entry without a command does not name the member not known');
  },
  'mcp.upsert.null-arg-refused': (target) => refusesPatch(target, { args: ['x', null] }, 'args'),
  'mcp.upsert.header-case-refused': async (target) => {
    await refusesPatch(target, { headers: { 'X-New': '1', 'x-new': '2' } }, 'headers');
    await refusesPatch(target, { headers: { 'x-one': '2' } }, 'headers');
  },
  'mcp.upsert.placeholder-refused': async (target) => {
    for (const placeholder of ['[REDACTED]', '<redacted>', '****', '•••']) {
      await refusesPatch(target, { env: { ONE: placeholder } }, 'env');
    }
  },

  'mcp.repoint.restated': async (target) => {
    const env = { TOKEN: SECRET };
    for (const patch of [{ type: 'STDIO' }, { command: 'true' }, { args: [] }, { type: 'stdio', command: 'true' }]) {
      mustEqual((await merged(target, { env }, patch)).env, env, `env after ${JSON.stringify(patch)}`);
    }
    const remote = { command: undefined, type: 'http', url: 'http://127.0.0.1:9/mcp', headers: { A: SECRET } };
    for (const type of ['Streamable-HTTP', 'streamable', 'url']) {
      mustEqual((await merged(target, remote, { type })).headers, remote.headers, `headers after the type ${type}`);
    }
  },
  'mcp.repoint.byte-compare': async (target) => {
    const url = 'http://127.0.0.1:9/mcp';
    const changes: [Record<string, unknown>, Record<string, unknown>][] = [
      [{ command: '/bin/true' }, { command: '/bin/True' }],
      [{ command: '/bin/true' }, { command: '/bin/../bin/true' }],
      [{ command: undefined, type: 'http', url }, { url: `${url}/` }],
    ];
    for (const [stored, patch] of changes) {
      const entry = await merged(target, { ...stored, env: { K: SECRET } }, patch);
      mustEqual(entry.env ?? {}, {}, `env after ${JSON.stringify(patch)}`);
    }
  },
  'mcp.repoint.clears': async (target) => {
    const entry = await merged(target, { env: { K: SECRET }, headers: { A: SECRET } }, { command: 'false' });
    mustEqual([entry.env ?? {}, entry.headers ?? {}], [{}, {}], 'credentials after a re-point');
  },
  'mcp.repoint.resupplied': async (target) => {
    const entry = await merged(
      target,
      { env: { K: SECRET, OTHER: SECRET } },
      { command: 'false', env: { OTHER: 'new' } },
    );
    mustEqual(entry.env, { OTHER: 'new' }, 'env after a re-point');
  },

  'mcp.repair.exact-member': async (target) => {
    for (const [fault, repair, member] of FAULTS) {
      const mcp = await McpSession.open(target, { settings: [idle('a', fault)] });
      await mcp.upsert({ name: 'a', ...repair });
      const [entry] = await mcp.stored();
      mustEqual(entry[member], repair[member], `the repaired ${member}`);
      must(!('Args' in entry), 'the faulty member is still there');
      mustEqual(namesOf(await mcp.list()), ['a'], 'the servers after the repair');
    }
  },
  'mcp.repair.refused': async (target) => {
    for (const [fault, , member] of FAULTS) {
      const mcp = await McpSession.open(target, { settings: [idle('a', fault)] });
      const message = await mcp.refusesUpsert({ name: 'a', require_confirmation: true });
      must(message.includes(member), `the refusal does not name ${member}`);
    }
  },
  'mcp.repair.headers': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('a', { headers: { 'X-A': '1', 'x-a': '2' } })] });
    await mcp.refusesUpsert({ name: 'a', require_confirmation: true });
    await mcp.upsert({ name: 'a', headers: {} });
    await mcp.upsert({ name: 'a', headers: { 'X-A': '3' } });
    mustEqual((await mcp.stored())[0].headers, { 'X-A': '3' }, 'headers');
  },

  'mcp.entry.name-grammar': async (target) => {
    const mcp = await McpSession.open(target);
    for (const name of ['', 'a b', 'ä', 'x__y', 'x'.repeat(65)]) await mcp.refusesUpsert(idle(name));
    for (const name of ['x'.repeat(64), 'A_b-9']) await mcp.upsert(idle(name));
  },
  'mcp.entry.name-reserved': async (target) => {
    const mcp = await McpSession.open(target);
    for (const name of ['hoody', 'Hoody', 'mcp', 'MCP']) await mcp.refusesUpsert(idle(name));
    await mcp.upsert(idle('Mine'));
    mustEqual(namesOf(await mcp.list()), ['Mine'], 'the name');
  },
  'mcp.entry.type-aliases': async (target) => {
    const mcp = await McpSession.open(target);
    for (const type of ['url', 'streamable', 'streamable-http', 'HTTP']) {
      const { servers } = await mcp.upsert({ name: 'r', type, url: 'http://127.0.0.1:9/mcp', enabled: false });
      mustEqual(rowOf({ servers }, 'r').transport, 'http', `the transport of type ${type}`);
    }
    mustEqual(rowOf(await mcp.upsert(idle('s', { type: 'Stdio' })), 's').transport, 'stdio', 'the transport of Stdio');
  },
  'mcp.entry.type-default': async (target) => {
    const mcp = await McpSession.open(target);
    mustEqual(rowOf(await mcp.upsert(idle('a')), 'a').transport, 'stdio', 'the transport without a type');
  },
  'mcp.entry.target': async (target) => {
    const mcp = await McpSession.open(target);
    must((await mcp.refusesUpsert({ name: 'a' })).includes('command'), 'the refusal does not name command');
    must((await mcp.refusesUpsert({ name: 'a', type: 'sse' })).includes('url'), 'the refusal does not name url');
  },
  'mcp.entry.enabled-default': async (target) => {
    const mcp = await McpSession.open(target, { settings: [{ name: 'a', command: '/no/such/program' }] });
    mustEqual((await mcp.row('a')).enabled, true, 'enabled, when nothing is said');
  },

  'mcp.enable.flag-alone': async (target) => {
    const entry = idle('a', { args: ['x'], env: { K: SECRET }, x_own: [1], require_confirmation: true });
    const mcp = await McpSession.open(target, { settings: [entry, idle('b')] });
    await mcp.enable('a', false);
    mustEqual(await mcp.stored(), [entry, idle('b')], 'what is stored');
    await mcp.enable('b', true);
    mustEqual(await mcp.stored(), [entry, { ...idle('b'), enabled: true }], 'what is stored');
  },
  'mcp.enable.unknown-name': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('a')] });
    const message = await mcp.refuses('set_enabled', { name: 'nobody', enabled: true });
    must(message.includes('nobody') && message.includes(mcp.settingsPath), 'the refusal does not name entry and layer');
  },
  'mcp.delete.one-layer': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('a')] });
    await mcp.upsert(idle('a', { args: ['local'] }), 'local');
    await mcp.remove('a', 'local');
    mustEqual(await mcp.stored(), [idle('a')], 'the other layer');
    mustEqual((await mcp.row('a')).scope, 'project', 'the layer the entry is from now');
  },
  'mcp.container.refused': async (target) => {
    const mcp = await McpSession.open(target);
    const headers = { 'x-hoody-container': 'c1' };
    await target.refused(400, 'bad_request', 'listMcpServers', { query: { session_id: mcp.id }, headers });
    for (const op of OPS) {
      const { nonce, hash } = await mcp.intent(op);
      const body = { session_id: mcp.id, nonce, expect_hash: hash, ...ACCEPTED[op] };
      await target.refused(400, 'bad_request', WRITES[op], { body, headers });
    }
  },
  'mcp.write.hash-in-lock': async (target) => {
    // Two writers who read the same list: one of them gets through, and what it wrote is there.
    const mcp = await McpSession.open(target, { settings: [idle('a')] });
    const [one, two] = [await mcp.intent('upsert'), await mcp.intent('upsert')];
    const answers = await Promise.all(
      [one, two].map(({ nonce, hash }, index) =>
        mcp.write('upsert', { nonce, expect_hash: hash, server: idle(`n${index}`) }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    mustEqual(statuses, [200, 409], 'the statuses of two writes from the same hash');
    const winner = answers.findIndex(({ status }) => status === 200);
    mustEqual(namesOf(await mcp.list()), ['a', `n${winner}`], 'the servers');
  },
  'mcp.partial.fail-closed': async (target) => {
    const mcp = await McpSession.open(target);
    const local = join(dirname(mcp.settingsPath), 'settings.local.json');
    const name = await mcp.connected();
    const [entry] = await mcp.stored();
    await mcp.upsert({ ...entry, name: 'locl' }, 'local');
    await target.write(local, '{ "mcp_servers": [');
    const body = (
      await target.until('the reading of a broken layer', async () => {
        const answer = await mcp.reconnect();
        return answer.status === 200 && answer;
      })
    ).json;
    must(body.partial_sessions >= 1, 'a session with an unreadable layer is not counted in partial_sessions');
    mustEqual(
      await mcp.tools().then((tools) => tools.some((tool) => tool.includes('locl'))),
      false,
      'its tools are listed',
    );
    must((await mcp.row(name)).connected === true, 'a server of a readable layer was lost');
  },
};
