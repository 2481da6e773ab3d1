/**
 * `grep`: the lines below a folder (or in one file) that match a regular expression. Binary and very large files are left
 * out, and so is whatever the deny list covers.
 */
import type { PathFact } from '../domain/gate/facts.js';
import type { JsonObject } from '../domain/json.js';
import { succeeded, type ToolResult } from '../domain/tool.js';
import type { RunnableTool, ToolContext } from '../ports.js';
import type { GitEnvironment } from './git-ignore-files.js';
import { ToolFailure, withJudgedFile } from './judged-file.js';
import {
  createLineMatcher,
  FILE_BYTES_MAX,
  type FolderFiles,
  type LineMatch,
  type LineMatcher,
} from './line-matcher.js';
import { DEFAULT_OUTPUT_BYTES, firstPath, INCLUDE_IGNORED, MAX_BYTES, objectSchema, PATH } from './tool-kit.js';
import { pathMatcher, walk } from './walk.js';

const DEFAULT_MATCHES = 500;
const MATCHES_MAX = 20_000;
/** Whoever wants more reads the file. */
const CONTEXT_MAX = 20;
/** Files that are handed over together: a hundred times what handing over costs. */
const FILES_AT_ONCE = 200;
/** How many times that many may wait to be searched while the next ones are listed. */
const SEARCHES_AHEAD = 8;

/** The matches in a file that was asked for by name. Throws ToolFailure when it cannot be searched. */
const ofFile = async ({ real, path }: PathFact, matcher: LineMatcher, max: number): Promise<readonly LineMatch[]> => {
  const text = await withJudgedFile({ real, shown: path }, async ({ bytes, readRest }) => {
    if (bytes > FILE_BYTES_MAX) throw new ToolFailure(`${path} is larger than ${FILE_BYTES_MAX} bytes; use bash`);
    const content = await readRest();
    if (content.includes(0)) throw new ToolFailure(`${path} is a binary file; it is not searched`);
    return content.toString('utf8');
  });
  const found = await matcher.ofText(text, max);
  return found.map((match) => ({ ...match, name: path }));
};

/** The matches below a folder, some folders at a time, each with the way of its file from there. */
async function* ofTree(
  params: JsonObject,
  context: ToolContext,
  matcher: LineMatcher,
  max: number,
  env: GitEnvironment,
): AsyncGenerator<readonly LineMatch[]> {
  const { real, path } = firstPath(context);
  const pattern = params['glob'] as string | undefined;
  const includeIgnored = params['include_ignored'] === true;
  const matches = pattern === undefined ? () => true : pathMatcher(pattern);
  const searched: Promise<readonly LineMatch[]>[] = [];
  let folders: FolderFiles[] = [];
  let files = 0;
  const search = (): void => {
    const found = matcher.ofFiles(folders, max);
    // Whoever stops early leaves searches behind that nobody waits for.
    found.catch(() => undefined);
    searched.push(found);
    folders = [];
    files = 0;
  };
  for await (const { real: folder, prefix, files: all } of walk({
    root: real,
    shown: path,
    ...context,
    includeIgnored,
    pattern,
    env,
  })) {
    const names = all.filter((name) => matches(prefix, name));
    if (names.length === 0) continue;
    folders.push({ folder, names, prefix });
    files += names.length;
    if (files < FILES_AT_ONCE) continue;
    search();
    if (searched.length > SEARCHES_AHEAD) yield await (searched.shift() as (typeof searched)[0]);
  }
  search();
  for (const found of searched) yield await found;
}

/** A match as "path:line:text", its surroundings as "path-line-text"; none of them twice, so the next match is looked at. */
const shownMatch = (match: LineMatch, last: LineMatch | undefined, next: LineMatch | undefined): string => {
  const { name, line, before, after } = match;
  const shownUntil = last?.name === name ? last.line + last.after.length : 0;
  const around = (text: string, at: number): string => `${name}-${at}-${text}\n`;
  const until = next?.name === name ? next.line : Infinity;
  return [
    ...before.map((text, index) => [text, line - before.length + index] as const).filter(([, at]) => at > shownUntil),
    [undefined, line] as const,
    ...after.map((text, index) => [text, line + 1 + index] as const).filter(([, at]) => at < until),
  ]
    .map(([text, at]) => (text === undefined ? `${name}:${line}:${match.text}\n` : around(text, at)))
    .join('');
};

/** Nothing is an answer, but it may be a mistake as well: what makes it likely. */
const nothing = (pattern: string): ToolResult =>
  succeeded('', {
    hint: /\\n|\n/.test(pattern)
      ? 'no line matches; lines are matched one by one, without line breaks'
      : 'no line matches',
  });

/** `env` tells where the user's own ignores are. */
export const createGrepTool = (env: GitEnvironment): RunnableTool => ({
  name: 'grep',
  description:
    'Search file contents with a JavaScript regular expression, line by line. Returns "path:line:text", one match a line, paths relative to path (a file is named as in path). Binary files, files over 10 MiB, what .gitignore files name, .git, node_modules and caches are left out.',
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
        description: 'Only files that match this glob, relative to path, such as "*.ts" (at any depth) or "src/**".',
      },
      fixed_string: { type: 'boolean', default: false, description: 'Take the pattern as plain text.' },
      ignore_case: { type: 'boolean', default: false, description: 'Ignore upper and lower case.' },
      context: {
        type: 'integer',
        minimum: 0,
        maximum: CONTEXT_MAX,
        default: 0,
        description: 'How many lines to show before and after each match, as "path-line-text".',
      },
      files_only: { type: 'boolean', default: false, description: 'Return only the paths of matching files.' },
      max_results: {
        type: 'integer',
        minimum: 1,
        maximum: MATCHES_MAX,
        default: DEFAULT_MATCHES,
        description: 'How many matching lines (or paths) to return at most.',
      },
      include_ignored: INCLUDE_IGNORED,
      max_bytes: { ...MAX_BYTES, description: 'How many bytes to return at most.' },
    },
  ),
  reach: (params) => ({ paths: [{ path: (params['path'] as string | undefined) ?? '.', access: 'read' }] }),
  run: async (params, context) => {
    const max = (params['max_results'] as number | undefined) ?? DEFAULT_MATCHES;
    const maxBytes = (params['max_bytes'] as number | undefined) ?? DEFAULT_OUTPUT_BYTES;
    const filesOnly = params['files_only'] === true;
    const matcher = createLineMatcher({
      text: params['pattern'] as string,
      isPlain: params['fixed_string'] === true,
      ignoreCase: params['ignore_case'] === true,
      perText: filesOnly ? 1 : max + 1,
      context: filesOnly ? 0 : ((params['context'] as number | undefined) ?? 0),
    });
    const target = firstPath(context);
    const stop = (): void => void matcher.close();
    context.signal.addEventListener('abort', stop, { once: true });
    const lines: string[] = [];
    let bytes = 0;
    try {
      const tree = target.kind === 'directory' ? ofTree(params, context, matcher, max + 1, env) : undefined;
      for await (const found of tree ?? [ofFile(target, matcher, max + 1)]) {
        context.signal.throwIfAborted();
        for (const [at, match] of found.entries()) {
          const line = filesOnly ? `${match.name}\n` : shownMatch(match, found[at - 1], found[at + 1]);
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
      return lines.length === 0 ? nothing(params['pattern'] as string) : succeeded(lines.join(''));
    } finally {
      context.signal.removeEventListener('abort', stop);
      await matcher.close();
    }
  },
});
