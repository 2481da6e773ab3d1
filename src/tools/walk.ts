/**
 * Walks a folder for the tools that look at whole trees. Links are not followed, folders that are denied, kernel trees and
 * the usual piles of generated files are left out, and every folder is opened as what it was when it was named.
 */
import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isKernelTree } from '../domain/gate/facts.js';
import { ToolFailure, withJudgedFolder } from './judged-file.js';

/** Folders that hold what others wrote and nobody wants to search; asked for by name they are walked. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', '__pycache__', '.cache']);

/** A walk that sees more than this is looking at a disk, not at a project. */
const ENTRIES_MAX = 500_000;

export interface WalkOptions {
  /** Real path. */
  readonly root: string;
  readonly shown: string;
  readonly signal: AbortSignal;
  readonly isDenied: (path: string) => boolean;
  readonly skipsFolder: (name: string) => boolean;
}

export interface WalkedEntry {
  readonly real: string;
  /** From the root, with `/`. */
  readonly relative: string;
  readonly isFile: boolean;
}

/** Every entry below the root, folder by folder, in the order of their names. Throws ToolFailure for a root that is no folder. */
export async function* walk({ root, shown, signal, isDenied, skipsFolder }: WalkOptions): AsyncGenerator<WalkedEntry> {
  const waiting = [''];
  let seen = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted();
    const entries = await entriesOf(join(root, folder), folder === '' ? shown : undefined);
    const below: string[] = [];
    for (const entry of entries) {
      seen += 1;
      if (seen > ENTRIES_MAX) throw new ToolFailure(`more than ${ENTRIES_MAX} entries; look in a smaller folder`);
      const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const real = join(root, relative);
      if (isDenied(real) || isKernelTree(real)) continue;
      if (entry.isDirectory()) {
        if (skipsFolder(entry.name)) continue;
        below.push(relative);
      }
      yield { real, relative, isFile: entry.isFile() };
    }
    waiting.push(...below.toReversed());
  }
}

/** Sorted by name. A folder below the root that cannot be opened (any more) has no entries. */
const entriesOf = async (real: string, shown: string | undefined): Promise<Dirent[]> => {
  try {
    return await withJudgedFolder({ real, shown: shown ?? real }, async (folder) => {
      const entries: Dirent[] = [];
      for await (const entry of await opendir(folder)) entries.push(entry);
      return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    });
  } catch (error) {
    if (shown !== undefined) throw error;
    return [];
  }
};
