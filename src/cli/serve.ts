/**
 * `hoody-agentd serve`: starts a daemon from a checked configuration and ends it on a signal. The first line on stdout
 * tells where it listens; everything else goes to stderr.
 */
import type { Config } from '../config.js';
import { startDaemon } from '../daemon.js';
import { collectWhenIdle } from './idle-memory.js';

/** A stop that takes longer than this is cut off: a service manager would kill us soon anyway. */
const STOP_DEADLINE_MS = 10_000;

export const serve = async (config: Config): Promise<void> => {
  const daemon = await startDaemon(config);
  collectWhenIdle();
  process.on('SIGHUP', () => daemon.rereadSettings());
  // Node's own end on these signals would leave the children running.
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
    daemon.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`hoody-agentd: ${error instanceof Error ? error.message : String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Last, for whoever reads the line may send a signal at once.
  process.stdout.write(`hoody-agentd listening on ${daemon.baseUrl}\n`);
};
