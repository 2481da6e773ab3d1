/**
 * Static stakes: shell lines whose shape alone says that a person should look first, whatever else permits them. The
 * line is parsed and every simple command in it is looked at, through wrappers and nested scripts; what cannot be parsed
 * or known is asked about too.
 * It asks and is no sandbox: a program can do anything, and a script in a file is not read.
 */
import { basename } from 'node:path';
import { isBroadPath, isFarPath, isSystemPath, type Place } from './broad-path.js';
import type { PathFact } from './facts.js';
import { LANGUAGE_SHAPES } from './language-shapes.js';
import { isGiven, ofNestedScript } from './nested-scripts.js';
import { readShell, type SimpleCommand } from './shell.js';
import {
  beginningOf,
  firstOf,
  isFlag,
  isOption,
  isUnknown,
  nameOf,
  startsUnknown,
  type ShellWord,
} from './shell-words.js';
import type { Judging } from './stakes-judging.js';
import { deletesTrees, fetchesAndRuns, leavesAndDeletes, makesAndRuns, renamesAndDeletes } from './stakes-of-lines.js';
import { FORMAT_COMMAND, HARMLESS_VALUE, HIJACKING_VARIABLE, SETTING_BUILTINS, WRAPPERS } from './stakes-names.js';
import { SHAPES, type Shape } from './stakes-shapes.js';
import { ALLOW, confirm, type Gate } from './verdict.js';
import { ofCarried, ofWrapped } from './wrapped-commands.js';

/** Each word may be a path that has to be looked up. */
const WORDS_MAX = 1_000;

/** Scripts inside scripts beyond this are asked about: nobody nests that deep to be understood. */
const NESTING_MAX = 8;

const ALL_SHAPES = [...SHAPES, ...LANGUAGE_SHAPES];
const SHAPES_OF: ReadonlyMap<string, readonly Shape[]> = new Map(
  [...new Set(ALL_SHAPES.flatMap(({ names }) => names))].map((name) => [
    name,
    ALL_SHAPES.filter(({ names }) => names.includes(name)),
  ]),
);

export const staticStakesGate: Gate = ({ command, cwd, home, paths }) => {
  if (command === undefined) return ALLOW;
  const place = { cwd, home };
  const reason = stakesOf(command, place);
  if (reason !== undefined) return confirm(reason);
  return paths.some((path) => leadsOut(path, place)) && deletesTrees(readShell(command).commands)
    ? confirm('deletes through a link that leads out of the project')
    : ALLOW;
};

/** What is behind a link keeps its name; of the link itself only the link would be deleted. */
const leadsOut = ({ lexical, real }: PathFact, place: Place): boolean =>
  lexical !== real && basename(lexical) === basename(real) && isFarPath(real, place);

/** Why a person should look at this line first, or undefined. Without a place every absolute path is somewhere else. */
export const stakesOf = (source: string, place?: Place, nesting = 0): string | undefined => {
  if (nesting > NESTING_MAX) return 'nests scripts too deeply to be judged';
  const { commands, malformed, elaborate, recursive, evaluated } = readShell(source);
  if (malformed) return 'is not a shell line that can be judged';
  if (commands.reduce((count, { words }) => count + words.length, 0) > WORDS_MAX)
    return 'has too many words to be judged';
  if (recursive) return 'defines a function that starts itself';
  const printed = commands.flatMap(printedBy);
  for (const command of commands) {
    const reason = ofSurroundings(command) ?? ofCommand(command.words, { command, place, printed, nesting });
    if (reason !== undefined) return reason;
  }
  // A here-document expands as such text does when it is evaluated.
  const expansion = firstOf(evaluated, (text) =>
    stakesOf(`cat <<${END_OF_TEXT}\n${text}\n${END_OF_TEXT}`, place, nesting + 1),
  );
  if (expansion !== undefined) return `${expansion}, in text that is evaluated`;
  if (leavesAndDeletes(commands, place, elaborate)) return 'deletes after going to a place that is not the project';
  if (renamesAndDeletes(commands, place, elaborate)) return 'deletes after giving another place a name here';
  if (makesAndRuns(commands)) return 'runs what it has just written';
  return fetchesAndRuns(commands) ? 'runs what it fetched from the network' : undefined;
};

const END_OF_TEXT = 'END_OF_EVALUATED_TEXT';

/** What a command prints as the line has it. */
const printedBy = ({ words: [first, ...args], redirects }: SimpleCommand): readonly ShellWord[] => [
  ...(first && ['echo', 'printf'].includes(nameOf(first)) ? args : []),
  ...redirects.flatMap(({ operator, target }) => (operator.startsWith('<<') ? [target] : [])),
];

/** Redirections and variables, which matter whatever the command is. */
const ofSurroundings = ({ assignments, redirects }: SimpleCommand): string | undefined => {
  for (const { operator, target } of redirects) {
    if (/^\/dev\/(tcp|udp)\//.test(target.text)) return 'talks to the network through a redirection';
    if (operator.includes('>') && isSystemPath(target.text)) return 'writes to the system';
  }
  return ofAssignments(assignments);
};

/** Builtins that set the variables they name in a word of its own. */
const NAME_SETTERS: ReadonlySet<string> = new Set(['read', 'mapfile', 'readarray', 'printf', 'getopts']);

const ofAssignments = (words: readonly ShellWord[]): string | undefined =>
  firstOf(words, ({ text }) => {
    const [, name, value] = /^(\w+(?:%%)?)\+?=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) return undefined;
    // A variable that holds such a name is there to set it by another.
    if (HIJACKING_VARIABLE.test(value)) return `names ${value}, which can run something else`;
    // Keys that are pressed when it starts; one of them starts a shell.
    if (/^(LESS|MORE)$/.test(name) && /[+!|]/.test(value)) return `sets ${name}, which can run something else`;
    return HIJACKING_VARIABLE.test(name) && !HARMLESS_VALUE.test(value)
      ? `sets ${name}, which can run something else`
      : undefined;
  });

const ofNames = (words: readonly ShellWord[]): string | undefined =>
  firstOf(words, ({ text }) =>
    HIJACKING_VARIABLE.test(text) ? `sets ${text}, which can run something else` : undefined,
  );

interface Standing extends Pick<Judging, 'command' | 'place' | 'printed'> {
  readonly nesting: number;
}

const ofCommand = (words: readonly ShellWord[], standing: Standing): string | undefined => {
  const [first, ...rest] = words;
  if (!first) return undefined;
  const { nesting, place } = standing;
  if (nesting > NESTING_MAX) return 'nests commands too deeply to be judged';
  if (isUnknown(first) || first.glob) return 'runs a command whose name is not known before it runs';
  const name = nameOf(first);
  const judging: Judging = {
    ...standing,
    script: (word) =>
      isUnknown(word) ? 'runs a script that is not known before it runs' : stakesOf(word.text, place, nesting + 1),
    inside: (inner) => ofCommand(inner, { ...standing, nesting: nesting + 1 }),
  };
  return (
    (FORMAT_COMMAND.test(name) ? 'formats a disk' : undefined) ??
    (SETTING_BUILTINS.has(name) || WRAPPERS.has(name) ? ofAssignments(rest) : undefined) ??
    (NAME_SETTERS.has(name) ? ofNames(rest) : undefined) ??
    SHAPES_OF.get(name)?.find((shape) => meets(shape, rest, judging))?.reason ??
    ofNestedScript(name, rest, judging) ??
    (WRAPPERS.has(name) ? ofWrapped(name, rest, judging) : ofCarried(name, rest, judging))
  );
};

const meets = (shape: Shape, args: readonly ShellWord[], judging: Judging): boolean => {
  const after = shape.sub ? afterSubcommand(args, shape.sub, shape.literal === true) : args;
  if (!after) return false;
  const flags = shape.flags ?? [];
  const { operand } = shape;
  if (shape.input && operand instanceof RegExp && isGiven(operand, judging)) return true;
  const operands = after.filter((word) => !isOption(word) || operand instanceof RegExp || operand === 'system');
  const firmFlags = flags.every((group) => args.some((word) => group.some((flag) => isFlag(word, flag))));
  const firmOperand =
    operand === undefined || operands.some((word) => !isUnknown(word) && isOperand(word, operand, judging.place));
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

const isOperand = ({ text }: ShellWord, operand: NonNullable<Shape['operand']>, place: Place | undefined): boolean => {
  if (operand instanceof RegExp) return operand.test(text);
  if (operand === 'broad') return isBroadPath(text, place);
  if (operand === 'far') return isFarPath(text, place);
  // `of=/x`, `--target-directory=/x` and `-t/x` name it, too.
  return isSystemPath(text) || isSystemPath(text.replace(/^(-[A-Za-z]|[\w-]+=)/, ''));
};
