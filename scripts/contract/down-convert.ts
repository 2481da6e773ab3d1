/**
 * The contract as OpenAPI 3.0.3, for generators that read nothing newer. The source keeps to a subset of 3.1 that 3.0
 * can say, so little is left to convert; what cannot be converted is an error, never a guess.
 */
import { isMap, walk, type ApiDocument, type JsonMap } from './document.js';

/** Keywords of 3.1 that 3.0 has no word for. The source must not use them. */
const BEYOND_3_0 = [
  'const',
  'prefixItems',
  'patternProperties',
  'if',
  'not',
  'dependentRequired',
  'unevaluatedProperties',
  '$defs',
  'propertyNames',
  'contentMediaType',
];

/** Throws for a keyword 3.0 cannot express, naming the place. */
export function toOpenapi30(document: ApiDocument): ApiDocument {
  const copy = structuredClone(document);
  copy.openapi = '3.0.3';
  if (isMap(copy.info) && isMap(copy.info.license)) {
    const { identifier, ...license } = copy.info.license;
    copy.info.license = { ...license, url: `https://spdx.org/licenses/${String(identifier)}.html` };
  }
  for (const { schema, pointer } of schemasOf(copy)) downConvert(schema, pointer);
  return copy;
}

/** Every schema object of a document, nested ones included. Examples and other data are not looked into. */
export function schemasOf(document: ApiDocument): { schema: JsonMap; pointer: string }[] {
  const found: { schema: JsonMap; pointer: string }[] = [];
  const descend = (schema: JsonMap, pointer: string): void => {
    found.push({ schema, pointer });
    for (const key of ['items', 'additionalProperties', 'not']) {
      const inner = schema[key];
      if (isMap(inner)) descend(inner, `${pointer}/${key}`);
    }
    for (const key of ['properties', 'patternProperties', '$defs']) {
      const inner = schema[key];
      if (isMap(inner)) {
        for (const [name, value] of Object.entries(inner)) {
          if (isMap(value)) descend(value, `${pointer}/${key}/${name}`);
        }
      }
    }
    for (const key of ['allOf', 'anyOf', 'oneOf', 'prefixItems']) {
      const inner = schema[key];
      if (Array.isArray(inner)) {
        inner.forEach((value, index) => isMap(value) && descend(value, `${pointer}/${key}/${index}`));
      }
    }
  };
  for (const [name, schema] of Object.entries(document.components.schemas ?? {})) {
    if (isMap(schema)) descend(schema, `/components/schemas/${name}`);
  }
  const { schemas: _, examples: __, ...others } = document.components;
  const outside: JsonMap = { paths: document.paths, components: others };
  walk(outside, (map, pointer) => {
    if (isMap(map.schema) && !pointer.includes('/examples/')) descend(map.schema, `${pointer}/schema`);
  });
  return found;
}

function downConvert(schema: JsonMap, pointer: string): void {
  for (const keyword of BEYOND_3_0) {
    if (keyword in schema) throw new Error(`${pointer}: OpenAPI 3.0 cannot say ${keyword}`);
  }
  if (Array.isArray(schema.type)) {
    const [type, ...rest] = schema.type.filter((name) => name !== 'null');
    if (type === undefined || rest.length > 0) throw new Error(`${pointer}: OpenAPI 3.0 cannot say several types`);
    Object.assign(schema, { type, nullable: true });
  }
}
