import { describe, expect, test } from '@jest/globals';
import { digest, serversHash } from '../../src/domain/canonical.js';
import type { JsonObject, JsonValue } from '../../src/domain/json.js';
import type { LayerName } from '../../src/domain/server-entry.js';
import {
  readLayer,
  resolveSettings,
  type EffectiveSettings,
  type SettingsDocument,
  type TrustQuestion,
} from '../../src/domain/settings.js';

type Files = Partial<Record<LayerName, JsonObject | string>>;

const LAYERS: readonly LayerName[] = ['local', 'user', 'project'];

/** The settings of these files: an object is the content, a string why it is broken. Absent files are missing. */
const settings = (files: Files, trusted: (server: TrustQuestion) => boolean = () => true): EffectiveSettings =>
  resolveSettings(
    LAYERS.map((layer) => {
      const path = `/${layer}.json`;
      const content = files[layer];
      if (typeof content === 'string') return readLayer({ layer, path }, { path, state: 'broken', reason: content });
      return readLayer({ layer, path }, { path, state: content ? 'loaded' : 'missing', value: content ?? {} });
    }),
    trusted,
  );

const servers = (...entries: JsonValue[]): JsonObject => ({ mcp_servers: entries });
const entry = (name: string, rest: JsonObject = {}): JsonObject => ({ name, command: 'x', ...rest });

const summary = ({ servers: effective }: EffectiveSettings): string[] =>
  effective.map(
    ({ entry: { name, command, enabled }, scope }) => `${scope} ${name} ${command} ${enabled ? 'on' : 'off'}`,
  );

const check = (files: Files, expected: string[], ...warnings: string[]): EffectiveSettings => {
  const result = settings(files);
  expect(summary(result)).toEqual(expected);
  expect(result.warnings).toHaveLength(warnings.length);
  warnings.forEach((text, index) => expect(result.warnings[index]).toContain(text));
  return result;
};

describe('layers', () => {
  test('the strongest layer that has a name gives its whole entry', () => {
    const result = check(
      {
        user: servers(entry('a', { env: { K: 'v' } }), entry('b'), entry('c')),
        project: servers(entry('a', { command: 'p' }), entry('b', { command: 'p' }), entry('d')),
        local: servers(entry('a', { command: 'l' })),
      },
      ['local a l on', 'project b p on', 'user c x on', 'project d x on'],
    );
    expect(result.servers[0]?.entry.env.size).toBe(0);
  });

  test('a disabled entry in a stronger layer disables the server, an enabled one enables it', () => {
    check({ user: servers(entry('a')), local: servers(entry('a', { enabled: false })) }, ['local a x off']);
    check({ user: servers(entry('a', { enabled: false })), project: servers(entry('a')) }, ['project a x on']);
  });

  test('files come in the order user, project, local, missing ones too, each with its own hash', () => {
    const { files } = settings({ project: servers(entry('a')) });
    expect(files).toEqual([
      { path: '/user.json', layer: 'user', hash: serversHash([]) },
      { path: '/project.json', layer: 'project', hash: serversHash([entry('a')]) },
      { path: '/local.json', layer: 'local', hash: serversHash([]) },
    ]);
  });

  test('a broken layer makes the reading partial, is named and has no hash; the others count', () => {
    const result = check(
      { user: servers(entry('a')), project: 'line 7, column 12: a comma is missing', local: servers(entry('b')) },
      ['user a x on', 'local b x on'],
      'project settings could not be read (/project.json): line 7, column 12',
    );
    expect(result).toMatchObject({ partial: true, brokenLayers: ['project'] });
    expect(result.files.map(({ layer }) => layer)).toEqual(['user', 'local']);
    expect(settings({})).toMatchObject({ partial: false, brokenLayers: [], servers: [], warnings: [] });
  });
});

describe('what cannot be loaded', () => {
  test('one bad entry is left out alone, with a warning that names it, its field and no value', () => {
    const result = check(
      { user: servers(entry('good'), entry('bad', { Args: ['hush'], env: { K: 5 } }), entry('fine')) },
      ['user good x on', 'user fine x on'],
      'user entry "bad" is left out: Args: must be spelled args; env.K: must be a string',
    );
    expect(result.warnings.join()).not.toContain('hush');
  });

  test.each<[JsonValue, string]>([
    [7, 'number 1'],
    [null, 'number 1'],
    [{ command: 'x' }, 'number 1'],
    [{ name: 5, command: 'x' }, 'number 1'],
    [{ name: 'a__b', command: 'x' }, '"a__b"'],
    [entry('a', { args: ['x', null] }), '"a"'],
    [entry('a', { headers: { A: '1', a: '2' } }), '"a"'],
    [entry('a', { command: 1 }), '"a"'],
  ])('%j', (raw, label) => void check({ user: servers(raw) }, [], `user entry ${label} is left out`));

  test('a weaker entry does not step in for a stronger one that cannot be loaded', () => {
    check({ user: servers(entry('a')), local: servers(entry('a', { Args: [] })) }, [], 'local entry "a" is left out');
    check(
      { user: servers(entry('a', { Args: [] })), local: servers(entry('a')) },
      ['local a x on'],
      'user entry "a" is left out',
    );
  });

  test('of two entries of one name in a layer the first counts, even when it cannot be loaded', () => {
    check(
      { user: servers(entry('a'), entry('a', { command: 'y' })) },
      ['user a x on'],
      'user entry "a" is there more than once',
    );
    check({ user: servers({ name: 'a' }, entry('a')) }, [], 'is left out', 'more than once');
  });

  test('mcp_servers of another kind is a warning and no server', () => {
    for (const value of [{ a: { command: 'x' } }, 'x', null, 5]) {
      check(
        { user: { mcp_servers: value }, local: servers(entry('b')) },
        ['local b x on'],
        'user settings: mcp_servers is not a list',
      );
    }
  });

  test('names the language gives every object are ordinary names', () => {
    check({ user: servers(entry('constructor')), local: servers(entry('toString')) }, [
      'user constructor x on',
      'local toString x on',
    ]);
  });
});

describe('trust', () => {
  test('asks for each definition by file, name and digest, and tells of an enabled one that is not trusted', () => {
    const asked: TrustQuestion[] = [];
    const files = { user: servers(entry('u')), project: servers(entry('p'), entry('off', { enabled: false })) };
    const result = settings(files, (question) => {
      asked.push(question);
      return question.scope === 'user';
    });
    expect(result.servers.map(({ trusted }) => trusted)).toEqual([true, false, false]);
    expect(result.warnings).toHaveLength(1);
    expect(result.warnings[0]).toContain('project entry "p" is not started');
    expect(asked).toContainEqual({ path: '/project.json', name: 'p', digest: digest(entry('p')), scope: 'project' });
  });

  test('the digest changes with anything in the entry, unknown fields included, and not with the order of keys', () => {
    const digestOf = (raw: JsonObject): string | undefined => settings({ user: servers(raw) }).servers[0]?.digest;
    const base = digestOf({ name: 'a', command: 'x' });
    expect(digestOf({ command: 'x', name: 'a' })).toBe(base);
    for (const more of [{ args: [] }, { enabled: true }, { mine: 1 }])
      expect(digestOf(entry('a', more))).not.toBe(base);
  });
});

describe('policies', () => {
  test('deny lists add up', () => {
    const { denyList } = settings({ user: { deny_list: ['~/x', '/y'] }, local: { deny_list: ['/y', '/z'] } });
    expect(denyList).toEqual(['~/x', '/y', '/z']);
  });

  test('transports narrow: what one layer does not allow is left out with a warning', () => {
    const remote: JsonObject = { name: 'r', type: 'sse', url: 'https://mcp.example.com' };
    expect(settings({}).mcpTransports).toEqual(['stdio', 'http', 'sse']);
    const files = {
      user: { ...servers(entry('a'), remote), mcp_transports: ['stdio', 'URL'] },
      local: { mcp_transports: ['stdio', 'sse'] },
    };
    expect(check(files, ['user a x on'], 'user entry "r" is left out: mcp_transports').mcpTransports).toEqual([
      'stdio',
    ]);
  });

  test('a tool is switched off by any layer', () => {
    const { disabledTools } = settings({
      user: { tools: { bash: { enabled: false }, grep: { enabled: true }, x: 5 } },
      local: { tools: { bash: { enabled: true }, write_file: { enabled: false } } },
    });
    expect(disabledTools).toEqual(['bash', 'x', 'write_file']);
  });

  const allow = { tools: { web_fetch: { allow_private: true } } };
  const forbid = { tools: { web_fetch: { allow_private: false } } };
  test.each<[boolean, Parameters<typeof settings>[0]]>([
    [false, {}],
    [true, { user: allow }],
    [true, { user: allow, project: {}, local: {} }],
    // A folder that was cloned opens nothing, and may close.
    [false, { user: {}, project: allow, local: allow }],
    [false, { user: allow, project: forbid }],
    [false, { user: allow, local: forbid }],
    [false, { user: forbid, local: allow }],
    [false, { user: allow, local: 'broken' }],
    [false, { user: { tools: { web_fetch: { allow_private: 'yes' } } } }],
  ])(
    'private addresses are open to web_fetch (%s) where the operator says so and no layer forbids it: %j',
    (open, files) => {
      expect(settings(files).allowPrivateFetch).toBe(open);
    },
  );

  test("a config dir, which has no user layer, is the operator's own", () => {
    const path = '/config/settings.json';
    const layer = readLayer({ layer: 'project', path }, { path, state: 'loaded', value: allow });
    expect(resolveSettings([layer], () => true).allowPrivateFetch).toBe(true);
  });

  test.each<[JsonObject, string]>([
    [{ deny_list: 'x' }, 'deny_list is not a list'],
    [{ deny_list: ['/x', 5] }, 'deny_list holds something'],
    [{ mcp_transports: 'stdio' }, 'mcp_transports must be a list'],
    [{ mcp_transports: ['stdio', 'smoke'] }, 'mcp_transports must be a list'],
    [{ tools: [] }, 'tools is not an object'],
    [{ tools: { bash: { enabled: 'no' } } }, 'tools.bash.enabled'],
    [{ tools: { bash: false } }, 'tools.bash must be an object'],
    [{ tools: { bash: { enable: false } } }, 'tools.bash.enable is not known'],
    [{ tools: { web_fetch: { allow_private: 'no' } } }, 'tools.web_fetch.allow_private'],
  ])('%j is a warning', (content, text) => void check({ user: content }, [], `user settings: ${text}`));

  test('a policy that cannot be read restricts as far as it can be understood', () => {
    expect(settings({ user: { deny_list: ['/x', 5] } }).denyList).toEqual(['/x']);
    expect(settings({ user: { tools: { bash: false, grep: { enabled: 'no' } } } }).disabledTools).toEqual([
      'bash',
      'grep',
    ]);
    expect(settings({ user: { mcp_transports: 'stdio' } }).mcpTransports).toEqual([]);
    expect(settings({ user: { mcp_transports: ['http', 'smoke'] } }).mcpTransports).toEqual(['http']);
  });
});

test('what a layer forbade holds on while it cannot say what it forbids, and is unknown where it never said', () => {
  const place = { layer: 'user', path: '/u' } as const;
  const whole = { deny_list: ['/x'], mcp_transports: ['http'], tools: { bash: { enabled: false } } };
  const held = readLayer(place, { path: '/u', state: 'loaded', value: whole });
  const broken: SettingsDocument = { path: '/u', state: 'broken', reason: 'no' };
  const odd: SettingsDocument = { path: '/u', state: 'loaded', value: { deny_list: ['/y', 5] } };
  const then = (document: SettingsDocument, before?: typeof held) =>
    resolveSettings([readLayer(place, document, before)], () => true);
  const forbidden = { denyList: ['/x'], mcpTransports: ['http'], disabledTools: ['bash'], unknownDenials: [] };
  expect(then(broken, held)).toMatchObject({ partial: true, ...forbidden });
  expect(then(odd, held)).toMatchObject({ partial: false, denyList: ['/y', '/x'], unknownDenials: [] });
  const unknownDenials = ['what the user settings deny cannot be read (/u)'];
  expect(then(broken)).toMatchObject({ denyList: [], unknownDenials });
  expect(then(odd)).toMatchObject({ denyList: ['/y'], unknownDenials });
});

test('a credential in the url of an enabled server is told without its value', () => {
  const remote = { name: 'r', type: 'http', url: 'https://mcp.example.com/?token=hush' };
  const { warnings } = settings({ user: servers(remote, { ...remote, name: 'off', enabled: false }) });
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('user entry "r"');
  expect(warnings[0]).not.toContain('hush');
});
