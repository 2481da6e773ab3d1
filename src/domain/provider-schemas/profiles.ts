/**
 * What each provider takes as the schema of a tool's input, as data. Where a page and what the service really answers
 * differ, the narrower of both is written down, because one refused schema fails the whole request with all its tools.
 * Names are no matter here: model-facing names (domain/tool.ts) fit the narrowest rule of all, 64 of `[A-Za-z0-9_-]`.
 */
export interface Profile {
  /** Plain limits (`minLength`, …) that may be written. */
  readonly limits: ReadonlySet<string>;
  /** Annotations beside `description`. */
  readonly notes: ReadonlySet<string>;
  /** Values of `format`. */
  readonly formats: ReadonlySet<string> | 'every';
  /** Conditions that may stand beside the form (`not`, `if`, …); never at the root. */
  readonly conditions: ReadonlySet<string>;
  readonly enums: 'every' | 'strings';
  /** How null is said: as a further type, or by the flag of OpenAPI 3.0. */
  readonly nullable: 'type' | 'flag';
  /** Beside `anyOf` nothing may stand, not even a description. */
  readonly isUnionAlone: boolean;
  /** A value of any form: `{}`, or every type spelled out, or no way to say it. */
  readonly any: 'open' | 'spelled' | 'none';
  /** `additionalProperties` may be written. */
  readonly isAdditionalKnown: boolean;
  readonly isPrefixKnown: boolean;
  readonly memberName: RegExp;
  /** Every member is required (an optional one may be null) and every object is closed. */
  readonly isStrict: boolean;
  /** The root may have a description. */
  readonly isRootDescribed: boolean;
}

export const PROVIDERS = ['openai', 'anthropic', 'google', 'mistral', 'groq', 'openrouter', 'ollama'] as const;
export type Provider = (typeof PROVIDERS)[number];

export const isProvider = (name: string): name is Provider => (PROVIDERS as readonly string[]).includes(name);

const NUMBER_LIMITS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const EVERY_LIMIT: ReadonlySet<string> = new Set([
  ...NUMBER_LIMITS,
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
]);
const EVERY_CONDITION: ReadonlySet<string> = new Set([
  'not',
  'if',
  'then',
  'else',
  'contains',
  'minContains',
  'maxContains',
  'enum',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
]);
const COMMON_NOTES: ReadonlySet<string> = new Set(['title', 'default', 'examples']);
const NOTHING: ReadonlySet<string> = new Set();
const ANY_NAME = /^/;

/** JSON Schema 2020-12 as it is, except for unions at the root, which the openai-compatible services refuse too. */
const JSON_SCHEMA: Profile = {
  limits: EVERY_LIMIT,
  notes: COMMON_NOTES,
  formats: 'every',
  conditions: EVERY_CONDITION,
  enums: 'every',
  nullable: 'type',
  isUnionAlone: false,
  any: 'open',
  isAdditionalKnown: true,
  isPrefixKnown: true,
  memberName: ANY_NAME,
  isStrict: false,
  isRootDescribed: true,
};

/**
 * "Define tools" (platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools): `input_schema` is JSON Schema
 * 2020-12 of type object. Answers of the service: no `oneOf`, `allOf`, `anyOf` at the top
 * (github.com/anthropics/claude-code/issues/40075), member names of 64 characters of one alphabet (…/issues/79418).
 */
const ANTHROPIC: Profile = { ...JSON_SCHEMA, memberName: /^[a-zA-Z0-9_.-]{1,64}$/ };

/**
 * Groq checks a tool's parameters as JSON Schema 2020-12 ("Tool Use", console.groq.com/docs/tool-use;
 * github.com/langchain-ai/langchain/issues/31132) and refuses `required` without `properties`
 * (github.com/usestrix/strix/issues/1088), which is never written here.
 */
const GROQ: Profile = JSON_SCHEMA;

/**
 * Function calling without `strict` ("Function calling", platform.openai.com/docs/guides/function-calling). Answers of
 * the service: type object and no `oneOf`, `anyOf`, `allOf`, `enum`, `not` at the top
 * (github.com/langchain-ai/langchainjs/issues/9804), lists need `items` (github.com/PrefectHQ/fastmcp/issues/2464), no
 * `allOf` further down (github.com/makenotion/notion-mcp-server/issues/102).
 */
const OPENAI_LOOSE: Profile = { ...JSON_SCHEMA, conditions: NOTHING, isPrefixKnown: false };

/**
 * "Structured model outputs: supported schemas" (platform.openai.com/docs/guides/structured-outputs): root an object and
 * no union, every member required, `additionalProperties: false` everywhere, unions as `anyOf`, null for what may be
 * absent, these limits and these formats. `default` and other annotations are refused
 * (github.com/dotnet/extensions/issues/6266).
 */
const OPENAI_STRICT: Profile = {
  ...OPENAI_LOOSE,
  limits: new Set([...NUMBER_LIMITS, 'pattern', 'minItems', 'maxItems']),
  notes: NOTHING,
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']),
  any: 'none',
  isStrict: true,
};

/**
 * "FunctionDeclaration" and "Schema" (ai.google.dev/api/caching#Schema), a subset of the OpenAPI 3.0 schema object: one
 * type each, `nullable`, `enum` of strings only (github.com/directus/directus/issues/27100), two string formats
 * (github.com/google-gemini/gemini-cli/issues/5450), nothing beside `anyOf`
 * (github.com/anomalyco/opencode/pull/14659), `required` only of named members (github.com/probelabs/probe/issues/569).
 * Member names as in cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration.
 */
const GOOGLE: Profile = {
  ...JSON_SCHEMA,
  limits: new Set([...EVERY_LIMIT].filter((limit) => !/^exclusive|^multipleOf|^uniqueItems/.test(limit))),
  notes: new Set(['title', 'default']),
  formats: new Set(['date-time', 'float', 'double', 'int32', 'int64']),
  conditions: NOTHING,
  enums: 'strings',
  nullable: 'flag',
  isUnionAlone: true,
  any: 'spelled',
  isAdditionalKnown: false,
  isPrefixKnown: false,
  memberName: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
};

/** "Function calling" (docs.mistral.ai/capabilities/function_calling): parameters as JSON Schema; the safe part of it. */
const MISTRAL: Profile = OPENAI_LOOSE;

/**
 * "API Reference" (openrouter.ai/docs/api-reference/overview): tools in the form of OpenAI, handed on or translated to
 * whatever provider serves the model. The safe part.
 */
const OPENROUTER: Profile = OPENAI_LOOSE;

/**
 * `ToolFunctionParameters` and `ToolProperty` (github.com/ollama/ollama/blob/main/api/types.go): these members are read
 * and everything else is lost on the way to the model (github.com/ollama/ollama/issues/11444).
 */
const OLLAMA: Profile = {
  ...JSON_SCHEMA,
  limits: NOTHING,
  notes: NOTHING,
  formats: NOTHING,
  conditions: NOTHING,
  isAdditionalKnown: false,
  isPrefixKnown: false,
  isRootDescribed: false,
};

/** What is tried for a provider, the best first; the last one always works. */
export const PROFILES: Readonly<Record<Provider, readonly [Profile, ...Profile[]]>> = {
  openai: [OPENAI_STRICT, OPENAI_LOOSE],
  anthropic: [ANTHROPIC],
  google: [GOOGLE],
  mistral: [MISTRAL],
  groq: [GROQ],
  openrouter: [OPENROUTER],
  ollama: [OLLAMA],
};
