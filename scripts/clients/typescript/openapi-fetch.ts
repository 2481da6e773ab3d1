/**
 * The main story told through openapi-fetch and the published types (generated/contract.ts). It has no way to read an
 * event stream, but hands over the body unread. Arguments: address of the daemon, working folder, program and file of
 * an MCP server.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { components, paths } from './client/contract.js';

const [baseUrl = '', cwd = '', command = '', serverFile = ''] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl });
const scope = 'project';

/** The answer of a call that has to succeed. */
const good = <T>({ data, error }: { data?: T; error?: unknown }): T => {
  assert.ok(data !== undefined, JSON.stringify(error));
  return data;
};

const { session_id } = good(await api.POST('/api/v1/agent/sessions', { body: { cwd } }));
console.log('session', session_id);

const document = JSON.stringify({ mcpServers: { files: { command, args: [serverFile, cwd] } } });
const preview = good(await api.POST('/api/v1/agent/mcp/parse', { body: { session_id, document } }));
assert.deepEqual([preview.dialect, preview.servers[0]?.name], ['claude', 'files']);
console.log('preview', preview.dialect, preview.count);

const intend = async (op: components['schemas']['CreateMcpWriteIntentBody']['op']) =>
  good(await api.POST('/api/v1/agent/mcp/write-intents', { body: { session_id, op, scope } }));
const intent = await intend('upsert');
console.log('intent', intent.path);

const server = { name: 'files', command, args: [serverFile, cwd] };
const upsert = (nonce: string, expect_hash: string) =>
  api.PUT('/api/v1/agent/mcp/servers', { body: { session_id, scope, nonce, expect_hash, server } });
const written = good(await upsert(intent.nonce, intent.hash));
assert.notEqual(written.hash, intent.hash);
console.log('upsert', written.servers.length);

const listed = async () => good(await api.GET('/api/v1/agent/mcp/servers', { params: { query: { session_id } } }));
while (!(await listed()).servers.every(({ connected }) => connected)) await pause(100);
console.log('list', (await listed()).servers[0]?.tool_count);

const result = good(
  await api.POST('/api/v1/agent/sessions/{id}/tools/{name}/run', {
    params: { path: { id: session_id, name: 'mcp__files__read_text_file' } },
    body: { params: { path: `${cwd}/hello.txt` } },
  }),
);
assert.ok(result.ok && result.output.includes('hello'));
console.log('tool', result.output.trim());

const { error, response } = await upsert((await intend('upsert')).nonce, intent.hash);
assert.deepEqual([response.status, error?.code], [409, 'mcp_conflict']);
console.log('conflict', error?.code);

const { nonce, hash } = await intend('delete');
const removed = good(
  await api.DELETE('/api/v1/agent/mcp/servers', {
    body: { session_id, scope, nonce, expect_hash: hash, name: server.name },
  }),
);
assert.deepEqual([removed.servers, removed.revoked], [[], 1]);
console.log('delete', removed.revoked);

const stream = good(await api.GET('/api/v1/agent/changes/stream', { parseAs: 'stream' }));
let text = '';
for await (const chunk of stream!.pipeThrough(new TextDecoderStream())) {
  text += chunk;
  if (text.includes('\n\n')) break;
}
const [, event, data] = /^event: (.*)\ndata: (.*)\n\n/.exec(text) ?? [];
const tokens = JSON.parse(data ?? '') as components['schemas']['ChangeTokens'];
assert.deepEqual([event, typeof tokens.tokens.sessions], ['snapshot', 'string']);
console.log('stream', event, Object.keys(tokens.tokens).length);

const { session } = good(await api.GET('/api/v1/agent/sessions/{id}', { params: { path: { id: session_id } } }));
const look = (workspaceID: string) =>
  api.GET('/api/v1/workspaces/{workspaceID}/tools', { params: { path: { workspaceID } } });
const tools = good(await look(session.workspace_id));
assert.ok(tools.some(({ id, permissionKey }) => id === 'read_file' && permissionKey === 'fs.read'));
console.log('workspace', tools.length);

const failure = (await look('nowhere')).error;
assert.deepEqual([failure?.data, failure?.errors[0]?.code], [null, 'WORKSPACE_NOT_FOUND']);
console.log('envelope', failure?.errors[0]?.code);

console.log('story ok');
