/**
 * Tool schemas in the form each provider takes: the rules as pins, and over generated schemas that whatever an adapted
 * schema lets through the tool takes too.
 */
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json.js';
import { adaptSchema, fitSchema } from '../../src/domain/provider-schemas/adapt.js';
import { argumentsForTool } from '../../src/domain/provider-schemas/arguments.js';
import { PROFILES, PROVIDERS, type Provider } from '../../src/domain/provider-schemas/profiles.js';
import { modelToolNames } from '../../src/domain/tool.js';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
/** The adapted schema of one optional member. */
const member = (provider: Provider, schema: JsonValue, more: JsonObject = {}): JsonValue => {
  const { parameters } = adaptSchema(provider, object({ it: schema }, more));
  return (parameters['properties'] as JsonObject)['it']!;
};

const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, addUsedSchema: false });
const acceptor = (schema: JsonObject): ((value: unknown) => boolean) => {
  const validate = ajv.compile(schema);
  return (value) => validate(value) as boolean;
};
const isSchema = acceptor({ $ref: 'https://json-schema.org/draft/2020-12/schema' });

/** OpenAPI's `nullable` as JSON Schema has it. */
const standard = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(standard);
  if (!isJsonObject(value)) return value;
  const { nullable, ...rest } = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, standard(part)]));
  return nullable === true ? { anyOf: [rest, { type: 'null' }] } : { ...rest, ...(nullable && { nullable }) };
};

/** Every schema in a schema, with where it stands. */
const walk = (schema: JsonValue, visit: (schema: JsonObject, path: string) => void, path = ''): void => {
  if (!isJsonObject(schema)) return;
  visit(schema, path);
  for (const [name, part] of Object.entries((schema['properties'] as JsonObject) ?? {}))
    walk(part, visit, `${path}/${name}`);
  for (const keyword of ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains'])
    walk(schema[keyword] ?? null, visit, `${path}/${keyword}`);
  for (const keyword of ['anyOf', 'prefixItems'])
    for (const part of (schema[keyword] as JsonValue[]) ?? []) walk(part, visit, `${path}/${keyword}`);
};

describe('a union', () => {
  test.each(PROVIDERS.filter((provider) => provider !== 'google'))('of types stays one for %s', (provider) => {
    const adapted = member(provider, { type: ['string', 'integer'], minimum: 3 }, { required: ['it'] });
    expect(adapted).toMatchObject({ anyOf: [{ type: 'string' }, { type: 'integer' }] });
  });

  test('stands alone for Google, its description in its first branch', () => {
    expect(member('google', { type: ['string', 'integer'], description: 'Name or number', title: 'It' })).toEqual({
      anyOf: [{ type: 'string', description: 'Name or number. Title: It.' }, { type: 'integer' }],
    });
  });

  test.each(PROVIDERS)('never stands at the root for %s', (provider) => {
    const { parameters, remark } = adaptSchema(provider, {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    });
    expect(Object.keys(parameters)).not.toEqual(expect.arrayContaining(['anyOf']));
    expect(parameters).toMatchObject({ type: 'object', properties: { a: {}, b: {} } });
    const told = provider === 'ollama' ? remark : parameters['description'];
    expect(told).toBe('At least one of these must be given: a; b.');
  });

  test('of objects at the root offers the members of all branches', () => {
    const { parameters } = adaptSchema('anthropic', {
      type: 'object',
      oneOf: [
        object({ kind: { const: 'file' }, path: { type: 'string' } }, { required: ['kind', 'path'] }),
        object({ kind: { const: 'url' }, url: { type: 'string' } }, { required: ['kind', 'url'] }),
      ],
    });
    expect(parameters).toMatchObject({
      type: 'object',
      properties: {
        kind: { anyOf: [{ enum: ['file'] }, { enum: ['url'] }] },
        path: { type: 'string' },
        url: { type: 'string' },
      },
      required: ['kind'],
    });
    expect(parameters['description']).toMatch(/^Exactly one of these forms: /);
  });

  test('of exactly one is said in words where branches overlap, and not where they are apart', () => {
    const overlapping = [
      { type: 'string', minLength: 2 },
      { type: 'string', maxLength: 4 },
    ];
    expect(member('groq', { oneOf: overlapping })).toMatchObject({
      anyOf: overlapping,
      description: expect.stringMatching(/^Exactly one of these forms/),
    });
    expect(member('groq', { oneOf: [{ type: 'string' }, { type: 'number' }] })).toEqual({
      anyOf: [{ type: 'string' }, { type: 'number' }],
    });
  });

  test('by allOf is merged', () => {
    const parts = [
      object({ a: { type: 'string' } }, { required: ['a'] }),
      object({ b: { type: 'integer', minimum: 1 } }),
    ];
    expect(member('mistral', { allOf: parts, properties: { b: { maximum: 9 } } })).toEqual(
      object({ b: { type: 'integer', minimum: 1, maximum: 9 }, a: { type: 'string' } }, { required: ['a'] }),
    );
  });
});

describe('a reference', () => {
  const $defs: JsonObject = {
    Name: { type: 'string', minLength: 1, description: 'A name' },
    Node: object({ name: { $ref: '#/$defs/Name' }, inside: { type: 'array', items: { $ref: '#/$defs/Node' } } }),
  };

  test.each(PROVIDERS)('is gone for %s, also one that leads back to itself', (provider) => {
    const { parameters } = adaptSchema(provider, object({ tree: { $ref: '#/$defs/Node' } }, { $defs }));
    walk(parameters, (schema) => expect(schema).not.toHaveProperty('$ref'));
    expect(parameters).not.toHaveProperty('$defs');
    expect(JSON.stringify(parameters)).toContain('Of the form Node, as above.');
  });

  test('keeps what stands beside it', () => {
    const adapted = member('anthropic', { $ref: '#/$defs/Name', maxLength: 5, description: 'Mine' }, { $defs });
    expect(adapted).toEqual({ description: 'Mine', type: 'string', minLength: 1, maxLength: 5 });
  });

  test('that leads nowhere is told', () => {
    expect(member('groq', { $ref: 'https://example.com/schema.json' })).toEqual({
      description: 'Of the form schema.json, as above.',
    });
  });

  test('that doubles with every step does not double the result', () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, step) => [
        `D${step}`,
        object({ a: { $ref: `#/$defs/D${step + 1}` }, b: { $ref: `#/$defs/D${step + 1}` } }),
      ]),
    );
    const { parameters } = adaptSchema('openai', object({ it: { $ref: '#/$defs/D0' } }, { $defs: doubling }));
    expect(JSON.stringify(parameters).length).toBeLessThan(1_000_000);
  });

  test('of thousands of levels ends', () => {
    let deep: JsonObject = { type: 'string' };
    for (let level = 0; level < 2_000; level += 1) deep = { type: 'array', items: deep };
    expect(JSON.stringify(member('anthropic', deep))).toContain('not shown: \\"deeper parts\\".');
  });
});

describe('what a provider has no word for', () => {
  test.each<[Provider, JsonObject, JsonObject]>([
    ['openai', { type: 'string', format: 'uri' }, { type: ['string', 'null'], description: 'Format: uri.' }],
    ['openai', { type: 'string', format: 'date' }, { type: ['string', 'null'], format: 'date' }],
    ['openai', { type: 'integer', default: 5 }, { type: ['integer', 'null'], description: 'Default: 5.' }],
    ['openai', { type: 'string', minLength: 1 }, { type: ['string', 'null'], description: 'At least 1 character.' }],
    ['google', { type: 'string', format: 'email' }, { type: 'string', description: 'Format: email.' }],
    ['google', { type: 'string', format: 'date-time' }, { type: 'string', format: 'date-time' }],
    ['google', { type: 'integer', enum: [1, 2] }, { type: 'integer', description: 'One of 1, 2.' }],
    ['google', { type: 'number', exclusiveMinimum: 0 }, { type: 'number', description: 'More than 0.' }],
    ['google', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['google', object({}, { additionalProperties: false }), { type: 'object', description: 'No other members.' }],
    ['google', { type: 'string', 'x-order': 3 }, { type: 'string', description: 'x-order: 3.' }],
    ['ollama', { type: 'integer', minimum: 1, maximum: 9 }, { type: 'integer', description: 'At least 1. At most 9.' }],
    [
      'ollama',
      { enum: [1, 'a'] },
      {
        anyOf: [
          { type: 'integer', enum: [1] },
          { type: 'string', enum: ['a'] },
        ],
      },
    ],
    [
      'mistral',
      { type: 'string', not: { const: 'x' } },
      { type: 'string', description: 'Not of the form {"const":"x"}.' },
    ],
    ['anthropic', { type: 'string', not: { const: 'x' } }, { type: 'string', not: { const: 'x' } }],
    [
      'anthropic',
      { type: 'object', patternProperties: { '^x-': { type: 'string' } } },
      { type: 'object', description: 'Must also match {"patternProperties":{"^x-":{"type":"string"}}}.' },
    ],
  ])('is told by %s: %j', (provider, schema, adapted) => {
    expect(member(provider, schema)).toEqual(adapted);
  });

  test.each<[Provider, JsonValue]>([
    ['openai', { type: ['string', 'null'] }],
    ['anthropic', { type: ['string', 'null'] }],
    ['google', { type: 'string', nullable: true }],
    ['ollama', { type: ['string', 'null'] }],
  ])('null is said the way of %s', (provider, adapted) => {
    expect(member(provider, { type: ['string', 'null'] })).toEqual(adapted);
    expect(member(provider, { anyOf: [{ type: 'string' }, { type: 'null' }] })).toEqual(adapted);
  });

  test('a value of any form is one for those who take it, and spelled out for Google', () => {
    for (const provider of ['anthropic', 'mistral', 'groq', 'openrouter', 'ollama'] as const) {
      expect(member(provider, {})).toEqual({});
    }
    expect(member('google', {})).toEqual({
      anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'object' }],
    });
    expect(member('google', { type: 'array' })).toMatchObject({ type: 'array', items: { anyOf: [{}, {}, {}, {}] } });
  });

  test('a union with a value of any form has one level', () => {
    expect(member('google', { oneOf: [{}, { enum: ['x'] }], description: 'It' })).toMatchObject({
      anyOf: [{ type: 'string', description: expect.stringMatching(/^It\. Exactly one/) }, {}, {}, {}, { enum: ['x'] }],
    });
  });

  test('a tuple is a list of what may stand in it where places are unknown', () => {
    const tuple = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false };
    expect(member('groq', tuple)).toEqual(tuple);
    expect(member('openrouter', tuple)).toMatchObject({
      type: 'array',
      items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      description: expect.stringContaining('prefixItems'),
    });
  });

  test('a member whose name a provider refuses is told at its object', () => {
    const schema = object({ 'filter[id]': { type: 'string' }, plain: { type: 'string' } });
    for (const provider of ['anthropic', 'google'] as const) {
      const { parameters } = adaptSchema(provider, schema);
      expect(Object.keys(parameters['properties'] as JsonObject)).toEqual(['plain']);
      expect(parameters['description']).toContain('"filter[id]"');
    }
    const { parameters } = adaptSchema('openai', schema);
    expect(Object.keys(parameters['properties'] as JsonObject)).toEqual(['filter[id]', 'plain']);
  });

  test('a required member that is not described is described', () => {
    expect(adaptSchema('google', { type: 'object', required: ['a'] }).parameters).toMatchObject({
      properties: { a: { anyOf: expect.any(Array) } },
      required: ['a'],
    });
  });
});

describe('the strict form of OpenAI', () => {
  test('requires every member, closes every object and lets null stand for what may be absent', () => {
    const { parameters, strict } = adaptSchema(
      'openai',
      object({ a: { type: 'string' }, b: object({ c: { type: 'integer' } }) }, { required: ['a'] }),
    );
    expect(strict).toBe(true);
    expect(parameters).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: {
          type: ['object', 'null'],
          properties: { c: { type: ['integer', 'null'] } },
          required: ['c'],
          additionalProperties: false,
        },
      },
      required: ['a', 'b'],
      additionalProperties: false,
    });
  });

  test.each<[string, JsonObject]>([
    ['a map', object({ env: { type: 'object', additionalProperties: { type: 'string' } } })],
    ['an object of any members', object({ data: { type: 'object' } })],
    ['a value of any form', object({ value: {} })],
    [
      'a form that holds itself',
      object({ tree: { $ref: '#/$defs/T' } }, { $defs: { T: object({ t: { $ref: '#/$defs/T' } }) } }),
    ],
    [
      'more than ten levels',
      Array.from({ length: 11 }).reduce<JsonObject>((inner) => object({ in: inner }), { type: 'string' }),
    ],
  ])('is given up for %s, and the plain form says so', (_name, schema) => {
    const { parameters, strict } = adaptSchema('openai', schema);
    expect(strict).toBe(false);
    expect(parameters).toMatchObject({ type: 'object', properties: {} });
    expect(parameters).not.toHaveProperty('additionalProperties', false);
  });

  test('closes an object that has no members', () => {
    expect(member('openai', object({}, { additionalProperties: false }), { required: ['it'] })).toEqual({
      type: 'object',
      properties: {},
      required: [],
      additionalProperties: false,
    });
  });

  test('is there for a tool without input', () => {
    expect(adaptSchema('openai', { type: 'object' })).toEqual({
      parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
      remark: '',
      strict: true,
    });
  });

  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'drops nulls of members that may be absent',
      object({ a: { type: 'string' }, b: { type: 'integer' } }, { required: ['a'] }),
      { a: 'x', b: null },
      { a: 'x' },
    ],
    [
      'keeps nulls the tool takes',
      object({ a: { type: ['string', 'null'] }, b: {} }),
      { a: null, b: null },
      { a: null, b: null },
    ],
    [
      'looks into objects and lists',
      object({ list: { type: 'array', items: object({ a: { type: 'string' } }) } }),
      { list: [{ a: null }, { a: 'x' }] },
      { list: [{}, { a: 'x' }] },
    ],
    [
      'looks into the branch that is meant',
      object({
        it: {
          anyOf: [
            object({ k: { const: 1 }, v: { type: 'string' } }, { required: ['k'] }),
            object({ k: { const: 2 }, v: { type: ['string', 'null'] } }, { required: ['k', 'v'] }),
          ],
        },
      }),
      { it: { k: 2, v: null } },
      { it: { k: 2, v: null } },
    ],
    ['leaves alone what it does not know', object({ a: { type: 'string' } }), { z: null, a: 5 }, { z: null, a: 5 }],
  ])('has a way back that %s', (_name, schema, args, expected) => {
    expect(argumentsForTool(schema, args)).toEqual(expected);
  });
});

test('names of tools fit every provider', () => {
  const pairs = [
    { server: 'a', tool: 'list' },
    { server: 'files', tool: 'x'.repeat(200) },
    { server: 'files', tool: 'lies ä/b.c:d' },
  ];
  for (const name of modelToolNames(pairs).values()) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
});

/* Generated schemas. */

const name = fc.constantFrom('a', 'b', 'c', 'odd name', '$d');
const small = fc.integer({ min: 0, max: 3 });
const scalar = fc.constantFrom<JsonValue>('x', 'y', '', 1, 2, 0.5, true, false, null);
const withSome = (model: Record<string, fc.Arbitrary<JsonValue>>): fc.Arbitrary<JsonObject> =>
  fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;

const { schema: anySchema } = fc.letrec<{ schema: JsonObject; leaf: JsonObject; branch: JsonObject }>((tie) => {
  const inner = tie('schema');
  const properties = fc.dictionary(name, inner, { maxKeys: 3 });
  const unions = fc.array(inner, { minLength: 1, maxLength: 3 });
  return {
    schema: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('leaf'), tie('branch')),
    leaf: fc.oneof(
      withSome({
        minLength: small,
        maxLength: small,
        pattern: fc.constantFrom('^x', 'y$'),
        format: fc.constantFrom('uri', 'date'),
      }).map((more) => ({ type: 'string', ...more })),
      withSome({
        minimum: small,
        maximum: small,
        exclusiveMinimum: small,
        multipleOf: fc.constantFrom(1, 2),
        default: small,
      }).map((more) => ({ type: 'integer', ...more })),
      fc.constantFrom<JsonObject>(
        { type: 'number' },
        { type: 'boolean' },
        { type: 'null' },
        {},
        { type: ['string', 'null'] },
        { $ref: '#/$defs/Node' },
        { $ref: '#/$defs/Word' },
      ),
      fc.array(scalar, { minLength: 1, maxLength: 3 }).map((values) => ({ enum: values })),
      scalar.map((value) => ({ const: value })),
    ),
    branch: fc.oneof(
      fc
        .record({
          properties,
          required: fc.uniqueArray(name, { maxLength: 2 }),
          more: withSome({
            additionalProperties: fc.oneof(fc.boolean(), inner),
            minProperties: small,
            description: fc.constant('An object.'),
          }),
        })
        .map(({ more, ...rest }) => ({ type: 'object', ...rest, ...more })),
      withSome({
        items: fc.oneof(inner, fc.constant(false)),
        minItems: small,
        maxItems: small,
        uniqueItems: fc.boolean(),
        prefixItems: unions,
        contains: inner,
      }).map((more) => ({ type: 'array', ...more })),
      unions.map((anyOf) => ({ anyOf })),
      unions.map((oneOf) => ({ oneOf })),
      unions.map((allOf) => ({ allOf })),
      fc.tuple(inner, inner).map(([one, other]) => ({ ...one, anyOf: [other, { type: 'object' }] })),
      fc.tuple(inner, inner).map(([one, not]) => ({ ...one, not })),
      fc.tuple(properties, inner).map(([named, additional]) => ({
        properties: named,
        patternProperties: { '^a': additional },
        additionalProperties: additional,
      })),
    ),
  };
});

const $defs: JsonObject = {
  Word: { type: 'string', minLength: 1 },
  Node: object({ a: { $ref: '#/$defs/Word' }, b: { type: 'array', items: { $ref: '#/$defs/Node' } } }),
};
const toolSchema = fc
  .record({
    properties: fc.dictionary(name, anySchema, { minKeys: 1, maxKeys: 3 }),
    required: fc.uniqueArray(name, { maxLength: 2 }),
    union: fc.option(
      fc.constantFrom<JsonObject>(
        { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
        { oneOf: [object({ a: { type: 'string' } }), object({ b: { const: 1 } }, { required: ['b'] })] },
      ),
      { nil: undefined },
    ),
    closed: fc.option(fc.constant({ additionalProperties: false }), { nil: undefined }),
  })
  .map(({ properties, required, union, closed }) => ({
    type: 'object',
    properties,
    required,
    ...union,
    ...closed,
    $defs,
  }));

/** Values that are likely to be of the schema. */
const valueOf = (schema: JsonValue, depth = 0): fc.Arbitrary<JsonValue> => {
  if (!isJsonObject(schema) || depth > 6) return scalar;
  const { type, anyOf, properties, required, items, additionalProperties } = schema;
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum']);
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((branch) => valueOf(branch, depth)));
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => valueOf({ ...schema, type: one }, depth)));
  switch (type) {
    case 'object': {
      const named = Object.entries((properties as JsonObject | undefined) ?? {});
      const members = fc.record(Object.fromEntries(named.map(([key, part]) => [key, valueOf(part, depth + 1)])), {
        requiredKeys: (required as string[] | undefined) ?? [],
      } as object) as fc.Arbitrary<JsonObject>;
      const more =
        additionalProperties === false
          ? fc.constant({})
          : fc.dictionary(name, valueOf(additionalProperties ?? {}, depth + 1), { maxKeys: 1 });
      return fc.tuple(more, members).map(([extra, own]) => ({ ...extra, ...own }));
    }
    case 'array':
      return fc.array(valueOf(items ?? {}, depth + 1), { maxLength: 3 });
    case 'string':
      return fc.constantFrom('x', 'xy', 'y', '', 'xyy');
    case 'integer':
      return fc.integer({ min: 0, max: 6 });
    case 'number':
      return fc.constantFrom(0, 1, 2.5, 4);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return scalar;
  }
};

describe('over generated schemas', () => {
  /** Where nulls stand for what is absent, conditions are about the arguments without them; these do not see nulls. */
  const SAYS_NOTHING_OF_NULL =
    /^(min|max)(imum|Length|Items)$|^exclusive|^multipleOf$|^pattern$|^uniqueItems$|^format$|^default$|^description$/;

  const profiles = PROVIDERS.flatMap((provider) =>
    PROFILES[provider].map((profile) => [`${provider}${profile.isStrict ? ', strict' : ''}`, profile] as const),
  );

  test.each(profiles)('whatever the schema for %s and its sentences let through, the tool takes', (_name, profile) => {
    let taken = 0;
    const withConditions = (schema: JsonObject): JsonObject | undefined => {
      let isPlain = true;
      const fitted = fitSchema(profile, schema, (written, left) => {
        isPlain &&= left.every((part) => Object.keys(part).every((key) => SAYS_NOTHING_OF_NULL.test(key)));
        return left.length === 0 ? written : { ...written, allOf: [...left] };
      });
      return profile.isStrict && !isPlain ? undefined : fitted;
    };
    const cases = toolSchema
      .map((schema) => ({ schema, fitted: withConditions(schema) }))
      .filter(({ fitted }) => fitted !== undefined)
      .chain(({ schema, fitted }) =>
        fc.record({
          schema: fc.constant(schema),
          fitted: fc.constant(fitted!),
          values: fc.array(valueOf(fitted!), { minLength: 12, maxLength: 12 }),
        }),
      );
    fc.assert(
      fc.property(cases, ({ schema, fitted, values }) => {
        const isAdapted = acceptor({ ...(standard(fitted) as JsonObject), $defs });
        const isTaken = acceptor(schema);
        for (const value of values.filter(isAdapted)) {
          taken += 1;
          const args = profile.isStrict ? argumentsForTool(schema, value as JsonObject) : value;
          if (!isTaken(args)) throw new Error(`${JSON.stringify(args)} is refused`);
        }
      }),
      { numRuns: 60 },
    );
    expect(taken).toBeGreaterThan(15);
  });

  const KNOWN: Record<Provider, RegExp> = {
    openai:
      /^(type|properties|required|additionalProperties|items|anyOf|enum|description|title|default|examples|format|(min|max)(imum|Length|Items|Properties)|exclusive.*|multipleOf|pattern|uniqueItems)$/,
    anthropic: /^(?!\$|allOf|oneOf|patternProperties|unevaluated)/,
    google:
      /^(type|properties|required|items|anyOf|enum|nullable|description|title|default|format|(min|max)(imum|Length|Items|Properties)|pattern)$/,
    mistral: /^(?!\$|allOf|oneOf|patternProperties|unevaluated|not$|if$|prefixItems|contains)/,
    groq: /^(?!\$|allOf|oneOf|patternProperties|unevaluated)/,
    openrouter: /^(?!\$|allOf|oneOf|patternProperties|unevaluated|not$|if$|prefixItems|contains)/,
    ollama: /^(type|properties|required|items|anyOf|enum|description)$/,
  };

  test.each(PROVIDERS)('%s gets keywords it knows and nothing else', (provider) => {
    fc.assert(
      fc.property(toolSchema, (schema) => {
        const { parameters, strict } = adaptSchema(provider, schema);
        expect(parameters['type']).toBe('object');
        expect(Object.keys(parameters).filter((key) => /^(anyOf|enum|not|if)$/.test(key))).toEqual([]);
        walk(parameters, (part, path) => {
          if (/\/(not|if|then|else|contains)/.test(path)) return;
          for (const keyword of Object.keys(part)) expect(keyword).toMatch(KNOWN[provider]);
          if (part['type'] === 'array' && provider !== 'ollama') expect(part).toHaveProperty('items');
          if (provider === 'google') {
            expect(Array.isArray(part['type'])).toBe(false);
            if (part['anyOf']) expect(Object.keys(part)).toEqual(['anyOf']);
            if (part['enum'])
              expect((part['enum'] as JsonValue[]).every((value) => typeof value === 'string')).toBe(true);
          }
          if (strict === true && part['type'] === 'object') {
            expect(part['additionalProperties']).toBe(false);
            expect(part['required']).toEqual(Object.keys(part['properties'] as JsonObject));
          }
        });
        expect(isSchema(standard(parameters))).toBe(true);
      }),
      { numRuns: 80 },
    );
  });
});
