import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSettingsFiles } from '../../src/files/settings-file.js';
import { createTrustStore } from '../../src/files/trust-file.js';
import type { TrustStore } from '../../src/ports.js';
import { ConfigReader } from '../../src/services/config-reader.js';
import { ConfigWriter } from '../../src/services/config-writer.js';
import { Reconciler } from '../../src/services/reconciler.js';
import { WriteNonces } from '../../src/services/write-nonces.js';
import type { LiveSession } from '../../src/services/sessions.js';
import { FakeClock } from '../fakes/clock.js';
import { FakeIds } from '../fakes/ids.js';
import { newPool, posture, quiet, realConnector } from './pool-fixture.js';

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

/** A session in a project folder of its own. `trust.add` waits until `store` is called. */
async function open() {
  const folder = await mkdtemp(join(tmpdir(), 'config-writer-'));
  folders.push(folder);
  const clock = new FakeClock();
  const files = createSettingsFiles({ logger: quiet });
  const stored = createTrustStore(join(folder, 'data'));
  let store = (): void => undefined;
  const stores = new Promise<void>((resolve) => (store = resolve));
  const reached: string[] = [];
  const trust: TrustStore = {
    path: stored.path,
    has: stored.has,
    add: async (path, name, digest) => {
      reached.push(name);
      await stores;
      await stored.add(path, name, digest);
    },
  };
  const reader = new ConfigReader({
    files,
    trust,
    userSettingsPath: join(folder, 'user', 'settings.json'),
    trustProjectServers: false,
  });
  const reconciler = new Reconciler({
    pool: newPool(clock, realConnector()),
    readSettings: (session) => reader.read(session.posture),
    clock,
    logger: quiet,
  });
  const session = { posture: posture('A', { cwd: folder }) } as LiveSession;
  await reconciler.attach({ posture: session.posture, layerPaths: reader.layerPaths(session.posture) });
  const nonces = new WriteNonces({ files, clock, ids: new FakeIds(), ttlMs: 60_000 });
  const writer = new ConfigWriter({ files, trust, reader, reconciler, nonces });
  const upsert = async (server: { name: string; command: string }) => {
    const { nonce, hash } = await writer.createWriteIntent(session, 'upsert', 'project');
    return writer.upsert(session, { nonce, scope: 'project', expectHash: hash }, { ...server, enabled: false });
  };
  const trusted = async (): Promise<Record<string, boolean>> => {
    const { servers } = await reader.read(session.posture);
    return Object.fromEntries(servers.map((server) => [server.entry.name, server.trusted]));
  };
  return { folder, upsert, trusted, store, reached };
}

describe('an entry written into a project file', () => {
  it('is trusted from the moment it can be read, also by a reading that meets it before the store knows', async () => {
    const { folder, upsert, trusted, store, reached } = await open();
    await mkdir(join(folder, '.hoody'));
    const entries = [{ name: 'stranger', command: 'x' }];
    await writeFile(join(folder, '.hoody', 'settings.json'), JSON.stringify({ mcp_servers: entries }));
    const written = upsert({ name: 'mine', command: 'x' });
    while (reached.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await trusted()).toEqual({ stranger: false, mine: true });
    store();
    expect(await written).toMatchObject({ servers: [{ server: { trusted: false } }, { server: { trusted: true } }] });
    expect(await trusted()).toEqual({ stranger: false, mine: true });
  });
});
