/**
 * Rules about schemas: the subset of JSON Schema that OpenAPI 3.0, 3.1 and every generator we know of read alike.
 */
import { isMap, type JsonMap } from '../document.js';
import { schemasOf } from '../down-convert.js';
import { rule, type Fault, type LintInput, type Rule } from './rule.js';

const FORBIDDEN = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'const',
  'prefixItems',
  'patternProperties',
  'unevaluatedProperties',
  'dependentRequired',
  'propertyNames',
  '$defs',
  '$id',
  '$dynamicRef',
  'nullable',
  'example',
  'readOnly',
  'writeOnly',
];

/** Members that may be null on the wire. Everywhere else absent says it. */
const NULLABLE = new Set([
  '/components/schemas/McpCredentialMap/additionalProperties',
  '/components/schemas/WorkspaceTool/properties/permissionKey',
  '/components/schemas/Version/properties/pinned_realm',
  '/components/schemas/JobResult',
  '/components/schemas/JobError',
  '/components/schemas/WorkspaceApiError/properties/data',
]);

/** Times that may be empty on the wire, which no format says. */
const TIME_OR_EMPTY = new Set(['/components/schemas/SnoozeTodoBody/properties/wake_at']);

/** Names a generated class would collide with in a common language. */
const TAKEN = new Set([
  'error',
  'object',
  'map',
  'date',
  'array',
  'string',
  'number',
  'boolean',
  'function',
  'promise',
  'any',
  'record',
  'exception',
  'type',
  'list',
  'set',
  'response',
  'request',
]);

const isTop = (pointer: string): boolean => /^\/components\/schemas\/[^/]+$/.test(pointer);

function* eachSchema(
  { document }: LintInput,
  judge: (schema: JsonMap, pointer: string) => string | undefined,
): Iterable<Fault> {
  for (const { schema, pointer } of schemasOf(document)) {
    const message = judge(schema, pointer);
    if (message !== undefined) yield [pointer, message];
  }
}

export const schemaRules: Rule[] = [
  rule('named-schemas', (input) =>
    eachSchema(input, (schema, pointer) => {
      if (isTop(pointer) || '$ref' in schema) return undefined;
      if (schema.type === 'object' || 'properties' in schema) return 'an object has to be a component of its own';
      if (schema.type === 'array' && pointer.endsWith('content/application~1json/schema')) {
        return 'a body has to be a component of its own';
      }
      return undefined;
    }),
  ),
  rule('schema-names', function* ({ document }) {
    const seen = new Map<string, string>();
    for (const name of Object.keys(document.components.schemas ?? {})) {
      const at = `/components/schemas/${name}`;
      if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) yield [at, 'the name of a schema is PascalCase'];
      if (TAKEN.has(name.toLowerCase())) yield [at, 'this name collides with a built-in type in common languages'];
      const twin = seen.get(name.toLowerCase());
      if (twin !== undefined) yield [at, `differs from ${twin} in letter case only`];
      seen.set(name.toLowerCase(), name);
    }
  }),
  rule('additional-properties', (input) =>
    eachSchema(input, (schema) =>
      String(schema.type).startsWith('object') && !('additionalProperties' in schema)
        ? 'an object says whether it is open: additionalProperties is missing'
        : undefined,
    ),
  ),
  rule('array-items', (input) =>
    eachSchema(input, (schema) =>
      schema.type === 'array' && !isMap(schema.items) ? 'an array names its items' : undefined,
    ),
  ),
  rule('no-boolean-schemas', (input) =>
    eachSchema(input, (schema) => {
      const properties = isMap(schema.properties) ? Object.entries(schema.properties) : [];
      const bad = properties.find(([, value]) => !isMap(value));
      return bad === undefined ? undefined : `${bad[0]} is not a schema object`;
    }),
  ),
  rule('portable-keywords', (input) =>
    eachSchema(input, (schema) => {
      const bad = FORBIDDEN.find((keyword) => keyword in schema);
      return bad === undefined ? undefined : `${bad} is not read alike by generators`;
    }),
  ),
  rule('type-stated', (input) =>
    eachSchema(input, (schema) => ('type' in schema || '$ref' in schema ? undefined : 'a schema states its type')),
  ),
  rule('type-arrays', (input) =>
    eachSchema(input, (schema, pointer) => {
      if (!Array.isArray(schema.type)) return undefined;
      if (!NULLABLE.has(pointer))
        return 'optional is absent, not null: this member is not on the list of those that may be null';
      const [type, ...rest] = schema.type;
      const plain = (type === 'string' || (type === 'object' && isTop(pointer))) && String(rest) === 'null';
      return plain ? undefined : 'only a plain string or an object of its own may be null';
    }),
  ),
  rule('null-type', (input) =>
    eachSchema(input, (schema) =>
      schema.type === 'null'
        ? "null alone is no type in 3.0, nor to openapi-generator: say type: [string, 'null'], and in words that it is null"
        : undefined,
    ),
  ),
  rule('enums', (input) =>
    eachSchema(input, (schema) => {
      if (!Array.isArray(schema.enum)) return undefined;
      if (schema.type !== 'string') return 'only strings are enumerated';
      const bad = schema.enum.find((value) => typeof value !== 'string' || !/^[a-z0-9_]+$/.test(value));
      return bad === undefined ? undefined : `${JSON.stringify(bad)} is not snake_case`;
    }),
  ),
  rule('integer-formats', (input) =>
    eachSchema(input, (schema) =>
      schema.type === 'integer' && schema.format !== 'int32' && schema.format !== 'int64'
        ? 'an integer is int32 or int64'
        : undefined,
    ),
  ),
  rule('opaque-ids', (input) =>
    eachSchema(input, (schema) => {
      if (!isMap(schema.properties)) return undefined;
      const bad = Object.entries(schema.properties).find(
        ([name, value]) =>
          /(^|_)(id|nonce|hash|token)$/.test(name) && isMap(value) && ('pattern' in value || 'maxLength' in value),
      );
      return bad === undefined ? undefined : `${bad[0]} is opaque: no pattern and no length but minLength`;
    }),
  ),
  rule('timestamps', (input) =>
    eachSchema(input, (schema, pointer) => {
      if (!isMap(schema.properties)) return undefined;
      const bad = Object.entries(schema.properties).find(
        ([name, value]) =>
          name.endsWith('_at') &&
          isMap(value) &&
          value.format !== 'date-time' &&
          !TIME_OR_EMPTY.has(`${pointer}/properties/${name}`),
      );
      return bad === undefined ? undefined : `${bad[0]} has the format date-time`;
    }),
  ),
  rule('described', (input) =>
    eachSchema(input, (schema, pointer) => {
      if (isTop(pointer) && typeof schema.description !== 'string') return 'a component has a description';
      if (!isMap(schema.properties)) return undefined;
      const bad = Object.entries(schema.properties).find(
        ([, value]) => isMap(value) && !('$ref' in value) && typeof value.description !== 'string',
      );
      return bad === undefined ? undefined : `${bad[0]} has no description`;
    }),
  ),
  rule('required-exists', (input) =>
    eachSchema(input, (schema) => {
      if (!Array.isArray(schema.required)) return undefined;
      const bad = schema.required.find((name) => !isMap(schema.properties) || !(String(name) in schema.properties));
      return bad === undefined ? undefined : `requires ${String(bad)}, which it does not have`;
    }),
  ),
];
