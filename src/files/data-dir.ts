/** The data directory: private to the user, and used by one daemon at a time. */
import { join, resolve } from 'node:path';
import { makeFolders } from '../make-folders.js';
import { errorCodeOf, whyUnreadable } from './file-errors.js';
import { tryLock } from './process-lock.js';

export interface DataDir {
  /** Absolute. */
  readonly path: string;
  release(): Promise<void>;
}

/** Makes the directory when it is missing. Rejects when it cannot, and, naming the process, when another daemon uses it. */
export const openDataDir = async (path: string): Promise<DataDir> => {
  const absolute = resolve(path);
  const lock = await makeAndLock(absolute).catch((cause: unknown) => {
    // The folders above were looked for one by one; the last that is there takes no new ones.
    const reason = errorCodeOf(cause) === 'ENOENT' ? 'no folder can be made there' : whyUnreadable(cause);
    throw new Error(`the data directory ${absolute} cannot be used: ${reason}; name another one with --data-dir`, {
      cause,
    });
  });
  if (!('release' in lock)) {
    const owner = lock.owner ? `process ${lock.owner.pid}` : 'another process';
    throw new Error(
      `the data directory ${absolute} is in use by ${owner}; stop it or name another one with --data-dir`,
    );
  }
  return { path: absolute, release: () => lock.release() };
};

const makeAndLock = async (path: string): ReturnType<typeof tryLock> => {
  await makeFolders(path, 0o700);
  return tryLock(join(path, 'daemon.lock'));
};
