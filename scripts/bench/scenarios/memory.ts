/**
 * Resident memory of the process alone, its servers not counted: idle, with 10 and with 50 servers connected, and after
 * a load of calls. Each is read once the process has come to rest.
 */
import { type Bench, echo, type Scenario } from '../bench.js';
import { allConnected } from '../daemon.js';
import { load } from '../load.js';
import { quietMemoryMiB } from '../processes.js';
import { echoServers } from '../target.js';

const LEAST_REST_MS = 1_500;
const LATEST_REST_MS = 10_000;
/** After a load the daemon collects twice once it is at rest, the second time six seconds after the first. */
const LEAST_REST_AFTER_LOAD_MS = 12_000;
const LATEST_REST_AFTER_LOAD_MS = 25_000;
const LOAD_CALLERS = 32;
const NAMES = ['daemon', 'reference'] as const;

export const memory: Scenario = {
  name: 'memory',
  run: async (bench) => {
    for (let round = 0; round < bench.costlyRounds; round++) {
      for (const count of [0, 10, 50]) await withServers(bench, count);
      await afterLoad(bench);
    }
  },
};

const withServers = (bench: Bench, count: number): Promise<void> =>
  bench.withTargets({ names: NAMES, servers: echoServers(count) }, async (targets) => {
    const { daemon } = targets;
    if (daemon && count > 0) {
      await bench.attempt('daemon', async () => daemon.until(await daemon.openSession(), allConnected));
    }
    const figure = count === 0 ? 'RSS idle' : `RSS with ${count} servers`;
    await bench.inRounds(
      targets,
      async ({ name, pid }) => {
        if (pid !== undefined)
          bench.record(name, figure, 'MiB', await quietMemoryMiB(pid, LEAST_REST_MS, LATEST_REST_MS));
      },
      1,
    );
  });

const afterLoad = (bench: Bench): Promise<void> =>
  bench.withTargets({ names: NAMES, servers: echoServers(1) }, (targets) =>
    bench.inRounds(
      targets,
      async (target) => {
        if (target.pid === undefined) return;
        const calls = await target.calls(LOAD_CALLERS);
        const ask = echo('echo0');
        await load(
          calls.map((call) => (turn: number) => ask(call, turn)),
          2 * bench.windowMs,
        );
        const restingMiB = await quietMemoryMiB(target.pid, LEAST_REST_AFTER_LOAD_MS, LATEST_REST_AFTER_LOAD_MS);
        bench.record(target.name, `RSS after calls of ${LOAD_CALLERS} callers`, 'MiB', restingMiB);
      },
      1,
    ),
  );
