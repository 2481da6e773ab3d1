/**
 * `move_file`, `delete_file` and `make_dir`: where files are, not what is in them. Nothing is ever replaced, and only
 * empty folders are deleted: what a whole tree holds cannot be judged path by path.
 */
import { succeeded } from '../domain/tool.js';
import type { RunnableTool } from '../ports.js';
import { ToolFailure } from './judged-file.js';
import { firstPath, objectSchema, PATH } from './tool-kit.js';
import { deleteJudged, makeFolders, moveJudged } from './write-judged.js';

const descriptor = { readOnly: false, category: 'filesystem', permissionKey: 'fs.write', asyncCapable: false } as const;

export const moveFileTool: RunnableTool = {
  ...descriptor,
  name: 'move_file',
  description: 'Move or rename one file. The destination must not exist; folders above it are made.',
  inputSchema: objectSchema(
    {
      from: { ...PATH, description: 'The file to move.' },
      to: { ...PATH, description: 'Its new path, name included.' },
    },
    ['from', 'to'],
  ),
  reach: (params) => ({
    paths: [
      { path: params['from'] as string, access: 'write', keepsContent: true },
      { path: params['to'] as string, access: 'write', keepsContent: true },
    ],
  }),
  run: async (_params, { paths: [from, to], filesRead }) => {
    if (!from || !to) throw new Error('move_file was given no paths');
    await moveJudged(from, to);
    // The session knows the content under its new name as well as it knew it under the old one.
    const known = filesRead.stampOf(from.real);
    if (known !== undefined) filesRead.note(to.real, known);
    return succeeded(`moved ${from.path} to ${to.path}`);
  },
};

export const deleteFileTool: RunnableTool = {
  ...descriptor,
  name: 'delete_file',
  description: 'Delete one file that has been read, or one empty folder.',
  inputSchema: objectSchema({ path: { ...PATH, description: 'The file or empty folder to delete.' } }, ['path']),
  reach: (params) => ({ paths: [{ path: params['path'] as string, access: 'write' }] }),
  run: async (_params, context) => {
    const fact = firstPath(context);
    await deleteJudged(fact);
    return succeeded(`deleted ${fact.path}`);
  },
};

export const makeDirTool: RunnableTool = {
  ...descriptor,
  name: 'make_dir',
  description: 'Make a folder, and those above it. One that exists already is left as it is.',
  inputSchema: objectSchema({ path: { ...PATH, description: 'The folder to make.' } }, ['path']),
  reach: (params) => ({ paths: [{ path: params['path'] as string, access: 'write' }] }),
  run: async (_params, context) => {
    const { kind, path, real } = firstPath(context);
    if (kind === 'directory') return succeeded(`${path} exists already`);
    if (kind !== 'missing') throw new ToolFailure(`${path} exists and is no folder`);
    await makeFolders(real, path);
    return succeeded(`made ${path}`);
  },
};
