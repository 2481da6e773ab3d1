/**
 * The words of a simple command, and questions about them: what is an option, where the operands may begin, which flag a
 * word may spell. What a program makes of them only the program knows, so every way to read them counts.
 */
import { posix } from 'node:path';

/** Stands in a word for what only running the line would tell. Schemas refuse NUL, so nobody can write one. */
export const UNKNOWN = '\0';

export interface ShellWord {
  /** Quotes and escapes resolved, the home folder as `~`. */
  readonly text: string;
  /** Has an unquoted wildcard. */
  readonly glob: boolean;
  /** May become several words, or none: an expansion outside quotes. */
  readonly split: boolean;
}

export const isUnknown = ({ text }: ShellWord): boolean => text.includes(UNKNOWN);
export const startsUnknown = ({ text, split }: ShellWord): boolean => split || text.startsWith(UNKNOWN);
export const isOption = ({ text }: ShellWord): boolean => text.length > 1 && text.startsWith('-');
export const isAssignment = ({ text }: ShellWord): boolean => /^\w+\+?=/.test(text);
export const nameOf = ({ text }: ShellWord): string => posix.basename(text).toLowerCase();

interface Beginning {
  /** Where the first operand may be. */
  readonly operands: readonly number[];
  /** The options that may stand before it. */
  readonly options: readonly ShellWord[];
  /** There may be no operand at all. */
  readonly mayBeNone: boolean;
}

/**
 * How a list of arguments may begin. An option may or may not take the word behind it, so the first operand can be in
 * several places. Nothing behind an `endsAt` option is looked at.
 */
export const beginningOf = (words: readonly ShellWord[], endsAt?: string): Beginning => {
  const operands = new Set<number>();
  const options = new Set<ShellWord>();
  const seen = new Set<number>();
  let mayBeNone = false;
  const explore = (at: number): void => {
    if (seen.has(at)) return;
    seen.add(at);
    const word = words[at];
    if (!word) {
      mayBeNone = true;
      return;
    }
    if (word.text === endsAt) {
      operands.add(at + 1);
      return;
    }
    if (isOption(word)) {
      options.add(word);
      explore(at + 2);
    } else operands.add(at);
    if (isOption(word) || isAssignment(word) || startsUnknown(word)) explore(at + 1);
  };
  explore(0);
  return { operands: [...operands], options: [...options], mayBeNone };
};

export const isFlag = ({ text }: ShellWord, flag: string): boolean => {
  if (flag.startsWith('--'))
    return text.length > 2 && text.startsWith('--') && flag.startsWith(text.split('=')[0] as string);
  // Short options come in clusters; a longer one behind a single dash (find, terraform) stands alone.
  return flag.length === 2 ? /^-[^-]/.test(text) && text.includes(flag[1] as string, 1) : text.split('=')[0] === flag;
};

/** What is behind the equals sign. */
export const valueIn = (word: ShellWord): ShellWord => ({ ...word, text: word.text.slice(word.text.indexOf('=') + 1) });

/** The values of options, in the next word or glued to it: `-e x`, `-ae x`, `-ex`, `--rsh x`, `--rsh=x`, `-exec x`. */
export const valuesOf = (args: readonly ShellWord[], options: readonly string[]): ShellWord[] =>
  args.flatMap((word, at) =>
    options.flatMap((option) => {
      const next = args[at + 1];
      if (option.length > 2) {
        if (!isFlag(word, option)) return [];
        return word.text.includes('=') ? [valueIn(word)] : next ? [next] : [];
      }
      const [, glued] = new RegExp(`^-[A-Za-z0-9]*?${option[1]}(.*)$`, 's').exec(word.text) ?? [];
      if (glued === undefined) return [];
      return glued !== '' ? [{ ...word, text: glued }] : next ? [next] : [];
    }),
  );

export const firstOf = <T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined => {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
};
