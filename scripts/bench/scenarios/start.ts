/**
 * From the start of the command to the line that says it listens, with no servers configured.
 */
import type { Bench, Scenario } from '../bench.js';

export const start: Scenario = {
  name: 'start',
  run: async (bench: Bench) => {
    for (let round = 0; round < bench.rounds; round++) {
      await bench.withTargets({ names: ['daemon'] }, async ({ daemon }) => {
        if (daemon) bench.record('daemon', 'start to listening', 'ms', daemon.startMs);
      });
      await bench.withTargets({ names: ['reference'] }, async ({ reference }) => {
        if (reference) bench.record('reference', 'start to listening', 'ms', reference.startMs);
      });
    }
  },
};
