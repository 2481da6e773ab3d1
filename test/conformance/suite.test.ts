/**
 * The mechanics of the conformance suite, on small targets made here: what an outcome means and who is blamed, what is
 * wrong whatever a case asks, exit codes of the built program, what the reports say and what they keep out, and drivers
 * that do not keep to the protocol. What the cases themselves claim is reference.test.ts and prism.test.ts.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { capabilitiesOf } from '../../src/conformance/capabilities.js';
import { type Case, must, NotApplicable } from '../../src/conformance/check.js';
import { releasedContract } from '../../src/conformance/contract.js';
import { type Driver, openDriver } from '../../src/conformance/driver.js';
import { consoleLines } from '../../src/conformance/report/console.js';
import { documentOf } from '../../src/conformance/report/document.js';
import { htmlOf } from '../../src/conformance/report/html.js';
import { junitOf } from '../../src/conformance/report/junit.js';
import { summaryOf } from '../../src/conformance/report/summary.js';
import { runCase, runCases, type RunOptions } from '../../src/conformance/runner.js';
import { openSetting, type SettingOptions } from '../../src/conformance/setting.js';
import type { Target } from '../../src/conformance/target.js';
import { MAIN } from '../command.js';

interface Given {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is text. */
  readonly body?: unknown;
}
type Answering = (request: IncomingMessage, body: string) => Given | undefined;

const contract = releasedContract();
const exampleOf = (id: string): unknown =>
  contract.operation(id).documented.find(({ kind }) => kind === 'example')!.value;
const HEALTH = exampleOf('getHealth') as Record<string, unknown>;
const servers: Server[] = [];

/** A target that answers as told, and 200 with the example of the health check where nothing was told. */
const targetThat = async (answering: Answering = () => undefined): Promise<string> => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let sent = '';
    for await (const chunk of request) sent += String(chunk);
    const { status = 200, headers = {}, body = HEALTH } = answering(request, sent) ?? {};
    const isText = typeof body === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
    response.end(isText ? body : JSON.stringify(body));
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'agentd-suite-'))));
afterAll(async () => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
  await rm(folder, { recursive: true });
});

const caseOf = (id: string, run: Case['run'], more: Partial<Case> = {}): Case => ({
  id,
  title: `${id} holds`,
  level: 'MUST',
  tier: 'request',
  features: [],
  run,
  ...more,
});

const run = async (
  cases: readonly Case[],
  { more = {}, ...setting }: Partial<SettingOptions> & { more?: Partial<RunOptions> } & { baseUrl: string },
) => {
  const open = openSetting({
    contract,
    headers: {},
    capabilities: capabilitiesOf(contract),
    sharesMachine: true,
    host: '127.0.0.1',
    timeoutMs: 2_000,
    ...setting,
  });
  const result = await runCases(cases, open.setting, {
    selection: { tiers: new Set(['request', 'state']), only: [], skip: [], slow: false },
    scored: undefined,
    seed: 1,
    concurrency: 4,
    caseTimeoutMs: 5_000,
    ...more,
  });
  await open.close();
  return result;
};

const outcomesOf = ({ results }: Awaited<ReturnType<typeof run>>) =>
  Object.fromEntries(results.map(({ id, outcome }) => [id, outcome]));

const health = (target: Target) => target.expect(200, 'getHealth');
const refuses = async (): Promise<void> => must(false, 'it does not hold');

describe('an outcome', () => {
  test('says what came of a case, and blames the target for its answers and the suite for itself', async () => {
    const cases = [
      caseOf('passes', async (target) => void (await health(target))),
      caseOf('fails', refuses),
      caseOf('warns', refuses, { level: 'SHOULD' }),
      caseOf('lacks an address', async (target) => void target.direct()),
      caseOf('lacks a driver', async (target) => void (await target.inState('ordinary'))),
      caseOf('declined', refuses, { features: ['mcp.stdio'] }),
      caseOf('declined on the way', () => Promise.reject(new NotApplicable('the target has none'))),
      caseOf('todos/declined/with its tag', refuses),
      caseOf('left out', refuses),
      caseOf('of another tier', refuses, { tier: 'load' }),
      caseOf('slow', refuses, { slow: true }),
      caseOf('mistaken', () => Promise.reject(new Error('no such thing in the contract'))),
      caseOf('asks for what is none', async (target) => void (await target.call('noSuchOperation'))),
      caseOf('stumbles before it asked', async () => void (undefined as unknown as { a: string }).a.length),
      caseOf('stumbles over an answer', async (target) => void (await health(target)).json.no.such.member),
      caseOf('never ends', () => new Promise(() => undefined)),
      caseOf('fails, and came later', refuses),
      caseOf('lacks an address, and came later', async (target) => void target.direct()),
      caseOf('passes, and came later', async () => undefined),
      caseOf('had to, and should now', refuses, { level: 'SHOULD' }),
    ];
    const old = cases.filter(({ id }) => !id.endsWith('came later'));
    const result = await run(cases, {
      baseUrl: await targetThat(),
      capabilities: capabilitiesOf(contract, { features: { todos: false, 'mcp.stdio': false } }),
      more: {
        selection: { tiers: new Set(['request']), only: [], skip: ['left *'], slow: false },
        scored: new Map(old.map(({ id, level }) => [id, id.startsWith('had to') ? 'MUST' : level])),
        caseTimeoutMs: 300,
      },
    });
    expect(outcomesOf(result)).toEqual({
      passes: 'pass',
      fails: 'fail',
      warns: 'warn',
      'lacks an address': 'untestable',
      'lacks a driver': 'untestable',
      declined: 'not_applicable',
      'declined on the way': 'not_applicable',
      'todos/declined/with its tag': 'not_applicable',
      'left out': 'disabled',
      'of another tier': 'disabled',
      slow: 'disabled',
      mistaken: 'error',
      'asks for what is none': 'error',
      'stumbles before it asked': 'error',
      'stumbles over an answer': 'fail',
      'never ends': 'fail',
      'fails, and came later': 'unscored',
      'lacks an address, and came later': 'unscored',
      'passes, and came later': 'pass',
      'had to, and should now': 'fail',
    });
    const documented = contract.operation('getHealth').documented[0]!.id;
    const { exercised, untestable } = summaryOf(contract, {
      results: [{ ...result.results.find(({ id }) => id.startsWith('lacks an address, and'))!, id: documented }],
      leftovers: [],
    });
    expect({ exercised, untestable }).toEqual({ exercised: 0, untestable: 1 });
    const silent = result.results.filter(({ outcome, reasons }) => (outcome === 'pass') !== (reasons.length === 0));
    expect(silent).toEqual([]);
  });

  test('is a failure when a target that answered is gone, and a missing prerequisite when there never was one', async () => {
    const baseUrl = await targetThat();
    const stopped = servers.at(-1)!;
    const stops = caseOf('stops', async (target) => {
      await health(target);
      stopped.closeAllConnections();
      stopped.close();
      await once(stopped, 'close');
      await health(target);
    });
    const asks = caseOf('asks', async (target) => void (await health(target)));
    expect(outcomesOf(await run([stops], { baseUrl }))).toEqual({ stops: 'fail' });
    expect(outcomesOf(await run([asks], { baseUrl: 'http://127.0.0.1:1' }))).toEqual({ asks: 'untestable' });
  });

  test('is about what was answered, also when the target closed before it had read the request', async () => {
    const refusal = JSON.stringify({ code: 'payload_too_large', message: 'Request body too large' });
    const head = `HTTP/1.1 413 x\\r\\ncontent-type: application/json\\r\\ncontent-length: ${refusal.length}\\r\\n\\r\\n`;
    // Of a process of its own, so that it closes while this one is sending.
    const program = `const server = require('node:net').createServer((socket) => socket.on('error', () => {}).once('data',
      () => socket.pause().write('${head}${refusal}', () => socket.destroy())));
      server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    const body = ' '.repeat(8 * 1_024 * 1_024);
    const sends = caseOf('sends', async (target) => {
      const refused = await target.call('previewMcpImport', { body });
      must(refused.status === 413, `answered ${refused.status}`);
    });
    const { results } = await run([sends], { baseUrl: `http://127.0.0.1:${Number(String(port))}` });
    child.kill();
    expect(results).toMatchObject([{ outcome: 'pass', reasons: [] }]);
  });

  test('is of a folder that no other case works in, made and removed by the target where the suite cannot', async () => {
    const asked: string[] = [];
    const baseUrl = await targetThat(({ url }, body) => {
      const params = body === '' ? '' : JSON.stringify(JSON.parse(body).params);
      asked.push(`${url!.split('/').at(-2)} ${params}`);
      return { body: { ok: true, output: '' } };
    });
    const folders: string[] = [];
    const cases = ['one', 'two'].map((id) => caseOf(id, async (target) => void folders.push(await target.anyFolder())));
    const result = await run(cases, { baseUrl, sharesMachine: false, workdir: '/far/away', more: { concurrency: 1 } });
    expect(outcomesOf(result)).toEqual({ one: 'pass', two: 'pass' });
    const [one, two] = folders.map((folder) => basename(folder));
    expect(new Set([one, two, ...folders.map(dirname)])).toEqual(new Set([one, two, '/far/away']));
    const steps = (name: string) => [`make_dir {"path":"${name}"}`, `bash {"command":"rm -rf ./${name}"}`];
    expect(asked).toEqual([...steps(one!), ...steps(two!)]);
  });

  test('comes with what the run could not remove', async () => {
    const leaves = caseOf('leaves', async (target) => target.defer(() => Promise.reject(new Error('a thing is left'))));
    const result = await run([leaves], { baseUrl: await targetThat() });
    expect(result.leftovers).toEqual(['a thing is left']);
    expect(consoleLines(result, summaryOf(contract, result))).toContain('LEFTOVER a thing is left');
  });
});

describe('an answer the contract does not document is a failure whatever the case asks', () => {
  const ERROR = { code: 'rate_limited', message: 'Too many requests; try again later' };
  const NO_METHOD = { code: 'method_not_allowed', message: 'x' };
  test.each<[string, Given, RegExp]>([
    ['status', { status: 418, body: ERROR }, /status 418 is not documented/],
    ['media type', { headers: { 'content-type': 'text/html' }, body: '<p>' }, /as text\/html, not/],
    ['code', { status: 400, body: { code: 'made_up', message: 'x' } }, /the code made_up is not documented/],
    ['missing header', { status: 405, body: NO_METHOD }, /the header Allow is missing/],
    ['header', { status: 429, headers: { 'retry-after': 'soon' }, body: ERROR }, /Retry-After is not a positive/],
    ['missing member', { body: {} }, /must have required property/],
    ['body', { headers: { 'content-type': 'application/json' }, body: '{"status":' }, /says it is JSON and is not/],
    ['failure inside', { status: 500, body: { code: 'internal_error', message: 'x' } }, /failed inside/],
  ])('%s', async (_, answer, complaint) => {
    const cases = [caseOf('asks', async (target) => void (await target.call('getHealth')))];
    const [result] = (await run(cases, { baseUrl: await targetThat(() => answer) })).results;
    expect(result!.outcome).toBe('fail');
    expect(result!.reasons.join('\n')).toMatch(complaint);
  });

  test.each([
    ['event', 'event: surprise\ndata: {}\n\n', /"surprise" is not documented/],
    ['payload', 'event: snapshot\ndata: {"no":1}\n\n', /the frame "snapshot"/],
    ['order', 'event: changed\ndata: {}\n\n', /out of order/],
    ['id line', 'id: 7\nevent: snapshot\ndata: {}\n\n', /has an id line/],
  ])('%s of a stream', async (_, body, complaint) => {
    const stream: Given = { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }, body };
    const listens = caseOf('listens', async (target) => (await target.stream('streamChanges')).ended());
    const [result] = (await run([listens], { baseUrl: await targetThat(() => stream) })).results;
    expect(result!.outcome).toBe('fail');
    expect(result!.reasons.join('\n')).toMatch(complaint);
  });
});

describe('a report', () => {
  const SECRETS = ['t0k-operator', 'nonce-of-a-write', 'confirm-of-a-call', 'env-of-a-server', 'more-of-this-target'];
  const [bearer, nonce, confirm, env, own] = SECRETS as [string, string, string, string, string];
  const report = async () => {
    const body = { ...HEALTH, nonce, note: `${bearer} \u0000\ud800 <b>&"` };
    const said = `event: needs_confirmation\ndata: {"confirm_token":"${confirm}"}\n\n`;
    const baseUrl = await targetThat(({ url }) =>
      url!.includes('/changes/stream')
        ? { headers: { 'content-type': 'text/event-stream' }, body: said }
        : { status: url!.includes('health') ? 200 : 418, headers: { 'x-echo': bearer }, body },
    );
    const cases = [
      caseOf('mcp/one/200/example:x', async (target) => {
        const document = JSON.stringify({ mcpServers: { x: { command: 'x', env: { KEY: env } } } });
        const server = { name: 'x', env: { KEY: env }, headers: { 'X-Key': env } };
        await target.call('upsertMcpServer', { body: { nonce, server, document, passphrase: own } });
        await target.call('previewMcpImport', { body: { document: `KEY = "${env}"` } });
        await target.client.send('GET', `/api/v1/agent/health?confirm_token=${confirm}&x=1`);
        await target.stream('streamChanges').then((stream) => stream.ended());
        must(false, `${nonce} and ${confirm} in place of ${env}, ${own} and ${bearer}`);
      }),
      caseOf('rule/two', async (target) => {
        target.defer(() => Promise.reject(new Error(`left behind with ${bearer}`)));
        await health(target);
      }),
    ];
    const result = await run(cases, { baseUrl, headers: { authorization: `Bearer ${bearer}`, 'x-own': own } });
    const summary = summaryOf(contract, result);
    const description = {
      suite: { name: 'suite', version: '1' },
      contract: { version: contract.version, sha256: contract.sha256 },
      requirements: 'current',
      target: { base_url: baseUrl, capabilities: {} },
      seed: 1,
      started_at: new Date(0).toISOString(),
      ms: 1,
    };
    const document = documentOf(description, result, summary, 1, ['passphrase']);
    return { result, summary, document, html: htmlOf(contract, document), junit: junitOf(document, false) };
  };

  test('keeps credentials, nonces, tokens and values of env and headers out of every form', async () => {
    const { document, html, junit } = await report();
    const json = JSON.stringify(document);
    expect(json).toContain('mcpServers');
    expect(document.cases[0]!.exchanges).toHaveLength(4);
    for (const text of [json, html, junit]) expect(SECRETS.filter((secret) => text.includes(secret))).toEqual([]);
  });

  test('is XML that parses and a page that loads nothing, with a row for every operation', async () => {
    const { document, html, junit } = await report();
    expect(misformed(junit)).toBeUndefined();
    expect(misformed(junitOf({ ...document, requirements: '\u0001\udc00"<' }, true))).toBeUndefined();
    expect(html).not.toMatch(/<script|<link|<img|<iframe|(?:src|href)\s*=\s*["']?(?!#)|@import|url\(/i);
    expect(contract.operations.filter(({ id }) => !html.includes(`<th>${id}<`))).toEqual([]);
    expect(html).toContain('&lt;b&gt;&amp;');
  });

  test('ends with how much of the contract it was about', async () => {
    const { result, summary } = await report();
    const last = consoleLines(result, summary).at(-1);
    expect(last).toMatch(/^\d+ documented, 0 exercised \(0 %\), 0 untestable, 0 not applicable$/);
  });
});

/** The first place where a text is no well-formed XML, or undefined. */
const misformed = (xml: string): string | undefined => {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for.
  const odd = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|&(?!(?:amp|lt|gt|quot);)/.exec(xml);
  if (odd !== null || Buffer.from(xml).toString() !== xml) return `a character: ${odd?.[0]}`;
  const open: string[] = [];
  const rest = xml.replace(/^<\?xml [^>]*\?>/, '').replaceAll(TAG, (_, end: string, name: string, alone: string) => {
    if (end === '') open.push(name);
    return (end !== '' || alone !== '') && open.pop() !== name ? `<${name}` : '';
  });
  return rest.includes('<') || open.length > 0 ? `a tag: ${rest.slice(rest.indexOf('<'))}${open.join()}` : undefined;
};
const TAG = /<(\/?)([a-z]+)(?: [a-z]+="[^"<]*")*(\/?)>/g;

describe('the command', () => {
  const command = (flags: readonly string[], env: Record<string, string> = {}) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const options = { env: { ...process.env, ...env }, maxBuffer: 16 * 1_024 * 1_024 };
      const child = execFile(process.execPath, [MAIN, 'conformance', ...flags], options, (_, stdout, stderr) =>
        resolve({ code: child.exitCode!, stdout, stderr }),
      );
    });
  const health = ['--only', 'system/getHealth/200/**'];

  test('ends with the code of what happened, and says so', async () => {
    const refusing = (status: number, code: string) =>
      targetThat(() => ({ status, body: { code, message: 'Forbidden' } }));
    const good = await targetThat();
    const json = join(folder, 'report.json');
    const ended = await Promise.all([
      command(['--base-url', good, ...health, '--json', json, '--token-env', 'TOKEN'], { TOKEN: 'abcdefgh\n' }),
      command(['--base-url', await targetThat(() => ({ body: {} })), ...health, '--requirements', 'current']),
      command(['--base-url', 'ftp://example.com']),
      command(['--base-url', good, '--only', 'no/such/case']),
      command(['--base-url', good, '--requirements', '0.0.1']),
      command(['--base-url', 'http://127.0.0.1:1', ...health]),
      command(['--base-url', await refusing(403, 'forbidden'), ...health]),
      command(['--base-url', await refusing(401, 'unauthorized'), ...health]),
      command(['--base-url', good, ...health, '--html', join(folder, 'no/such/folder.html')]),
    ]);
    expect(ended.map(({ code }) => code)).toEqual([0, 1, 2, 2, 2, 3, 3, 3, 4]);
    const last = (text: string) => text.trimEnd().split('\n').at(-1);
    expect(last(ended[0]!.stdout)).toMatch(/^\d+ documented, 1 exercised \(0 %\), 0 untestable, 0 not applicable$/);
    expect(ended[1]!.stdout).toMatch(/^FAIL {2}system\/getHealth\/200\/example:typical\n/);
    expect(ended[3]!.stderr).toContain('leave no case');
    expect(ended[4]!.stderr).toContain('the requirement sets are 1.0.0, current');
    expect(ended[5]!.stderr).toContain('cannot be reached');
    expect(ended[6]!.stderr).toContain('It probably wants to be reached through its proxy');
    expect(ended[7]!.stderr).toContain('wants a credential (401): give one with --token-env');
    expect(ended[8]!.stderr).toContain('the suite failed');
    const written = JSON.parse(await readFile(json, 'utf8')) as Record<string, unknown>;
    expect(written).toMatchObject({ exit_code: 0, requirements: '1.0.0', summary: { exercised: 1 } });
  }, 60_000);

  test('lists its cases, and says what it would run', async () => {
    const [list, plan] = await Promise.all([
      command(['list', '--json']),
      command([
        '--base-url',
        'http://127.0.0.1:1',
        '--dry-run',
        '--only',
        'mcp/**',
        '--skip',
        '**/500/*',
        '--tier',
        'request',
      ]),
    ]);
    const ids = (JSON.parse(list.stdout) as Case[]).map(({ id }) => id);
    const documented = contract.operations.flatMap((operation) => operation.documented.map(({ id }) => id));
    expect(documented.filter((id) => !ids.includes(id))).toEqual([]);
    const lines = plan.stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(ids.length);
    expect(lines.filter((line) => !/^(?:run {2}mcp\/|skip )/.test(line))).toEqual([]);
    expect(lines).toContain('run  mcp/upsertMcpServer/409/mcp_conflict');
    expect(lines.filter((line) => line.startsWith('run') && line.includes('/500/'))).toEqual([]);
  });
});

describe('a driver', () => {
  const inOrdinary = caseOf('asks', async (target) => void (await health(await target.inState('ordinary'))), {
    tier: 'state',
  });
  const REPLIES: Readonly<Record<string, string>> = {
    'prints noise': `console.log('starting', 'null', 7); console.log('null'); console.log('[1]'); reply(id, ask === 'states' ? { states: ['ordinary'] } : { handle: 'h', base_url: URL })`,
    'does not know the state': `reply(id, { states: ['proxied'] })`,
    'refuses the state': `reply(id, ask === 'states' ? { states: ['ordinary'] } : { error: { message: 'no room' } })`,
    'gives no list': `reply(id, { states: 'ordinary' })`,
    'gives no address': `reply(id, ask === 'states' ? { states: ['ordinary'] } : { handle: 'h' })`,
    'declines what is none': `reply(id, ask === 'states' ? { states: ['ordinary'] } : { handle: 'h', base_url: URL, capabilities: { features: { bash: false } } })`,
    'claims what is none': `reply(id, ask === 'states' ? { states: ['ordinary'] } : { handle: 'h', base_url: URL, capabilities: { limits: { x: 1 } } })`,
    dies: `if (ask === 'states') reply(id, { states: ['ordinary'] }); else process.exit(7)`,
    'cannot take it down': `if (ask === 'teardown') process.exit(7); reply(id, ask === 'states' ? { states: ['ordinary'] } : { handle: 'h', base_url: URL })`,
  };
  test.each([
    ['prints noise', 'pass', ''],
    ['does not know the state', 'untestable', 'the driver does not offer the state ordinary'],
    ['refuses the state', 'untestable', 'no room'],
    ['gives no list', 'untestable', 'no list of states'],
    ['gives no address', 'untestable', 'no base_url'],
    ['declines what is none', 'untestable', 'there is no feature "bash", but '],
    ['claims what is none', 'untestable', 'there is no limit "x"'],
    ['dies', 'untestable', 'the driver ended'],
    ['cannot take it down', 'pass', ''],
  ])('that %s makes a case %s', async (name, outcome, reason) => {
    const baseUrl = await targetThat();
    const file = join(folder, `${name.replaceAll(' ', '-')}.cjs`);
    const program = `const URL = '${baseUrl}'; const reply = (id, more) => console.log(JSON.stringify({ id, ...more }));
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, do: ask } = JSON.parse(line); ${REPLIES[name]!};
      });`;
    await writeFile(file, program);
    const driver = await openDriver(`"${process.execPath}" "${file}"`);
    const { results } = await run([inOrdinary], { baseUrl, driver });
    await driver.close();
    expect(results).toMatchObject([{ outcome }]);
    expect(results[0]!.reasons.join()).toContain(reason);
  });

  test('gives targets that are waited for as long as the one they stand beside', async () => {
    const baseUrl = await targetThat();
    const reply = { handle: 'h', base_url: baseUrl };
    const driver: Driver = {
      states: async () => ['ordinary'],
      setup: async () => reply,
      restart: async () => reply,
      teardown: async () => undefined,
      close: async () => undefined,
    };
    const options = { contract, baseUrl, headers: {}, capabilities: capabilitiesOf(contract), driver };
    const open = openSetting({ ...options, sharesMachine: true, host: '127.0.0.1', timeoutMs: 60_000 });
    const waits = caseOf('waits', async (target) => {
      const beside = await target.inState('ordinary');
      await beside.until('nothing', async () => false);
    });
    const { outcome, reasons } = await runCase(waits, { ...open.setting, patienceMs: 1 }, { caseTimeoutMs: 5_000 });
    await open.close();
    expect({ outcome, reasons }).toEqual({ outcome: 'fail', reasons: ['nothing did not come about within 1 ms'] });
  });

  test('that is a module without one is refused', async () => {
    const file = join(folder, 'driver.mjs');
    await writeFile(file, 'export default {};');
    await expect(openDriver(file)).rejects.toThrow('no driver');
  });
});
