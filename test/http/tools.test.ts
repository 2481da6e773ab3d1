/** The catalogue and the tools of a session, as lists: what is in them, in windows, and what leaves a tool out. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fixtureServer, startTestDaemon, writeJson, type Answer, type TestDaemon } from '../harness.js';
import { until } from '../processes.js';

interface Row {
  readonly name: string;
  readonly description: string;
  readonly read_only: boolean;
  readonly input_schema?: object;
}

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon({ settings: { mcp_servers: [fixtureServer('box', 'readonly,echo')] } });
});
afterAll(() => daemon.close());

const list = async (path: string): Promise<{ items: Row[]; meta: Record<string, number> }> =>
  (await daemon.request('GET', path)).body;
const namesOf = ({ items }: { items: Row[] }): string[] => items.map(({ name }) => name);
const coded = ({ status, body }: Answer): [number, string] => [status, body.code];
const open = async (body: Record<string, unknown> = {}): Promise<string> => {
  const session = await daemon.open(body);
  await until(async () => (await list(`/sessions/${session}/tools/mcp`)).items.length > 0);
  return session;
};

describe('the catalogue', () => {
  test('has every built-in tool with its schema, and the page of one says the same', async () => {
    const { items, meta } = await list('/tools');
    expect(meta).toEqual({ total: items.length });
    expect(namesOf({ items })).toEqual(
      expect.arrayContaining([
        'read_file',
        'list_dir',
        'glob_files',
        'grep',
        'write_file',
        'bash',
        'ask_question_to_user',
      ]),
    );
    for (const tool of items) {
      expect(tool).toEqual({
        name: expect.stringMatching(/^[a-z_]+$/),
        description: expect.stringMatching(/\w{3}/),
        read_only: expect.any(Boolean),
        input_schema: expect.objectContaining({ type: 'object' }),
      });
      expect((await daemon.request('GET', `/tools/${tool.name}`)).body).toEqual(tool);
    }
  });

  test('has the read-only ones as a list of their own', async () => {
    const all = await list('/tools');
    const readOnly = await list('/tools/read-only');
    expect(readOnly.items).toEqual(all.items.filter(({ read_only }) => read_only));
    expect(namesOf(readOnly)).toEqual(expect.arrayContaining(['read_file', 'grep']));
    expect(namesOf(readOnly)).not.toContain('bash');
  });

  test('knows no other name, and no realm', async () => {
    expect(coded(await daemon.request('GET', '/tools/nothing'))).toEqual([404, 'tool_not_found']);
    for (const path of ['/tools', '/tools/read-only', '/tools/read_file', '/tools?realm=global']) {
      const headers = path.includes('?') ? {} : { 'x-hoody-realm': 'global' };
      expect(coded(await daemon.request('GET', path, { headers }))).toEqual([400, 'realm_scope_unsupported']);
    }
  });
});

test('windows of a list are told with the whole, and empty past its end', async () => {
  const session = await open();
  for (const path of ['/tools', '/tools/read-only', `/sessions/${session}/tools`, `/sessions/${session}/tools/mcp`]) {
    const all = await list(path);
    const total = all.items.length;
    expect((await list(`${path}?limit=0`)).items).toEqual(all.items);
    expect(await list(`${path}?page=2&limit=1`)).toEqual({ items: [all.items[1]], meta: { total, page: 2, limit: 1 } });
    expect(await list(`${path}?page=999&limit=1000`)).toEqual({ items: [], meta: { total, page: 999, limit: 1000 } });
    for (const query of ['page=0', 'limit=-1', 'limit=1001', 'limit=x']) {
      expect(coded(await daemon.request('GET', `${path}?${query}`))).toEqual([400, 'bad_request']);
    }
  }
});

describe('the tools of a session', () => {
  test('are the built-in ones and those of its servers, which are a list of their own', async () => {
    const session = await open();
    const all = await list(`/sessions/${session}/tools`);
    const mcp = await list(`/sessions/${session}/tools/mcp`);
    expect(mcp.items).toEqual(all.items.filter(({ name }) => name.startsWith('mcp__')));
    expect(mcp.items.map(({ name, read_only }) => [name, read_only])).toEqual([
      ['mcp__box__echo', false],
      ['mcp__box__look', true],
      ['mcp__box__change', false],
    ]);
    expect(namesOf(all)).toEqual(expect.arrayContaining(namesOf(await list('/tools'))));
  });

  test('leave out what changes things in a read-only mode, and what settings disable', async () => {
    const readOnly = await list(`/sessions/${await open({ tool_mode: 'read_only' })}/tools`);
    expect(readOnly.items.every(({ read_only }) => read_only)).toBe(true);
    expect(namesOf(readOnly)).toContain('mcp__box__look');
    const cwd = join(daemon.folder, 'fewer');
    await writeJson(join(cwd, '.hoody', 'settings.json'), { tools: { grep: { enabled: false } } });
    const names = namesOf(await list(`/sessions/${await open({ cwd })}/tools`));
    expect(names).not.toContain('grep');
    expect(names).toContain('read_file');
  });

  test('are those of a live session only', async () => {
    const session = await open();
    await daemon.request('POST', `/sessions/${session}/close`);
    for (const id of [session, 'sess_unknown']) {
      for (const path of ['tools', 'tools/mcp']) {
        const { status, body } = await daemon.request('GET', `/sessions/${id}/${path}`);
        expect([status, body]).toEqual([404, { code: 'not_found', message: 'resource not found' }]);
      }
    }
  });
});
