/**
 * The contract as OpenAPI 3.2, which can say what an event stream carries: `itemSchema`, one object for each parsed
 * event, in place of one string for the whole stream. Everything else is as in 3.1, x-sse included, for it also says in
 * which order events come.
 * Invariant: every event of x-sse has a named schema whose `event` is its name and whose `data` is its payload as text.
 */
import { isMap, operationsOf, resolve, sortedComponents, type ApiDocument, type JsonMap } from './document.js';

const EVENT_STREAM = 'text/event-stream';

/** Throws when a name that an event's schema would have is taken. */
export function toOpenapi32(document: ApiDocument): ApiDocument {
  const copy = structuredClone(document);
  copy.openapi = '3.2.0';
  for (const { operation } of operationsOf(copy)) {
    for (const response of Object.values(operation.responses)) {
      const media = isMap(response) && isMap(response.content) ? response.content[EVENT_STREAM] : undefined;
      if (!isMap(media) || !isMap(response) || !isMap(response['x-sse'])) continue;
      const events = response['x-sse'].events as JsonMap;
      media.itemSchema = eventSchemas(copy, pascal(operation.operationId), events);
      delete media.schema;
      for (const example of Object.values(isMap(media.examples) ? media.examples : {}))
        serialize(copy, example as JsonMap);
    }
  }
  copy.components = sortedComponents(copy.components);
  return copy;
}

/** Adds a schema for each event and one for any of them; returns the reference to that. */
function eventSchemas(document: ApiDocument, operation: string, events: JsonMap): JsonMap {
  const add = (name: string, schema: JsonMap): string => {
    const schemas = (document.components.schemas ??= {});
    if (name in schemas) throw new Error(`components/schemas/${name}: an event of a stream needs this name`);
    schemas[name] = schema;
    return `#/components/schemas/${name}`;
  };
  const members = Object.entries(events).map(
    ([event, payload]) =>
      [event, add(`${operation}${pascal(event)}Event`, eventSchema(event, payload as JsonMap))] as const,
  );
  const any = add(`${operation}Event`, {
    description: 'One parsed event of the stream. Comments, which keep the connection alive, are none.',
    oneOf: members.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'event', mapping: Object.fromEntries(members) },
  });
  return { $ref: any };
}

const eventSchema = (event: string, payload: JsonMap): JsonMap => ({
  type: 'object',
  description: `The event \`${event}\`.`,
  required: ['event', 'data'],
  properties: {
    event: { type: 'string', const: event, description: 'Its name.' },
    data: {
      type: 'string',
      description: 'Its payload, as JSON text.',
      contentMediaType: 'application/json',
      contentSchema: payload,
    },
  },
  additionalProperties: true,
});

/** 3.2 tells the text on the wire from the value it stands for. */
function serialize(document: ApiDocument, reference: JsonMap): void {
  const example = resolve(document, reference) as JsonMap;
  if (typeof example.value !== 'string') return;
  example.serializedValue = example.value;
  delete example.value;
}

const pascal = (name: string): string => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
