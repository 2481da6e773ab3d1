/**
 * `git_status`, `git_diff` and `git_log`: what a repository says of itself, without running anything its configuration
 * names for looking (no hooks, pagers, external diffs, text conversions, filters or file-system monitors, and no fetching of
 * what is missing) and without taking locks.
 */
import { basename, dirname, join } from 'node:path';
import type { JsonObject } from '../domain/json.js';
import { failed, succeeded, type ToolResult } from '../domain/tool.js';
import type { RunnableTool, ToolContext } from '../ports.js';
import { ToolFailure } from './judged-file.js';
import { runChild, type ChildEnd } from './run-child.js';
import {
  DEFAULT_OUTPUT_BYTES,
  firstPath,
  MAX_BYTES,
  objectSchema,
  PATH,
  textSlice,
  type ChildParts,
} from './tool-kit.js';

/** Looking at a repository takes longer only when something is wrong. */
const TIMEOUT_MS = 60_000;
const DEFAULT_COMMITS = 20;
const COMMITS_MAX = 1_000;
/** A diff of more files is told by its names. */
const DIFF_FILES_MAX = 1_000;

const QUIET = [
  '--no-pager',
  '--no-optional-locks',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.quotePath=false',
];
/** Git asks inside a submodule with what that one's own configuration names. */
const DIFF = ['diff', '--ignore-submodules=dirty', '--submodule=short'];
const FILTERS = ['config', '--includes', '--show-scope', '-z', '--name-only', '--get-regexp', '^filter\\.'];
/** Filters that the user has configured are the user's own programs; all others are the repository's. */
const SCOPE_OF_USER = 'global';
/** What a branch, tag, commit or range looks like; nothing that could be an option. */
const REVISION: JsonObject = {
  type: 'string',
  minLength: 1,
  maxLength: 400,
  pattern: '^[^-\\s\\u0000][^\\s\\u0000]*$',
};
const FOLDER: JsonObject = {
  ...PATH,
  default: '.',
  description: 'A folder of the repository, or a file that is there.',
};

const descriptor = {
  readOnly: true,
  category: 'git',
  permissionKey: 'git.read',
  asyncCapable: false,
  reach: (params: JsonObject) => ({
    paths: [{ path: (params['path'] as string | undefined) ?? '.', access: 'read' as const }],
  }),
} as const;

/** Runs git in the judged folder, or in that of the judged file. */
type Git = (args: readonly string[]) => Promise<ChildEnd>;

export const createGitTools = ({ clock, env, endMarked }: ChildParts): RunnableTool[] => {
  /** Throws ToolFailure where git cannot be run safely. */
  const gitFor = async (context: ToolContext): Promise<Git> => {
    const { kind, path, real } = firstPath(context);
    if (kind !== 'directory' && kind !== 'file') throw new ToolFailure(`${path} is no file or folder`);
    const quietly = {
      ...env,
      GIT_TERMINAL_PROMPT: '0',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PAGER: 'cat',
      // A clone that lacks objects would fetch them, by whatever program its configuration names.
      GIT_ALLOW_PROTOCOL: 'none',
    };
    const run = async (args: readonly string[], settings?: NodeJS.ProcessEnv): Promise<ChildEnd> => {
      const end = await runChild({
        command: 'git',
        args: [...QUIET, ...args],
        cwd: kind === 'file' ? dirname(real) : real,
        env: { ...quietly, ...settings },
        signal: context.signal,
        timeoutMs: TIMEOUT_MS,
        clock,
        endMarked,
      });
      if (end.ended === 'timeout') throw Object.assign(new Error('git took too long'), { name: 'TimeoutError' });
      context.signal.throwIfAborted();
      return end;
    };
    const settings = withoutFilters(await run(FILTERS));
    return (args) => run(args, settings);
  };

  /** The judged path, as git takes it from where it is run. */
  const hereOf = (context: ToolContext): readonly string[] => {
    const { kind, real } = firstPath(context);
    return ['--', kind === 'file' ? `:(literal)${basename(real)}` : '.'];
  };

  const resultOf = (end: ChildEnd, maxBytes = DEFAULT_OUTPUT_BYTES): ToolResult => {
    const output = textSlice(end.output.subarray(0, maxBytes));
    if (end.exitCode !== 0) return failed('tool_error', output, { hint: `git ended with exit code ${end.exitCode}` });
    return end.bytes > maxBytes
      ? succeeded(output, { truncated: true, originalBytes: end.bytes, hint: 'ask for less, or raise max_bytes' })
      : succeeded(output);
  };

  /** The changed files one may see, for the contents of a diff pass no gate of their own. */
  const visibleFiles = async (
    git: Git,
    context: ToolContext,
    range: readonly string[],
  ): Promise<{ files: string[]; hidden: number } | ToolResult> => {
    const top = await git(['rev-parse', '--show-toplevel']);
    if (top.exitCode !== 0) return resultOf(top);
    const names = await git([...DIFF, '--name-only', '--no-renames', '-z', ...range, ...hereOf(context)]);
    if (names.exitCode !== 0) return resultOf(names);
    // A file in conflict is named once for each side.
    const all = [...new Set(names.output.toString('utf8').split('\0'))].filter((name) => name !== '');
    const root = top.output.toString('utf8').trimEnd();
    const files = all.filter((name) => !context.isDenied(join(root, name)));
    return { files, hidden: all.length - files.length };
  };

  return [
    {
      ...descriptor,
      name: 'git_status',
      description:
        'Show the branch and the changed, staged and untracked files of the repository, in the short format of git.',
      inputSchema: objectSchema({}, [], { path: FOLDER }),
      run: async (_params, context) => {
        const git = await gitFor(context);
        const only = firstPath(context).kind === 'file' ? hereOf(context) : [];
        return resultOf(await git(['status', '--short', '--branch', '--ignore-submodules=all', ...only]));
      },
    },
    {
      ...descriptor,
      name: 'git_diff',
      description:
        'Show changes of a file or below a folder as a unified diff: of the working tree, of the index with staged, or against a revision or range. Untracked files are not in it; git_status names them.',
      inputSchema: objectSchema({}, [], {
        path: FOLDER,
        revision: {
          ...REVISION,
          description:
            'Compare with this commit or branch, or show a range such as main...HEAD, or COMMIT^! for what one commit changed.',
        },
        staged: { type: 'boolean', default: false, description: 'Show what is staged.' },
        names_only: { type: 'boolean', default: false, description: 'Show only the names of changed files.' },
        max_bytes: { ...MAX_BYTES, description: 'How many bytes to return at most.' },
      }),
      run: async (params, context) => {
        const revision = params['revision'] as string | undefined;
        const range = [
          ...(params['staged'] === true ? ['--cached'] : []),
          ...(revision === undefined ? [] : [revision]),
        ];
        const git = await gitFor(context);
        const visible = await visibleFiles(git, context, range);
        if ('ok' in visible) return visible;
        const { files, hidden } = visible;
        const hint = hidden > 0 ? { hint: `${hidden} changed files are on the deny list and not shown` } : {};
        if (params['names_only'] === true) return succeeded(files.map((name) => `${name}\n`).join(''), hint);
        if (files.length === 0) return succeeded('', hint);
        if (files.length > DIFF_FILES_MAX)
          return failed('tool_error', `${files.length} files changed; give a smaller folder, or names_only`);
        const literal = files.map((name) => `:(top,literal)${name}`);
        const end = await git([
          ...DIFF,
          '--no-ext-diff',
          '--no-textconv',
          '--no-color',
          '--find-renames',
          ...range,
          '--',
          ...literal,
        ]);
        const result = resultOf(end, (params['max_bytes'] as number | undefined) ?? DEFAULT_OUTPUT_BYTES);
        return result.hint === undefined ? { ...result, ...hint } : result;
      },
    },
    {
      ...descriptor,
      name: 'git_log',
      description: 'Show the newest commits that touch a file or folder: hash, author, date and subject, one a line.',
      inputSchema: objectSchema({}, [], {
        path: FOLDER,
        revision: { ...REVISION, description: 'Start at this commit or branch, or show a range such as main..HEAD.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: COMMITS_MAX,
          default: DEFAULT_COMMITS,
          description: 'How many commits to return at most.',
        },
      }),
      run: async (params, context) => {
        const limit = (params['limit'] as number | undefined) ?? DEFAULT_COMMITS;
        const revision = params['revision'] as string | undefined;
        const format = [
          'log',
          '--no-color',
          '--no-show-signature',
          '--date=iso-strict',
          '--format=%h %ad %an: %s',
          `-${limit}`,
        ];
        const git = await gitFor(context);
        return resultOf(await git([...format, ...(revision === undefined ? [] : [revision]), ...hereOf(context)]));
      },
    },
  ];
};

/** Settings that turn off each filter the repository names; `configured` is scopes and keys in turn, NUL after each. */
const withoutFilters = ({ output, bytes }: ChildEnd): NodeJS.ProcessEnv => {
  const parts = output.toString('utf8').split('\0');
  const keys = parts.filter((_, n) => n % 2 === 1);
  // What was cut off, or mixed with complaints, may lack the one that counts.
  if (bytes > output.length || keys.some((key) => !key.startsWith('filter.'))) {
    throw new ToolFailure('the filters in the configuration of the repository cannot be read');
  }
  const own = keys.filter((_, n) => parts[2 * n] !== SCOPE_OF_USER);
  const settings = [...new Set(own.map((key) => key.slice(0, key.lastIndexOf('.'))))].flatMap((name) => [
    [`${name}.clean`, ''],
    [`${name}.process`, ''],
    [`${name}.required`, 'false'],
  ]);
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(settings.length)],
    ...settings.flatMap(([key, value], n) => [
      [`GIT_CONFIG_KEY_${n}`, key],
      [`GIT_CONFIG_VALUE_${n}`, value],
    ]),
  ]) as NodeJS.ProcessEnv;
};
