/**
 * `list_dir`: the names in one folder, sorted, each with its kind. Links are named as links and not followed.
 */
import type { Dirent } from 'node:fs';
import { opendir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { succeeded } from '../domain/tool.js';
import type { RunnableTool } from '../ports.js';
import { refusal, withJudgedFolder } from './judged-file.js';
import { PATH, firstPath, objectSchema } from './tool-kit.js';

const DEFAULT_ENTRIES = 2_000;
const ENTRIES_MAX = 20_000;
/** Beyond this a folder is counted and not sorted: names are held in memory while they are. */
const SORTED_ENTRIES_MAX = 200_000;

const shownEntry = async (folder: string, entry: Dirent): Promise<string> => {
  if (entry.isDirectory()) return `${entry.name}/`;
  if (entry.isSymbolicLink()) return `${entry.name} -> ${await readlink(join(folder, entry.name)).catch(() => '?')}`;
  if (entry.isFIFO()) return `${entry.name} (pipe)`;
  if (entry.isSocket()) return `${entry.name} (socket)`;
  return entry.isFile() ? entry.name : `${entry.name} (device)`;
};

export const listDirTool: RunnableTool = {
  name: 'list_dir',
  description:
    'List the entries of a folder, sorted by name, one a line: folders end in "/", links show where they lead. Hidden entries are included.',
  readOnly: true,
  category: 'filesystem',
  permissionKey: 'fs.read',
  asyncCapable: false,
  inputSchema: objectSchema({}, [], {
    path: {
      ...PATH,
      default: '.',
      description: 'Path of a folder. Absolute, or relative to the working directory; ~ is the home folder.',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: ENTRIES_MAX,
      default: DEFAULT_ENTRIES,
      description: 'How many entries to return at most.',
    },
  }),
  reach: (params) => ({ paths: [{ path: (params['path'] as string | undefined) ?? '.', access: 'read' }] }),
  run: (params, context) => {
    const { real, path } = firstPath(context);
    const limit = (params['limit'] as number | undefined) ?? DEFAULT_ENTRIES;
    return withJudgedFolder({ real, shown: path }, async (folder) => {
      const entries: Dirent[] = [];
      let total = 0;
      const found = await opendir(folder).catch((error: unknown) => {
        throw refusal(error, path);
      });
      for await (const entry of found) {
        context.signal.throwIfAborted();
        total += 1;
        if (entries.length < SORTED_ENTRIES_MAX) entries.push(entry);
      }
      entries.sort((a, b) => (a.name < b.name ? -1 : 1));
      const lines = await Promise.all(entries.slice(0, limit).map((entry) => shownEntry(folder, entry)));
      const output = lines.map((line) => `${line}\n`).join('');
      if (total <= limit) return succeeded(output);
      const originalBytes = entries.reduce((bytes, { name }) => bytes + Buffer.byteLength(name) + 1, 0);
      return succeeded(output, {
        truncated: true,
        originalBytes,
        hint: `${total} entries in all; a pattern for glob_files narrows them`,
      });
    });
  },
};
