/**
 * Connects and disconnects MCP servers again and again, and counts what is left: `npx tsx scripts/soak-connect.ts 200`.
 * Every third server starts a child in its process group, every third one a child in a session of its own.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createConnector } from '../src/mcp/connector.js';
import { createLogger, systemClock } from '../src/system.js';

const SERVER = fileURLToPath(new URL('../test/fixtures/mcp-servers/server.mjs', import.meta.url));
const MODES = ['echo', 'grandchild', 'daemonise'];

export interface Remains {
  /** Processes that carry the mark of this run. */
  readonly marked: number;
  /** Children of this process, dead ones that were not reaped included. */
  readonly children: number;
  /** Open file descriptors of this process. */
  readonly descriptors: number;
}

/** What is left after so many rounds. Linux only. */
export const churn = async (rounds: number): Promise<Remains> => {
  const runId = `soak-${process.pid}`;
  const connector = createConnector({
    clientInfo: { name: 'soak', version: '0.0.0' },
    clock: systemClock,
    logger: createLogger({ level: 'silent' }),
    runId,
    startTimeoutMs: 60_000,
    pingIntervalMs: 15_000,
  });
  for (let round = 0; round < rounds; round += 1) {
    const connection = await connector.open(
      {
        name: 'soak',
        transport: 'stdio',
        command: process.execPath,
        args: [SERVER],
        env: { PATH: process.env.PATH ?? '', MODE: MODES[round % MODES.length] ?? 'echo' },
        headers: {},
        cwd: tmpdir(),
        secrets: [],
      },
      { closed: () => undefined, toolsChanged: () => undefined },
      new AbortController().signal,
    );
    await connection.close();
  }
  return {
    marked: countProcesses((pid) => readFileSync(`/proc/${pid}/environ`, 'latin1').includes(runId)),
    children: countProcesses((pid) => parentOf(pid) === process.pid),
    descriptors: readdirSync('/proc/self/fd').length,
  };
};

const countProcesses = (matches: (pid: string) => boolean): number =>
  readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && matches(name);
    } catch {
      return false;
    }
  }).length;

const parentOf = (pid: string): number => Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1]);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rounds = Number(process.argv[2] ?? 200);
  const before = await churn(1);
  const startedAt = performance.now();
  const after = await churn(rounds);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${JSON.stringify({ rounds, seconds, before, after })}\n`);
  if (JSON.stringify(before) !== JSON.stringify(after)) process.exitCode = 1;
}
