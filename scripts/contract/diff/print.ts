/**
 * The differences between two contracts as text: for a person, and as a section of the changelog to start from.
 */
import type { Change } from './change.js';
import { EVERYTHING } from './operations.js';

/** More names than this say less than their number. */
const NAMES_MAX = 4;

/** One line for each change and one for them all. */
export function forPeople(changes: readonly Change[]): string {
  const lines = changes.map(({ rule, breaking, at, message, operations }) => {
    const reach = at.includes(' /') ? '' : ` [${named(operations)}]`;
    return `${breaking ? 'BREAKING  ' : 'compatible'}  ${rule}  ${at}: ${message}${reach}`;
  });
  const breaking = changes.filter((change) => change.breaking).length;
  const count =
    changes.length === 0 ? 'no differences' : `${breaking} breaking, ${changes.length - breaking} compatible`;
  return [...lines, count].join('\n');
}

/** Lists under headings, operations by their ids: what is known of a change, for somebody to put into words. */
export function forChangelog(changes: readonly Change[]): string {
  const isAddition = ({ rule }: Change): boolean => rule === 'operation-added';
  const sections: [string, readonly Change[]][] = [
    ['Breaking', changes.filter(({ breaking }) => breaking)],
    ['Added', changes.filter(isAddition)],
    ['Changed', changes.filter((change) => !change.breaking && !isAddition(change))],
  ];
  return sections
    .filter(([, rows]) => rows.length > 0)
    .map(([title, rows]) => `### ${title}\n\n${rows.map(bullet).join('\n')}\n`)
    .join('\n');
}

const bullet = ({ rule, at, message, operations }: Change): string => {
  const ids = named(operations, (id) => `\`${id}\``);
  return rule === 'operation-added' ? `- ${ids}, ${message}.` : `- ${ids}: ${at}: ${message}.`;
};

function named(operations: readonly string[], quoted = (id: string): string => id): string {
  if (operations.includes(EVERYTHING)) return 'every operation';
  const shown = operations.slice(0, NAMES_MAX).map(quoted);
  const more = operations.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
