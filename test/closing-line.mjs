/**
 * A reporter that closes the run with one plain line, for people and programs that read only the end.
 */
export default class ClosingLine {
  onRunComplete(_contexts, results) {
    // A file that cannot be loaded has no tests to count as failed, but it has failed.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    process.stdout.write(
      `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
    );
  }
}
