/**
 * Tells whether a file is still the one that was read, without reading it again: by its place on the disk, its size and
 * its times. The time of the last change of the inode is part of it, so an edit that restores the time of writing is
 * seen too.
 */
import { readFileSync, statSync, type BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { errorCodeOf } from './file-errors.js';

/** Two changes nearer than this can bear the same time (kernel ticks are at most 10 ms, some file systems are coarser). */
const TIME_GRAIN_MS = 50;

export const stampOf = (found: BigIntStats): string =>
  `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;

/** The stamp of what is at `path` now; of what is not there, the code that says why. */
export const stampAt = (path: string): Promise<string> => stat(path, { bigint: true }).then(stampOf, codeOrUnknown);

export const stampNow = (path: string): string => {
  try {
    return stampOf(statSync(path, { bigint: true }));
  } catch (error) {
    return codeOrUnknown(error);
  }
};

const codeOrUnknown = (error: unknown): string => errorCodeOf(error) ?? 'unknown';

/** False while a second change could still leave the same stamp: what was read then must not be kept. */
export const isSettled = (found: BigIntStats): boolean => Date.now() - Number(found.ctimeMs) > TIME_GRAIN_MS;

/** One small file as a value that is never older than the file. Synchronous, for answers that cannot wait. */
export class FreshFile<T> {
  readonly #path: string;
  readonly #parse: (text: string) => T;
  readonly #unreadable: (error: unknown) => T;
  #held: { readonly stamp: string; readonly value: T } | undefined;

  /** `unreadable` also gets what `parse` throws. */
  constructor(path: string, parse: (text: string) => T, unreadable: (error: unknown) => T) {
    this.#path = path;
    this.#parse = parse;
    this.#unreadable = unreadable;
  }

  current(): T {
    try {
      const found = statSync(this.#path, { bigint: true });
      const stamp = stampOf(found);
      if (this.#held?.stamp === stamp) return this.#held.value;
      const value = this.#parse(readFileSync(this.#path, 'utf8'));
      this.#held = isSettled(found) ? { stamp, value } : undefined;
      return value;
    } catch (error) {
      this.#held = undefined;
      return this.#unreadable(error);
    }
  }
}
