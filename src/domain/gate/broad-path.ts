/**
 * Paths in a shell line that stand for more than a thing of the project: whole trees, what lies outside the project, and
 * the machine's own files. Judged on what is written; nothing is looked up.
 */
import { posix } from 'node:path';
import { UNKNOWN } from './shell-words.js';

/** Where a line would run: real paths of the working directory and of the home folder. */
export interface Place {
  readonly cwd: string;
  readonly home: string;
}

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

/** The names on the way; a folder's whole content counts as the folder. */
const segmentsOf = (text: string): string[] => {
  const segments = posix
    .normalize(text)
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  while (segments.length > 0 && isOnlyWildcard(segments.at(-1) as string)) segments.pop();
  return segments;
};

/** The way from one absolute folder to a path below it, `''` for the folder itself; undefined for any other path. */
const wayFrom = (folder: string, segments: readonly string[]): string | undefined => {
  const names = segmentsOf(folder);
  return names.every((name, at) => segments[at] === name) ? segments.slice(names.length).join('/') : undefined;
};

/** `~` and what is below it, when it is known where that is. */
const absolute = (text: string, place: Place | undefined): string =>
  place && /^~(\/|$)/.test(text) ? `${place.home}/${text.slice(2)}` : text;

/** What is written, seen from the working directory when it lies below that. */
const seenFromCwd = (text: string, place: Place | undefined): string => {
  const path = absolute(text, place);
  const way = place && path.startsWith('/') ? wayFrom(place.cwd, segmentsOf(path)) : undefined;
  return way === undefined ? text : way || '.';
};

/**
 * True for a path that stands for much more than one thing of a project: the root and the folders just below it, a home
 * folder and what is directly in it, the working directory as a whole, and everything above it.
 */
export const isBroadPath = (written: string, place?: Place): boolean => {
  if (written.includes(UNKNOWN)) return true;
  if (written === '') return false;
  // The whole repository, for git.
  if (/^:(\/|\(top\))\.?\/?\*?$/.test(written)) return true;
  const text = seenFromCwd(written, place);
  const segments = segmentsOf(text);
  const [first, second] = segments;
  if (first === '..' || first === '.git') return true;
  if (text.startsWith('~')) return segments.length <= 2 || segments.includes('..') || hasWildcard(second ?? '');
  if (!text.startsWith('/')) return segments.length === 0;
  if (first === 'tmp') return second === undefined;
  return segments.length <= 2 || hasWildcard(first ?? '') || hasWildcard(second ?? '');
};

/** What programs keep below a home folder and make anew when it is gone. */
const CACHE =
  /^(\.cache|Library\/Caches)\/[^/]|^\.(npm\/_cacache|gradle\/caches|m2\/repository|cargo\/registry|nuget\/packages)(\/|$)/;

/** True for a path that is broad, or lies outside the working directory and is neither temporary nor a cache. */
export const isFarPath = (written: string, place?: Place): boolean => {
  if (isBroadPath(written, place)) return true;
  const text = seenFromCwd(written, place);
  if (!/^[/~]/.test(text)) return false;
  const segments = segmentsOf(absolute(text, place));
  const belowHome = text.startsWith('~/')
    ? segmentsOf(text).slice(1).join('/')
    : place && wayFrom(place.home, segments);
  if (belowHome !== undefined && CACHE.test(belowHome)) return false;
  // Whatever the working directory itself lies in is no temporary thing.
  if (place && wayFrom(`/${segments.join('/')}`, segmentsOf(place.cwd)) !== undefined) return true;
  const [first, second, third] = segments;
  return !(first === 'tmp' && second !== undefined) && !(first === 'var' && second === 'tmp' && third !== undefined);
};

/** True for the working directory by any of its names, so that going there is going nowhere. */
export const isWorkingDirectory = (text: string, place?: Place): boolean =>
  text !== '' && !text.includes(UNKNOWN) && !/^[~*?[]/.test(text) && posix.normalize(seenFromCwd(text, place)) === '.';
