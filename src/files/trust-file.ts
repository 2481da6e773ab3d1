/**
 * Which definitions of project files have been acknowledged: `trust.json` in the data directory. Of each name in each
 * file only the latest acknowledged definition counts. A command-line process may write the file while a daemon uses it.
 * A file that cannot be read acknowledges nothing.
 */
import { join } from 'node:path';
import { isJsonObject, type JsonValue } from '../domain/json.js';
import { makeFolders } from '../make-folders.js';
import type { TrustStore } from '../ports.js';
import { FreshFile } from './file-stamp.js';
import { inTurn, withLock } from './process-lock.js';
import { removeLeftDrafts, replaceFile } from './replace-file.js';

interface Acknowledgement {
  readonly path: string;
  readonly name: string;
  readonly digest: string;
}

export const createTrustStore = (dataDir: string): TrustStore => {
  const file = join(dataDir, 'trust.json');
  const stored = new FreshFile(file, parse, () => new Map<string, Acknowledgement>());
  return {
    path: file,
    has: (path, name, digest) => stored.current().get(keyOf(path, name))?.digest === digest,
    add: (path, name, digest) =>
      inTurn(file, async () => {
        await makeFolders(dataDir, 0o700);
        await withLock(`${file}.lock`, async () => {
          await removeLeftDrafts(file);
          const entries = stored.current();
          if (entries.get(keyOf(path, name))?.digest === digest) return;
          const changed = new Map(entries).set(keyOf(path, name), { path, name, digest });
          await replaceFile(file, `${JSON.stringify({ acknowledged: [...changed.values()] }, null, 2)}\n`);
        });
      }),
  };
};

const keyOf = (path: string, name: string): string => JSON.stringify([path, name]);

const parse = (text: string): Map<string, Acknowledgement> => {
  const document = JSON.parse(text) as JsonValue;
  const listed = isJsonObject(document) && Array.isArray(document['acknowledged']) ? document['acknowledged'] : [];
  const entries = new Map<string, Acknowledgement>();
  for (const item of listed) {
    if (!isJsonObject(item)) continue;
    const { path, name, digest } = item;
    if (typeof path !== 'string' || typeof name !== 'string' || typeof digest !== 'string') continue;
    entries.set(keyOf(path, name), { path, name, digest });
  }
  return entries;
};
