/**
 * Agent definitions over HTTP: the files behind them, who wins among layers, every refusal, what a session that names one
 * may call, and the change token, also of a file that a person edits.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, open, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FakeClock } from '../fakes/clock.js';
import { startTestDaemon, type Answer, type TestDaemon } from '../harness.js';

describe('agent definitions', () => {
  const clock = new FakeClock();
  let daemon: TestDaemon;
  let userFolder: string;
  let projectFolder: string;
  beforeAll(async () => {
    daemon = await startTestDaemon({ clock });
    userFolder = join(dirname(daemon.userSettingsPath), 'agents');
    projectFolder = join(daemon.cwd, '.hoody', 'agents');
  });
  afterAll(() => daemon.close());

  const project = (): Record<string, string> => ({ 'x-hoody-cwd': daemon.cwd });
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    daemon.request(method, `/agents${path}`, { headers, ...(body === undefined ? {} : { body }) });
  const refusal = ({ status, body }: Answer): unknown[] => [status, body.code];
  const names = async (headers: Record<string, string> = {}): Promise<string[]> =>
    (await ask('GET', '', undefined, headers)).body.items.map(({ name }: { name: string }) => name);

  test('are made as Markdown with frontmatter, for the user or in the project the request names', async () => {
    const body = {
      name: 'reviewer',
      frontmatter: { description: 'Reads changes.', tools: ['read_file'], color: 'green' },
      system_prompt: 'You review changes.',
    };
    const { status, body: made } = await ask('POST', '', body, project());
    expect(status).toBe(201);
    const path = join(projectFolder, 'reviewer.md');
    expect(made.agent).toEqual({
      name: 'reviewer',
      provenance: 'project',
      path,
      revision: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      shadows_lower: false,
      description: 'Reads changes.',
      tools: ['read_file'],
      prompt_preview: 'You review changes.',
      realm: 'global',
    });
    expect(await readFile(path, 'utf8')).toBe(
      '---\ndescription: Reads changes.\ntools:\n  - read_file\ncolor: green\n---\nYou review changes.\n',
    );
    expect((await ask('POST', '', { name: 'plain' })).body.agent).toMatchObject({
      provenance: 'user',
      path: join(userFolder, 'plain.md'),
    });
    expect(await names()).toEqual(['plain']);
    expect(await names(project())).toEqual(['plain', 'reviewer']);
  });

  test('of the project hide those of the user until they are deleted', async () => {
    await ask('POST', '', { name: 'both', system_prompt: 'of the user' });
    await ask('POST', '', { name: 'both', system_prompt: 'of the project' }, project());
    const find = async (): Promise<any> =>
      (await ask('GET', '', undefined, project())).body.items.find(({ name }: { name: string }) => name === 'both');
    expect(await find()).toMatchObject({ prompt_preview: 'of the project', shadows_lower: true });
    expect((await ask('DELETE', '/both', undefined, project())).body).toEqual({ status: 'ok' });
    expect(await find()).toMatchObject({ prompt_preview: 'of the user', shadows_lower: false });
    expect((await ask('DELETE', '/both')).status).toBe(200);
    expect(refusal(await ask('DELETE', '/both'))).toEqual([404, 'not_found']);
  });

  test('are edited key by key, with comments and unknown keys left as they are', async () => {
    await mkdir(userFolder, { recursive: true });
    await writeFile(join(userFolder, 'edited.md'), '---\n# mine\ntools: [a]\nodd: {x: 1} # kept\n---\n\nPrompt.\n');
    expect((await ask('PATCH', '/edited/model', { model: 'm1' })).body.agent).toMatchObject({ model: 'm1' });
    expect((await ask('PATCH', '/edited/tools', { tools: ['b', 'c'] })).body.agent.tools).toEqual(['b', 'c']);
    expect((await ask('PATCH', '/edited/turns', { turns: 7 })).body.agent.max_turns).toBe(7);
    const text = await readFile(join(userFolder, 'edited.md'), 'utf8');
    expect(text).toContain('# mine\n');
    expect(text).toContain('# kept\n');
    expect(text.endsWith('---\n\nPrompt.\n')).toBe(true);
    await ask('PATCH', '/edited/turns', { turns: 0 });
    await ask('PATCH', '/edited/tools', { tools: [] });
    const { agent } = (await ask('PATCH', '/edited/model', { model: '' })).body;
    expect(Object.keys(agent)).not.toEqual(expect.arrayContaining(['model']));
    expect([agent.tools, agent.max_turns]).toEqual([undefined, undefined]);
  });

  test('that are links stay links, and what they lead to is edited', async () => {
    await writeFile(join(daemon.folder, 'elsewhere.md'), 'Prompt.');
    await symlink(join(daemon.folder, 'elsewhere.md'), join(userFolder, 'linked.md'));
    expect((await ask('PATCH', '/linked/model', { model: 'm' })).body.agent).toMatchObject({ model: 'm' });
    expect(await readFile(join(daemon.folder, 'elsewhere.md'), 'utf8')).toBe('---\nmodel: m\n---\nPrompt.');
    await ask('DELETE', '/linked');
    expect(await readFile(join(daemon.folder, 'elsewhere.md'), 'utf8')).toContain('Prompt.');
  });

  test('are replaced as a whole only from the revision that was read', async () => {
    await ask('POST', '', { name: 'whole', system_prompt: 'one' });
    const { body: source } = await ask('GET', '/whole/source');
    expect(source).toMatchObject({ name: 'whole', content: '---\n---\none\n' });
    const put = (content: string, revision: string): Promise<Answer> =>
      ask('PUT', '/whole/source', { content, expected_revision: revision });
    const { body } = await put('---\nmodel: m\n---\ntwo\n', source.revision);
    expect(body.agent).toMatchObject({ model: 'm', prompt_preview: 'two' });
    const stale = await put('three', source.revision);
    expect([stale.status, stale.body]).toEqual([
      409,
      {
        code: 'revision_conflict',
        message: 'it changed since you read it; read it again',
        details: { current_revision: body.agent.revision },
      },
    ]);
    for (const bad of ['---\ntools: [\n---\n', '---\n- a\n---\n', '---\ntools: 3\n---\n', '---\nmax_turns: 0\n---\n']) {
      expect(refusal(await put(bad, body.agent.revision))).toEqual([400, 'bad_request']);
    }
    expect((await ask('GET', '/whole/source')).body.content).toBe('---\nmodel: m\n---\ntwo\n');
  });

  test('are copied and renamed within their layer, to names that are free', async () => {
    expect((await ask('POST', '/whole/copy', { new_name: 'second' })).status).toBe(201);
    expect(refusal(await ask('POST', '/whole/copy', { new_name: 'second' }))).toEqual([400, 'bad_request']);
    expect((await ask('POST', '/second/rename', { new_name: 'third' })).body.agent).toMatchObject({ name: 'third' });
    expect(await names()).toEqual(expect.arrayContaining(['third', 'whole']));
    expect(await names()).not.toContain('second');
  });

  test('are renamed with what somebody writes at the same moment, and never onto another', async () => {
    await ask('POST', '', { name: 'moving' });
    await symlink(join(userFolder, 'moving.md'), join(userFolder, 'alias.md'));
    expect(refusal(await ask('POST', '/moving/rename', { new_name: 'alias' }))).toEqual([400, 'bad_request']);
    await rm(join(userFolder, 'alias.md'));
    const editor = await open(join(userFolder, 'moving.md'), 'a');
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((name) => ask('POST', '/moving/rename', { new_name: name })),
    );
    await editor.write('written late');
    await editor.close();
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
    const { agent } = answers.find(({ status }) => status === 200)!.body;
    expect((await ask('GET', `/${agent.name}/source`)).body.content).toContain('written late');
    await ask('DELETE', `/${agent.name}`);
  });

  test.each([
    ['POST', '', { name: '../escape' }, 400, 'bad_request'],
    ['POST', '', { name: 'plain' }, 400, 'bad_request'],
    ['POST', '', { name: 'x', frontmatter: { tools: 'all' } }, 400, 'bad_request'],
    ['POST', '/plain/rename', { new_name: 'a/b' }, 400, 'bad_request'],
    ['GET', '/none/source', undefined, 404, 'not_found'],
    ['GET', '/..%2F..%2Fetc%2Fpasswd/source', undefined, 404, 'not_found'],
    ['PUT', '/none/source', { content: '', expected_revision: 'x' }, 404, 'not_found'],
    ['POST', '/none/copy', { new_name: 'x' }, 404, 'not_found'],
    ['PATCH', '/none/model', { model: 'x' }, 404, 'not_found'],
    ['PATCH', '/plain/turns', { turns: -1 }, 400, 'bad_request'],
  ])('refuse %s %s %j', async (method, path, body, status, code) => {
    expect(refusal(await ask(method, path, body))).toEqual([status, code]);
  });

  test('that are none are named in a warning, and the others are listed', async () => {
    await writeFile(join(userFolder, 'broken.md'), '---\n{{\n---\n');
    // Nine levels of ten aliases: ten thousand million words, if anybody wrote them out.
    const levels = Array.from(
      { length: 9 },
      (_, level) => `a${level + 1}: &a${level + 1} [${`*a${level},`.repeat(10)}]`,
    );
    await writeFile(join(userFolder, 'bomb.md'), `---\na0: &a0 x\n${levels.join('\n')}\n---\n`);
    await writeFile(join(userFolder, 'twice.md'), '---\nmodel: a\nmodel: b\n---\n');
    // Takes the parser minutes.
    await writeFile(join(userFolder, 'endless.md'), `---\n${'&a '.repeat(150_000)}\n---\n`);
    await writeFile(join(userFolder, 'notes.txt'), 'no definition');
    const { items, warnings } = (await ask('GET', '')).body;
    expect(items.map(({ name }: { name: string }) => name)).toContain('plain');
    expect(warnings).toEqual([
      `${join(userFolder, 'bomb.md')}: its frontmatter is no YAML without aliases`,
      `${join(userFolder, 'broken.md')}: its frontmatter is no YAML`,
      `${join(userFolder, 'endless.md')}: its frontmatter is too long`,
      `${join(userFolder, 'twice.md')}: its frontmatter has a key twice`,
    ]);
    for (const name of ['bomb', 'broken', 'endless', 'twice']) await rm(join(userFolder, `${name}.md`));
  });

  test('that cannot be read are named in a warning, the others are listed, and nothing waits for them', async () => {
    const at = (name: string): string => join(userFolder, `${name}.md`);
    await mkdir(at('folder'));
    execFileSync('mkfifo', [at('pipe')]);
    await symlink(join(userFolder, 'nowhere'), at('link'));
    await writeFile(at('latin'), Buffer.from('r\xe9sum\xe9', 'latin1'));
    await writeFile(at('long'), 'x'.repeat(512 * 1024 + 1));
    const { items, warnings } = (await ask('GET', '')).body;
    expect(items.map(({ name }: { name: string }) => name)).toContain('plain');
    expect(warnings).toEqual([
      `${at('folder')}: it is not a regular file`,
      `${at('latin')}: it is not UTF-8 text`,
      `${at('link')}: it is a link that leads nowhere`,
      `${at('long')}: it is too long`,
      `${at('pipe')}: it is not a regular file`,
    ]);
    for (const name of ['folder', 'latin', 'long', 'pipe']) {
      expect([name, ...refusal(await ask('POST', '', { name }))]).toEqual([name, 400, 'bad_request']);
      await rm(at(name), { recursive: true });
    }
    await rm(at('link'));
  });

  test('narrow the tools of a session that names one, which needs to be there', async () => {
    const frontmatter = { tools: ['read_file', 'write_file'] };
    await ask('POST', '', { name: 'narrow', frontmatter }, project());
    const session = await daemon.open({ agent: 'narrow' });
    const tools = await daemon.request('GET', `/sessions/${session}/tools`);
    expect(tools.body.items.map(({ name }: { name: string }) => name).toSorted()).toEqual(['read_file', 'write_file']);
    const run = (name: string): Promise<Answer> =>
      daemon.request('POST', `/sessions/${session}/tools/${name}/run`, { body: { params: { path: '.' } } });
    expect(refusal(await run('list_dir'))).toEqual([404, 'tool_not_found']);
    const all = await daemon.open({ agent: 'plain' });
    expect((await daemon.request('GET', `/sessions/${all}/tools`)).body.items.length).toBeGreaterThan(5);
    const none = await daemon.request('POST', '/sessions', { body: { cwd: daemon.cwd, agent: 'nobody' } });
    expect(refusal(none)).toEqual([400, 'bad_request']);
    await daemon.request('POST', `/sessions/${session}/close`);
    await ask('DELETE', '/narrow', undefined, project());
    expect(refusal(await daemon.request('POST', '/sessions', { body: { attach: session } }))).toEqual([
      400,
      'bad_request',
    ]);
  });

  test('move their token with each change, through the API and by hand, for those who see it', async () => {
    const token = async (headers: Record<string, string> = {}): Promise<string> => {
      await clock.advance(1_000);
      return (await daemon.request('GET', '/changes', { headers })).body.tokens.agents;
    };
    const moved = async (work: () => Promise<unknown>, headers: Record<string, string> = {}): Promise<boolean> => {
      const before = await token(headers);
      await work();
      return (await token(headers)) !== before;
    };
    expect(await moved(async () => undefined)).toBe(false);
    expect(await moved(() => ask('PATCH', '/plain/model', { model: 'x' }))).toBe(true);
    expect(await moved(() => writeFile(join(userFolder, 'by-hand.md'), 'A prompt.'))).toBe(true);
    expect(await moved(() => writeFile(join(userFolder, 'by-hand.md'), 'B prompt.'))).toBe(true);
    expect(await moved(() => rm(join(userFolder, 'by-hand.md')))).toBe(true);
    const inProject = (): Promise<unknown> => ask('PATCH', '/reviewer/model', { model: `${clock.now()}` }, project());
    expect(await moved(inProject)).toBe(false);
    expect(await moved(inProject, project())).toBe(true);
    const install = { 'x-hoody-config-dir': await mkdtemp(join(tmpdir(), 'agentd-install-')) };
    expect(await moved(() => ask('PATCH', '/plain/model', { model: 'y' }), install)).toBe(false);
    expect(await moved(() => ask('POST', '', { name: 'a' }, install), install)).toBe(true);
    const folder = join(install['x-hoody-config-dir'], 'agents');
    await rm(folder, { recursive: true });
    const noFolder = (): Promise<unknown> => writeFile(folder, 'a file in its place');
    expect(await moved(noFolder, install)).toBe(true);
    expect((await ask('GET', '', undefined, install)).body.warnings).toHaveLength(1);
    await rm(install['x-hoody-config-dir'], { recursive: true });
  });
});
