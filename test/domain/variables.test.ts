import { describe, expect, test } from '@jest/globals';
import { parseEntry, type ServerEntry } from '../../src/domain/server-entry.js';
import { childEnvironment, expandEntry, type ExpandedEntry } from '../../src/domain/variables.js';

const host = {
  A: 'alpha',
  EMPTY: '',
  TOKEN: 'sk-hush',
  HOODY_TOKEN: 'hush',
  HOODY_REALM_TOKEN: 'hush',
  unset: undefined,
};

const expanded = (env: Record<string, string>, headers: Record<string, string> = {}): ExpandedEntry => {
  const parsed = parseEntry({ name: 'srv', command: 'x', env, headers }, 'stored');
  return expandEntry((parsed as { entry: ServerEntry }).entry, host);
};

/** The value a text becomes, and the variables it warns of. */
const check = (text: string, value: string, ...warned: string[]): void => {
  const { env, headers, warnings } = expanded({ K: text }, { H: text });
  expect([env['K'], headers['H']]).toEqual([value, value]);
  expect(warnings).toHaveLength(2 * warned.length);
  warned.forEach((name, index) => {
    expect(warnings[index]).toContain(`"srv": env.K: `);
    expect(warnings[index]).toContain(name);
    expect(warnings[index + warned.length]).toContain(`"srv": headers.H: `);
  });
  expect(warnings.join()).not.toContain('hush');
};

describe('references', () => {
  test.each<[string, string, ...string[]]>([
    ['plain', 'plain'],
    ['${A}', 'alpha'],
    ['x-${A}-${A}-y', 'x-alpha-alpha-y'],
    ['${NONE}', '', 'NONE'],
    ['x${NONE}y${ALSO_NONE}', 'xy', 'NONE', 'ALSO_NONE'],
    ['${unset}', '', 'unset'],
    ['${EMPTY}', ''],
    ['${NONE:-hush-default}', 'hush-default'],
    ['${EMPTY:-d}', 'd'],
    ['${A:-d}', 'alpha'],
    ['${NONE:-}', ''],
    ['${NONE:-${A}}', 'alpha'],
    ['${NONE:-x${ALSO:-${A}}y}', 'xalphay'],
    ['${NONE:-${ALSO}}', '', 'ALSO'],
    ['${HOODY_TOKEN}', '', 'HOODY_TOKEN'],
    ['${HOODY_REALM_TOKEN:-d}', 'd'],
    ['${constructor}', '', 'constructor'],
    ['${__proto__}', '', '__proto__'],
    ['${input:token}', '', '${input:token}'],
    ['${env:A}', '', '${env:A}'],
    ['${A:=hush}', '', '${A}'],
    ['${A-hush}', '', '${A}'],
  ])('%s', (text, value, ...warned) => check(text, value, ...warned));

  test.each(['$A', '%A%', '{env:A}', '{{A}}', '${{ secrets.A }}', '$$5', '${', '${A', '${}', '${1}', 'a}b', '${ A }'])(
    '%s is ordinary text',
    (text) => check(text, text),
  );

  test('an open reference does not swallow a closed one', () => check('${A ${A}', '${A alpha'));

  test('defaults nested without end are cut off', () => {
    const { env, warnings } = expanded({ K: `${'${N:-'.repeat(1000)}x${'}'.repeat(1000)}` });
    expect(env).toEqual({ K: '' });
    expect(warnings).toHaveLength(1);
  });

  test('a key named like the prototype of everything stays a key', () => {
    expect(expanded({ constructor: '${A}' }).env).toEqual({ constructor: 'alpha' });
  });
});

describe('what must not be repeated', () => {
  test('values as written and as expanded, what follows a scheme, lines of a long one; longest first', () => {
    const { secrets } = expanded({ A: 'pre-${TOKEN}', B: 'line-one\nline-two' }, { H: 'Bearer ${A}beta' });
    expect(secrets).toEqual(
      expect.arrayContaining(['pre-sk-hush', 'sk-hush', 'line-one', 'line-two', 'Bearer alphabeta', 'alphabeta']),
    );
    expect(secrets.map((secret) => secret.length)).toEqual(
      secrets.map((secret) => secret.length).toSorted((a, b) => b - a),
    );
  });

  test('words too short to be a secret are left alone', () =>
    expect(expanded({ A: '1', B: 'on', C: '' }).secrets).toEqual([]));
});

/** Literals, not taken from the source: whoever shortens the list must do it here as well. */
const SCRUBBED = [
  'HOODY_TOKEN',
  'HOODY_SESSION_TOKEN',
  'HOODY_AGENTD_STORE',
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'OPENROUTER_API_KEY',
  'DEEPSEEK_API_KEY',
  'XAI_API_KEY',
  'COHERE_API_KEY',
  'TOGETHER_API_KEY',
  'FIREWORKS_API_KEY',
  'PERPLEXITY_API_KEY',
  'REPLICATE_API_TOKEN',
  'HF_TOKEN',
  'HUGGING_FACE_HUB_TOKEN',
  'HUGGINGFACEHUB_API_TOKEN',
  'AZURE_OPENAI_API_KEY',
  'AZURE_OPENAI_AD_TOKEN',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_BEARER_TOKEN_BEDROCK',
  'DATABRICKS_TOKEN',
  'WATSONX_APIKEY',
  'SOMETHING_API_KEY',
  'MY_SECRET',
  'MY_SECRETS_FILE',
  'X_ACCESS_TOKEN',
  'X_AUTH_TOKEN',
  'openai_api_key',
];
const INHERITED = [
  'PATH',
  'HOME',
  'LANG',
  'SHELL',
  'TMPDIR',
  'HTTP_PROXY',
  'NODE_OPTIONS',
  'HOODY_REALM',
  'TOKENIZERS',
  'SECRETARY',
  'API_KEYS',
];

test('a child inherits the environment less ambient credentials', () => {
  const own = Object.fromEntries([...SCRUBBED, ...INHERITED].map((name) => [name, 'v']));
  expect(Object.keys(childEnvironment({ ...own, ABSENT: undefined })).toSorted()).toEqual(INHERITED.toSorted());
});
