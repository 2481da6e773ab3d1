/**
 * Replacing text in text: what `edit_file` and `multi_edit` do once the file is read. Pure.
 */
import { nearText } from './near-text.js';

/** More places need no naming: text has to be added anyway. */
const PLACES_NAMED = 5;

export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

export type Edited = { readonly text: string; readonly places: number } | { readonly fault: string };

/** The lines in which each occurrence begins, counted from 1. */
const linesOf = (text: string, part: string): number[] => {
  const lines: number[] = [];
  let line = 1;
  for (const piece of text.split(part).slice(0, -1)) {
    line += piece.split('\n').length - 1;
    lines.push(line);
    line += part.split('\n').length - 1;
  }
  return lines;
};

/** The text with the edit made, and in how many places; or why it cannot be made without guessing. */
export const editText = (text: string, { oldText, newText, replaceAll }: TextEdit): Edited => {
  if (oldText === newText) return { fault: 'old_string and new_string are the same' };
  // A file with CRLF line ends is shown with them, but a caller who types the text will not write them.
  const inFileStyle = (part: string): string => part.replace(/\r?\n/g, '\r\n');
  const found = linesOf(text, oldText);
  if (found.length === 0 && text.includes('\r\n') && oldText.includes('\n') && inFileStyle(oldText) !== oldText) {
    return editText(text, { oldText: inFileStyle(oldText), newText: inFileStyle(newText), replaceAll });
  }
  if (found.length === 0) {
    const near = nearText(text, oldText);
    return {
      fault: `old_string is not in the file; it has to match exactly, white space included${near ? `; ${near}` : ''}`,
    };
  }
  if (found.length > 1 && !replaceAll) {
    const named = found.slice(0, PLACES_NAMED).join(', ') + (found.length > PLACES_NAMED ? ', …' : '');
    return {
      fault: `old_string is in the file ${found.length} times, in lines ${named}; add text around it, or set replace_all`,
    };
  }
  return { text: text.split(oldText).join(newText), places: found.length };
};
