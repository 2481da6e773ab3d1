/**
 * `file_info`: what kind of thing a path is, how large and how old, and where it leads.
 */
import { lstat } from 'node:fs/promises';
import { succeeded } from '../domain/tool.js';
import type { RunnableTool } from '../ports.js';
import { refusal, ToolFailure } from './judged-file.js';
import { firstPath, objectSchema, PATH } from './tool-kit.js';

export const fileInfoTool: RunnableTool = {
  name: 'file_info',
  description:
    'Tell about a file or folder without reading it: kind, size in bytes, time of the last change, permissions, and the real path behind links.',
  readOnly: true,
  category: 'filesystem',
  permissionKey: 'fs.read',
  asyncCapable: false,
  inputSchema: objectSchema({ path: { ...PATH, description: 'Path of a file or folder.' } }, ['path']),
  reach: (params) => ({ paths: [{ path: params['path'] as string, access: 'read' }] }),
  run: async (_params, context) => {
    const { kind, path, real } = firstPath(context);
    if (kind === 'missing') throw new ToolFailure(`${path} does not exist`);
    const stat = await lstat(real).catch((error: unknown) => {
      throw refusal(error, path);
    });
    const lines = {
      kind: kind === 'special' ? 'special (pipe, device, or a link that leads nowhere)' : kind,
      bytes: String(stat.size),
      modified: stat.mtime.toISOString(),
      mode: (stat.mode & 0o7777).toString(8).padStart(4, '0'),
      real_path: real,
    };
    return succeeded(
      Object.entries(lines)
        .map(([name, value]) => `${name}: ${value}\n`)
        .join(''),
    );
  },
};
