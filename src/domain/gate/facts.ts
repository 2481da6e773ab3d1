/**
 * What the gates need to know about a call before they can judge it. Facts are gathered once, by a port; nothing here
 * looks anything up.
 */

/** How a call would use a path. */
export interface PathUse {
  /** As the caller wrote it; relative to the session's working directory. */
  readonly path: string;
  readonly access: 'read' | 'write';
  /** A shell word with wildcards: every path it matches now is meant, or itself when there is none. */
  readonly glob?: true;
  /** A write that leaves what is in the file as it is (a move). */
  readonly keepsContent?: true;
}

/** Where a path truly leads. `special` is everything but a regular file, a folder and nothing at all. */
export interface PathFact extends PathUse {
  /** Absolute, without `.` and `..`, links not followed. */
  readonly lexical: string;
  /** Absolute, with every link followed; for what does not exist, its nearest existing folder resolved plus the rest. */
  readonly real: string;
  readonly kind: 'file' | 'directory' | 'missing' | 'special';
  /** Changes whenever the file does; present for a regular file. */
  readonly stamp?: string;
  /** A read of the whole of a result that this caller was given the beginning of. */
  readonly kept?: true;
}

/** A session's record of what it has read: real path to the stamp it had then. */
export interface FilesRead {
  stampOf(path: string): string | undefined;
  note(path: string, stamp: string): void;
}

/** A session that reads this many files has long forgotten the first. Bounds memory, nothing else. */
const FILES_READ_MAX = 10_000;

export const createFilesRead = (): FilesRead => {
  const stamps = new Map<string, string>();
  return {
    stampOf: (path) => stamps.get(path),
    note: (path, stamp) => {
      stamps.delete(path);
      stamps.set(path, stamp);
      if (stamps.size > FILES_READ_MAX) stamps.delete(stamps.keys().next().value as string);
    },
  };
};

/** The stamp of a file as `stat` describes it: another file, another size or another moment of writing changes it. */
export const fileStamp = (stat: { dev: bigint; ino: bigint; size: bigint; mtimeNs: bigint }): string =>
  `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}`;

/** Kernel trees, where opening can do anything and names are no files. `/dev/shm` is an ordinary file system. */
const KERNEL_TREE = /^\/(proc|sys|dev(?!\/shm(\/|$)))(\/|$)/;

export const isKernelTree = (path: string): boolean => KERNEL_TREE.test(path);
