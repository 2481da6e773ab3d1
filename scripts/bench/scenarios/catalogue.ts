/**
 * The cheapest request: the description of one built-in tool, by 64 callers. The reference serves the very same
 * description from a fixed route.
 */
import { type Bench, type Scenario, WARM_UP_CALLS, WARM_UP_LATEST_MS } from '../bench.js';
import type { Daemon } from '../daemon.js';
import { HttpCaller } from '../http-caller.js';
import { load } from '../load.js';
import { cpuMs } from '../processes.js';
import type { Reference } from '../reference.js';

const CALLERS = 64;
const FIGURE = `GET of a tool's description, ${CALLERS} callers`;

export const catalogue: Scenario = {
  name: 'catalogue',
  run: (bench) =>
    bench.withTargets({ names: ['daemon'] }, async ({ daemon }) => {
      const catalogueEntry = (await bench.attempt('daemon', () => daemon?.catalogueEntry())) ?? { name: 'read_file' };
      await bench.withTargets({ names: ['reference'], catalogueEntry }, ({ reference }) =>
        bench.inRounds({ ...(daemon && { daemon }), ...(reference && { reference }) }, async (target) => {
          if (target.name !== 'sdk') await measure(bench, target);
        }),
      );
    }),
};

async function measure(bench: Bench, { name, port, pid, cataloguePath }: Daemon | Reference): Promise<void> {
  const callers = Array.from({ length: CALLERS }, () => new HttpCaller(port));
  try {
    const [first] = callers;
    if (!first) return;
    const request = first.request('GET', cataloguePath);
    const expected = await first.ask(request);
    if (expected.status !== 200) throw new Error(`unexpected answer: ${expected.status}`);
    const asks = callers.map((caller) => async () => {
      const { status, body } = await caller.ask(request);
      return () => status === 200 && body.equals(expected.body);
    });
    await load(asks, WARM_UP_LATEST_MS, WARM_UP_CALLS);
    const before = cpuMs(pid);
    const result = await load(asks, bench.windowMs);
    const cpuUsEach = ((cpuMs(pid) - before) * 1_000) / result.count;
    bench.record(name, FIGURE, 'requests/s', result.perSecond);
    bench.record(name, FIGURE, 'p99 ms', result.p99Ms);
    bench.record(name, FIGURE, 'CPU µs each', cpuUsEach);
  } finally {
    for (const caller of callers) caller.close();
  }
}
