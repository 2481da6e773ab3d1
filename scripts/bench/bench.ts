/**
 * One run: its settings, its temporary folder, the samples taken, and the targets that are up. A target that fails is
 * recorded as failed and the run goes on with the others. Invariant: whatever was started here is stopped here.
 */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type Daemon, startDaemon } from './daemon.js';
import { type LoadResult, load } from './load.js';
import { cpuMs } from './processes.js';
import { type Reference, startReference } from './reference.js';
import { type SdkLimit, startSdkLimit } from './sdk-limit.js';
import type { Call, ServerSpec, Target, TargetName } from './target.js';

export interface Sample {
  readonly scenario: string;
  readonly figure: string;
  readonly unit: string;
  readonly target: TargetName;
  readonly value: number;
}

export interface Failure {
  readonly scenario: string;
  readonly target: TargetName;
  readonly message: string;
}

export interface Scenario {
  readonly name: string;
  run(bench: Bench): Promise<void>;
}

export type AnyTarget = Daemon | Reference | SdkLimit;

export interface Targets {
  daemon?: Daemon;
  reference?: Reference;
  sdk?: SdkLimit;
}

export interface TargetsWanted {
  readonly names: readonly TargetName[];
  readonly servers?: readonly ServerSpec[];
  /** What the reference serves as the description of a tool. */
  readonly catalogueEntry?: unknown;
}

/** Before a window is measured, the same load runs this long, so that connections are made and caches filled. */
const WARM_UP_MS = 200;
/** A process that has answered this often has compiled what it will compile, however busy the machine is. */
export const WARM_UP_CALLS = 20_000;
export const WARM_UP_LATEST_MS = 10_000;
const WARM_UP_CALLERS = 32;
/** Scenarios that start dozens of processes a round do not take more rounds than this. */
const COSTLY_ROUNDS_MAX = 3;

export class Bench {
  readonly samples: Sample[] = [];
  readonly failures: Failure[] = [];
  readonly rounds: number;
  readonly costlyRounds: number;
  readonly windowMs: number;
  readonly #root: string;
  /** The scenario that runs now. */
  scenario = '';

  constructor(options: { rounds: number; windowMs: number; root: string }) {
    this.rounds = options.rounds;
    this.costlyRounds = Math.min(options.rounds, COSTLY_ROUNDS_MAX);
    this.windowMs = options.windowMs;
    this.#root = options.root;
  }

  record(target: TargetName, figure: string, unit: string, value: number): void {
    this.samples.push({ scenario: this.scenario, figure, unit, target, value });
  }

  /** Does a piece of work for one target; a failure is recorded, and the result is then undefined. */
  async attempt<T>(target: TargetName, work: () => Promise<T> | T): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!this.failures.some((known) => known.scenario === this.scenario && known.message === message)) {
        this.failures.push({ scenario: this.scenario, target, message });
      }
      return undefined;
    }
  }

  /** Starts the targets one after the other, lets `use` measure those that started, and stops them. */
  async withTargets(wanted: TargetsWanted, use: (targets: Targets) => Promise<void>): Promise<void> {
    const { names, servers = [], catalogueEntry = {} } = wanted;
    const targets: Targets = {};
    const start = async <N extends TargetName>(
      name: N,
      starting: () => Promise<Targets[N]> | Targets[N],
    ): Promise<void> => {
      if (!names.includes(name)) return;
      const started = await this.attempt(name, starting);
      if (started) targets[name] = started;
    };
    try {
      await start('daemon', () => startDaemon(this.folder(), servers));
      await start('reference', () => startReference(this.folder(), servers, catalogueEntry));
      await start('sdk', () => startSdkLimit(servers));
      await use(targets);
    } finally {
      for (const target of listed(targets)) await this.attempt(target.name, () => target.stop());
    }
  }

  /** Measures all targets once a round, each round beginning with another one, so that drift meets all alike. */
  async inRounds(targets: Targets, measure: (target: AnyTarget) => Promise<void>, rounds = this.rounds): Promise<void> {
    const all = listed(targets);
    for (let round = 0; round < rounds; round++) {
      for (let index = 0; index < all.length; index++) {
        const target = all[(round + index) % all.length];
        if (target) await this.attempt(target.name, () => measure(target));
      }
    }
  }

  /** Calls a target until its code is compiled and it has collected its garbage more than once. */
  async warmUp(target: Target, ask: (call: Call, turn: number) => Promise<() => boolean>): Promise<void> {
    const asks = (await target.calls(WARM_UP_CALLERS)).map((call) => (turn: number) => ask(call, turn));
    await load(asks, WARM_UP_LATEST_MS, WARM_UP_CALLS);
  }

  /** One measured window of calls side by side, after a warm-up, with the CPU time the target's process used a call. */
  async window(
    target: Target,
    count: number,
    ask: (call: Call, turn: number) => Promise<() => boolean>,
  ): Promise<LoadResult & { cpuUsEach: number | undefined }> {
    const asks = (await target.calls(count)).map((call) => (turn: number) => ask(call, turn));
    await load(asks, WARM_UP_MS);
    const before = target.pid === undefined ? 0 : cpuMs(target.pid);
    const result = await load(asks, this.windowMs);
    const cpuUsEach = target.pid === undefined ? undefined : ((cpuMs(target.pid) - before) * 1_000) / result.count;
    return { ...result, cpuUsEach };
  }

  /** A new empty folder that goes with the run. */
  folder(): string {
    return mkdtempSync(join(this.#root, 'target-'));
  }
}

const listed = (targets: Targets): AnyTarget[] =>
  [targets.daemon, targets.reference, targets.sdk].filter((target) => target !== undefined);

/** About 100 bytes, and another text each time, so that no answer can be taken for another's. */
const ECHO_PADDING = 'a line of text such as a tool may be given, long enough to be no special case; ';

/** Echoes a text of its own and checks that it came back. */
export const echo =
  (server: string) =>
  async (call: Call, turn: number): Promise<() => boolean> => {
    const text = `${ECHO_PADDING}${turn}`;
    const answer = await call(server, 'echo', { text });
    return () => answer() === text;
  };
