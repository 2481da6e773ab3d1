/**
 * Agent definitions as files of a folder, one `NAME.md` each, which people edit too. Reading them all, changing one under
 * a lock, and a stamp that differs after any of them changed. What they mean is `domain/agent-definition.ts`.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DaemonError } from '../domain/errors.js';
import { makeFolders } from '../make-folders.js';
import type { AgentFiles } from '../ports.js';
import { errorCodeOf, whyUnreadable } from './file-errors.js';
import { stampAt } from './file-stamp.js';
import { inTurn, withLock } from './process-lock.js';
import { replaceFile } from './replace-file.js';

const FILE = /^([A-Za-z0-9_-]{1,64})\.md$/;
/** A prompt of a hundred pages. */
const FILE_BYTES_MAX = 512 * 1024;
const NEW_FOLDER_MODE = 0o700;

export const createAgentFiles = (): AgentFiles => {
  const kept = new Map<string, { readonly stamp: string; readonly text: string }>();

  const readOne = async (path: string): Promise<string> => {
    const stamp = await stampAt(path);
    const held = kept.get(path);
    if (held?.stamp === stamp) return held.text;
    if ((await stat(path)).size > FILE_BYTES_MAX) throw new TooLong();
    const text = await readFile(path, 'utf8');
    // Kept only when it is what the stamp was taken of.
    if ((await stampAt(path)) === stamp) kept.set(path, { stamp, text });
    return text;
  };

  return {
    list: async (folder) => {
      const texts = new Map<string, string>();
      const warnings: string[] = [];
      for (const name of await namesIn(folder, warnings)) {
        const path = pathOf(folder, name);
        try {
          texts.set(name, await readOne(path));
        } catch (error) {
          // Gone since the folder was read.
          if (errorCodeOf(error) === 'ENOENT') continue;
          warnings.push(`${path}: ${error instanceof TooLong ? error.message : whyUnreadable(error)}`);
        }
      }
      return { texts, warnings };
    },

    stamp: async (folder) => {
      const names = await namesIn(folder, []);
      const stamps = await Promise.all(names.map(async (name) => `${name}=${await stampAt(pathOf(folder, name))}`));
      return stamps.join('\n');
    },

    pathOf,

    change: (folder, name, plan) =>
      inTurn(folder, async () => {
        const path = pathOf(folder, name);
        await makeFolders(folder, NEW_FOLDER_MODE);
        await withLock(join(folder, '.agents.lock'), async () => {
          const found = await stat(path, { bigint: true }).catch(() => undefined);
          const text = found && (await readFile(path, 'utf8'));
          const next = plan(text);
          if (next === text) return;
          if (next === undefined) await rm(path, { force: true });
          else if (Buffer.byteLength(next) > FILE_BYTES_MAX)
            throw new DaemonError('bad_request', 'content: is too long');
          else await replaceFile(path, next, { like: found });
        });
      }),
  };
};

class TooLong extends Error {
  constructor() {
    super('it is too long');
  }
}

const pathOf = (folder: string, name: string): string => join(folder, `${name}.md`);

/** Sorted. A folder that is not there has none. */
const namesIn = async (folder: string, warnings: string[]): Promise<string[]> => {
  try {
    const found = await readdir(folder);
    return found.flatMap((file) => FILE.exec(file)?.[1] ?? []).toSorted();
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') warnings.push(`${folder}: ${whyUnreadable(error)}`);
    return [];
  }
};
