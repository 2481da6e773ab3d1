/** What the file system answers, as a code for the program and as a sentence for a person. */
export const errorCodeOf = (error: unknown): string | undefined => {
  // By shape, not by class: an error may come from another realm.
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
};

const SENTENCES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'a file is in its place',
  ELOOP: 'its links go round in a circle',
  ENAMETOOLONG: 'its name is too long',
  ENOTDIR: 'a file is in the place of one of its folders',
  ENXIO: 'it is not a regular file',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** Why a file cannot be read, without its path or content. */
export const whyUnreadable = (error: unknown): string => {
  const code = errorCodeOf(error);
  return (code && SENTENCES[code]) ?? `it cannot be read (${code ?? 'unknown reason'})`;
};
