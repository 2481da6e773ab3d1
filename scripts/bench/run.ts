/**
 * The benchmarks: `npx tsx scripts/bench/run.ts`, after `npm run build`. Prints a Markdown table of the daemon's figures
 * with their ratios to a plain Express + MCP SDK proxy and to the SDK's client, all taken in the same run; figures of
 * different runs or machines do not compare. Everything stays on the loopback interface and in a temporary folder.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Bench, type Scenario } from './bench.js';
import { killMarked, machineCpuMs } from './processes.js';
import { failureLines, table } from './report.js';
import { big } from './scenarios/big.js';
import { catalogue } from './scenarios/catalogue.js';
import { changes } from './scenarios/changes.js';
import { death } from './scenarios/death.js';
import { echo } from './scenarios/echo.js';
import { jobs } from './scenarios/jobs.js';
import { memory } from './scenarios/memory.js';
import { servers } from './scenarios/servers.js';
import { slow } from './scenarios/slow.js';
import { start } from './scenarios/start.js';
import { stores } from './scenarios/stores.js';
import { tools } from './scenarios/tools.js';
import { workspaces } from './scenarios/workspaces.js';

const SCENARIOS: readonly Scenario[] = [
  start,
  memory,
  catalogue,
  echo,
  big,
  servers,
  slow,
  death,
  workspaces,
  changes,
  stores,
  tools,
  jobs,
];
const ROUNDS_MAX = 50;
const WINDOW_MAX_MS = 60_000;
const USAGE = `npx tsx scripts/bench/run.ts [--scenario a,b] [--rounds N] [--ms N] [--json FILE]
  --scenario  some of ${SCENARIOS.map(({ name }) => name).join(',')}; all when absent
  --rounds    how often every target is measured, 1 to ${ROUNDS_MAX} (5)
  --ms        length of one window of load, 100 to ${WINDOW_MAX_MS} (1000)
  --json      also write every sample to this file
`;

const refuse = (message: string): never => {
  process.stderr.write(`${message}\n${USAGE}`);
  process.exit(2);
};

const whole = (text: string, name: string, min: number, max: number): number => {
  const value = Number(text);
  return Number.isInteger(value) && value >= min && value <= max ? value : refuse(`--${name}: ${min} to ${max}`);
};

const options = () => {
  try {
    const text = { type: 'string' } as const;
    const { values } = parseArgs({ options: { scenario: text, rounds: text, ms: text, json: text } });
    const names = values.scenario?.split(',') ?? SCENARIOS.map(({ name }) => name);
    return {
      scenarios: names.map((name) => SCENARIOS.find((known) => known.name === name) ?? refuse(`no scenario ${name}`)),
      rounds: whole(values.rounds ?? '5', 'rounds', 1, ROUNDS_MAX),
      windowMs: whole(values.ms ?? '1000', 'ms', 100, WINDOW_MAX_MS),
      json: values.json,
    };
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
};

const { scenarios, rounds, windowMs, json } = options();
const root = mkdtempSync(join(tmpdir(), 'hoody-bench-'));
const cleanUp = (): void => {
  killMarked();
  rmSync(root, { recursive: true, force: true });
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    cleanUp();
    process.exit(1);
  });
}

const bench = new Bench({ rounds, windowMs, root });
/**
 * Share of the machine that other programs used meanwhile. Above a tenth or so only CPU times mean much: a kernel that
 * shares a busy machine among groups of processes favours servers in groups of their own, such as the daemon's.
 */
const foreignShares: Record<string, number> = {};
try {
  for (const scenario of scenarios) {
    process.stderr.write(`${scenario.name} …\n`);
    bench.scenario = scenario.name;
    const [before, startedAt] = [machineCpuMs(), performance.now()];
    await scenario.run(bench);
    const after = machineCpuMs();
    const foreignMs = after.all - before.all - (after.ours - before.ours);
    foreignShares[scenario.name] = Math.max(0, foreignMs / ((performance.now() - startedAt) * cpus().length));
  }
} finally {
  cleanUp();
}

const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, Node ${process.version}`;
const { samples, failures } = bench;
process.stdout.write(`${machine}; medians of up to ${rounds} interleaved rounds, windows of ${windowMs} ms.\n\n`);
process.stdout.write(`${table(samples)}\n\n`);
process.stdout.write('The reference is a plain Express + MCP SDK proxy, or what the figure names.\n');
const shares = Object.entries(foreignShares).map(([name, share]) => `${name} ${Math.round(share * 100)} %`);
process.stdout.write(`CPU time other programs used meanwhile: ${shares.join(', ')}.\n`);
if (failures.length > 0) process.stdout.write(`\nFailed:\n${failureLines(failures)}\n`);
if (json !== undefined) {
  writeFileSync(json, `${JSON.stringify({ machine, rounds, windowMs, foreignShares, samples, failures }, null, 1)}\n`);
}
process.exitCode = failures.length > 0 ? 1 : 0;
