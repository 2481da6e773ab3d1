/**
 * Keeps output that is too long to deliver, one file each, in the data directory, readable by the user alone. Only the
 * newest are kept.
 */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeFolders } from '../make-folders.js';
import type { Ids, Spill } from '../ports.js';

/** Enough to look at what just happened; an endless stream of giant answers must not fill the disk. */
const FILES_MAX = 32;

export const createSpill = (dataDir: string, ids: Ids): Spill => {
  const folder = join(dataDir, 'output');
  const owners = new Map<string, string>();
  return {
    isKeptFor: (owner, path) => path === join(folder, basename(path)) && owners.get(basename(path)) === owner,
    keep: async (text, owner) => {
      await makeFolders(folder, 0o700);
      const name = `${ids.ulid()}.txt`;
      const path = join(folder, name);
      await writeFile(path, text, { mode: 0o600, flag: 'wx' });
      owners.set(name, owner);
      // Names start with their time, so the order of names is the order of age.
      const names = (await readdir(folder)).toSorted();
      const oldest = names.slice(0, -FILES_MAX);
      for (const old of oldest) owners.delete(old);
      await Promise.all(oldest.map((old) => rm(join(folder, old), { force: true })));
      return path;
    },
  };
};
