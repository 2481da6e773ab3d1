/**
 * Many random changes of sessions and todos in several folders and realms, watched by clients that follow the change
 * tokens over connections that break: `npx tsx scripts/follow-changes.ts [changes] [seed]`. Exits 1 when a client shows
 * anything else than the lists say.
 */
import { FakeClock } from '../test/fakes/clock.js';
import { startTestDaemon } from '../test/harness.js';
import { churn } from '../test/http/changes-churn.js';

const CHANGES_DEFAULT = 10_000;

const [changes = CHANGES_DEFAULT, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
const clock = new FakeClock();
const daemon = await startTestDaemon({ clock });
const startedAt = performance.now();
try {
  const { disconnects, listings } = await churn(daemon, clock, changes, seed);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${changes} changes, ${disconnects} broken connections, ${listings} listings, none missed; ${seconds} s`);
} catch (error) {
  console.error(`missed with seed ${seed}:`, error);
  process.exitCode = 1;
}
await daemon.close();
