/**
 * Walks a folder for the tools that look at whole trees. Links are not followed; folders that are denied, kernel trees,
 * what `.gitignore` names and the usual piles of generated files are left out, and every folder is opened as what it was
 * when it was named.
 */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import picomatch from 'picomatch';
import { isKernelTree } from '../domain/gate/facts.js';
import type { GitEnvironment } from './git-ignore-files.js';
import { IgnoreRules } from './ignore-rules.js';
import { ToolFailure, withJudgedFolder } from './judged-file.js';

/** Folders that hold what others wrote and nobody wants to search; asked for by name they are walked. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', '__pycache__', '.cache']);

/** A walk that sees more than this is looking at a disk, not at a project. */
const ENTRIES_MAX = 500_000;
/** Folders that are listed ahead of the one that is looked at. What the file system answers side by side. */
const LISTED_AHEAD = 8;
/** A folder is listed in one piece; one of this size has a million names. */
const FOLDER_BYTES_MAX = 64 * 1024 * 1024;

export interface WalkOptions {
  /** Real path. */
  readonly root: string;
  readonly shown: string;
  readonly signal: AbortSignal;
  readonly isDenied: (path: string) => boolean;
  /** Walks into what is ignored and generated, too. */
  readonly includeIgnored: boolean;
  /** What the caller looks for: a skipped folder that it names is not skipped. */
  readonly pattern: string | undefined;
  /** Where the user's own ignores are. */
  readonly env: GitEnvironment;
}

export interface WalkedFolder {
  /** Real path. */
  readonly real: string;
  /** Its way from the root, with `/` at the end; empty for the root. */
  readonly prefix: string;
  /** Names of its regular files, sorted. */
  readonly files: readonly string[];
}

/** Whether a path (the way to its folder, and its name) matches a glob. One without `/` is about names at any depth. */
export const pathMatcher = (glob: string): ((prefix: string, name: string) => boolean) => {
  const matches = picomatch(glob, { dot: true, nonegate: true });
  return glob.includes('/') ? (prefix, name) => matches(prefix + name) : (_, name) => matches(name);
};

interface Waiting {
  readonly real: string;
  readonly prefix: string;
  /** Of the folders above. */
  readonly rules: IgnoreRules | undefined;
  listing?: Promise<Dirent[]>;
}

/** Every folder from the root down, each before those in it. Throws ToolFailure for a root that is no folder. */
export async function* walk(options: WalkOptions): AsyncGenerator<WalkedFolder> {
  const { root, shown, signal, isDenied, includeIgnored, pattern, env } = options;
  const above = includeIgnored ? undefined : await IgnoreRules.above(root, isDenied, env);
  const waiting: Waiting[] = [{ real: root, prefix: '', rules: above }];
  let seen = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted();
    const { real, prefix } = folder;
    const entries = await (folder.listing ?? entriesOf(real, prefix === '' ? shown : undefined));
    seen += entries.length;
    if (seen > ENTRIES_MAX) throw new ToolFailure(`more than ${ENTRIES_MAX} entries; look in a smaller folder`);
    const names = entries.map(({ name }) => name);
    const rules = await folder.rules?.within(real, names, isDenied);
    const files: string[] = [];
    const below: Waiting[] = [];
    for (const entry of entries) {
      const { name } = entry;
      const isFolder = entry.isDirectory();
      if (!isFolder && !entry.isFile()) continue;
      const path = real === '/' ? `/${name}` : `${real}/${name}`;
      // In a worktree `.git` is a file.
      if ((isFolder || name === '.git') && SKIPPED_FOLDERS.has(name) && !isWanted(name, includeIgnored, pattern))
        continue;
      if (isDenied(path) || rules?.ignores(path, name, isFolder)) continue;
      if (!isFolder) files.push(name);
      else if (!isKernelTree(path)) below.push({ real: path, prefix: `${prefix}${name}/`, rules });
    }
    waiting.push(...below.toReversed());
    for (const next of waiting.slice(-LISTED_AHEAD)) next.listing ??= entriesOf(next.real, undefined);
    yield { real, prefix, files };
  }
}

/** The inside of a repository is nobody's text: it takes being named. */
const isWanted = (name: string, includeIgnored: boolean, pattern: string | undefined): boolean =>
  (includeIgnored && name !== '.git') || pattern?.includes(name) === true;

/** Sorted by name. A folder below the root that cannot be opened (any more), or listed, has no entries. */
const entriesOf = async (real: string, shown: string | undefined): Promise<Dirent[]> => {
  try {
    return await withJudgedFolder({ real, shown: shown ?? real }, async (folder, bytes) => {
      if (bytes > FOLDER_BYTES_MAX) throw new ToolFailure(`${shown ?? real} holds too many entries to search`);
      const entries = await readdir(folder, { withFileTypes: true });
      return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    });
  } catch (error) {
    if (shown !== undefined) throw error;
    return [];
  }
};
