/** Children: how they start, what they write, how they end, and that nothing of them is left. */
import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { reapLeftovers } from '../../src/mcp/connector.js';
import { MESSAGE_BYTES_MAX, MessageLines } from '../../src/mcp/message-lines.js';
import { killMarked } from '../../src/mcp/process-sweep.js';
import { createSecretMask } from '../../src/mcp/secret-mask.js';
import { StderrTail } from '../../src/mcp/stderr-tail.js';
import { churn } from '../../scripts/soak-connect.js';
import { FakeClock } from '../fakes/clock.js';
import { attempt, call, fixture, isRunning, open, said, tempFolder, until } from './fixture-server.js';

/** Own pid and the child's, of the modes that have a child. */
const pidsOf = async (connection: Parameters<typeof said>[0]): Promise<[number, number]> =>
  JSON.parse(await said(connection, 'pids')) as [number, number];

/** Moves a fake clock until the work is done. */
const drive = async (clock: FakeClock, work: Promise<unknown>): Promise<void> => {
  const state = { done: false };
  void work.finally(() => (state.done = true));
  while (!state.done) {
    await clock.advance(500);
    await pause(10);
  }
};

describe('a start', () => {
  const script = (text: string): string => {
    const path = join(tempFolder(), 'server');
    writeFileSync(path, text);
    return path;
  };
  const faults: [what: string, launch: () => object, message: string | RegExp][] = [
    [
      'a command that is not in PATH',
      () => ({ command: 'no-such-program' }),
      'its command "no-such-program" was not found in PATH',
    ],
    ['a command that does not exist', () => ({ command: './no/such' }), 'its command "./no/such" does not exist'],
    [
      'a command without the right to execute',
      () => ({ command: script('#!/bin/sh\n') }),
      /^its command ".*" is not executable$/,
    ],
    [
      'a script whose interpreter is missing',
      () => {
        const path = script('#!/no/such/interpreter\n');
        chmodSync(path, 0o755);
        return { command: path };
      },
      /^its command ".*" exists, but the interpreter its first line names was not found$/,
    ],
    [
      'a missing working directory',
      () => ({ cwd: '/no/such/folder' }),
      'its working directory /no/such/folder is not a directory',
    ],
    [
      'an argument no program can get',
      () => ({ args: ['a\0b'] }),
      /^its command ".*" could not be started \(ERR_INVALID_ARG_VALUE\)$/,
    ],
  ];
  it.each(faults)('fails with a sentence for %s', async (_what, launch, message) => {
    const { opening } = attempt('echo', { launch: launch() });
    await expect(opening).rejects.toMatchObject({
      name: 'ConnectError',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  it('fails with the exit code and the last words of a server that cannot start', async () => {
    await expect(attempt('crashinit').opening).rejects.toMatchObject({
      message: 'it exited with code 3 before it was ready',
      stderrTail: ['cannot start'],
    });
  });

  it('that takes too long ends the process and sends no cancellation of initialize', async () => {
    const clock = new FakeClock();
    const { opening, record } = attempt('noinit', { clock });
    const outcome = expect(opening).rejects.toThrow('it was not ready within 60 s');
    await until(() => record().length > 0, 'initialize has arrived');
    await drive(clock, outcome);
    expect(record().map((entry) => entry.method)).toEqual(['initialize']);
  });

  it('that is late succeeds', async () => {
    const { connection } = await open('slowinit', { env: { DELAY: '300' } });
    expect(connection.tools).toHaveLength(1);
  });

  it('can be stopped by its caller', async () => {
    const caller = new AbortController();
    const { opening, record } = attempt('noinit', { signal: caller.signal });
    await until(() => record().length > 0, 'initialize has arrived');
    caller.abort();
    await expect(opening).rejects.toThrow('its start was stopped');
  });

  it('that is stopped has the grace of every stop, for what it may be downloading', async () => {
    const clock = new FakeClock();
    const caller = new AbortController();
    const { opening, record } = attempt('noinit,ignoreterm', { clock, signal: caller.signal });
    await until(() => record().length > 0, 'initialize has arrived');
    const startedAt = clock.now();
    caller.abort();
    await drive(clock, expect(opening).rejects.toThrow('its start was stopped'));
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(4_000);
    expect(record().map(({ method }) => method)).toEqual(['initialize', '(stdin ended)', '(SIGTERM)']);
  });

  it('does not happen for a caller who is gone already', async () => {
    const { opening, record } = attempt('echo', { signal: AbortSignal.abort() });
    await expect(opening).rejects.toThrow('its start was stopped');
    expect(record()).toEqual([]);
  });
});

describe('the end of a child', () => {
  it('is reported once, without a call, and fails the call that waits', async () => {
    const { connection, closed } = await open('crash,slow');
    const waiting = call(connection, 'sleep', { ms: 600_000 });
    const outcome = expect(waiting).rejects.toThrow(
      'server "subject": it ended during the call: it exited with code 7',
    );
    await expect(call(connection, 'crash', { code: 7 })).rejects.toThrow('it exited with code 7');
    await outcome;
    expect(closed).toEqual(['it exited with code 7']);
    expect(connection.stderrTail()).toEqual(['crashing']);
    await expect(call(connection, 'echo')).rejects.toThrow(
      'server "subject": it is not connected: it exited with code 7',
    );
    await connection.close();
    expect(closed).toHaveLength(1);
  });

  it('is noticed although a grandchild holds its stdout, and takes the grandchild along', async () => {
    const { connection, closed } = await open('grandchild');
    const [, grandchild] = await pidsOf(connection);
    await expect(call(connection, 'crash')).rejects.toThrow('it exited with code 1');
    expect(closed).toEqual(['it exited with code 1']);
    await until(() => !isRunning(grandchild), 'the grandchild is gone');
  });

  it('by a signal is told by the name of the signal', async () => {
    const { connection, closed } = await open('echo');
    process.kill(connection.pid, 'SIGKILL');
    await until(() => closed.length > 0, 'the end is noticed');
    expect(closed).toEqual(['it was ended by SIGKILL']);
  });

  it('does not swallow an answer written just before', async () => {
    const { connection, closed } = await open('lastwords');
    expect(await said(connection, 'lastwords')).toBe('goodbye');
    await until(() => closed.length > 0, 'the end is noticed');
    expect(closed).toEqual(['it exited with code 0']);
  });

  it('comes for a server that closed its stdin, with the call that finds out', async () => {
    const { connection, closed } = await open('closedstdin');
    const { pid } = connection;
    await until(() => {
      void call(connection, 'echo').catch(() => undefined);
      return closed.length > 0;
    }, 'the broken pipe is noticed');
    expect(closed).toEqual(['it closed its standard input']);
    await expect(call(connection, 'echo')).rejects.toThrow('it closed its standard input');
    await connection.close();
    expect(isRunning(pid)).toBe(false);
  });
});

describe('a stop', () => {
  it('cancels the calls that wait, and is quick for a server that leaves when its stdin ends', async () => {
    const { connection, closed, record } = await open('slow');
    const { pid } = connection;
    const outcome = expect(call(connection, 'sleep', { ms: 600_000 })).rejects.toThrow('it was stopped');
    await connection.close();
    await outcome;
    expect(isRunning(pid)).toBe(false);
    expect(closed).toEqual([]);
    expect(record().at(-1)?.method).toBe('notifications/cancelled');
    await expect(call(connection, 'echo')).rejects.toThrow('it is not connected: it was stopped');
  });

  it('goes from the end of stdin to SIGTERM to SIGKILL', async () => {
    const clock = new FakeClock();
    const { connection, record } = await open('ignoreterm,grandchild', { clock });
    const [pid, grandchild] = await pidsOf(connection);
    const startedAt = clock.now();
    await drive(clock, connection.close());
    expect([isRunning(pid), isRunning(grandchild)]).toEqual([false, false]);
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(4_000);
    const methods = record().map((entry) => entry.method);
    expect(methods.slice(-2)).toEqual(['(stdin ended)', '(SIGTERM)']);
  });

  it('ends descendants in sessions of their own, and none of another connection', async () => {
    const [one, other] = await Promise.all([open('daemonise'), open('daemonise')]);
    const [, daemon] = await pidsOf(one.connection);
    const [, otherDaemon] = await pidsOf(other.connection);
    await one.connection.close();
    expect([isRunning(daemon), isRunning(otherDaemon)]).toEqual([false, true]);
    await other.connection.close();
    expect(isRunning(otherDaemon)).toBe(false);
  });

  it('reaches the server behind a shell', async () => {
    // A command in the background gets no stdin of its own, hence the detour.
    const command = `exec 3<&0; "${process.execPath}" "${fixture('server.mjs')}" <&3 & wait`;
    const { connection } = await open('grandchild,stay', { launch: { command: 'sh', args: ['-c', command] } });
    const [pid, grandchild] = await pidsOf(connection);
    expect(pid).not.toBe(connection.pid);
    await connection.close();
    expect([isRunning(pid), isRunning(grandchild)]).toEqual([false, false]);
  });

  it('of many servers leaves no process behind', async () => {
    const before = await churn(1);
    expect(await churn(20)).toEqual(before);
  });
});

describe('after a crash of the daemon', () => {
  it('the next start ends what the earlier run left, and nothing else', async () => {
    const start = (run: string): ReturnType<typeof spawn> =>
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1 << 30)'], {
        env: { HOODY_AGENTD_RUN: run },
        detached: true,
        stdio: 'ignore',
      });
    const run = `crashed-${process.pid}`;
    const [left, other] = [start(run), start(`${run}-other`)];
    const gone = once(left, 'exit');
    expect(await reapLeftovers(run)).toBe(1);
    await gone;
    expect(isRunning(other.pid as number)).toBe(true);
    other.kill('SIGKILL');
    await once(other, 'exit');
    expect(await reapLeftovers(run)).toBe(0);
  });

  it('is looked for once for all who ask together, and again for who asks later', async () => {
    const start = (mark: string) => spawn('sleep', ['600'], { env: { SUBJECT_MARK: mark }, stdio: 'ignore' });
    const early = ['a', 'b', 'b', 'c'].map(start);
    const spared = start('d');
    const asked = ['a', 'b', 'c'].map((mark) => killMarked('SUBJECT_MARK', mark));
    // The first look is under way by the time one of them is there.
    await pause(1);
    const late = start('late');
    const gone = [...early, late].map((child) => once(child, 'exit'));
    await Promise.all([...asked, killMarked('SUBJECT_MARK', 'late')]);
    expect((await Promise.all(gone)).map(([, signal]) => signal)).toEqual(Array(5).fill('SIGKILL'));
    expect(isRunning(spared.pid as number)).toBe(true);
    spared.kill('SIGKILL');
  });
});

describe('stdout', () => {
  it('may carry noise, which is counted and told', async () => {
    const { connection } = await open('noise');
    expect(await said(connection, 'echo', { text: 'heard' })).toBe('heard');
    expect(connection.warnings).toEqual([
      'server "subject" wrote 4 lines to stdout that are no MCP messages; its log belongs on stderr',
    ]);
  });

  it('may have text in front of a message', async () => {
    const { connection } = await open('garbled');
    expect(await said(connection, 'echo', { text: 'one' })).toBe('one');
    expect(await said(connection, 'echo', { text: 'two' })).toBe('two');
  });

  it('may carry a message of 12 MB', async () => {
    const { connection } = await open('big');
    expect((await said(connection, 'big', { bytes: 12_000_000 })).length).toBe(12_000_000);
  });

  it('over the limit fails the calls that wait, is forgotten, and hurts no other server', async () => {
    const [flooding, other] = await Promise.all([open('endless,slow'), open('echo')]);
    const before = process.memoryUsage().rss;
    const waiting = expect(call(flooding.connection, 'sleep', { ms: 600_000 })).rejects.toThrow('over the size limit');
    const flood = expect(call(flooding.connection, 'endless', { bytes: 200_000_000 })).rejects.toThrow(
      'server "subject": it sent a message over the size limit, which was left out',
    );
    expect(await said(other.connection, 'echo', { text: 'unhurt' })).toBe('unhurt');
    await flood;
    await waiting;
    expect(await said(flooding.connection, 'echo', { text: 'still there' })).toBe('still there');
    expect(process.memoryUsage().rss - before).toBeLessThan(3 * MESSAGE_BYTES_MAX);
  });

  it('is cut into lines wherever its chunks end', () => {
    const lines: string[] = [];
    let oversized = 0;
    const reader = new MessageLines(
      (line) => lines.push(line),
      () => (oversized += 1),
    );
    const bytes = Buffer.from('one\ntwo ä\n\nthree\n');
    for (const byte of bytes) reader.push(Buffer.from([byte]));
    reader.push(bytes);
    expect(lines).toEqual(['one', 'two ä', '', 'three', 'one', 'two ä', '', 'three']);
    const piece = Buffer.alloc(1 << 20, 'x');
    for (let size = 0; size <= MESSAGE_BYTES_MAX; size += piece.length) reader.push(piece);
    reader.push(Buffer.from('end of it\nfour\n'));
    expect(lines.slice(8)).toEqual(['four']);
    expect(oversized).toBe(1);
  });
});

describe('stderr', () => {
  it('never blocks the server, however much there is of it', async () => {
    const { connection } = await open('stderrflood');
    expect(connection.tools).toHaveLength(1);
    await until(() => connection.stderrTail().at(-1)?.endsWith('1999') ?? false, 'all of it was read');
    expect(connection.stderrTail()).toHaveLength(20);
  });

  it('is shown without the secrets of the launch, also when they arrive in pieces', async () => {
    const secrets = ['sesame-0123456789'];
    const { connection } = await open('stderr', { launch: { secrets } });
    const seen = new Set<string>();
    const calling = call(connection, 'complain', { text: 'the key sesame-0123456789 is wrong', pieces: 17 });
    const state = { done: false };
    void calling.finally(() => (state.done = true));
    while (!state.done) {
      seen.add(connection.stderrTail().join('\n'));
      await pause(1);
    }
    await until(() => connection.stderrTail().length === 1, 'the line is complete');
    expect(connection.stderrTail()).toEqual(['the key [REDACTED] is wrong']);
    expect([...seen].filter((text) => text.includes('ses'))).toEqual([]);
  });

  it('is cut at 4 KiB a line, and a secret across the cut is not half shown', () => {
    const secret = 'x'.repeat(50);
    const tail = new StderrTail(createSecretMask([secret]));
    tail.push(Buffer.from(`${'a'.repeat(4_080)}${secret}${'b'.repeat(10_000)}\nnext`));
    const [first, next] = tail.lines();
    expect(first).toBe(`${'a'.repeat(4_080)}[REDACTED]`);
    expect(next).toBe('next');
  });

  it('hides every line of a secret with several lines', () => {
    const tail = new StderrTail(createSecretMask(['-----BEGIN-----\nabcdefgh\nijklmnop\n-----END-----']));
    tail.push(Buffer.from('key is\n-----BEGIN-----\nabcdefgh\r\nijklmnop\n-----END-----\nbad key\n'));
    expect(tail.lines()).toEqual(['key is', '[REDACTED]', '[REDACTED]', '[REDACTED]', '[REDACTED]', 'bad key']);
  });

  it('hides the longer of two secrets when one begins with the other', () => {
    const mask = createSecretMask(['abc', 'abc+def', '']);
    expect(mask.apply('abc+def abc ab')).toBe('[REDACTED] [REDACTED] ab');
    expect(createSecretMask([]).apply('as it is')).toBe('as it is');
    const quoted = createSecretMask(['a"b\\c']);
    expect(quoted.apply(JSON.stringify({ KEY: 'a"b\\c' }))).toBe('{"KEY":"[REDACTED]"}');
  });
});
