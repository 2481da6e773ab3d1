/**
 * Text without which an expression cannot match: files that lack it need not be taken apart into lines. It looks at what
 * stands outside of groups, and says nothing rather than something uncertain.
 */

/** What is one thing in an expression: an escape, a class, a count, or a character. */
const TOKENS = /\\[^]|\[(?:\\[^]|[^\]\\])*\]|\{\d*,?\d*\}|[^]/g;
/** Escapes that stand for one of several characters, or for a place. */
const CLASS_ESCAPE = /^\\[bBdDsSwW]$/;
/** Halves of characters, and what stands for bytes that are no text, have no bytes of their own. */
const NOT_IN_BYTES = /[\uD800-\uDFFF\uFFFD]/;

/** The longest such text of a valid expression without flags; undefined when none is certain. */
export const requiredText = (source: string): string | undefined => {
  if (NOT_IN_BYTES.test(source)) return undefined;
  let longest = '';
  let run = '';
  let depth = 0;
  const endRun = (): void => {
    if (run.length > longest.length) longest = run;
    run = '';
  };
  for (const [token] of source.matchAll(TOKENS)) {
    const isEscape = token.startsWith('\\');
    if (isEscape && /[a-zA-Z0-9]/.test(token) && !CLASS_ESCAPE.test(token)) return undefined;
    if (depth === 0 && token === '|') return undefined;
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    // What may be absent, or there several times, is no part of what goes on.
    if (token === '*' || token === '?' || /^\{.+\}$/.test(token)) run = run.slice(0, -1);
    const isText = isEscape ? !CLASS_ESCAPE.test(token) : token.length === 1 && !/[\^$.*+?()]/.test(token);
    if (!isText) endRun();
    else if (depth === 0) run += token.at(-1);
  }
  endRun();
  return longest === '' ? undefined : longest;
};
