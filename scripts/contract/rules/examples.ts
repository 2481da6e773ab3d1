/**
 * Rules about examples: every body has one, every one is named and valid, and event streams show legal frames.
 * Examples are judged against the schemas with every object closed, so a misspelled member does not pass as an extra.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { isMap, operationsOf, resolve, type ApiDocument, type Json, type JsonMap } from '../document.js';
import { schemasOf } from '../down-convert.js';
import { errorExamples } from './errors.js';
import { contentOf } from './operations.js';
import { rule, type Fault, type LintInput, type Rule } from './rule.js';

interface Body {
  at: string;
  type: string;
  media: JsonMap;
  success: boolean;
}

/** Every request and response body with its media type. */
function bodiesOf(document: ApiDocument): Body[] {
  return operationsOf(document).flatMap(({ path, method, operation }) => {
    const at = `${method.toUpperCase()} ${path}`;
    const request = 'requestBody' in operation ? Object.entries(contentOf(document, operation.requestBody)) : [];
    const responses = Object.entries(operation.responses).flatMap(([status, response]) =>
      Object.entries(contentOf(document, response)).map(([type, media]) => ({
        at: `${at} ${status}`,
        type,
        media,
        success: status < '400',
      })),
    );
    return [...request.map(([type, media]) => ({ at: `${at} request`, type, media, success: true })), ...responses];
  });
}

const examplesOf = (document: ApiDocument, media: JsonMap): [string, Json | undefined][] =>
  Object.entries(isMap(media.examples) ? media.examples : {}).map(([name, example]) => {
    const resolved = resolve(document, example);
    return [name, isMap(resolved) ? resolved.value : undefined];
  });

/** Judges values against a schema of the document by its reference; every object with named members is closed. */
export function closedValidator(document: ApiDocument): (ref: string, value: unknown) => string | undefined {
  const copy = structuredClone(document);
  for (const { schema } of schemasOf(copy)) {
    if (isMap(schema.properties) && schema.additionalProperties === true) schema.additionalProperties = false;
  }
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  formats.default(ajv);
  ajv.addFormat('int32', true).addFormat('int64', true);
  ajv.addSchema({ $id: 'contract', components: copy.components });
  return (ref, value) => {
    const validate = ajv.getSchema(`contract${ref}`);
    if (validate === undefined) return `${ref}: nothing there`;
    return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: '' });
  };
}

/** The frames of an event stream as text. */
export function framesOf(stream: string): { event: string; data: string }[] {
  return stream
    .split('\n\n')
    .map((block) => block.split('\n').filter((line) => line !== '' && !line.startsWith(':')))
    .filter((lines) => lines.length > 0)
    .map((lines) => {
      const field = (name: string): string =>
        lines
          .filter((line) => line.startsWith(`${name}: `))
          .map((line) => line.slice(name.length + 2))
          .join('\n');
      return { event: field('event'), data: field('data') };
    });
}

function* streamFaults(document: ApiDocument, at: string, sse: JsonMap, media: JsonMap): Iterable<Fault> {
  const events = isMap(sse.events) ? sse.events : {};
  const known = new Set(Object.keys(events));
  const named: string[] = String(sse.order).match(/[a-z_]+/g) ?? [];
  const terminal = Array.isArray(sse.terminal) ? sse.terminal.map(String) : [];
  for (const name of [...named, ...terminal]) if (!known.has(name)) yield [at, `x-sse has no event ${name}`];
  for (const name of known) if (!named.includes(name)) yield [at, `order does not say when ${name} comes`];
  if (!isMap(media.schema) || media.schema.type !== 'string') yield [at, 'an event stream is a string to generators'];
  const validate = closedValidator(document);
  for (const [, value] of examplesOf(document, media)) {
    if (sse.ids === false && /^id:/m.test(String(value))) yield [at, 'the example has id lines'];
    for (const { event, data } of framesOf(String(value))) {
      const schema = events[event];
      if (!isMap(schema)) yield [at, `the example has a frame ${event}`];
      else {
        const fault = validate(String(schema.$ref), JSON.parse(data));
        if (fault !== undefined) yield [at, `the ${event} frame of the example: ${fault}`];
      }
    }
  }
}

export const exampleRules: Rule[] = [
  rule('example-present', function* ({ document }) {
    for (const { at, type, media, success } of bodiesOf(document)) {
      if (!success || type !== 'application/json' || freeForm(document, media)) continue;
      if (examplesOf(document, media).length === 0) yield [at, 'a body has an example'];
    }
  }),
  rule('examples-by-reference', function* ({ document }) {
    for (const { at, media } of bodiesOf(document)) {
      if ('example' in media) yield [at, 'examples are named: use `examples`'];
      for (const [name, example] of Object.entries(isMap(media.examples) ? media.examples : {})) {
        if (!isMap(example) || !('$ref' in example)) yield [at, `example ${name} is written in place`];
      }
    }
  }),
  rule('examples-valid', function* ({ document }) {
    const validate = closedValidator(document);
    const seen = new Set<string>();
    for (const { at, type, media } of bodiesOf(document)) {
      if (type !== 'application/json' || !isMap(media.schema)) continue;
      for (const [name, example] of Object.entries(isMap(media.examples) ? media.examples : {})) {
        const key = `${String(media.schema.$ref)} ${JSON.stringify(example)}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const resolved = resolve(document, example);
        const fault = validate(String(media.schema.$ref), isMap(resolved) ? resolved.value : undefined);
        if (fault !== undefined) yield [at, `example ${name}: ${fault}`];
      }
    }
  }),
  rule('details-valid', function* ({ document }: LintInput) {
    const validate = closedValidator(document);
    const details = isMap(document['x-error-details']) ? document['x-error-details'] : {};
    for (const { at, code, value } of errorExamples(document)) {
      const schema = details[code];
      if (!isMap(value) || !('details' in value)) continue;
      const fault = isMap(schema) ? validate(String(schema.$ref), value.details) : 'x-error-details has no such code';
      if (fault !== undefined) yield [at, `details of the ${code} example: ${fault}`];
    }
  }),
  rule('event-streams', function* ({ document }) {
    for (const { path, method, operation } of operationsOf(document)) {
      for (const response of Object.values(operation.responses)) {
        const media = contentOf(document, response)['text/event-stream'];
        const sse = isMap(response) ? response['x-sse'] : undefined;
        const at = `${method.toUpperCase()} ${path}`;
        if ((media !== undefined) !== isMap(sse))
          yield [at, 'an event stream, and nothing else, describes its frames under x-sse'];
        if (media !== undefined && isMap(sse)) yield* streamFaults(document, at, sse, media);
      }
    }
  }),
];

/** A schema without named members, of which no example says much. */
function freeForm(document: ApiDocument, media: JsonMap): boolean {
  const schema = resolve(document, media.schema);
  return isMap(schema) && schema.additionalProperties === true && !isMap(schema.properties);
}
