/** What rules cover, and how they are read, as tables. */
import { describe, expect, test } from '@jest/globals';
import type { JsonValue } from '../../src/domain/json.js';
import { askingReasons, coveringRules, promptWeight, resolveRules, ruleTargetOf } from '../../src/domain/rules.js';

const layer = (rules: JsonValue | undefined, more: object = {}) =>
  ({ layer: 'user', path: '/u', state: 'loaded', rules, rulesTimeout: undefined, ...more }) as const;
const rule = (more: object) => ({ id: 'r', text: 't', kind: 'limit', ...more });
const builtin = (name: string, readOnly = false) => ruleTargetOf({ source: 'builtin', name, readOnly, asks: false });

test.each<[string, string, boolean]>([
  ['bash', 'bash', true],
  ['Bash', 'bash', true],
  ['bas', 'bash', false],
  ['*', 'bash', true],
  ['b*h', 'bash', true],
  ['b*s*', 'bash', true],
  ['*s*a*', 'bash', false],
  ['ba*ash', 'bash', false],
  ['**', 'bash', true],
  ['b.sh', 'bash', false],
  ['mcp__a__*', 'mcp__a__', true],
])('%s covers %s: %s', (pattern, name, expected) => {
  const rules = resolveRules([layer([rule({ tools: [pattern] })])]);
  expect(coveringRules(rules, null, builtin(name, true))).toHaveLength(expected ? 1 : 0);
});

test('a tool of a server is known by its plain name too, and what it says of itself does not count', () => {
  const shortened = ruleTargetOf({ source: 'mcp', name: 'mcp__x_0123abcd', server: { name: 'x', tool: 'a.b' } });
  const rules = resolveRules([layer([rule({ tools: ['mcp__x__a.b'] }), rule({ id: 'all' })])]);
  expect(coveringRules(rules, null, shortened).map(({ id }) => id)).toEqual(['r', 'all']);
});

describe('reading', () => {
  test.each<[JsonValue, string]>([
    [{}, 'rules is not a list'],
    [[7], 'number 1 cannot be read'],
    [[rule({ text: '' })], '"r" cannot be read: text'],
    [[rule({ tools: 'bash' })], '"r" cannot be read: tools'],
    [[rule({ agents: [''] })], '"r" cannot be read: agents'],
    [Array.from({ length: 33 }, (_, n) => rule({ id: `r${n}` })), '"r32" is left out'],
  ])('%j asks about everything it might have covered', (stored, why) => {
    const rules = resolveRules([layer(stored)]);
    expect([rules.complete, rules.ruleWarnings]).toEqual([false, [expect.stringContaining(why)]]);
    expect(askingReasons(rules, null, builtin('make_dir')).at(-1)).toContain('not all rules can be read');
    expect(askingReasons({ ...rules, live: [] }, null, builtin('read_file', true))).toEqual([]);
  });

  test('the strongest layer says the time limit, and one that is none is told', () => {
    const layers = [layer(undefined, { rulesTimeout: 200 }), layer(undefined, { layer: 'project', rulesTimeout: 5 })];
    const rules = resolveRules(layers);
    expect([rules.timeoutMs, rules.complete, rules.ruleWarnings.length]).toEqual([200, true, 1]);
  });

  test('folders without rules look alike, and others do not', () => {
    const stamp = (rules: JsonValue | undefined, path: string): string => resolveRules([layer(rules, { path })]).stamp;
    expect(stamp(undefined, '/a')).toBe(stamp(undefined, '/b'));
    expect(stamp([rule({})], '/a')).not.toBe(stamp([rule({})], '/b'));
  });
});

test('texts for the model are weighed in the order they are told', () => {
  const long = 'x'.repeat(2_000);
  const stored = Array.from({ length: 10 }, (_, n) => rule({ id: `p${n}`, kind: 'playbook', text: long }));
  const { live } = resolveRules([layer([rule({}), ...stored])]);
  expect(promptWeight(live)).toEqual({ bytes: 20_000, overBudget: ['p8', 'p9'] });
});
