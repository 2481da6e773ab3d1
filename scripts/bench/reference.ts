/**
 * The reference: reference-proxy.mjs as a process of its own, driven over HTTP by the same callers as the daemon.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HttpCaller } from './http-caller.js';
import { markedEnvironment, startListening } from './processes.js';
import { BUILT_IN, type ServerSpec, type Target } from './target.js';
import { toolOutput } from './tool-output.js';

const PROXY = fileURLToPath(new URL('reference-proxy.mjs', import.meta.url));

export interface Reference extends Target {
  readonly name: 'reference';
  readonly pid: number;
  readonly port: number;
  readonly startMs: number;
  /** Where it serves the description of a tool. */
  readonly cataloguePath: string;
}

/** Starts it in the empty folder `dir`; it listens once all servers are connected. It serves `tool` as its catalogue. */
export async function startReference(dir: string, servers: readonly ServerSpec[], tool: unknown): Promise<Reference> {
  const [serversPath, toolPath] = [join(dir, 'servers.json'), join(dir, 'tool.json')];
  writeFileSync(serversPath, JSON.stringify(servers));
  writeFileSync(toolPath, JSON.stringify(tool));
  const env = markedEnvironment();
  const { pid, port, startMs, stop } = await startListening({ args: [PROXY, serversPath, toolPath], env, cwd: dir });
  const callers: HttpCaller[] = [];
  return {
    name: 'reference',
    pid,
    port,
    startMs,
    cataloguePath: '/tools/read_file',
    calls: async (count) => {
      while (callers.length < count) callers.push(new HttpCaller(port));
      return callers.slice(0, count).map((caller) => async (server, name, params) => {
        const path = server === BUILT_IN ? `/${name}` : `/run/${server}/${name}`;
        const answer = await caller.ask(caller.request('POST', path, JSON.stringify({ params })));
        return () => toolOutput(answer);
      });
    },
    stop: async () => {
      for (const caller of callers) caller.close();
      await stop();
    },
  };
}
