/**
 * The MCP operations as a careful caller uses them: a session over an install of its own (so that no case touches the
 * operator's settings), and an intent minted before each write.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { must } from '../../check.js';
import type { Answer } from '../../client.js';
import type { ServerEntry } from '../../mcp-fixtures.js';
import { mustAnswer, type Target } from '../../target.js';

export const WRITES = {
  upsert: 'upsertMcpServer',
  delete: 'deleteMcpServer',
  set_enabled: 'setMcpServerEnabled',
  import: 'importMcpServers',
} as const;
export type WriteOp = keyof typeof WRITES;
export const OPS = Object.keys(WRITES) as WriteOp[];

export const EMPTY_LIST_HASH = 'sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945';

/** For each kind of write, a body that is accepted over the entry `a`. */
export const ACCEPTED: Readonly<Record<WriteOp, Record<string, unknown>>> = {
  upsert: { server: { name: 'a', require_confirmation: true } },
  delete: { name: 'a' },
  set_enabled: { name: 'a', enabled: false },
  import: { servers: [{ name: 'b', command: 'true' }] },
};

/** An entry that is never started. */
export const idle = (name: string, more: Readonly<Record<string, unknown>> = {}): ServerEntry => ({
  name,
  command: 'true',
  enabled: false,
  ...more,
});

export interface Intent {
  readonly nonce: string;
  readonly path: string;
  readonly hash: string;
}

export class McpSession {
  readonly target: Target;
  readonly id: string;
  readonly cwd: string;
  readonly configDir: string;

  private constructor(target: Target, id: string, cwd: string, configDir: string) {
    this.target = target;
    this.id = id;
    this.cwd = cwd;
    this.configDir = configDir;
  }

  /** Over a new install, or that of another session; `settings` is what its file holds, as a value or as text. */
  static async open(
    target: Target,
    { settings, beside, ...body }: { settings?: unknown; beside?: McpSession } & Readonly<Record<string, unknown>> = {},
  ): Promise<McpSession> {
    const configDir = beside?.configDir ?? (await target.folder());
    if (settings !== undefined) {
      await target.write(
        join(configDir, 'settings.json'),
        Array.isArray(settings) ? { mcp_servers: settings } : settings,
      );
    }
    const { id, cwd } = await target.session({ config_dir: configDir, ...(beside && { cwd: beside.cwd }), ...body });
    return new McpSession(target, id, cwd, configDir);
  }

  get settingsPath(): string {
    return join(this.configDir, 'settings.json');
  }

  /** The text of the settings file; undefined when there is none. */
  async text(): Promise<string | undefined> {
    return readFile(this.settingsPath, 'utf8').catch(() => undefined);
  }

  /** The stored list. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a case looks at what is there.
  async stored(): Promise<any[]> {
    return JSON.parse((await this.text()) ?? '{"mcp_servers":[]}').mcp_servers;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- a case looks at what came.
  async list(): Promise<any> {
    return (await this.target.expect(200, 'listMcpServers', { query: { session_id: this.id } })).json;
  }

  /** The row of one server in a fresh list. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a case looks at what came.
  async row(name: string): Promise<any> {
    return rowOf(await this.list(), name);
  }

  async intent(op: WriteOp, scope?: string): Promise<Intent> {
    const body = { session_id: this.id, op, ...(scope === undefined ? {} : { scope }) };
    return (await this.target.expect(200, 'createMcpWriteIntent', { body })).json as Intent;
  }

  /** One write; `more` is its own part of the body and may replace what the intent gave. */
  async write(op: WriteOp, more: Readonly<Record<string, unknown>>, scope?: string): Promise<Answer> {
    const { nonce, hash } = await this.intent(op, scope);
    const body = { session_id: this.id, nonce, expect_hash: hash, ...(scope === undefined ? {} : { scope }), ...more };
    return this.target.call(WRITES[op], { body });
  }

  /** A write that has to be accepted. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a case looks at what came.
  async done(op: WriteOp, more: Readonly<Record<string, unknown>>, scope?: string): Promise<any> {
    const answer = await this.write(op, more, scope);
    mustAnswer(answer, 200);
    return answer.json;
  }

  upsert(server: Readonly<Record<string, unknown>>, scope?: string) {
    return this.done('upsert', { server }, scope);
  }

  /** An upsert that has to be refused as a bad request, with nothing written. */
  async refusesUpsert(server: Readonly<Record<string, unknown>>): Promise<string> {
    return this.refuses('upsert', { server });
  }

  async refuses(op: WriteOp, more: Readonly<Record<string, unknown>>): Promise<string> {
    const before = await this.text();
    const answer = await this.write(op, more);
    mustAnswer(answer, 400, 'bad_request');
    must((await this.text()) === before, 'a refused write changed the settings file');
    return answer.json.message as string;
  }

  enable(name: string, enabled: boolean) {
    return this.done('set_enabled', { name, enabled });
  }

  remove(name: string, scope?: string) {
    return this.done('delete', { name }, scope);
  }

  async reconnect(): Promise<Answer> {
    return this.target.call('reconnectMcp', { body: { session_id: this.id } });
  }

  /** A small server of ours, written and connected. Its name. */
  async connected(more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { mcp } = this.target.setting;
    const name = this.target.name('srv');
    const entry =
      this.target.setting.capabilities.features['mcp.stdio'] === false ? await mcp.remote(name) : mcp.child(name);
    const { servers } = await this.upsert({ ...entry, ...more });
    const row = rowOf({ servers }, name);
    must(row?.connected === true, `a healthy server is not connected when its write is answered`);
    return name;
  }

  /** Names of the server tools that can be called now. */
  async tools(): Promise<string[]> {
    const { json } = await this.target.expect(200, 'listSessionMcpTools', { path: { id: this.id } });
    return json.items.map(({ name }: { name: string }) => name);
  }

  run(server: string, tool: string, params: Readonly<Record<string, unknown>> = {}, more = {}): Promise<Answer> {
    return this.target.call('runSessionTool', {
      path: { id: this.id, name: toolName(server, tool) },
      body: { params, ...more },
    });
  }
}

export const toolName = (server: string, tool: string): string => `mcp__${server}__${tool}`;

// oxlint-disable-next-line typescript/no-explicit-any -- a case looks at what came.
export const rowOf = ({ servers }: any, name: string): any =>
  servers.find((row: { name: string }) => row.name === name);

// oxlint-disable-next-line typescript/no-explicit-any -- a case looks at what came.
export const namesOf = ({ servers }: any): string[] => servers.map(({ name }: { name: string }) => name);
