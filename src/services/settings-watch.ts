/**
 * Watches the settings files of live sessions, each file once however many sessions read it.
 */
import type { SettingsFiles } from '../ports.js';

interface Watched {
  readonly stop: () => void;
  readers: number;
}

export class SettingsWatch {
  readonly #files: SettingsFiles;
  readonly #changed: (path: string) => void;
  readonly #watched = new Map<string, Watched>();

  /** `changed` may be called for a file whose content is what it was. */
  constructor(files: SettingsFiles, changed: (path: string) => void) {
    this.#files = files;
    this.#changed = changed;
  }

  get paths(): string[] {
    return [...this.#watched.keys()];
  }

  add(paths: readonly string[]): void {
    for (const path of paths) {
      const watched = this.#watched.get(path);
      if (watched) watched.readers += 1;
      else this.#watched.set(path, { stop: this.#files.watch(path, () => this.#changed(path)), readers: 1 });
    }
  }

  remove(paths: readonly string[]): void {
    for (const path of paths) {
      const watched = this.#watched.get(path);
      if (!watched) continue;
      watched.readers -= 1;
      if (watched.readers > 0) continue;
      watched.stop();
      this.#watched.delete(path);
    }
  }
}
