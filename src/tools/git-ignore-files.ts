/**
 * The files of ignore rules that belong to a whole repository: its own `info/exclude`, which its worktrees share, and the
 * one a user keeps for all repositories (`core.excludesFile`). Settings are read as git has them, but files that a git
 * configuration includes are not followed. What the rules in them mean is ignore-rules.ts.
 */
import { isAbsolute, join, resolve } from 'node:path';
import { withJudgedFile } from './judged-file.js';

/** Every entry is held against every rule. People write some hundred bytes; a larger file is not taken at its word. */
const FILE_BYTES_MAX = 128 * 1024;

export type IsDenied = (path: string) => boolean;
/** The environment git would have: where a user's settings are. */
export type GitEnvironment = Readonly<Record<string, string | undefined>>;

/** The lines of a small text file; none when it cannot be read as one. */
export const linesOf = async (path: string, isDenied: IsDenied): Promise<string[]> => {
  if (isDenied(path)) return [];
  const read = withJudgedFile({ real: path, shown: path }, async ({ bytes, readRest }) =>
    bytes > FILE_BYTES_MAX ? '' : (await readRest()).toString('utf8'),
  );
  const text = await read.catch(() => '');
  return text.replace(/^\uFEFF/, '').split(/\r?\n/);
};

/** Of the repository at this top folder, the weakest first. None of them needs to exist. */
export const ignoreFilesOf = async (top: string, env: GitEnvironment, isDenied: IsDenied): Promise<string[]> => {
  const gitFolder = await gitFolderOf(top, isDenied);
  const global = env['GIT_CONFIG_GLOBAL'];
  const { HOME: home } = env;
  const configHome = env['XDG_CONFIG_HOME'] || (home && join(home, '.config'));
  const configs = [
    ...(env['GIT_CONFIG_NOSYSTEM'] === undefined ? ['/etc/gitconfig'] : []),
    ...(global === undefined
      ? [configHome && join(configHome, 'git/config'), home && join(home, '.gitconfig')]
      : [global]),
    join(gitFolder, 'config'),
  ].filter((path) => path !== undefined && path !== '');
  const settings = await Promise.all(
    configs.map(async (path) => excludesFileIn(await linesOf(path as string, isDenied))),
  );
  const setting = settings.findLast((found) => found !== undefined);
  const users = setting === undefined ? configHome && join(configHome, 'git/ignore') : placeOf(setting, top, home);
  return [...(users ? [users] : []), join(gitFolder, 'info/exclude')];
};

/** Where a repository keeps what its worktrees share. `.git` is a file in a worktree and in a submodule. */
const gitFolderOf = async (top: string, isDenied: IsDenied): Promise<string> => {
  const place = join(top, '.git');
  const [, named] = /^gitdir: (.+)$/.exec((await linesOf(place, isDenied))[0] ?? '') ?? [];
  if (named === undefined) return place;
  const folder = resolve(top, named);
  const [shared] = await linesOf(join(folder, 'commondir'), isDenied);
  return shared ? resolve(folder, shared) : folder;
};

const placeOf = (path: string, top: string, home: string | undefined): string | undefined => {
  if (path.startsWith('~')) return home && path.startsWith('~/') ? join(home, path.slice(2)) : undefined;
  return path === '' || isAbsolute(path) ? path : join(top, path);
};

/** The last `core.excludesFile` of a git configuration. */
const excludesFileIn = (lines: readonly string[]): string | undefined => {
  let isCore = false;
  let found: string | undefined;
  for (const line of lines) {
    const [, section, behind] = /^\s*\[([^\]]*)\](.*)$/.exec(line) ?? [];
    if (section !== undefined) isCore = section.trim().toLowerCase() === 'core';
    const [, value] = /^\s*excludesfile\s*=\s*(.*)$/i.exec(behind ?? line) ?? [];
    if (isCore && value !== undefined) found = plain(value);
  }
  return found;
};

/** A value without its quotes, escapes and comment. */
const plain = (value: string): string =>
  value
    .replaceAll(/"((?:[^"\\]|\\.)*)"?|\\(.)|[#;].*|\s+$/g, (_, quoted?: string, escaped?: string) =>
      quoted === undefined ? (escaped ?? '') : quoted.replaceAll(/\\(.)/g, '$1'),
    )
    .trim();
