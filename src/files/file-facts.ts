/**
 * Where a path truly leads. It is opened (as a place only: nothing is read, no device and no pipe is woken) and the
 * kernel is asked for the name of what was opened, so links, `..` and bind mounts are settled by the one who will settle
 * them again when the tool opens it. It judges nothing.
 */
import { closeSync, constants, fstat, open, readlinkSync, realpath, type BigIntStats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import picomatch from 'picomatch';
import { fileStamp, isKernelTree, type PathFact, type PathUse } from '../domain/gate/facts.js';
import type { FileFacts } from '../ports.js';

/** Linux `O_PATH`, which Node does not name. */
const O_PATH = 0o10000000;
const ON_LINUX = process.platform === 'linux';

const openPlace = promisify(open);
const statPlace = promisify(fstat);
const realPlace = promisify(realpath.native);

interface Place {
  readonly real: string;
  readonly stat: BigIntStats;
}

/** The real place of an existing path; rejects as `open` does. */
const locate = async (path: string): Promise<Place> => {
  if (!ON_LINUX) return { real: await realPlace(path), stat: await stat(path, { bigint: true }) };
  const fd = await openPlace(path, O_PATH | constants.O_RDONLY);
  try {
    // Answered from memory, whatever disk the place is on; and so is closing what was opened as a place only.
    return { real: readlinkSync(`/proc/self/fd/${fd}`), stat: await statPlace(fd, { bigint: true }) };
  } finally {
    closeSync(fd);
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

/** Of places, not of files somebody is about to open: one question to the kernel where there is something, so cheap. */
const realPathsOf = (paths: readonly string[]): Promise<string[]> => {
  // What several of them need is asked once: the folder of those that are missing.
  const asked = new Map<string, Promise<string>>();
  const find = async (path: string): Promise<string> => {
    const real = await realPlace(path).catch(() => undefined);
    if (real !== undefined || path === dirname(path)) return real ?? path;
    return join(await ask(dirname(path)), basename(path));
  };
  const ask = (path: string): Promise<string> => {
    const answer = asked.get(path) ?? find(path);
    asked.set(path, answer);
    return answer;
  };
  return Promise.all(paths.map(ask));
};

/** Nobody lists that many paths to read them; what a word that matches more would reach is not known. */
const GLOB_PATHS_MAX = 5_000;

/** The paths a shell would put in place of an absolute word with wildcards; undefined when there are too many. */
const expandGlob = async (pattern: string): Promise<string[] | undefined> => {
  let found = [''];
  for (const segment of pattern.split('/').slice(1)) {
    if (!/[*?[]/.test(segment)) {
      found = found.map((path) => `${path}/${segment}`);
      continue;
    }
    // Hidden names need a written dot.
    const matches = picomatch(segment, {
      dot: segment.startsWith('.'),
      nonegate: true,
      noextglob: true,
      nobrace: true,
    });
    // `.*` means the folder above, too, for a bash before 5.2.
    const above = /^\.[.*?[]/.test(segment) ? ['..'] : [];
    const listed = found.map(async (folder) => {
      const names = await readdir(folder === '' ? '/' : folder).catch(() => []);
      return [...above, ...names.filter((name) => matches(name))].map((name) => `${folder}/${name}`);
    });
    found = (await Promise.all(listed)).flat();
    if (found.length > GLOB_PATHS_MAX) return undefined;
  }
  return (await Promise.all(found.map(async (path) => ((await exists(path)) ? [path] : [])))).flat();
};

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** The user's own name and folder as the shell has them in `~name`; a container's user may have none. */
const ownTilde = ((): { readonly name: string; readonly folder: string } | undefined => {
  try {
    const { username, homedir } = userInfo();
    return { name: `~${username}`, folder: homedir };
  } catch {
    return undefined;
  }
})();

export const createFileFacts = (home: string): FileFacts => {
  /** Not normalized: behind a link, `..` is the parent of where the link leads, and only the kernel knows that. */
  const absolutePath = (cwd: string, path: string): string => {
    const [tilde] = path.split('/', 1) as [string];
    if (tilde === '~') return home + path.slice(tilde.length);
    if (tilde === ownTilde?.name) return ownTilde.folder + path.slice(tilde.length);
    if (tilde === '~+') return cwd + path.slice(tilde.length);
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

  const factsOf = async (cwd: string, use: PathUse): Promise<PathFact[]> => {
    if (!use.glob) return [await factOf(cwd, use)];
    const found = await expandGlob(absolutePath(cwd, use.path));
    if (!found) return [{ ...(await factOf(cwd, use)), kind: 'special' }];
    return Promise.all((found.length === 0 ? [use.path] : found).map((path) => factOf(cwd, { ...use, path })));
  };

  return {
    gather: async (cwd, uses) => (await Promise.all(uses.map((use) => factsOf(cwd, use)))).flat(),
    realPaths: realPathsOf,
  };
};
