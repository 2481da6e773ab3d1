/**
 * What makes a shell line dangerous only as a whole: a command goes somewhere and a later one deletes there, a command
 * fetches a file and a later one runs it.
 */
import { posix } from 'node:path';
import { isFarPath, isWorkingDirectory, type Place } from './broad-path.js';
import type { SimpleCommand } from './shell.js';
import { beginningOf, isFlag, isOption, nameOf, valuesOf, type ShellWord } from './shell-words.js';
import {
  DELETERS,
  FETCHERS,
  MOVING_OPTIONS,
  MOVING_WRAPPERS,
  OTHER_INTERPRETER,
  SHELLS,
  WRAPPERS,
} from './stakes-names.js';

/** A line that goes up or far away and deletes there: what it names no longer starts in the working directory. */
export const leavesAndDeletes = (commands: readonly SimpleCommand[], place: Place | undefined): boolean => {
  const isElsewhere = (text: string): boolean => isFarPath(text, place) && !isWorkingDirectory(text, place);
  const left = commands.findIndex(({ words }) => goesTo(words).some(isElsewhere));
  return commands.some(
    ({ words }, at) => mayDelete(words) && ((left !== -1 && at > left) || placesOfWrapper(words).some(isElsewhere)),
  );
};

/** Where `cd` and its kin go; home when nothing is said. */
const goesTo = (words: readonly ShellWord[]): string[] => {
  const [first, ...args] = words.slice(words.findIndex(({ text }) => !/^(command|builtin|-.*)$/s.test(text)));
  if (first === undefined || !['cd', 'pushd', 'chdir'].includes(first.text)) return [];
  const [to] = args.filter((word) => !isOption(word));
  return [to === undefined || to.text === '-' ? '~' : to.text];
};

/** Where a wrapper goes before it runs its command. */
const placesOfWrapper = (words: readonly ShellWord[]): string[] =>
  words.flatMap((word, at) => {
    const name = nameOf(word);
    const args = words.slice(at + 1);
    if (name === 'chroot') return ['/'];
    // A login begins at home.
    if (/^(su|runuser)$/.test(name) && args.some(({ text }) => /^(-|-[a-z]*l[a-z]*|--login)$/.test(text))) return ['~'];
    if (name === 'sudo' && args.some((arg) => isFlag(arg, '-i') || isFlag(arg, '--login'))) return ['~'];
    if (!MOVING_WRAPPERS.has(name)) return [];
    return valuesOf(args, MOVING_OPTIONS).map(({ text }) => text);
  });

/** True for a command that deletes, or is given a script that does. */
const mayDelete = (words: readonly ShellWord[]): boolean => {
  const [first] = words;
  if (!first) return false;
  const takesScript = SHELLS.has(nameOf(first)) || WRAPPERS.has(nameOf(first)) || first.text === 'eval';
  return words.some(
    (word) =>
      DELETERS.has(nameOf(word)) ||
      word.text === '-delete' ||
      (takesScript && /(^|[\s;&|({])(rm|unlink|rimraf|shred)\s|\s-delete\b/.test(word.text)),
  );
};

/** A line in which something deletes more than single files. */
export const deletesTrees = (commands: readonly SimpleCommand[]): boolean =>
  commands.some(
    ({ words }) => mayDelete(words) && words.some(({ text }) => /(^|\s)(-[A-Za-z]*[rR]|--r|-delete)/.test(text)),
  );

/** A line that fetches something and then runs a file: likely the one it fetched. */
export const fetchesAndRuns = (commands: readonly SimpleCommand[]): boolean => {
  const fetched = commands.findIndex(({ words: [first] }) => first !== undefined && FETCHERS.has(nameOf(first)));
  return (
    fetched !== -1 &&
    commands.slice(fetched + 1).some(
      ({ words }) =>
        runsOneOf(words, namesIn(commands[fetched] as SimpleCommand)) ||
        words.some((word, at) => {
          if (at > 0 && !WRAPPERS.has(nameOf(words[0] as ShellWord))) return false;
          return /^(\.{0,2}|~)\//.test(word.text) || SHELLS.has(nameOf(word)) || ['source', '.'].includes(word.text);
        }),
    )
  );
};

/** The names a fetched file may have got. */
const namesIn = ({ words, redirects }: SimpleCommand): ReadonlySet<string> =>
  new Set([...words.slice(1), ...redirects.map(({ target }) => target)].map(({ text }) => posix.basename(text)));

/** Programs that run a file they are given, though it is no argument of its own with all of them. */
const FILE_RUNNER = /^(g?make|java|dotnet|swift|awk|gawk|sed|gdb|psql)$/;

const runsOneOf = ([first, ...args]: readonly ShellWord[], names: ReadonlySet<string>): boolean => {
  if (first === undefined) return false;
  const isFetched = ({ text }: ShellWord): boolean => names.has(posix.basename(text));
  if (FILE_RUNNER.test(nameOf(first)))
    return args.some((word, at) => isOption(args[at - 1] ?? word) && isFetched(word));
  if (!OTHER_INTERPRETER.test(nameOf(first))) return false;
  return beginningOf(args, '-m').operands.some((at) => args[at] !== undefined && isFetched(args[at]));
};
