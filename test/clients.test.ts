/**
 * The TypeScript clients of scripts/clients, from our documents to the told story, against a daemon that is strict about
 * the contract; and when a story counts as told. The other languages are run by `npm run clients`, where their
 * toolchains are.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { compile, generate, install, missing, STEPS, tell, type Client } from '../scripts/clients/client.js';
import { CLIENTS } from '../scripts/clients/clients.js';
import { startTestDaemon, type TestDaemon } from './harness.js';

/** From the document most people take; the others are read by `npm run clients`, too. */
const IN_TYPESCRIPT = CLIENTS.filter(({ id }) => ['openapi-fetch', 'hey-api'].includes(id));
/** Compilers share two cores with the other tests. */
const DEADLINE_MS = 90_000;

describe('clients in TypeScript', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startTestDaemon();
  });
  afterAll(() => daemon.close());

  test.each(IN_TYPESCRIPT)(
    '$id is generated, compiles and tells the story',
    async (client) => {
      const cwd = join(daemon.folder, client.id);
      await mkdir(cwd);
      await writeFile(join(cwd, 'hello.txt'), 'hello\n');
      for (const stage of [install, generate, compile]) expect(await stage(client)).toMatchObject({ ok: true });
      expect(await tell(client, { url: daemon.baseUrl, cwd })).toMatchObject({ ok: true });
    },
    DEADLINE_MS,
  );
});

describe('a story', () => {
  const printing = (...lines: string[]): Client => ({
    ...IN_TYPESCRIPT[0]!,
    run: [process.execPath, '-e', `console.log(${JSON.stringify(lines.join('\n'))})`, '--'],
  });
  const target = { url: 'http://127.0.0.1:1', cwd: '/' };

  test('is told when every step has its line, and then the last', async () => {
    expect(await tell(printing(...STEPS, 'story ok'), target)).toMatchObject({ ok: true });
  });

  test.each([
    ['a step was left out', STEPS.slice(1).concat('story ok' as never)],
    ['the last line is missing', STEPS],
    ['nothing but the last line came', ['story ok']],
  ])('is not told when %s', async (_why, lines) => {
    expect(await tell(printing(...lines), target)).toMatchObject({ ok: false });
  });

  test('is not asked for where its toolchain is missing, which is named', () => {
    expect(missing({ ...IN_TYPESCRIPT[0]!, needs: ['node', 'no-such-compiler'] })).toEqual(['no-such-compiler']);
  });
});
