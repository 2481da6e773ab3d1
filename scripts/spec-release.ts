/**
 * Freezes the contract as it is under its version (`npm run spec:release`). CONTRIBUTING.md says what comes before.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outputsOf, readContract } from './contract/outputs.js';
import { freeze } from './contract/released.js';

const root = fileURLToPath(new URL('..', import.meta.url));

try {
  const outputs = await outputsOf(await readContract(root));
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  console.log(`${freeze(root, outputs.get('openapi.json')!, changelog)} is frozen`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
