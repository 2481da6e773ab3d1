/**
 * A server's process is killed: how long until the daemon lists it as dead, and until it answers again. Every round
 * kills another server, because the pause before a restart grows with each death of the same one.
 */
import { echo, type Scenario } from '../bench.js';
import { allConnected, type Daemon } from '../daemon.js';
import { echoServers } from '../target.js';

export const death: Scenario = {
  name: 'death',
  run: (bench) => {
    const servers = echoServers(bench.rounds);
    return bench.withTargets({ names: ['daemon'], servers }, async ({ daemon }) => {
      if (!daemon) return;
      await bench.attempt('daemon', async () => {
        const sessionId = await daemon.openSession();
        await daemon.until(sessionId, allConnected);
        for (const { name } of servers) {
          const { deadMs, backMs } = await kill(daemon, sessionId, name);
          bench.record('daemon', 'killed server listed as dead', 'ms', deadMs);
          bench.record('daemon', 'killed server answers again', 'ms', backMs);
        }
      });
    });
  },
};

async function kill(daemon: Daemon, sessionId: string, name: string): Promise<{ deadMs: number; backMs: number }> {
  const listed = await daemon.listServers(sessionId);
  const pid = listed.find((server) => server.name === name)?.pid;
  if (pid === undefined || !daemon.owns(pid))
    throw new Error(`the pid listed for ${name} is not a child of the daemon`);
  const killedAt = performance.now();
  process.kill(pid, 'SIGKILL');
  await daemon.until(sessionId, (servers) => servers.some((server) => server.name === name && !server.connected));
  const deadMs = performance.now() - killedAt;
  await daemon.until(sessionId, allConnected);
  const check = await echo(name)(daemon.callIn(sessionId), 0);
  if (!check()) throw new Error('a wrong answer');
  return { deadMs, backMs: performance.now() - killedAt };
}
