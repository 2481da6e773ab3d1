/**
 * A tool's input schema as one provider takes it. Members a provider cannot express are told in descriptions.
 * Invariant: arguments the adapted schema takes are taken by the tool, as far as schemas can say it; what they cannot
 * say stands in a description. In strict mode `argumentsForTool` takes out the nulls first.
 */
import { canonicalJson } from '../canonical.js';
import type { JsonObject } from '../json.js';
import { Fitter, type Leave, NotExpressible } from './fit.js';
import { ANY, type Form, type Forms, memberOf, ownForms, pick, readForms, schemaOf } from './forms.js';
import { inlineReferences } from './inline.js';
import { type Profile, type Provider, PROFILES } from './profiles.js';
import { sentencesFor } from './sentences.js';

export interface AdaptedSchema {
  readonly parameters: JsonObject;
  /** For the tool's own description, where the root of a schema cannot have one; otherwise empty. */
  readonly remark: string;
  /** Whether this is the provider's strict form; undefined where there is no such mode. */
  readonly strict?: boolean;
}

/** Pure, and the same schema always gives the same result: providers cache by it. */
export function adaptSchema(provider: Provider, inputSchema: JsonObject): AdaptedSchema {
  const profiles = PROFILES[provider];
  for (const profile of profiles) {
    let remark = '';
    const leave: Leave = (schema, left, isRoot) => {
      const described = describe(schema, sentencesFor(left), profile);
      if (!isRoot || profile.isRootDescribed) return described;
      const { description, ...parameters } = described;
      if (typeof description === 'string') remark = description;
      return parameters;
    };
    const parameters = fitSchema(profile, inputSchema, leave);
    if (parameters === undefined) continue;
    return { parameters, remark, ...(profiles.length > 1 && { strict: profile.isStrict }) };
  }
  throw new Error(`no form of ${provider} takes every schema`);
}

/** The schema in this profile, or undefined when it asks for more than its strict mode has. */
export function fitSchema(profile: Profile, inputSchema: JsonObject, leave: Leave): JsonObject | undefined {
  const schema = inlineReferences(inputSchema);
  const forms = readForms(schema);
  const { form, left } = rootForm(schema, forms);
  try {
    return new Fitter(profile, leave).root(form, forms.notes, left);
  } catch (error) {
    if (error instanceof NotExpressible) return undefined;
    throw error;
  }
}

/** Arguments are always one object: a union at the root becomes an object with the members of all branches. */
function rootForm(schema: JsonObject, { forms }: Forms): { form: Form; left: JsonObject[] } {
  const objects = objectForms(forms);
  const [only] = objects;
  if (objects.length === 1 && only) return { form: only, left: [] };
  const base = objectForms(ownForms(schema))[0] ?? objectForms(ANY.forms)[0]!;
  const names = new Set(objects.flatMap((form) => [...form.properties.keys()]));
  const required = [...(only?.required ?? [])].filter((name) => objects.every((form) => form.required.has(name)));
  const form: Form = {
    ...base,
    properties: new Map([...names].map((name) => [name, inAnyOf(objects, name)])),
    required: new Set([...base.required, ...required]),
  };
  return { form, left: [pick(schema, ['allOf']), pick(schema, ['anyOf']), pick(schema, ['oneOf'])] };
}

const objectForms = (forms: readonly Form[]): Form[] =>
  forms.flatMap((form) => {
    if (form.type === 'any') return [{ ...form, type: 'object' as const }];
    return form.type === 'object' ? [form] : [];
  });

/** What a member may be in the branches that name it. Most branches say the same of it. */
function inAnyOf(objects: readonly Form[], name: string): Forms {
  const members = objects.filter((form) => form.properties.has(name)).map((form) => memberOf(form, name));
  const distinct = new Map(members.map((member) => [canonicalJson(schemaOf(member)), member]));
  return { notes: members[0]?.notes ?? {}, forms: [...distinct.values()].flatMap(({ forms }) => forms) };
}

function describe(schema: JsonObject, sentences: string, { isUnionAlone }: Profile): JsonObject {
  const { description, ...rest } = schema;
  const text = joined(typeof description === 'string' ? description : '', sentences);
  if (text === '') return rest;
  const { anyOf } = rest;
  if (!isUnionAlone || !Array.isArray(anyOf)) return { description: text, ...rest };
  const [first, ...others] = anyOf as [JsonObject, ...JsonObject[]];
  const own = typeof first['description'] === 'string' ? first['description'] : '';
  return { anyOf: [{ ...first, description: joined(text, own) }, ...others] };
}

/** Two pieces of prose, the first of which may not end like a sentence. */
const joined = (one: string, other: string): string => {
  if (one === '' || other === '') return one + other;
  return `${one}${/[.!?:\n]\s*$/.test(one) ? ' ' : '. '}${other}`;
};
