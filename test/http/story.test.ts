/**
 * The story of the README, told to a real daemon with real MCP servers from npm: from a pasted configuration to a tool
 * run, a conflict, a deletion, and nothing left running.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { npmServer, startTestDaemon, type TestDaemon } from '../harness.js';
import { childrenOf, until } from '../processes.js';

describe('a newcomer with a Claude Desktop configuration', () => {
  let daemon: TestDaemon;
  let session: string;
  let document: string;

  beforeAll(async () => {
    daemon = await startTestDaemon();
    await writeFile(join(daemon.cwd, 'hello.txt'), 'hello from the work folder\n');
    document = JSON.stringify({
      mcpServers: {
        filesystem: {
          command: process.execPath,
          args: [npmServer('server-filesystem'), daemon.cwd],
          env: { SECRET_OF_MINE: 'sentinel-value-7f3a' },
        },
        everything: { command: process.execPath, args: [npmServer('server-everything'), 'stdio'] },
      },
    });
  });
  afterAll(() => daemon.close());

  test('opens a session on a folder', async () => {
    const answer = await daemon.request('POST', '/sessions', { body: { cwd: daemon.cwd } });
    expect(answer.status).toBe(201);
    session = answer.body.session_id;
    expect(session).toMatch(/^sess_/);
    expect(answer.body.started).toMatchObject({
      realm: 'global',
      cwd: daemon.cwd,
      tool_mode: 'full',
      dir_scope: 'home',
    });
  });

  test('previews the document without its credential', async () => {
    const { status, body } = await daemon.request('POST', '/mcp/parse', { body: { session_id: session, document } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ dialect: 'claude', count: 2, warnings: [] });
    expect(body.servers[0]).toMatchObject({ name: 'filesystem', env_keys: ['SECRET_OF_MINE'] });
    expect(JSON.stringify(body)).not.toContain('sentinel-value');
  });

  test('imports both servers, disabled', async () => {
    const { nonce, expect_hash } = await daemon.intent(session, 'import');
    const { status, body } = await daemon.request('POST', '/mcp/import', {
      body: { session_id: session, nonce, expect_hash, document },
    });
    expect(status).toBe(200);
    expect(body.imported).toBe(2);
    expect(body.servers.map((row: { enabled: boolean; connected: boolean }) => [row.enabled, row.connected])).toEqual([
      [false, false],
      [false, false],
    ]);
    expect(JSON.parse(await readFile(daemon.userSettingsPath, 'utf8')).mcp_servers).toHaveLength(2);
  });

  test('enables both, and each is connected when the answer comes', async () => {
    for (const name of ['filesystem', 'everything']) {
      const { nonce, expect_hash } = await daemon.intent(session, 'set_enabled');
      const { status, body } = await daemon.request('POST', '/mcp/servers/enable', {
        body: { session_id: session, nonce, expect_hash, name, enabled: true },
      });
      expect(status).toBe(200);
      expect(body.servers.find((row: { name: string }) => row.name === name)).toMatchObject({ connected: true });
    }
  });

  test('lists them with what runs, and with key names only', async () => {
    const { body } = await daemon.request('GET', `/mcp/servers?session_id=${session}`);
    expect(body.warnings).toEqual([]);
    for (const row of body.servers) {
      expect(row).toMatchObject({ connected: true, protocol_version: expect.any(String) });
      expect(row.tool_count).toBeGreaterThan(5);
      expect(row.pid).toBeGreaterThan(1);
    }
    expect(body.servers[0].env_keys).toEqual(['SECRET_OF_MINE']);
    expect(JSON.stringify(body)).not.toContain('sentinel-value');
    expect(body.files.map((file: { layer: string }) => file.layer)).toEqual(['user', 'project', 'local']);
  });

  test('lists the tools of the session, built-in and MCP', async () => {
    const all = await daemon.request('GET', `/sessions/${session}/tools`);
    const names = all.body.items.map((tool: { name: string }) => tool.name);
    expect(names).toEqual(expect.arrayContaining(['read_file', 'list_dir', 'mcp__filesystem__read_text_file']));
    const mcp = await daemon.request('GET', `/sessions/${session}/tools/mcp?page=1&limit=3`);
    expect(mcp.body.items).toHaveLength(3);
    expect(mcp.body.meta).toMatchObject({ page: 1, limit: 3 });
    expect(mcp.body.items.every((tool: { name: string }) => tool.name.startsWith('mcp__'))).toBe(true);
  });

  test('runs a tool of the server and a built-in one on the same file', async () => {
    const path = join(daemon.cwd, 'hello.txt');
    const viaServer = await daemon.request('POST', `/sessions/${session}/tools/mcp__filesystem__read_text_file/run`, {
      body: { params: { path } },
    });
    expect(viaServer.body).toMatchObject({ ok: true, output: expect.stringContaining('hello from the work folder') });
    const builtIn = await daemon.request('POST', `/sessions/${session}/tools/read_file/run`, {
      body: { params: { path } },
    });
    expect(builtIn.body).toMatchObject({ ok: true, output: expect.stringContaining('hello from the work folder') });
  });

  test('gets a conflict with a hash that is no longer true, and nothing is written', async () => {
    const { nonce, expect_hash } = await daemon.intent(session, 'upsert');
    const server = { name: 'everything', require_confirmation: true };
    const first = await daemon.request('PUT', '/mcp/servers', {
      body: { session_id: session, nonce, expect_hash, server },
    });
    expect(first.status).toBe(200);
    const again = await daemon.intent(session, 'upsert');
    const before = await readFile(daemon.userSettingsPath, 'utf8');
    const { status, body } = await daemon.request('PUT', '/mcp/servers', {
      body: { session_id: session, nonce: again.nonce, expect_hash, server: { name: 'everything', enabled: false } },
    });
    expect([status, body.code]).toEqual([409, 'mcp_conflict']);
    expect(await readFile(daemon.userSettingsPath, 'utf8')).toBe(before);
  });

  test('deletes a server, which ends with the answer', async () => {
    const { nonce, expect_hash } = await daemon.intent(session, 'delete');
    const { status, body } = await daemon.request('DELETE', '/mcp/servers', {
      body: { session_id: session, nonce, expect_hash, name: 'everything' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ revoked: 1 });
    expect(body.servers.map((row: { name: string }) => row.name)).toEqual(['filesystem']);
    const gone = await daemon.request('POST', `/sessions/${session}/tools/mcp__everything__echo/run`, {
      body: { params: { message: 'x' } },
    });
    expect([gone.status, gone.body.code]).toEqual([404, 'tool_not_found']);
  });

  test('leaves no process behind when the session closes', async () => {
    expect(childrenOf(process.pid, daemon.cwd)).not.toEqual([]);
    await daemon.request('POST', `/sessions/${session}/close`);
    await until(() => childrenOf(process.pid, daemon.cwd).length === 0);
    expect(daemon.log.filter(({ level }) => level === 'error')).toEqual([]);
    expect(JSON.stringify(daemon.log)).not.toContain('sentinel-value');
  });
});
