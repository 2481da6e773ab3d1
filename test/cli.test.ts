/**
 * The command as people and service managers use it: the built program in a process of its own. It has to be built
 * first (`npm test` does).
 */
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { hasTerminal, Home, MAIN, ROOT, type Served } from './command.js';
import { fixtureServer, writeJson } from './harness.js';
import { until } from './processes.js';

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
  dependencies: Record<string, string>;
};

let home: Home;
/** A project folder. */
let work: string;

beforeEach(async () => {
  home = await Home.create();
  work = join(home.folder, 'work');
  await mkdir(work);
});
afterEach(() => home.clearUp());

const userServers = (...servers: unknown[]) => writeJson(home.userSettingsPath, { mcp_servers: servers });
const projectServers = (...servers: unknown[]) =>
  writeJson(join(work, '.hoody/settings.json'), { mcp_servers: servers });
const untilConnected = (daemon: Served, session: string, names: string[]) =>
  until(async () => (await daemon.connected(session)).join() === names.join());

describe('the command line', () => {
  test('explains itself and its commands', async () => {
    const asked = [['--help'], ['serve', '--help'], ['mcp', '--help'], ['--version']];
    const answers = await Promise.all(asked.map((args) => home.run(args)));
    for (const { code, stderr } of answers) expect([code, stderr]).toEqual([0, '']);
    const [program, serve, mcp, version] = answers.map(({ stdout }) => stdout);
    expect(program).toMatch(/serve[^]*mcp/);
    expect(serve).toMatch(/--port <port>[^]*HOODY_AGENTD_PORT/);
    expect(mcp).toMatch(/trust[^]*probe/);
    expect(version).toBe(`${manifest.version}\n`);
  });

  test('refuses a mistake with one sentence and exit code 2, and starts nothing', async () => {
    const mistakes: [string[], string][] = [
      [['serve', '--bogus'], "unknown option '--bogus'"],
      [['sreve'], "unknown command 'sreve'"],
      [['serve', '--access', 'proxy'], '--access proxy needs at least one --trusted-proxy'],
      [['serve', '--port', 'http'], 'A whole number from 0 to 65535.'],
      [['serve', '--store', 'mysql://user:sentinel@host/db'], "'--store <url>' is invalid. A URL that begins with"],
      [['conformance', '--header', 'sentinel'], "'--header <header>' is invalid. A header is"],
      [['mcp', 'probe'], 'name an entry, or give --server JSON or -- COMMAND'],
    ];
    const answers = await Promise.all(mistakes.map(([args]) => home.run(args)));
    answers.forEach(({ code, stdout, stderr }, index) => {
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^error: .*\n/);
      expect(stderr).toContain(mistakes[index]![1]);
      expect(stderr).not.toContain('sentinel');
    });
  });
});

describe('serve', () => {
  test('prints where it listens first, and logs JSON lines without a secret in them', async () => {
    const secrets = ['sentinel-bearer', 'sentinel-wrong', 'sentinel-query', 'sentinel-written', 'sentinel-expanded'];
    const [bearer, wrong, query, written, expanded] = secrets as [string, string, string, string, string];
    const tokenFile = join(home.folder, 'token');
    await writeFile(tokenFile, `${bearer}\n`);
    const daemon = await home.serve(['--token-file', tokenFile], {
      env: { HOODY_AGENTD_LOG_LEVEL: 'debug', FROM_OUTSIDE: expanded },
    });
    expect(daemon.stdout()).toMatch(/^hoody-agentd listening on http:\/\/127\.0\.0\.1:\d+\n$/);

    expect((await daemon.request('GET', '/health'))[0]).toBe(403);
    expect((await daemon.request('GET', '/health', undefined, { authorization: `Bearer ${wrong}` }))[0]).toBe(403);
    const headers = { authorization: `Bearer ${bearer}` };
    const [opened, { session_id }] = await daemon.request('POST', '/sessions', { cwd: work }, headers);
    expect(opened).toBe(201);
    const credentials = { A: written, B: '${FROM_OUTSIDE}' };
    const nonces: string[] = [];
    for (const [name, mode] of [
      ['fine', 'echo'],
      ['broken', 'crashinit'],
    ] as const) {
      const intent = { session_id, op: 'upsert' };
      const [, { nonce, hash }] = await daemon.request('POST', '/mcp/write-intents', intent, headers);
      const server = fixtureServer(name, mode, { env: credentials });
      const write = { session_id, nonce, expect_hash: hash, server };
      expect((await daemon.request('PUT', '/mcp/servers', write, headers))[0]).toBe(200);
      nonces.push(nonce as string);
    }
    const path = `/mcp/servers?session_id=${session_id}&surprise=${query}`;
    expect((await daemon.request('GET', path, undefined, headers))[0]).toBe(400);

    const { code, stderr, stdout } = await daemon.end('SIGTERM');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toHaveLength(2);
    const lines = stderr.trimEnd().split('\n');
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ level: expect.anything(), msg: expect.anything() });
    expect(lines.join()).toContain('MCP server connected');
    expect([...secrets, ...nonces].filter((secret) => (stderr + stdout).includes(secret))).toEqual([]);
  });

  test('takes its configuration from the environment, and says what is in its way', async () => {
    const dataDir = join(home.folder, 'elsewhere');
    const daemon = await home.serve([], {
      env: { HOODY_AGENTD_PORT: '0', HOODY_AGENTD_DATA_DIR: dataDir, HOODY_AGENTD_HTTP_MAX_BODY: '1024' },
    });
    expect(await readdir(dataDir)).toContain('daemon.lock');
    expect((await daemon.request('POST', '/sessions', { name: 'n'.repeat(2_000) }))[0]).toBe(413);
    expect(daemon.stderr()).toContain('every user of this machine can reach this daemon');

    const { port } = new URL(daemon.url);
    const noToken = join(home.folder, 'no-token');
    const [samePort, sameDataDir, tokenless] = await Promise.all([
      home.run(['serve', '--port', port, '--data-dir', join(home.folder, 'other')]),
      home.run(['serve', '--port', '0', '--data-dir', dataDir]),
      home.run(['serve', '--port', '0', '--token-file', noToken]),
    ]);
    expect([tokenless.code, tokenless.stdout]).toEqual([1, '']);
    expect(tokenless.stderr).toContain(`the token file ${noToken} cannot be used: it cannot be read (ENOENT)`);
    expect([samePort.code, samePort.stdout]).toEqual([1, '']);
    expect(samePort.stderr).toContain(`port ${port} is in use; stop what uses it or choose another with --port`);
    expect([sameDataDir.code, sameDataDir.stdout]).toEqual([1, '']);
    expect(sameDataDir.stderr).toContain(`the data directory ${dataDir} is in use by process ${daemon.child.pid}`);

    // A flag wins over its variable, and what stood in the way has left nothing behind.
    expect((await daemon.end('SIGINT')).code).toBe(0);
    const again = await home.serve(['--data-dir', dataDir], { env: { HOODY_AGENTD_DATA_DIR: '/nowhere/at/all' } });
    expect((await again.end('SIGTERM')).code).toBe(0);
  });

  test('ends on SIGTERM and on SIGINT with everything it started, whatever that thinks of it', async () => {
    const endsOn = async (signal: NodeJS.Signals, place: Home): Promise<void> => {
      const servers = [fixtureServer('stubborn', 'ignoreterm,daemonise'), fixtureServer('plain', 'echo')];
      await writeJson(place.userSettingsPath, { mcp_servers: servers });
      const daemon = await place.serve();
      await untilConnected(daemon, await daemon.open(place.folder), ['stubborn', 'plain']);
      // The daemon, two servers and the descendant that left its group.
      await until(() => place.processes().length === 4);
      const before = Date.now();
      expect((await daemon.end(signal)).code).toBe(0);
      expect(Date.now() - before).toBeLessThan(10_000);
      expect(place.processes()).toEqual([]);
    };
    const other = await Home.create();
    try {
      await Promise.all([endsOn('SIGTERM', home), endsOn('SIGINT', other)]);
    } finally {
      await other.clearUp();
    }
  });

  test('reads settings again on SIGHUP, also what no watch has told it', async () => {
    await userServers();
    const daemon = await home.serve();
    const session = await daemon.open(work);
    // A folder above the one that is watched is put in place of another.
    const config = join(home.folder, '.config');
    await writeJson(join(home.folder, 'next/hoody/settings.json'), { mcp_servers: [fixtureServer('late', 'echo')] });
    await rename(config, join(home.folder, 'former'));
    await rename(join(home.folder, 'next'), config);
    expect(await daemon.connected(session)).toEqual([]);
    daemon.child.kill('SIGHUP');
    await untilConnected(daemon, session, ['late']);
    expect((await daemon.end('SIGTERM')).code).toBe(0);
  });

  test('ends what a killed daemon has left behind before it listens', async () => {
    await userServers(fixtureServer('orphan', 'stay,daemonise'));
    const killed = await home.serve();
    await untilConnected(killed, await killed.open(work), ['orphan']);
    await until(() => home.processes().length === 3);
    await killed.end('SIGKILL');
    expect(home.processes()).toHaveLength(2);

    const next = await home.serve();
    expect(home.processes()).toEqual([next.child.pid]);
    expect(next.stderr()).toContain('"reaped":2');
    expect((await next.end('SIGTERM')).code).toBe(0);
  });
});

describe('mcp trust', () => {
  const acknowledged = async (): Promise<string[]> => {
    const text = await readFile(join(home.dataDir, 'trust.json'), 'utf8').catch(() => '{"acknowledged":[]}');
    return (JSON.parse(text) as { acknowledged: { name: string }[] }).acknowledged.map(({ name }) => name);
  };

  test('lets a running daemon start what a person has acknowledged', async () => {
    await projectServers(fixtureServer('mine', 'echo', { env: { KEY: 'sentinel-value' } }));
    await userServers(fixtureServer('own', 'echo'));
    const daemon = await home.serve();
    const session = await daemon.open(work);
    await untilConnected(daemon, session, ['own']);

    const refused = await home.run(['mcp', 'trust', '--cwd', work]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/mine \(project, stdio\)\n {2}starts {3}\S+ \S+server\.mjs\n {2}env {6}KEY, MODE\n/);
    expect(refused.stderr).toContain('run this on a terminal, or say --yes');
    expect(await acknowledged()).toEqual([]);

    const done = await home.run(['mcp', 'trust', '--yes'], { cwd: work });
    expect([done.code, done.stdout]).toEqual([0, 'Acknowledged: mine.\n']);
    expect(refused.stderr + done.stderr).not.toContain('sentinel-value');
    await untilConnected(daemon, session, ['own', 'mine']);
    const again = await home.run(['mcp', 'trust', '--cwd', work, 'mine']);
    expect([again.code, again.stdout]).toEqual([0, `Nothing to acknowledge in ${work}.\n`]);
    expect((await daemon.end('SIGTERM')).code).toBe(0);
  });

  test('names what it does not find', async () => {
    const [noFolder, noEntry] = await Promise.all([
      home.run(['mcp', 'trust', '--yes', '--cwd', join(work, 'missing')]),
      home.run(['mcp', 'trust', '--yes', '--cwd', work, 'ghost']),
    ]);
    expect([noFolder.code, noFolder.stderr]).toEqual([2, 'error: --cwd: there is no such folder\n']);
    expect([noEntry.code, noEntry.stderr]).toEqual([2, `error: ${work} has no entry ghost\n`]);
  });

  (hasTerminal ? test : test.skip)(
    'asks about each entry on a terminal, which no entry can play tricks on',
    async () => {
      const tricky = fixtureServer('tricky', 'echo');
      await projectServers(
        { ...tricky, args: [...tricky.args, '\u001b[2Kharmless \u202e'] },
        fixtureServer('unwanted', 'echo'),
        fixtureServer('third', 'echo'),
        fixtureServer('fourth', 'echo'),
      );
      const left = await home.runAtTerminal(['mcp', 'trust'], 'y\n\u0003', { cwd: work });
      expect(left.stdout).toContain('Acknowledged: nothing.');
      expect(await acknowledged()).toEqual([]);

      const { code, stdout } = await home.runAtTerminal(['mcp', 'trust'], 'y\n\na\n', { cwd: work });
      expect(code).toBe(0);
      expect(stdout).toContain('"\\u001b[2Kharmless \\u{202e}"');
      expect(stdout).toContain('Acknowledged: tricky, third, fourth.');
      expect(stdout).toContain('project entry "unwanted" is not started');
      expect(await acknowledged()).toEqual(['tricky', 'third', 'fourth']);
    },
  );
});

describe('mcp probe', () => {
  test('judges, shows and asks before it starts anything', async () => {
    await userServers(fixtureServer('fine', 'echo'));
    const started = join(home.folder, 'started');
    const touch = ['--', 'touch', started];
    const json = JSON.stringify({ command: 'touch', args: [started], env: { KEY: 'sentinel-value' } });
    const answers = await Promise.all([
      home.run(['mcp', 'probe', ...touch]),
      home.run(['mcp', 'probe', '--server', json]),
      home.run(['mcp', 'probe', '--yes', '--', 'touch', started, '~/.ssh/id_rsa']),
      home.run(['mcp', 'probe', '--yes', '--server', '{"command": "touch", "env": {"KEY": "<redacted>"}}']),
      home.run(['mcp', 'probe', '--yes', '--server', '{"command": sentinel-value}']),
      home.run(['mcp', 'probe', '--yes', 'ghost']),
      home.run(['mcp', 'probe', 'fine']),
    ]);
    expect(answers.map(({ code, stdout }) => [code, stdout])).toEqual(answers.map(() => [2, '']));
    const told = answers.map(({ stderr }) => stderr);
    expect(told[0]).toBe(
      `candidate (from the command line, stdio)\n  starts   touch ${started}\n` +
        'error: nobody is here to be asked; run this on a terminal, or say --yes\n',
    );
    expect(told[1]).toContain('env      KEY\n');
    expect(told[2]).toBe('error: args.1 names a path on the deny list\n');
    expect(told[3]).toContain('server.env.KEY: holds a redaction placeholder');
    expect(told[4]).toContain('--server is not JSON: line 1, column 13');
    expect(told[5]).toContain('the settings have no server ghost');
    expect(told[6]).toContain('fine (user, stdio)');
    expect(told.join()).not.toContain('sentinel-value');
    expect(await readdir(home.folder)).not.toContain('started');
  });

  test('connects as a session would, tells what it found, and leaves nothing running', async () => {
    await userServers(
      fixtureServer('fine', 'readonly,daemonise', { env: { KEY: '${FROM_OUTSIDE}', LACKS: '${NOT_THERE}' } }),
      fixtureServer('broken', 'crashinit'),
      fixtureServer('mute', 'noinit'),
    );
    const env = { FROM_OUTSIDE: 'sentinel-value' };
    const mute = home.start(process.execPath, [MAIN, 'mcp', 'probe', '--yes', 'mute']);
    const [text, json, broken] = await Promise.all([
      home.run(['mcp', 'probe', '--yes', 'fine'], { env }),
      home.run(['mcp', 'probe', '--yes', '--json', 'fine'], { env }),
      home.run(['mcp', 'probe', '--yes', 'broken']),
    ]);
    expect(text.code).toBe(0);
    expect(text.stdout).toMatch(/^Connected to fixture 1\.0\.0, protocol \d{4}-\d\d-\d\d\.\n4 tools:\n/);
    expect(text.stdout).toContain('  look (read-only)\n  change\n');
    expect(text.stderr).toContain('the variable NOT_THERE is not set');
    expect(JSON.parse(json.stdout)).toEqual({
      ok: true,
      name: 'fine',
      transport: 'stdio',
      protocol_version: expect.any(String),
      server_name: 'fixture',
      server_version: '1.0.0',
      tools: expect.arrayContaining([{ name: 'look', read_only: true }]),
      warnings: [expect.stringContaining('NOT_THERE')],
    });
    expect([broken.code, broken.stdout]).toEqual([1, '']);
    expect(broken.stderr).toMatch(/server "broken" did not connect: it exited with code 3[^]*cannot start/);

    // The one that never answers is stopped by its person.
    await until(() => home.processes().length === 2);
    mute.child.kill('SIGINT');
    const stopped = await mute.finished;
    expect([stopped.code, stopped.stdout]).toEqual([1, '']);
    expect(stopped.stderr).toContain('server "mute" did not connect: the probe was stopped');
    expect(home.processes()).toEqual([]);
    const said = [text, json, broken].map(({ stdout, stderr }) => stdout + stderr).join();
    expect(said).not.toContain('sentinel-value');
  });

  (hasTerminal ? test : test.skip)('asks on a terminal', async () => {
    await userServers(fixtureServer('fine', 'echo'));
    const [no, yes] = await Promise.all([
      home.runAtTerminal(['mcp', 'probe', 'fine'], '\n'),
      home.runAtTerminal(['mcp', 'probe', 'fine'], 'y\n'),
    ]);
    expect([no.code, yes.code]).toEqual([2, 0]);
    expect(no.stdout).toContain('not confirmed; nothing was started');
    expect(yes.stdout).toContain('Connected to fixture 1.0.0');
  });
});

describe('the package', () => {
  test('runs where it is unpacked, with its own dependencies alone', async () => {
    const packed = home.start('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', home.folder], {
      cwd: ROOT,
    });
    const { code, stdout } = await packed.finished;
    expect(code).toBe(0);
    await home.start('tar', ['xzf', stdout.trim()]).finished;
    const folder = join(home.folder, 'package');
    expect((await readdir(folder)).toSorted()).toEqual(
      [
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'SECURITY.md',
        'dist',
        'generated',
        'openapi',
        'package.json',
      ].toSorted(),
    );
    for (const name of Object.keys(manifest.dependencies)) {
      const link = join(folder, 'node_modules', name);
      await mkdir(join(link, '..'), { recursive: true });
      await symlink(join(ROOT, 'node_modules', name), link);
    }

    const main = join(folder, 'dist/main.js');
    expect((await home.run(['--version'], { main })).stdout).toBe(`${manifest.version}\n`);
    const daemon = await home.serve([], { main });
    expect((await daemon.request('GET', '/openapi.json'))[1]).toHaveProperty('openapi');
    for (const path of ['/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/NOTICE']) {
      expect([path, (await daemon.request('GET', path))[0]]).toEqual([path, 200]);
    }
    expect(await daemon.open(work)).toMatch(/^sess_/);
    expect((await daemon.end('SIGTERM')).code).toBe(0);
  });
});
