/**
 * Jobs as earlier versions kept them, one small JSON file each in the data directory. They are read once, at start, and
 * removed as soon as whoever wants them has them. One that cannot be read stays where it is.
 */
import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobRecord } from '../domain/job.js';
import { isJsonObject, type JsonValue } from '../domain/json.js';
import type { Logger } from '../ports.js';

const FILE = /^job_[0-9a-f]+\.json$/;

/** Hands each job to `keep` and removes its file. Rejects with what `keep` rejects with; that file and the rest stay. */
export const takeJobFiles = async (
  dataDir: string,
  keep: (job: JobRecord) => Promise<void>,
  logger: Logger,
): Promise<void> => {
  const folder = join(dataDir, 'jobs');
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const path = join(folder, name);
    if (FILE.test(name)) {
      const job = await readJob(path);
      if (job === undefined) {
        logger.warn({ path }, 'a job of an earlier version cannot be read');
        continue;
      }
      await keep(job);
    }
    // The others are drafts that a kill left behind.
    await rm(path, { force: true, recursive: true });
  }
  await rmdir(folder).catch(() => undefined);
};

const readJob = async (path: string): Promise<JobRecord | undefined> => {
  try {
    const stored = JSON.parse(await readFile(path, 'utf8')) as JsonValue;
    return isJsonObject(stored) && typeof stored['id'] === 'string' ? (stored as unknown as JobRecord) : undefined;
  } catch {
    return undefined;
  }
};
