/**
 * Replacing text in text: what `edit_file` and `multi_edit` do once the file is read. Pure.
 */
export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

export type Edited = { readonly text: string; readonly places: number } | { readonly fault: string };

const countOf = (text: string, part: string): number => text.split(part).length - 1;

/** The text with the edit made, and in how many places; or why it cannot be made without guessing. */
export const editText = (text: string, { oldText, newText, replaceAll }: TextEdit): Edited => {
  if (oldText === newText) return { fault: 'old_string and new_string are the same' };
  // A file with CRLF line ends is shown with them, but a caller who types the text will not write them.
  const inFileStyle = (part: string): string => part.replace(/\r?\n/g, '\r\n');
  const found = countOf(text, oldText);
  if (found === 0 && text.includes('\r\n') && oldText.includes('\n') && inFileStyle(oldText) !== oldText) {
    return editText(text, { oldText: inFileStyle(oldText), newText: inFileStyle(newText), replaceAll });
  }
  if (found === 0) return { fault: 'old_string is not in the file; it has to match exactly, white space included' };
  if (found > 1 && !replaceAll) {
    return { fault: `old_string is in the file ${found} times; add text around it, or set replace_all` };
  }
  return { text: text.split(oldText).join(newText), places: found };
};
