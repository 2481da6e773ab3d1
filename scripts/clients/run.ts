/**
 * Clients in other languages, generated from our documents, compiled, and made to tell the main story to a real daemon:
 * `npm run clients`, or `npm run clients -- --only go,hey-api`. Prints one matrix. Exits 1 when anything that ran
 * failed; what could not run for want of a toolchain is named, and is no pass.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Home } from '../../test/command.js';
import { compile, generate, install, missing, storyLines, tell, type Client, type Outcome } from './client.js';
import { CLIENTS } from './clients.js';

/** Enough to see why; the whole can be had by running the command that is shown. */
const TAIL_CHARACTERS = 4_000;

const onlyAt = process.argv.indexOf('--only');
const only = onlyAt === -1 ? undefined : (process.argv[onlyAt + 1] ?? '').split(',');
const unknown = only?.filter((name) => !CLIENTS.some(({ id, language }) => name === id || name === language)) ?? [];
if (unknown.length > 0) {
  console.error(`no client ${unknown.join(', ')}; there are ${CLIENTS.map(({ id }) => id).join(', ')}`);
  process.exit(2);
}
const chosen = CLIENTS.filter(({ id, language }) => only?.includes(id) || only?.includes(language) || !only);

/** Tells the story to a daemon of its own. A daemon that leaves a process behind has failed too. */
async function tellAlone(client: Client): Promise<Outcome> {
  const home = await Home.create();
  try {
    const daemon = await home.serve();
    await writeFile(join(home.folder, 'hello.txt'), 'hello from the working folder\n');
    const outcome = await tell(client, { url: daemon.url, cwd: home.folder });
    const { code, stderr } = await daemon.end('SIGTERM');
    const left = home.processes().length;
    if (code === 0 && left === 0) return outcome;
    const output = `${outcome.output}the daemon ended with ${code} and left ${left} processes\n${stderr}`;
    return { ...outcome, ok: false, output };
  } finally {
    await home.clearUp();
  }
}

const STAGES = { install, generate, compile, story: tellAlone } as const;
type Stage = keyof typeof STAGES;

interface Row {
  readonly client: Client;
  readonly outcomes: { [stage in Stage]?: Outcome };
  readonly lacks: readonly string[];
}

async function attempt(client: Client): Promise<Row> {
  const row: Row = { client, outcomes: {}, lacks: missing(client) };
  if (row.lacks.length > 0) return row;
  for (const stage of Object.keys(STAGES) as Stage[]) {
    console.error(`${client.id}: ${stage}`);
    const outcome = await STAGES[stage](client);
    row.outcomes[stage] = outcome;
    if (outcome.ok) continue;
    console.error(outcome.output.slice(-TAIL_CHARACTERS));
    break;
  }
  return row;
}

const cell = (outcome: Outcome | undefined): string =>
  outcome === undefined ? '-' : `${outcome.ok ? 'ok' : 'FAILED'} ${outcome.seconds.toFixed(1)} s`;

function cells({ client, outcomes, lacks }: Row): string[] {
  const { generate, compile, story } = outcomes;
  const notes = lacks.length > 0 ? `NOT RUN: no ${lacks.join(', ')} here` : client.notes;
  const names = [client.language, client.generator, client.document];
  return [...names, cell(generate), cell(compile), cell(story), String(storyLines(client)), notes];
}

const HEAD = ['language', 'generator', 'from', 'generate', 'compile', 'story', 'lines', 'notes'];

function print(rows: readonly Row[]): void {
  const table = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((text, column) => text.padEnd(widths[column]!)).join(' | ')} |`;
  const [head, ...others] = table.map(line);
  console.log([head, line(widths.map((width) => '-'.repeat(width))), ...others].join('\n'));
}

const rows: Row[] = [];
for (const client of chosen) rows.push(await attempt(client));
print(rows);
const failed = rows.filter(({ outcomes }) => Object.values(outcomes).some(({ ok }) => !ok)).length;
const left = rows.filter(({ lacks }) => lacks.length > 0).length;
console.log(`${rows.length - failed - left} told the story, ${failed} failed, ${left} not run`);
if (failed > 0) process.exitCode = 1;
