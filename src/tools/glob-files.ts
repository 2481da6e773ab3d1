/**
 * `glob_files`: the paths below a folder that match a pattern.
 */
import { succeeded } from '../domain/tool.js';
import type { RunnableTool } from '../ports.js';
import type { GitEnvironment } from './git-ignore-files.js';
import { ToolFailure } from './judged-file.js';
import { firstPath, INCLUDE_IGNORED, objectSchema, PATH } from './tool-kit.js';
import { pathMatcher, walk } from './walk.js';

const DEFAULT_RESULTS = 1_000;
const RESULTS_MAX = 20_000;

/** `env` tells where the user's own ignores are. */
export const createGlobFilesTool = (env: GitEnvironment): RunnableTool => ({
  name: 'glob_files',
  description:
    'Find files by a glob pattern such as "src/**/*.ts", relative to path. One path a line, sorted. Links are not followed; what .gitignore files name, .git, node_modules and caches are left out.',
  readOnly: true,
  category: 'filesystem',
  permissionKey: 'fs.read',
  asyncCapable: false,
  inputSchema: objectSchema(
    {
      pattern: {
        type: 'string',
        minLength: 1,
        maxLength: 1_000,
        description: 'Glob pattern; ** stands for any folders, a pattern without / matches at any depth.',
      },
    },
    ['pattern'],
    {
      path: { ...PATH, default: '.', description: 'The folder to look in.' },
      max_results: {
        type: 'integer',
        minimum: 1,
        maximum: RESULTS_MAX,
        default: DEFAULT_RESULTS,
        description: 'How many paths to return at most.',
      },
      include_ignored: INCLUDE_IGNORED,
    },
  ),
  reach: (params) => ({ paths: [{ path: (params['path'] as string | undefined) ?? '.', access: 'read' }] }),
  run: async (params, context) => {
    const { real, path } = firstPath(context);
    const pattern = (params['pattern'] as string).replace(/^\.\//, '');
    if (/^(?:~?\/|\.\.\/)/.test(pattern))
      throw new ToolFailure('the pattern is relative to path; give the folder to look in as path');
    const max = (params['max_results'] as number | undefined) ?? DEFAULT_RESULTS;
    const matches = pathMatcher(pattern);
    const includeIgnored = params['include_ignored'] === true;
    const found: string[] = [];
    let total = 0;
    let bytes = 0;
    for await (const { prefix, files } of walk({
      root: real,
      shown: path,
      ...context,
      includeIgnored,
      pattern,
      env,
    })) {
      for (const name of files) {
        if (!matches(prefix, name)) continue;
        const relative = prefix + name;
        total += 1;
        bytes += Buffer.byteLength(relative) + 1;
        if (found.length < max) found.push(relative);
      }
    }
    const output = found.map((name) => `${name}\n`).join('');
    if (total === 0) return succeeded('', { hint: `no file below ${path} matches; folders are not matched` });
    if (total <= max) return succeeded(output);
    return succeeded(output, {
      truncated: true,
      originalBytes: bytes,
      hint: `${total} paths match; a narrower pattern or folder shows the rest`,
    });
  },
});
