/**
 * What a JSON parser changes without a word: an integer that no double holds, and all but the last of the members that
 * share a name. A caller would find something else stored, or given to a tool, than was sent; so it is found and told.
 * Fractions are doubles to everybody who sends them, and are rounded to one as anywhere.
 */
import { visit } from 'jsonc-parser';
import type { Violation } from './errors.js';

/** Fewer characters between two strings hold no integer that is too long for a double. */
const LONG_NUMBER_CHARACTERS = 5;
/** Sixteen digits are the first that may be too many; with an exponent fewer will do. */
const MAY_BE_INEXACT = /\d{16}|\d[eE]/;
const IS_AFTER_NAME = /^\s*:/;
/** Longer than any member name of the contract. */
const NAME_SHOWN_CHARACTERS = 64;

/**
 * The first place where the value of a text is not what the text says, or undefined. The text is valid JSON, its value
 * has that many keys and is no deeper than a recursion may go. Requires: edge.body.exact
 */
export const inexactness = (text: string, keys: number): Violation | undefined =>
  isSuspect(text, keys) ? firstInexact(text) : undefined;

/** From string to string: what a colon follows is a name, and numbers stand between strings only. */
function isSuspect(text: string, keys: number): boolean {
  let names = 0;
  for (let from = 0; ;) {
    const at = text.indexOf('"', from);
    const between = text.slice(from, at === -1 ? text.length : at);
    if (between.length >= LONG_NUMBER_CHARACTERS && MAY_BE_INEXACT.test(between)) return true;
    if (IS_AFTER_NAME.test(between)) names += 1;
    if (at === -1) return names !== keys;
    from = endOfString(text, at + 1);
  }
}

function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); ; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text[first - 1] === '\\') first -= 1;
    if ((end - first) % 2 === 0) return end + 1;
  }
}

function firstInexact(text: string): Violation | undefined {
  let found: Violation | undefined;
  const names: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void names.push(new Set()),
    onObjectEnd: () => void names.pop(),
    onObjectProperty: (name, _offset, _length, _line, _column, path) => {
      const seen = names.at(-1)!;
      if (seen.has(name)) {
        const shown = JSON.stringify(name.slice(0, NAME_SHOWN_CHARACTERS));
        const message = `must not have two members named ${shown}`;
        found ??= { pointer: pointerOf(path()), keyword: 'uniqueMembers', message };
      }
      seen.add(name);
    },
    onLiteralValue: (value, offset, length, _line, _column, path) => {
      if (typeof value !== 'number' || found) return;
      const said = decimal(text.slice(offset, offset + length));
      if (said.exponent < 0 || isEqual(said, decimal(String(value)))) return;
      const message = 'must not be an integer that a double cannot hold exactly; send it as a string';
      found = { pointer: pointerOf(path()), keyword: 'exactInteger', message };
    },
  });
  return found;
}

const pointerOf = (path: readonly (string | number)[]): string =>
  ['/body', ...path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');

interface Decimal {
  /** Without zeros at either end. */
  readonly digits: string;
  /** Negative for a fraction. */
  readonly exponent: number;
}

const isEqual = (one: Decimal, other: Decimal): boolean =>
  one.digits === other.digits && one.exponent === other.exponent;

function decimal(literal: string): Decimal {
  const [, whole = '', fraction = '', power = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal)!;
  const written = (whole + fraction).replace(/^0+/, '');
  const digits = written.replace(/0+$/, '');
  if (digits === '') return { digits, exponent: 0 };
  return { digits, exponent: Number(power) - fraction.length + (written.length - digits.length) };
}
