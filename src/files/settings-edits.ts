/**
 * Changes to `mcp_servers` and to whole keys as changes of the file's text. Only what differs is touched: other keys, comments, the order
 * and spelling of fields, indentation, line ends and a byte order mark stay as the person left them, and what is added
 * looks like its neighbours. Pure: text in, text out.
 * Invariant: no comment is ever removed, except inside an entry, field or element that is removed itself.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Node } from 'jsonc-parser';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.js';
import type { ServerListEdit, SettingsEdit } from '../ports.js';
import { BYTE_ORDER_MARK, keyOf, parseSettingsText, valueNode, valueOf, withoutMark } from './settings-text.js';

const SERVERS_KEY = 'mcp_servers';
const DEFAULT_INDENT = '  ';

/** The text after the edits. The text must parse and `mcp_servers` be absent or a list that has the edited positions. */
export const editSettings = (marked: string, edits: readonly SettingsEdit[]): string => {
  const parsed = parseSettingsText(marked);
  if ('reason' in parsed) throw new TypeError(`a broken text cannot be edited: ${parsed.reason}`);
  const text = withoutMark(marked);
  const mark = marked.length === text.length ? '' : BYTE_ORDER_MARK;
  if (!parsed.root) return mark + withFirstObject(text, editedSettings({}, edits));
  const editor = new TextEditor(text, parsed.root);
  const properties = parsed.root.children ?? [];
  const keys = nothing();
  const servers = nothing();
  for (const edit of edits) {
    if (edit.kind === 'append') servers.appended.push({ value: edit.entry });
    else if (edit.kind === 'remove') servers.removed.add(edit.index);
    else if (edit.kind === 'replace') servers.replaced.set(edit.index, edit.entry);
    else {
      const { key, value } = edit;
      const index = properties.findLastIndex((child) => keyOf(child) === key);
      // Of a repeated key all go, or an earlier one would count then.
      if (value === undefined) properties.forEach((child, at) => keyOf(child) === key && keys.removed.add(at));
      else if (index === -1) keys.appended.push({ key, value });
      else keys.replaced.set(index, value);
    }
  }
  const property = properties.findLast((child) => keyOf(child) === SERVERS_KEY);
  if (property) editor.changeItems(valueNode(property), servers);
  else if (servers.appended.length > 0) {
    keys.appended.push({ key: SERVERS_KEY, value: servers.appended.map((item) => item.value) });
  }
  editor.changeItems(parsed.root, keys);
  return mark + editor.result();
};

/** The settings after the edits, as a value: what the edited text must say. */
export const editedSettings = (settings: JsonObject, edits: readonly SettingsEdit[]): JsonObject => {
  const result = { ...settings };
  for (const edit of edits) {
    if (edit.kind !== 'set') continue;
    if (edit.value === undefined) delete result[edit.key];
    else result[edit.key] = edit.value;
  }
  const ofServers = edits.filter((edit) => edit.kind !== 'set');
  if (ofServers.length > 0) {
    const stored = settings[SERVERS_KEY];
    result[SERVERS_KEY] = editedServers(Array.isArray(stored) ? stored : [], ofServers);
  }
  return result;
};

const editedServers = (servers: readonly JsonValue[], edits: readonly ServerListEdit[]): JsonValue[] => {
  const removed = new Set(edits.flatMap((edit) => (edit.kind === 'remove' ? [edit.index] : [])));
  const replaced = new Map(
    edits.flatMap((edit) => (edit.kind === 'replace' ? [[edit.index, edit.entry] as const] : [])),
  );
  const kept = servers.flatMap((entry, index) => (removed.has(index) ? [] : [replaced.get(index) ?? entry]));
  return [...kept, ...edits.flatMap((edit) => (edit.kind === 'append' ? [edit.entry] : []))];
};

/** A text of blanks and comments gets its first object below what is there. */
const withFirstObject = (text: string, value: JsonObject): string => {
  const eol = lineEnd(text);
  const object = JSON.stringify(value, null, DEFAULT_INDENT).replaceAll('\n', eol) + eol;
  return text.trim() === '' ? object : text.replace(/[ \t\r\n]*$/, '') + eol + object;
};

const lineEnd = (text: string): string => /\r\n|\n/.exec(text)?.[0] ?? '\n';

/** An element of a list, or with a key a property of an object. */
interface NewItem {
  readonly key?: string;
  readonly value: JsonValue;
}

/** What happens to the items of a list or an object; positions are those before the change. */
interface ItemsChange {
  readonly removed: Set<number>;
  readonly replaced: Map<number, JsonValue>;
  readonly appended: NewItem[];
}

const nothing = (): ItemsChange => ({ removed: new Set(), replaced: new Map(), appended: [] });

interface Item {
  readonly node: Node;
  readonly start: number;
  readonly end: number;
  /** Offset of the comma behind it, which need not be adjacent. */
  readonly comma: number | undefined;
}

class TextEditor {
  readonly #text: string;
  readonly #eol: string;
  readonly #indent: string;
  /** The whole document is one line, so what is added stays on it. */
  readonly #oneLine: boolean;
  readonly #splices: { start: number; end: number; text: string }[] = [];

  constructor(text: string, root: Node) {
    this.#text = text;
    this.#eol = lineEnd(text);
    const [first] = root.children ?? [];
    this.#oneLine = first !== undefined && !/[\r\n]/.test(text.slice(root.offset, root.offset + root.length));
    const ownIndent = first && this.#startsLine(first.offset) ? this.#indentAt(first.offset) : '';
    this.#indent = ownIndent.slice(this.#indentAt(root.offset).length) || DEFAULT_INDENT;
  }

  result(): string {
    let result = '';
    let position = 0;
    // A stable sort: at one offset the order of the calls is the order of the text. Removals may overlap in blanks.
    for (const splice of this.#splices.toSorted((a, b) => a.start - b.start)) {
      result += this.#text.slice(position, Math.max(position, splice.start)) + splice.text;
      position = Math.max(position, splice.end);
    }
    return result + this.#text.slice(position);
  }

  changeItems(container: Node, change: ItemsChange): void {
    const items = this.#items(container);
    const appended = [...change.appended];
    let kept = items.filter((_, index) => !change.removed.has(index));
    const removed = items.filter((_, index) => change.removed.has(index));
    if (kept.length === 0 && removed.length > 0) {
      const [item] = removed;
      const [replacement] = appended;
      if (!replacement) return this.#removeAll(container, items);
      // Nothing stays to append to: the first new item takes the place of the first old one.
      appended.shift();
      removed.shift();
      kept = [item as Item];
      this.#splice((item as Item).start, (item as Item).end, this.#render(replacement, item as Item));
    }
    for (const item of removed) this.#remove(item);
    for (const [index, value] of change.replaced) {
      const item = items[index];
      if (item && !change.removed.has(index)) this.#changeValue(valueNode(item.node), value, item);
    }
    const last = kept.at(-1);
    const hasTrailingComma = items.at(-1)?.comma !== undefined;
    if (!last) this.#fill(container, appended);
    else if (appended.length > 0) this.#append(items, last, appended, hasTrailingComma);
    else if (last.comma !== undefined && !hasTrailingComma) this.#splice(last.comma, last.comma + 1, '');
  }

  #items(container: Node): Item[] {
    return (container.children ?? []).map((node) => {
      const end = node.offset + node.length;
      const next = this.#skipTrivia(end);
      return { node, start: node.offset, end, comma: this.#text[next] === ',' ? next : undefined };
    });
  }

  /** Goes down as far as both sides are of one kind, so comments beside an unchanged field survive. */
  #changeValue(node: Node, value: JsonValue, item: Item): void {
    if (isDeepStrictEqual(valueOf(node), value)) return;
    if (node.type === 'object' && isJsonObject(value)) this.#changeObject(node, value);
    else if (node.type === 'array' && Array.isArray(value)) this.#changeArray(node, value);
    else this.#splice(node.offset, node.offset + node.length, this.#render({ value }, item));
  }

  #changeObject(node: Node, value: JsonObject): void {
    const change = nothing();
    const positions = new Map<string, number>();
    for (const [index, property] of (node.children ?? []).entries()) {
      // Of a repeated key the last one counts, so that is the one to change.
      positions.set(keyOf(property), index);
      if (!Object.hasOwn(value, keyOf(property))) change.removed.add(index);
    }
    for (const [key, child] of Object.entries(value)) {
      const index = positions.get(key);
      if (index === undefined) change.appended.push({ key, value: child });
      else change.replaced.set(index, child);
    }
    this.changeItems(node, change);
  }

  /** Fewer elements than before: those that go are the ones at which the two begin to differ. */
  #changeArray(node: Node, value: readonly JsonValue[]): void {
    const elements = node.children ?? [];
    const surplus = Math.max(0, elements.length - value.length);
    const same = elements.findIndex((element, index) => !isDeepStrictEqual(valueOf(element), value[index]));
    const cut = surplus === 0 ? elements.length : same;
    const change = nothing();
    for (let index = 0; index < surplus; index += 1) change.removed.add(cut + index);
    for (const [index, element] of value.entries()) {
      if (index >= elements.length) change.appended.push({ value: element });
      else change.replaced.set(index < cut ? index : index + surplus, element);
    }
    this.changeItems(node, change);
  }

  #remove({ start, end, comma }: Item): void {
    let stop = end;
    if (comma !== undefined) {
      if (this.#skipBlanks(end) === comma) stop = comma + 1;
      else this.#splice(comma, comma + 1, '');
    }
    const before = this.#lineBlanksBefore(start);
    const after = this.#skipBlanks(stop);
    const next = this.#text[after];
    if (this.#startsLine(start) && this.#endsLine(after)) this.#splice(before, this.#skipBreak(after), '');
    else if (this.#endsLine(after) || next === ']' || next === '}') this.#splice(before, stop, '');
    else this.#splice(start, after, '');
  }

  /** An emptied list or object closes up, unless somebody's comments are in it. */
  #removeAll(container: Node, items: readonly Item[]): void {
    const inside = { start: container.offset + 1, end: container.offset + container.length - 1 };
    const gaps = [...items, { start: inside.end, end: inside.end }].map((item, index) =>
      this.#text.slice(items[index - 1]?.end ?? inside.start, item.start),
    );
    if (gaps.every((gap) => /^[ \t\r\n,]*$/.test(gap))) this.#splice(inside.start, inside.end, '');
    else for (const item of items) this.#remove(item);
  }

  /** Behind the last item that stays. */
  #append(items: readonly Item[], last: Item, appended: readonly NewItem[], hasTrailingComma: boolean): void {
    if (last.comma === undefined) this.#splice(last.end, last.end, ',');
    const behind = last.comma === undefined ? last.end : last.comma + 1;
    const ownLines = this.#startsLine(last.start);
    const gap = ownLines ? this.#eol + this.#indentAt(last.start) : this.#inlineGap(items);
    // On lines of their own, items go below the remark behind the last one; within a line nothing may follow a remark.
    const position = ownLines ? this.#endOfRemarks(behind) : behind;
    const rendered = appended.map((item) => gap + this.#render(item, last)).join(',');
    this.#splice(position, position, rendered + (hasTrailingComma ? ',' : ''));
  }

  /** Into an empty list or object, below the comments it may hold. */
  #fill(container: Node, appended: readonly NewItem[]): void {
    if (appended.length === 0) return;
    const close = container.offset + container.length - 1;
    const start = this.#endOfComments(container.offset + 1);
    const rest = this.#text.slice(start, close);
    if (this.#oneLine) {
      const items = appended.map((item) => this.#renderInLine(item)).join(',');
      return this.#splice(start, close, items);
    }
    const indent = this.#indentAt(container.offset);
    const gap = this.#eol + indent + this.#indent;
    const items = appended.map((item) => gap + this.#renderOnLines(item, indent + this.#indent)).join(',');
    this.#splice(start, /[\r\n]/.test(rest) ? start : close, /[\r\n]/.test(rest) ? items : items + this.#eol + indent);
  }

  /** In the manner of a neighbour: on lines of its own, or within the line. */
  #render(item: NewItem, neighbour: Item): string {
    return this.#startsLine(neighbour.start)
      ? this.#renderOnLines(item, this.#indentAt(neighbour.start))
      : this.#renderInLine(item);
  }

  #renderOnLines({ key, value }: NewItem, indent: string): string {
    const rendered = JSON.stringify(value, null, this.#indent).replaceAll('\n', this.#eol + indent);
    return key === undefined ? rendered : `${JSON.stringify(key)}: ${rendered}`;
  }

  #renderInLine({ key, value }: NewItem): string {
    const rendered = this.#oneLine ? JSON.stringify(value) : spaced(value);
    return key === undefined ? rendered : `${JSON.stringify(key)}:${this.#oneLine ? '' : ' '}${rendered}`;
  }

  #inlineGap(items: readonly Item[]): string {
    const [first, second] = items;
    const gap = first?.comma !== undefined && second ? this.#text.slice(first.comma + 1, second.start) : undefined;
    return gap !== undefined && /^[ \t]*$/.test(gap) ? gap : this.#oneLine ? '' : ' ';
  }

  #splice(start: number, end: number, text: string): void {
    this.#splices.push({ start, end, text });
  }

  #lineBlanksBefore(offset: number): number {
    let position = offset;
    while (this.#text[position - 1] === ' ' || this.#text[position - 1] === '\t') position -= 1;
    return position;
  }

  #startsLine(offset: number): boolean {
    const before = this.#lineBlanksBefore(offset);
    return before === 0 || this.#endsLine(before - 1);
  }

  #endsLine(offset: number): boolean {
    const character = this.#text[offset];
    return character === undefined || character === '\n' || character === '\r';
  }

  #indentAt(offset: number): string {
    const lineStart = Math.max(this.#text.lastIndexOf('\n', offset - 1), this.#text.lastIndexOf('\r', offset - 1)) + 1;
    return this.#text.slice(offset === 0 ? 0 : lineStart, this.#skipBlanks(offset === 0 ? 0 : lineStart));
  }

  #skipBlanks(offset: number): number {
    let position = offset;
    while (this.#text[position] === ' ' || this.#text[position] === '\t') position += 1;
    return position;
  }

  #skipBreak(offset: number): number {
    if (this.#text.startsWith('\r\n', offset)) return offset + 2;
    return offset < this.#text.length ? offset + 1 : offset;
  }

  /** Offset behind the comment that starts here, or undefined when none does. */
  #commentEnd(offset: number): number | undefined {
    const pattern = /\/\/[^\r\n]*|\/\*[^]*?\*\//y;
    pattern.lastIndex = offset;
    return pattern.test(this.#text) ? pattern.lastIndex : undefined;
  }

  #skipTrivia(offset: number): number {
    let position = this.#endOfComments(offset);
    while (/[ \t\r\n]/.test(this.#text[position] ?? '')) position += 1;
    return position;
  }

  /** Behind the last of the comments that follow, or `offset` itself when none does. */
  #endOfComments(offset: number): number {
    const blanks = /[ \t\r\n]*/y;
    for (let end = offset; ;) {
      blanks.lastIndex = end;
      blanks.test(this.#text);
      const next = this.#commentEnd(blanks.lastIndex);
      if (next === undefined) return end;
      end = next;
    }
  }

  /** Like endOfComments, but only over those that start on this line. */
  #endOfRemarks(offset: number): number {
    for (let end = offset; ;) {
      const next = this.#commentEnd(this.#skipBlanks(end));
      if (next === undefined) return end;
      end = next;
      if (/[\r\n]/.test(this.#text.slice(offset, end))) return end;
    }
  }
}

/** One line with blanks, as a person writes a short value. */
const spaced = (value: JsonValue): string => {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, child]) => `${JSON.stringify(key)}: ${spaced(child)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
};
