/**
 * Differences between two schemas, each judged by what it does to the set of allowed values: narrowing breaks those who
 * write, widening those who read. A keyword that is not known here is judged by its text, on the safe side.
 */
import { isMap, resolve, type Json, type JsonMap } from '../document.js';
import { finding, type Direction, type Finding, type Rule, type Sides, type Step } from './change.js';

/** What happened to the set of allowed values. A neutral change is worth telling and breaks nobody. */
type Effect = 'narrowed' | 'widened' | 'changed' | 'neutral';

const BREAKING: Record<Direction, ReadonlySet<Effect>> = {
  request: new Set<Effect>(['narrowed', 'changed']),
  response: new Set<Effect>(['widened', 'changed']),
};

/** Compared by a rule of their own below. */
const KNOWN = new Set(
  (
    '$ref type nullable format enum const properties required additionalProperties items contentSchema ' +
    'oneOf anyOf allOf default deprecated'
  ).split(' '),
);
/** Words for people: they allow and refuse nothing. */
const ANNOTATIONS = new Set(['description', 'title', 'example', 'examples', 'externalDocs', '$comment', 'xml']);
const LOWER_LIMITS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const UPPER_LIMITS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LIMITS = new Set([...LOWER_LIMITS, ...UPPER_LIMITS]);
const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array'];
/** The second has every value of the first. */
const WIDER_FORMATS = new Set(['int32 int64', 'float double']);

/** Every change between two schemas and what they lead to. A missing schema allows everything. */
export function* compareSchemas(
  sides: Sides,
  before: Json | undefined,
  after: Json | undefined,
  at: string,
  direction: Direction,
): Iterable<Step> {
  const [from, to] = [refOf(before), refOf(after)];
  const compare = (place: string): Iterable<Step> =>
    compareResolved(sides, schemaAt(sides.before, before), schemaAt(sides.after, after), place, direction);
  if (from === undefined || to === undefined) {
    yield* compare(at);
  } else {
    const place = from === to ? `schema ${nameOf(to)}` : `schema ${nameOf(to)} (was ${nameOf(from)})`;
    yield { key: `${direction} ${from} ${to}`, steps: () => compare(place) };
  }
}

const refOf = (schema: Json | undefined): string | undefined =>
  isMap(schema) && typeof schema.$ref === 'string' ? schema.$ref : undefined;

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** The schema itself; `true` and nothing are the schema that allows everything. */
function schemaAt(document: JsonMap, schema: Json | undefined): JsonMap {
  const resolved = resolve(document, schema);
  return isMap(resolved) ? resolved : {};
}

type Note = (rule: Rule, effect: Effect, message: string) => Finding;

function* compareResolved(
  sides: Sides,
  before: JsonMap,
  after: JsonMap,
  at: string,
  direction: Direction,
): Iterable<Step> {
  const written = text(before);
  if (written === text(after) && !written.includes('"$ref"')) return;
  const note: Note = (rule, effect, message) =>
    finding(rule, BREAKING[direction].has(effect), `${at} (${direction})`, message);

  const [typesBefore, typesAfter] = [typesOf(before), typesOf(after)];
  yield* compareSets('type', typesBefore.names, typesAfter.names, note);
  if (typesBefore.null && !typesAfter.null) yield note('null-narrowed', 'narrowed', 'null is no longer allowed');
  if (!typesBefore.null && typesAfter.null) yield note('null-widened', 'widened', 'may be null now');
  if (!typesAfter.names.some((name) => typesBefore.names.includes(name))) return;
  yield* compareFormats(before.format, after.format, note);
  yield* compareEnums(before, after, note);
  yield* compareLimits(before, after, note);
  yield* compareOthers(before, after, note);
  if (after.deprecated === true && before.deprecated !== true) yield note('deprecated', 'neutral', 'is deprecated');
  if (direction === 'request' && text(before.default) !== text(after.default)) {
    yield note(
      'default-changed',
      'changed',
      `leaving it out meant ${shown(before.default)} and means ${shown(after.default)}`,
    );
  }

  yield* compareMembers(sides, before, after, at, direction, note);
  for (const [keyword, suffix] of [
    ['items', '[]'],
    ['contentSchema', ' as JSON'],
  ] as const) {
    if (before[keyword] !== undefined || after[keyword] !== undefined) {
      yield* compareSchemas(sides, before[keyword], after[keyword], `${at}${suffix}`, direction);
    }
  }
  for (const keyword of ['oneOf', 'anyOf', 'allOf']) {
    yield* compareVariants(sides, keyword, before[keyword], after[keyword], at, direction, note);
  }
}

/** The types a schema allows, in the words of 3.0 and of 3.1. Every integer is a number. */
function typesOf(schema: JsonMap): { names: string[]; null: boolean } {
  if (schema.type === undefined) return { names: TYPES, null: true };
  const named = (Array.isArray(schema.type) ? schema.type : [schema.type]).map(String);
  // 3.0 has no null type and says it as a string whose one value is null.
  const isNull = text(schema.enum) === '[null]';
  const names = isNull ? [] : named.filter((name) => name !== 'null');
  if (names.includes('number') && !names.includes('integer')) names.push('integer');
  return { names, null: named.includes('null') || schema.nullable === true };
}

/** Two sets of allowed values, told by what is gone and what is new. */
function* compareSets(subject: 'type' | 'enum', before: string[], after: string[], note: Note): Iterable<Finding> {
  const gone = before.filter((value) => !after.includes(value));
  const fresh = after.filter((value) => !before.includes(value));
  if (gone.length > 0 && fresh.length > 0 && gone.length === before.length) {
    yield note(`${subject}-changed`, 'changed', `was ${before.join(', ')}, is ${after.join(', ')}`);
    return;
  }
  if (gone.length > 0) yield note(`${subject}-narrowed`, 'narrowed', `no longer ${gone.join(', ')}`);
  if (fresh.length > 0) yield note(`${subject}-widened`, 'widened', `may be ${fresh.join(', ')} now`);
}

function* compareFormats(before: Json | undefined, after: Json | undefined, note: Note): Iterable<Finding> {
  if (before === after) return;
  const isWider = (a: unknown, b: unknown): boolean =>
    b === undefined || WIDER_FORMATS.has(`${String(a)} ${String(b)}`);
  const effect = isWider(before, after) ? 'widened' : isWider(after, before) ? 'narrowed' : 'changed';
  yield note(`format-${effect}`, effect, `format was ${shown(before)}, is ${shown(after)}`);
}

function* compareEnums(before: JsonMap, after: JsonMap, note: Note): Iterable<Finding> {
  const [closedBefore, closedAfter] = [valuesOf(before), valuesOf(after)];
  if (closedBefore === undefined && closedAfter !== undefined) {
    yield note('enum-narrowed', 'narrowed', `must be one of ${closedAfter.join(', ')}`);
  } else if (closedBefore !== undefined && closedAfter === undefined) {
    yield note('enum-widened', 'widened', 'may be anything now');
  } else if (closedBefore !== undefined && closedAfter !== undefined) {
    yield* compareSets('enum', closedBefore, closedAfter, note);
  }
  // An open list: readers were told that it grows.
  const open = (schema: JsonMap): string[] => ((schema['x-extensible-enum'] ?? []) as Json[]).map(text);
  const [openBefore, openAfter] = [open(before), open(after)];
  const gone = openBefore.filter((value) => !openAfter.includes(value));
  const fresh = openAfter.filter((value) => !openBefore.includes(value));
  if (gone.length > 0) yield note('known-values-removed', 'narrowed', `no longer ${gone.join(', ')}`);
  if (fresh.length > 0)
    yield note('known-values-added', 'neutral', `may be ${fresh.join(', ')} now, as readers were told`);
}

const valuesOf = (schema: JsonMap): string[] | undefined =>
  Array.isArray(schema.enum) ? schema.enum.map(text) : 'const' in schema ? [text(schema.const)] : undefined;

function* compareLimits(before: JsonMap, after: JsonMap, note: Note): Iterable<Finding> {
  for (const [limits, none, sign] of [
    [LOWER_LIMITS, -Infinity, 1],
    [UPPER_LIMITS, Infinity, -1],
  ] as const) {
    for (const limit of limits) {
      const of = (schema: JsonMap): number => (schema[limit] === undefined ? none : Number(schema[limit]));
      const step = (of(after) - of(before)) * sign;
      if (of(after) === of(before)) continue;
      const effect = step > 0 ? 'narrowed' : 'widened';
      yield note(`limit-${effect}`, effect, `${limit} was ${shown(before[limit])}, is ${shown(after[limit])}`);
    }
  }
}

/** Keywords without a rule of their own: one more is narrower, one less is wider, another is neither. */
function* compareOthers(before: JsonMap, after: JsonMap, note: Note): Iterable<Finding> {
  for (const keyword of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (KNOWN.has(keyword) || ANNOTATIONS.has(keyword) || LIMITS.has(keyword) || keyword.startsWith('x-')) continue;
    if (text(before[keyword]) === text(after[keyword])) continue;
    const effect = before[keyword] === undefined ? 'narrowed' : after[keyword] === undefined ? 'widened' : 'changed';
    yield note(`constraint-${effect}`, effect, `${keyword} was ${shown(before[keyword])}, is ${shown(after[keyword])}`);
  }
}

function* compareMembers(
  sides: Sides,
  before: JsonMap,
  after: JsonMap,
  at: string,
  direction: Direction,
  note: Note,
): Iterable<Step> {
  const members = (schema: JsonMap): JsonMap => (isMap(schema.properties) ? schema.properties : {});
  const required = (schema: JsonMap): string[] => (Array.isArray(schema.required) ? schema.required.map(String) : []);
  const [membersBefore, membersAfter] = [members(before), members(after)];
  for (const [name, schema] of Object.entries(membersBefore)) {
    const other = membersAfter[name];
    // Whoever sends it is refused or not heard, whoever reads it misses it.
    if (other === undefined) yield note('member-removed', 'changed', `the member ${name} is gone`);
    else yield* compareSchemas(sides, schema, other, `${at}.${name}`, direction);
  }
  for (const name of Object.keys(membersAfter)) {
    if (membersBefore[name] === undefined) yield note('member-added', 'neutral', `has the member ${name} now`);
  }
  for (const name of required(after)) {
    if (!required(before).includes(name))
      yield note(
        'member-required',
        'narrowed',
        `${name} ${direction === 'request' ? 'must' : 'will always'} be there now`,
      );
  }
  for (const name of required(before)) {
    // One that is gone has been told above.
    if (!required(after).includes(name) && membersAfter[name] !== undefined) {
      yield note('member-optional', 'widened', `${name} may be missing now`);
    }
  }

  const [rest, restAfter] = [before.additionalProperties, after.additionalProperties];
  if (rest !== false && restAfter === false)
    yield note('other-members-refused', 'narrowed', 'has no other members now');
  // Readers were told that there may be members they do not know.
  if (rest === false && restAfter !== false) {
    yield note('other-members-allowed', direction === 'request' ? 'widened' : 'neutral', 'may have other members now');
  }
  if (rest !== false && restAfter !== false && (isMap(rest) || isMap(restAfter))) {
    yield* compareSchemas(sides, rest, restAfter, `${at}.*`, direction);
  }
}

function* compareVariants(
  sides: Sides,
  keyword: string,
  before: Json | undefined,
  after: Json | undefined,
  at: string,
  direction: Direction,
  note: Note,
): Iterable<Step> {
  const [variants, variantsAfter] = [before, after].map((list) => (Array.isArray(list) ? list : [])) as [
    Json[],
    Json[],
  ];
  const missing = (from: Json[], of: Json[]): Json[] =>
    from.filter((variant) => !of.some((other) => text(other) === text(variant)));
  const [gone, fresh] = [missing(variants, variantsAfter), missing(variantsAfter, variants)];
  for (const variant of variants)
    if (!gone.includes(variant)) yield* compareSchemas(sides, variant, variant, at, direction);
  if (gone.length === 1 && fresh.length === 1) {
    yield* compareSchemas(sides, gone[0], fresh[0], `${at} ${keyword}`, direction);
    return;
  }
  // Each of allOf is one more demand, each of the others one more way to meet it. A first or last one is a demand too.
  const isDemand = keyword === 'allOf' || variants.length === 0 || variantsAfter.length === 0;
  const tell = (effect: 'narrowed' | 'widened', message: string): Finding =>
    note(`variants-${effect}`, effect, message);
  if (gone.length > 0) yield tell(isDemand ? 'widened' : 'narrowed', `${keyword} lost ${gone.map(shown).join(', ')}`);
  if (fresh.length > 0)
    yield tell(isDemand ? 'narrowed' : 'widened', `${keyword} has ${fresh.map(shown).join(', ')} now`);
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** A value in a sentence: a reference by its name, nothing as `nothing`. */
const shown = (value: Json | undefined): string => {
  const ref = refOf(value);
  return value === undefined ? 'nothing' : ref === undefined ? text(value) : nameOf(ref);
};
