/**
 * One client in one language, from our document to the told story: its generator is installed, the client written, the
 * whole compiled, and our story program run against a daemon. It works in a folder of its own under .cache/, where the
 * document, our program and its project files are laid beside what the generator writes. It does not touch what was
 * written: whatever stands between our document and a working client shows in the matrix.
 */
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STORIES = join(ROOT, 'scripts/clients');
const CACHE = join(ROOT, '.cache/clients');
/** A generator that has to be built first takes minutes on a small machine; nothing here takes longer. */
const COMMAND_DEADLINE_MS = 30 * 60_000;
/** The story waits for one local process; a minute is a hang. */
const STORY_DEADLINE_MS = 60_000;

/** What every story does, in this order; it prints a line for each, which begins with the word. */
export const STEPS = [
  'session',
  'preview',
  'intent',
  'upsert',
  'list',
  'tool',
  'conflict',
  'delete',
  'stream',
  'workspace',
  'envelope',
] as const;
const LAST_LINE = 'story ok';

/** A program and its arguments; it runs in the folder of the client. */
export type Command = readonly [program: string, ...args: string[]];

export interface Client {
  /** Names its folder, and what `--only` takes beside the language. */
  readonly id: string;
  readonly language: string;
  readonly generator: string;
  /** Programs that have to be there already. */
  readonly needs: readonly string[];
  /** The file of generated/ it is made from, which the commands find under the same name. */
  readonly document: string;
  /** The story program and its project files, below scripts/clients/, by their name in the folder. */
  readonly files: { readonly [name: string]: string };
  /** Which of the files is the story. */
  readonly story: string;
  /** Once for each change of these commands or of the files. */
  readonly install: readonly Command[];
  /** Writes into `client/`, which is emptied before. */
  readonly generate: readonly Command[];
  readonly compile: readonly Command[];
  /** Takes the address of a daemon, a working folder, and program and file of an MCP server as further arguments. */
  readonly run: Command;
  /** What a reader of the matrix has to know. */
  readonly notes: string;
}

export interface Outcome {
  readonly ok: boolean;
  readonly seconds: number;
  /** What it printed, both streams. */
  readonly output: string;
}

/** The address of a daemon, and a folder for the story with `hello.txt` in it. */
export interface Target {
  readonly url: string;
  readonly cwd: string;
}

/** The programs a client needs and this machine lacks. */
export const missing = ({ needs }: Client): string[] => needs.filter((program) => !isInstalled(program));

const isInstalled = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

const folderOf = ({ id }: Client): string => join(CACHE, id);

/** How long our program is, project files aside: its lines without blank ones and the comment it opens with. */
export const storyLines = ({ files, story }: Client): number =>
  readFileSync(join(STORIES, files[story]!), 'utf8')
    .replace(/^\s*(\/\*[\s\S]*?\*\/|"""[\s\S]*?"""|(\/\/.*\n)+)/, '')
    .split('\n')
    .filter((line) => line.trim() !== '').length;

/** Lays out the folder and installs the generator, unless that was done for the same commands and files before. */
export async function install(client: Client): Promise<Outcome> {
  const folder = folderOf(client);
  const texts = Object.entries(client.files).map(([name, file]) => [name, readFileSync(join(STORIES, file), 'utf8')]);
  for (const [name, text] of texts) place(join(folder, name!), text!);
  place(join(folder, client.document), readFileSync(join(ROOT, 'generated', client.document), 'utf8'));
  const stamp = join(folder, 'installed.json');
  const wanted = JSON.stringify([client.install, texts.filter(([name]) => name !== client.story)]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return { ok: true, seconds: 0, output: '' };
  const outcome = await runAll(client.install, folder);
  if (outcome.ok) writeFileSync(stamp, wanted);
  return outcome;
}

/** Has the client written anew. */
export function generate(client: Client): Promise<Outcome> {
  const folder = folderOf(client);
  rmSync(join(folder, 'client'), { recursive: true, force: true });
  mkdirSync(join(folder, 'client'));
  return runAll(client.generate, folder);
}

export const compile = (client: Client): Promise<Outcome> => runAll(client.compile, folderOf(client));

/** Runs the story; it is told when every step has its line, in order, and the last says so. */
export async function tell(client: Client, { url, cwd }: Target): Promise<Outcome> {
  const server = join(ROOT, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
  const command: Command = [...client.run, url, cwd, process.execPath, server];
  const outcome = await run(command, folderOf(client), STORY_DEADLINE_MS);
  const words = outcome.output.split('\n').map((line) => line.split(' ')[0]!);
  const told = words.filter((word) => (STEPS as readonly string[]).includes(word));
  return { ...outcome, ok: outcome.ok && told.join() === STEPS.join() && outcome.output.endsWith(`${LAST_LINE}\n`) };
}

/** Unchanged files keep their times, so that builds can rest on them. */
function place(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function runAll(commands: readonly Command[], cwd: string): Promise<Outcome> {
  let all: Outcome = { ok: true, seconds: 0, output: '' };
  for (const command of commands) {
    if (!all.ok) break;
    const { ok, seconds, output } = await run(command, cwd, COMMAND_DEADLINE_MS);
    all = { ok, seconds: all.seconds + seconds, output: `${all.output}$ ${command.join(' ')}\n${output}` };
  }
  return all;
}

function run([program, ...args]: Command, cwd: string, deadlineMs: number): Promise<Outcome> {
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(deadlineMs);
  return new Promise((resolve) => {
    let output = '';
    const end = (ok: boolean): void => resolve({ ok, seconds: (performance.now() - startedAt) / 1_000, output });
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], signal });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    child.on('error', (error) => {
      output += `${error.message}\n`;
      end(false);
    });
    child.on('close', (code) => end(code === 0));
  });
}
