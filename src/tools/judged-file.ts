/**
 * Opens what the gates judged and nothing else. The judged path has no links left in it, so an opened file whose name
 * differs from it was swapped in between, and is refused. Pipes, devices and kernel trees are refused too.
 */
import { close, closeSync, constants, fstat, open, read, readFile, readlinkSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { promisify } from 'node:util';
import { fileStamp, isKernelTree } from '../domain/gate/facts.js';

const ON_LINUX = process.platform === 'linux';
/** Linux `O_PATH`, which Node does not name: a folder as a place, which closing does not have to wait for. */
const AS_PLACE = ON_LINUX ? 0o10000000 : constants.O_RDONLY;

/** Plain descriptors: the file handles of Node take twice as long for a small file. */
const openFile = promisify(open);
const statOf = promisify(fstat);
const readInto = promisify(read);
const readRest = promisify(readFile);
const closeFile = promisify(close);

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

/** The descriptor of what is opened. */
const openJudged = async (real: string, shown: string, flags: number): Promise<number> => {
  if (isKernelTree(real)) throw new ToolFailure(`${shown} is no regular file or folder`);
  // O_NONBLOCK: opening a pipe must not wait for its other end.
  const fd = await openFile(real, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: unknown) => {
    throw refusal(error, shown);
  });
  const name = ON_LINUX ? nameOf(fd) : await realpath(real).catch(() => undefined);
  if (name === real) return fd;
  await closeFile(fd);
  throw new ToolFailure(`${shown} was replaced after it was judged; try again`);
};

export interface OpenedFile {
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly mode: number;
  readonly stamp: string;
  /** What comes next, as much as there is and fits; returns how many bytes that are. */
  readonly read: (into: Buffer) => Promise<number>;
  /** All that comes next. */
  readonly readRest: () => Promise<Buffer>;
}

/** Runs `use` on the opened regular file and closes it. Throws ToolFailure for anything else than a regular file. */
export const withJudgedFile = async <T>(
  { real, shown, flags = constants.O_RDONLY }: { real: string; shown: string; flags?: number },
  use: (file: OpenedFile) => Promise<T>,
): Promise<T> => {
  const fd = await openJudged(real, shown, flags);
  try {
    const stat = await statOf(fd, { bigint: true });
    if (stat.isDirectory()) throw new ToolFailure(`${shown} is a folder; list_dir shows what is in it`);
    if (!stat.isFile()) throw new ToolFailure(`${shown} is no regular file`);
    return await use({
      bytes: Number(stat.size),
      modifiedMs: Number(stat.mtimeMs),
      mode: Number(stat.mode),
      stamp: fileStamp(stat),
      read: async (into) => (await readInto(fd, into, 0, into.length, null)).bytesRead,
      readRest: () => readRest(fd),
    });
  } finally {
    await closeFile(fd);
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
  const fd = await openJudged(real, shown, AS_PLACE);
  try {
    const stat = await statOf(fd);
    if (!stat.isDirectory()) throw new ToolFailure(`${shown} is no folder`);
    return await use(ON_LINUX ? `/proc/self/fd/${fd}` : real, stat.size);
  } finally {
    closeSync(fd);
  }
};
