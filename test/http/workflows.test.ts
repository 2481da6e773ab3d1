/**
 * Workflows over HTTP: definitions and their revisions, runs step by step behind the gates, every way a run ends, and
 * who sees which.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FakeClock } from '../fakes/clock.js';
import { startTestDaemon, type Answer, type TestDaemon } from '../harness.js';

const clock = new FakeClock();
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon({ clock });
});
afterAll(() => daemon.close());

type Body = Record<string, unknown>;
const ask = (method: string, path: string, body?: Body, headers: Record<string, string> = {}): Promise<Answer> =>
  daemon.request(method, path, { headers, ...(body === undefined ? {} : { body }) });
const coded = ({ status, body }: Answer): unknown[] => [status, body.code];
const put = (name: string, body: Body): Promise<Answer> => ask('PUT', `/workflows/${name}`, body);
const add = async (name: string, steps: Body[], more: Body = {}): Promise<string> => {
  const { body } = await put(name, { definition: { ...more, steps }, expected_absent: true });
  return body.revision;
};

const COPY = {
  summary: 'Copies a file',
  labels: ['files'],
  inputs: { file: { type: 'string', description: 'What is copied.' }, suffix: { type: 'string' } },
  defaults: { suffix: '.copy' },
  steps: [
    { id: 'read', tool: 'read_file', params: { path: '{{inputs.file}}' } },
    {
      id: 'copy',
      tool: 'write_file',
      params: { path: '{{inputs.file}}{{inputs.suffix}}', content: '{{steps.read.output}}' },
    },
  ],
};

describe('a workflow', () => {
  test('is stored as it was sent and listed in short, by name', async () => {
    const { status, body } = await put('copy', { definition: COPY, expected_absent: true });
    expect(status).toBe(200);
    const workflow = {
      name: 'copy',
      summary: 'Copies a file',
      labels: ['files'],
      step_count: 2,
      entry_point: 'read',
      steps: [
        { id: 'read', tool: 'read_file' },
        { id: 'copy', tool: 'write_file' },
      ],
      params: ['file', 'suffix'],
      hidden: false,
      realm: 'global',
      created_at: new Date(clock.now()).toISOString(),
      updated_at: new Date(clock.now()).toISOString(),
    };
    expect(body).toEqual({ status: 'ok', workflow, definition: COPY, revision: expect.any(String) });
    const { revision, ...plain } = body;
    expect((await ask('GET', '/workflows/copy')).body).toEqual(plain);
    expect((await ask('GET', '/workflows/copy?include_revision=true')).body).toEqual({ ...plain, revision });
    expect(coded(await ask('GET', '/workflows/copy?include_revision=yes'))).toEqual([400, 'bad_request']);
    await add('Another', [{ id: 'a', tool: 't' }]);
    await add('build', [{ id: 'a', tool: 't' }]);
    const { items, meta } = (await ask('GET', '/workflows?page=2&limit=2')).body;
    expect([items, meta]).toEqual([[workflow], { total: 3, page: 2, limit: 2 }]);
  });

  test('is replaced only from the revision that was read, and made only where there is none', async () => {
    const first = await add('guarded', [{ id: 'a', tool: 'one' }]);
    const again = { definition: { steps: [{ id: 'a', tool: 'two' }] } };
    const { body } = await put('guarded', { ...again, expected_revision: first });
    expect(body.definition).toEqual(again.definition);
    for (const guard of [{ expected_revision: first }, { expected_absent: true }]) {
      const stale = await put('guarded', { ...again, ...guard });
      expect([...coded(stale), stale.body.details]).toEqual([
        409,
        'revision_conflict',
        { current_revision: body.revision },
      ]);
    }
    for (const guard of [{}, { expected_absent: false }, { expected_absent: true, expected_revision: first }]) {
      expect(coded(await put('guarded', { ...again, ...guard }))).toEqual([400, 'bad_request']);
    }
    await ask('DELETE', '/workflows/guarded');
    expect(coded(await put('guarded', { ...again, expected_revision: body.revision }))).toEqual([404, 'not_found']);
    // A name that is used again is another workflow: what was read before does not fit.
    const anew = await add('guarded', [{ id: 'a', tool: 'three' }]);
    expect([first, body.revision]).not.toContain(anew);
  });

  test('is refused when a reference of it goes nowhere, by step and rule, and nothing is stored', async () => {
    const bad = { steps: [{ id: 'look', tool: 't', params: { p: '{{steps.later.output}}' } }] };
    const { status, body } = await put('bad', { definition: bad, expected_absent: true });
    expect([status, body]).toEqual([
      400,
      {
        code: 'bad_request',
        message: 'definition.steps.0.params: step look: a reference names a step that does not come before it',
      },
    ]);
    for (const more of [{ steps: [] }, { retries: 3 }]) {
      const closed = { definition: { ...COPY, ...more }, expected_absent: true };
      expect(coded(await put('bad', closed))).toEqual([400, 'bad_request']);
    }
    for (const name of ['a.b', 'x'.repeat(65)]) {
      expect(coded(await put(name, { definition: COPY, expected_absent: true }))).toEqual([400, 'bad_request']);
    }
    expect(coded(await ask('GET', '/workflows/bad'))).toEqual([404, 'not_found']);
  });

  test('that is hidden is left out of the list, and is there by name', async () => {
    const revision = await add('secret', [{ id: 'a', tool: 't' }]);
    const names = async (query = ''): Promise<string[]> =>
      (await ask('GET', `/workflows${query}`)).body.items.map(({ name }: { name: string }) => name);
    expect((await ask('POST', '/workflows/secret/hide')).body.workflow.hidden).toBe(true);
    expect(await names()).not.toContain('secret');
    expect(await names('?include_hidden=true')).toContain('secret');
    expect((await ask('GET', '/workflows/secret?include_revision=true')).body).toMatchObject({ revision });
    expect((await ask('POST', '/workflows/secret/hide', { hidden: false })).body.workflow.hidden).toBe(false);
    expect(await names()).toContain('secret');
    expect((await ask('DELETE', '/workflows/secret')).body).toEqual({ status: 'ok' });
    for (const [method, path] of [
      ['DELETE', '/workflows/secret'],
      ['POST', '/workflows/secret/hide'],
    ] as const) {
      expect(coded(await ask(method, path))).toEqual([404, 'not_found']);
    }
  });

  test('of another realm is another one', async () => {
    const realm = { 'x-hoody-realm': '1'.repeat(24) };
    const steps = [{ id: 'a', tool: 'other' }];
    await ask('PUT', '/workflows/copy', { definition: { steps }, expected_absent: true }, realm);
    expect((await ask('GET', '/workflows', undefined, realm)).body.items).toHaveLength(1);
    expect((await ask('GET', '/workflows/copy', undefined, realm)).body.definition).toEqual({ steps });
    expect((await ask('GET', '/workflows/copy')).body.definition).toEqual(COPY);
  });
});
