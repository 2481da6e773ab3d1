/**
 * The text of a settings file as a value: JSON with comments, trailing commas and a byte order mark. Reading says where
 * a text is broken and why, and never quotes it, for a settings file holds credentials. Changing a text is
 * settings-edits.ts.
 */
import jsonc, { type Node, type ParseError } from 'jsonc-parser';
import type { JsonObject, JsonValue } from '../domain/json.js';
import { jsonRule } from '../domain/json-text.js';

export const BYTE_ORDER_MARK = '\uFEFF';

/** Deeper documents are refused, so whatever walks a document may use recursion. Far beyond any real file. */
const DEPTH_MAX = 100;

/** `root` is undefined when the text holds nothing but blanks and comments. Its offsets start behind the mark. */
export type SettingsText =
  | { readonly value: JsonObject; readonly root: Node | undefined }
  /** One sentence, with line and column where there is a place to point at. */
  | { readonly reason: string };

/** The value of a text, or why it has none. An empty text is an empty object. */
export const parseSettingsText = (marked: string): SettingsText => {
  const text = withoutMark(marked);
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = jsonc.parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch {
    // The parser is recursive: its stack is all that can run out.
    return { reason: `nested deeper than ${DEPTH_MAX} levels` };
  }
  const [error] = errors;
  if (error) return broken(text, error.offset, jsonRule(error.error));
  if (!root) return { value: {}, root };
  const fault = firstFault(root, 0);
  if (fault) return broken(text, fault.offset, fault.rule);
  if (root.type !== 'object') return broken(text, root.offset, 'the document is not an object');
  return { value: valueOf(root) as JsonObject, root };
};

export const withoutMark = (text: string): string => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);

/** The value of a node as JSON.parse would give it: of a repeated key the last one counts. */
export const valueOf = (node: Node): JsonValue => {
  if (node.type === 'array') return (node.children ?? []).map(valueOf);
  if (node.type !== 'object') return node.value as JsonValue;
  // From entries, not by assignment: a key named __proto__ is a key like any other and must not set the prototype.
  return Object.fromEntries((node.children ?? []).map((property) => [keyOf(property), valueOf(valueNode(property))]));
};

export const keyOf = (property: Node): string => property.children?.[0]?.value as string;

/** The value's node of a property; an element of a list is its own. */
export const valueNode = (item: Node): Node => (item.type === 'property' ? (item.children?.[1] as Node) : item);

const broken = (text: string, offset: number, rule: string): { reason: string } => {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  const column = (lines.at(-1) ?? '').length + 1;
  return { reason: `line ${lines.length}, column ${column}: ${rule}` };
};

/** What parses and still cannot be used: too deep to walk, or without canonical JSON (RFC 8785) and so without a hash. */
const firstFault = (node: Node, depth: number): { offset: number; rule: string } | undefined => {
  const { offset } = node;
  if (depth > DEPTH_MAX) return { offset, rule: `nested deeper than ${DEPTH_MAX} levels` };
  if (node.type === 'string' && /\p{Surrogate}/u.test(node.value as string)) {
    return { offset, rule: 'half a surrogate pair in a string' };
  }
  if (node.type === 'number' && !Number.isFinite(node.value)) return { offset, rule: 'a number out of range' };
  for (const child of node.children ?? []) {
    const fault = firstFault(child, depth + (child.type === 'property' ? 0 : 1));
    if (fault) return fault;
  }
  return undefined;
};
