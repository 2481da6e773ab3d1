/**
 * Replaces the content of a file in one step: whoever looks, and whatever crash or full disk comes, finds the old
 * content or the new. Callers hold the file's lock.
 */
import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const NEW_FILE_MODE = 0o600;
const SUFFIX = /^\.[0-9a-f]{16}\.tmp$/;
const PERMISSION_BITS = 0o7777n;

export interface ReplaceOptions {
  /** The file that is replaced: the new one gets its mode and owner. */
  readonly like?: BigIntStats | undefined;
  /** The last look before the new content appears; what it throws leaves everything as it was. */
  readonly beforeRename?: () => Promise<void>;
}

/** Throws what the file system throws; the old content is untouched then. */
export const replaceFile = async (path: string, content: string, options: ReplaceOptions = {}): Promise<void> => {
  const draft = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    const handle = await open(draft, 'wx', NEW_FILE_MODE);
    try {
      await handle.writeFile(content);
      const { like } = options;
      if (like) {
        const own = await handle.stat({ bigint: true });
        // The owner first: changing it clears mode bits.
        if (own.uid !== like.uid || own.gid !== like.gid) await handle.chown(Number(like.uid), Number(like.gid));
        await handle.chmod(Number(like.mode & PERMISSION_BITS));
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await options.beforeRename?.();
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
};

/** Under the lock nobody else writes, so a draft that is there was left by a writer that was killed. */
export const removeLeftDrafts = async (path: string): Promise<void> => {
  const name = basename(path);
  for (const found of await readdir(dirname(path))) {
    if (found.startsWith(name) && SUFFIX.test(found.slice(name.length))) {
      await rm(join(dirname(path), found), { force: true });
    }
  }
};

/** Makes the rename outlive a power cut. The change is made by now, so a file system that cannot do it is no failure. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
};
