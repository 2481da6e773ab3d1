/**
 * Text that a shell line may evaluate though it is quoted: arithmetic, indices, indirection and prompts expand what a
 * variable holds once more, and run the substitutions in it. It finds such text; what the text would run is judged by
 * static-stakes.ts.
 */
import type { SyntaxNode, Word } from 'unbash';
import type { SimpleCommand } from './shell.js';
import { isOption, isUnknown } from './shell-words.js';

/** A number is what it is; a name is a variable whose value is an expression again. */
const hasName = (text: string): boolean => /[A-Za-z_$]/.test(text.replaceAll(/\b(0x[\da-f]+|\d+#\w+)\b/gi, ''));

const isIndex = (index: Word | undefined): boolean =>
  index !== undefined && !/^[@*]$/.test(index.value) && hasName(index.text);

/** True for a piece of syntax that takes the value of a variable for an expression, a name or a prompt. */
export const evaluates = (node: SyntaxNode): boolean => {
  switch (node.type) {
    case 'ArithmeticExpansion':
      return hasName(node.text);
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
      return true;
    case 'TestUnary':
      return /^-[vR]$/.test(node.operator);
    case 'TestBinary':
      return /^-(eq|ne|lt|le|gt|ge)$/.test(node.operator);
    case 'Assignment':
      return isIndex(node.index);
    case 'ParameterExpansion':
      return (
        node.prefix === '!' ||
        isIndex(node.index) ||
        (node.operation?.type === 'Transform' && node.operation.operand.value === 'P') ||
        (node.operation?.type === 'Slice' && hasName(`${node.operation.offset.text} ${node.operation.length?.text}`))
      );
    default:
      return false;
  }
};

/** Builtins that take the name of a variable, and evaluate the index in it. */
const NAMING_BUILTINS = new Set(['read', 'unset', 'export', 'declare', 'typeset', 'local', 'readonly', 'mapfile']);

/** True for a builtin that does the same with its arguments. */
export const evaluatesArguments = ({ words: [first, ...args] }: SimpleCommand): boolean => {
  const name = first?.text ?? '';
  if (name === 'let') return true;
  if (name === 'test' || name === '[') return args.some(({ text }) => /^-[vR]$/.test(text));
  if (name === 'printf') return args.some(({ text }) => text.startsWith('-v'));
  return (
    NAMING_BUILTINS.has(name) &&
    args.some((word) => isUnknown(word) || (isOption(word) && /^-[a-zA-Z]*[in]/.test(word.text)))
  );
};

/** Prompts know characters by their octal number, too. */
const decoded = (text: string): string =>
  text.replaceAll(/\\([0-3][0-7]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

/** The text of a word, when it holds a substitution that was not expanded. */
export const heldSubstitution = (word: string): string | undefined => {
  const text = decoded(word);
  return /\$\(.*\)|`.*`/s.test(text) ? text : undefined;
};

/** `a[$(x)]` is written for one purpose, wherever it stands. */
export const isIndexed = (text: string): boolean => /\w\[[^\]]*(\$\(|`)/.test(text);
