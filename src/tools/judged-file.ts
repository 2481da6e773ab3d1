/**
 * Opens what the gates judged and nothing else. The judged path has no links left in it, so an opened file whose name
 * differs from it was swapped in between, and is refused. Pipes, devices and kernel trees are refused too.
 */
import { constants, readlinkSync } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { fileStamp, isKernelTree } from '../domain/gate/facts.js';

const ON_LINUX = process.platform === 'linux';

/** A failure of a tool that its caller should read. */
export class ToolFailure extends Error {}

/** The sentence for what the file system said. The path is the caller's own. */
export const refusal = (error: unknown, path: string): ToolFailure => {
  if (error instanceof ToolFailure) return error;
  const code = (error as NodeJS.ErrnoException).code;
  const sentences: Record<string, string> = {
    ENOENT: 'does not exist',
    ENOTDIR: 'does not exist: a part of the path is a file',
    EACCES: 'may not be opened: permission denied',
    EPERM: 'may not be changed: operation not permitted',
    EISDIR: 'is a folder',
    ELOOP: 'is a link that was put there after the path was judged',
    EEXIST: 'exists already',
    ENOTEMPTY: 'is a folder that is not empty',
    ENAMETOOLONG: 'is too long a name',
    ENXIO: 'is no regular file',
    ENOSPC: 'cannot be written: the disk is full',
    EROFS: 'cannot be written: the file system is read-only',
  };
  return new ToolFailure(`${path} ${sentences[code ?? ''] ?? `cannot be used (${code ?? 'unknown error'})`}`, {
    cause: error,
  });
};

/** What the kernel calls an open file. Answered from memory, whatever disk the file is on, so it is asked on the spot. */
const nameOf = (fd: number): string | undefined => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
};

const openJudged = async (real: string, shown: string, flags: number): Promise<FileHandle> => {
  if (isKernelTree(real)) throw new ToolFailure(`${shown} is no regular file or folder`);
  // O_NONBLOCK: opening a pipe must not wait for its other end.
  const handle = await open(real, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: unknown) => {
    throw refusal(error, shown);
  });
  const name = ON_LINUX ? nameOf(handle.fd) : await realpath(real).catch(() => undefined);
  if (name === real) return handle;
  await handle.close();
  throw new ToolFailure(`${shown} was replaced after it was judged; try again`);
};

export interface OpenedFile {
  readonly handle: FileHandle;
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly mode: number;
  readonly stamp: string;
}

/** Runs `use` on the opened regular file and closes it. Throws ToolFailure for anything else than a regular file. */
export const withJudgedFile = async <T>(
  { real, shown, flags = constants.O_RDONLY }: { real: string; shown: string; flags?: number },
  use: (file: OpenedFile) => Promise<T>,
): Promise<T> => {
  const handle = await openJudged(real, shown, flags);
  try {
    const stat = await handle.stat({ bigint: true });
    if (stat.isDirectory()) throw new ToolFailure(`${shown} is a folder; list_dir shows what is in it`);
    if (!stat.isFile()) throw new ToolFailure(`${shown} is no regular file`);
    return await use({
      handle,
      bytes: Number(stat.size),
      modifiedMs: Number(stat.mtimeMs),
      mode: Number(stat.mode),
      stamp: fileStamp(stat),
    });
  } finally {
    await handle.close();
  }
};

/**
 * Runs `use` with a path to the judged folder that stays this very folder while it runs, whatever is renamed or linked
 * over its name meanwhile, and its size, which grows with its names. Throws ToolFailure for anything else than a folder.
 */
export const withJudgedFolder = async <T>(
  { real, shown }: { real: string; shown: string },
  use: (folder: string, bytes: number) => Promise<T>,
): Promise<T> => {
  const handle = await openJudged(real, shown, constants.O_RDONLY);
  try {
    const stat = await handle.stat();
    if (!stat.isDirectory()) throw new ToolFailure(`${shown} is no folder`);
    return await use(ON_LINUX ? `/proc/self/fd/${handle.fd}` : real, stat.size);
  } finally {
    await handle.close();
  }
};
