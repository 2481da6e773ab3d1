/**
 * A schema as the forms a value may have: each form is of one type, and unions, type lists and `allOf` are worked into
 * them. Providers differ in which of the many ways to say a thing they take; a form has one way.
 * Invariant: what a form takes the schema takes too, provided that `also` holds. A form may take less: a schema that
 * names members without saying `type: object` is read as an object.
 */
import { canonicalJson } from '../canonical.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';

export type TypeName = 'null' | 'boolean' | 'string' | 'number' | 'integer' | 'object' | 'array';

export interface Form {
  readonly type: TypeName | 'any';
  /** Annotations of this one form, for example of one branch of a union. */
  readonly notes: JsonObject;
  /** The only values, all of them scalars. */
  readonly values?: readonly JsonValue[];
  /** Plain limits (`minLength`, `maximum`, …) by keyword. */
  readonly limits: JsonObject;
  /** What else must hold, as JSON Schema: whatever has no place in a form. */
  readonly also: readonly JsonObject[];
  readonly properties: ReadonlyMap<string, Forms>;
  readonly required: ReadonlySet<string>;
  /** Members that are not named; undefined when the schema does not speak of them. */
  readonly others?: Forms;
  readonly prefix: readonly Forms[];
  readonly items?: Forms;
}

/** No forms: nothing is accepted. */
export interface Forms {
  readonly notes: JsonObject;
  readonly forms: readonly Form[];
}

/** Several unions in one schema multiply; beyond this the last one is kept as a condition. */
const PRODUCT_MAX = 64;

const TYPES: ReadonlySet<string> = new Set(['null', 'boolean', 'string', 'number', 'integer', 'object', 'array']);
type Limit = { readonly of: readonly TypeName[]; readonly kind: 'number' | 'string' | 'boolean' };
const NUMBERS: readonly TypeName[] = ['number', 'integer'];
const LIMITS: ReadonlyMap<string, Limit> = new Map(
  Object.entries<Limit>({
    minLength: { of: ['string'], kind: 'number' },
    maxLength: { of: ['string'], kind: 'number' },
    pattern: { of: ['string'], kind: 'string' },
    minimum: { of: NUMBERS, kind: 'number' },
    maximum: { of: NUMBERS, kind: 'number' },
    exclusiveMinimum: { of: NUMBERS, kind: 'number' },
    exclusiveMaximum: { of: NUMBERS, kind: 'number' },
    multipleOf: { of: NUMBERS, kind: 'number' },
    minItems: { of: ['array'], kind: 'number' },
    maxItems: { of: ['array'], kind: 'number' },
    uniqueItems: { of: ['array'], kind: 'boolean' },
    minProperties: { of: ['object'], kind: 'number' },
    maxProperties: { of: ['object'], kind: 'number' },
  }),
);
/** Keywords that are kept as conditions, in groups that only mean something together, with the types they are about. */
const CONDITIONS: readonly { readonly keywords: readonly string[]; readonly of?: TypeName }[] = [
  { keywords: ['not'] },
  { keywords: ['if', 'then', 'else'] },
  { keywords: ['$ref'] },
  { keywords: ['contains', 'minContains', 'maxContains'], of: 'array' },
  { keywords: ['propertyNames'], of: 'object' },
  { keywords: ['dependentRequired'], of: 'object' },
  { keywords: ['dependentSchemas'], of: 'object' },
  { keywords: ['dependencies'], of: 'object' },
];
const OBJECT_KEYWORDS = [
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'unevaluatedProperties',
];
const ARRAY_KEYWORDS = ['items', 'prefixItems', 'additionalItems', 'unevaluatedItems'];
/** Not annotations: read here, or about the document and not about the value. */
const READ: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'const',
  'allOf',
  'anyOf',
  'oneOf',
  '$schema',
  '$id',
  '$comment',
  '$anchor',
  '$vocabulary',
  ...CONDITIONS.flatMap(({ keywords }) => keywords),
  ...OBJECT_KEYWORDS,
  ...ARRAY_KEYWORDS,
]);

const NO_MEMBERS = { properties: new Map<string, Forms>(), required: new Set<string>(), prefix: [] } as const;
const plainForm = (type: Form['type']): Form => ({ type, notes: {}, limits: {}, also: [], ...NO_MEMBERS });

export const ANY: Forms = { notes: {}, forms: [plainForm('any')] };
export const NEVER: Forms = { notes: {}, forms: [] };
export const NULL_FORM: Form = plainForm('null');

export const isNever = (forms: Forms | undefined): boolean => forms?.forms.length === 0;
export const acceptsNull = ({ forms }: Forms): boolean => forms.some(({ type }) => type === 'null' || type === 'any');
/** What a member of that name must be, named or not. */
export const memberOf = (form: Form, name: string): Forms => form.properties.get(name) ?? form.others ?? ANY;

/** Reads a schema that holds no references that could be followed. */
export function readForms(schema: JsonValue | undefined): Forms {
  if (schema === false) return NEVER;
  if (!isJsonObject(schema)) return ANY;
  let forms = ownForms(schema);
  let notes = notesOf(schema);
  for (const part of listOf(schema['allOf'])) {
    const read = readForms(part);
    forms = both(forms, read.forms);
    notes = { ...read.notes, ...notes };
  }
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) forms = both(forms, unionOf(keyword, branches));
  }
  return { notes, forms };
}

/** The forms a schema describes by itself, without its `allOf`, `anyOf` and `oneOf`. */
export function ownForms(schema: JsonObject): Form[] {
  const values = Object.hasOwn(schema, 'const') ? [schema['const'] as JsonValue] : schema['enum'];
  const conditions = conditionsOf(schema);
  return typesOf(schema, values).flatMap((type): Form[] => {
    const form: Form = {
      ...plainForm(type),
      limits: limitsOf(schema, type),
      also: conditions.filter(({ of }) => of === undefined || of === type).map(({ condition }) => condition),
      ...(type === 'object' && readMembers(schema)),
      ...(type === 'array' && readItems(schema)),
    };
    return Array.isArray(values) ? withValues(form, values) : [form];
  });
}

function typesOf(schema: JsonObject, values: JsonValue | undefined): Form['type'][] {
  const said = schema['type'];
  const names = (Array.isArray(said) ? said : [said]).filter((name) => typeof name === 'string' && TYPES.has(name));
  if (names.length > 0) return tidyTypes(names as TypeName[]);
  if (Array.isArray(values)) return tidyTypes(values.map(typeOfValue));
  const implied = Object.keys(schema).flatMap((key): TypeName[] => {
    if (OBJECT_KEYWORDS.includes(key)) return ['object'];
    if (ARRAY_KEYWORDS.includes(key)) return ['array'];
    const type = LIMITS.get(key)?.of[0] ?? CONDITIONS.find(({ keywords }) => keywords.includes(key))?.of;
    return type === undefined ? [] : [type];
  });
  return implied.length > 0 ? tidyTypes(implied) : ['any'];
}

const tidyTypes = (names: readonly TypeName[]): TypeName[] =>
  [...new Set(names)].filter((name) => name !== 'integer' || !names.includes('number'));

export function typeOfValue(value: JsonValue): TypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as 'boolean' | 'string' | 'object';
}

const isOfType = (value: JsonValue, type: Form['type']): boolean =>
  type === 'any' || typeOfValue(value) === type || (type === 'number' && typeof value === 'number');

function withValues(form: Form, all: readonly JsonValue[]): Form[] {
  const values = all.filter((value) => isOfType(value, form.type));
  if (values.length === 0) return [];
  // Whole objects and lists as values are rare; no provider has them.
  if (form.type === 'object' || form.type === 'array') return [{ ...form, also: [...form.also, { enum: values }] }];
  return [{ ...form, values }];
}

function limitsOf(schema: JsonObject, type: Form['type']): JsonObject {
  const limits: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const limit = LIMITS.get(keyword);
    if (limit?.of.includes(type as TypeName) && typeof value === limit.kind && value !== false) limits[keyword] = value;
  }
  // The oldest dialect marks a bound as exclusive instead of giving it.
  for (const [mark, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const value = limits[bound];
    if (schema[mark] === true && value !== undefined) {
      limits[mark] = value;
      delete limits[bound];
    }
  }
  return limits;
}

function conditionsOf(schema: JsonObject): { condition: JsonObject; of: TypeName | undefined }[] {
  const found = CONDITIONS.filter(({ keywords: [first] }) => Object.hasOwn(schema, first as string));
  const conditions = found.map(({ keywords, of }) => ({ condition: pick(schema, keywords), of }));
  const { properties } = schema;
  if (isJsonObject(schema['patternProperties'])) {
    const condition: JsonObject = pick(schema, ['patternProperties', 'additionalProperties']);
    // Named members are no additional ones; what they must be is said elsewhere.
    if (isJsonObject(properties)) condition['properties'] = anyMembers(Object.keys(properties));
    conditions.push({ condition, of: 'object' });
  }
  // What counts as evaluated depends on everything around it.
  for (const [keyword, of] of [
    ['unevaluatedProperties', 'object'],
    ['unevaluatedItems', 'array'],
  ] as const) {
    if (Object.hasOwn(schema, keyword)) conditions.push({ condition: withoutNotes(schema), of });
  }
  return conditions;
}

function readMembers(schema: JsonObject): Partial<Form> {
  const named = isJsonObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const additional = isJsonObject(schema['patternProperties']) ? undefined : schema['additionalProperties'];
  return {
    properties: new Map(named.map(([name, member]) => [name, readForms(member)])),
    required: new Set(listOf(schema['required']).filter((name) => typeof name === 'string')),
    ...(additional !== undefined && { others: readForms(additional) }),
  };
}

function readItems(schema: JsonObject): Partial<Form> {
  const { items, prefixItems, additionalItems } = schema;
  const isOld = Array.isArray(items);
  const prefix = isOld ? items : listOf(prefixItems);
  const rest = isOld ? additionalItems : items;
  return { prefix: prefix.map(readForms), ...(rest !== undefined && { items: readForms(rest) }) };
}

const isLimit = (key: string, value: JsonValue): boolean =>
  typeof value === LIMITS.get(key)?.kind || (key.startsWith('exclusive') && typeof value === 'boolean');

const notesOf = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([key, value]) => !READ.has(key) && !isLimit(key, value)));

function withoutNotes(schema: JsonObject): JsonObject {
  const notes = notesOf(schema);
  return pick(
    schema,
    Object.keys(schema).filter((key) => !Object.hasOwn(notes, key)),
  );
}

function unionOf(keyword: 'anyOf' | 'oneOf', branches: readonly JsonValue[]): Form[] {
  const read = branches.map(readForms);
  const forms = read.flatMap((branch) =>
    branch.forms.map((form) => ({ ...form, notes: { ...branch.notes, ...form.notes } })),
  );
  if (keyword === 'anyOf' || (branches.every(isTyped) && areApart(read))) return forms;
  // One object for all of them: that is how a condition on the whole union is told from one on a branch.
  const exactlyOne: JsonObject = { oneOf: [...branches] };
  return forms.map((form) => ({ ...form, also: [...form.also, exactlyOne] }));
}

/** A schema that does not say its type was read as the type it means; values of other types are of it too. */
const isTyped = (schema: JsonValue): boolean =>
  schema === false ||
  (isJsonObject(schema) &&
    (['type', 'enum', 'const'].some((key) => Object.hasOwn(schema, key)) || listOf(schema['allOf']).some(isTyped)));

/** Whether no value can be of two branches, as far as types and a telling member show. */
function areApart(branches: readonly Forms[]): boolean {
  return branches.every((one, index) =>
    branches.slice(index + 1).every((other) => one.forms.every((a) => other.forms.every((b) => isApart(a, b)))),
  );
}

function isApart(a: Form, b: Form): boolean {
  if (meetTypes(a.type, b.type) === undefined) return true;
  if (a.values && b.values) return meetValues(a.values, b.values).length === 0;
  return [...a.required].some((name) => {
    if (!b.required.has(name)) return false;
    const [one, other] = [memberOf(a, name), memberOf(b, name)];
    return one.forms.every((x) => other.forms.every((y) => x.values && y.values && isApart(x, y)));
  });
}

/** Forms of values that are of both. */
function both(one: readonly Form[], other: readonly Form[]): Form[] {
  if (one.length > 1 && one.length * other.length > PRODUCT_MAX) {
    return one.map((form) => ({ ...form, also: [...form.also, schemaOf({ notes: {}, forms: other })] }));
  }
  return one.flatMap((a) => other.flatMap((b) => meet(a, b) ?? []));
}

const bothForms = (one: Forms, other: Forms): Forms => ({
  notes: { ...other.notes, ...one.notes },
  forms: both(one.forms, other.forms),
});

function meet(a: Form, b: Form): Form | undefined {
  const type = meetTypes(a.type, b.type);
  if (type === undefined) return undefined;
  const said = a.values && b.values ? meetValues(a.values, b.values) : (a.values ?? b.values);
  const values = said?.filter((value) => isOfType(value, type));
  if (values?.length === 0) return undefined;
  const { limits, also } = meetLimits(a.limits, b.limits);
  return {
    type,
    notes: { ...a.notes, ...b.notes },
    ...(values && { values }),
    limits,
    also: [...a.also, ...b.also, ...also],
    ...meetMembers(a, b),
    ...meetItems(a, b),
  };
}

function meetTypes(a: Form['type'], b: Form['type']): Form['type'] | undefined {
  if (a === b || b === 'any') return a;
  if (a === 'any') return b;
  return [a, b].every((type) => NUMBERS.includes(type as TypeName)) ? 'integer' : undefined;
}

function meetValues(a: readonly JsonValue[], b: readonly JsonValue[]): JsonValue[] {
  const known = new Set(b.map(canonicalJson));
  return a.filter((value) => known.has(canonicalJson(value)));
}

function meetLimits(a: JsonObject, b: JsonObject): { limits: JsonObject; also: JsonObject[] } {
  const limits: JsonObject = { ...a };
  const also: JsonObject[] = [];
  for (const [keyword, value] of Object.entries(b)) {
    const held = limits[keyword];
    if (held === undefined || held === value) limits[keyword] = value;
    else if (keyword === 'pattern' || keyword === 'multipleOf') also.push({ [keyword]: value });
    else limits[keyword] = /^(min|exclusiveMin)/.test(keyword) ? Math.max(+held!, +value!) : Math.min(+held!, +value!);
  }
  return { limits, also };
}

function meetMembers(a: Form, b: Form): Pick<Form, 'properties' | 'required' | 'others'> {
  const names = new Set([...a.properties.keys(), ...b.properties.keys()]);
  const others = a.others && b.others ? bothForms(a.others, b.others) : (a.others ?? b.others);
  return {
    properties: new Map([...names].map((name) => [name, bothForms(memberOf(a, name), memberOf(b, name))])),
    required: new Set([...a.required, ...b.required]),
    ...(others && { others }),
  };
}

function meetItems(a: Form, b: Form): Pick<Form, 'prefix' | 'items'> {
  const at = ({ prefix, items }: Form, index: number): Forms => prefix[index] ?? items ?? ANY;
  const length = Math.max(a.prefix.length, b.prefix.length);
  const items = a.items && b.items ? bothForms(a.items, b.items) : (a.items ?? b.items);
  return {
    prefix: Array.from({ length }, (_, index) => bothForms(at(a, index), at(b, index))),
    ...(items && { items }),
  };
}

/** The forms as one plain JSON Schema, without annotations. */
export function schemaOf({ forms }: Forms): JsonObject {
  const [first] = forms;
  if (first === undefined) return { not: {} };
  return forms.length === 1 ? schemaOfForm(first) : { anyOf: forms.map(schemaOfForm) };
}

function schemaOfForm({ type, values, limits, also, properties, required, others, prefix, items }: Form): JsonObject {
  return {
    ...(type !== 'any' && { type }),
    ...(values && { enum: [...values] }),
    ...limits,
    ...(properties.size > 0 && {
      properties: Object.fromEntries([...properties].map(([name, member]) => [name, schemaOf(member)])),
    }),
    ...(required.size > 0 && { required: [...required] }),
    ...(others && { additionalProperties: isNever(others) ? false : schemaOf(others) }),
    ...(prefix.length > 0 && { prefixItems: prefix.map(schemaOf) }),
    ...(items && { items: isNever(items) ? false : schemaOf(items) }),
    ...(also.length > 0 && { allOf: [...also] }),
  };
}

export const anyMembers = (names: Iterable<string>): JsonObject =>
  Object.fromEntries([...names].map((name) => [name, true]));

export const pick = (schema: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.filter((key) => Object.hasOwn(schema, key)).map((key) => [key, schema[key] as JsonValue]));

const listOf = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);
