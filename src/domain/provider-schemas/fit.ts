/**
 * Forms to the schema one provider takes. A condition the provider has no word for is either met by a narrower schema
 * or left, and whoever calls says where what is left goes (`leave`): in the product into the description.
 * Invariant: a value that the written schema takes, and for which everything left holds, the forms take too.
 */
import type { JsonObject, JsonValue } from '../json.js';
import {
  acceptsNull,
  ANY,
  anyMembers,
  type Form,
  type Forms,
  isNever,
  memberOf,
  NULL_FORM,
  pick,
  schemaOf,
} from './forms.js';
import type { Profile } from './profiles.js';

/** Puts what a schema cannot say beside it. */
export type Leave = (schema: JsonObject, left: readonly JsonObject[], isRoot: boolean) => JsonObject;

/** A schema that asks for more than the provider's strict mode has. */
export class NotExpressible extends Error {}

/** Of "Structured model outputs" (see profiles.ts), for strict mode. */
const STRICT_LEVELS_MAX = 10;
const STRICT_MEMBERS_MAX = 5_000;
const STRICT_VALUES_MAX = 1_000;

/** A schema and what it leaves unsaid. */
interface Written {
  readonly schema: JsonObject;
  readonly left: readonly JsonObject[];
}

export class Fitter {
  readonly #profile: Profile;
  readonly #leave: Leave;
  #level = 0;
  #members = 0;
  #values = 0;

  constructor(profile: Profile, leave: Leave) {
    this.#profile = profile;
    this.#leave = leave;
  }

  /** The root: always one object. `left` is what the caller knows to be lost already. Throws NotExpressible. */
  root(form: Form, notes: JsonObject, left: readonly JsonObject[]): JsonObject {
    const written = this.#object(form, true);
    return this.#noted({ schema: written.schema, left: [...written.left, ...left] }, notes, true);
  }

  /** Throws NotExpressible. */
  schema({ forms, notes }: Forms): JsonObject {
    const nulls = forms.filter(({ type, also }) => type === 'null' && also.length === 0);
    const others = forms.filter((form) => !nulls.includes(form));
    const [only] = others;
    if (only === undefined) return this.#noted(this.#form(nulls[0] ?? NULL_FORM), notes);
    if (others.length > 1) return this.#union(others, nulls.length > 0, notes);
    if (nulls.length === 0 || only.type === 'any') return this.#noted(this.#form(only), { ...notes, ...only.notes });
    const { schema, left } = this.#form(only);
    const tolerant = left.map(orItIsNull);
    const ownNotes = { ...notes, ...only.notes };
    if (this.#profile.nullable === 'flag') {
      return this.#noted({ schema: { ...schema, nullable: true }, left: tolerant }, ownNotes);
    }
    if (typeof schema['type'] !== 'string' || schema['enum'] !== undefined || tellsMoreThanType(schema)) {
      return this.#union(others, true, notes);
    }
    return this.#noted({ schema: { ...schema, type: [schema['type'], 'null'] }, left: tolerant }, ownNotes);
  }

  #union(forms: readonly Form[], withNull: boolean, notes: JsonObject): JsonObject {
    const [{ also }] = forms as [Form, ...Form[]];
    const shared = forms.length === 1 ? [] : also.filter((part) => forms.every((form) => form.also.includes(part)));
    const branches = forms.flatMap((form) => {
      const own = form.also.filter((part) => !shared.includes(part));
      return flat(this.#noted(this.#form({ ...form, also: own }), form.notes));
    });
    if (withNull && this.#profile.nullable === 'type') branches.push({ type: 'null' });
    const distinct = [...new Map(branches.map((branch) => [JSON.stringify(branch), branch])).values()];
    const [first] = distinct as [JsonObject, ...JsonObject[]];
    if (withNull && this.#profile.nullable === 'flag') distinct[0] = { ...first, nullable: true };
    return this.#noted(
      this.#kept({ schema: { anyOf: distinct }, left: [] }, withNull ? shared.map(orItIsNull) : shared),
      notes,
    );
  }

  /** Annotations the provider knows stand as keywords; the others are left. */
  #noted({ schema, left }: Written, notes: JsonObject, isRoot = false): JsonObject {
    const profile = this.#profile;
    const { description, ...more } = notes;
    const isAlone = profile.isUnionAlone && schema['anyOf'] !== undefined;
    const known = Object.keys(more).filter((key) => !isAlone && this.#knowsNote(key, more[key] as JsonValue));
    const unknown = Object.keys(more).filter((key) => !known.includes(key));
    const told = typeof description === 'string' && description !== '' ? { description } : {};
    return this.#leave(
      { ...told, ...schema, ...pick(more, known) },
      [...left, ...unknown.map((key) => pick(more, [key]))],
      isRoot,
    );
  }

  #knowsNote(key: string, value: JsonValue): boolean {
    const { formats, notes } = this.#profile;
    if (key !== 'format') return notes.has(key);
    return formats === 'every' || (typeof value === 'string' && formats.has(value));
  }

  #form(form: Form): Written {
    switch (form.type) {
      case 'any':
        return this.#kept({ schema: this.#any(), left: [] }, form.also);
      case 'object':
        return this.#object(form, false);
      case 'array':
        return this.#array(form);
      default:
        return this.#kept(this.#scalar(form), form.also);
    }
  }

  #any(): JsonObject {
    const { any } = this.#profile;
    if (any === 'none') throw new NotExpressible();
    if (any === 'open') return {};
    return { anyOf: ['string', 'number', 'boolean', 'object'].map((type) => ({ type })) };
  }

  #scalar({ type, values, limits }: Form): Written {
    const { schema, left } = this.#limited({ type }, limits);
    if (values === undefined) return { schema, left };
    this.#count(values.length);
    if (this.#profile.enums === 'every' || values.every((value) => typeof value === 'string')) {
      return { schema: { ...schema, enum: [...values] }, left };
    }
    return { schema, left: [...left, { enum: [...values] }] };
  }

  #limited(schema: JsonObject, limits: JsonObject): Written {
    const known: JsonObject = {};
    const left: JsonObject[] = [];
    for (const [keyword, value] of Object.entries(limits)) {
      if (this.#profile.limits.has(keyword)) known[keyword] = value;
      else left.push({ [keyword]: value });
    }
    return { schema: { ...schema, ...known }, left };
  }

  #array(form: Form): Written {
    const { schema, left } = this.#limited({ type: 'array' }, form.limits);
    const { prefix, items = ANY } = form;
    if (prefix.length > 0 && this.#profile.isPrefixKnown) {
      schema['prefixItems'] = prefix.map((item) => this.#nested(() => this.schema(orAny(item))));
      schema['items'] = isNever(items) ? false : this.#nested(() => this.schema(items));
      const never = prefix.flatMap((item, index) => (isNever(item) ? [{ maxItems: index }] : []));
      return this.#kept({ schema, left: [...left, ...never] }, form.also);
    }
    if (prefix.length === 0 && isNever(items)) {
      return this.#kept({ schema: { ...schema, items: this.#anyItem() }, left: [...left, { maxItems: 0 }] }, form.also);
    }
    // A list whose places differ becomes a list of any of them; which place takes which is left.
    const union: Forms =
      prefix.length === 0 ? items : { notes: {}, forms: [...prefix, items].flatMap(({ forms }) => forms) };
    schema['items'] = this.#nested(() => this.schema(orAny(union)));
    const places = prefix.length === 0 ? [] : [{ prefixItems: prefix.map(schemaOf), ...itemsOf(form) }];
    return this.#kept({ schema, left: [...left, ...places] }, form.also);
  }

  #anyItem(): JsonObject {
    return this.#profile.any === 'none' ? { type: 'string' } : this.#any();
  }

  #object(form: Form, isRoot: boolean): Written {
    const { isStrict, memberName } = this.#profile;
    const { schema, left } = this.#limited({ type: 'object' }, form.limits);
    const names = [...new Set([...form.properties.keys(), ...form.required])];
    if (isStrict && !isNever(form.others) && (form.others !== undefined || (names.length === 0 && !isRoot))) {
      throw new NotExpressible();
    }
    const lost = [...left];
    const offered: [string, JsonValue][] = [];
    for (const name of names) {
      const member = memberOf(form, name);
      const isNeeded = form.required.has(name);
      if (memberName.test(name) && !isNever(member)) {
        const taken = isStrict && !isNeeded ? orNull(member) : member;
        offered.push([name, this.#nested(() => this.schema(taken))]);
      } else {
        lost.push({ properties: { [name]: schemaOf(member) }, ...(isNeeded && { required: [name] }) });
      }
    }
    this.#members += offered.length;
    if (isStrict && this.#members > STRICT_MEMBERS_MAX) throw new NotExpressible();
    const required = offered.map(([name]) => name).filter((name) => isStrict || form.required.has(name));
    if (isRoot || isStrict || offered.length > 0) schema['properties'] = Object.fromEntries(offered);
    if (required.length > 0 || isStrict) schema['required'] = required;
    const others = this.#others(form, names, schema);
    return this.#kept({ schema, left: [...lost, ...others] }, form.also, isRoot);
  }

  /** Writes what the object says of members it does not name, or returns it as left. */
  #others({ others }: Form, names: readonly string[], schema: JsonObject): JsonObject[] {
    if (this.#profile.isStrict) schema['additionalProperties'] = false;
    else if (others !== undefined) {
      if (!this.#profile.isAdditionalKnown) {
        const additionalProperties = isNever(others) ? false : schemaOf(others);
        return isOpen(others) ? [] : [{ properties: anyMembers(names), additionalProperties }];
      }
      schema['additionalProperties'] = isNever(others) ? false : isOpen(others) ? true : this.schema(others);
    }
    return [];
  }

  /** Conditions the provider knows are written beside the form; the others are left. */
  #kept({ schema, left }: Written, also: readonly JsonObject[], isRoot = false): Written {
    const lost = [...left];
    for (const condition of also) {
      const keywords = Object.keys(condition);
      const isFree = keywords.every((key) => this.#profile.conditions.has(key) && !Object.hasOwn(schema, key));
      if (isFree && !isRoot) Object.assign(schema, condition);
      else lost.push(condition);
    }
    return { schema, left: lost };
  }

  #nested<T>(write: () => T): T {
    this.#level += 1;
    if (this.#profile.isStrict && this.#level > STRICT_LEVELS_MAX) throw new NotExpressible();
    const written = write();
    this.#level -= 1;
    return written;
  }

  #count(values: number): void {
    this.#values += values;
    if (this.#profile.isStrict && this.#values > STRICT_VALUES_MAX) throw new NotExpressible();
  }
}

/** A branch that is nothing but a union is part of the union around it. */
const flat = (branch: JsonObject): JsonObject[] =>
  Array.isArray(branch['anyOf']) && Object.keys(branch).length === 1 ? (branch['anyOf'] as JsonObject[]) : [branch];
const orItIsNull = (condition: JsonObject): JsonObject => ({ anyOf: [{ type: 'null' }, condition] });
const orNull = (forms: Forms): Forms => (acceptsNull(forms) ? forms : { ...forms, forms: [...forms.forms, NULL_FORM] });
const orAny = (forms: Forms): Forms => (isNever(forms) ? ANY : forms);
const itemsOf = ({ items }: Form): JsonObject =>
  items === undefined ? {} : { items: isNever(items) ? false : schemaOf(items) };

/** Any value without further conditions. */
const isOpen = ({ forms: [form] }: Forms): boolean => form?.type === 'any' && form.also.length === 0;

/** Keywords that would refuse null even if its type were allowed. */
const tellsMoreThanType = (schema: JsonObject): boolean =>
  ['not', 'if', 'anyOf', 'allOf', '$ref'].some((keyword) => Object.hasOwn(schema, keyword));
