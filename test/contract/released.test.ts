/** What a released contract binds us to, in a folder of its own; the real one is judged by `npm run check`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { ApiDocument, JsonMap } from '../../scripts/contract/document.js';
import { freeze, latestRelease, releaseFaults } from '../../scripts/contract/released.js';

const contract = JSON.parse(
  readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'),
) as ApiDocument;

type Edit = (document: ApiDocument) => unknown;

describe('a release', () => {
  const root = mkdtempSync(join(tmpdir(), 'agentd-released-'));
  afterAll(() => rmSync(root, { recursive: true }));
  const text = (document: ApiDocument): string => JSON.stringify(document);
  const at = (version: string, edit: Edit = () => undefined): ApiDocument => {
    const copy = structuredClone(contract);
    (copy.info as { version: string }).version = version;
    edit(copy);
    return copy;
  };
  const extra: Edit = (it) =>
    (it.paths['/api/v1/agent/extra'] = {
      get: { ...(it.paths['/api/v1/agent/health']!.get as JsonMap), operationId: 'getExtra' },
    });
  const less: Edit = (it) => delete it.paths['/api/v1/agent/health'];

  test('is frozen once, when the changelog speaks of it', () => {
    expect(releaseFaults(root, at('1.0.0'), '')).toEqual([]);
    expect(() => freeze(root, text(at('1.0.0')), 'contract 0.9.0')).toThrow('CHANGELOG.md');
    expect(freeze(root, text(at('1.0.0')), 'contract 1.0.0')).toBe('openapi/released/1.0.0.json');
    expect(freeze(root, text(at('1.0.0')), 'contract 1.0.0')).toBe('openapi/released/1.0.0.json');
    expect(() => freeze(root, text(at('1.0.0', extra)), 'contract 1.0.0')).toThrow('1.0.0 is released and stays');
  });

  test('lets the contract grow, in words the changelog has', () => {
    expect(releaseFaults(root, at('1.0.0', extra), 'adds `getExtra`')).toEqual([]);
    expect(releaseFaults(root, at('1.0.0', extra), '')).toEqual([
      'CHANGELOG.md does not name getExtra, which 1.0.0 does not have',
    ]);
    freeze(root, text(at('1.10.0', extra)), 'contract 1.10.0 adds `getExtra`');
    expect(latestRelease(root)!.version).toBe('1.10.0');
    expect(releaseFaults(root, at('1.9.0', extra), '')).toEqual([expect.stringContaining('older than 1.10.0')]);
  });

  test('is not broken without a new major version', () => {
    const [fault, ...others] = releaseFaults(
      root,
      at('1.11.0', (it) => [extra(it), less(it)]),
      '',
    );
    expect([fault, others]).toEqual([expect.stringContaining('GET /api/v1/agent/health: the operation is gone'), []]);
    expect(() => freeze(root, text(at('1.11.0', less)), 'contract 1.11.0')).toThrow('raise the major version');
    expect(releaseFaults(root, at('2.0.0', less), '')).toEqual([]);
  });

  test('is never touched again', () => {
    const file = join(root, 'openapi/released/1.0.0.json');
    const told = (): string[] => releaseFaults(root, at('1.10.0', extra), '');
    const original = readFileSync(file, 'utf8');
    writeFileSync(file, `${original}\n`);
    expect(told()).toEqual(['openapi/released/1.0.0.json is released and was changed: bring it back']);
    rmSync(file);
    expect(told()).toEqual(['openapi/released/1.0.0.json is released and gone: bring it back']);
    writeFileSync(file, original);
    writeFileSync(join(root, 'openapi/released/1.10.0.cases.json'), '{}');
    expect(told()).toEqual([]);
    writeFileSync(join(root, 'openapi/released/1.0.1.json'), original);
    expect(told()).toEqual(['openapi/released/1.0.1.json was not frozen by npm run spec:release']);
  });
});
