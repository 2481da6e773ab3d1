/**
 * Agent definitions as files of a folder, one `NAME.md` each, which people edit too. Reading them all, changing one under
 * a lock, and a stamp that differs after any of them changed. What they mean is `domain/agent-definition.ts`.
 */
import { isUtf8 } from 'node:buffer';
import { constants, lstat, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
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
/** More definitions than anybody has; reading a file anew costs little. */
const KEPT_MAX = 200;

export const createAgentFiles = (): AgentFiles => {
  const kept = new Map<string, { readonly stamp: string; readonly text: string }>();

  const readOne = async (path: string): Promise<string> => {
    const stamp = await stampAt(path);
    const held = kept.get(path);
    if (held?.stamp === stamp) return held.text;
    const text = await readText(path);
    // Kept only when it is what the stamp was taken of.
    if ((await stampAt(path)) === stamp) {
      if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value!);
      kept.set(path, { stamp, text });
    }
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
          const isGone = errorCodeOf(error) === 'ENOENT' && (await lstat(path).catch(() => undefined)) === undefined;
          if (!isGone) warnings.push(`${path}: ${reasonOf(error)}`);
        }
      }
      return { texts, warnings };
    },

    stamp: async (folder) => {
      const warnings: string[] = [];
      const names = await namesIn(folder, warnings);
      const stamps = await Promise.all(names.map(async (name) => `${name}=${await stampAt(pathOf(folder, name))}`));
      return [...stamps, ...warnings].join('\n');
    },

    pathOf,

    change: (folder, name, plan) =>
      inTurn(folder, async () => {
        const path = pathOf(folder, name);
        await makeFolders(folder, NEW_FOLDER_MODE);
        await withLock(join(folder, '.agents.lock'), async () => {
          const found = await stat(path, { bigint: true }).catch(() => undefined);
          const text = found && (await readText(path).catch(refuse));
          const next = plan(text);
          if (next === text) return;
          if (next === undefined) await rm(path, { force: true });
          else if (Buffer.byteLength(next) > FILE_BYTES_MAX)
            throw new DaemonError('bad_request', 'content: is too long');
          // A link stays one, and what it leads to is written.
          else await replaceFile(found ? await realpath(path) : path, next, { like: found });
        });
      }),

    rename: (folder, name, newName) =>
      inTurn(folder, () =>
        withLock(join(folder, '.agents.lock'), async () => {
          const newPath = pathOf(folder, newName);
          if ((await lstat(newPath).catch(() => undefined)) !== undefined) return false;
          // The file itself: what somebody writes into it at this moment stays in it.
          await rename(pathOf(folder, name), newPath).catch((error: unknown) => {
            throw errorCodeOf(error) === 'ENOENT' ? new DaemonError('not_found') : error;
          });
          return true;
        }),
      ),
  };
};

/** What is there is no text to read; the message says why. */
class NoText extends Error {}

const readText = async (path: string): Promise<string> => {
  // Without O_NONBLOCK opening a pipe would wait for its writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new NoText('it is not a regular file');
    if (found.size > FILE_BYTES_MAX) throw new NoText('it is too long');
    const bytes = await handle.readFile();
    if (!isUtf8(bytes)) throw new NoText('it is not UTF-8 text');
    return bytes.toString('utf8');
  } finally {
    await handle.close();
  }
};

const reasonOf = (error: unknown): string => {
  if (error instanceof NoText) return error.message;
  return errorCodeOf(error) === 'ENOENT' ? 'it is a link that leads nowhere' : whyUnreadable(error);
};

const refuse = (error: unknown): never => {
  throw new DaemonError('bad_request', `name: what has that name cannot be read: ${reasonOf(error)}`, { cause: error });
};

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
