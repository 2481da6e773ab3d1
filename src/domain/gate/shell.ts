/**
 * A shell line as the simple commands it is made of, wherever they stand: lists, pipes, groups, loops, functions,
 * substitutions. Words are given as far as they are known without running anything. It parses and does not judge.
 */
import {
  forEachChild,
  parse,
  type Assignment,
  type Command,
  type ParameterExpansionPart,
  type Redirection,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';
import { evaluates, evaluatesArguments, heldSubstitution, isIndexed } from './shell-evaluation.js';
import { isForgiven } from './shell-syntax.js';
import { UNKNOWN, type ShellWord } from './shell-words.js';

export interface ShellRedirect {
  /** `<`, `>`, `<<<` and so on; here-documents are `<<`. */
  readonly operator: string;
  readonly target: ShellWord;
  /** A `<` of any kind for another descriptor than standard input. */
  readonly isElsewhere: boolean;
}

export interface SimpleCommand {
  /** Name and arguments; empty for a bare assignment or redirection. */
  readonly words: readonly ShellWord[];
  /** Variables set for it, or by it, as `NAME=value`. */
  readonly assignments: readonly ShellWord[];
  readonly redirects: readonly ShellRedirect[];
  /** Something is piped into it, or into a group around it. */
  readonly piped: boolean;
}

export interface ShellReading {
  readonly commands: readonly SimpleCommand[];
  /** The line, or a substitution in it, is not shell as bash understands it. */
  readonly malformed: boolean;
  /** More than lists, pipes and groups: loops, conditions, functions, coprocesses, background jobs. */
  readonly elaborate: boolean;
  /** A function that calls itself, the shape of a fork bomb. */
  readonly recursive: boolean;
  /** Quoted text with substitutions in it that the line may evaluate all the same. */
  readonly evaluated: readonly string[];
}

const ELABORATE_NODES = new Set([
  'If',
  'For',
  'ArithmeticFor',
  'Select',
  'While',
  'Case',
  'Function',
  'Coproc',
  'TestCommand',
  'ArithmeticCommand',
]);

/** Variables whose value everybody knows, as a word that means the same. */
const KNOWN_VARIABLES: Readonly<Record<string, string>> = { HOME: '~', PWD: '.' };

/** Longer lines and deeper nesting than this are nobody's to read; they count as malformed. */
const SOURCE_CHARS_MAX = 64 * 1024;
const NESTING_MAX = 250;

const MALFORMED: ShellReading = {
  commands: [],
  malformed: true,
  elaborate: true,
  recursive: false,
  evaluated: [],
};

export const readShell = (source: string): ShellReading => {
  if (source.length > SOURCE_CHARS_MAX || source.includes(UNKNOWN)) return MALFORMED;
  const commands: SimpleCommand[] = [];
  let malformed = false;
  let elaborate = false;
  let evaluating = false;
  const held = new Set<string>();
  /** What each function of the line starts, by name. */
  const calls = new Map<string, Set<string>>();
  const script = parse(source);
  const reassigned = assignedNames(script);

  const visit = (node: SyntaxNode, piped: boolean, functions: readonly string[], nesting: number): void => {
    if (nesting > NESTING_MAX) {
      malformed = true;
      return;
    }
    if (node.type === 'Script' && (node as { errors?: readonly unknown[] }).errors?.length) malformed = true;
    if (isForgiven(node, source)) malformed = true;
    if (node.type === 'ParameterExpansion' && hidesCommand(node)) malformed = true;
    evaluating ||= evaluates(node);
    const text = heldSubstitution(literalOf(node, reassigned));
    if (text !== undefined) held.add(text);
    const assigned = assignedOnTheWay(node, reassigned);
    if (assigned) commands.push({ words: [], assignments: [assigned], redirects: [], piped: false });
    if (ELABORATE_NODES.has(node.type)) elaborate = true;
    if (node.type === 'Statement' && node.background) elaborate = true;
    if (node.type === 'Command') {
      const command = simpleCommand(node, piped, reassigned);
      evaluating ||= evaluatesArguments(command);
      for (const name of functions) calls.set(name, (calls.get(name) ?? new Set()).add(command.words[0]?.text ?? ''));
      commands.push(command);
    }
    const within = node.type === 'Function' ? [...functions, node.name.value] : functions;
    if (node.type === 'Pipeline') {
      for (const [index, command] of node.commands.entries()) visit(command, piped || index > 0, within, nesting + 1);
      return;
    }
    if (node.type === 'Redirected') {
      const redirects = node.redirects.map((redirect) => shellRedirect(redirect, reassigned));
      if (redirects.length > 0) commands.push({ words: [], assignments: [], redirects, piped: false });
      // What a group reads from, each command in it may read.
      if (node.redirects.some(({ operator }) => operator.startsWith('<'))) piped = true;
    }
    forEachChild(node, (child) => visit(child, piped, within, nesting + 1));
  };
  visit(script, false, [], 0);
  return {
    commands,
    malformed,
    elaborate,
    recursive: [...calls.keys()].some((name) => startsItself(name, calls)),
    evaluated: [...held].filter((text) => evaluating || isIndexed(text)),
  };
};

/** What stands in a word or a here-document once its quotes are gone. */
const literalOf = (node: SyntaxNode, reassigned: ReadonlySet<string>): string => {
  if (node.type === 'Word') return shellWord(node, reassigned).text;
  if (node.type === 'SingleQuoted') return node.value;
  if (node.type !== 'HereDocBody') return '';
  return node.parts ? fromParts(node.parts, reassigned).text : node.text;
};

/** A variable that is set by something else than an assignment: a default that stays, a loop. */
const assignedOnTheWay = (node: SyntaxNode, reassigned: ReadonlySet<string>): ShellWord | undefined => {
  if (
    node.type === 'ParameterExpansion' &&
    node.operation?.type === 'Default' &&
    node.operation.operator.endsWith('=')
  ) {
    const value = shellWord(node.operation.operand, reassigned);
    return { ...value, text: `${node.parameter}=${value.text}` };
  }
  if (node.type !== 'For' && node.type !== 'Select') return undefined;
  return { text: `${node.name.value}=${UNKNOWN}`, glob: false, split: false };
};

const startsItself = (name: string, calls: ReadonlyMap<string, ReadonlySet<string>>): boolean => {
  const reached = new Set(calls.get(name));
  for (const next of reached) for (const further of calls.get(next) ?? []) reached.add(further);
  return reached.has(name);
};

/** The parser ends a replaced pattern at the first slash, also at one in a substitution, and then misses the substitution. */
const hidesCommand = ({ text, operation }: ParameterExpansionPart): boolean =>
  (operation?.type === 'Replace' || operation?.type === 'Unknown') && /\$\(|`/.test(text);

const assignedNames = (script: SyntaxNode): ReadonlySet<string> => {
  const names = new Set<string>();
  const visit = (node: SyntaxNode, nesting: number): void => {
    if (nesting > NESTING_MAX) return;
    if (node.type === 'Assignment') names.add(node.name);
    if (node.type === 'For' || node.type === 'Select') names.add(node.name.value);
    forEachChild(node, (child) => visit(child, nesting + 1));
  };
  visit(script, 0);
  return names;
};

const simpleCommand = (command: Command, piped: boolean, reassigned: ReadonlySet<string>): SimpleCommand => {
  const words = command.args.map((arg) =>
    arg.type === 'Word' ? shellWord(arg, reassigned) : assignmentWord(arg, reassigned),
  );
  return {
    words: command.name ? [shellWord(command.name, reassigned), ...words] : words,
    assignments: command.prefix.flatMap((part) =>
      part.type === 'Assignment' ? [assignmentWord(part, reassigned)] : [],
    ),
    redirects: command.redirects.map((redirect) => shellRedirect(redirect, reassigned)),
    piped,
  };
};

const shellRedirect = (redirect: Redirection, reassigned: ReadonlySet<string>): ShellRedirect => {
  const { descriptor } = redirect;
  const isElsewhere = descriptor !== undefined && !(descriptor.type === 'FileDescriptor' && descriptor.value === 0);
  if (redirect.type === 'HereDoc') {
    const { text, parts } = redirect.body;
    const target = parts ? fromParts(parts, reassigned) : { text, glob: false, split: false };
    return { operator: '<<', target, isElsewhere };
  }
  const unknown = { text: UNKNOWN, glob: false, split: false };
  const target = redirect.target ? shellWord(redirect.target, reassigned) : unknown;
  return { operator: redirect.operator, target, isElsewhere };
};

const assignmentWord = ({ name, value }: Assignment, reassigned: ReadonlySet<string>): ShellWord => {
  const right = value.type === 'Word' ? shellWord(value, reassigned) : { text: UNKNOWN, glob: false, split: false };
  return { ...right, text: `${name}=${right.text}` };
};

const shellWord = (word: Word, reassigned: ReadonlySet<string>): ShellWord =>
  word.parts ? fromParts(word.parts, reassigned) : { text: word.value, glob: false, split: false };

/** A class of characters that every matcher of wildcards reads alike. */
const PLAIN_CLASS = /^\[[!^]?([A-Za-z0-9](-[A-Za-z0-9])?|[_.,])+\]$/;

/** What would be a wildcard if it were not quoted. Beside a real one nobody but the shell can tell them apart. */
const WILDCARD = /[*?[\]\\{}()|]/;

const fromParts = (parts: readonly WordPart[], reassigned: ReadonlySet<string>): ShellWord => {
  let text = '';
  let glob = false;
  let split = false;
  let hasQuotedWildcard = false;
  const known = (name: string): string | undefined => (reassigned.has(name) ? undefined : KNOWN_VARIABLES[name]);
  const add = (part: WordPart, quoted: boolean): void => {
    switch (part.type) {
      case 'Literal':
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        text += part.value;
        hasQuotedWildcard ||= WILDCARD.test(part.value);
        return;
      case 'DoubleQuoted':
      case 'LocaleString':
        for (const child of part.parts) add(child, true);
        return;
      case 'Glob':
        text += part.kind !== 'bracket' || PLAIN_CLASS.test(part.text) ? part.text : UNKNOWN;
        glob = true;
        return;
      case 'ExtendedGlob':
        text += UNKNOWN;
        glob = true;
        return;
      case 'SimpleExpansion': {
        const value = known(part.text.slice(1));
        text += value ?? UNKNOWN;
        // `"$@"` is as many words as there are arguments, quoted or not.
        split ||= value === undefined && (!quoted || part.text === '$@');
        return;
      }
      case 'ParameterExpansion': {
        const isBare = part.operation === undefined && part.prefix === undefined && part.index === undefined;
        const value = isBare ? known(part.parameter) : undefined;
        text += value ?? UNKNOWN;
        split ||= value === undefined && (!quoted || part.parameter === '@' || part.index?.value === '@');
        return;
      }
      default:
        text += UNKNOWN;
        split ||= !quoted;
    }
  };
  for (const part of parts) add(part, false);
  if (glob && hasQuotedWildcard) text += UNKNOWN;
  return { text, glob, split };
};
