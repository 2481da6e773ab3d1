/**
 * A server that takes 8 s to initialize beside a fast one: from opening the session to the first answer of the fast one.
 */
import { type Bench, echo, type Scenario } from '../bench.js';
import { echoServer, type Call } from '../target.js';

const SLOW_START_MS = 8_000;
const SERVERS = [echoServer('slow', SLOW_START_MS), echoServer('fast')];
const FIGURE = 'fast server beside a slow one: first answer';

export const slow: Scenario = {
  name: 'slow',
  run: async (bench) => {
    for (let round = 0; round < bench.costlyRounds; round++) {
      await throughDaemon(bench);
      await throughSdk(bench);
    }
  },
};

const firstAnswer = async (call: Call): Promise<void> => {
  const check = await echo('fast')(call, 0);
  if (!check()) throw new Error('a wrong answer');
};

const throughDaemon = (bench: Bench): Promise<void> =>
  bench.withTargets({ names: ['daemon'], servers: SERVERS }, async ({ daemon }) => {
    if (!daemon) return;
    await bench.attempt('daemon', async () => {
      const startedAt = performance.now();
      const sessionId = await daemon.openSession();
      await daemon.until(sessionId, (listed) => listed.some(({ name, connected }) => name === 'fast' && connected));
      await firstAnswer(daemon.callIn(sessionId));
      bench.record('daemon', FIGURE, 'ms', performance.now() - startedAt);
    });
  });

const throughSdk = async (bench: Bench): Promise<void> => {
  const startedAt = performance.now();
  await bench.withTargets({ names: ['sdk'], servers: SERVERS }, async ({ sdk }) => {
    await bench.attempt('sdk', async () => {
      if (!sdk) return;
      await firstAnswer(sdk.callNow);
      bench.record('sdk', FIGURE, 'ms', performance.now() - startedAt);
    });
  });
};
