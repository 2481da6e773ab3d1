/**
 * Change tokens of what is in files (agents and rules) against their lists, over random edits by hand in several folders
 * and sessions that come and go. Everything is real but the clock; nothing is told that a file has changed except the
 * sessions, as their watch does.
 */
import { mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { createAgentFiles } from '../../src/files/agent-files.js';
import { createSettingsFiles } from '../../src/files/settings-file.js';
import type { Scope } from '../../src/domain/session.js';
import { Agents } from '../../src/services/agents.js';
import { ChangeFeed } from '../../src/services/change-feed.js';
import { ConfigReader } from '../../src/services/config-reader.js';
import { Reconciler } from '../../src/services/reconciler.js';
import { Rules } from '../../src/services/rules.js';
import { Sessions } from '../../src/services/sessions.js';
import { WriteNonces } from '../../src/services/write-nonces.js';
import { openStore } from '../../src/store/store.js';
import { systemIds } from '../../src/system.js';
import { FakeClock } from '../fakes/clock.js';
import { newPool, quiet, realConnector } from './pool-fixture.js';

const REALMS = ['global', 'a'.repeat(24)];
/** Below the folder of a run. The first is the daemon's own. */
const CWDS = ['one', 'two'];
const DIR = 'install';
const OWN = CWDS[0]!;

interface Asked {
  readonly realm: string;
  readonly cwd: string | undefined;
  readonly configDir: string | undefined;
}
const ASKED: Asked[] = REALMS.flatMap((realm) =>
  [undefined, ...CWDS].flatMap((cwd) => [undefined, DIR].map((configDir) => ({ realm, cwd, configDir }))),
);

const AGENT_FOLDERS = ['user/agents', `${DIR}/agents`, ...CWDS.map((cwd) => `${cwd}/.hoody/agents`)];
const LAYERS = [
  'user/settings.json',
  ...[DIR, ...CWDS.map((cwd) => `${cwd}/.hoody`)].flatMap((folder) => [
    `${folder}/settings.json`,
    `${folder}/settings.local.json`,
  ]),
];
const agentsSeenBy = ({ cwd, configDir }: Asked): string[] => [
  configDir === undefined ? 'user/agents' : `${DIR}/agents`,
  ...(cwd === undefined ? [] : [`${cwd}/.hoody/agents`]),
];
const layersOf = (cwd: string, configDir: string | undefined): string[] => {
  const folder = configDir ?? `${cwd}/.hoody`;
  const own = [`${folder}/settings.json`, `${folder}/settings.local.json`];
  return configDir === undefined ? ['user/settings.json', ...own] : own;
};

const agent = (description: string): string => `---\ndescription: ${description}\n---\nPrompt.\n`;
/** Undefined is no file; a link leads nowhere. Some are equally long, so that only time and content tell them apart. */
const AGENTS = [
  undefined,
  agent('one'),
  agent('two'),
  '---\ndescription: [\n---\n',
  Buffer.from([0xff]),
  'link',
] as const;
const rules = (text: string, more: object = {}): string =>
  JSON.stringify({ rules: [{ id: 'r', kind: 'limit', text, ...more }] });
const SETTINGS = [
  undefined,
  '{}',
  rules('one'),
  rules('two'),
  rules('one', { tools: ['read_fil'] }),
  rules('one', { kind: 3 }),
  '{"rules": 1}',
  '{"rules"',
  '{"rules_timeout_ms": 500}',
] as const;

const layerArb = fc.constantFrom(...LAYERS);
const stepArb = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('agent' as const),
      folder: fc.constantFrom(...AGENT_FOLDERS),
      name: fc.constantFrom('a', 'b'),
      content: fc.constantFrom(...AGENTS),
    }),
  },
  fc.record({ kind: fc.constant('no folder' as const), folder: fc.constantFrom(...AGENT_FOLDERS) }),
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('rules' as const),
      layer: layerArb,
      content: fc.constantFrom(...SETTINGS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('other key' as const), layer: layerArb, value: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('open' as const),
      place: fc.constantFrom(...ASKED),
      cwd: fc.constantFrom(...CWDS),
    }),
  },
  fc.record({ kind: fc.constant('close' as const), pick: fc.nat() }),
);
type Step = typeof stepArb extends fc.Arbitrary<infer T> ? T : never;

const openWorld = async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'agentd-feed-files-')));
  const at = (path: string): string => join(folder, path);
  for (const name of [...CWDS, DIR, 'user']) await mkdir(at(name));
  const clock = new FakeClock();
  const login = { current: () => ({ accountId: 'a', activeRealm: 'global', serves: 'all', pinned: null }) as const };
  const place = { defaultCwd: at(OWN), defaultConfigDir: null };
  const run = { id: systemIds.ulid() };
  const store = await openStore({ url: null, sqlitePath: at('lists'), ids: systemIds, logger: quiet, run });
  const files = createSettingsFiles({ logger: quiet });
  const trust = { path: '', has: () => true, add: () => Promise.resolve() };
  const userSettingsPath = at('user/settings.json');
  const reader = new ConfigReader({ files, trust, userSettingsPath, trustProjectServers: true });
  const pool = newPool(clock, realConnector());
  const reconciler = new Reconciler({
    pool,
    clock,
    logger: quiet,
    readSettings: ({ posture }) => reader.read(posture),
  });
  const sessions = new Sessions({
    ...place,
    store: store.sessions,
    clock,
    ids: systemIds,
    logger: quiet,
    login,
    folders: { resolve: (path) => Promise.resolve(path) },
    idleMs: 1e12,
    checkCwd: async () => undefined,
    agentOf: async () => undefined,
    toolsOf: () => [],
    settingsOf: (sessionId) => reconciler.settings(sessionId),
    opened: ({ posture }) => reconciler.attach({ posture, layerPaths: reader.layerPaths(posture) }),
    closed: ({ posture }) => reconciler.detach(posture.sessionId),
  });
  const nonces = new WriteNonces({ files, clock, ids: systemIds, ttlMs: 1 });
  const builtins = [{ name: 'read_file', readOnly: true, category: 'filesystem' }] as const;
  const parts = { files, reader, reconciler, nonces, login, builtins, targetOf: () => undefined };
  const ofRules = new Rules({ ...parts, ...place });
  const agents = new Agents({
    files: createAgentFiles(),
    login,
    userFolder: at('user/agents'),
    defaultConfigDir: null,
  });
  const feed = new ChangeFeed({ store, sessions, agents, rules: ofRules, login, clock, logger: quiet, epoch: 'e' });
  const close = async (): Promise<void> => {
    await sessions.closeAll();
    await store.close();
    await pool.close();
    await rm(folder, { recursive: true });
  };
  return { at, clock, reconciler, sessions, rules: ofRules, agents, feed, close };
};

type World = Awaited<ReturnType<typeof openWorld>>;

interface Opened extends Asked {
  readonly id: string;
  readonly cwd: string;
}

const scopeOf = ({ at }: World, { realm, cwd, configDir }: Asked): Scope => ({
  realm,
  cwd: cwd && at(cwd),
  configDir: configDir && at(configDir),
  toolMode: undefined,
  dirScope: undefined,
});
const sees = (asked: Asked, { realm, cwd, configDir }: Opened): boolean =>
  asked.realm === realm &&
  (asked.cwd === undefined || asked.cwd === cwd) &&
  (asked.configDir === undefined || asked.configDir === configDir);

const put = async (path: string, content: string | Uint8Array | undefined): Promise<void> => {
  await rm(path, { recursive: true, force: true });
  if (content === undefined) return;
  await mkdir(dirname(path), { recursive: true });
  if (content === 'link') await symlink('nowhere', path);
  else await writeFile(path, content);
};

/** Does one step. Returns whether it may be seen in a scope, by topic. */
const take = async (world: World, opened: Opened[], step: Step): Promise<Record<string, (asked: Asked) => boolean>> => {
  const { at, sessions, reconciler } = world;
  switch (step.kind) {
    case 'no folder':
      await put(at(step.folder), 'not a folder');
      return { agents: (asked) => agentsSeenBy(asked).includes(step.folder) };
    case 'agent': {
      const { folder, name, content } = step;
      if ((await stat(at(folder)).catch(() => undefined))?.isFile()) await rm(at(folder));
      await put(join(at(folder), `${name}.md`), content);
      return { agents: (asked) => agentsSeenBy(asked).includes(folder) };
    }
    case 'rules': {
      await put(at(step.layer), step.content);
      await reconciler.reread();
      const isOf = ({ cwd = OWN, configDir }: Asked): boolean => layersOf(cwd, configDir).includes(step.layer);
      return { rules: (asked) => isOf(asked) || opened.some((session) => sees(asked, session) && isOf(session)) };
    }
    case 'other key': {
      const text = await readFile(at(step.layer), 'utf8').catch(() => '{}');
      if (text.endsWith('}'))
        await put(at(step.layer), `${text.slice(0, -1)}${text === '{}' ? '' : ','}"k${step.value}":0}`);
      await reconciler.reread();
      return {};
    }
    case 'open': {
      const asked = { ...step.place, cwd: step.cwd };
      const { realm, cwd, configDir } = scopeOf(world, asked);
      const more = { toolMode: undefined, dirScope: undefined, headless: false, agent: undefined, name: undefined };
      const { posture } = await sessions.open({ realm, cwd, configDir, ...more });
      const session = { ...asked, id: posture.sessionId };
      opened.push(session);
      return { rules: (other) => sees(other, session) };
    }
    case 'close': {
      const [session] = opened.splice(step.pick % Math.max(opened.length, 1), 1);
      if (session === undefined) return {};
      await sessions.close(await sessions.get(session.id, scopeOf(world, session)));
      return { rules: (other) => sees(other, session) };
    }
  }
};

/** What the lists answer in a scope, and by session the rules that the gates of the visible ones go by. */
const shown = async (world: World, opened: Opened[], asked: Asked) => {
  const scope = scopeOf(world, asked);
  const { stamp: _, ...rules } = await world.rules.read(scope);
  const applied = opened
    .filter((session) => sees(asked, session))
    .map(({ id }): [string, string] => [
      id,
      JSON.stringify(world.rules.applies(world.sessions.live(id, scope), undefined, undefined)),
    ]);
  const agents = JSON.stringify(await world.agents.list(scope));
  return { agents, rules: JSON.stringify(rules), applied: new Map(applied) };
};
type Shown = Awaited<ReturnType<typeof shown>>;

const DIFFERS: Record<string, (one: Shown, other: Shown) => boolean> = {
  agents: (one, other) => one.agents !== other.agents,
  rules: (one, other) =>
    one.rules !== other.rules ||
    [...one.applied].some(([id, rules]) => other.applied.has(id) && other.applied.get(id) !== rules),
};

test('move whenever agents or rules answer differently, and never for what a scope does not see', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepArb, { minLength: 5, maxLength: 20 }), async (steps) => {
      const world = await openWorld();
      const opened: Opened[] = [];
      const look = async () => {
        await world.clock.advance(1_000);
        const looks = [];
        for (const asked of ASKED) {
          const { tokens } = await world.feed.read(scopeOf(world, asked));
          looks.push({ tokens: tokens as Record<string, string>, lists: await shown(world, opened, asked) });
        }
        return looks;
      };
      let before = await look();
      for (const step of steps) {
        const seen = await take(world, opened, step);
        const after = await look();
        for (const [index, asked] of ASKED.entries()) {
          for (const [topic, differs] of Object.entries(DIFFERS)) {
            const hasMoved = after[index]!.tokens[topic] !== before[index]!.tokens[topic];
            const what = `${topic} of ${JSON.stringify(asked)}: ${JSON.stringify(step)}`;
            if (!hasMoved && differs(before[index]!.lists, after[index]!.lists))
              throw new Error(`stood still: ${what}`);
            if (hasMoved && !seen[topic]?.(asked)) throw new Error(`moved: ${what}`);
          }
        }
        before = after;
      }
      await world.close();
    }),
    { numRuns: 6 },
  );
}, 60_000);
