/** The data directory: private to the user, and used by one daemon at a time. */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { whyUnreadable } from './file-errors.js';
import { tryLock } from './process-lock.js';

export interface DataDir {
  /** Absolute. */
  readonly path: string;
  release(): Promise<void>;
}

/** Makes the directory when it is missing. Rejects when it cannot, and, naming the process, when another daemon uses it. */
export const openDataDir = async (path: string): Promise<DataDir> => {
  const absolute = resolve(path);
  await mkdir(absolute, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    const reason = whyUnreadable(cause);
    throw new Error(`the data directory ${absolute} cannot be used: ${reason}; name another one with --data-dir`, {
      cause,
    });
  });
  const lock = await tryLock(join(absolute, 'daemon.lock'));
  if (!('release' in lock)) {
    const owner = lock.owner ? `process ${lock.owner.pid}` : 'another process';
    throw new Error(
      `the data directory ${absolute} is in use by ${owner}; stop it or name another one with --data-dir`,
    );
  }
  return { path: absolute, release: () => lock.release() };
};
