/**
 * Talking with the person at a terminal: text that cannot play tricks on it, and questions. What is asked goes to
 * stderr, so that stdout holds results only.
 */
import { createInterface } from 'node:readline';
import type { EntryView } from '../domain/redact.js';

/** Controls, formats (they turn the direction of text or are not seen at all) and separators other than the space. */
const NOT_PRINTABLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** Text of somebody else's making with everything escaped that a terminal would act on instead of showing it. */
export const printable = (text: string): string =>
  text.replaceAll(NOT_PRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** A command line whose words can be told apart. It is for reading, not for pasting into a shell. */
const commandLine = (words: readonly string[]): string =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : printable(JSON.stringify(word)))).join(' ');

/** What an entry would start or reach, and the names of the credentials it gets; never a value of those. */
export const describeEntry = (view: EntryView, origin: string): string => {
  const { name, transport, enabled, command, args = [], url, envKeys, headerKeys } = view;
  const lines = [`${printable(name)} (${[origin, transport, ...(enabled ? [] : ['disabled'])].join(', ')})`];
  if (command !== undefined) lines.push(`  starts   ${commandLine([command, ...args])}`);
  if (url !== undefined) lines.push(`  reaches  ${printable(url)}`);
  if (envKeys.length > 0) lines.push(`  env      ${envKeys.map(printable).join(', ')}`);
  if (headerKeys.length > 0) lines.push(`  headers  ${headerKeys.map(printable).join(', ')}`);
  return lines.join('\n');
};

/** Results, on stdout. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);
/** What a person should know beside them, on stderr. */
export const remark = (line: string): void => void process.stderr.write(`${line}\n`);

/** Ends the command with a sentence and the exit code for what was refused. */
export type Refuse = (message: string) => never;

export interface Terminal {
  /** The answer, trimmed and in lower case; undefined when the person left (Ctrl-C, Ctrl-D). */
  ask(question: string): Promise<string | undefined>;
  close(): void;
}

/** Undefined when nobody is there to read a question or to answer it. */
export const openTerminal = (): Terminal | undefined => {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answers = lines[Symbol.asyncIterator]();
  let isOpen = true;
  lines.once('close', () => (isOpen = false));
  return {
    ask: async (question) => {
      lines.setPrompt(question);
      // A prompt would open the input again, and the process would wait for it without end.
      if (isOpen) lines.prompt();
      const answer = await answers.next();
      if (!answer.done) return answer.value.trim().toLowerCase();
      remark(''); // The cursor still stands behind the question.
      return undefined;
    },
    close: () => lines.close(),
  };
};
