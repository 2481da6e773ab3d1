/**
 * What the judges of one simple command are given, so that each can hand on what it finds inside: a script, a command
 * behind a wrapper. The judge of both is static-stakes.ts; here is only how they speak to each other.
 */
import type { Place } from './broad-path.js';
import type { SimpleCommand } from './shell.js';
import type { ShellWord } from './shell-words.js';

export interface Judging {
  readonly command: SimpleCommand;
  readonly place: Place | undefined;
  /** What the line itself prints: arguments of echo and printf, and here-documents. It may be what is piped. */
  readonly printed: readonly ShellWord[];
  /** Why a person should look at this script first, or undefined. */
  readonly script: (word: ShellWord) => string | undefined;
  /** The same for a command out of the arguments of this one. */
  readonly inside: (words: readonly ShellWord[]) => string | undefined;
}

/** The text this command may read on standard input, as far as the line tells it. */
export const inputOf = ({ command: { redirects, piped }, printed }: Judging): readonly ShellWord[] => {
  const given = redirects.flatMap(({ operator, target }) => (operator.startsWith('<<') ? [target] : []));
  return piped ? [...given, ...printed] : given;
};
