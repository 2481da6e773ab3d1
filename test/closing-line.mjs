/**
 * A reporter that closes the run with two plain lines, for people and programs that read only the end: which of the
 * contract's (operation, status, code) pairs were really provoked, and the counts.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default class ClosingLine {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'agentd-pairs-'));
    // Workers are started after this and inherit it.
    process.env.CONTRACT_PAIRS_DIR = this.folder;
  }

  onRunComplete(_contexts, results) {
    // A file that cannot be loaded has no tests to count as failed, but it has failed.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const counts = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    const lines = `${pairsLine(this.folder)}\n${counts}\n`;
    // The summary of the runner itself comes after every reporter.
    process.once('exit', () => process.stdout.write(lines));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const pairsLine = (folder) => {
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  const provoked = new Set(lines);
  const ledger = JSON.parse(readFileSync(new URL('fixtures/contract/ledger.json', import.meta.url), 'utf8'));
  const documented = ledger.flatMap(({ method, path, errors }) =>
    Object.entries(errors).flatMap(([status, codes]) => codes.map((code) => `${method} ${path} ${status} ${code}`)),
  );
  const count = documented.filter((pair) => provoked.has(pair)).length;
  return `contract pairs provoked: ${count} of ${documented.length}`;
};
