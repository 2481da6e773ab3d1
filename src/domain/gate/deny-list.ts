/**
 * The deny list: paths nobody may touch through a tool, whatever else allows it. It is the union of every layer's
 * `deny_list` and a floor that no setting can lower. A pattern covers the path it matches and everything below. What is
 * kept of a caller's own result lies in the data directory, and that caller may read it.
 */
import { join } from 'node:path';
import picomatch from 'picomatch';
import { ALLOW, confirm, deny, type Gate } from './verdict.js';

export interface DenyList {
  /** Globs of the settings; `~` is the home folder, and a pattern without a leading `/` or `~` matches at any depth. */
  readonly patterns: readonly string[];
  /** Plain absolute paths, taken literally. */
  readonly paths: readonly string[];
}

const SETTINGS_FILES = ['settings.json', 'settings.local.json'];

export interface DenyFloorPlaces {
  readonly home: string;
  readonly dataDir: string;
  readonly userSettingsPath: string;
  /** Of the session, when it has one. */
  readonly configDir: string | null;
}

/**
 * What is denied without anybody asking: credentials of the user, the daemon's own state, and the settings files, which
 * have one door of their own.
 */
export const denyFloor = ({ home, dataDir, userSettingsPath, configDir }: DenyFloorPlaces): DenyList => ({
  patterns: SETTINGS_FILES.map((name) => `.hoody/${name}`),
  paths: [
    join(home, '.ssh'),
    join(home, '.aws'),
    join(home, '.gnupg'),
    dataDir,
    userSettingsPath,
    ...(configDir === null ? [] : SETTINGS_FILES.map((name) => join(configDir, name))),
  ],
});

/** Where the literal part of the list lies: these paths, links followed, belong to the list too. */
export const literalPaths = (list: DenyList, home: string): string[] => [
  ...list.paths,
  ...list.patterns
    .map((pattern) => absolutePattern(pattern, home))
    .filter((pattern) => !picomatch.scan(pattern).isGlob),
];

const absolutePattern = (pattern: string, home: string): string => {
  const trimmed = pattern.length > 1 ? pattern.replace(/\/+$/, '') : pattern;
  if (trimmed === '~' || trimmed.startsWith('~/')) return home + trimmed.slice(1);
  return trimmed.startsWith('/') ? trimmed : `/**/${trimmed.replace(/^\.\//, '')}`;
};

/** Lists name the same patterns call after call, and compiling one takes longer than all the gates together. */
const GLOBS_KEPT_MAX = 1_000;
const compiledGlobs = new Map<string, RegExp>();

/** `nonegate`: a pattern can add to the list, never take away from it. */
const globOf = (pattern: string): RegExp => {
  const kept = compiledGlobs.get(pattern);
  if (kept) return kept;
  const glob = picomatch.makeRe(pattern, { dot: true, nonegate: true });
  if (compiledGlobs.size === GLOBS_KEPT_MAX) compiledGlobs.clear();
  compiledGlobs.set(pattern, glob);
  return glob;
};

/** Of patterns such as this, whose last segment is a plain word, none covers a path of another name. */
const ENDS_IN_A_NAME = /^[\w. *?/-]*\/[\w. -]+$/;

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** True for an absolute path that the list covers, itself or by a folder above it. */
export const compileDenyList = (list: DenyList, home: string): ((path: string) => boolean) => {
  const patterns = list.patterns.map((pattern) => absolutePattern(pattern, home));
  const literal = new Set([...list.paths, ...patterns]);
  const byName = new Map<string, RegExp[]>();
  const anyName: RegExp[] = [];
  for (const pattern of patterns) {
    const name = nameOf(pattern);
    if (ENDS_IN_A_NAME.test(pattern)) byName.set(name, [...(byName.get(name) ?? []), globOf(pattern)]);
    else anyName.push(globOf(pattern));
  }
  const names = new Set([...[...literal].map(nameOf), ...byName.keys()]);
  const isNamed = (name: string, path: string): boolean =>
    names.has(name) && (literal.has(path) || byName.get(name)?.some((glob) => glob.test(path)) === true);
  const covers = (path: string): boolean => isNamed(nameOf(path), path) || anyName.some((glob) => glob.test(path));
  // Whoever walks a tree asks about one entry of a folder after the other.
  let lastFolder = '';
  let isLastDenied = false;
  const isDenied = (path: string): boolean => {
    if (covers(path)) return true;
    const folder = path.slice(0, Math.max(1, path.lastIndexOf('/')));
    if (folder === path) return false;
    if (folder !== lastFolder) {
      isLastDenied = isDenied(folder);
      lastFolder = folder;
    }
    return isLastDenied;
  };
  return isDenied;
};

/** What cannot be read might deny any path; servers of MCP tools are judged by it when they start. */
export const denyListGate: Gate = ({ paths, isDenied, unknownDenials, mutates, source }) => {
  const denied = paths.find(({ lexical, real, kept }) => !kept && (isDenied(lexical) || isDenied(real)));
  if (denied) return deny('denied_deny_list', `${denied.path} is on the deny list`);
  const reaches = source === 'builtin' && (paths.length > 0 || mutates);
  return reaches && unknownDenials.length > 0 ? confirm(unknownDenials.join('; ')) : ALLOW;
};
