/**
 * Tool-call rules over HTTP: reading and writing them, what they do to calls, and the change token, also of a file that a
 * person edits.
 */
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FakeClock } from '../fakes/clock.js';
import { fixtureServer, startTestDaemon, writeJson, type Answer, type TestDaemon } from '../harness.js';
import { until } from '../processes.js';
import { openMcp } from './mcp-caller.js';

const REALM = 'a'.repeat(24);
const EMPTY = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
const limit = { id: 'no-shell', text: 'No shell.', kind: 'limit', tools: ['bash'] };
const refusal = ({ status, body }: Answer): unknown[] => [status, body.code];

describe('tool-call rules', () => {
  const clock = new FakeClock();
  let daemon: TestDaemon;
  let session: string;
  let file: string;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hooks-'));
    const loginFile = join(folder, 'login.json');
    await writeJson(loginFile, { account_id: 'a', active_realm: 'global', serves: ['global', REALM] });
    const settings = { mcp_servers: [fixtureServer('box', 'echo')] };
    daemon = await startTestDaemon({ clock, settings, config: { loginFile } });
    session = await daemon.open();
    file = join(daemon.cwd, '.hoody', 'settings.json');
  });
  afterAll(() => daemon.close());

  const post = (path: string, body: unknown): Promise<Answer> => daemon.request('POST', path, { body });
  const intent = async (scope = 'project', from = session): Promise<{ nonce: string; revision: string }> => {
    const { status, body } = await post('/hooks/begin-write', { session_id: from, op: 'rules_set', scope });
    expect([status, body.status]).toEqual([200, 'ok']);
    return body;
  };
  const set = async (more: Record<string, unknown>, scope = 'project', from = session): Promise<Answer> => {
    const { nonce } = await intent(scope, from);
    return post('/hooks/rules', { session_id: from, nonce, scope, ...more });
  };
  const read = async (cwd = daemon.cwd): Promise<any> =>
    (await daemon.request('GET', '/hooks/rules', { headers: { 'x-hoody-cwd': cwd } })).body.rules;
  const applies = async (query = '', from = session): Promise<any> =>
    (await daemon.request('GET', `/sessions/${from}/rules/applies${query}`)).body;
  const run = (tool: string, params: unknown, more: Record<string, unknown> = {}, from = session): Promise<Answer> =>
    post(`/sessions/${from}/tools/${tool}/run`, { params, ...more });
  const yolo = (from = session) => daemon.request('PATCH', `/sessions/${from}/yolo`, { body: { enabled: true } });
  const token = async (headers: Record<string, string> = {}): Promise<string> => {
    await clock.advance(1_100);
    return (await daemon.request('GET', '/changes', { headers })).body.tokens.rules;
  };

  test('are written as the complete list of a layer, and the rest of the file stays as it is', async () => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(
      file,
      '{\n  "other": 1, // mine\n  "rules": [{ "id": "no-shell", "text": "x", "kind": "limit", "mine": 7 }]\n}\n',
    );
    const answer = await set({ rules: [limit, { id: 'tone', text: 'Be kind.', kind: 'guidance' }], timeout_ms: 500 });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: 'ok', path: file, revision: EMPTY });
    expect(answer.body.rules).toEqual({
      live: [
        { ...limit, applies_as: 'checked', scope: 'project', source: file },
        { id: 'tone', text: 'Be kind.', kind: 'guidance', applies_as: 'prompt', scope: 'project', source: file },
      ],
      timeout_ms: 500,
      scopes: [
        { scope: 'user', revision: EMPTY },
        { scope: 'project', revision: answer.body.revision },
        { scope: 'local', revision: EMPTY },
      ],
      exec_trust: [],
      warnings: [],
      rule_warnings: [],
      rules_complete: true,
    });
    expect(await read()).toEqual(answer.body.rules);
    const text = await readFile(file, 'utf8');
    expect(text).toContain('"other": 1, // mine');
    expect(JSON.parse(text.replace('// mine', '')).rules[0]).toEqual({ ...limit, mine: 7 });
    const { body } = await set({ timeout_ms: 0 });
    expect([body.rules.timeout_ms, body.rules.live.length]).toEqual([3000, 2]);
    expect(await readFile(file, 'utf8')).not.toContain('rules_timeout_ms');
  });

  test('are never overwritten unseen, and a nonce is for one write of one file', async () => {
    const first = await intent();
    await set({ rules: [limit] });
    const current = (await read()).scopes[1].revision;
    const stale = { session_id: session, nonce: first.nonce, scope: 'project', rules: [] };
    const late = await post('/hooks/rules', stale);
    expect([...refusal(late), late.body.details]).toEqual([409, 'revision_conflict', { current_revision: current }]);
    expect(refusal(await post('/hooks/rules', stale))).toEqual([400, 'bad_request']);
    const named = await set({ rules: [], expected_revision: first.revision });
    expect(refusal(named)).toEqual([409, 'revision_conflict']);
    const { nonce } = await intent('user');
    const elsewhere = await post('/hooks/rules', { ...stale, nonce });
    expect([...refusal(elsewhere), elsewhere.body.message]).toEqual([
      400,
      'bad_request',
      expect.stringContaining('minted for another session, op or scope, and spent now'),
    ]);
    const { nonce: other } = await daemon.intent(session, 'upsert', 'project');
    expect(refusal(await post('/hooks/rules', { ...stale, nonce: other }))).toEqual([400, 'bad_request']);
    expect((await read()).live).toHaveLength(1);
    expect((await set({ rules: [], expected_revision: current })).status).toBe(200);
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['no change', {}, /rules, timeout_ms: give at least one/],
    ['two of one id', { rules: [limit, limit] }, /rules\/1: id/],
    ['an id with a line end', { rules: [{ ...limit, id: 'a\nb' }] }, /rules\/0: id/],
    ['a time limit of a moment', { timeout_ms: 5 }, /timeout_ms: 0, or 100 to 120000/],
    ['33 checks', { rules: Array.from({ length: 33 }, (_, n) => ({ ...limit, id: `r${n}` })) }, /at most 32/],
    ['a container', { exec_trust: [{ container_id: 'c', realm: 'global' }], rules: [] }, /exec_trust: .*no containers/],
    ['an unknown member', { rules: [{ ...limit, tool: 'bash' }] }, /"tool"/],
    ['an unknown kind', { rules: [{ ...limit, kind: 'Limit' }] }, /limit, check_in, guidance, playbook/],
  ])('are refused with a reason: %s', async (_, change, why) => {
    const before = await readFile(file, 'utf8');
    const answer = await set(change);
    expect([answer.status, answer.body.message + JSON.stringify(answer.body.details ?? '')]).toEqual([
      400,
      expect.stringMatching(why),
    ]);
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  test('are the only writes of hooks there are', async () => {
    const body = { session_id: session, op: 'toggle', scope: 'project' };
    const answer = await post('/hooks/begin-write', body);
    expect([...refusal(answer), answer.body.details.errors[0].message]).toEqual([
      400,
      'bad_request',
      'must be one of rules_set',
    ]);
    expect(refusal(await post('/hooks/begin-write', { ...body, op: 'rules_set', session_id: 'sess_none' }))).toEqual([
      404,
      'not_found',
    ]);
    expect(refusal(await daemon.request('GET', '/sessions/sess_none/rules/applies'))).toEqual([404, 'not_found']);
    expect(refusal(await post('/hooks/rules', { session_id: 'sess_none', nonce: 'n' }))).toEqual([404, 'not_found']);
    const notServed = { headers: { 'x-hoody-realm': 'b'.repeat(24) } };
    expect(refusal(await daemon.request('GET', '/hooks/rules', notServed))).toEqual([404, 'not_found']);
  });

  test('park the calls they cover, whatever is permitted, until a person confirms just that call', async () => {
    await set({ rules: [limit, { id: 'echo', text: 'Ask first.', kind: 'check_in', tools: ['MCP__box__*'] }] });
    await yolo();
    const parked = await run('bash', { command: 'true' });
    expect(refusal(parked)).toEqual([409, 'tool_needs_confirmation']);
    expect(parked.body.details.reasons).toEqual(['rule "no-shell" (limit, project settings): No shell.']);
    const again = { confirm: true, confirm_token: parked.body.details.confirm_token };
    expect((await run('bash', { command: 'true' }, again)).body).toMatchObject({ ok: true });
    const mcp = await openMcp(daemon);
    await until(async () => (await mcp.tools()).includes('mcp__box__echo'));
    expect(await mcp.run('mcp__box__echo', {})).toMatchObject({ code: 'tool_needs_confirmation' });
    expect((await run('make_dir', { path: 'x' })).body.ok).toBe(true);
    const bare = await daemon.request('POST', '/tools/bash/run', {
      body: { params: { command: 'ls' }, allow_mutations: true },
      headers: { 'x-hoody-cwd': daemon.cwd },
    });
    expect(refusal(bare)).toEqual([409, 'tool_needs_confirmation']);
  });

  test('deny by their own name where nobody can be asked', async () => {
    const headless = await daemon.open({ headless: true });
    await yolo(headless);
    expect((await run('bash', { command: 'ls' }, {}, headless)).body).toMatchObject({
      is_error: true,
      error_code: 'denied_rule',
      output: expect.stringContaining('rule "no-shell"'),
    });
    expect((await run('list_dir', { path: '.' }, {}, headless)).body.ok).toBe(true);
  });

  test('spend a confirmation that was given before they were there', async () => {
    await set({ rules: [] });
    const asked = await run('bash', { command: 'git push --force' });
    const again = { confirm: true, confirm_token: asked.body.details.confirm_token };
    await set({ rules: [limit] });
    const { body } = await run('bash', { command: 'git push --force' }, again);
    expect(body.details.reasons).toHaveLength(asked.body.details.reasons.length + 1);
  });

  test('add up over the layers: a project takes nothing away, not even under the same id', async () => {
    await set({ rules: [{ ...limit, tools: ['make_dir'] }] }, 'user');
    await set({ rules: [{ ...limit, kind: 'guidance' }], timeout_ms: 100 });
    const { live } = await read();
    expect(live.map(({ id, scope, kind }: any) => [id, scope, kind])).toEqual([
      ['no-shell', 'user', 'limit'],
      ['no-shell', 'project', 'guidance'],
    ]);
    expect(refusal(await run('make_dir', { path: 'y' }))).toEqual([409, 'tool_needs_confirmation']);
    expect((await run('bash', { command: 'true' })).body.ok).toBe(true);
    await set({ rules: [] }, 'user');
  });

  test('that cover a tool and an agent can be listed beforehand', async () => {
    await set({
      rules: [
        { id: 'all', text: 'é', kind: 'playbook' },
        { id: 'named', text: 'n', kind: 'check_in', tools: ['read_*'], agents: ['scout'] },
        { id: 'ask', text: 'q', kind: 'limit' },
      ],
    });
    expect(await applies('?tool=bash')).toEqual({
      tool: 'bash',
      read_only: false,
      active: true,
      count: 2,
      rules: [expect.objectContaining({ id: 'all' }), expect.objectContaining({ id: 'ask' })],
      prompt_off: false,
      prompt_bytes: 2,
      prompt_budget_bytes: 16384,
      prompt_over_budget: [],
      fail_closed_reason: 'jev_disabled',
    });
    const ids = async (query: string): Promise<string[]> =>
      (await applies(query)).rules.map(({ id }: { id: string }) => id);
    expect(await applies('?tool=read_file')).toMatchObject({ read_only: true, active: false, count: 0 });
    expect(await ids('?tool=read_file&agent=scout')).toEqual(['named']);
    expect(await ids('?tool=ask_question_to_user')).toEqual([]);
    expect(await ids('?tool=mcp__gone__look')).toEqual(['all', 'ask']);
    expect(await ids('')).toEqual(['all', 'ask']);
    expect(await ids('?agent=scout')).toEqual(['all', 'named', 'ask']);
    expect(refusal(await run('ask_question_to_user', {}))).toEqual([400, 'bad_request']);
  });

  test('that cannot be read are told, and everything they might cover is asked about', async () => {
    const stored = await readFile(file, 'utf8');
    await writeFile(
      file,
      JSON.stringify({
        rules: [
          { id: 'odd', text: 'x', kind: 'Limit' },
          { ...limit, tools: ['Bsah'] },
        ],
      }),
    );
    const { rules_complete: complete, rule_warnings: warnings, live } = await read();
    expect([complete, live.length, warnings]).toEqual([
      false,
      1,
      [expect.stringContaining('rule "odd" cannot be read: kind'), expect.stringContaining('Bsah')],
    ]);
    const edited = async (): Promise<string | undefined> => {
      await clock.advance(200);
      return (await applies('?tool=make_dir')).fail_closed_reason;
    };
    await until(async () => (await edited()) === 'rules_incomplete');
    const asked = await run('make_dir', { path: 'z' });
    expect(asked.body.details.reasons).toEqual([expect.stringContaining('not all rules can be read')]);
    expect((await run('list_dir', { path: '.' })).body.ok).toBe(true);
    await writeFile(file, '{ "rules": [');
    expect(await read()).toMatchObject({ rules_complete: false, warnings: [expect.stringContaining('line 1')] });
    expect(
      refusal(await post('/hooks/begin-write', { session_id: session, op: 'rules_set', scope: 'project' })),
    ).toEqual([400, 'bad_request']);
    expect((await read()).scopes.map(({ scope }: { scope: string }) => scope)).toEqual(['user', 'local']);
    await writeFile(file, stored);
    await until(async () => (await edited()) === 'jev_disabled');
  });

  test('of a link are written where it led when the nonce was minted, or not at all', async () => {
    const [one, two] = [join(daemon.folder, 'one.json'), join(daemon.folder, 'two.json')];
    await Promise.all([writeFile(one, '{}'), writeFile(two, '{}')]);
    const local = join(daemon.cwd, '.hoody', 'settings.local.json');
    await symlink(one, local);
    const { nonce } = await intent('local');
    await symlink(two, `${local}.new`);
    await rename(`${local}.new`, local);
    const answer = await post('/hooks/rules', { session_id: session, nonce, scope: 'local', rules: [limit] });
    expect(refusal(answer)).toEqual([400, 'bad_request']);
    expect((await set({ rules: [limit] }, 'local')).status).toBe(200);
    expect([await readFile(one, 'utf8'), JSON.parse(await readFile(two, 'utf8'))]).toEqual(['{}', { rules: [limit] }]);
    await rm(local);
  });

  test('move their token with each change, through the API and by hand, for those who see it', async () => {
    const other = join(daemon.folder, 'other');
    const otherFile = join(other, '.hoody', 'settings.json');
    const [here, there] = [{ 'x-hoody-cwd': daemon.cwd }, { 'x-hoody-cwd': other }];
    await mkdir(other);
    const before = [await token(here), await token(there), await token()];
    await set({ rules: [limit] });
    const after = [await token(here), await token(there), await token()];
    // Without a folder the visible sessions count, and one of them is there.
    expect(after.map((one, at) => one === before[at])).toEqual([false, true, false]);
    await writeJson(otherFile, { rules: [limit] });
    const byHand = [await token(here), await token(there)];
    expect(byHand.map((one, at) => one === after[at])).toEqual([true, false]);
    const unseen = await token({ 'x-hoody-realm': REALM });
    await daemon.open({ cwd: other, realm: REALM });
    const seen = await token({ 'x-hoody-realm': REALM });
    expect(seen).not.toBe(unseen);
    expect(await token(here)).toBe(byHand[0]);
    // A live session of another folder, without headers: the file is watched.
    await writeJson(otherFile, { rules: [{ ...limit, id: 'by-hand' }] });
    await until(async () => (await token({ 'x-hoody-realm': REALM })) !== seen);
    await writeJson(otherFile, { rules: [limit], mcp_servers: [] });
    expect(await token(there)).toBe(byHand[1]);
  });
});
