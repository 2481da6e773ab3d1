/**
 * Changes what the gates judged and nothing else. A new file is created only where there is none; an existing one is
 * replaced only while it is the one that was judged, by a whole file written beside it, so a reader never sees half.
 * A hard link to the old file keeps the old text. The last instant before the rename is open to the same user.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, lstat, open, rename, rm, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileStamp, type PathFact } from '../domain/gate/facts.js';
import { makeFolders as makeMissing } from '../make-folders.js';
import { refusal, ToolFailure, withJudgedFolder } from './judged-file.js';

/** Where a judged name is now: its folder held open, and the name in it. */
const inFolder = <T>(fact: PathFact, use: (at: string, folder: string) => Promise<T>): Promise<T> =>
  withJudgedFolder({ real: dirname(fact.real), shown: dirname(fact.path) }, (folder) =>
    use(join(folder, basename(fact.real)), folder).catch((error: unknown) => {
      throw refusal(error, fact.path);
    }),
  );

const stampNow = async (handle: FileHandle): Promise<string> => fileStamp(await handle.stat({ bigint: true }));

const checkUnchanged = async (at: string, fact: PathFact): Promise<number> => {
  const found = await lstat(at, { bigint: true });
  if (!found.isFile() || fileStamp(found) !== fact.stamp)
    throw new ToolFailure(`${fact.path} changed meanwhile; read it again`);
  return Number(found.mode) & 0o7777;
};

/** Writes the whole file and returns its new stamp. Throws ToolFailure. */
export const writeJudged = async (fact: PathFact, text: string): Promise<string> => {
  if (fact.kind === 'directory') throw new ToolFailure(`${fact.path} is a folder`);
  if (fact.kind === 'special') throw new ToolFailure(`${fact.path} is no regular file`);
  if (fact.kind === 'missing') {
    await makeFolders(dirname(fact.real), fact.path);
    return inFolder(fact, async (at) => {
      const handle = await open(at, 'wx', 0o666);
      return finish(handle, text);
    });
  }
  return inFolder(fact, async (at, folder) => {
    const beside = join(folder, `.${basename(fact.real).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`);
    const mode = await checkUnchanged(at, fact);
    const handle = await open(beside, 'wx', 0o600);
    try {
      await handle.chmod(mode);
      const stamp = await finish(handle, text);
      await checkUnchanged(at, fact);
      await rename(beside, at);
      return stamp;
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
  });
};

const finish = async (handle: FileHandle, text: string): Promise<string> => {
  try {
    await handle.writeFile(text);
    await handle.sync();
    return await stampNow(handle);
  } finally {
    await handle.close();
  }
};

/** Makes a folder and those above it; an existing one is fine. `real` has no links in its existing part. */
export const makeFolders = async (real: string, shown: string): Promise<void> => {
  await makeMissing(real).catch((error: unknown) => {
    throw refusal(error, shown);
  });
};

/** A path that is itself a link: what is meant, the link or where it leads, is for the caller to say. */
const refuseLink = async ({ lexical, path, real }: PathFact): Promise<void> => {
  const found = await lstat(lexical).catch(() => undefined);
  if (found?.isSymbolicLink()) throw new ToolFailure(`${path} is a link to ${real}; name that instead`);
};

/** Deletes a regular file, or a folder that is empty. Throws ToolFailure. */
export const deleteJudged = async (fact: PathFact): Promise<void> => {
  await refuseLink(fact);
  if (fact.kind === 'missing') throw new ToolFailure(`${fact.path} does not exist`);
  if (fact.kind === 'special') throw new ToolFailure(`${fact.path} is no regular file`);
  await inFolder(fact, async (at) => {
    if (fact.kind === 'directory') return rmdir(at);
    await checkUnchanged(at, fact);
    return unlink(at);
  });
};

/** Gives a regular file another name, where nothing has it yet. Throws ToolFailure. */
export const moveJudged = async (from: PathFact, to: PathFact): Promise<void> => {
  await refuseLink(from);
  if (from.kind === 'missing') throw new ToolFailure(`${from.path} does not exist`);
  if (from.kind !== 'file') throw new ToolFailure(`${from.path} is no regular file; only files are moved`);
  if (to.kind !== 'missing') throw new ToolFailure(`${to.path} exists already`);
  await makeFolders(dirname(to.real), to.path);
  await inFolder(from, (source) =>
    inFolder(to, async (target) => {
      await checkUnchanged(source, from);
      // A second name and then one less: unlike rename, this never replaces what appeared meanwhile.
      await link(source, target).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EXDEV' || error.code === 'EPERM') return copyFile(source, target, constants.COPYFILE_EXCL);
        throw refusal(error, to.path);
      });
      await unlink(source);
    }),
  );
};
