/**
 * The main story told through the client that @hey-api/openapi-ts writes; it reads event streams itself. Arguments:
 * address of the daemon, working folder, program and file of an MCP server.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { client } from './client/client.gen.js';
import type { StreamEvent } from './client/core/serverSentEvents.gen.js';
import * as api from './client/sdk.gen.js';
import type { GetChangesResponse } from './client/types.gen.js';

const [baseUrl = '', cwd = '', command = '', serverFile = ''] = process.argv.slice(2);
client.setConfig({ baseUrl });
const scope = 'project';
/** Failed calls throw, except where the failure is what we want to see. */
const throwOnError = true;

const { session_id } = (await api.createSession({ throwOnError, body: { cwd } })).data;
console.log('session', session_id);

const document = JSON.stringify({ mcpServers: { files: { command, args: [serverFile, cwd] } } });
const preview = (await api.previewMcpImport({ throwOnError, body: { session_id, document } })).data;
assert.deepEqual([preview.dialect, preview.servers[0]?.name], ['claude', 'files']);
console.log('preview', preview.dialect, preview.count);

const intend = async (op: 'upsert' | 'delete') =>
  (await api.createMcpWriteIntent({ throwOnError, body: { session_id, op, scope } })).data;
const intent = await intend('upsert');
console.log('intent', intent.path);

const server = { name: 'files', command, args: [serverFile, cwd] };
const entry = { session_id, scope, expect_hash: intent.hash, server } as const;
const written = (await api.upsertMcpServer({ throwOnError, body: { ...entry, nonce: intent.nonce } })).data;
assert.notEqual(written.hash, intent.hash);
console.log('upsert', written.servers.length);

const listed = async () => (await api.listMcpServers({ throwOnError, query: { session_id } })).data.servers;
while (!(await listed()).every(({ connected }) => connected)) await pause(100);
console.log('list', (await listed())[0]?.tool_count);

const result = await api.runSessionTool({
  throwOnError,
  path: { id: session_id, name: 'mcp__files__read_text_file' },
  body: { params: { path: `${cwd}/hello.txt` } },
});
assert.ok(result.data.ok && result.data.output.includes('hello'));
console.log('tool', result.data.output.trim());

const { nonce: fresh } = await intend('upsert');
const { error, response } = await api.upsertMcpServer({ body: { ...entry, nonce: fresh } });
assert.deepEqual([response?.status, error?.code], [409, 'mcp_conflict']);
console.log('conflict', error?.code);

const { nonce, hash } = await intend('delete');
const body = { session_id, scope, nonce, expect_hash: hash, name: server.name } as const;
const removed = (await api.deleteMcpServer({ throwOnError, body })).data;
assert.deepEqual([removed.servers, removed.revoked], [[], 1]);
console.log('delete', removed.revoked);

const frames: StreamEvent<unknown>[] = [];
const stop = new AbortController();
const { stream } = await api.streamChanges({ signal: stop.signal, onSseEvent: (frame) => frames.push(frame) });
for await (const _ of stream) break;
stop.abort();
const { event, data } = frames[0]!;
const { tokens } = data as GetChangesResponse;
assert.deepEqual([event, typeof tokens.sessions], ['snapshot', 'string']);
console.log('stream', event, Object.keys(tokens).length);

const { session } = (await api.getSession({ throwOnError, path: { id: session_id } })).data;
const path = { workspaceID: session.workspace_id };
const tools = (await api.listWorkspaceTools({ throwOnError, path })).data;
assert.ok(tools.some(({ id, permissionKey }) => id === 'read_file' && permissionKey === 'fs.read'));
console.log('workspace', tools.length);

const failure = (await api.listWorkspaceTools({ path: { workspaceID: 'nowhere' } })).error;
assert.deepEqual([failure?.data, failure?.errors[0]?.code], [null, 'WORKSPACE_NOT_FOUND']);
console.log('envelope', failure?.errors[0]?.code);

console.log('story ok');
