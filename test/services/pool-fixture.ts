/**
 * What the tests of pool and reconciler share: the real connector, definitions of the fixture servers, and ways to see
 * whether a process lives and to wait for what happens by itself.
 */
import { fileURLToPath } from 'node:url';
import { createConnector } from '../../src/mcp/connector.js';
import type { JsonObject } from '../../src/domain/json.js';
import { parseEntry } from '../../src/domain/server-entry.js';
import type { Posture } from '../../src/domain/session.js';
import type { EffectiveServer } from '../../src/domain/settings.js';
import type { Clock, Launch, Logger, ServerConnector } from '../../src/ports.js';
import { type Lease, ServerPool } from '../../src/services/server-pool.js';
import { systemClock } from '../../src/system.js';

const FIXTURE = fileURLToPath(new URL('../fixtures/mcp-servers/server.mjs', import.meta.url));

export const quiet: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export const posture = (sessionId = 'sess_A', more: Partial<Posture> = {}): Posture => ({
  sessionId,
  realm: 'global',
  account: 'local',
  cwd: process.cwd(),
  configDir: null,
  toolMode: 'full',
  dirScope: 'home',
  headless: false,
  agent: null,
  workspaceId: '0'.repeat(24),
  ...more,
});

/** A stored entry that starts the fixture server in a mode. */
export const stored = (name: string, mode: string, more: JsonObject = {}): JsonObject => ({
  name,
  command: process.execPath,
  args: [FIXTURE],
  env: { MODE: mode },
  ...more,
});

export function effective(raw: JsonObject): EffectiveServer {
  const parsed = parseEntry(raw, 'stored');
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults));
  return { entry: parsed.entry, raw, scope: 'user', path: '/user/settings.json', digest: '', trusted: true };
}

/** The real connector; `opened` tells what it was asked to start. */
export function realConnector(): ServerConnector & { readonly opened: Launch[] } {
  const connector = createConnector({
    clientInfo: { name: 'test', version: '0' },
    clock: systemClock,
    logger: quiet,
    runId: `test-${process.pid}`,
    startTimeoutMs: 60_000,
    pingIntervalMs: 15_000,
  });
  const opened: Launch[] = [];
  return {
    opened,
    open: (launch, events, signal) => {
      opened.push(launch);
      return connector.open(launch, events, signal);
    },
  };
}

export const newPool = (clock: Clock, connector: ServerConnector, hostEnv = process.env): ServerPool =>
  new ServerPool({ connector, clock, logger: quiet, callIdleTimeoutMs: 60_000, callTotalTimeoutMs: 60_000, hostEnv });

/** Processes exit and pipes close in their own time: looks again until it is so, for at most `withinMs`. */
export async function until(what: string, holds: () => boolean, withinMs = 15_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export function pidOf({ state }: Pick<Lease, 'state'>): number {
  if (state.state !== 'connected') throw new Error(`not connected but ${JSON.stringify(state)}`);
  return state.identity.pid;
}
