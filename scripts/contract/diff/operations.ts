/**
 * Differences between two contracts: operations, parameters, bodies, answers with their codes, headers and events,
 * servers and security. Schemas are judged in schemas.ts. Wording alone is no difference.
 * Invariant: a contract against itself has none.
 */
import { isMap, operationsOf, resolve, type ApiDocument, type Json, type JsonMap } from '../document.js';
import { Changes, finding, type Change, type Direction, type Sides, type Step } from './change.js';
import { compareSchemas } from './schemas.js';

/** Everything a caller could notice. */
export function diffContracts(before: ApiDocument, after: ApiDocument): Change[] {
  const sides: Sides = { before, after };
  const changes = new Changes();
  changes.add(EVERYTHING, compareSurroundings(sides));
  const [old, current] = [operationsAt(before), operationsAt(after)];
  for (const [at, operation] of old) {
    const other = current.get(at);
    if (other === undefined) {
      changes.add(idOf(operation), [finding('operation-removed', true, at, 'the operation is gone')]);
    } else changes.add(idOf(other), compareOperations(sides, operation, other, at));
  }
  for (const [at, operation] of current) {
    const message = `new: ${String(operation.summary)}`;
    if (!old.has(at)) changes.add(idOf(operation), [finding('operation-added', false, at, message)]);
  }
  return changes.list();
}

/** In place of an operationId, for what concerns them all. */
export const EVERYTHING = '*';

const idOf = (operation: JsonMap): string => String(operation.operationId);

const operationsAt = (document: ApiDocument): Map<string, JsonMap> =>
  new Map(
    operationsOf(document).map(({ path, method, operation }) => {
      const shared = (document.paths[path]!.parameters ?? []) as Json[];
      const parameters = [...shared, ...((operation.parameters ?? []) as Json[])];
      return [
        `${method.toUpperCase()} ${path}`,
        { ...operation, parameters, security: operation.security ?? document.security ?? [] },
      ];
    }),
  );

function* compareSurroundings(sides: Sides): Iterable<Step> {
  const { before, after } = sides;
  const urls = ({ servers }: ApiDocument): string[] => ((servers ?? []) as JsonMap[]).map(({ url }) => String(url));
  yield* compareNames('server', urls(before), urls(after), 'servers');
  const [edge, edgeAfter] = [mapOf(before['x-edge-responses']), mapOf(after['x-edge-responses'])];
  for (const family of Object.keys(edge)) {
    const at = `every operation of the ${family} family`;
    yield* compareResponses(sides, mapOf(edge[family]), mapOf(edgeAfter[family]), at);
  }
  const [details, detailsAfter] = [mapOf(before['x-error-details']), mapOf(after['x-error-details'])];
  yield* compareNames('details', Object.keys(details), Object.keys(detailsAfter), 'details of errors');
  for (const code of Object.keys(details)) {
    if (code in detailsAfter)
      yield* compareSchemas(sides, details[code], detailsAfter[code], `details of ${code}`, 'response');
  }
  const [schemes, schemesAfter] = [before, after].map(({ components }) => mapOf(components.securitySchemes)) as [
    JsonMap,
    JsonMap,
  ];
  for (const [name, scheme] of Object.entries(schemes)) {
    if (text(scheme) !== text(schemesAfter[name])) {
      yield finding(
        'security-scheme-changed',
        true,
        `security scheme ${name}`,
        'callers prove who they are in another way',
      );
    }
  }
}

function* compareOperations(sides: Sides, before: JsonMap, after: JsonMap, at: string): Iterable<Step> {
  if (idOf(before) !== idOf(after)) {
    yield finding(
      'operation-id-changed',
      true,
      at,
      `generated clients call it ${idOf(after)}, no longer ${idOf(before)}`,
    );
  }
  const tags = (operation: JsonMap): string => String(operation.tags ?? '');
  if (tags(before) !== tags(after)) {
    yield finding('tag-changed', true, at, `generated clients have it under ${tags(after)}, no longer ${tags(before)}`);
  }
  if (after.deprecated === true && before.deprecated !== true) {
    yield finding('operation-deprecated', false, at, 'is deprecated');
  }
  const scopes = (operation: JsonMap): string[] => ((operation['x-scopes'] ?? []) as Json[]).map(String);
  yield* compareNames('scope', scopes(before), scopes(after), `${at} scopes`);
  yield* compareSecurity(before, after, at);
  yield* compareParameters(sides, before, after, at);
  yield* compareBodies(sides, before.requestBody, after.requestBody, at);
  yield* compareResponses(sides, mapOf(before.responses), mapOf(after.responses), at);
}

function* compareSecurity(before: JsonMap, after: JsonMap, at: string): Iterable<Step> {
  const ways = (operation: JsonMap): string[] => {
    const listed = (operation.security as Json[]).map(text);
    return listed.length === 0 ? ['{}'] : listed;
  };
  const [old, current] = [ways(before), ways(after)];
  const gone = old.filter((way) => !current.includes(way));
  const fresh = current.filter((way) => !old.includes(way));
  // Whoever may come as nobody needs none of the other ways.
  if (gone.length > 0 && !current.includes('{}')) {
    yield finding('security-tightened', true, at, 'a way to prove who is calling no longer suffices');
  } else if (fresh.length > 0)
    yield finding('security-loosened', false, at, 'there is another way to prove who is calling');
}

function* compareParameters(sides: Sides, before: JsonMap, after: JsonMap, at: string): Iterable<Step> {
  const listed = (document: ApiDocument, operation: JsonMap): Map<string, Json> =>
    new Map(
      (operation.parameters as Json[]).map((parameter) => {
        const { name, in: where } = resolve(document, parameter) as JsonMap;
        return [
          where === 'header' ? `header ${String(name).toLowerCase()}` : `${String(where)} ${String(name)}`,
          parameter,
        ];
      }),
    );
  const [old, current] = [listed(sides.before, before), listed(sides.after, after)];
  for (const [name, parameter] of old) {
    const other = current.get(name);
    if (other === undefined) yield finding('parameter-removed', true, `${at} ${name}`, 'the parameter is gone');
    else yield* shared(parameter, other, `${at} ${name}`, (place) => compareParameter(sides, parameter, other, place));
  }
  for (const [name, parameter] of current) {
    if (old.has(name)) continue;
    if ((resolve(sides.after, parameter) as JsonMap).required === true) {
      yield finding('required-parameter-added', true, `${at} ${name}`, 'there is a new parameter that must be sent');
    } else yield finding('parameter-added', false, `${at} ${name}`, 'there is a new parameter that may be sent');
  }
}

/** What a reader of a query or header needs to split and decode it. */
const ENCODING = ['style', 'explode', 'allowReserved', 'content'];

function* compareParameter(sides: Sides, reference: Json, other: Json, at: string): Iterable<Step> {
  const [before, after] = [resolve(sides.before, reference), resolve(sides.after, other)] as [JsonMap, JsonMap];
  yield* compareNeeded('parameter', before, after, at);
  if (ENCODING.some((key) => text(before[key]) !== text(after[key]))) {
    yield finding('parameter-encoding-changed', true, at, 'is written in another way');
  }
  if (before.allowEmptyValue === true && after.allowEmptyValue !== true) {
    yield finding('parameter-encoding-changed', true, at, 'may no longer be empty');
  }
  yield* compareSchemas(sides, before.schema, after.schema, at, 'request');
}

function* compareNeeded(what: 'parameter' | 'body', before: JsonMap, after: JsonMap, at: string): Iterable<Step> {
  if (before.required !== true && after.required === true)
    yield finding(`${what}-required`, true, at, 'must be sent now');
  if (before.required === true && after.required !== true)
    yield finding(`${what}-optional`, false, at, 'may be left out now');
}

function* compareBodies(
  sides: Sides,
  reference: Json | undefined,
  other: Json | undefined,
  at: string,
): Iterable<Step> {
  const [before, after] = [resolve(sides.before, reference), resolve(sides.after, other)];
  const place = `${at} body`;
  if (!isMap(before) && isMap(after)) {
    const needed = after.required === true;
    yield finding(
      needed ? 'required-body-added' : 'body-added',
      needed,
      place,
      needed ? 'must be sent now' : 'may be sent now',
    );
  }
  if (isMap(before) && !isMap(after)) yield finding('body-removed', true, place, 'the body is gone');
  if (!isMap(before) || !isMap(after)) return;
  yield* compareNeeded('body', before, after, place);
  yield* compareMedia(sides, before, after, place, 'request');
}

function* compareMedia(
  sides: Sides,
  before: JsonMap,
  after: JsonMap,
  at: string,
  direction: Direction,
): Iterable<Step> {
  const [content, contentAfter] = [mapOf(before.content), mapOf(after.content)];
  yield* compareNames('media-type', Object.keys(content), Object.keys(contentAfter), at);
  for (const type of Object.keys(content)) {
    const [media, mediaAfter] = [mapOf(content[type]), mapOf(contentAfter[type])];
    if (!(type in contentAfter)) continue;
    if ('itemSchema' in media && 'itemSchema' in mediaAfter) {
      yield* compareSchemas(sides, media.itemSchema, mediaAfter.itemSchema, at, direction);
    }
    // What a stream carries is compared event by event: only 3.2 has words for it in its place.
    if ('itemSchema' in media || 'itemSchema' in mediaAfter) continue;
    yield* compareSchemas(sides, media.schema, mediaAfter.schema, at, direction);
  }
}

function* compareResponses(sides: Sides, before: JsonMap, after: JsonMap, at: string): Iterable<Step> {
  for (const [status, response] of Object.entries(before)) {
    const other = after[status];
    const place = `${at} ${status}`;
    if (other === undefined) yield finding('status-removed', true, place, 'is no longer answered');
    else yield* shared(response, other, place, (where) => compareResponse(sides, response, other, where, status));
  }
  for (const status of Object.keys(after)) {
    if (status in before) continue;
    // Callers were told what a success looks like; refusals they handle by code, of which there may be more.
    const isSuccess = status < '400';
    yield finding(isSuccess ? 'success-added' : 'status-added', isSuccess, `${at} ${status}`, 'may be answered now');
  }
}

function* compareResponse(sides: Sides, reference: Json, other: Json, at: string, status: string): Iterable<Step> {
  const [before, after] = [resolve(sides.before, reference), resolve(sides.after, other)] as [JsonMap, JsonMap];
  if (status >= '400') yield* compareNames('code', codesOf(before), codesOf(after), at);
  const [headers, headersAfter] = [mapOf(before.headers), mapOf(after.headers)];
  yield* compareNames('header', Object.keys(headers), Object.keys(headersAfter), at);
  for (const [name, header] of Object.entries(headers)) {
    const otherHeader = headersAfter[name];
    if (otherHeader === undefined) continue;
    yield* shared(header, otherHeader, `${at} header ${name}`, function* (place) {
      const [old, current] = [resolve(sides.before, header), resolve(sides.after, otherHeader)] as [JsonMap, JsonMap];
      if (old.required === true && current.required !== true) {
        yield finding('header-optional', true, place, 'may be missing now');
      }
      yield* compareSchemas(sides, old.schema, current.schema, place, 'response');
    });
  }
  yield* compareMedia(sides, before, after, at, 'response');
  yield* compareEvents(sides, mapOf(before['x-sse']), mapOf(after['x-sse']), at);
}

/** An error response has an example for each code it may carry, under the code. */
const codesOf = (response: JsonMap): string[] => {
  const [media] = Object.values(mapOf(response.content));
  return Object.keys(mapOf(mapOf(media).examples));
};

function* compareEvents(sides: Sides, before: JsonMap, after: JsonMap, at: string): Iterable<Step> {
  const [events, eventsAfter] = [mapOf(before.events), mapOf(after.events)];
  yield* compareNames('event', Object.keys(events), Object.keys(eventsAfter), at);
  for (const [event, schema] of Object.entries(events)) {
    if (event in eventsAfter)
      yield* compareSchemas(sides, schema, eventsAfter[event], `${at} event ${event}`, 'response');
  }
  const sameEvents = text(Object.keys(events).toSorted()) === text(Object.keys(eventsAfter).toSorted());
  for (const rule of ['order', 'terminal', 'ids']) {
    // With other events the order is another, which has been told.
    if (rule === 'order' && !sameEvents) continue;
    if (text(before[rule]) !== text(after[rule])) {
      yield finding('event-rules-changed', true, at, `${rule} was ${text(before[rule])}, is ${text(after[rule])}`);
    }
  }
  const [beat, beatAfter] = [Number(before.heartbeat_seconds), Number(after.heartbeat_seconds)];
  if (beatAfter > beat) yield finding('heartbeat-slower', true, at, `was every ${beat} seconds, is every ${beatAfter}`);
  if (beatAfter < beat)
    yield finding('heartbeat-faster', false, at, `was every ${beat} seconds, is every ${beatAfter}`);
}

/** What there can be more or fewer of. */
type Named = 'server' | 'scope' | 'details' | 'media-type' | 'code' | 'header' | 'event';

/** A name fewer breaks whoever used it, a name more nobody. */
function* compareNames(what: Named, before: readonly string[], after: readonly string[], at: string): Iterable<Step> {
  for (const name of before) {
    if (!after.includes(name)) yield finding(`${what}-removed`, true, at, `${name} is gone`);
  }
  for (const name of after) {
    if (!before.includes(name)) yield finding(`${what}-added`, false, at, `has ${name} now`);
  }
}

/** One component in both contracts is compared once, under its name; others in their place. */
function* shared(before: Json, after: Json, at: string, compare: (at: string) => Iterable<Step>): Iterable<Step> {
  const [from, to] = [before, after].map((value) => (isMap(value) ? value.$ref : undefined));
  if (typeof from === 'string' && from === to) {
    const [, , section, name] = from.split('/');
    yield { key: from, steps: () => compare(`${String(section).slice(0, -1)} ${String(name)}`) };
  } else yield* compare(at);
}

const mapOf = (value: Json | undefined): JsonMap => (isMap(value) ? value : {});

const text = (value: Json | undefined): string => JSON.stringify(value) ?? '';
