/**
 * `write_file`: a whole file, new or replaced. Folders above it are made.
 */
import { succeeded } from '../domain/tool.js';
import type { RunnableTool } from '../ports.js';
import { firstPath, objectSchema, PATH } from './tool-kit.js';
import { writeJudged } from './write-judged.js';

/** More than a request body carries anyway. */
const CONTENT_CHARS_MAX = 8 * 1024 * 1024;

export const writeFileTool: RunnableTool = {
  name: 'write_file',
  description:
    'Write a text file: create it, with the folders above it, or replace its whole content. An existing file has to be read first.',
  readOnly: false,
  category: 'filesystem',
  permissionKey: 'fs.write',
  asyncCapable: false,
  inputSchema: objectSchema(
    {
      path: PATH,
      content: { type: 'string', maxLength: CONTENT_CHARS_MAX, description: 'The whole text of the file.' },
    },
    ['path', 'content'],
  ),
  reach: (params) => ({ paths: [{ path: params['path'] as string, access: 'write' }] }),
  run: async (params, context) => {
    const fact = firstPath(context);
    const content = params['content'] as string;
    context.filesRead.note(fact.real, await writeJudged(fact, content));
    return succeeded(
      `${fact.kind === 'missing' ? 'created' : 'wrote'} ${fact.path} (${Buffer.byteLength(content)} bytes)`,
    );
  },
};
