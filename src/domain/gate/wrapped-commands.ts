/**
 * Commands in the arguments of other commands: wrappers that are known to run them, and programs of which nobody can say
 * that they do not. It finds them; whoever asked judges them.
 */
import { ofStandardInput } from './nested-scripts.js';
import type { Judging } from './stakes-judging.js';
import { BARE_SHELLS, CARRIED, FEEDING_WRAPPERS, QUOTING, SHELLS, WRAPPERS } from './stakes-names.js';
import {
  beginningOf,
  firstOf,
  isAssignment,
  isFlag,
  isOption,
  nameOf,
  valuesOf,
  UNKNOWN,
  type ShellWord,
} from './shell-words.js';

/** The command in the arguments of a wrapper, wherever it may begin. */
export const ofWrapped = (name: string, args: readonly ShellWord[], judging: Judging): string | undefined => {
  const operands = WRAPPERS.get(name) ?? 0;
  // Some wrappers take their command as one string.
  const reason = firstOf(args, (word) =>
    word.text.includes(UNKNOWN)
      ? undefined
      : firstOf(scriptsIn(FEEDING_WRAPPERS.has(name) ? filled(word.text) : word.text), (text) =>
          // `env -S` may begin with options of its own.
          judging.script({ ...word, text: text.startsWith('-') ? `${name} ${text}` : text }),
        ),
  );
  if (reason !== undefined) return reason;
  if (name === 'parallel' && isFedCommands(args)) return 'runs the commands of a file';
  const ordered = firstOf(commandsOf(name, args), judging.script);
  if (ordered !== undefined) return ordered;
  const bare = isBareShell(name, args, operands) ? ofStandardInput([], judging) : undefined;
  if (bare !== undefined) return bare;
  if (REPARSING_WRAPPERS.has(name)) return ofSuffixes(args, operands, (words) => judging.inside(unquoted(words)));
  if (!FEEDING_WRAPPERS.has(name)) return ofSuffixes(args, operands, judging.inside);
  const fed = { text: UNKNOWN, glob: false, split: true };
  const fill = filling(args);
  // The first word may still be the value of an option of xargs, which is what is replaced.
  return ofSuffixes(args, operands, ([first, ...words]) => {
    const command = name === 'parallel' ? fill(first as ShellWord) : (first as ShellWord);
    return judging.inside([command, ...words.map(fill), fed]);
  });
};

/** What is a command though it may be a single word: behind `-c`, and what `parallel` is given instead of arguments. */
const commandsOf = (name: string, args: readonly ShellWord[]): readonly ShellWord[] => {
  const at = name === 'parallel' ? args.findIndex(({ text }) => text === ':::') : -1;
  const isGiven = at !== -1 && isBareShell(name, args.slice(0, at), 0);
  return [...valuesOf(args, ['-c', '--command']), ...(isGiven ? args.slice(at + 1) : [])];
};

/** A word that is a line of its own, of the kind that is worth looking into wherever it stands. */
const LINE = /^(\S*\/)?(rm|rimraf|unlink|shred|((ba|da|z|k)?sh)\s+-\w*c)\s/;

/** A command among the arguments of a program that nobody has heard of, which may well run it. */
export const ofCarried = (name: string, args: readonly ShellWord[], { inside, script }: Judging): string | undefined =>
  QUOTING.has(name) || CARRIED.has(name) || SHELLS.has(name)
    ? undefined
    : firstOf([...args.entries()], ([at, word]) => {
        const { text } = word;
        const isCarried = CARRIED.has(nameOf(word)) || (SHELLS.has(nameOf(word)) && isFlag(args[at + 1] ?? word, '-c'));
        if (isCarried) return inside(args.slice(at));
        const [, line] = /^(?:-{0,2}[\w-]+=)?(.*)$/s.exec(text) ?? [];
        return line !== undefined && LINE.test(line) ? script({ ...word, text: line }) : undefined;
      });

/** More letters than this in front of a value are no options. */
const CLUSTER_CHARS_MAX = 8;

/** What only a shell makes something of; a word without it and without a space is a command, and judged as one. */
const SHELL_ONLY = /[$`;|&<>]|\{[^{}]*(,|\.\.)[^{}]*\}/;

/** The shell lines one word may be: itself, or the value glued to an option. `env -S` writes a space as `\_`. */
const scriptsIn = (word: string): string[] => {
  const text = word.replaceAll('\\_', ' ');
  if (!/\s/.test(text)) return !text.startsWith('-') && SHELL_ONLY.test(text) ? [text] : [];
  if (!text.startsWith('-')) return [text];
  const [named] = /^--[\w-]+=/.exec(text) ?? [];
  if (named !== undefined) return [text.slice(named.length)];
  const [cluster] = /^-[A-Za-z]+/.exec(text) ?? [''];
  const values = Array.from({ length: Math.min(cluster.length, CLUSTER_CHARS_MAX) }, (_, at) => text.slice(at + 1));
  return [text, ...values.slice(1)];
};

/** A shell reads these words once more, and there a quoted wildcard or parenthesis is one again. */
const REPARSING_WRAPPERS: ReadonlySet<string> = new Set(['ssh', 'rsh', 'watch', 'su', 'sg', 'tmux', 'screen']);
const unquoted = ([first, ...rest]: readonly ShellWord[]): readonly ShellWord[] =>
  first ? [{ ...first, glob: first.glob || /[*?[()]/.test(first.text) }, ...rest] : rest;

/** The same in a line of its own, where a variable is as little known. */
const filled = (text: string): string => (/\s/.test(text) ? text.replaceAll(/\{[^{}\s]*\}/g, '"$_"') : text);

/** What `xargs -I` and `parallel` put in place of `{}` is not known. */
const filling = (args: readonly ShellWord[]): ((word: ShellWord) => ShellWord) => {
  const places = args.flatMap(({ text }, at) => {
    const [, glued] = /^(?:-[IJ]|--replace=)(.*)$/s.exec(text) ?? [];
    return glued === '' ? (args[at + 1]?.text ?? []) : (glued ?? []);
  });
  return (word) => {
    const text = places.reduce((text, place) => text.replaceAll(place, UNKNOWN), word.text);
    return isOption(word) ? word : { ...word, text: text.replaceAll(/\{[^{}\s]*\}/g, UNKNOWN) };
  };
};

/** What `parallel` takes from files, and that it is given no command for it, so that each line of them is one. */
const isFedCommands = (args: readonly ShellWord[]): boolean => {
  const at = args.findIndex(({ text }) => /^:{3,4}\+?$/.test(text));
  const own = at === -1 ? args : args.slice(0, at);
  if (args[at]?.text.startsWith('::::') !== true && at !== -1) return false;
  return own.every(
    (word, place) =>
      isOption(word) || /^\d+%?$/.test(word.text) || /^(-a|--arg-file)$/.test(own[place - 1]?.text ?? ''),
  );
};

/** True for a wrapper that may have been given no command, and then starts a shell or takes commands from its input. */
const isBareShell = (name: string, args: readonly ShellWord[], operands: number): boolean => {
  if (name === 'sudo' || name === 'doas') {
    return args.some((word) => ['-s', '-i', '--shell', '--login'].some((flag) => isFlag(word, flag)));
  }
  if (name === 'parallel') return args.every((word) => isOption(word) || /^\d+%?$/.test(word.text));
  if (!BARE_SHELLS.has(name)) return false;
  const beginning = beginningOf(args, '--');
  return (
    beginning.mayBeNone ||
    (operands > 0 && beginning.operands.some((at) => args[at] && beginningOf(args.slice(at + 1), '--').mayBeNone))
  );
};

const ofSuffixes = (
  words: readonly ShellWord[],
  operands: number,
  judge: (words: readonly ShellWord[]) => string | undefined,
): string | undefined =>
  firstOf(beginningOf(words).operands, (at) => {
    if (isAssignment(words[at] as ShellWord)) return undefined;
    return judge(words.slice(at)) ?? (operands > 0 ? ofSuffixes(words.slice(at + 1), operands - 1, judge) : undefined);
  });
