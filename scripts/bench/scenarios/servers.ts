/**
 * From opening a session to all its servers connected, for 1, 10 and 50 servers, against the SDK's Client connecting to
 * the same number at once. The daemon has come to rest before its session opens.
 */
import type { Bench, Scenario } from '../bench.js';
import { allConnected } from '../daemon.js';
import { quietMemoryMiB } from '../processes.js';
import { echoServers } from '../target.js';

const COUNTS = [1, 10, 50];
const LATEST_REST_MS = 10_000;

export const servers: Scenario = {
  name: 'servers',
  run: async (bench) => {
    for (let round = 0; round < bench.costlyRounds; round++) {
      for (const count of COUNTS) {
        await throughDaemon(bench, count);
        await throughSdk(bench, count);
      }
    }
  },
};

const figure = (count: number): string => `${count} server${count === 1 ? '' : 's'} connected`;

const throughDaemon = (bench: Bench, count: number): Promise<void> =>
  bench.withTargets({ names: ['daemon'], servers: echoServers(count) }, async ({ daemon }) => {
    if (!daemon) return;
    await bench.attempt('daemon', async () => {
      await quietMemoryMiB(daemon.pid, 0, LATEST_REST_MS);
      const startedAt = performance.now();
      const listed = await daemon.until(await daemon.openSession(), allConnected);
      if (listed.length !== count) throw new Error(`${listed.length} of ${count} servers are listed`);
      bench.record('daemon', figure(count), 'ms', performance.now() - startedAt);
    });
  });

const throughSdk = async (bench: Bench, count: number): Promise<void> => {
  const startedAt = performance.now();
  await bench.withTargets({ names: ['sdk'], servers: echoServers(count) }, async ({ sdk }) => {
    await bench.attempt('sdk', async () => {
      await sdk?.calls(0);
      bench.record('sdk', figure(count), 'ms', performance.now() - startedAt);
    });
  });
};
