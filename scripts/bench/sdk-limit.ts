/**
 * The limit: the MCP SDK's Client over stdio with nothing in front of it, inside the process of the load. Its CPU time
 * and memory cannot be told from the load's, so only its times count.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { killMarked, markedEnvironment } from './processes.js';
import type { Call, ServerSpec, Target } from './target.js';

/** The SDK's own limit of 10 MiB would refuse the largest result that is measured. */
const MAX_MESSAGE_BYTES = 64 * 1_024 * 1_024;

export interface SdkLimit extends Target {
  readonly name: 'sdk';
  readonly pid: undefined;
  /** Resolves when that server has answered `initialize` and `tools/list`. */
  ready(server: string): Promise<void>;
  /** A call that waits for its own server only. */
  readonly callNow: Call;
}

/** Starts connecting to all servers at once and returns at once. */
export function startSdkLimit(servers: readonly ServerSpec[]): SdkLimit {
  const env = markedEnvironment();
  const connections = new Map(servers.map((server) => [server.name, connect(server, env)]));
  // Whoever waits for a connection sees its failure; one that nobody waits for is none.
  for (const pending of connections.values()) pending.catch(() => undefined);
  const connection = (server: string): Promise<Client> =>
    connections.get(server) ?? Promise.reject(new Error(`no server ${server}`));
  const call: Call = async (server, tool, args) => {
    const client = await connection(server);
    const result = await client.callTool({ name: tool, arguments: args });
    return () => {
      const [part] = CallToolResultSchema.parse(result).content;
      return part?.type === 'text' ? part.text : '';
    };
  };
  return {
    name: 'sdk',
    pid: undefined,
    ready: async (server) => {
      await connection(server);
    },
    calls: async (count) => {
      await Promise.all(connections.values());
      return Array.from({ length: count }, () => call);
    },
    callNow: call,
    stop: async () => {
      // The servers hold nothing, and a polite stop would wait for one that is still starting.
      killMarked(env);
      const settled = await Promise.allSettled(connections.values());
      await Promise.all(settled.map((result) => (result.status === 'fulfilled' ? result.value.close() : undefined)));
    },
  };
}

async function connect(server: ServerSpec, env: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'bench-limit', version: '1.0.0' });
  const { command, args } = server;
  await client.connect(
    new StdioClientTransport({ command, args: [...args], env, stderr: 'ignore', maxBufferSize: MAX_MESSAGE_BYTES }),
  );
  await client.listTools();
  return client;
}
