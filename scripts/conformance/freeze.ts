/**
 * Writes the requirement set of the contract's version: every case the suite has now, with its level. Run once when a
 * version is released; from then on the file is kept as it is (see CONTRIBUTING.md).
 */
import { writeFileSync } from 'node:fs';
import { casesOf } from '../../src/conformance/cases/index.js';
import { releasedContract } from '../../src/conformance/contract.js';

const contract = releasedContract();
const rows = casesOf(contract)
  .map(({ id, level }): [string, string] => [id, level])
  .toSorted(([a], [b]) => (a < b ? -1 : 1));
const file = `openapi/released/${contract.version}.cases.json`;
writeFileSync(
  new URL(`../../${file}`, import.meta.url),
  `${JSON.stringify({ contract: contract.version, cases: Object.fromEntries(rows) }, null, 2)}\n`,
);
process.stdout.write(`${file}: ${rows.length} cases\n`);
