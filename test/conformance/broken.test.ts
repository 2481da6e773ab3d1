/**
 * Every case can fail: each runs against a daemon that is broken in one way (see broken/), and has to notice. A case that
 * nothing breaks needs a reason here.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { capabilitiesOf } from '../../src/conformance/capabilities.js';
import { casesOf } from '../../src/conformance/cases/index.js';
import type { Case } from '../../src/conformance/check.js';
import { releasedContract } from '../../src/conformance/contract.js';
import { type Driver, openDriver, type StateReply } from '../../src/conformance/driver.js';
import { runCase } from '../../src/conformance/runner.js';
import { type OpenSetting, openSetting } from '../../src/conformance/setting.js';
import { startTestDaemon, type TestDaemon } from '../harness.js';
import { lieAbout, lieAboutTheEdge, lieAboutTheEnd } from './broken/lies.js';
import { breakDaemon, type Lie, type Teller } from './broken/proxy.js';
import { lieAboutRule } from './broken/rule-lies.js';

/** Cases at a time, each with daemons of its own to break. */
const WORKERS = 6;
const RUN_MAX_MS = 600_000;
const CASE_TIMEOUT_MS = 12_000;
const LIED_TO_MS = 1_500;

/** What cannot be broken from outside, or is no claim about a target. */
const UNBREAKABLE: Readonly<Record<string, string>> = {
  'contract/examples-valid': 'is about the contract itself, and asks no target',
};

const contract = releasedContract();
const cases = casesOf(contract);

const documented = new Map(
  contract.operations.flatMap((operation) => operation.documented.map((each) => [each.id, each])),
);
/** A run of all tests takes a share, the same each time; CONFORMANCE_BROKEN=all takes every case there is. */
const SHARE = 13;
const isChosen = (index: number): boolean => process.env['CONFORMANCE_BROKEN'] === 'all' || index % SHARE === 0;

let daemon: TestDaemon;
let driver: Driver;

beforeAll(async () => {
  daemon = await startTestDaemon();
  const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
  driver = await openDriver(`"${process.execPath}" "${program}" conformance driver`);
}, RUN_MAX_MS);
afterAll(async () => {
  await driver.close();
  await daemon.close();
});

class Worker {
  readonly teller: Teller = { lie: undefined, told: 0 };
  readonly #closing: (() => Promise<unknown>)[] = [];
  #open: OpenSetting | undefined;

  async open(): Promise<this> {
    this.#open = openSetting({
      contract,
      baseUrl: await this.#broken(daemon.baseUrl),
      headers: {},
      capabilities: capabilitiesOf(contract),
      sharesMachine: true,
      host: '127.0.0.1',
      timeoutMs: CASE_TIMEOUT_MS,
      driver: this.#brokenDriver(),
    });
    return this;
  }

  /** Runs a case against the lie, with what it ended on. A busy machine may bring the lie late: then there is more time. */
  async lieTo(each: Case, lie: Lie) {
    // Who was lied to waits in vain.
    const result = await this.run(each, lie, LIED_TO_MS);
    return this.teller.told > 0 || result.outcome === 'not_applicable' ? result : this.run(each, lie);
  }

  run(each: Case, lie?: Lie, patienceMs = CASE_TIMEOUT_MS) {
    this.teller.lie = lie;
    this.teller.told = 0;
    const { setting } = this.#open!;
    const client = setting.client.with({ timeoutMs: Math.min(2 * patienceMs, CASE_TIMEOUT_MS) });
    return runCase(each, { ...setting, client, patienceMs }, { caseTimeoutMs: CASE_TIMEOUT_MS });
  }

  async close(): Promise<void> {
    this.teller.lie = undefined;
    await this.#open?.close();
    for (const close of this.#closing) await close();
  }

  async #broken(url: string): Promise<string> {
    const broken = await breakDaemon(contract, url, this.teller);
    this.#closing.push(broken.close);
    return broken.url;
  }

  async #behind(reply: StateReply): Promise<StateReply> {
    return {
      ...reply,
      base_url: await this.#broken(reply.base_url),
      ...(reply.direct_url === undefined ? {} : { direct_url: await this.#broken(reply.direct_url) }),
    };
  }

  #brokenDriver(): Driver {
    return {
      states: () => driver.states(),
      setup: async (state) => this.#behind(await driver.setup(state)),
      restart: async (handle) => this.#behind(await driver.restart(handle)),
      teardown: (handle) => driver.teardown(handle),
      close: async () => undefined,
    };
  }
}

/** Undefined when a broken daemon was noticed; else what went wrong with the case. */
const escaped = async (worker: Worker, each: Case): Promise<string | undefined> => {
  const own = documented.get(each.id);
  let lie =
    own === undefined
      ? (lieAboutTheEdge(contract, each.id) ?? lieAboutRule(each.id.replace(/^rule\//, '')))
      : lieAbout(own);
  if (lie === undefined) {
    const honest = await worker.run(each);
    if (honest.outcome === 'not_applicable') return undefined;
    if (honest.outcome !== 'pass') return `fails without a lie: ${honest.reasons[0]}`;
    const last = honest.exchanges.findLast(({ operation }) => operation !== undefined);
    lie = last && lieAboutTheEnd(contract, last);
    if (lie === undefined) return 'sends nothing that could be answered otherwise';
  }
  const { outcome, reasons } = await worker.lieTo(each, lie);
  if (outcome === 'not_applicable') return undefined;
  if (worker.teller.told === 0)
    return `never hears the lie of a daemon that ${lie.says} (${outcome}: ${reasons[0] ?? ''})`;
  return outcome === 'fail' || outcome === 'warn' ? undefined : `is ${outcome} with a daemon that ${lie.says}`;
};

test(
  'every case fails against a daemon that is broken in what it is about',
  async () => {
    const waiting = cases.filter(
      (each, index) => each.slow !== true && UNBREAKABLE[each.id] === undefined && isChosen(index),
    );
    const found: string[] = [];
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => new Worker().open()));
    const together = waiting.filter(({ alone }) => alone !== true);
    await Promise.all(
      workers.map(async (worker) => {
        for (let each = together.shift(); each !== undefined; each = together.shift()) {
          const reason = await escaped(worker, each);
          if (reason !== undefined) found.push(`${each.id} ${reason}`);
        }
      }),
    );
    for (const each of waiting.filter(({ alone }) => alone === true)) {
      const reason = await escaped(workers[0]!, each);
      if (reason !== undefined) found.push(`${each.id} ${reason}`);
    }
    await Promise.all(workers.map((worker) => worker.close()));
    process.stdout.write(`${waiting.length - found.length} of ${waiting.length} cases killed by a broken daemon\n`);
    expect(found.toSorted()).toEqual([]);
  },
  RUN_MAX_MS,
);

test('what nothing breaks is a case, and has its reason', () => {
  const ids = cases.map(({ id }) => id);
  for (const [id, reason] of Object.entries(UNBREAKABLE)) {
    expect(ids).toContain(id);
    expect(reason).toMatch(/./);
  }
});
