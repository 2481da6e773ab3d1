/**
 * Scripts inside a shell line: in an argument, in an option's value or on standard input of a shell, of an interpreter of
 * another language, or of a program that has a language of its own. It finds them; what a shell script does is judged by
 * whoever asked, and code of other languages is asked about as a whole.
 */
import { posix } from 'node:path';
import { isFarPath } from './broad-path.js';
import { ofGit } from './git-stakes.js';
import { HARMLESS_RUNNER, RUNNING_OPTIONS } from './running-options.js';
import { inputOf, type Judging } from './stakes-judging.js';
import {
  CODE_FLAGS,
  COMMAND_OPTIONS,
  DELETERS,
  INDEX_BUILTINS,
  OTHER_INTERPRETER,
  SCRIPT_FILE_OPTIONS,
  SHELLS,
} from './stakes-names.js';
import {
  beginningOf,
  firstOf,
  isAssignment,
  isFlag,
  isOption,
  isUnknown,
  nameOf,
  startsUnknown,
  valueIn,
  valuesOf,
  UNKNOWN,
} from './shell-words.js';
import type { ShellWord } from './shell-words.js';

/** `python -m`: what follows is a module and its arguments. */
const MODULE_FLAG = '-m';

const UNKNOWN_SCRIPT = 'runs a script that is not known before it runs';
const FOREIGN_COMMANDS = 'runs commands from a script of another language';

/** What awk runs: `system`, pipes to and from commands, a function named by a variable, code loaded from elsewhere. */
const AWK_RUNS = /\bsystem\s*\(|\||getline|@\s*\w+\s*\(|@(load|include)/;

/** Why a person should look at the scripts in these arguments, or undefined. */
export const ofNestedScript = (name: string, args: readonly ShellWord[], judging: Judging): string | undefined => {
  const { script, inside } = judging;
  const [operand] = args.filter((word) => !isOption(word));
  switch (name) {
    case 'eval': {
      const words = args[0]?.text === '--' ? args.slice(1) : args;
      return script({ text: words.map(({ text }) => text).join(' '), glob: false, split: false });
    }
    case 'trap':
      return operand && script(operand);
    case 'alias':
      return firstOf(args.filter(isAssignment), (word) => script(valueIn(word)));
    case 'source':
    case '.':
      return operand && (isUnknown(operand) || isStdin(operand)) ? UNKNOWN_SCRIPT : undefined;
    case 'git':
      return ofGit(args, script, inside);
    case 'find': {
      const start = args.find(({ text }) => !/^-([HLP]|O\d?)$/.test(text));
      // Without a place to start it starts in the working directory.
      if ((!start || /^[-!(]/.test(start.text)) && args.some(({ text }) => text === '-delete')) {
        return 'deletes what it finds';
      }
      const commands = commandsBehind(args, /^-(exec|execdir|ok|okdir)$/);
      const isDeleter = commands.some(([first]) => first !== undefined && DELETERS.has(nameOf(first)));
      if (isDeleter && start && isFarPath(start.text, judging.place)) return 'deletes what it finds';
      return firstOf(commands, inside);
    }
    case 'fd':
    case 'fdfind': {
      const fed = { text: UNKNOWN, glob: false, split: true };
      return firstOf(commandsBehind(args, /^(-[xX]|--exec|--exec-batch)$/), (words) => inside([...words, fed]));
    }
  }
  if (INDEX_BUILTINS.has(name) && args.some(({ text }) => /\w\[.*(\$\(|`)/s.test(text))) {
    return 'runs a command in an index';
  }
  const running = RUNNING_OPTIONS.get(name);
  if (running && valuesOf(dashed(name, args), running).some(({ text }) => !HARMLESS_RUNNER.test(text))) {
    return 'runs a command named in an option';
  }
  const options = COMMAND_OPTIONS.get(name);
  const reason =
    options &&
    firstOf(valuesOf(args, options), (word) =>
      // It is run with words that are not in the line.
      DELETERS.has(nameOf(word)) ? 'deletes what it is given' : script(word),
    );
  if (reason !== undefined) return reason;
  const files = SCRIPT_FILE_OPTIONS.get(name);
  if (files && valuesOf(args, files).some((word) => isUnknown(word) || isStdin(word))) return UNKNOWN_SCRIPT;
  if (/^([gmn]|original-|go)?awk$/.test(name)) {
    return args.some((word) => (isUnknown(word) ? startsUnknown(word) : AWK_RUNS.test(word.text)))
      ? FOREIGN_COMMANDS
      : undefined;
  }
  if (SHELLS.has(name)) return ofShell(args, judging);
  return OTHER_INTERPRETER.test(name) ? ofInterpreter(name, args, judging) : undefined;
};

/** The oldest way to write the options of tar has no dash. */
const dashed = (name: string, [first, ...rest]: readonly ShellWord[]): readonly ShellWord[] => {
  if (first === undefined) return [];
  return [
    name.endsWith('tar') && /^[A-Za-z]+$/.test(first.text) ? { ...first, text: `-${first.text}` } : first,
    ...rest,
  ];
};

const ofInterpreter = (name: string, args: readonly ShellWord[], judging: Judging): string | undefined => {
  const foreign = (): string => 'runs code of another language that cannot be judged';
  const { options, operands } = beginningOf(args, MODULE_FLAG);
  const takesCode =
    options.some((word) => CODE_FLAGS.some((flag) => isFlag(word, flag))) ||
    (name.startsWith('php') && options.some((word) => isFlag(word, '-r'))) ||
    args.some(({ text }) => /^(--[\w-]+=)?data:/.test(text)) ||
    args.some(({ text }, at) => text === '-mtimeit' || (text === 'timeit' && args[at - 1]?.text === MODULE_FLAG)) ||
    operands.some((at) => args[at]?.text === 'eval');
  return takesCode ? foreign() : ofStandardInput(args, { ...judging, script: foreign });
};

const ofShell = (args: readonly ShellWord[], judging: Judging): string | undefined => {
  const at = args.findIndex(({ text }) => /^[-+][A-Za-z]*c[A-Za-z]*$/.test(text));
  if (at === -1) {
    const asksOnly = args.length === 1 && /^--(version|help)$/.test((args[0] as ShellWord).text);
    return asksOnly ? undefined : ofStandardInput(args, judging, 'runs whatever reaches its standard input');
  }
  // Options may stand between -c and the script, also those with a plus; -o and -O take a word.
  const rest = args
    .slice(/[oO]/.test((args[at] as ShellWord).text) ? at : at + 1)
    .map((word) => (/^(\+[A-Za-z]+|-)$/.test(word.text) ? { ...word, text: '--' } : word));
  return firstOf(beginningOf(rest).operands, (start) => rest[start] && judging.script(rest[start]));
};

/** An interpreter that is given no script, or may be, reads one from standard input. */
export const ofStandardInput = (
  args: readonly ShellWord[],
  { command: { redirects, piped }, script }: Judging,
  otherwise?: string,
): string | undefined => {
  const { operands, mayBeNone } = beginningOf(args, MODULE_FLAG);
  const scripts = operands.flatMap((at) => args[at] ?? []);
  if (scripts.some(isUnknown)) return UNKNOWN_SCRIPT;
  const readsInput = mayBeNone || scripts.some(isStdin) || args.some(({ text }) => /^-[a-z]*s[a-z]*$/.test(text));
  if (!readsInput) return undefined;
  const given = firstOf(redirects, ({ operator, target }) =>
    operator.startsWith('<<') || (operator === '<' && isUnknown(target)) ? script(target) : undefined,
  );
  if (given ?? piped) return given ?? 'runs what is piped into it';
  return redirects.some(({ operator, isElsewhere }) => /^<+-?$/.test(operator) && !isElsewhere) ? undefined : otherwise;
};

/** Kernel trees have many names for what is open already. */
const isStdin = ({ text }: ShellWord): boolean => text === '-' || /^\/(dev|proc)\//.test(posix.normalize(text));

/** The commands behind `-exec` and its kin; what was found takes the place of `{}`. */
const commandsBehind = (args: readonly ShellWord[], option: RegExp): ShellWord[][] =>
  args.flatMap(({ text }, at) =>
    option.test(text)
      ? [args.slice(at + 1).map((word) => ({ ...word, text: word.text.replaceAll(/\{[^{}\s]*\}/g, UNKNOWN) }))]
      : [],
  );

/** True when the line itself gives the command something like this to read. */
export const isGiven = (pattern: RegExp, judging: Judging): boolean =>
  inputOf(judging).some(({ text }) => text.split('\n').some((line) => pattern.test(line)));
