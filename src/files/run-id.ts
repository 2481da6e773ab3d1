/**
 * The id of this run of the daemon, which every child carries in its environment, and of the run before it. A run that
 * ended cleanly leaves no id behind; one that was killed does, so that the next start can find what it left running.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface RunId {
  /** Of an earlier run that did not end cleanly. */
  readonly previous: string | undefined;
  /** Records the current run. */
  begin(): Promise<void>;
  /** To be called when no child is left. */
  end(): Promise<void>;
}

export const createRunId = async (dataDir: string, current: string): Promise<RunId> => {
  const path = join(dataDir, 'run-id');
  const previous = await readFile(path, 'utf8').catch(() => undefined);
  return {
    previous: previous?.trim() || undefined,
    begin: () => writeFile(path, `${current}\n`, { mode: 0o600 }),
    end: () => rm(path, { force: true }),
  };
};
