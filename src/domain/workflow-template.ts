/**
 * Texts with references in them, as the params of a workflow step have: `{{inputs.file}}`, `{{steps.read.output}}`. A text
 * that is one reference and nothing else stands for the value itself, with its type; within other text a reference becomes
 * text. `\{{` is two braces. Keys are never templates.
 * Invariant: what a value put in its place says is not read again, so no input or output can bring a reference with it.
 */
import { DaemonError } from './errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from './json.js';

/** `inputs.NAME…` or `steps.ID.MEMBER…`, as its names. */
export type Reference = readonly string[];

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reference'; readonly reference: Reference }
  | { readonly kind: 'fault'; readonly rule: string };

/** What the references of one step may come to: more can neither be shown to a person nor carried by a gate. */
const RENDERED_CHARS_MAX = 1024 * 1024;

const TOKEN = /\\\{\{|\{\{([^{}]*)\}\}|\{\{/g;
const NAME = /^[A-Za-z0-9_-]+$/;
const INDEX = /^(?:0|[1-9]\d*)$/;

const parse = (template: string): Part[] => {
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: token, 1: inner, index } of template.matchAll(TOKEN)) {
    if (index > end) parts.push({ kind: 'text', text: template.slice(end, index) });
    end = index + token.length;
    if (token.startsWith('\\')) parts.push({ kind: 'text', text: '{{' });
    else if (inner === undefined) parts.push({ kind: 'fault', rule: 'a {{ has no }}; write \\{{ for two braces' });
    else parts.push(referenceOf(inner));
  }
  if (end < template.length) parts.push({ kind: 'text', text: template.slice(end) });
  return parts;
};

const referenceOf = (inner: string): Part => {
  const reference = inner.trim().split('.');
  return reference.every((name) => NAME.test(name))
    ? { kind: 'reference', reference }
    : { kind: 'fault', rule: 'a reference is made of names with dots between them' };
};

/** Every reference in a value, and the rule each piece breaks that is none. */
export function* referencesIn(value: JsonValue): Iterable<Exclude<Part, { kind: 'text' }>> {
  if (typeof value === 'string') {
    for (const part of parse(value)) if (part.kind !== 'text') yield part;
  } else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) yield* referencesIn(item as JsonValue);
  }
}

/**
 * The value with every reference replaced by what it stands for in `values`. Throws bad_request for one that stands for
 * nothing, and when they come to too much together.
 */
export const render = (value: JsonObject, values: JsonObject): JsonObject => {
  let left = RENDERED_CHARS_MAX;
  const look = (reference: Reference): JsonValue => {
    const found = lookUp(values, reference);
    if (found === undefined) throw new DaemonError('bad_request', `${reference.join('.')} has no value`);
    left -= textOf(found).length;
    if (left < 0)
      throw new DaemonError('bad_request', `the references come to more than ${RENDERED_CHARS_MAX} characters`);
    return found;
  };
  const renderText = (template: string): JsonValue => {
    const parts = parse(template);
    const [only] = parts;
    if (parts.length === 1 && only?.kind === 'reference') return look(only.reference);
    return parts
      .map((part) => (part.kind === 'reference' ? textOf(look(part.reference)) : part.kind === 'text' ? part.text : ''))
      .join('');
  };
  const renderValue = (item: JsonValue): JsonValue => {
    if (typeof item === 'string') return renderText(item);
    if (Array.isArray(item)) return item.map(renderValue);
    return isJsonObject(item) ? renderObject(item) : item;
  };
  const renderObject = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([key, item]) => [key, renderValue(item)]));
  return renderObject(value);
};

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

const lookUp = (values: JsonObject, reference: Reference): JsonValue | undefined => {
  let value: JsonValue | undefined = values;
  for (const name of reference) {
    if (Array.isArray(value)) value = INDEX.test(name) ? value[Number(name)] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
};
