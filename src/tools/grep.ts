/**
 * `grep`: the lines below a folder (or in one file) that match a regular expression. Binary and very large files are left
 * out, and so is whatever the deny list covers.
 */
import picomatch from 'picomatch';
import type { JsonObject } from '../domain/json.js';
import { succeeded } from '../domain/tool.js';
import type { RunnableTool, ToolContext } from '../ports.js';
import { withJudgedFile } from './judged-file.js';
import { createLineMatcher, type LineMatch } from './line-matcher.js';
import { DEFAULT_OUTPUT_BYTES, firstPath, MAX_BYTES, objectSchema, PATH } from './tool-kit.js';
import { SKIPPED_FOLDERS, walk } from './walk.js';

const DEFAULT_MATCHES = 500;
const MATCHES_MAX = 20_000;
/** Larger files are data or build products; a line of them is rarely one a person wrote. */
const FILE_BYTES_MAX = 10 * 1024 * 1024;
/** A longer line is shown by its beginning. */
const LINE_CHARS_MAX = 500;

interface Target {
  readonly real: string;
  readonly name: string;
}

const textOf = ({ real, name }: Target): Promise<string | undefined> =>
  withJudgedFile({ real, shown: name }, async ({ handle, bytes }) => {
    if (bytes > FILE_BYTES_MAX) return undefined;
    const content = await handle.readFile();
    return content.includes(0) ? undefined : content.toString('utf8');
  });

async function* targetsOf(params: JsonObject, context: ToolContext): AsyncGenerator<Target> {
  const { real, path, kind } = firstPath(context);
  if (kind !== 'directory') {
    yield { real, name: path };
    return;
  }
  const glob = params['glob'] as string | undefined;
  const matches =
    glob === undefined ? () => true : picomatch(glob, { dot: true, nonegate: true, basename: !glob.includes('/') });
  const skipsFolder = (name: string): boolean => SKIPPED_FOLDERS.has(name) && glob?.includes(name) !== true;
  for await (const entry of walk({ root: real, shown: path, ...context, skipsFolder })) {
    if (entry.isFile && matches(entry.relative)) yield { real: entry.real, name: entry.relative };
  }
}

export const grepTool: RunnableTool = {
  name: 'grep',
  description:
    'Search file contents with a JavaScript regular expression, line by line. Returns "path:line:text", one match a line, paths relative to path. Binary files, files over 10 MiB, .git, node_modules and caches are left out.',
  readOnly: true,
  category: 'filesystem',
  permissionKey: 'fs.read',
  asyncCapable: false,
  inputSchema: objectSchema(
    {
      pattern: {
        type: 'string',
        minLength: 1,
        maxLength: 2_000,
        description: 'Regular expression, or plain text with fixed_string.',
      },
    },
    ['pattern'],
    {
      path: { ...PATH, default: '.', description: 'The folder or file to search.' },
      glob: {
        type: 'string',
        minLength: 1,
        maxLength: 1_000,
        description: 'Only files that match this glob, such as "*.ts".',
      },
      fixed_string: { type: 'boolean', default: false, description: 'Take the pattern as plain text.' },
      ignore_case: { type: 'boolean', default: false, description: 'Ignore upper and lower case.' },
      files_only: { type: 'boolean', default: false, description: 'Return only the paths of matching files.' },
      max_results: {
        type: 'integer',
        minimum: 1,
        maximum: MATCHES_MAX,
        default: DEFAULT_MATCHES,
        description: 'How many lines (or paths) to return at most.',
      },
      max_bytes: { ...MAX_BYTES, description: 'How many bytes to return at most.' },
    },
  ),
  reach: (params) => ({ paths: [{ path: (params['path'] as string | undefined) ?? '.', access: 'read' }] }),
  run: async (params, context) => {
    const max = (params['max_results'] as number | undefined) ?? DEFAULT_MATCHES;
    const maxBytes = (params['max_bytes'] as number | undefined) ?? DEFAULT_OUTPUT_BYTES;
    const filesOnly = params['files_only'] === true;
    const pattern = params['pattern'] as string;
    const source = params['fixed_string'] === true ? pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : pattern;
    const matcher = createLineMatcher(source, params['ignore_case'] === true ? 'i' : '');
    const lines: string[] = [];
    let bytes = 0;
    try {
      for await (const target of targetsOf(params, context)) {
        context.signal.throwIfAborted();
        const isOnlyTarget = firstPath(context).kind !== 'directory';
        const text = await textOf(target).catch((error: unknown) => {
          // In a walk a file that is gone or closed to us is no reason to stop; asked for by name it is.
          if (isOnlyTarget) throw error;
          return undefined;
        });
        if (text === undefined) continue;
        const found: readonly LineMatch[] = await matcher.match(
          text,
          filesOnly ? 1 : max + 1 - lines.length,
          LINE_CHARS_MAX,
        );
        for (const match of found) {
          const line = filesOnly ? `${target.name}\n` : `${target.name}:${match.line}:${match.text}\n`;
          bytes += Buffer.byteLength(line);
          if (lines.length === max || bytes > maxBytes) {
            return succeeded(lines.join(''), {
              truncated: true,
              // The search stops here, so this is what is known of the whole.
              originalBytes: bytes,
              hint: 'there are more matches; a narrower pattern, glob or path shows them',
            });
          }
          lines.push(line);
        }
      }
      return succeeded(lines.join(''));
    } finally {
      await matcher.close();
    }
  },
};
