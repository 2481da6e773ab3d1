/**
 * The conformance suite against this daemon: what every implementation is asked, ours answers. The states come from the
 * driver that is shipped, over its protocol.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { capabilitiesOf } from '../../src/conformance/capabilities.js';
import { casesOf, RULES } from '../../src/conformance/cases/index.js';
import { releasedRequirements } from '../../src/conformance/cases/rules.js';
import { SAMPLES } from '../../src/conformance/cases/samples.js';
import { TIERS } from '../../src/conformance/check.js';
import { releasedContract } from '../../src/conformance/contract.js';
import { type Driver, openDriver } from '../../src/conformance/driver.js';
import { denominatorOf, requirementsLineOf, summaryOf } from '../../src/conformance/report/summary.js';
import { runCases, type RunResult } from '../../src/conformance/runner.js';
import { openSetting } from '../../src/conformance/setting.js';
import { startTestDaemon, type TestDaemon } from '../harness.js';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../store/postgres.js';

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const RUN_MAX_MS = 120_000;

const contract = releasedContract();
const cases = casesOf(contract);
const whyNotShared = whyNoPostgres();
let daemon: TestDaemon;
let postgres: PostgresServer | undefined;
let driver: Driver;
let result: RunResult;

beforeAll(async () => {
  daemon = await startTestDaemon();
  postgres = whyNotShared === undefined ? await startPostgres() : undefined;
  const store = postgres === undefined ? '' : `--store '${postgres.url}'`;
  driver = await openDriver(`"${process.execPath}" "${PROGRAM}" conformance driver ${store}`);
  const { setting, close } = openSetting({
    contract,
    baseUrl: daemon.baseUrl,
    headers: {},
    capabilities: capabilitiesOf(contract, { features: { 'sessions.shared': postgres !== undefined } }),
    sharesMachine: true,
    host: '127.0.0.1',
    timeoutMs: 20_000,
    driver,
  });
  result = await runCases(cases, setting, {
    selection: { tiers: new Set(TIERS), only: [], skip: [], slow: false },
    scored: undefined,
    seed: 1,
    concurrency: 8,
    caseTimeoutMs: 60_000,
  });
  await close();
}, RUN_MAX_MS);
afterAll(async () => {
  await driver.close();
  await postgres?.stop();
  await daemon.close();
});

const idsOf = (outcome: string): string[] =>
  result.results.filter((each) => each.outcome === outcome).map(({ id }) => id);

test('every operation of the contract has a sample, and every sample an operation', () => {
  const ids = contract.operations.map(({ id }) => id);
  expect({
    'add a row to src/conformance/cases/samples.ts for': ids.filter((id) => SAMPLES[id] === undefined),
    'remove the row of': Object.keys(SAMPLES).filter((id) => !ids.includes(id)),
  }).toEqual({ 'add a row to src/conformance/cases/samples.ts for': [], 'remove the row of': [] });
});

test('every requirement has a case or says why no caller can tell, and every rule case has a requirement', () => {
  const ruled = Object.keys(RULES);
  const rows = releasedRequirements();
  const ids = (unseen: boolean) => rows.filter((row) => (row.unseen !== undefined) === unseen).map(({ id }) => id);
  expect({
    'add a case to src/conformance/cases/rules for': ids(false).filter((id) => !ruled.includes(id)),
    'has a case, so it is not unseen': ids(true).filter((id) => ruled.includes(id)),
    'add a row to openapi/requirements.yaml for': ruled.filter((id) => !rows.some((row) => row.id === id)),
  }).toEqual({
    'add a case to src/conformance/cases/rules for': [],
    'has a case, so it is not unseen': [],
    'add a row to openapi/requirements.yaml for': [],
  });
});

test('this daemon passes every case of the suite', () => {
  const summary = summaryOf(contract, result);
  process.stdout.write(`${requirementsLineOf(summary)}\n${denominatorOf(summary)}\n`);
  const others = result.results.filter(({ outcome }) => !['pass', 'not_applicable', 'disabled'].includes(outcome));
  expect(others.map(({ id, outcome, reasons }) => ({ id, outcome, reasons }))).toEqual([]);
});

test('what does not apply to it is what it does not claim, and what is left out waits for the time of a target', () => {
  const declined = whyNotShared === undefined ? [] : ['sessions.shared'];
  const isDeclined = (feature: string): boolean => declined.includes(feature);
  const unclaimed = cases.filter(({ features }) => features.some(isDeclined)).map(({ id }) => id);
  expect(idsOf('not_applicable').toSorted()).toEqual(unclaimed.toSorted());
  const slow = cases.filter((each) => each.slow === true).map(({ id }) => id);
  expect(idsOf('disabled').toSorted()).toEqual(slow.toSorted());
});

test('the suite removes what it made', () => expect(result.leftovers).toEqual([]));
