/**
 * MCP servers for the target to connect to: hosted by this process over Streamable HTTP for targets elsewhere, or a
 * program it starts as a child when it shares the machine. Both are the same small server (mcp-server.ts), and of both
 * the suite can tell what reached them.
 */
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { McpOverHttp } from './mcp-http.js';
import { McpServer, type Seen, type Trait } from './mcp-server.js';

/** An entry as a settings file or a request has it. */
export type ServerEntry = Readonly<Record<string, unknown>> & { readonly name: string };

interface Hosted {
  readonly http: McpOverHttp;
  readonly seen: Seen[];
  readonly isDown: () => boolean;
}

const PROGRAM = fileURLToPath(new URL('../../dist/conformance/mcp-stdio.js', import.meta.url));

export class McpFixtures {
  readonly #host: string;
  readonly #hosted = new Map<string, Hosted>();
  #server: Promise<Server> | undefined;
  #logs: string | undefined;

  /** `host` is the address of this machine as the target sees it. */
  constructor(host: string) {
    this.#host = host;
  }

  /** A server that the target starts itself. */
  child(name: string, more: Readonly<Record<string, unknown>> = {}, ...traits: Trait[]): ServerEntry {
    return { name, command: process.execPath, args: [PROGRAM, this.#logOf(name), ...traits], ...more };
  }

  /** A server of ours that the target connects to. */
  async remote(name: string, more: Readonly<Record<string, unknown>> = {}, ...traits: Trait[]): Promise<ServerEntry> {
    const { port } = (await (this.#server ??= this.#listen())).address() as AddressInfo;
    const seen: Seen[] = [];
    let isDown = false;
    const server = new McpServer({ traits, note: (each) => seen.push(each), exit: () => (isDown = true) });
    this.#hosted.set(name, { http: new McpOverHttp(server), seen, isDown: () => isDown });
    return { name, type: 'http', url: `http://${this.#host}:${port}/${encodeURIComponent(name)}`, ...more };
  }

  /** What reached the server of this name, of either kind, since it was first named. */
  seen(name: string): readonly Seen[] {
    const hosted = this.#hosted.get(name);
    if (hosted !== undefined) return hosted.seen;
    const log = this.#logOf(name);
    if (!existsSync(log)) return [];
    const lines = readFileSync(log, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Seen);
  }

  /** How often. */
  count(name: string, method: string, tool?: string): number {
    return this.seen(name).filter((seen) => seen.method === method && (tool === undefined || seen.tool === tool))
      .length;
  }

  /** The remote server of this name knows none of its sessions any more, as after a restart. */
  forgetSessions(name: string): void {
    this.#hosted.get(name)?.http.forgetSessions();
  }

  async close(): Promise<void> {
    const server = await this.#server;
    server?.closeAllConnections();
    server?.close();
    if (this.#logs !== undefined) rmSync(this.#logs, { recursive: true, force: true });
  }

  #logOf(name: string): string {
    return join((this.#logs ??= mkdtempSync(join(tmpdir(), 'conformance-mcp-'))), `${encodeURIComponent(name)}.jsonl`);
  }

  async #listen(): Promise<Server> {
    const server = createServer((request, response) => void this.#answer(request, response));
    server.listen(0, this.#host === '127.0.0.1' ? this.#host : undefined);
    await once(server, 'listening');
    return server;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const hosted = this.#hosted.get(decodeURIComponent(request.url!.slice(1)));
    if (hosted === undefined || hosted.isDown()) return void response.writeHead(hosted ? 503 : 404).end();
    await hosted.http.answer(request, response).catch(() => response.destroy());
  }
}
