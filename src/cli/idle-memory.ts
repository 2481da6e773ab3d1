/**
 * Gives memory back once there is nothing to do. V8 collects when something allocates, so a daemon at rest keeps the
 * garbage of its last burst for as long as the rest lasts: hundreds of megabytes after some large results. It only
 * collects while nothing runs, and only when it is worth it.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_EVERY_MS = 2_000;
/** Of the processor between two looks; timers and health checks of a daemon at rest need less. */
const REST_CPU_US = 50_000;
/** A collection takes tens of milliseconds, which a few megabytes are not worth. */
const WORTH_BYTES = 16 * 1024 * 1024;

const usedBytes = (): number => {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
};

export const collectWhenIdle = (): void => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let cpu = process.cpuUsage();
  // The start leaves garbage, too.
  let least = 0;
  let isSecond = false;
  setInterval(() => {
    const { user, system } = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    least = Math.min(least, usedBytes());
    if (user + system > REST_CPU_US || (!isSecond && usedBytes() - least < WORTH_BYTES)) return;
    collect();
    least = usedBytes();
    // Buffers are freed after the collection that found them, and the space for new objects shrinks with the next one.
    isSecond = !isSecond;
  }, LOOK_EVERY_MS).unref();
};
