/** Rules about tool-call rules: how a layer is written, what they do to calls, what is known of them beforehand. */
import { mkdir, readFile, rename, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { must, mustEqual } from '../../check.js';
import type { Answer } from '../../client.js';
import { mustAnswer, type Target } from '../../target.js';
import type { Rules } from '../rules.js';
import { McpSession, toolName } from './mcp-session.js';

// oxlint-disable-next-line typescript/no-explicit-any -- a case looks at what came.
type Json = any;
type Body = Readonly<Record<string, unknown>>;
type Layer = 'project' | 'local';

const MAKE = 'make_dir';
/** How soon an edit by hand is in force, with time to spare. */
const BY_HAND_MS = 5_000;
const ASKED = [409, 'tool_needs_confirmation'] as const;

const limit = (id: string, more: Body = {}): Body => ({ id, text: `The rule ${id}.`, kind: 'limit', ...more });

/** A session over an install and a folder of its own, and the rules of both. */
class Ruled {
  readonly target: Target;
  readonly mcp: McpSession;

  private constructor(target: Target, mcp: McpSession) {
    this.target = target;
    this.mcp = mcp;
  }

  static async open(target: Target, body: Body = {}): Promise<Ruled> {
    return new Ruled(target, await McpSession.open(target, body));
  }

  /** Another session of the same folder and install. */
  async beside(body: Body): Promise<Ruled> {
    return new Ruled(this.target, await McpSession.open(this.target, { ...body, beside: this.mcp }));
  }

  get headers(): Record<string, string> {
    return { 'x-hoody-cwd': this.mcp.cwd, 'x-hoody-config-dir': this.mcp.configDir };
  }

  async intent(scope: Layer = 'project'): Promise<Json> {
    const body = { session_id: this.mcp.id, op: 'rules_set', scope };
    return (await this.target.expect(200, 'createHookWriteIntent', { body })).json;
  }

  /** A write with a nonce of its own, unless it has one. */
  async write(change: Body, scope: Layer = 'project'): Promise<Answer> {
    const nonce = change['nonce'] ?? (await this.intent(scope)).nonce;
    return this.target.call('setHookRules', { body: { session_id: this.mcp.id, scope, ...change, nonce } });
  }

  /** A write of the complete list of a layer that has to be accepted. */
  async set(rules: readonly Body[], scope: Layer = 'project'): Promise<Json> {
    const answer = await this.write({ rules }, scope);
    mustAnswer(answer, 200);
    return answer.json;
  }

  async read(): Promise<Json> {
    return (await this.target.expect(200, 'getHookRules', { headers: this.headers })).json.rules;
  }

  /** Rules in force, as `layer/id`. */
  async live(): Promise<string[]> {
    return (await this.read()).live.map(({ scope, id }: Json) => `${scope}/${id}`);
  }

  /** Ids of the rules that cover a tool. */
  async covering(tool: string): Promise<string[]> {
    const call = { path: { id: this.mcp.id }, query: { tool } };
    const { json } = await this.target.expect(200, 'listApplicableRules', call);
    return json.rules.map(({ id }: Json) => id);
  }

  run(name: string, params: Body, more: Body = {}): Promise<Answer> {
    return this.target.call('runSessionTool', { path: { id: this.mcp.id, name }, body: { params, ...more } });
  }

  make(path: string, more: Body = {}): Promise<Answer> {
    return this.run(MAKE, { path }, more);
  }

  /** Permits what permissions are about. */
  async permitAll(): Promise<void> {
    await this.target.expect(200, 'setSessionYolo', { path: { id: this.mcp.id }, body: { enabled: true } });
  }
}

export const toolRuleRules: Rules = {
  'rules.write.rest-kept': async (target) => {
    const ruled = await Ruled.open(target);
    const { path } = await ruled.intent();
    const one = '{ "id": "one", "text": "x", "kind": "limit", "mine": 7 }';
    const two = '{ "id": "two", "text": "x", "kind": "limit" }';
    await target.write(path, `{\n  // kept\n  "other": [1,  2],\n  "rules": [${one}, ${two}]\n}\n`);
    const { rules } = await ruled.set([limit('one')]);
    mustEqual(
      rules.live.map(({ id, text }: Json) => [id, text]),
      [['one', limit('one')['text']]],
      'the rules in force',
    );
    const text = await readFile(path, 'utf8');
    for (const kept of ['// kept', '"other": [1,  2]']) must(text.includes(kept), `the file lost ${kept}`);
    must(/"mine":\s*7/.test(text), 'the rule lost a member that is not known');
    must(!text.includes('"two"'), 'the file has a rule that was left out');
  },
  'rules.write.revision': async (target) => {
    const ruled = await Ruled.open(target);
    const before = await ruled.intent();
    const { revision } = await ruled.set([limit('one')]);
    const lost = { rules: [limit('lost')] };
    const conflict = async (change: Body): Promise<void> => {
      const answer = await ruled.write({ ...lost, ...change });
      mustAnswer(answer, 409, 'revision_conflict');
      mustEqual(answer.json.details?.current_revision, revision, 'the current revision');
    };
    await conflict({ nonce: before.nonce });
    const { nonce } = await ruled.intent();
    await conflict({ nonce, expected_revision: before.revision });
    for (const spent of [before.nonce, nonce]) {
      mustAnswer(await ruled.write({ ...lost, nonce: spent, expected_revision: revision }), 400, 'bad_request');
    }
    mustEqual(await ruled.live(), ['project/one'], 'the rules in force');
    mustAnswer(await ruled.write({ rules: [], expected_revision: revision }), 200);
  },
  'rules.write.refused': async (target) => {
    const ruled = await Ruled.open(target);
    const { path } = await ruled.set([limit('one')]);
    const before = await readFile(path, 'utf8');
    const many = (kind: string) => Array.from({ length: 33 }, (_, at) => limit(`r${at}`, { kind }));
    for (const change of [
      { rules: [limit('two'), limit('two')] },
      { rules: many('limit') },
      { rules: many('guidance') },
      { timeout_ms: 99 },
      { exec_trust: [{ container_id: 'c', realm: 'global' }] },
    ]) {
      const answer = await ruled.write(change);
      mustAnswer(answer, 400, 'bad_request');
      const told = JSON.stringify([answer.json.message, answer.json.details]);
      must(told.includes(Object.keys(change)[0]!), 'the refusal does not name what it is about');
    }
    mustEqual(await readFile(path, 'utf8'), before, 'the file');
  },
  'rules.write.link': async (target) => {
    const ruled = await Ruled.open(target);
    const elsewhere = await target.folder();
    const [one, two] = [join(elsewhere, 'one.json'), join(elsewhere, 'two.json')];
    await Promise.all([target.write(one, '{}'), target.write(two, '{}')]);
    const { path: local } = await ruled.intent('local');
    await mkdir(dirname(local), { recursive: true });
    await symlink(one, local);
    const { nonce } = await ruled.intent('local');
    await symlink(two, `${local}.new`);
    await rename(`${local}.new`, local);
    mustAnswer(await ruled.write({ nonce, rules: [limit('one')] }, 'local'), 400, 'bad_request');
    mustEqual([await readFile(one, 'utf8'), await readFile(two, 'utf8')], ['{}', '{}'], 'the files');
  },
  'rules.intent.rules-only': async (target) => {
    const ruled = await Ruled.open(target);
    for (const op of ['toggle', 'upsert']) {
      const body = { session_id: ruled.mcp.id, op, scope: 'project' };
      const { json } = await target.refused(400, 'bad_request', 'createHookWriteIntent', { body });
      must(JSON.stringify(json).includes('rules_set'), 'the refusal does not name rules_set');
    }
  },
  'rules.gate.asks': async (target) => {
    const ruled = await Ruled.open(target);
    await ruled.permitAll();
    const rule = { path: { id: ruled.mcp.id, tool: MAKE }, body: { decision: 'allow' } };
    await target.expect(200, 'setApprovalRule', rule);
    mustEqual((await ruled.make('a')).json?.ok, true, 'ok before there is a rule');
    for (const kind of ['limit', 'check_in']) {
      await ruled.set([limit('one', { kind, tools: [MAKE] })]);
      const asked = await ruled.make('b');
      mustAnswer(asked, ...ASKED);
      must(JSON.stringify(asked.json.details.reasons).includes('one'), 'no reason names the rule');
      const { confirm_token } = asked.json.details;
      mustEqual((await ruled.make('b', { confirm: true, confirm_token })).json?.ok, true, 'ok when it is confirmed');
      const body = { params: { path: 'c' }, allow_mutations: true };
      await target.refused(...ASKED, 'runTool', { path: { name: MAKE }, body, headers: ruled.headers });
    }
    await ruled.set([limit('one', { kind: 'guidance', tools: [MAKE] })]);
    mustEqual((await ruled.make('d')).json?.ok, true, 'ok under a rule that is not checked');
  },
  'rules.gate.headless': async (target) => {
    const ruled = await Ruled.open(target);
    await ruled.set([limit('one', { tools: [MAKE] })]);
    const headless = await ruled.beside({ headless: true });
    await headless.permitAll();
    const denied = await headless.make('a');
    mustAnswer(denied, 200);
    mustEqual([denied.json.is_error, denied.json.error_code], [true, 'denied_rule'], 'the result');
    mustEqual((await headless.run('list_dir', { path: '.' })).json?.ok, true, 'ok of a call that no rule covers');
  },
  'rules.gate.new-question': async (target) => {
    const ruled = await Ruled.open(target);
    const rules = [limit('one', { tools: [MAKE] })];
    await ruled.permitAll();
    await ruled.set(rules);
    const asked = await ruled.make('a');
    mustAnswer(asked, ...ASKED);
    await ruled.set([...rules, limit('two', { tools: [MAKE] })]);
    const { confirm_token } = asked.json.details;
    const again = await ruled.make('a', { confirm: true, confirm_token });
    mustAnswer(again, ...ASKED);
    must(JSON.stringify(again.json.details.reasons).includes('two'), 'no reason names the rule that came since');
  },
  'rules.layers.add-up': async (target) => {
    const ruled = await Ruled.open(target);
    await ruled.permitAll();
    // The layer of the user belongs to the operator.
    await ruled.set([limit('one', { tools: [MAKE] })], 'project');
    await ruled.set([limit('one', { kind: 'guidance', tools: [MAKE] }), limit('two', { kind: 'guidance' })], 'local');
    mustEqual(await ruled.live(), ['project/one', 'local/one', 'local/two'], 'the rules in force');
    mustAnswer(await ruled.make('a'), ...ASKED);
  },
  'rules.cover.default': async (target) => {
    const ruled = await Ruled.open(target);
    await ruled.permitAll();
    await ruled.set([limit('all')]);
    mustEqual(await ruled.covering('read_file'), [], 'what covers a tool that only reads');
    mustEqual(await ruled.covering('ask_question_to_user'), [], 'what covers the tool that asks a person');
    mustEqual(await ruled.covering('write_file'), ['all'], 'what covers a tool that writes');
    mustEqual(await ruled.covering(toolName('anybody', 'look')), ['all'], 'what covers a tool of a server');
    mustAnswer(await ruled.make('a'), ...ASKED);
    mustEqual((await ruled.run('list_dir', { path: '.' })).json?.ok, true, 'ok of a call that only reads');
    // It says of itself that it only reads.
    mustAnswer(await ruled.mcp.run(await ruled.mcp.connected(), 'echo', { text: 'x' }), ...ASKED);
  },
  'rules.read.unreadable-asks': async (target) => {
    const ruled = await Ruled.open(target);
    await ruled.permitAll();
    const { path } = await ruled.intent();
    for (const broken of ['{ "rules": [', { rules: [{ id: 'odd', text: 'x', kind: 'neither' }] }]) {
      await target.write(path, { rules: [] });
      await target.until('a call of which nothing is asked', async () => (await ruled.make('a')).json?.ok, BY_HAND_MS);
      await target.write(path, broken);
      const asked = await target.until(
        'the question',
        async () => {
          const answer = await ruled.make('a');
          return answer.code === ASKED[1] && answer;
        },
        BY_HAND_MS,
      );
      must(/\S/.test(asked.json.details.reasons[0] ?? ''), 'the question has no reason');
      mustEqual((await ruled.read()).rules_complete, false, 'rules_complete');
      mustEqual((await ruled.run('list_dir', { path: '.' })).json?.ok, true, 'ok of a call that only reads');
    }
  },
  'changes.rules.files': async (target) => {
    const [ruled, other] = [await Ruled.open(target), await Ruled.open(target)];
    const token = async ({ headers }: Ruled): Promise<string> =>
      (await target.expect(200, 'getChanges', { headers })).json.tokens.rules;
    const elsewhere = await token(other);
    const moves = async (what: string, act: () => Promise<unknown>): Promise<void> => {
      const before = await token(ruled);
      await act();
      await target.until(`a move after ${what}`, async () => (await token(ruled)) !== before, BY_HAND_MS);
    };
    // The token is of the file and of what the session goes by: until that is one, it may move once more.
    const edit = async (what: string, id: string, more: object = {}): Promise<void> => {
      await moves(what, () => target.write(path, { rules: [limit(id)], ...more }));
      const isFollowed = async () => (await ruled.covering('write_file')).join() === id;
      await target.until(`the session to go by ${what}`, isFollowed, BY_HAND_MS);
    };
    let path = '';
    await moves('a write', async () => ({ path } = await ruled.set([limit('one')])));
    await edit('an edit by hand', 'two');
    const before = await token(ruled);
    await target.write(path, { rules: [limit('two')], other: 1 });
    // Once another edit is seen, so is this one.
    await edit('another edit', 'three', { other: 1 });
    await edit('its undoing', 'two', { other: 1 });
    mustEqual(await token(other), elsewhere, 'the token of another scope');
    mustEqual(await token(ruled), before, 'the token of the same rules beside another key');
  },
};
