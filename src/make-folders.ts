/**
 * Makes a folder and those above it that are missing. Not with the option that Node has for it: where the system answers
 * "not there" for a new name in a folder that is there, as /proc does, that never comes back, and keeps a thread.
 */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The topmost folder that was made; undefined when all were there. Throws what the file system throws. */
export const makeFolders = async (path: string, mode?: number): Promise<string | undefined> => {
  if (await isFolder(path)) return undefined;
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    // Somebody else made it meanwhile.
    if (await isFolder(path)) return undefined;
    const isParentMissing = (error as NodeJS.ErrnoException).code === 'ENOENT' && !(await isFolder(dirname(path)));
    if (!isParentMissing) throw error;
  }
  const above = await makeFolders(dirname(path), mode);
  const own = await makeFolders(path, mode);
  return above ?? own;
};

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
