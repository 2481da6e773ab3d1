/**
 * MCP servers for the target to connect to: one hosted by this process over Streamable HTTP for targets elsewhere, and
 * one it can start as a child when it shares the machine. Both are the same small server (mcp-server.ts).
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { answerOverHttp } from './mcp-server.js';

/** An entry as a settings file or a request has it. */
export type ServerEntry = Readonly<Record<string, unknown>> & { readonly name: string };

export class McpFixtures {
  readonly #host: string;
  #server: Promise<Server> | undefined;

  /** `host` is the address of this machine as the target sees it. */
  constructor(host: string) {
    this.#host = host;
  }

  /** A server that the target starts itself. */
  child(name: string, more: Readonly<Record<string, unknown>> = {}): ServerEntry {
    const script = fileURLToPath(new URL('../../dist/conformance/mcp-stdio.js', import.meta.url));
    return { name, command: process.execPath, args: [script], ...more };
  }

  /** A server of ours that the target connects to. */
  async remote(name: string, more: Readonly<Record<string, unknown>> = {}): Promise<ServerEntry> {
    const { port } = (await (this.#server ??= this.#listen())).address() as AddressInfo;
    return { name, type: 'http', url: `http://${this.#host}:${port}/mcp`, ...more };
  }

  async close(): Promise<void> {
    const server = await this.#server;
    server?.closeAllConnections();
    server?.close();
  }

  async #listen(): Promise<Server> {
    const server = createServer((request, response) => void answerOverHttp(request, response));
    server.listen(0, this.#host === '127.0.0.1' ? this.#host : undefined);
    await once(server, 'listening');
    return server;
  }
}
