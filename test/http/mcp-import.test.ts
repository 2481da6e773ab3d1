/**
 * Previewing and importing pasted documents over HTTP: what a preview shows is what an import writes, all of it or
 * nothing. The documents of the corpus are in test/fixtures/documents, their right outcomes in documents.json.
 */
import { readFileSync } from 'node:fs';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { FakeClock } from '../fakes/clock.js';
import { fixtureServer, startTestDaemon, writeJson, type Answer, type TestDaemon } from '../harness.js';
import { childrenOf } from '../processes.js';
import { namesOf, openMcp, storedIn, textOf, type McpCaller } from './mcp-caller.js';

let daemon: TestDaemon;
let userPath: string;
let mcp: McpCaller;

beforeAll(async () => {
  daemon = await startTestDaemon({ clock: new FakeClock() });
  userPath = daemon.userSettingsPath;
  mcp = await openMcp(daemon);
});
afterAll(() => daemon.close());
beforeEach(() => rm(dirname(userPath), { recursive: true, force: true }));

const parse = (document: unknown): Promise<Answer> =>
  daemon.request('POST', '/mcp/parse', {
    body: { session_id: mcp.session, document: typeof document === 'string' ? document : JSON.stringify(document) },
  });
const importDocument = (document: unknown, more: Record<string, unknown> = {}): Promise<Answer> =>
  mcp.import({ document: typeof document === 'string' ? document : JSON.stringify(document), ...more });

const expectNothingWritten = async (answer: Answer): Promise<void> => {
  expect([answer.status, answer.body.code]).toEqual([400, 'bad_request']);
  await expect(stat(dirname(userPath))).rejects.toThrow('ENOENT');
};

interface Row {
  readonly name: string;
  readonly type?: string;
  readonly transport?: string;
  readonly [member: string]: unknown;
}

/** What a preview row and a listed row have in common. */
const shown = ({ name, type, transport, command, args, url, allowed_tools, env_keys, header_keys }: Row): unknown => ({
  name,
  transport: type ?? transport,
  command,
  args,
  url,
  allowed_tools,
  env_keys,
  header_keys,
});

const byName = <T extends { name: string }>(rows: readonly T[]): Map<string, T> =>
  new Map(rows.map((row) => [row.name, row]));

interface Outcome {
  readonly file: string;
  readonly dialect?: string;
  readonly error?: readonly string[];
  readonly types?: Record<string, string>;
  readonly env_keys?: Record<string, string[]>;
  readonly header_keys?: Record<string, string[]>;
  readonly warnings_about?: readonly string[];
  readonly warnings_empty?: boolean;
  readonly secrets?: readonly string[];
  readonly stored?: Record<string, Record<string, unknown>>;
  readonly preview?: Record<string, Record<string, unknown>>;
}

describe('every document of the corpus is previewed and imported alike, as its outcome says', () => {
  const fixtures = new URL('../fixtures/', import.meta.url);
  const outcomes = JSON.parse(readFileSync(new URL('documents.json', fixtures), 'utf8')) as Outcome[];

  test.each(outcomes)('$file', async (outcome) => {
    const document = readFileSync(new URL(`documents/${outcome.file}`, fixtures), 'utf8');
    const preview = await parse(document);
    const written = await importDocument(document);
    const said = JSON.stringify([preview.body, written.body]);
    for (const secret of outcome.secrets ?? []) expect(said).not.toContain(secret);
    if (outcome.error !== undefined) {
      for (const answer of [preview, written]) {
        await expectNothingWritten(answer);
        for (const text of outcome.error) expect(answer.body.message).toContain(text);
      }
      // Refused for the same reason, unless the contract itself already refuses the member.
      expect(written.body.message).toBe(preview.body.message);
      return;
    }
    expect([preview.status, written.status]).toEqual([200, 200]);
    const names = Object.keys(outcome.types ?? {});
    expect(preview.body).toMatchObject({ dialect: outcome.dialect, count: names.length });
    expect(written.body.imported).toBe(names.length);
    const rows = byName<Row>(preview.body.servers);
    expect([...rows.keys()].toSorted()).toEqual(names.toSorted());
    for (const [name, row] of rows) {
      expect(row).toMatchObject({
        type: outcome.types?.[name],
        env_keys: outcome.env_keys?.[name]?.toSorted(),
        header_keys: outcome.header_keys?.[name]?.toSorted(),
        ...outcome.preview?.[name],
      });
      expect(row).not.toHaveProperty('env');
      expect(row).not.toHaveProperty('headers');
    }
    const all = preview.body.warnings.join('\n');
    for (const text of outcome.warnings_about ?? []) expect(all).toContain(text);
    if (outcome.warnings_empty === true) expect(preview.body.warnings).toEqual([]);

    expect(written.body.servers.map(shown)).toEqual(preview.body.servers.map(shown));
    expect(written.body.warnings).toEqual(preview.body.warnings);
    expect(written.body.servers.every((row: { enabled: boolean }) => !row.enabled)).toBe(true);
    const stored = byName((await storedIn(userPath)) as { name: string }[]);
    for (const [name, entry] of Object.entries(outcome.stored ?? {})) expect(stored.get(name)).toMatchObject(entry);
    expect(childrenOf(process.pid, daemon.cwd)).toEqual([]);
  });
});

describe('a preview', () => {
  test('changes no file, starts nothing and needs no nonce', async () => {
    const settings = `{ "mcp_servers": [${JSON.stringify({ name: 'a', command: 'true', enabled: false })}] }`;
    await writeJson(userPath, settings);
    const before = await stat(userPath, { bigint: true });
    const { status, body } = await parse({ mcpServers: { a: fixtureServer('a', 'echo'), b: { command: 'true' } } });
    expect([status, body.count]).toEqual([200, 2]);
    expect(await textOf(userPath)).toBe(settings);
    expect((await stat(userPath, { bigint: true })).ctimeNs).toBe(before.ctimeNs);
    expect(await readdir(dirname(userPath))).toEqual(['settings.json']);
    await expect(stat(join(daemon.cwd, '.hoody'))).rejects.toThrow('ENOENT');
    expect(childrenOf(process.pid, daemon.cwd)).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['hoody', { mcp_servers: [{ name: 'a', command: 'demo' }] }],
    ['claude', { mcpServers: { a: { command: 'demo' } } }],
    ['vscode', { servers: { a: { command: 'demo' } } }],
    ['single', { name: 'a', command: 'demo' }],
    ['bare', { a: { command: 'demo' } }],
  ])('reads the dialect %s, and all of them say the same here', async (dialect, document) => {
    const { body } = await parse(document);
    expect(body).toEqual({
      status: 'ok',
      dialect,
      servers: [{ name: 'a', type: 'stdio', command: 'demo', args: [], env_keys: [], header_keys: [] }],
      count: 1,
      warnings: [],
    });
    const written = await importDocument(document);
    expect(written.body).toMatchObject({ imported: 1, servers: [{ name: 'a', enabled: false, connected: false }] });
    expect(await storedIn(userPath)).toEqual([{ name: 'a', command: 'demo', enabled: false }]);
  });
});

describe('an import', () => {
  test('answers what a write answers, and how many entries it wrote', async () => {
    await writeJson(userPath, { mcp_servers: [{ name: 'old', command: 'true', enabled: false }] });
    const { status, body } = await mcp.import({
      servers: [
        { name: 'x', command: 'true' },
        { name: 'y', type: 'SSE', url: 'http://h/' },
      ],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      sessions: 1,
      partial_sessions: 0,
      revoked: 0,
      deferred_sessions: 0,
      deferred_started: true,
    });
    expect(body).toMatchObject({ imported: 2, path: userPath, hash: (await mcp.list()).files[0].hash });
    expect(namesOf(body)).toEqual(['old', 'x', 'y']);
    expect(body.servers).toEqual((await mcp.list()).servers);
  });

  test('lands disabled, whatever the document says, and can be enabled', async () => {
    const entry = { ...fixtureServer('a', 'echo'), enabled: true };
    for (const source of [{ servers: [entry] }, { document: JSON.stringify({ mcpServers: { a: entry } }) }]) {
      const { body } = await mcp.import({ ...source, replace: true });
      expect(body.servers).toMatchObject([{ name: 'a', enabled: false, connected: false }]);
    }
    expect(childrenOf(process.pid, daemon.cwd)).toEqual([]);
    expect((await mcp.enable('a', true)).body.servers).toMatchObject([{ enabled: true, connected: true }]);
    await mcp.remove('a');
  });

  test('names every bad entry with field and rule, and writes none of the good ones', async () => {
    const map = {
      good: { command: 'true' },
      none: {},
      list: { command: 'true', args: 'x' },
      'a b': { command: 'true' },
      remote: { type: 'http', url: 'nowhere' },
      masked: { command: 'true', env: { KEY: '<redacted>' } },
      cased: { command: 'true', headers: { Authorization: 'a', authorization: 'b' } },
    };
    const servers = Object.entries(map).map(([name, entry]) => ({ name, ...entry }));
    const sources = [
      { document: JSON.stringify({ mcpServers: map }) },
      { document: JSON.stringify({ mcp_servers: servers }) },
      { servers: servers.filter(({ name }) => name !== 'list') },
    ];
    for (const source of sources) {
      const answer = await mcp.import(source);
      await expectNothingWritten(answer);
      const { message } = answer.body;
      for (const [name, field] of [
        ['none', 'command'],
        ['a b', 'name'],
        ['remote', 'url'],
        ['masked', 'env.KEY'],
      ]) {
        expect(message).toContain(`entry "${name}": ${field}: `);
      }
      expect(message).toContain('entry "cased": headers');
      if ('document' in source) expect(message).toContain('entry "list": args: ');
      expect(message).not.toContain('"good"');
      expect(message).toContain('nothing was written');
    }
    const answer = await mcp.import({ servers });
    await expectNothingWritten(answer);
    expect(answer.body.message).toContain('/servers/2/args');
  });

  test('takes exactly one of document and servers', async () => {
    const document = JSON.stringify({ mcpServers: { a: { command: 'true' } } });
    for (const source of [{}, { document, servers: [{ name: 'a', command: 'true' }] }, { document: null }]) {
      await expectNothingWritten(await mcp.import(source));
    }
  });

  test('refuses two entries of one name, and a document of two dialects', async () => {
    const twice = [
      { name: 'a', command: 'true' },
      { name: 'a', command: 'false' },
    ];
    for (const source of [{ servers: twice }, { document: JSON.stringify({ mcp_servers: twice }) }]) {
      const answer = await mcp.import(source);
      await expectNothingWritten(answer);
      expect(answer.body.message).toContain('entry "a": name: is there more than once');
    }
    for (const answer of [
      await importDocument({ mcpServers: {}, servers: {} }),
      await parse({ mcpServers: {}, servers: {} }),
    ]) {
      await expectNothingWritten(answer);
      expect(answer.body.message).toMatch(/mcpServers.*servers/);
    }
  });

  test('with a name that exists is refused whole, naming every collision, unless it replaces', async () => {
    const before = JSON.stringify({
      mcp_servers: [
        { name: 'a', command: 'true', enabled: false, env: { OLD: '1' }, x_own: 1 },
        { name: 'b', command: 'true', enabled: false },
        { name: 'c', command: 'true', enabled: false, env: { C: '3' } },
      ],
    });
    await writeJson(userPath, before);
    const document = JSON.stringify({
      mcpServers: { new: { command: 'n' }, b: { command: 'b' }, a: { command: 'a' } },
    });
    for (const replace of [undefined, false]) {
      const answer = await mcp.import({ document, ...(replace === undefined ? {} : { replace }) });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toMatch(/entry "b": name: exists already.*entry "a": name: exists already/);
      expect(answer.body.message).not.toContain('"new"');
    }
    expect(await textOf(userPath)).toBe(before);

    const { body } = await mcp.import({ document, replace: true });
    expect(body.imported).toBe(3);
    expect(await storedIn(userPath)).toEqual([
      { name: 'a', command: 'a', enabled: false },
      { name: 'b', command: 'b', enabled: false },
      { name: 'c', command: 'true', enabled: false, env: { C: '3' } },
      { name: 'new', command: 'n', enabled: false },
    ]);
  });

  test('that replaces a running server revokes it, and its credentials are gone', async () => {
    await mcp.upsert(fixtureServer('a', 'echo', { env: { TOKEN_A: 't' } }));
    const { pid } = (await mcp.row('a'))!;
    expect(pid).toBeGreaterThan(1);
    const { command, args } = fixtureServer('a', 'echo');
    const { body } = await mcp.import({ servers: [{ name: 'a', command, args }], replace: true });
    expect(body).toMatchObject({
      revoked: 1,
      servers: [{ enabled: false, connected: false, revoked_reason: 'disabled', env_keys: [] }],
    });
    expect(await mcp.tools()).toEqual([]);
    await mcp.remove('a');
  });

  test('has the same outcome as servers and as a document of the hoody dialect', async () => {
    const servers = [
      {
        name: 'a',
        type: 'stdio',
        command: 'c',
        args: ['-y'],
        env: { K: '${V}' },
        allowed_tools: ['t'],
        require_confirmation: true,
      },
      {
        name: 'b',
        type: 'http',
        url: 'https://h/x?y=${z}',
        headers: { Authorization: 'Bearer ${T}' },
        enabled: true,
      },
      { name: 'c', command: 'c', x_unknown: { kept: [1, null] } },
    ];
    const explicit = await mcp.import({ servers });
    const stored = await textOf(userPath);
    await rm(userPath);
    const pasted = await importDocument({ mcp_servers: servers });
    expect(await textOf(userPath)).toBe(stored);
    expect(pasted.body.servers).toEqual(explicit.body.servers);
    expect(pasted.body.hash).toBe(explicit.body.hash);
  });

  test('puts the warnings of the layers first and those about the document after them', async () => {
    await writeJson(userPath, { mcp_servers: [{ name: 'half' }] });
    const document = {
      servers: {
        a: { command: 'c', args: ['${workspaceFolder}/x'], envFile: '.env', env: { K: '${input:k}', L: '${env:L}' } },
      },
      inputs: [{ id: 'k', type: 'promptString' }],
    };
    const layers = (await mcp.list()).warnings;
    expect(layers).toEqual([expect.stringContaining('"half" is left out')]);
    const advisories = (await parse(document)).body.warnings;
    const all = advisories.join('\n');
    for (const text of ['${workspaceFolder}', 'envFile', '${input:k}', 'inputs']) expect(all).toContain(text);
    expect(all).not.toContain('env:L');
    const { body } = await importDocument(document);
    expect(body.warnings).toEqual([...layers, ...advisories]);
    expect((await storedIn(userPath))[1]).toMatchObject({ args: ['${workspaceFolder}/x'], env: { L: '${L}' } });
    expect((await storedIn(userPath))[1]).not.toHaveProperty('envFile');
  });

  test('survives a document as large as the body allows, and a paste of noise', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, n) => [`s${n}`, { command: 'c', args: ['x'.repeat(500)] }]),
    );
    expect((await parse({ mcpServers: many })).body.count).toBe(2_000);
    for (const noise of ['{'.repeat(100_000), '[', '\u0000', '{"a":', '{"mcpServers":[]}', '"text"', '🙂']) {
      await expectNothingWritten(await importDocument(noise));
    }
  });

  test('into a file a person keeps with comments leaves the rest as it is', async () => {
    const before =
      '{\r\n\t// mine\r\n\t"mcp_servers": [\r\n\t\t{ "name": "z", "command": "true", "enabled": false } // last\r\n\t]\r\n}\r\n';
    await writeJson(userPath, '{}');
    await writeFile(userPath, before);
    expect((await importDocument({ a: { command: 'c' } })).status).toBe(200);
    const after = await textOf(userPath);
    expect(after).toContain('\t// mine\r\n');
    expect(after).toContain('{ "name": "z", "command": "true", "enabled": false }');
    expect(after).toContain('// last');
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
  });
});
