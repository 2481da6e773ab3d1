/**
 * Where a path truly leads. It is opened (as a place only: nothing is read, no device and no pipe is woken) and the
 * kernel is asked for the name of what was opened, so links, `..` and bind mounts are settled by the one who will settle
 * them again when the tool opens it. It judges nothing.
 */
import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileStamp, isKernelTree, type PathFact, type PathUse } from '../domain/gate/facts.js';
import type { FileFacts } from '../ports.js';

/** Linux `O_PATH`, which Node does not name. */
const O_PATH = 0o10000000;
const ON_LINUX = process.platform === 'linux';

interface Place {
  readonly real: string;
  readonly stat: BigIntStats;
}

/** The real place of an existing path; rejects as `open` does. */
const locate = async (path: string): Promise<Place> => {
  if (!ON_LINUX) return { real: await realpath(path), stat: await stat(path, { bigint: true }) };
  const handle = await open(path, O_PATH | constants.O_RDONLY);
  try {
    return { real: await readlink(`/proc/self/fd/${handle.fd}`), stat: await handle.stat({ bigint: true }) };
  } finally {
    await handle.close();
  }
};

const isDanglingLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );

/** For what cannot be opened: the nearest folder above that can, resolved, and the rest of the names. */
const locateMissing = async (path: string): Promise<{ real: string; isPlain: boolean }> => {
  const rest: string[] = [];
  let isPlain = true;
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    // A link that leads nowhere is no free name: writing through it would make a file somewhere else. And what `..`
    // would mean behind a folder that does not exist is for nobody to guess.
    if (basename(at) === '..' || (await isDanglingLink(at))) isPlain = false;
    rest.unshift(basename(at));
    const folder = await locate(dirname(at)).catch(() => undefined);
    if (folder) return { real: join(folder.real, ...rest), isPlain };
  }
  return { real: path, isPlain };
};

export const createFileFacts = (home: string): FileFacts => {
  /** Not normalized: behind a link, `..` is the parent of where the link leads, and only the kernel knows that. */
  const absolutePath = (cwd: string, path: string): string => {
    if (path === '~' || path.startsWith('~/')) return home + path.slice(1);
    return isAbsolute(path) ? path : `${cwd}/${path}`;
  };

  const factOf = async (cwd: string, use: PathUse): Promise<PathFact> => {
    const absolute = absolutePath(cwd, use.path);
    const lexical = resolve(absolute);
    const place = await locate(absolute).catch(() => undefined);
    if (!place) {
      const { real, isPlain } = await locateMissing(absolute);
      return { ...use, lexical, real, kind: !isPlain || isKernelTree(real) ? 'special' : 'missing' };
    }
    const { real, stat } = place;
    if (isKernelTree(real)) return { ...use, lexical, real, kind: 'special' };
    if (stat.isFile()) return { ...use, lexical, real, kind: 'file', stamp: fileStamp(stat) };
    return { ...use, lexical, real, kind: stat.isDirectory() ? 'directory' : 'special' };
  };

  return {
    gather: (cwd, uses) => Promise.all(uses.map((use) => factOf(cwd, use))),
    realPath: async (path) => (await locate(path).catch(() => locateMissing(path))).real,
  };
};
