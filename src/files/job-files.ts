/**
 * Jobs across restarts: one small JSON file each, in the data directory, readable by the user alone. What cannot be read
 * is left out. They are not synced: a power cut may forget the last ones, a crash of the daemon does not.
 */
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobRecord } from '../domain/job.js';
import { isJsonObject, type JsonValue } from '../domain/json.js';
import { makeFolders } from '../make-folders.js';
import type { JobStore } from '../ports.js';

const FILE = /^(job_[0-9a-f]+)\.json$/;

export const createJobFiles = (dataDir: string): JobStore => {
  const folder = join(dataDir, 'jobs');
  const fileOf = (id: string): string => join(folder, `${id}.json`);
  return {
    load: async () => {
      await makeFolders(folder, 0o700);
      const names = await readdir(folder);
      const drafts = names.filter((name) => !FILE.test(name));
      await Promise.all(drafts.map((name) => rm(join(folder, name), { force: true, recursive: true })));
      const read = names.filter((name) => FILE.test(name)).map((name) => readJob(join(folder, name)));
      return (await Promise.all(read)).filter((job) => job !== undefined);
    },
    save: async (job) => {
      const draft = `${fileOf(job.id)}.draft`;
      await writeFile(draft, JSON.stringify(job), { mode: 0o600 });
      await rename(draft, fileOf(job.id));
    },
    remove: (id) => rm(fileOf(id), { force: true }),
  };
};

const readJob = async (path: string): Promise<JobRecord | undefined> => {
  try {
    const stored = JSON.parse(await readFile(path, 'utf8')) as JsonValue;
    return isJsonObject(stored) && typeof stored['id'] === 'string' ? (stored as unknown as JobRecord) : undefined;
  } catch {
    return undefined;
  }
};
