/**
 * What the parser forgives and bash does not: it passes over a parenthesis between words, and an expansion that is never
 * closed ends where its text does. A line that only the parser understands is not understood.
 */
import type { SyntaxNode } from 'unbash';

const CLOSED = /^(\$\(\(.*\)\)|[$<>]\(.*\)|`.*`|\$\{.*\}|\$\[.*\])$/s;

/** Right behind a command, the beginning of something that cannot follow it. */
const DANGLING = /[ \t]*\(/y;

/** True for a piece of syntax that bash would refuse; `source` is the whole line. */
export const isForgiven = (node: SyntaxNode, source: string): boolean => {
  switch (node.type) {
    case 'Command': {
      let end = node.pos;
      const parts = [...node.prefix, ...(node.name ? [node.name] : []), ...node.args, ...node.redirects];
      for (const part of parts.toSorted((one, other) => one.pos - other.pos)) {
        if (/[()]/.test(source.slice(end, part.pos))) return true;
        end = Math.max(end, part.end);
      }
      DANGLING.lastIndex = node.end;
      return DANGLING.test(source);
    }
    case 'CommandExpansion':
    case 'ArithmeticExpansion':
    case 'ParameterExpansion':
    case 'ProcessSubstitution':
      return !CLOSED.test(node.text);
    case 'Pipeline':
      return node.commands.length === 0;
    default:
      return false;
  }
};
