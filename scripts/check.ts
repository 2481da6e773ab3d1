/**
 * Judges the contract (`npm run check` starts with it): generated/ is what openapi/ generates, Redocly and our own
 * rules find nothing, the 3.0 and 3.2 forms are valid in their own versions, and no release is broken. Prints one
 * sentence for each fault and exits 1.
 * That every operation has a handler is the type checker's part: the handlers are one total map.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lintContract } from './contract/lint.js';
import { outputsOf, readContract } from './contract/outputs.js';
import { lintStructure, lintWithRedocly } from './contract/redocly.js';
import { releaseFaults } from './contract/released.js';
import type { ApiDocument } from './contract/document.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const readIfThere = (path: string): string | undefined =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;

const { contract, outputs } = await readContract(root)
  .then(async (contract) => ({ contract, outputs: await outputsOf(contract) }))
  .catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });
const faults: string[] = [];

for (const [name, text] of outputs) {
  const stored = readIfThere(`generated/${name}`);
  if (stored === undefined) faults.push(`generated/${name} is missing: run npm run generate`);
  else if (stored !== text) faults.push(`generated/${name} is not what openapi/ says: run npm run generate`);
}
for (const name of readdirSync(join(root, 'generated'), { recursive: true, encoding: 'utf8' })) {
  if (statSync(join(root, 'generated', name)).isFile() && !outputs.has(name)) {
    faults.push(`generated/${name} comes from nothing: run npm run generate`);
  }
}
for (const { rule, at, message } of lintContract({ ...contract, testSource: readIfThere })) {
  faults.push(`openapi/ ${at}: ${message} (${rule})`);
}
const parsed = (name: string): ApiDocument => JSON.parse(outputs.get(name)!) as ApiDocument;
faults.push(...(await lintWithRedocly('generated/openapi.json', parsed('openapi.json'))));
for (const name of ['openapi.3.0.json', 'openapi.3.2.json']) {
  faults.push(...(await lintStructure(`generated/${name}`, parsed(name))));
}
faults.push(...releaseFaults(root, contract.document, readIfThere('CHANGELOG.md') ?? ''));

for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error(`${faults.length} fault${faults.length === 1 ? '' : 's'} in the contract`);
  process.exitCode = 1;
}
