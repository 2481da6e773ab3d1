/**
 * Gives memory back once there is nothing to do. V8 collects when something allocates, so a daemon at rest keeps the
 * garbage of its last burst, and the space it was made in, for as long as the rest lasts: hundreds of megabytes after some
 * large results. It only collects while nothing runs, and only when it is worth it.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_EVERY_MS = 2_000;
/** Of the processor between two looks; timers and health checks of a daemon at rest need less. */
const REST_CPU_US = 50_000;
/** A collection takes tens of milliseconds, which a few megabytes are not worth. */
const WORTH_BYTES = 16 * 1024 * 1024;
/**
 * Buffers are freed after the collection that found them, and the space for new objects (32 MiB after a burst) shrinks with
 * a collection once next to nothing was allocated for five seconds: so there is a second one, this many looks later.
 */
const LOOKS_TO_SECOND = 3;

/** What the process holds for its heap, used or not, and for buffers. */
const heldBytes = (): number => {
  const { total_physical_size, external_memory } = getHeapStatistics();
  return total_physical_size + external_memory;
};

export const collectWhenIdle = (): void => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let cpu = process.cpuUsage();
  // The start leaves garbage, too.
  let least = 0;
  let toSecond = 0;
  setInterval(() => {
    const { user, system } = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    least = Math.min(least, heldBytes());
    if (user + system > REST_CPU_US) return;
    const isWorth = heldBytes() - least >= WORTH_BYTES;
    if (!isWorth && toSecond !== 1) {
      toSecond = Math.max(0, toSecond - 1);
      return;
    }
    collect();
    least = heldBytes();
    toSecond = isWorth ? LOOKS_TO_SECOND : 0;
  }, LOOK_EVERY_MS).unref();
};
