/** Rules that need another program, a restart, or what a target limits. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { must, mustEqual } from '../../check.js';
import { mustAnswer, type Target } from '../../target.js';
import type { Rule, Rules } from '../rules.js';

/** Fills the streams of an address, and hands over to what must hold then. */
const atTheCap = (then: (target: Target) => Promise<void>): Rule => ({
  tier: 'load',
  alone: true,
  run: async (own) => {
    const target = await own.inState('small_limits');
    // Streams of the case before may still be going.
    for (let open = 0; open < target.limits.max_streams_per_ip; open += 1) {
      await target.until('a free place for a stream', () => target.stream('streamChanges').catch(() => undefined));
    }
    await then(target);
  },
});

export const outsideRules: Rules = {
  'changes.stream.cap': atTheCap(async (target) => {
    const refused = await target.call('streamChanges');
    mustAnswer(refused, 503, 'service_unavailable');
    must(refused.headers['retry-after'] !== undefined, 'the refusal has no Retry-After');
    mustAnswer(await target.call('getChanges'), 200);
  }),
  'tools.stream.cap': atTheCap(async (target) => {
    const call = { path: { name: 'list_dir' }, body: { params: { path: '.' } } };
    const refused = await target.call('streamTool', call);
    mustAnswer(refused, 503, 'service_unavailable');
    must(refused.headers['retry-after'] !== undefined, 'the refusal has no Retry-After');
  }),
  'changes.token.missing-lists': async (target) => {
    const still = async () => {
      const { tokens } = (await target.expect(200, 'getChanges')).json;
      return [tokens.loops, tokens.tasks];
    };
    const before = await still();
    await target.session();
    mustEqual(await still(), before, 'the tokens of loops and tasks');
  },
  'changes.agents.files': async (target) => {
    const headers = { 'x-hoody-config-dir': await target.folder() };
    const token = async () => (await target.expect(200, 'getChanges', { headers })).json.tokens.agents;
    const moves = async (what: string, act: () => Promise<unknown>): Promise<void> => {
      const before = await token();
      await act();
      await target.until(`a move after ${what}`, async () => (await token()) !== before, 3_500);
    };
    await moves('a creation', () =>
      target.expect(201, 'createAgent', { headers, body: { name: 'one', system_prompt: 'x' } }),
    );
    const { json } = await target.expect(200, 'listAgents', { headers });
    await moves('an edit by hand', () => target.write(json.items[0].path, '---\ndescription: new\n---\ny\n'));
  },
  'agents.files.unreadable': async (target) => {
    const headers = { 'x-hoody-config-dir': await target.folder() };
    await target.expect(201, 'createAgent', { headers, body: { name: 'good', system_prompt: 'x' } });
    const { path } = (await target.expect(200, 'listAgents', { headers })).json.items[0];
    await mkdir(join(dirname(path), 'folder.md'));
    const { json } = await target.expect(200, 'listAgents', { headers });
    mustEqual(
      json.items.map(({ name }: { name: string }) => name),
      ['good'],
      'the definitions',
    );
    must(
      json.warnings.some((warning: string) => warning.includes('folder')),
      'no warning names what cannot be read',
    );
  },
};
