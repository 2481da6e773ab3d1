/**
 * The conformance suite against a second target that is none of our code: Prism, a mock of the contract. Whatever the
 * contract documents by name has to pass there too, so no case may ask for what only our daemon does.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { capabilitiesOf } from '../../src/conformance/capabilities.js';
import { at, REPLAYS, replayOf, shownBy } from '../../src/conformance/cases/examples.js';
import { FRAMES } from '../../src/conformance/cases/frames.js';
import { casesOf } from '../../src/conformance/cases/index.js';
import { type Case, TIERS } from '../../src/conformance/check.js';
import { releasedContract } from '../../src/conformance/contract.js';
import { denominatorOf, summaryOf } from '../../src/conformance/report/summary.js';
import { runCases, type RunResult } from '../../src/conformance/runner.js';
import { openSetting } from '../../src/conformance/setting.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Reading the contract takes it some seconds, on a busy machine many. */
const PRISM_MAX_MS = 120_000;

const contract = releasedContract();
const documented = contract.operations.flatMap((operation) => operation.documented);

/** With PRISM=all every error is asked for; else, as each costs Prism some time, one of each code and operation. */
const chosen = (): Case[] => {
  const byId = new Map(documented.map((of) => [of.id, of]));
  const seen = new Set<string>();
  return casesOf(contract).filter(({ id }) => {
    const of = byId.get(id);
    if (of?.kind !== 'error' || process.env['PRISM'] === 'all') return true;
    const before = seen.size;
    seen.add(of.name).add(of.operation.id);
    return seen.size > before;
  });
};

let prism: ChildProcess;
let result: RunResult;

const startPrism = async (): Promise<string> => {
  const program = `${root}node_modules/@stoplight/prism-cli/dist/index.js`;
  const options = ['mock', '--port', '0', '--host', '127.0.0.1', `${root}generated/openapi.json`];
  prism = spawn(process.execPath, [program, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: prism.stdout! })) {
    const url = /listening on (http:\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    prism.stdout!.resume();
    return url;
  }
  throw new Error('Prism ended before it listened');
};

beforeAll(async () => {
  const { setting, close } = openSetting({
    contract,
    baseUrl: await startPrism(),
    headers: {},
    capabilities: capabilitiesOf(contract, { mock: true, features: { 'sessions.shared': true } }),
    sharesMachine: true,
    host: '127.0.0.1',
    timeoutMs: 20_000,
  });
  result = await runCases(chosen(), setting, {
    selection: { tiers: new Set(TIERS), only: [], skip: [], slow: true },
    scored: undefined,
    seed: 1,
    concurrency: 8,
    caseTimeoutMs: 60_000,
  });
  await close();
}, PRISM_MAX_MS);
afterAll(async () => {
  const ended = once(prism, 'exit');
  prism.kill();
  await ended;
});

test('what the contract documents by name passes on a mock of the contract', () => {
  process.stdout.write(`Prism: ${denominatorOf(summaryOf(contract, result))}\n`);
  const ids = new Set(documented.map(({ id }) => id));
  const others = result.results.filter(({ id, outcome }) => ids.has(id) && outcome !== 'pass');
  expect(others.map(({ id, outcome, reasons }) => ({ id, outcome, reasons }))).toEqual([]);
});

test('what else the suite asks does not apply to a mock, and says so', () => {
  const ids = new Set([...documented.map(({ id }) => id), 'contract/examples-valid']);
  const others = result.results.filter(({ id }) => !ids.has(id));
  expect(new Set(others.map(({ outcome }) => outcome))).toEqual(new Set(['not_applicable']));
  expect(result.leftovers).toEqual([]);
});

test('every example and frame has a row, every row an example, and what is literal stands in the example', () => {
  const examples = documented.filter(({ kind }) => kind === 'example');
  const frames = documented
    .filter(({ kind }) => kind === 'frame')
    .map(({ operation, name }) => `${operation.id}:${name}`);
  const keys = examples.flatMap(({ operation, name }) => [operation.id, `${operation.id}:${name}`]);
  const dangling = examples.flatMap((of) =>
    (replayOf(of)?.literal ?? [])
      .filter((path) => at(shownBy(of), path) === undefined)
      .map((path) => `${of.id} ${path}`),
  );
  expect({
    'add a row to the tables of src/conformance/cases/examples.ts for': examples
      .filter((of) => replayOf(of) === undefined)
      .map(({ id }) => id),
    'remove the row of': Object.keys(REPLAYS).filter((key) => !keys.includes(key)),
    'has no such member': dangling,
  }).toEqual({
    'add a row to the tables of src/conformance/cases/examples.ts for': [],
    'remove the row of': [],
    'has no such member': [],
  });
  expect(Object.keys(FRAMES).toSorted()).toEqual(frames.toSorted());
});
