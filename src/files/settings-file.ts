/**
 * Settings files: read them, change them under a lock, tell when they change. This is the only code that
 * writes settings. What the entries mean and whether a change is allowed is decided elsewhere, by the plan that `update`
 * runs inside the lock.
 * Invariant: every value handed out is frozen all the way down, because one reading serves many sessions.
 */
import { constants, type BigIntStats } from 'node:fs';
import { access, open, readlink, realpath, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DaemonError } from '../domain/errors.js';
import type { JsonObject, JsonValue } from '../domain/json.js';
import { makeFolders } from '../make-folders.js';
import type { Logger, SettingsEdit, SettingsDocument, SettingsFiles } from '../ports.js';
import { errorCodeOf, whyUnreadable } from './file-errors.js';
import { isSettled, stampAt, stampOf } from './file-stamp.js';
import { createFileWatches } from './file-watch.js';
import { inTurn, withLock } from './process-lock.js';
import { removeLeftDrafts, replaceFile } from './replace-file.js';
import { editedSettings, editSettings } from './settings-edits.js';
import { parseSettingsText } from './settings-text.js';

/** Hundreds of times a long file, and still parsed in a moment. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;
/** More layers than the sessions of one machine have; the one read longest ago is dropped. */
const DOCUMENTS_KEPT_MAX = 256;
/** A file that is being written into changes while it is read; looking again a few times is enough for any editor. */
const READ_ATTEMPTS = 3;
/** Each failed attempt needs another process that comes and goes within a few instructions. */
const CHANGE_ATTEMPTS = 3;
/** As the kernel has it. */
const LINKS_MAX = 40;
const NEW_FOLDER_MODE = 0o700;

type Reading =
  | { readonly state: 'missing' }
  | { readonly state: 'read'; readonly text: string; readonly stat: BigIntStats }
  | { readonly state: 'broken'; readonly reason: string };

/** `update` throws bad_request (broken file), mcp_conflict (edited by hand meanwhile), internal_error (cannot write). */
export const createSettingsFiles = ({ logger }: { logger: Logger }): SettingsFiles => {
  const kept = new Map<string, { stamp: string; document: SettingsDocument }>();

  const read = async (path: string): Promise<SettingsDocument> => {
    const held = kept.get(path);
    const current = held && (await stampAt(path));
    kept.delete(path);
    if (held && held.stamp === current) {
      kept.set(path, held);
      return held.document;
    }
    const reading = await readText(path);
    const document = documentOf(path, reading);
    if (reading.state === 'read' && isSettled(reading.stat)) {
      kept.set(path, { stamp: stampOf(reading.stat), document });
      for (const oldest of kept.keys()) if (kept.size > DOCUMENTS_KEPT_MAX) kept.delete(oldest);
    }
    return document;
  };

  return {
    read,
    update: (path, plan) => inTurn(path, () => change(path, plan).catch(cannotWrite)),
    targetOf: (path) => targetOf(path),
    watch: createFileWatches(logger),
  };
};

type Plan<T> = (document: Exclude<SettingsDocument, { state: 'broken' }>) => {
  edits: readonly SettingsEdit[];
  result: T;
};

interface Changed<T> {
  readonly servers: JsonValue | undefined;
  readonly result: T;
}

const change = async <T>(path: string, plan: Plan<T>, attempt = 1): Promise<Changed<T>> => {
  const target = await targetOf(path);
  const folder = dirname(target);
  const created = await makeFolders(folder, NEW_FOLDER_MODE);
  try {
    return await withLock(`${target}.lock`, () => changeLocked(path, target, plan));
  } catch (error) {
    // Another process made the folder for a change that was refused, and removed it under our feet.
    if (errorCodeOf(error) === 'ENOENT' && attempt < CHANGE_ATTEMPTS) return await change(path, plan, attempt + 1);
    throw error;
  } finally {
    // Folders made for a change that then was refused go again; those that got the file, or another's, stay.
    if (created) await removeEmpty(folder, created);
  }
};

const changeLocked = async <T>(path: string, target: string, plan: Plan<T>): Promise<Changed<T>> => {
  await removeLeftDrafts(target);
  const reading = await readText(path);
  const document = documentOf(path, reading);
  if (document.state === 'broken') {
    throw new DaemonError('bad_request', `the settings file cannot be read and is left alone: ${document.reason}`);
  }
  const { edits, result } = plan(document);
  if (edits.length === 0) return { servers: document.value['mcp_servers'], result };
  const found = reading.state === 'read' ? reading : undefined;
  const { text, value } = edited(found?.text ?? '', document.value, edits);
  if (text !== found?.text) {
    await replaceFile(target, text, {
      like: found?.stat,
      beforeRename: async () => {
        // Through the links again, so one that was pointed elsewhere is noticed too.
        const expected = found ? stampOf(found.stat) : 'ENOENT';
        if ((await stampAt(path)) !== expected) throw new DaemonError('mcp_conflict');
        // Renaming over a file asks nobody's leave but the folder's, and a person who took away the write bit meant it.
        if (found) await access(path, constants.W_OK);
      },
    });
  }
  return { servers: value['mcp_servers'], result };
};

/** The text after the edits and its value. Throws bad_request for a value that a settings file cannot hold. */
const edited = (
  before: string,
  value: JsonObject,
  edits: readonly SettingsEdit[],
): { text: string; value: JsonObject } => {
  const text = editSettings(before, edits);
  if (Buffer.byteLength(text) > FILE_BYTES_MAX) {
    throw new DaemonError('bad_request', `the settings file would be larger than ${FILE_BYTES_MAX} bytes`);
  }
  const parsed = parseSettingsText(text);
  if ('reason' in parsed) {
    throw new DaemonError('bad_request', `the change cannot be stored (${parsed.reason})`);
  }
  // The edit is a change of text, so its meaning is compared with what was asked before anything is written.
  const wanted: unknown = JSON.parse(JSON.stringify(editedSettings(value, edits)));
  if (!isDeepStrictEqual(parsed.value, wanted)) {
    throw new DaemonError('internal_error', undefined, {
      cause: new Error('the edited settings text says something else'),
    });
  }
  return { text, value: freeze(parsed.value) };
};

const documentOf = (path: string, reading: Reading): SettingsDocument => {
  if (reading.state === 'missing') return { path, state: 'missing', value: Object.freeze({}) };
  if (reading.state === 'broken') return { path, state: 'broken', reason: reading.reason };
  const parsed = parseSettingsText(reading.text);
  if ('reason' in parsed) return { path, state: 'broken', reason: parsed.reason };
  return { path, state: 'loaded', value: freeze(parsed.value) };
};

const freeze = <T extends JsonValue>(value: T): T => {
  if (typeof value !== 'object' || value === null) return value;
  for (const child of Object.values(value)) freeze(child);
  return Object.freeze(value);
};

const readText = async (path: string): Promise<Reading> => {
  try {
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt += 1) {
      const reading = await readOnce(path);
      if (reading) return reading;
    }
    return { state: 'broken', reason: 'it changed while it was being read' };
  } catch (error) {
    return errorCodeOf(error) === 'ENOENT' ? { state: 'missing' } : { state: 'broken', reason: whyUnreadable(error) };
  }
};

/** Undefined when the file changed under the reading. */
const readOnce = async (path: string): Promise<Reading | undefined> => {
  // Without O_NONBLOCK opening a pipe would wait for its writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const before = await handle.stat({ bigint: true });
    if (before.isDirectory()) return { state: 'broken', reason: 'a folder is in the place of the file' };
    if (!before.isFile()) return { state: 'broken', reason: 'it is not a regular file' };
    if (before.size > FILE_BYTES_MAX) return { state: 'broken', reason: `it is larger than ${FILE_BYTES_MAX} bytes` };
    const bytes = await handle.readFile();
    if (stampOf(await handle.stat({ bigint: true })) !== stampOf(before)) return undefined;
    const text = decode(bytes);
    return text === undefined
      ? { state: 'broken', reason: 'it is not UTF-8 text' }
      : { state: 'read', text, stat: before };
  } finally {
    await handle.close();
  }
};

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** See `SettingsFiles`. */
const targetOf = async (path: string, links = 0): Promise<string> => {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined) return real;
  const link = links < LINKS_MAX ? await readlink(path).catch(() => undefined) : undefined;
  if (link !== undefined) return targetOf(resolve(dirname(path), link), links + 1);
  const folder = await realpath(dirname(path)).catch(() => undefined);
  return folder === undefined ? resolve(path) : join(folder, basename(path));
};

const removeEmpty = async (folder: string, topmost: string): Promise<void> => {
  for (let current = folder; current.startsWith(topmost); current = dirname(current)) {
    const removed = await rmdir(current).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
};

/** What the file system refuses is an internal error to the caller; the log gets the cause. */
const cannotWrite = (error: unknown): never => {
  if (error instanceof DaemonError || errorCodeOf(error) === undefined) throw error;
  throw new DaemonError('internal_error', undefined, { cause: error });
};
