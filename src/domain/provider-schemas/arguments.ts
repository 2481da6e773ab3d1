/**
 * The way back from strict mode: there a model has to give every member, and gives null for one it would leave out.
 * Nulls that the tool itself would take stay.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';
import { acceptsNull, type Form, type Forms, memberOf, readForms, typeOfValue } from './forms.js';
import { inlineReferences } from './inline.js';

/** The arguments as the tool takes them. */
export function argumentsForTool(inputSchema: JsonObject, args: JsonObject): JsonObject {
  const cleaned = clean(args, readForms(inlineReferences(inputSchema)));
  return isJsonObject(cleaned) ? cleaned : args;
}

function clean(value: JsonValue, forms: Forms): JsonValue {
  const form = forms.forms.find((candidate) => mayBe(value, candidate));
  if (form === undefined) return value;
  if (Array.isArray(value)) return value.map((item, index) => clean(item, itemOf(form, index)));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([name, member]) => !isLeftOut(form, name, member));
  return Object.fromEntries(kept.map(([name, member]) => [name, clean(member, memberOf(form, name))]));
}

const ANYTHING: Forms = readForms(true);
const itemOf = ({ prefix, items }: Form, index: number): Forms => prefix[index] ?? items ?? ANYTHING;

const isLeftOut = (form: Form, name: string, value: JsonValue): boolean =>
  value === null && !form.required.has(name) && !acceptsNull(memberOf(form, name));

/** Whether a value given in strict mode is of that form: by types, values and member names, not by limits. */
function mayBe(value: JsonValue, form: Form): boolean {
  if (form.type === 'any') return true;
  const type = typeOfValue(value);
  if (type !== form.type && !(type === 'integer' && form.type === 'number')) return false;
  if (form.values !== undefined) return form.values.includes(value);
  if (Array.isArray(value)) return value.every((item, index) => isAny(item, itemOf(form, index)));
  if (!isJsonObject(value)) return true;
  return (
    [...form.required].every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, member]) =>
      form.properties.has(name) ? isLeftOut(form, name, member) || isAny(member, memberOf(form, name)) : true,
    )
  );
}

const isAny = (value: JsonValue, { forms }: Forms): boolean => forms.some((form) => mayBe(value, form));
