/** Tool lists and tool calls over stdio, with real servers. */
import { describe, expect, it } from '@jest/globals';
import type { ElicitReply } from '../../src/domain/question.js';
import type { Caller } from '../../src/ports.js';
import { FakeClock } from '../fakes/clock.js';
import { call, namesOf, npmServer, open, said, tempFolder, until } from './fixture-server.js';

describe('a connection', () => {
  it('knows what was agreed at initialize', async () => {
    const { connection } = await open('echo');
    expect(connection.protocolVersion).toBe('2025-11-25');
    expect([connection.serverName, connection.serverVersion]).toEqual(['fixture', '1.0.0']);
    expect(connection.pid).toBeGreaterThan(1);
    expect(connection.warnings).toEqual([]);
  });

  it('gives the child the environment of the launch, two marks and nothing else', async () => {
    const { connection } = await open('env', { env: { API_TOKEN: 'given' } });
    const seen = JSON.parse(await said(connection, 'env')) as Record<string, string>;
    expect(Object.keys(seen).toSorted()).toEqual([
      'API_TOKEN',
      'FXLOG',
      'HOODY_AGENTD_CONNECTION',
      'HOODY_AGENTD_RUN',
      'MODE',
      'PATH',
    ]);
    expect(seen.API_TOKEN).toBe('given');
  });

  it('starts the child in the working directory of the launch', async () => {
    const cwd = tempFolder();
    const { connection } = await open('cwd', { launch: { cwd } });
    expect(await said(connection, 'cwd')).toBe(cwd);
  });

  it('talks to server-everything from npm', async () => {
    const { connection } = await open('', { launch: { args: [npmServer('server-everything')] } });
    expect(namesOf(connection.tools)).toContain('echo');
    expect(await said(connection, 'echo', { message: 'hello' })).toContain('hello');
  });

  it('talks to server-filesystem from npm and passes its annotations on', async () => {
    const folder = tempFolder();
    const { connection } = await open('', { launch: { args: [npmServer('server-filesystem'), folder] } });
    const readOnly = new Map(connection.tools.map((tool) => [tool.name, tool.readOnly]));
    expect(readOnly.get('read_text_file')).toBe(true);
    expect(readOnly.get('write_file')).toBe(false);
    await call(connection, 'write_file', { path: `${folder}/a.txt`, content: 'twelve bytes' });
    expect(await said(connection, 'read_text_file', { path: `${folder}/a.txt` })).toBe('twelve bytes');
    const outside = await call(connection, 'read_text_file', { path: '/etc/hostname' });
    expect(outside.isError).toBe(true);
  });
});

describe('a tool list', () => {
  it('is read to its last page', async () => {
    const { connection, record } = await open('paged');
    expect(namesOf(connection.tools)).toEqual(['t1', 't2', 't3', 't4', 't5', 't6', 't7']);
    expect(record().filter((entry) => entry.method === 'tools/list')).toHaveLength(4);
    expect(await said(connection, 't7')).toBe('t7');
  });

  it('ends where a cursor repeats', async () => {
    const { connection, record } = await open('loopcursor');
    expect(namesOf(connection.tools)).toEqual(['t1', 't2']);
    expect(connection.warnings).toContain('server "subject" repeats a page of its tool list; reading stopped there');
    expect(record().filter((entry) => entry.method === 'tools/list')).toHaveLength(2);
  });

  it('ends after a thousand pages', async () => {
    const { connection } = await open('manypages');
    expect(connection.tools).toHaveLength(1_000);
    expect(connection.warnings).toEqual(['server "subject" has more than 1000 pages of tools; the rest is left out']);
  });

  const lists: [mode: string, tools: string[], warnings: string[]][] = [
    [
      'badschema',
      ['echo', 'good'],
      [
        'server "subject" has a tool "bad" whose inputSchema describes no object; it was left out',
        'server "subject" has a tool "worse" whose inputSchema is no object; it was left out',
      ],
    ],
    [
      'noschema',
      ['echo', 'good'],
      [
        'server "subject" has a tool "bare" whose inputSchema is missing; it was left out',
        'server "subject" lists a tool without a name; it was left out',
      ],
    ],
    ['dup', ['echo', 'twin'], ['server "subject" lists a tool "twin" twice; the first is kept']],
    ['longname', ['echo', `${'n'.repeat(110)}a`, `${'n'.repeat(110)}b`], []],
    ['notools', [], []],
  ];
  it.each(lists)('keeps every good tool of %s and names what it left out', async (mode, tools, warnings) => {
    const { connection } = await open(mode);
    expect(namesOf(connection.tools)).toEqual(tools);
    expect(connection.warnings).toEqual(warnings);
  });

  it('keeps the first of two tools of one name', async () => {
    const { connection } = await open('dup');
    expect(connection.tools.find((tool) => tool.name === 'twin')?.description).toBe('first');
  });

  it('is read again when the server says it changed', async () => {
    const { connection, changes } = await open('listchanged');
    await call(connection, 'add', { name: 'late' });
    await until(() => changes.length > 0, 'the change arrives');
    expect(changes[0]?.tools).toContain('late');
    expect(await said(connection, 'late')).toBe('late');
  });

  it('is read a few times, not a hundred, after a burst of notifications', async () => {
    const clock = new FakeClock();
    const { connection, changes, record } = await open('listchanged', { clock });
    await call(connection, 'burst', { count: 100 });
    await until(() => changes.length === 1, 'the first reading is done');
    await clock.advance(500);
    await until(() => changes.length === 2, 'the second reading is done');
    await clock.advance(10_000);
    await said(connection, 'echo', { text: 'the server has seen everything before this' });
    expect(record().filter((entry) => entry.method === 'tools/list')).toHaveLength(3);
    expect(changes.at(-1)?.tools).toContain('burst_tool');
  });
});

describe('a call', () => {
  it('returns an error result of the tool as it is', async () => {
    const { connection } = await open('iserror');
    expect(await call(connection, 'fail')).toEqual({
      content: [{ type: 'text', text: 'it went wrong' }],
      structuredContent: { reason: 'other shape' },
      isError: true,
    });
  });

  it('rejects with the words of a protocol error', async () => {
    const { connection } = await open('iserror');
    await expect(call(connection, 'reject')).rejects.toThrow(
      'server "subject": it answered with error -32602: that is not acceptable',
    );
  });

  it('keeps content of every type and structured content apart', async () => {
    const { connection } = await open('image');
    expect(await call(connection, 'picture')).toEqual({
      content: [
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
        { type: 'hologram', depth: 3 },
      ],
      structuredContent: { width: 1, height: 1 },
      isError: false,
    });
  });

  it('fails at once when the answer is malformed', async () => {
    const { connection } = await open('malformed');
    await expect(call(connection, 'malformed')).rejects.toThrow('neither a result nor an error');
  });

  it('gets its own answer when many run at once', async () => {
    const { connection } = await open('echo');
    const texts = Array.from({ length: 200 }, (_, n) => `text ${n}`);
    expect(await Promise.all(texts.map((text) => said(connection, 'echo', { text })))).toEqual(texts);
  });

  it('ends when it is silent for the idle limit, and the server is told', async () => {
    const clock = new FakeClock();
    const { connection, record } = await open('progress', { clock });
    const holding = call(connection, 'hold');
    const outcome = expect(holding).rejects.toMatchObject({
      name: 'TimeoutError',
      message: 'server "subject": it neither answered nor reported progress for 120 s',
    });
    await clock.advance(120_000);
    await outcome;
    await until(() => record().some((entry) => entry.method === 'notifications/cancelled'), 'the server was told');
    expect(clock.waiting).toBe(0);
  });

  it('goes on while it reports progress, until the total limit', async () => {
    const clock = new FakeClock();
    const { connection, record } = await open('progress', { clock });
    const finishing = said(connection, 'hold', {});
    await clock.advance(100_000);
    await call(connection, 'nudge', { how: 'progress' });
    await clock.advance(100_000);
    await call(connection, 'nudge', { how: 'finish' });
    expect(await finishing).toBe('finished');
    expect(record().find((entry) => entry.params?.name === 'hold')?.params?._meta?.progressToken).toBeDefined();

    const endless = call(connection, 'hold', {}, { totalTimeoutMs: 150_000 });
    const outcome = expect(endless).rejects.toMatchObject({
      name: 'TimeoutError',
      message: 'server "subject": it did not finish within 150 s',
    });
    await clock.advance(100_000);
    await call(connection, 'nudge', { how: 'progress' });
    await clock.advance(50_000);
    await outcome;
  });

  it('is cancelled at the server when the caller goes away', async () => {
    const { connection, record } = await open('slow');
    const caller = new AbortController();
    const sleeping = call(connection, 'sleep', { ms: 600_000 }, { signal: caller.signal });
    const outcome = expect(sleeping).rejects.toMatchObject({ name: 'AbortError' });
    caller.abort();
    await outcome;
    await until(() => record().some((entry) => entry.method === 'notifications/cancelled'), 'the server was told');
    const sent = record().find((entry) => entry.params?.name === 'sleep');
    const cancelled = record().find((entry) => entry.method === 'notifications/cancelled');
    expect(cancelled?.params?.requestId).toBe(sent?.id);
    expect(await said(connection, 'echo', { text: 'still there' })).toBe('still there');
  });

  it('is not sent for a caller who is gone already', async () => {
    const { connection, record } = await open('echo');
    await expect(call(connection, 'echo', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(record().some((entry) => entry.method === 'tools/call')).toBe(false);
  });
});

describe('a request of the server', () => {
  it('for elicitation is answered with cancel when nobody can be asked', async () => {
    const { connection } = await open('elicit');
    expect(JSON.parse(await said(connection, 'ask'))).toEqual({ action: 'cancel' });
  });

  it('for elicitation is put to the caller, and while he thinks the call is not idle', async () => {
    const clock = new FakeClock();
    const { connection } = await open('elicit', { clock });
    let answer!: (reply: ElicitReply) => void;
    const asked: string[] = [];
    const elicit: Caller['elicit'] = ({ message }) => {
      asked.push(message);
      return new Promise((resolve) => (answer = resolve));
    };
    const caller = { session: 'one', elicit };
    const answered = said(connection, 'ask', {}, { idleTimeoutMs: 1_000, caller });
    await until(() => asked.length === 1, 'the caller is asked');
    await clock.advance(60_000);
    answer({ action: 'accept', content: { colour: 'blue' } });
    expect(JSON.parse(await answered)).toEqual({ action: 'accept', content: { colour: 'blue' } });
    expect(asked).toEqual(['Which colour?']);
  });

  it('for elicitation asks nobody while calls of two sessions are under way', async () => {
    const { connection } = await open('elicit,slow');
    const elicit = (): never => {
      throw new Error('nobody is to be asked');
    };
    const stop = new AbortController();
    const slow = call(connection, 'sleep', { ms: 60_000 }, { signal: stop.signal, caller: { session: 'one', elicit } });
    const asked = await said(connection, 'ask', {}, { caller: { session: 'two', elicit } });
    expect(JSON.parse(asked)).toEqual({ action: 'cancel' });
    stop.abort();
    await expect(slow).rejects.toThrow('cancelled');
  });

  it.each(['sample', 'roots'])('for what we do not offer is refused (%s)', async (tool) => {
    const { connection } = await open('elicit');
    expect(JSON.parse(await said(connection, tool))).toMatchObject({ error: { code: -32601 } });
  });

  it('that pings is answered', async () => {
    const { connection } = await open('elicit');
    expect(JSON.parse(await said(connection, 'ping'))).toEqual({});
  });
});
