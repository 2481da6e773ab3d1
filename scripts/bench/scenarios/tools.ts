/**
 * The built-in tools, each beside the plain way to the same end: a small file against a bare Express route, grep and
 * glob_files over a tree of 50,000 files against `git grep` and `find`, a shell line against spawning the shell, and the
 * gates by themselves.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judge } from '../../../src/domain/gate/chain.js';
import { compileDenyList, denyFloor } from '../../../src/domain/gate/deny-list.js';
import { createFilesRead, type PathFact } from '../../../src/domain/gate/facts.js';
import { reachOfShell } from '../../../src/domain/gate/shell-reach.js';
import type { Question } from '../../../src/domain/gate/verdict.js';
import type { Bench, Scenario } from '../bench.js';
import type { Daemon } from '../daemon.js';
import { load } from '../load.js';
import type { Reference } from '../reference.js';
import { BUILT_IN, type Call, type Target } from '../target.js';

const FILE_BYTES = 1_024;
const CALLERS = 32;
const FOLDERS = 2_500;
const FILES_EACH = 20;
/** One file in this many has the line that is searched for. */
const NEEDLE_EACH = 500;
const NEEDLE = 'a line that is searched for';
const EXPRESSION = 'se[ar]+ched for$';
/** A search takes long enough that few make a median. */
const SEARCHES_MAX = 10;
const SPAWNS_MAX = 200;
const JUDGEMENTS = 20_000;
const WORDS = 'const return import function value index result alpha beta gamma'.split(' ');

export const tools: Scenario = {
  name: 'tools',
  run: (bench) =>
    bench.withTargets({ names: ['daemon', 'reference'] }, async ({ daemon, reference }) => {
      if (!daemon || !reference) return;
      await readFiles(bench, daemon, reference);
      await bench.attempt('daemon', () => searchTree(bench, daemon));
      await bench.attempt('daemon', () => runShell(bench, daemon));
      for (let round = 0; round < bench.rounds; round++) judgeAlone(bench);
    }),
};

async function readFiles(bench: Bench, daemon: Daemon, reference: Reference): Promise<void> {
  const path = join(daemon.dir, 'small.txt');
  const content = 'x'.repeat(FILE_BYTES);
  writeFileSync(path, content);
  const ask = async (call: Call): Promise<() => boolean> => {
    const output = await call(BUILT_IN, 'read_file', { path });
    return () => output() === content;
  };
  const opened: string[] = [];
  while (opened.length < CALLERS) opened.push(await daemon.openSession(daemon.dir));
  const calling = (calls: readonly Call[]): Target => ({
    ...daemon,
    calls: (count) => Promise.resolve(calls.slice(0, count)),
  });
  const ways: readonly [string, Target][] = [
    ['in a session', calling(opened.map((sessionId) => daemon.callIn(sessionId)))],
    ['without a session', calling(opened.map(() => daemon.callIn(undefined)))],
  ];
  for (const target of [...ways.map(([, way]) => way), reference]) await bench.warmUp(target, ask);
  for (let round = 0; round < bench.rounds; round++) {
    for (const [way, target] of ways) {
      for (const measured of round % 2 === 0 ? [target, reference] : [reference, target]) {
        await bench.attempt(measured.name, async () => {
          const figure = `read_file of 1 KiB ${way} (Express route), ${CALLERS} callers`;
          const { perSecond, p50Ms, p99Ms, cpuUsEach } = await bench.window(measured, CALLERS, ask);
          bench.record(measured.name, figure, 'calls/s', perSecond);
          bench.record(measured.name, figure, 'p50 ms', p50Ms);
          bench.record(measured.name, figure, 'p99 ms', p99Ms);
          if (cpuUsEach !== undefined) bench.record(measured.name, figure, 'CPU µs each', cpuUsEach);
        });
      }
    }
  }
}

/** A repository of 50,000 files of a page each. */
async function createTree(root: string): Promise<void> {
  let count = 0;
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = join(root, `package${folder % 50}`, `module${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_EACH; file++) {
      const lines = Array.from({ length: 10 + (count % 61) }, (_, line) =>
        Array.from({ length: 6 }, (_word, word) => WORDS[(count + line * 7 + word * 3) % WORDS.length]).join(' '),
      );
      if (count % NEEDLE_EACH === 0) lines.push(NEEDLE);
      writeFileSync(join(path, `file${file}.${file % 4 === 0 ? 'md' : 'ts'}`), `${lines.join('\n')}\n`);
      count += 1;
    }
  }
  writeFileSync(join(root, '.gitignore'), 'node_modules/\n/dist/\n*.log\n');
  await output('git', ['init', '-q', root]);
  await output('git', ['-C', root, 'add', '-A']);
}

async function searchTree(bench: Bench, daemon: Daemon): Promise<void> {
  const root = bench.folder();
  await createTree(root);
  const call = daemon.callIn(await daemon.openSession(root));
  const tool =
    (name: string, params: Record<string, unknown>, lines: number): Way =>
    async () => {
      const found = await call(BUILT_IN, name, params);
      return () => linesIn(found()) === lines;
    };
  const program =
    (command: string, args: readonly string[], lines: number): Way =>
    async () => {
      const found = await output(command, args, root);
      return () => linesIn(found) === lines;
    };
  const needles = (FOLDERS * FILES_EACH) / NEEDLE_EACH;
  const pages = (FOLDERS * FILES_EACH) / 4;
  await inPairs(bench, SEARCHES_MAX, [
    [
      'grep for a text in 50,000 files (git grep -F)',
      tool('grep', { pattern: NEEDLE }, needles),
      program('git', ['grep', '-n', '-F', NEEDLE], needles),
    ],
    [
      'grep for an expression in 50,000 files (git grep -E)',
      tool('grep', { pattern: EXPRESSION }, needles),
      program('git', ['grep', '-n', '-E', EXPRESSION], needles),
    ],
    [
      'glob_files over 50,000 files (find)',
      tool('glob_files', { pattern: '*.md', max_results: 20_000 }, pages),
      program('find', ['.', '-name', '*.md'], pages),
    ],
  ]);
}

async function runShell(bench: Bench, daemon: Daemon): Promise<void> {
  const call = daemon.callIn(await daemon.openSession());
  const bash: Way = async () => {
    const printed = await call(BUILT_IN, 'bash', { command: 'true' });
    return () => printed() === '';
  };
  const spawned: Way = async () => {
    const printed = await output('bash', ['-c', 'true']);
    return () => printed === '';
  };
  await inPairs(bench, SPAWNS_MAX, [['bash true (child_process.spawn)', bash, spawned]]);
}

type Way = () => Promise<() => boolean>;

/** One call after the other, ours and the plain way in turn, so that drift meets both alike. */
async function inPairs(bench: Bench, countMax: number, pairs: readonly [string, Way, Way][]): Promise<void> {
  for (let round = 0; round < bench.costlyRounds; round++) {
    for (const [figure, ours, plain] of pairs) {
      for (const [name, way] of [['daemon', ours] as const, ['reference', plain] as const]) {
        await bench.attempt(name, async () => {
          await load([way], bench.windowMs, 1);
          const { p50Ms } = await load([way], bench.windowMs, countMax);
          bench.record(name, figure, 'p50 ms', p50Ms);
        });
      }
    }
  }
}

function judgeAlone(bench: Bench): void {
  const home = '/home/somebody';
  const cwd = join(home, 'project');
  const state = { dataDir: join(home, '.local/state/x'), userSettingsPath: join(home, '.config/x') };
  const question: Omit<Question, 'tool' | 'command' | 'paths' | 'mutates'> = {
    source: 'builtin',
    requireConfirmation: false,
    sessionless: false,
    allowMutations: false,
    dirScope: 'home',
    yolo: false,
    approvalRule: undefined,
    rules: [],
    headless: false,
    cwd,
    home,
    isDenied: compileDenyList(denyFloor({ home, configDir: null, ...state }), home),
    filesRead: createFilesRead(),
    unknownDenials: [],
    member: true,
  };
  const factOf = (path: string): PathFact => {
    const real = join(cwd, path);
    return { path, access: 'read', lexical: real, real, kind: 'file', stamp: '1' };
  };
  const stance = { headless: false, confirmed: false };
  const time = (figure: string, judgeOnce: (turn: number) => unknown): void => {
    for (let turn = 0; turn < JUDGEMENTS; turn++) judgeOnce(turn);
    const startedAt = performance.now();
    for (let turn = 0; turn < JUDGEMENTS; turn++) judgeOnce(turn);
    bench.record('daemon', figure, 'µs a call', ((performance.now() - startedAt) * 1_000) / JUDGEMENTS);
  };
  time('gates alone, read_file', (turn) =>
    judge(
      { ...question, tool: 'read_file', command: undefined, mutates: false, paths: [factOf(`src/file${turn}.ts`)] },
      stance,
    ),
  );
  time('gates alone, a shell line of three commands, parsed', (turn) => {
    const command = `grep -n needle src/file${turn}.ts | sort | head -20`;
    const { paths, onlyReads } = reachOfShell(command);
    return judge(
      { ...question, tool: 'bash', command, mutates: !onlyReads, paths: paths.map(({ path }) => factOf(path)) },
      stance,
    );
  });
}

const linesIn = (text: string): number => text.split('\n').length - 1;

/** What a program prints; throws when it fails. */
async function output(command: string, args: readonly string[], cwd?: string): Promise<string> {
  const child = spawn(command, args, { ...(cwd === undefined ? {} : { cwd }), stdio: ['ignore', 'pipe', 'ignore'] });
  const parts: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  if (exitCode !== 0) throw new Error(`${command} ended with exit code ${exitCode}`);
  return Buffer.concat(parts).toString();
}
