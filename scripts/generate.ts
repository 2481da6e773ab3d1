/**
 * Writes generated/ from openapi/ (`npm run generate`). Files that no longer come out of it are removed.
 */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outputsOf, readContract } from './contract/outputs.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'generated');

const outputs = await readContract(root)
  .then(outputsOf)
  .catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });
mkdirSync(target, { recursive: true });
for (const name of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
  if (statSync(join(target, name)).isFile() && !outputs.has(name)) rmSync(join(target, name));
}
for (const [name, text] of outputs) {
  const file = join(target, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
