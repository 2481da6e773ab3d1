/**
 * What can be measured: the daemon, the reference it is a ratio of, and the SDK's client as the limit of both. A target
 * is started with a list of MCP servers and gives out calls; a call is one request that may be under way at a time.
 */
import { fileURLToPath } from 'node:url';

export const TARGET_NAMES = ['daemon', 'reference', 'sdk'] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

export const TARGET_LABELS: Readonly<Record<TargetName, string>> = {
  daemon: 'daemon',
  reference: 'reference',
  sdk: 'SDK over stdio',
};

export interface ServerSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** In place of a server: the tool is the target's own. */
export const BUILT_IN = '';

/** Runs a tool; resolves when the answer has arrived with a function that reads the text out of it, or throws. */
export type Call = (server: string, tool: string, args: Record<string, unknown>) => Promise<() => string>;

export interface Target {
  readonly name: TargetName;
  /** The process whose CPU time and memory count; undefined for the SDK, which shares the process of the load. */
  readonly pid: number | undefined;
  /** That many calls that can run side by side. */
  calls(count: number): Promise<readonly Call[]>;
  stop(): Promise<void>;
}

const ECHO_SERVER = fileURLToPath(new URL('echo-server.mjs', import.meta.url));

export const echoServer = (name: string, initDelayMs = 0): ServerSpec => ({
  name,
  command: process.execPath,
  args: [ECHO_SERVER, '--init-delay', String(initDelayMs)],
});

/** A server with so many tools and resources; `resourcesDelayMs` is how long it takes to list the resources. */
export const libraryServer = (name: string, tools: number, resources: number, resourcesDelayMs = 0): ServerSpec => {
  const counts = { '--tools': tools, '--resources': resources, '--resources-delay': resourcesDelayMs };
  const flags = Object.entries(counts).flatMap(([flag, count]) => [flag, String(count)]);
  return { name, command: process.execPath, args: [ECHO_SERVER, ...flags] };
};

/** `count` servers named `name0`, `name1`, … */
export const echoServers = (count: number): ServerSpec[] =>
  Array.from({ length: count }, (_, index) => echoServer(`echo${index}`));
