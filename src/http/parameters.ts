/**
 * Path and query parameters: text to the types the contract gives them. Strict, because a caller who writes `0x10` or
 * `TRUE` did not mean what a lenient reader would guess. Headers are scope.ts.
 */
import type { Operation, QueryParameter } from './contract.js';
import { invalidRequest } from './errors.js';

export type ParameterValue = string | number | boolean | readonly string[];

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

const NO_QUERY: Readonly<Record<string, ParameterValue>> = Object.freeze(Object.create(null));

/**
 * The query's values by name. Throws `bad_request` for a parameter the operation does not have, one given twice or
 * empty, one that is missing, and one whose text is not of its type.
 */
export function readQuery(operation: Operation, text: string): Readonly<Record<string, ParameterValue>> {
  if (text === '' && operation.requiredQuery.length === 0) return NO_QUERY;
  const values: Record<string, ParameterValue> = Object.create(null);
  for (const pair of text === '' ? [] : text.split('&')) {
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), undefined);
    const parameter = operation.query.get(name);
    if (parameter === undefined) throw bad(name, 'unknown', 'is not a parameter of this operation');
    if (name in values) throw bad(name, 'duplicate', 'must be given once');
    const value = equals === -1 ? '' : pair.slice(equals + 1);
    if (value === '' && !parameter.emptyAllowed) throw bad(name, 'allowEmptyValue', 'must not be empty');
    // A list is taken apart before it is decoded: an encoded comma belongs to its item.
    values[name] =
      parameter.type === 'array'
        ? value.split(',').map((item) => decode(item, name))
        : coerce(name, parameter.type, decode(value, name));
  }
  for (const name of operation.requiredQuery) {
    if (!(name in values)) throw bad(name, 'required', 'is required');
  }
  return values;
}

function coerce(name: string, type: Exclude<QueryParameter['type'], 'array'>, value: string): ParameterValue {
  switch (type) {
    case 'string':
      return value;
    case 'boolean':
      if (value !== 'true' && value !== 'false') throw bad(name, 'type', 'must be true or false');
      return value === 'true';
    case 'integer':
      if (!INTEGER.test(value) || !Number.isSafeInteger(Number(value))) throw bad(name, 'type', 'must be integer');
      return Number(value);
    case 'number':
      if (!NUMBER.test(value)) throw bad(name, 'type', 'must be number');
      return Number(value);
  }
}

function decode(text: string, name: string | undefined): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw bad(name ?? '', 'encoding', 'must be percent-encoded UTF-8');
  }
}

/** Longer than any parameter name of the contract: what is echoed of a name that is none is cut here. */
const ECHOED_NAME_CHARACTERS = 64;

function bad(name: string, keyword: string, message: string): Error {
  const shown = name.slice(0, ECHOED_NAME_CHARACTERS);
  return invalidRequest(`query parameter ${shown}`, { pointer: `/query/${shown}`, keyword, message });
}
