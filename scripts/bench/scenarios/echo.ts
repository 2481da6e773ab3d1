/**
 * Calls of an echo tool on one server: waiting time of a caller alone, throughput of 32 and 64 callers, each in a
 * session of its own, and what a call costs the process in CPU time.
 */
import { echo as ask, type Scenario } from '../bench.js';
import { echoServers } from '../target.js';

const CALLERS = [1, 32, 64];

export const echo: Scenario = {
  name: 'echo',
  run: (bench) =>
    bench.withTargets({ names: ['daemon', 'reference', 'sdk'], servers: echoServers(1) }, async (targets) => {
      await bench.inRounds(targets, (target) => bench.warmUp(target, ask('echo0')), 1);
      await bench.inRounds(targets, async (target) => {
        for (const callers of CALLERS) {
          const result = await bench.window(target, callers, ask('echo0'));
          const figure = callers === 1 ? 'echo call, 1 caller' : `echo call, ${callers} callers`;
          if (callers > 1) bench.record(target.name, figure, 'calls/s', result.perSecond);
          else bench.record(target.name, figure, 'p50 ms', result.p50Ms);
          bench.record(target.name, figure, 'p99 ms', result.p99Ms);
          if (callers > 1 && result.cpuUsEach !== undefined) {
            bench.record(target.name, figure, 'CPU µs each', result.cpuUsEach);
          }
        }
      });
    }),
};
