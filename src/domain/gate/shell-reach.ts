/**
 * What a shell line would touch, as far as its words tell: the paths in it, and whether it is one of the plain lines that
 * only read. Everything that is not on the short list counts as changing something.
 */
import type { PathUse } from './facts.js';
import { readShell, type ShellRedirect, type SimpleCommand } from './shell.js';
import { UNKNOWN, type ShellWord } from './shell-words.js';

export interface ShellReach {
  readonly paths: readonly PathUse[];
  readonly onlyReads: boolean;
}

/** A command that only reads, unless one of these options is given. Options are matched by their beginning. */
type ReadingCommand = readonly string[];

/**
 * Not here, on purpose: env, printenv and set (they print the environment), everything that follows folders into file
 * contents (`grep -r`, and `diff`, which reads the files of folders it is given: the deny list could not be asked about
 * each file), pagers and editors, xargs.
 */
const READING_COMMANDS: Readonly<Record<string, ReadingCommand>> = {
  ':': [],
  // A variable may be named with an index, and an index may run a command.
  '[': ['-v', '-R'],
  basename: [],
  cat: [],
  cksum: ['-c', '--check'],
  cmp: [],
  column: [],
  comm: [],
  cut: [],
  date: ['-s', '--set'],
  df: [],
  dirname: [],
  du: ['--files0-from'],
  echo: [],
  egrep: ['-r', '-R', '--recursive', '--dereference-recursive', '-d', '--directories'],
  expand: [],
  expr: [],
  false: [],
  fgrep: ['-r', '-R', '--recursive', '--dereference-recursive', '-d', '--directories'],
  file: ['-C', '--compile', '-m', '--magic-file', '-f', '--files-from', '-z', '-Z'],
  find: ['-exec', '-ok', '-delete', '-fprint', '-fls', '-files0-from'],
  fold: [],
  grep: ['-r', '-R', '--recursive', '--dereference-recursive', '-d', '--directories'],
  head: [],
  id: [],
  join: [],
  ls: [],
  md5sum: ['-c', '--check'],
  nl: [],
  nproc: [],
  od: [],
  paste: [],
  printf: ['-v'],
  pwd: [],
  readlink: [],
  realpath: [],
  rev: [],
  seq: [],
  sha1sum: ['-c', '--check'],
  sha256sum: ['-c', '--check'],
  sha512sum: ['-c', '--check'],
  sort: ['-o', '--output', '--compress-program', '-T', '--temporary-directory', '--files0-from'],
  stat: [],
  tac: [],
  tail: ['-f', '-F', '--follow', '--retry'],
  test: ['-v', '-R'],
  tr: [],
  tree: ['-o', '--output', '-R', '--fromfile'],
  true: [],
  type: [],
  uname: [],
  uptime: [],
  wc: ['--files0-from'],
  which: [],
  whoami: [],
};

/**
 * Subcommands of git that only read, with the options that make them write, run something or print file contents, which
 * may be those of a denied file.
 */
const GIT_OPTIONS = [
  '--output',
  '--ext-diff',
  '--textconv',
  '-O',
  '--no-index',
  '-p',
  '-u',
  '-U',
  '-L',
  '-c',
  '-m',
  '--patch',
  '--unified',
  '--cc',
  '--dd',
  '--binary',
  '--check',
  '--diff-merges',
  '--remerge-diff',
];
const GIT_READING: Readonly<Record<string, ReadingCommand>> = {
  status: ['-v', '--verbose'],
  log: GIT_OPTIONS,
  shortlog: GIT_OPTIONS,
  'rev-parse': [],
  'rev-list': GIT_OPTIONS,
  'ls-files': [],
  describe: [],
  'merge-base': [],
};
const GIT_GLOBAL_OPTIONS = new Set(['--no-pager', '--no-optional-locks', '--literal-pathspecs']);

/** Where writing changes nothing, and the open files of the shell itself. */
const HARMLESS_TARGET = /^\/dev\/(null|zero|stdin|stdout|stderr|tty|fd\/\d+)$/;

/** Each path is looked up. Lines with more words than this are asked about as a whole (static-stakes.ts). */
const PATHS_MAX = 4_000;

export const reachOfShell = (source: string): ShellReach => {
  const { commands, malformed, elaborate } = readShell(source);
  const paths = commands.flatMap(({ words, redirects }) => [
    ...words.slice(1).flatMap((word) => pathsIn(word).map((path) => pathUse(path, word, 'read'))),
    ...redirects.flatMap(redirectPath),
  ]);
  return {
    paths: paths.slice(0, PATHS_MAX),
    onlyReads:
      paths.length <= PATHS_MAX && !malformed && !elaborate && commands.length > 0 && commands.every(onlyReads),
  };
};

const pathUse = (path: string, { glob }: ShellWord, access: 'read' | 'write'): PathUse =>
  glob ? { path, access, glob } : { path, access };

/** More short options than this in one word are nobody's; such a line is no plain one. */
const CLUSTER_CHARS_MAX = 32;
const LONG_CLUSTER = new RegExp(`^-[A-Za-z0-9]{${CLUSTER_CHARS_MAX},}`);

/** The path a word may be, and those it may carry: `--file=x`, `-fx`, `-uvfx`, `if=x`, `@x`, `host:x`. */
const pathsIn = ({ text }: ShellWord): string[] => {
  if (text === '' || text === '-' || text.includes(UNKNOWN)) return [];
  const [cluster] = /^-[A-Za-z0-9]+/.exec(text) ?? [''];
  const carried = [
    ...(text.startsWith('-') ? [] : [text]),
    // Which letter takes the rest as its value only the program knows.
    ...Array.from({ length: Math.min(cluster.length, CLUSTER_CHARS_MAX) }, (_, at) => text.slice(at + 1)).slice(1),
    ...[...text.matchAll(/[=:@,]/g)].map(({ index }) => text.slice(index + 1)),
  ];
  return carried.filter((path) => path !== '' && path.length <= PATH_CHARS_MAX && !HARMLESS_TARGET.test(path));
};

/** What Linux takes; a longer word is no path. */
const PATH_CHARS_MAX = 4096;

const redirectPath = ({ operator, target }: ShellRedirect): PathUse[] => {
  const { text } = target;
  if (operator.startsWith('<<') || text.includes(UNKNOWN) || HARMLESS_TARGET.test(text) || isDescriptor(operator, text))
    return [];
  return [pathUse(text, target, operator === '<' ? 'read' : 'write')];
};

const isDescriptor = (operator: string, text: string): boolean => operator.endsWith('&') && /^(\d+-?|-)$/.test(text);

const onlyReads = ({ words, assignments, redirects }: SimpleCommand): boolean => {
  const [first, ...args] = words;
  if (!first || assignments.length > 0) return false;
  // A word not known yet may be anything, and a wildcard in front of the arguments may be any command or option.
  if (first.glob || words.some((word) => !isPlainWord(word))) return false;
  const staysQuiet = redirects.every(
    ({ operator, target: { text } }) =>
      !text.includes(UNKNOWN) &&
      (operator === '<' || operator.startsWith('<<') || HARMLESS_TARGET.test(text) || isDescriptor(operator, text)),
  );
  return (
    staysQuiet &&
    (first.text === 'git' ? onlyReadsGit(args) : hasOnlyReadingOptions(READING_COMMANDS, first.text, args))
  );
};

const isPlainWord = ({ text, glob }: ShellWord): boolean =>
  !text.includes(UNKNOWN) &&
  !(glob && !/^[\w~./]/.test(text)) &&
  !LONG_CLUSTER.test(text) &&
  // The home folder of somebody by name, or a folder the shell remembers: only the shell knows where that is.
  !/(^|[=:])~[^/]/.test(text);

const hasOnlyReadingOptions = (
  commands: Readonly<Record<string, ReadingCommand>>,
  name: string,
  args: readonly ShellWord[],
): boolean => {
  if (!Object.hasOwn(commands, name)) return false;
  // An operand of `date` that is no format sets the clock.
  if (name === 'date' && args.some(({ text }) => !/^[-+]/.test(text))) return false;
  return !args.some(({ text }) => (commands[name] as ReadingCommand).some((option) => mayBe(text, option)));
};

/** True when the word may spell the option: in a cluster, abbreviated, with its value attached. */
const mayBe = (text: string, option: string): boolean => {
  if (option.startsWith('--')) {
    const [name] = text.split('=', 1) as [string];
    return name.length > 2 && name.startsWith('--') && (option.startsWith(name) || name.startsWith(option));
  }
  return option.length === 2 ? /^-[^-]/.test(text) && text.includes(option[1] as string, 1) : text.startsWith(option);
};

const onlyReadsGit = (args: readonly ShellWord[]): boolean => {
  const at = args.findIndex(({ text }) => !GIT_GLOBAL_OPTIONS.has(text));
  return at !== -1 && hasOnlyReadingOptions(GIT_READING, (args[at] as ShellWord).text, args.slice(at + 1));
};
