/**
 * The MCP server operations: wire to command and report to wire, one call each.
 */
import { DaemonError } from '../../domain/errors.js';
import type { JsonObject, JsonValue } from '../../domain/json.js';
import type { LayerName } from '../../domain/server-entry.js';
import type { ConfigWriter, WriteRequest } from '../../services/config-writer.js';
import type { McpServers } from '../../services/mcp-servers.js';
import type { LiveSession, Sessions } from '../../services/sessions.js';
import type { Context, Handlers } from '../operation.js';
import { importRow, reconcileReport, serverRow, writeReport } from '../views.js';

type McpHandlers = Pick<
  Handlers,
  | 'listMcpServers'
  | 'previewMcpImport'
  | 'createMcpWriteIntent'
  | 'upsertMcpServer'
  | 'setMcpServerEnabled'
  | 'deleteMcpServer'
  | 'importMcpServers'
  | 'testMcpServer'
  | 'reconnectMcp'
>;

export interface McpHandlerDeps {
  readonly sessions: Sessions;
  readonly servers: McpServers;
  readonly writer: ConfigWriter;
}

export const mcpHandlers = ({ sessions, servers, writer }: McpHandlerDeps): McpHandlers => {
  const live = (id: string, { scope }: Context): LiveSession => sessions.live(id, scope);
  const writeOf = (body: { nonce: string; scope?: LayerName; expect_hash: string }): WriteRequest => ({
    nonce: body.nonce,
    scope: body.scope,
    expectHash: body.expect_hash,
  });

  return {
    listMcpServers: async ({ query }, context) => {
      const { servers: rows, files, warnings } = await servers.list(live(query.session_id, context));
      return {
        status: 200,
        body: {
          status: 'ok',
          servers: rows.map(serverRow),
          files: files.map(({ path, layer, hash }) => ({ path, layer, hash })),
          warnings: [...warnings],
        },
      };
    },

    previewMcpImport: ({ body }, context) => {
      live(body.session_id, context);
      const { dialect, entries, warnings } = servers.preview(body.document);
      return {
        status: 200,
        body: {
          status: 'ok',
          dialect,
          servers: entries.map(importRow),
          count: entries.length,
          warnings: [...warnings],
        },
      };
    },

    createMcpWriteIntent: async ({ body }, context) => {
      const intent = await writer.createWriteIntent(live(body.session_id, context), body.op, body.scope);
      return { status: 200, body: { status: 'ok', nonce: intent.nonce, path: intent.path, hash: intent.hash } };
    },

    upsertMcpServer: async ({ body }, context) => {
      const session = live(body.session_id, context);
      context.waiting();
      const report = await writer.upsert(session, writeOf(body), body.server as JsonObject);
      return { status: 200, body: writeReport(report) };
    },

    setMcpServerEnabled: async ({ body }, context) => {
      const session = live(body.session_id, context);
      context.waiting();
      const report = await writer.setEnabled(session, writeOf(body), body.name, body.enabled);
      return { status: 200, body: writeReport(report) };
    },

    deleteMcpServer: async ({ body }, context) => {
      const session = live(body.session_id, context);
      context.waiting();
      return { status: 200, body: writeReport(await writer.delete(session, writeOf(body), body.name)) };
    },

    importMcpServers: async ({ body }, context) => {
      const session = live(body.session_id, context);
      const source = importSource(body);
      context.waiting();
      const report = await writer.import(session, writeOf(body), source, body.replace ?? false);
      return { status: 200, body: { ...writeReport(report), imported: report.imported } };
    },

    testMcpServer: ({ body }, context) => servers.probe(live(body.session_id, context), body.server as JsonObject),

    reconnectMcp: async ({ body }, context) => {
      const session = live(body.session_id, context);
      context.waiting();
      return { status: 200, body: reconcileReport(await servers.reconnect(session)) };
    },
  };
};

/** Exactly one of the two, which the contract's schema cannot say in a way every generator reads. */
const importSource = (body: {
  document?: string;
  servers?: readonly unknown[];
}): { document: string } | { servers: readonly JsonValue[] } => {
  if (body.document !== undefined && body.servers !== undefined) {
    throw new DaemonError('bad_request', 'document, servers: give one of them, not both');
  }
  if (body.document !== undefined) return { document: body.document };
  if (body.servers !== undefined) return { servers: body.servers as readonly JsonValue[] };
  throw new DaemonError('bad_request', 'document: required unless servers is given');
};
