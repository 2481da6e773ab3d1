/**
 * The four lists of a workspace with 50 servers of 20 tools: waiting time and size of each, and what the resources cost
 * when one of the servers takes 8 s to list its own.
 */
import type { Bench, Scenario } from '../bench.js';
import { allConnected, type Daemon } from '../daemon.js';
import { HttpCaller } from '../http-caller.js';
import { median } from '../load.js';
import { libraryServer, type ServerSpec } from '../target.js';

const SERVERS = 50;
const TOOLS = 20;
const RESOURCES = 5;
const SLOW_LIST_MS = 8_000;
/** The first ones fill the cache of schemas and compile the code. */
const WARM_UP_ASKS = 30;
const ASKS = 60;
const SLOW_ASKS = 3;

const quick = (count: number): ServerSpec[] =>
  Array.from({ length: count }, (_, index) => libraryServer(`library${index}`, TOOLS, RESOURCES));

const ROUTES: Readonly<Record<string, string>> = {
  'unified list': '/tools',
  ids: '/experimental/tool/ids',
  'schemas for openai': '/experimental/tool?provider=openai&model=m',
  'schemas for google': '/experimental/tool?provider=google&model=m',
};
const RESOURCES_PATH = '/experimental/resource';

export const workspaces: Scenario = {
  name: 'workspaces',
  run: async (bench) => {
    await withWorkspace(bench, quick(SERVERS), async (ask) => {
      for (const [figure, path] of [...Object.entries(ROUTES), ['resources', RESOURCES_PATH] as const]) {
        const first = await ask(path, 1);
        await ask(path, WARM_UP_ASKS);
        const { p50Ms, bytes } = await ask(path, ASKS);
        bench.record('daemon', `${figure}, first answer`, 'ms', first.p50Ms);
        bench.record('daemon', `${figure}, p50`, 'ms', p50Ms);
        bench.record('daemon', `${figure}, size`, 'KiB', bytes / 1_024);
      }
    });
    const withSlow = [...quick(SERVERS - 1), libraryServer('slow', TOOLS, RESOURCES, SLOW_LIST_MS)];
    await withWorkspace(bench, withSlow, async (ask) => {
      const beside = `beside a server that lists its resources after ${SLOW_LIST_MS / 1_000} s`;
      const slowed = await ask(RESOURCES_PATH, SLOW_ASKS);
      bench.record('daemon', `resources ${beside}, p50`, 'ms', slowed.p50Ms);
      bench.record('daemon', `unified list ${beside}, p50`, 'ms', (await ask('/tools', ASKS)).p50Ms);
    });
  },
};

/** Asks one after the other. */
type Asking = (path: string, count: number) => Promise<{ readonly p50Ms: number; readonly bytes: number }>;

const withWorkspace = (bench: Bench, servers: readonly ServerSpec[], use: (ask: Asking) => Promise<void>) =>
  bench.withTargets({ names: ['daemon'], servers }, async ({ daemon }) => {
    if (daemon) await bench.attempt('daemon', () => measure(daemon, use));
  });

async function measure(daemon: Daemon, use: (ask: Asking) => Promise<void>): Promise<void> {
  const session = await daemon.openSession();
  await daemon.until(session, allConnected);
  const caller = new HttpCaller(daemon.port);
  const get = async (path: string): Promise<Buffer> => {
    const { status, body } = await caller.ask(caller.request('GET', path));
    if (status !== 200) throw new Error(`unexpected answer to ${path}: ${status}`);
    return body;
  };
  try {
    const shown = JSON.parse((await get(`/api/v1/agent/sessions/${session}`)).toString()) as {
      session: { workspace_id: string };
    };
    const base = `/api/v1/workspaces/${shown.session.workspace_id}`;
    await use(async (path, count) => {
      const waitedMs: number[] = [];
      let bytes = 0;
      for (let turn = 0; turn < count; turn += 1) {
        const startedAt = performance.now();
        bytes = (await get(base + path)).length;
        waitedMs.push(performance.now() - startedAt);
      }
      return { p50Ms: median(waitedMs), bytes };
    });
  } finally {
    caller.close();
  }
}
