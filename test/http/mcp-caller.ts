/**
 * The MCP operations as a careful client calls them: a write mints its intent first and sends nonce and hash along.
 */
import { readFile } from 'node:fs/promises';
import type { Answer, TestDaemon } from '../harness.js';

export interface ServerRow {
  readonly name: string;
  readonly scope: string;
  readonly enabled: boolean;
  readonly connected: boolean;
  readonly pid?: number;
  readonly tool_count?: number;
  readonly revoked?: boolean;
  readonly revoked_reason?: string;
  readonly stderr_tail?: string[];
}

export interface McpCaller {
  readonly session: string;
  /** The body of the list. */
  list(): Promise<Answer['body']>;
  /** The row of one server in a fresh list. */
  row(name: string): Promise<ServerRow | undefined>;
  /** A write of any kind; `more` is its own part of the body and may replace what the intent gave. */
  write(op: WriteOp, more: Record<string, unknown>, scope?: string): Promise<Answer>;
  upsert(server: Record<string, unknown>, scope?: string): Promise<Answer>;
  enable(name: string, enabled: boolean, scope?: string): Promise<Answer>;
  remove(name: string, scope?: string): Promise<Answer>;
  import(source: Record<string, unknown>, scope?: string): Promise<Answer>;
  reconnect(): Promise<Answer>;
  /** Names of the server tools that can be called now. */
  tools(): Promise<string[]>;
  /** The result of a tool run, or the error. */
  run(tool: string, params?: Record<string, unknown>): Promise<Answer['body']>;
}

export const WRITES = {
  upsert: ['PUT', '/mcp/servers'],
  delete: ['DELETE', '/mcp/servers'],
  set_enabled: ['POST', '/mcp/servers/enable'],
  import: ['POST', '/mcp/import'],
} as const;

export type WriteOp = keyof typeof WRITES;

export const openMcp = async (daemon: TestDaemon, body?: Record<string, unknown>): Promise<McpCaller> =>
  mcpOf(daemon, await daemon.open(body));

export const mcpOf = (daemon: TestDaemon, session: string): McpCaller => {
  const list: McpCaller['list'] = async () => {
    const { status, body } = await daemon.request('GET', `/mcp/servers?session_id=${session}`);
    if (status !== 200) throw new Error(`no list: ${JSON.stringify(body)}`);
    return body;
  };
  const write: McpCaller['write'] = async (op, more, scope) => {
    const { nonce, expect_hash } = await daemon.intent(session, op, scope);
    const [method, path] = WRITES[op];
    return daemon.request(method, path, {
      body: { session_id: session, nonce, expect_hash, ...(scope && { scope }), ...more },
    });
  };
  return {
    session,
    list,
    row: async (name) => (await list()).servers.find((row: ServerRow) => row.name === name),
    write,
    upsert: (server, scope) => write('upsert', { server }, scope),
    enable: (name, enabled, scope) => write('set_enabled', { name, enabled }, scope),
    remove: (name, scope) => write('delete', { name }, scope),
    import: (source, scope) => write('import', source, scope),
    reconnect: () => daemon.request('POST', '/mcp/reconnect', { body: { session_id: session } }),
    tools: async () => {
      const { body } = await daemon.request('GET', `/sessions/${session}/tools/mcp`);
      return body.items.map((tool: { name: string }) => tool.name);
    },
    run: async (tool, params = {}) =>
      (await daemon.request('POST', `/sessions/${session}/tools/${tool}/run`, { body: { params } })).body,
  };
};

export const textOf = (path: string): Promise<string> => readFile(path, 'utf8');
/** The stored list of a settings file that is plain JSON. */
export const storedIn = async (path: string): Promise<Record<string, unknown>[]> =>
  JSON.parse(await textOf(path)).mcp_servers;

export const namesOf = ({ servers }: { servers: readonly ServerRow[] }): string[] => servers.map(({ name }) => name);

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
