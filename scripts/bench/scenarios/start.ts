/**
 * From the start of the command to the line that says it listens, with no servers configured: time on the clock, and
 * CPU time, which a busy machine changes less.
 */
import type { Bench, Scenario, Targets } from '../bench.js';
import { cpuMs } from '../processes.js';

export const start: Scenario = {
  name: 'start',
  run: async (bench) => {
    for (let round = 0; round < bench.rounds; round++) {
      await bench.withTargets({ names: ['daemon'] }, ({ daemon }) => record(bench, daemon));
      await bench.withTargets({ names: ['reference'] }, ({ reference }) => record(bench, reference));
    }
  },
};

const record = async (bench: Bench, target: Targets['daemon'] | Targets['reference']): Promise<void> => {
  if (!target) return;
  bench.record(target.name, 'start to listening, CPU', 'ms', cpuMs(target.pid));
  bench.record(target.name, 'start to listening', 'ms', target.startMs);
};
