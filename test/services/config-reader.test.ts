/** Reading the layers of a folder again and again: what has not changed is not resolved anew, and nothing is ever stale. */
import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createSettingsFiles } from '../../src/files/settings-file.js';
import { ConfigReader } from '../../src/services/config-reader.js';
import { until } from '../processes.js';
import { quiet } from './pool-fixture.js';

test('a change on disk or of what is trusted is seen by the next reading, and nothing else is read twice', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'reader-')));
  const [project, local] = [join(folder, '.hoody/settings.json'), join(folder, '.hoody/settings.local.json')];
  await mkdir(join(folder, '.hoody'));
  const trusted = new Set<string>();
  const reader = new ConfigReader({
    files: createSettingsFiles({ logger: quiet }),
    trust: { path: '', has: (_, name) => trusted.has(name), add: () => Promise.resolve() },
    userSettingsPath: join(folder, 'user.json'),
    trustProjectServers: false,
  });
  const read = () => reader.read({ cwd: folder, configDir: null });
  const isKept = async () => (await read()) === (await read());
  const server = (name: string) => ({ name, type: 'stdio', command: 'demo' });
  const written = (...names: string[]) => JSON.stringify({ mcp_servers: names.map(server), deny_list: names });

  await writeFile(project, written('one'));
  expect(await read()).toMatchObject({ denyList: ['one'], servers: [{ trusted: false }] });
  // A file that has just changed may change again within the same instant, so it is not kept yet.
  await until(isKept);
  for (const name of ['two', 'six', 'ten']) {
    await writeFile(project, written(name));
    expect((await read()).denyList).toEqual([name]);
  }
  await until(isKept);
  await writeFile(`${project}.new`, written('red'));
  await rename(`${project}.new`, project);
  expect((await read()).denyList).toEqual(['red']);
  await until(isKept);
  trusted.add('red');
  expect((await read()).servers).toMatchObject([{ trusted: true }]);
  expect(await isKept()).toBe(true);
  await writeFile(local, written('blue'));
  expect((await read()).denyList).toEqual(['red', 'blue']);
  await until(isKept);
  await rm(project);
  expect((await read()).servers).toMatchObject([{ entry: { name: 'blue' } }]);
  await rm(folder, { recursive: true });
});
