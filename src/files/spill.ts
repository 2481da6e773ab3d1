/**
 * Keeps output that is too long to deliver, one file each, in the data directory, readable by the user alone. Only the
 * newest are kept.
 */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '../make-folders.js';
import type { Ids, Spill } from '../ports.js';

/** Enough to look at what just happened; an endless stream of giant answers must not fill the disk. */
const FILES_MAX = 32;

export const createSpill = (dataDir: string, ids: Ids): Spill => {
  const folder = join(dataDir, 'output');
  return {
    keep: async (text) => {
      await makeFolders(folder, 0o700);
      const path = join(folder, `${ids.ulid()}.txt`);
      await writeFile(path, text, { mode: 0o600, flag: 'wx' });
      // Names start with their time, so the order of names is the order of age.
      const names = (await readdir(folder)).toSorted();
      await Promise.all(names.slice(0, -FILES_MAX).map((name) => rm(join(folder, name), { force: true })));
      return path;
    },
  };
};
