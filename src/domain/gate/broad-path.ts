/**
 * Paths in a shell line that stand for more than a thing of the project: whole trees, and the machine's own files. Judged
 * on what is written; nothing is looked up.
 */
import { posix } from 'node:path';
import { UNKNOWN } from './shell.js';

const isDevice = (text: string): boolean =>
  /^\/+dev\//.test(text) &&
  !/^\/+dev\/(null|zero|stdin|stdout|stderr|tty|random|urandom|full|fd\/\d+|shm\/.+)$/.test(text);

/** True for the machine's own files and devices. */
export const isSystemPath = (text: string): boolean => {
  const path = posix.normalize(text);
  return isDevice(path) || /^\/(etc|boot|bin|sbin|lib\w*|usr|proc|sys|root|var\/spool\/cron)(\/|$)/.test(path);
};

const hasWildcard = (segment: string): boolean => /[*?[]/.test(segment);
const isOnlyWildcard = (segment: string): boolean =>
  hasWildcard(segment) && !/[A-Za-z0-9_]/.test(segment.replaceAll(/\[[^\]]+\]/g, ''));

/**
 * True for a path that stands for much more than one thing of a project: the root and the folders just below it, a home
 * folder and what is directly in it, the working directory as a whole, and everything above it.
 */
export const isBroadPath = (text: string): boolean => {
  if (text.includes(UNKNOWN)) return true;
  if (text === '') return false;
  // The whole repository, for git.
  if (/^:(\/|\(top\))\.?\/?\*?$/.test(text)) return true;
  const segments = posix
    .normalize(text)
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  // A folder's whole content counts as the folder.
  while (segments.length > 0 && isOnlyWildcard(segments.at(-1) as string)) segments.pop();
  const [first, second] = segments;
  if (first === '..' || first === '.git') return true;
  if (text.startsWith('~')) return segments.length <= 2 || segments.includes('..') || hasWildcard(second ?? '');
  if (!text.startsWith('/')) return segments.length === 0;
  if (first === 'tmp') return second === undefined;
  return segments.length <= 2 || hasWildcard(first ?? '') || hasWildcard(second ?? '');
};
