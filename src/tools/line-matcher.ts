/**
 * Matches a regular expression against the lines of texts, in a thread of its own: an expression that takes for ever
 * must not hold up the daemon, and a thread can be ended.
 */
import { Worker } from 'node:worker_threads';
import { ToolFailure } from './judged-file.js';

/** What one text may take. An honest expression needs milliseconds for the largest file that is searched. */
const TEXT_LIMIT_MS = 2_000;

export interface LineMatch {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** Plain JavaScript, because a thread starts from a file or from text and ours are compiled in several ways. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const expression = new RegExp(workerData.source, workerData.flags);
parentPort.on('message', ({ text, max, lineChars }) => {
  const found = [];
  let line = 0;
  for (const content of text.split('\\n')) {
    line += 1;
    const shown = content.endsWith('\\r') ? content.slice(0, -1) : content;
    if (expression.test(shown)) found.push({ line, text: shown.slice(0, lineChars) });
    if (found.length >= max) break;
  }
  parentPort.postMessage(found);
});
`;

export interface LineMatcher {
  /** The first matching lines, at most `max`, each cut at `lineChars`. Throws ToolFailure when it takes too long. */
  match(text: string, max: number, lineChars: number): Promise<readonly LineMatch[]>;
  close(): Promise<void>;
}

/** Throws ToolFailure for an expression that is none. */
export const createLineMatcher = (source: string, flags: string): LineMatcher => {
  if (!isExpression(source, flags)) throw new ToolFailure('pattern is no regular expression');
  const thread = new Worker(THREAD, { eval: true, workerData: { source, flags }, env: {}, stdin: false });
  thread.unref();
  return {
    match: (text, max, lineChars) =>
      new Promise((resolve, reject) => {
        const limit = setTimeout(() => void thread.terminate(), TEXT_LIMIT_MS);
        const ended = (): void => reject(new ToolFailure('the expression takes too long; use a simpler one'));
        thread.once('exit', ended);
        thread.once('message', (found: readonly LineMatch[]) => {
          clearTimeout(limit);
          thread.off('exit', ended);
          resolve(found);
        });
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        thread.postMessage({ text, max, lineChars });
      }),
    close: async () => void (await thread.terminate()),
  };
};

const isExpression = (source: string, flags: string): boolean => {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
};
