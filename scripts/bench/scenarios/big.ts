/**
 * Large results, one after the other, and whether the memory they took is given back.
 */
import { type Bench, echo, type Scenario } from '../bench.js';
import { load } from '../load.js';
import { memoryMiB, quietMemoryMiB } from '../processes.js';
import { echoServers, type Target } from '../target.js';

const MIB = 1_024 * 1_024;
const SIZES_MIB = [1, 12];
/** A caller alone needs no more for a median, and 12 MiB a call add up. */
const CALLS_MAX = 20;
const REST_MS = 1_500;
/** Some processes collect their garbage when they have been idle for some seconds; all do when work goes on. */
const GIVE_BACK_MS = 15_000;

export const big: Scenario = {
  name: 'big',
  run: (bench) =>
    bench.withTargets({ names: ['daemon', 'reference', 'sdk'], servers: echoServers(1) }, async (targets) => {
      const record = (figure: string, read: (pid: number) => Promise<number> | number): Promise<void> =>
        bench.inRounds(
          targets,
          async ({ name, pid }) => {
            if (pid !== undefined) bench.record(name, figure, 'MiB', await read(pid));
          },
          1,
        );
      await record('RSS before large results', (pid) => quietMemoryMiB(pid, REST_MS, GIVE_BACK_MS));
      for (const size of SIZES_MIB) {
        await bench.inRounds(targets, (target) => measure(bench, target, size), bench.costlyRounds);
      }
      await record('RSS at the highest', (pid) => memoryMiB(pid).peak);
      await record(`RSS ${GIVE_BACK_MS / 1_000} s after`, (pid) => quietMemoryMiB(pid, GIVE_BACK_MS, GIVE_BACK_MS));
      await bench.inRounds(targets, (target) => bench.warmUp(target, echo('echo0')), 1);
      await record('RSS after further small calls', (pid) => quietMemoryMiB(pid, REST_MS, GIVE_BACK_MS));
    }),
};

async function measure(bench: Bench, target: Target, size: number): Promise<void> {
  const [call] = await target.calls(1);
  if (!call) return;
  const ask = async (): Promise<() => boolean> => {
    const answer = await call('echo0', 'big', { bytes: size * MIB });
    return () => answer().length === size * MIB;
  };
  const { p50Ms } = await load([ask], bench.windowMs, CALLS_MAX);
  bench.record(target.name, `result of ${size} MiB, 1 caller`, 'p50 ms', p50Ms);
}
