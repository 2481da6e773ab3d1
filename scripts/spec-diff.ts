/**
 * Says what a caller would notice between two contracts (`npm run spec:diff -- OLD NEW`), each a file or a released
 * version; without names the latest release and what is generated now. `--json` for programs, `--changelog` for a section
 * to start from. Exits 1 when a change breaks callers, 2 when there is nothing to compare.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { forChangelog, forPeople } from './contract/diff/print.js';
import { diffContracts } from './contract/diff/operations.js';
import type { ApiDocument } from './contract/document.js';
import { latestRelease, readRelease } from './contract/released.js';

const root = fileURLToPath(new URL('..', import.meta.url));

const documentOf = (name: string): ApiDocument =>
  /^\d+\.\d+\.\d+$/.test(name)
    ? readRelease(root, name).document
    : (JSON.parse(readFileSync(name, 'utf8')) as ApiDocument);

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean' }, changelog: { type: 'boolean' } },
  });
  const [before = latestRelease(root)?.version, after = `${root}generated/openapi.json`, ...more] = positionals;
  if (before === undefined || more.length > 0)
    throw new Error('usage: npm run spec:diff -- [OLD [NEW]] [--json | --changelog]');
  const changes = diffContracts(documentOf(before), documentOf(after));
  const text = values.changelog ? forChangelog(changes) : forPeople(changes);
  console.log(values.json ? JSON.stringify(changes, null, 2) : text);
  process.exitCode = changes.some(({ breaking }) => breaking) ? 1 : 0;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
