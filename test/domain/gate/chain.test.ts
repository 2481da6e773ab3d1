import { describe, expect, test } from '@jest/globals';
import { fold, GATES, judge } from '../../../src/domain/gate/chain.js';
import { compileDenyList, denyFloor, literalPaths } from '../../../src/domain/gate/deny-list.js';
import { isInside } from '../../../src/domain/gate/dir-scope.js';
import { createFilesRead, type PathFact } from '../../../src/domain/gate/facts.js';
import { ALLOW, confirm, deny, type Decision, type Question, type Verdict } from '../../../src/domain/gate/verdict.js';
import { isGuardedFile } from '../../../src/domain/gate/write-permission.js';

const CWD = '/home/ann/app';
const HOME = '/home/ann';

const fact = (path: string, access: 'read' | 'write', more: Partial<PathFact> = {}): PathFact => ({
  path,
  access,
  lexical: path,
  real: path,
  kind: 'missing',
  ...more,
});

const question = (more: Partial<Question> = {}): Question => ({
  tool: 'read_file',
  source: 'builtin',
  mutates: false,
  requireConfirmation: false,
  command: undefined,
  sessionless: false,
  allowMutations: false,
  dirScope: 'home',
  yolo: false,
  approvalRule: undefined,
  rules: [],
  headless: false,
  paths: [],
  cwd: CWD,
  home: HOME,
  isDenied: () => false,
  unknownDenials: [],
  filesRead: createFilesRead(),
  member: true,
  ...more,
});

const decide = (more: Partial<Question>, stance = { headless: false, confirmed: false }): Decision =>
  judge(question(more), stance);

describe('the fold', () => {
  const answers: readonly Verdict[] = [ALLOW, confirm('why'), deny('denied_rule', 'no')];

  test('holds for every gate, verdict, headless or not, confirmed or not', () => {
    const combinations = 3 ** GATES.length;
    let seen = 0;
    for (let number = 0; number < combinations; number += 1) {
      const verdicts = GATES.map((_, gate) => answers[Math.floor(number / 3 ** gate) % 3] as Verdict);
      const denied = verdicts.some(({ kind }) => kind === 'deny');
      const asked = verdicts.filter(({ kind }) => kind === 'confirm').length;
      for (const headless of [false, true]) {
        for (const confirmed of [false, true]) {
          const decision = fold(verdicts, { headless, confirmed });
          seen += 1;
          const expected = denied
            ? 'deny denied_rule'
            : asked === 0
              ? 'allow'
              : headless
                ? 'deny denied_headless'
                : confirmed
                  ? 'allow'
                  : `confirm ${asked}`;
          const got =
            decision.kind === 'deny'
              ? `deny ${decision.code}`
              : decision.kind === 'confirm'
                ? `confirm ${decision.reasons.length}`
                : 'allow';
          if (got !== expected) throw new Error(`${verdicts.map(({ kind }) => kind).join()} ${got} for ${expected}`);
        }
      }
    }
    expect(seen).toBe(8748);
  });

  test('names the code of the first denial in gate order and the reasons of all', () => {
    const verdicts = [ALLOW, deny('stale_read', 'a'), confirm('b'), deny('denied_rule', 'c')];
    expect(fold(verdicts, { headless: false, confirmed: true })).toEqual({
      kind: 'deny',
      code: 'stale_read',
      reasons: ['a', 'c'],
    });
  });

  test('asks every gate, in the order of the contract', () => {
    expect(GATES.map(([name]) => name)).toEqual([
      'deny_list',
      'static_stakes',
      'read_before_edit',
      'dir_scope',
      'write_permission',
      'tool_membership',
      'rules',
    ]);
    const several = decide({ mutates: true, requireConfirmation: true, paths: [fact('/etc/x', 'write')] });
    expect(several).toMatchObject({ kind: 'confirm', reasons: { length: 3 } });
  });
});

describe('the deny list', () => {
  const denied = (patterns: string[], path: string): boolean =>
    compileDenyList({ patterns, paths: ['/data (1)'] }, HOME)(path);

  test.each<[string, string, boolean]>([
    ['~/secrets', '/home/ann/secrets', true],
    ['~/secrets', '/home/ann/secrets/deep/file', true],
    ['~/secrets/', '/home/ann/secrets/file', true],
    ['~/secrets', '/home/ann/secrets2', false],
    ['~/secrets', '/home/bob/secrets', false],
    ['/srv/*/keys', '/srv/a/keys/k', true],
    ['/srv/*/keys', '/srv/a/b/keys', false],
    ['*.pem', '/anywhere/at/all.pem', true],
    ['.env', '/home/ann/app/.env', true],
    ['config/.env', '/home/ann/app/config/.env', true],
    ['./config/.env', '/home/ann/app/config/.env', true],
    ['**/private/**', '/a/private/b', true],
    ['/srv/?/keys', '/srv/a/keys/', true],
    ['/srv/{a,b}/keys', '/srv/b/keys', true],
    ['/srv/{keys,a/b}', '/srv/keys', true],
    ['/srv/(keys|a/b)', '/srv/keys', true],
    // A pattern cannot take anything away, and text that looks like an option of the glob language is a name.
    ['!/etc', '/home/ann/app', false],
  ])('%s covers %s: %s', (pattern, path, expected) => {
    expect(denied([pattern], path)).toBe(expected);
  });

  test('takes plain paths literally, whatever characters they have', () => {
    expect(denied([], '/data (1)/file')).toBe(true);
    expect(denied([], '/data 1/file')).toBe(false);
  });

  test('has a floor: credentials, the daemon, and every settings file', () => {
    const floor = denyFloor({
      home: HOME,
      dataDir: '/data',
      userSettingsPath: '/cfg/settings.json',
      configDir: '/conf',
    });
    const isDenied = compileDenyList(floor, HOME);
    const covered = ['/home/ann/.ssh/id', '/home/ann/.aws', '/home/ann/.gnupg/x', '/data/audit', '/cfg/settings.json'];
    for (const path of [...covered, '/conf/settings.local.json', '/any/.hoody/settings.json'])
      expect([path, isDenied(path)]).toEqual([path, true]);
    for (const path of ['/conf/other.json', '/home/ann', '/any/.hoody/notes.md'])
      expect([path, isDenied(path)]).toEqual([path, false]);
  });

  test('knows which of its patterns are plain places, so that links to them can be followed', () => {
    expect(literalPaths({ patterns: ['~/keys', '*.pem', '/srv/k'], paths: ['/data'] }, HOME)).toEqual([
      '/data',
      '/home/ann/keys',
      '/srv/k',
    ]);
  });

  test('denies by the written path and by where it leads, and nothing overrides it', () => {
    const isDenied = (path: string): boolean => path === '/secret';
    const byLink = { isDenied, yolo: true, paths: [fact('/home/ann/app/link', 'read', { real: '/secret' })] };
    const written = { isDenied, paths: [fact('/secret', 'read', { real: '/mnt/elsewhere' })] };
    for (const more of [byLink, written]) {
      expect(decide(more, { headless: false, confirmed: true })).toMatchObject({
        kind: 'deny',
        code: 'denied_deny_list',
      });
    }
  });
});

describe('dir scope', () => {
  test.each<['home' | 'full', 'read' | 'write', string, 'allow' | 'confirm']>([
    ['home', 'read', `${CWD}/a`, 'allow'],
    ['home', 'read', CWD, 'allow'],
    ['home', 'read', `${HOME}/other`, 'allow'],
    ['home', 'read', HOME, 'allow'],
    ['home', 'read', '/etc/passwd', 'confirm'],
    ['home', 'read', `${HOME}-evil/x`, 'confirm'],
    ['full', 'read', '/etc/passwd', 'allow'],
    ['home', 'write', `${CWD}/a`, 'allow'],
    ['home', 'write', `${CWD}-evil/a`, 'confirm'],
    ['home', 'write', `${HOME}/other`, 'confirm'],
    ['home', 'write', '/etc/passwd', 'confirm'],
    ['full', 'write', `${CWD}/a`, 'allow'],
    ['full', 'write', `${HOME}/other`, 'confirm'],
    ['full', 'write', '/opt/x', 'confirm'],
  ])('%s: a %s of %s is %s', (dirScope, access, path, expected) => {
    expect(decide({ dirScope, paths: [fact(path, access)] }).kind).toBe(expected);
    expect(decide({ dirScope, yolo: true, paths: [fact(path, access)] }).kind).toBe('allow');
  });

  test('judges where a path leads, not how it is written', () => {
    expect(decide({ paths: [fact(`${CWD}/link`, 'read', { real: '/etc/passwd' })] }).kind).toBe('confirm');
    expect(decide({ paths: [fact('/link', 'read', { real: `${CWD}/a` })] }).kind).toBe('allow');
  });

  test('containment is by folder, not by prefix', () => {
    const cases: [string, string, boolean][] = [
      ['/a/b', '/a', true],
      ['/a', '/a', true],
      ['/ab', '/a', false],
      ['/', '/a', false],
      ['/a', '/', true],
      ['/a/..b', '/a', true],
    ];
    for (const [path, folder, expected] of cases) expect([path, isInside(path, folder)]).toEqual([path, expected]);
  });
});

describe('read before edit', () => {
  const existing = fact(`${CWD}/a`, 'write', { kind: 'file', stamp: 'now' });
  const edit = { tool: 'edit_file', mutates: true, yolo: true, paths: [existing] };

  test('denies a change of a file this session has not read, and of one that changed since', () => {
    expect(decide(edit)).toMatchObject({ kind: 'deny', code: 'read_required' });
    const filesRead = createFilesRead();
    filesRead.note(existing.real, 'before');
    expect(decide({ ...edit, filesRead })).toMatchObject({ kind: 'deny', code: 'stale_read' });
    filesRead.note(existing.real, 'now');
    expect(decide({ ...edit, filesRead }).kind).toBe('allow');
  });

  test('lets new files be written and shell lines pass', () => {
    expect(decide({ ...edit, paths: [fact(`${CWD}/new`, 'write')] }).kind).toBe('allow');
    expect(decide({ ...edit, tool: 'bash', command: 'echo > a' }).kind).toBe('allow');
  });

  test('asks when there is no session to remember', () => {
    expect(decide({ ...edit, sessionless: true, allowMutations: true })).toMatchObject({
      kind: 'confirm',
      reasons: { length: 1 },
    });
  });

  test('remembers a bounded number of files, newest last', () => {
    const filesRead = createFilesRead();
    for (let file = 0; file < 10_001; file += 1) filesRead.note(`/${file}`, 's');
    expect([filesRead.stampOf('/0'), filesRead.stampOf('/1'), filesRead.stampOf('/10000')]).toEqual([
      undefined,
      's',
      's',
    ]);
  });
});

describe('write permission', () => {
  test.each<[string, Partial<Question>, string]>([
    ['a mutating tool asks', {}, 'confirm'],
    ['yolo answers', { yolo: true }, 'allow'],
    ['an approval rule answers', { approvalRule: 'allow' }, 'allow'],
    ['a rule that denies denies', { approvalRule: 'deny' }, 'deny'],
    ['allow_mutations means nothing in a session', { allowMutations: true }, 'confirm'],
    ['without a session allow_mutations answers', { sessionless: true, allowMutations: true }, 'allow'],
    ['without a session nothing else does', { sessionless: true, yolo: true }, 'confirm'],
    ['a call that only reads does not ask', { mutates: false }, 'allow'],
    ['a tool of a server does not ask', { source: 'mcp' }, 'allow'],
    ['unless its server wants it', { source: 'mcp', requireConfirmation: true }, 'confirm'],
    [
      'which yolo does not lift',
      { source: 'mcp', requireConfirmation: true, yolo: true, approvalRule: 'allow' },
      'confirm',
    ],
  ])('%s', (_, more, expected) => {
    expect(decide({ tool: 'make_dir', mutates: true, paths: [fact(`${CWD}/a`, 'write')], ...more }).kind).toBe(
      expected,
    );
  });

  test.each([
    '.env',
    '.env.local',
    '.git/config',
    'sub/.git/hooks/pre-commit',
    '.bashrc',
    '.zshrc',
    'server.pem',
    'id_rsa',
    '.ssh-x/id_ed25519.pub',
    'authorized_keys',
    '.netrc',
    '.npmrc',
    '.gitconfig',
    '.github/workflows/ci.yml',
    '.vscode/tasks.json',
    '.hoody/notes',
    '.ENV',
    '.mcp.json',
    '.cursor/mcp.json',
    '.codex/config.toml',
    '.devcontainer/devcontainer.json',
    '.ssh/config',
    '.gitlab-ci.yml',
  ])('asks for %s whatever the permission', (name) => {
    const paths = [fact(`${CWD}/${name}`, 'write')];
    expect(decide({ mutates: true, yolo: true, approvalRule: 'allow', paths }).kind).toBe('confirm');
    expect(decide({ mutates: true, sessionless: true, allowMutations: true, paths }).kind).toBe('confirm');
    expect(decide({ paths: [fact(`${CWD}/${name}`, 'read')] }).kind).toBe('allow');
  });

  test('sees such a file behind a link', () => {
    expect(
      decide({ mutates: true, yolo: true, paths: [fact(`${CWD}/x`, 'write', { real: `${CWD}/.env` })] }).kind,
    ).toBe('confirm');
  });

  test.each(['environment.ts', 'src/git.ts', '.gitignore', 'keyboard.ts', 'docs/.github/README.md', 'profile.d.ts'])(
    '%s is an ordinary file',
    (name) => {
      expect(isGuardedFile(`${CWD}/${name}`)).toBe(false);
    },
  );
});

test('static stakes ask about a tree behind a link that leads out, and not about the link', () => {
  const kind = (command: string, path: string, real: string): string =>
    decide({ tool: 'bash', mutates: true, yolo: true, command, paths: [fact(`${CWD}/${path}`, 'read', { real })] })
      .kind;
  expect(kind('rm -rf x/*', 'x/lib', '/srv/lib')).toBe('confirm');
  expect(kind('find x -delete', 'x/lib', '/srv/lib')).toBe('confirm');
  expect(kind('rm -rf x', 'x', '/srv/lib')).toBe('allow');
  expect(kind('rm -rf x/*', 'x/lib', `${CWD}/packages/lib`)).toBe('allow');
  expect(kind('rm x/lib', 'x/lib', '/srv/lib')).toBe('allow');
  expect(kind('ls -r x/*', 'x/lib', '/srv/lib')).toBe('allow');
});

test('static stakes ask even under yolo, and headless turns the question into a denial', () => {
  const bash = { tool: 'bash', mutates: true, yolo: true, command: 'rm -rf /' };
  expect(decide(bash)).toMatchObject({ kind: 'confirm' });
  expect(decide(bash, { headless: true, confirmed: true })).toMatchObject({ kind: 'deny', code: 'denied_headless' });
  expect(decide({ ...bash, command: 'ls' }).kind).toBe('allow');
});

test('a tool-call rule asks whatever is permitted, and denies by its own name where nobody can answer', () => {
  const covered = { tool: 'bash', mutates: true, yolo: true, approvalRule: 'allow' as const, rules: ['why'] };
  expect(decide(covered)).toEqual({ kind: 'confirm', reasons: ['why'] });
  expect(decide(covered, { headless: false, confirmed: true })).toEqual({ kind: 'allow' });
  expect(decide({ ...covered, headless: true }, { headless: true, confirmed: true })).toMatchObject({
    kind: 'deny',
    code: 'denied_rule',
  });
  expect(decide({ ...covered, approvalRule: 'deny' })).toMatchObject({ kind: 'deny', code: 'denied_rule' });
});

test('a tool taken away meanwhile is denied', () => {
  expect(decide({ member: false }, { headless: false, confirmed: true })).toMatchObject({
    kind: 'deny',
    code: 'tool_not_found',
  });
});
