/**
 * Static stakes: shell lines whose shape alone says that a person should look first, whatever else permits them. The
 * line is parsed and every simple command in it is looked at, through wrappers and nested scripts; what cannot be parsed
 * or known is asked about too.
 * It asks and is no sandbox: a program can do anything, and a script in a file is not read.
 */
import { posix } from 'node:path';
import { isBroadPath, isSystemPath } from './broad-path.js';
import { ofGit } from './git-stakes.js';
import { readShell, UNKNOWN, type ShellWord, type SimpleCommand } from './shell.js';
import {
  beginningOf,
  firstOf,
  isAssignment,
  isFlag,
  isOption,
  isUnknown,
  nameOf,
  startsUnknown,
} from './shell-words.js';
import {
  BARE_SHELLS,
  CODE_FLAGS,
  FEEDING_WRAPPERS,
  FETCHERS,
  FORMAT_COMMAND,
  HARMLESS_VALUE,
  HIJACKING_VARIABLE,
  INDEX_BUILTINS,
  OTHER_INTERPRETER,
  SETTING_BUILTINS,
  SHAPES,
  SHELLS,
  WRAPPERS,
  type Shape,
} from './stakes-shapes.js';
import { ALLOW, confirm, type Gate } from './verdict.js';

/** Each word may be a path that has to be looked up. */
const WORDS_MAX = 1_000;

/** `python -m`: what follows is a module and its arguments. */
const MODULE_FLAG = '-m';

/** Scripts inside scripts beyond this are asked about: nobody nests that deep to be understood. */
const NESTING_MAX = 8;

const SHAPES_OF: ReadonlyMap<string, readonly Shape[]> = new Map(
  [...new Set(SHAPES.flatMap(({ names }) => names))].map((name) => [
    name,
    SHAPES.filter(({ names }) => names.includes(name)),
  ]),
);

export const staticStakesGate: Gate = ({ command }) => {
  const reason = command === undefined ? undefined : stakesOf(command);
  return reason === undefined ? ALLOW : confirm(reason);
};

/** Why a person should look at this line first, or undefined. */
export const stakesOf = (source: string, nesting = 0): string | undefined => {
  if (nesting > NESTING_MAX) return 'nests scripts too deeply to be judged';
  const { commands, malformed, recursive } = readShell(source);
  if (malformed) return 'is not a shell line that can be judged';
  if (commands.reduce((count, { words }) => count + words.length, 0) > WORDS_MAX)
    return 'has too many words to be judged';
  if (recursive) return 'defines a function that starts itself';
  for (const command of commands) {
    const reason = ofSurroundings(command) ?? ofCommand(command.words, command, nesting);
    if (reason !== undefined) return reason;
  }
  if (leavesAndDeletes(commands)) return 'deletes after going to a place that is not the project';
  return fetchesAndRuns(commands) ? 'runs what it fetched from the network' : undefined;
};

/** Redirections and variables, which matter whatever the command is. */
const ofSurroundings = ({ assignments, redirects }: SimpleCommand): string | undefined => {
  for (const { operator, target } of redirects) {
    if (/^\/dev\/(tcp|udp)\//.test(target.text)) return 'talks to the network through a redirection';
    if (operator.includes('>') && isSystemPath(target.text)) return 'writes to the system';
  }
  return ofAssignments(assignments);
};

const ofAssignments = (words: readonly ShellWord[]): string | undefined =>
  firstOf(words.filter(isAssignment), ({ text }) => {
    const [name] = text.split(/\+?=/, 1) as [string];
    const isHarmless = !HIJACKING_VARIABLE.test(name) || HARMLESS_VALUE.test(text.slice(text.indexOf('=') + 1));
    return isHarmless ? undefined : `sets ${name}, which can run something else`;
  });

const ofCommand = (words: readonly ShellWord[], command: SimpleCommand, nesting: number): string | undefined => {
  const [first, ...rest] = words;
  if (!first) return undefined;
  if (nesting > NESTING_MAX) return 'nests commands too deeply to be judged';
  if (isUnknown(first) || first.glob) return 'runs a command whose name is not known before it runs';
  const name = nameOf(first);
  return (
    (FORMAT_COMMAND.test(name) ? 'formats a disk' : undefined) ??
    (SETTING_BUILTINS.has(name) || WRAPPERS.has(name) ? ofAssignments(rest) : undefined) ??
    SHAPES_OF.get(name)?.find((shape) => meets(shape, rest))?.reason ??
    ofNestedScript(name, rest, command, nesting) ??
    ofWrapped(name, rest, command, nesting)
  );
};

const meets = (shape: Shape, args: readonly ShellWord[]): boolean => {
  const after = shape.sub ? afterSubcommand(args, shape.sub, shape.literal === true) : args;
  if (!after) return false;
  const flags = shape.flags ?? [];
  const { operand } = shape;
  const operands = after.filter((word) => !isOption(word) || operand instanceof RegExp || operand === 'system');
  const firmFlags = flags.every((group) => args.some((word) => group.some((flag) => isFlag(word, flag))));
  const firmOperand = operand === undefined || operands.some((word) => !isUnknown(word) && isOperand(word, operand));
  if (firmFlags && firmOperand) return true;
  if (shape.literal) return false;
  // A word that is not known yet may turn out to be the flag or the operand; one word cannot be both, unless it splits.
  const unknown = after.filter(
    (word) => startsUnknown(word) || (operand !== undefined && !(operand instanceof RegExp) && isUnknown(word)),
  );
  const [one] = unknown;
  if (!one) return false;
  const needed = (firmFlags ? 0 : 1) + (firmOperand ? 0 : 1);
  if (!firmFlags && !unknown.some(startsUnknown)) return false;
  return one.split || unknown.length >= needed;
};

/** The arguments behind a subcommand; undefined when it is another one. An unknown word may be the subcommand. */
const afterSubcommand = (
  args: readonly ShellWord[],
  [sub, ...more]: readonly string[],
  literal: boolean,
): readonly ShellWord[] | undefined => {
  if (sub === undefined) return args;
  for (const at of beginningOf(args).operands) {
    const word = args[at] as ShellWord;
    if (word.text !== sub && (literal || !startsUnknown(word))) continue;
    const rest = afterSubcommand(args.slice(at + 1), more, literal);
    if (rest) return rest;
  }
  return undefined;
};

const isOperand = ({ text }: ShellWord, operand: NonNullable<Shape['operand']>): boolean => {
  if (operand instanceof RegExp) return operand.test(text);
  if (operand === 'broad') return isBroadPath(text);
  // `of=/x`, `--target-directory=/x` and `-t/x` name it, too.
  return isSystemPath(text) || isSystemPath(text.replace(/^(-[A-Za-z]|[\w-]+=)/, ''));
};

/** Scripts in an argument or on standard input: shells, eval, traps, and the interpreters of other languages. */
const ofNestedScript = (
  name: string,
  args: readonly ShellWord[],
  command: SimpleCommand,
  nesting: number,
): string | undefined => {
  const inner = (word: ShellWord): string | undefined =>
    isUnknown(word) ? 'runs a script that is not known before it runs' : stakesOf(word.text, nesting + 1);

  const [operand] = args.filter((word) => !isOption(word));
  if (name === 'eval') {
    const script = args[0]?.text === '--' ? args.slice(1) : args;
    return inner({ text: script.map(({ text }) => text).join(' '), glob: false, split: false });
  }
  if (name === 'trap') return operand && inner(operand);
  if (name === 'alias') {
    return firstOf(args.filter(isAssignment), ({ text, ...word }) =>
      inner({ ...word, text: text.slice(text.indexOf('=') + 1) }),
    );
  }
  if (name === 'source' || name === '.') {
    return operand && (isUnknown(operand) || isStdin(operand))
      ? 'runs a script that is not known before it runs'
      : undefined;
  }
  if (INDEX_BUILTINS.has(name) && args.some(({ text }) => /\w\[.*(\$\(|`)/s.test(text))) {
    return 'runs a command in an index';
  }
  if (name === 'git') return ofGit(args, inner, (words) => ofCommand(words, command, nesting + 1));
  if (name === 'awk' || name === 'gawk' || name === 'mawk' || name === 'nawk') {
    return args.some((word) => (isUnknown(word) ? startsUnknown(word) : /\bsystem\s*\(|\||getline/.test(word.text)))
      ? 'runs commands from a script of another language'
      : undefined;
  }
  if (name === 'find') {
    const start = args.find(({ text }) => !/^-([HLP]|O\d?)$/.test(text));
    // Without a place to start it starts in the working directory.
    if ((!start || /^[-!(]/.test(start.text)) && args.some(({ text }) => text === '-delete')) {
      return 'deletes what it finds';
    }
    return firstOf(execCommands(args), (words) => ofCommand(words, command, nesting));
  }

  if (SHELLS.has(name)) return ofShell(args, command, inner);
  if (!OTHER_INTERPRETER.test(name)) return undefined;
  const foreign = (): string => 'runs code of another language that cannot be judged';
  const { options, operands } = beginningOf(args, MODULE_FLAG);
  const takesCode =
    options.some((word) => CODE_FLAGS.some((flag) => isFlag(word, flag))) ||
    args.some(({ text }) => /^(--[\w-]+=)?data:/.test(text)) ||
    operands.some((at) => args[at]?.text === 'eval');
  return takesCode ? foreign() : ofStandardInput(args, command, foreign);
};

const ofShell = (
  args: readonly ShellWord[],
  command: SimpleCommand,
  inner: (word: ShellWord) => string | undefined,
): string | undefined => {
  const at = args.findIndex(({ text }) => /^[-+][A-Za-z]*c[A-Za-z]*$/.test(text));
  if (at === -1) {
    const asksOnly = args.length === 1 && /^--(version|help)$/.test((args[0] as ShellWord).text);
    return asksOnly ? undefined : ofStandardInput(args, command, inner, 'runs whatever reaches its standard input');
  }
  // Options may stand between -c and the script, also those with a plus; -o and -O take a word.
  const rest = args
    .slice(/[oO]/.test((args[at] as ShellWord).text) ? at : at + 1)
    .map((word) => (/^(\+[A-Za-z]+|-)$/.test(word.text) ? { ...word, text: '--' } : word));
  return firstOf(beginningOf(rest).operands, (start) => rest[start] && inner(rest[start]));
};

/** An interpreter that is given no script, or may be, reads one from standard input. */
const ofStandardInput = (
  args: readonly ShellWord[],
  { redirects, piped }: SimpleCommand,
  inner: (word: ShellWord) => string | undefined,
  otherwise?: string,
): string | undefined => {
  const { operands, mayBeNone } = beginningOf(args, MODULE_FLAG);
  const scripts = operands.flatMap((at) => args[at] ?? []);
  if (scripts.some(isUnknown)) return 'runs a script that is not known before it runs';
  const readsInput = mayBeNone || scripts.some(isStdin) || args.some(({ text }) => /^-[a-z]*s[a-z]*$/.test(text));
  if (!readsInput) return undefined;
  const given = firstOf(redirects, ({ operator, target }) =>
    operator.startsWith('<<') || (operator === '<' && isUnknown(target)) ? inner(target) : undefined,
  );
  if (given ?? piped) return given ?? 'runs what is piped into it';
  return redirects.some(({ operator, isElsewhere }) => /^<+-?$/.test(operator) && !isElsewhere) ? undefined : otherwise;
};

/** Kernel trees have many names for what is open already. */
const isStdin = ({ text }: ShellWord): boolean => text === '-' || /^\/(dev|proc)\//.test(posix.normalize(text));

/** The commands behind `-exec` and its kin; what was found takes the place of `{}`. */
const execCommands = (args: readonly ShellWord[]): ShellWord[][] =>
  args.flatMap(({ text }, at) =>
    /^-(exec|execdir|ok|okdir)$/.test(text)
      ? [args.slice(at + 1).map((word) => ({ ...word, text: word.text.replaceAll('{}', UNKNOWN) }))]
      : [],
  );

/** The command in the arguments of a wrapper, wherever it may begin. */
const ofWrapped = (
  name: string,
  args: readonly ShellWord[],
  command: SimpleCommand,
  nesting: number,
): string | undefined => {
  const operands = WRAPPERS.get(name);
  if (operands === undefined) return undefined;
  // Some wrappers take their command as one string.
  const reason = firstOf(args, ({ text }) =>
    text.includes(UNKNOWN) ? undefined : firstOf(scriptsIn(text), (script) => stakesOf(script, nesting + 1)),
  );
  if (reason !== undefined) return reason;
  const bare = isBareShell(name, args, operands)
    ? ofStandardInput([], command, (word) =>
        isUnknown(word) ? 'runs a script that is not known before it runs' : stakesOf(word.text, nesting + 1),
      )
    : undefined;
  if (bare !== undefined) return bare;
  if (!FEEDING_WRAPPERS.has(name)) return ofSuffixes(args, operands, (words) => ofCommand(words, command, nesting + 1));
  const fed = { text: UNKNOWN, glob: false, split: true };
  const fill = filling(args);
  return ofSuffixes(args, operands, ([first, ...words]) =>
    ofCommand([first as ShellWord, ...words.map(fill), fed], command, nesting + 1),
  );
};

/** More letters than this in front of a value are no options. */
const CLUSTER_CHARS_MAX = 8;

/** The shell lines one word may be: itself, or the value glued to an option. `env -S` writes a space as `\_`. */
const scriptsIn = (word: string): string[] => {
  const text = word.replaceAll('\\_', ' ');
  if (!/\s/.test(text)) return [];
  if (!text.startsWith('-')) return [text];
  const [named] = /^--[\w-]+=/.exec(text) ?? [];
  if (named !== undefined) return [text.slice(named.length)];
  const [cluster] = /^-[A-Za-z]+/.exec(text) ?? [''];
  const values = Array.from({ length: Math.min(cluster.length, CLUSTER_CHARS_MAX) }, (_, at) => text.slice(at + 1));
  return [text, ...values.slice(1)];
};

/** What `xargs -I` and `parallel` put in place of `{}` is not known. */
const filling = (args: readonly ShellWord[]): ((word: ShellWord) => ShellWord) => {
  const places = args.flatMap(({ text }, at) => {
    const [, glued] = /^(?:-[IJ]|--replace=)(.*)$/s.exec(text) ?? [];
    return glued === '' ? (args[at + 1]?.text ?? []) : (glued ?? []);
  });
  return (word) => {
    const filled = places.reduce((text, place) => text.replaceAll(place, UNKNOWN), word.text);
    return isOption(word) ? word : { ...word, text: filled.replaceAll(/\{[^{}\s]*\}/g, UNKNOWN) };
  };
};

/** True for a wrapper that may have been given no command, and then starts a shell. */
const isBareShell = (name: string, args: readonly ShellWord[], operands: number): boolean => {
  if (name === 'sudo' || name === 'doas') {
    return args.some((word) => ['-s', '-i', '--shell', '--login'].some((flag) => isFlag(word, flag)));
  }
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

/** A line that goes up or far away and deletes there: what it names no longer starts in the working directory. */
const leavesAndDeletes = (commands: readonly SimpleCommand[]): boolean => {
  const left = commands.findIndex(({ words }) => {
    const [first, ...args] = words.slice(words.findIndex(({ text }) => !/^(command|builtin|-.*)$/s.test(text)));
    if (first === undefined || !['cd', 'pushd', 'chdir'].includes(first.text)) return false;
    const [to] = args.filter((word) => !isOption(word));
    return to === undefined || to.text === '-' || isBroadPath(to.text);
  });
  return (
    left !== -1 &&
    commands.slice(left + 1).some(({ words }) => words.some((word) => nameOf(word) === 'rm' || word.text === '-delete'))
  );
};

/** A line that fetches something and then runs a file: likely the one it fetched. */
const fetchesAndRuns = (commands: readonly SimpleCommand[]): boolean => {
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

const runsOneOf = ([first, ...args]: readonly ShellWord[], names: ReadonlySet<string>): boolean =>
  first !== undefined &&
  OTHER_INTERPRETER.test(nameOf(first)) &&
  beginningOf(args, MODULE_FLAG).operands.some((at) => names.has(posix.basename(args[at]?.text ?? '')));
