/**
 * What makes a shell line dangerous only as a whole: a command goes somewhere, or gives a place another name, and a later
 * one deletes there; a command fetches or writes a file, or makes an alias, and a later one runs it.
 */
import { posix } from 'node:path';
import { isFarPath, isWorkingDirectory, type Place } from './broad-path.js';
import type { SimpleCommand } from './shell.js';
import { beginningOf, isAssignment, isFlag, isOption, nameOf, valuesOf, type ShellWord } from './shell-words.js';
import {
  DELETERS,
  FETCHERS,
  MOVING_OPTIONS,
  MOVING_WRAPPERS,
  OTHER_INTERPRETER,
  SHELLS,
  WRAPPERS,
} from './stakes-names.js';

/**
 * A line that goes up or far away and deletes there: what it names no longer starts in the working directory. In a loop
 * or a function (`inAnyOrder`) what is written first may run last. Whoever moves the home folder moves its caches.
 */
export const leavesAndDeletes = (
  commands: readonly SimpleCommand[],
  place: Place | undefined,
  inAnyOrder: boolean,
): boolean => {
  const isElsewhere = (text: string): boolean => isFarPath(text, place) && !isWorkingDirectory(text, place);
  const left = commands.findIndex(
    ({ words, assignments }) =>
      goesTo(words).some(isElsewhere) || [...assignments, ...words].some(({ text }) => /^HOME(\+?=|$)/.test(text)),
  );
  return commands.some(
    ({ words }, at) =>
      mayDelete(words) && ((left !== -1 && (inAnyOrder || at > left)) || placesOfWrapper(words).some(isElsewhere)),
  );
};

/** Where `cd` and its kin go; home when nothing is said. */
const goesTo = (words: readonly ShellWord[]): string[] => {
  const [first, ...args] = words.slice(words.findIndex(({ text }) => !/^(command|builtin|eval|-.*)$/s.test(text)));
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
      word.text === '--delete' ||
      (takesScript && /(^|[\s;&|({])(rm|unlink|rimraf|shred)\s|\s-delete\b/.test(word.text)),
  );
};

/** A line in which something deletes more than single files. */
export const deletesTrees = (commands: readonly SimpleCommand[]): boolean =>
  commands.some(
    ({ words }) => mayDelete(words) && words.some(({ text }) => /(^|\s)(-[A-Za-z]*[rR]|--r|-delete)/.test(text)),
  );

/** A line that gives a place outside another name and then deletes: by a link, or what it has moved here. */
export const renamesAndDeletes = (
  commands: readonly SimpleCommand[],
  place: Place | undefined,
  inAnyOrder: boolean,
): boolean =>
  commands.some((command, at) => {
    const [name] = namesRun(command).filter((run) => run === 'ln' || run === 'mv');
    const operands = command.words.slice(1).filter((word) => !isOption(word));
    if (!name || !operands.some(({ text }) => isFarPath(text, place) && !isWorkingDirectory(text, place))) return false;
    const moved = new Set(operands.map(({ text }) => posix.basename(text)));
    return commands
      .slice(inAnyOrder ? 0 : at + 1)
      .some(
        ({ words }) =>
          mayDelete(words) &&
          (name === 'ln' || words.some(({ text }) => text.split('/').some((segment) => moved.has(segment)))),
      );
  });

/** Wrappers in wrappers, and words that may be the command of one, beyond this are judged as they stand. */
const WRAPPED_MAX = 3;

/** The commands in these words: themselves, and what a wrapper in front would run. */
const commandsIn = (words: readonly ShellWord[], depth = 0): (readonly ShellWord[])[] => {
  const [first, ...args] = words;
  const own = first && WRAPPERS.get(nameOf(first));
  // Those with several operands of their own run the command somewhere else.
  if (own === undefined || own > 1 || depth === WRAPPED_MAX) return [words];
  const starts = beginningOf(args).operands.slice(0, WRAPPED_MAX);
  return [
    words,
    ...starts.flatMap((at) =>
      Array.from({ length: own + 1 }, (_, skipped) => commandsIn(args.slice(at + skipped), depth + 1)).flat(),
    ),
  ];
};

const namesRun = ({ words }: SimpleCommand): string[] =>
  commandsIn(words).flatMap(([first]) => (first ? [nameOf(first)] : []));

/** A line that fetches something and then runs a file: likely the one it fetched. */
export const fetchesAndRuns = (commands: readonly SimpleCommand[]): boolean => {
  const fetched = commands.findIndex((command) => namesRun(command).some((name) => FETCHERS.has(name)));
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

/** A line that writes a file and then runs it, or makes an alias and uses it: what runs is in no file of the project. */
export const makesAndRuns = (commands: readonly SimpleCommand[]): boolean => {
  const made = new Set<string>();
  return commands.some((command) => {
    const runs =
      made.size > 0 &&
      commandsIn(command.words).some(
        ([first, ...args]) =>
          first !== undefined &&
          (made.has(`alias ${first.text}`) ||
            (first.text.includes('/') && made.has(posix.basename(first.text))) ||
            (/^(source|\.)$/.test(first.text) && args.some(({ text }) => made.has(posix.basename(text)))) ||
            (SHELLS.has(nameOf(first)) &&
              beginningOf(args).operands.some((at) => args[at] && made.has(posix.basename(args[at].text)))) ||
            runsOneOf([first, ...args], made)),
      );
    for (const name of madeBy(command)) made.add(name);
    return runs;
  });
};

/** The files a command writes, by their last name, and the aliases it makes. */
const madeBy = ({ words: [first, ...args], redirects }: SimpleCommand): string[] => [
  ...redirects.flatMap(({ operator, target: { text } }) =>
    operator.includes('>') && text !== '/dev/null' ? [posix.basename(text)] : [],
  ),
  ...(first && nameOf(first) === 'tee' ? args.map(({ text }) => posix.basename(text)) : []),
  ...(first?.text === 'alias'
    ? args.filter(isAssignment).map(({ text }) => `alias ${text.slice(0, text.indexOf('='))}`)
    : []),
];

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
