/**
 * Tells that the content of a file may have changed: written into, replaced, created, removed, also when its folder is
 * made or taken away, and when a link to it is pointed elsewhere. It watches the nearest folder that exists, since a
 * watch on a file ends with the file. A folder further up that is moved away as a whole is not noticed.
 */
import { statSync, realpathSync, unwatchFile, watch, watchFile, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Logger } from '../ports.js';
import { errorCodeOf } from './file-errors.js';
import { stampNow } from './file-stamp.js';

/** Many editors empty a file and then write it: between the two nobody should read. Far below a noticeable delay. */
const SETTLE_MS = 30;
/** A file that changes without end is told about all the same. */
const SETTLE_ROUNDS_MAX = 10;
/** Where the kernel has no watch left to give. */
const POLL_MS = 250;

/** One name in one folder. `key` changes when the folder at that path is another one. */
interface Place {
  readonly folder: string;
  readonly name: string;
  readonly key: string;
}

/** The `watch` of the settings port. Listeners of one path share one watch. */
export const createFileWatches = (logger: Logger): ((path: string, onChange: () => void) => () => void) => {
  const watches = new Map<string, FileWatch>();
  return (path, onChange) => {
    const found = watches.get(path) ?? new FileWatch(path, logger);
    watches.set(path, found);
    // Wrapped, so that a listener given twice is two listeners.
    const listener = (): void => onChange();
    found.listeners.add(listener);
    return () => {
      found.listeners.delete(listener);
      if (found.listeners.size > 0 || watches.get(path) !== found) return;
      watches.delete(path);
      found.close();
    };
  };
};

class FileWatch {
  readonly listeners = new Set<() => void>();
  readonly #path: string;
  readonly #logger: Logger;
  #watchers: FSWatcher[] = [];
  #armedFor = '';
  #polls = false;
  #timer: NodeJS.Timeout | undefined;
  #told: string;

  constructor(path: string, logger: Logger) {
    this.#path = path;
    this.#logger = logger;
    this.#arm();
    this.#told = stampNow(path);
  }

  close(): void {
    this.#disarm();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#polls) unwatchFile(this.#path, this.#notice);
  }

  readonly #notice = (): void => {
    this.#timer ??= setTimeout(() => this.#settle(undefined, 1), SETTLE_MS).unref();
  };

  /** Tells once the file is the same twice in a row. */
  #settle(previous: string | undefined, round: number): void {
    this.#timer = undefined;
    this.#arm();
    const current = stampNow(this.#path);
    if (current === this.#told) return;
    if (current !== previous && round < SETTLE_ROUNDS_MAX) {
      this.#timer = setTimeout(() => this.#settle(current, round + 1), SETTLE_MS).unref();
      return;
    }
    this.#told = current;
    for (const listener of this.listeners) {
      try {
        listener();
      } catch (error) {
        this.#logger.error({ err: error, path: this.#path }, 'a listener for a changed file failed');
      }
    }
  }

  /** Watches where the path leads now. A folder may appear between looking and watching, so it looks again. */
  #arm(): void {
    while (!this.#polls) {
      const places = placesOf(this.#path);
      const key = places.map((place) => place.key).join('\n');
      if (key === this.#armedFor) return;
      this.#disarm();
      try {
        for (const place of places) this.#watchers.push(this.#watch(place));
        this.#armedFor = key;
      } catch (error) {
        this.#disarm();
        if (errorCodeOf(error) !== 'ENOENT') this.#poll(error);
      }
    }
  }

  #watch({ folder, name }: Place): FSWatcher {
    const own = basename(folder);
    return watch(folder, { persistent: false }, (_, changed) => {
      // The folder's own end bears the folder's name; the names of locks and drafts beside the file are passed over.
      if (changed === null || changed === name || changed === own) this.#notice();
    }).on('error', this.#notice);
  }

  #disarm(): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
    this.#armedFor = '';
  }

  #poll(cause: unknown): void {
    this.#logger.warn({ err: cause, path: this.#path }, 'no file watch to be had; looking at the file now and then');
    this.#polls = true;
    watchFile(this.#path, { interval: POLL_MS, persistent: false }, this.#notice);
  }
}

/** The file's own place and, when links lead to it, the place of what is meant. */
const placesOf = (path: string): Place[] => {
  const own = placeOf(path);
  let real = path;
  try {
    real = realpathSync(path);
  } catch {
    // Not there now; its own place will tell when it comes.
  }
  const meant = placeOf(real);
  return meant.key === own.key ? [own] : [own, meant];
};

const placeOf = (path: string): Place => {
  const folder = dirname(path);
  const name = basename(path);
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
  if (found || folder === path) return { folder, name, key: `${found?.dev}:${found?.ino}:${name}` };
  return placeOf(folder);
};
