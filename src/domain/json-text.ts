/**
 * A pasted text as JSON: comments, trailing commas and a byte order mark are accepted, anything else that is not JSON
 * is refused at its first fault. Numbers keep their text, because a big one would not survive as a number.
 * Invariant: a refusal gives a position and a rule and never quotes the text, which may hold credentials; objects have
 * no prototype, so every key is an ordinary key.
 */
import jsonc from 'jsonc-parser';
import type { JsonObject, JsonValue } from './json.js';

/** Deeper texts are refused, so whatever walks a document may use recursion. The limit of free-form bodies. */
export const JSON_DEPTH_MAX = 64;
/** Members and items of a text together: what follows a parse costs far more. As many as a free-form body may have keys. */
export const JSON_VALUES_MAX = 10_000;

export interface JsonText {
  readonly value: JsonValue;
  /** The number at this key as it was written; undefined when there is none. */
  numberText(holder: JsonObject, key: string): string | undefined;
}

export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly rule: string;
}

const RULES: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a word that is not JSON (are quotes missing?)',
  InvalidNumberFormat: 'a malformed number',
  PropertyNameExpected: 'a property name in double quotes is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  EndOfFileExpected: 'something follows the end of the document',
  UnexpectedEndOfComment: 'a comment is not closed',
  UnexpectedEndOfString: 'a string is not closed on its line',
  UnexpectedEndOfNumber: 'a number is incomplete',
  InvalidUnicode: 'a malformed unicode escape in a string',
  InvalidEscapeCharacter: 'an escape in a string that JSON does not have (a backslash is written twice)',
  InvalidCharacter: 'a control character in a string',
};

/** What the parser calls a fault, in words. */
export const jsonRule = (code: jsonc.ParseErrorCode): string => RULES[jsonc.printParseErrorCode(code)] ?? 'not JSON';

/** Thrown through the parser to stop it at the first fault. */
class Stop extends Error {
  readonly fault: JsonFault;
  constructor(rule: string, line: number, column: number) {
    super(rule);
    this.fault = { rule, line: line + 1, column: column + 1 };
  }
}

export function parseJsonText(marked: string): JsonText | { fault: JsonFault } {
  const text = marked.startsWith('\uFEFF') ? marked.slice(1) : marked;
  const numbers = new Map<JsonObject, Map<string, string>>();
  const root: JsonValue[] = [];
  const holders: (JsonObject | JsonValue[])[] = [root];
  let key = '';
  let values = 0;

  const put = (value: JsonValue, line: number, column: number): void => {
    values += 1;
    if (values > JSON_VALUES_MAX)
      throw new Stop(`more than ${JSON_VALUES_MAX} values (is the part with the servers enough?)`, line, column);
    const holder = holders.at(-1) as JsonObject | JsonValue[];
    if (Array.isArray(holder)) holder.push(value);
    else holder[key] = value;
  };
  const open = (value: JsonObject | JsonValue[], line: number, column: number): void => {
    if (holders.length > JSON_DEPTH_MAX) throw new Stop(`nested deeper than ${JSON_DEPTH_MAX} levels`, line, column);
    put(value, line, column);
    holders.push(value);
  };
  const visitor: jsonc.JSONVisitor = {
    onObjectBegin: (_offset, _length, line, column) => open(Object.create(null) as JsonObject, line, column),
    onArrayBegin: (_offset, _length, line, column) => open([], line, column),
    onObjectEnd: () => void holders.pop(),
    onArrayEnd: () => void holders.pop(),
    onObjectProperty: (name, _offset, _length, line, column) => {
      key = name;
      // Which of the two was meant cannot be known, and the one left out would vanish without a word.
      if (Object.hasOwn(holders.at(-1) as JsonObject, name))
        throw new Stop('a key that is there already', line, column);
    },
    onLiteralValue: (value: JsonValue, offset, length, line, column) => {
      put(value, line, column);
      const holder = holders.at(-1) as JsonObject | JsonValue[];
      if (typeof value !== 'number' || Array.isArray(holder)) return;
      const texts = numbers.get(holder) ?? new Map<string, string>();
      numbers.set(holder, texts.set(key, text.slice(offset, offset + length)));
    },
    onError: (code, _offset, _length, line, column) => {
      throw new Stop(jsonRule(code), line, column);
    },
  };
  try {
    jsonc.visit(text, visitor, { allowTrailingComma: true });
  } catch (error) {
    if (error instanceof Stop) return { fault: error.fault };
    throw error;
  }
  return { value: root[0] as JsonValue, numberText: (holder, name) => numbers.get(holder)?.get(name) };
}
