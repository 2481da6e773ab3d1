/**
 * The contract as the edge reads it: the bundle from `generated/`, and one index row for each operation.
 * It validates nothing (validate.ts, check-reply.ts) and routes nothing (router.ts).
 */
import { readFileSync } from 'node:fs';
import type { Family } from './errors.js';

export type ScopeDimension = 'realm' | 'cwd' | 'config_dir' | 'container' | 'tool_mode' | 'dir_scope';

/** A node of the bundle. The bundle is our own file, checked when it was generated, so it is read without parsing it again. */
export type Node = { readonly [key: string]: any };

export interface QueryParameter {
  readonly name: string;
  readonly required: boolean;
  /** An array is one of strings, separated by commas. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array';
  readonly emptyAllowed: boolean;
  /** Where its schema stands in the bundle; undefined when the type says it all. */
  readonly schemaPointer: string | undefined;
}

export interface PathParameter {
  readonly name: string;
  readonly schemaPointer: string | undefined;
}

export interface RequestBody {
  readonly required: boolean;
  readonly schemaPointer: string;
}

/** One documented answer of an operation. */
export interface DocumentedResponse {
  /** Of its JSON body; undefined when the body is no JSON. */
  readonly schemaPointer: string | undefined;
  /** Error codes this status may carry, in the spelling of the wire; empty for a success. */
  readonly codes: ReadonlySet<string>;
  /** Event name to the pointer of its payload's schema, when the body is an event stream. */
  readonly events: ReadonlyMap<string, string> | undefined;
}

export type Responses = ReadonlyMap<number, DocumentedResponse>;

export interface Operation {
  readonly id: string;
  readonly tag: string;
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly scopes: ReadonlySet<ScopeDimension>;
  /** What a container header is refused with. */
  readonly containerRefusal: 'bad_request' | 'realm_scope_unsupported';
  readonly query: ReadonlyMap<string, QueryParameter>;
  readonly requiredQuery: readonly string[];
  /** In the order of the template. */
  readonly pathParameters: readonly PathParameter[];
  readonly body: RequestBody | undefined;
  /** A 200 of this operation is an event stream. */
  readonly streams: boolean;
  readonly responses: Responses;
}

export interface Contract {
  /** The document as it is served; pointers point into it. */
  readonly bundle: Node;
  readonly operations: readonly Operation[];
  /** What the edge itself may answer, whatever the operation. */
  readonly edgeResponses: Readonly<Record<Family, Responses>>;
}

let loaded: Contract | undefined;

/**
 * The contract this build was generated with, read once for all daemons of the process. Throws when the file is missing:
 * the package is broken then.
 */
export function loadContract(): Contract {
  if (loaded === undefined) {
    const text = readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8');
    loaded = indexContract(JSON.parse(text) as Node);
  }
  return loaded;
}

export function indexContract(bundle: Node): Contract {
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries<Node>(bundle['paths'])) {
    for (const method of METHODS) {
      const node = item[method] as Node | undefined;
      if (node !== undefined) operations.push(indexOperation(bundle, path, method, node));
    }
  }
  const edge = (family: Family): Responses =>
    indexResponses(bundle, bundle['x-edge-responses'][family], `/x-edge-responses/${family}`);
  return {
    bundle,
    operations,
    edgeResponses: { agent: edge('agent'), workspaces: edge('workspaces') },
  };
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;
const JSON_TYPE = 'application/json';
const EVENT_TYPE = 'text/event-stream';

function indexOperation(bundle: Node, path: string, method: string, node: Node): Operation {
  const at = pointerTo('', 'paths', path, method);
  const parameters = ((node['parameters'] ?? []) as Node[]).map((parameter, index) =>
    follow(bundle, parameter, `${at}/parameters/${index}`),
  );
  const query = parameters
    .filter((parameter) => parameter.node['in'] === 'query')
    .map((parameter) => indexQuery(bundle, parameter));
  const templated = [...path.matchAll(/\{(.+?)\}/g)].map((match) => match[1]!);
  const responses = indexResponses(bundle, node['responses'], `${at}/responses`);
  return {
    id: node['operationId'],
    tag: node['tags'][0],
    method: method.toUpperCase(),
    path,
    scopes: new Set(node['x-scopes']),
    containerRefusal: node['x-refusals']?.container ?? 'bad_request',
    query: new Map(query.map((parameter) => [parameter.name, parameter])),
    requiredQuery: query.filter((parameter) => parameter.required).map((parameter) => parameter.name),
    pathParameters: templated.map((name) => {
      const found = parameters.find((parameter) => parameter.node['in'] === 'path' && parameter.node['name'] === name);
      return { name, schemaPointer: found === undefined ? undefined : constraints(found) };
    }),
    body: indexBody(bundle, node['requestBody'], `${at}/requestBody`),
    streams: responses.get(200)?.events !== undefined,
    responses,
  };
}

interface Place {
  readonly node: Node;
  readonly pointer: string;
}

const pointerTo = (pointer: string, ...steps: string[]): string =>
  steps.reduce((base, step) => `${base}/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`, pointer);

/** A node, or the one its `$ref` names. The bundle has local references only. */
function follow(bundle: Node, node: Node, pointer: string): Place {
  const ref = node['$ref'] as string | undefined;
  if (ref === undefined) return { node, pointer };
  const target = ref.slice(1);
  const steps = target.split('/').slice(1);
  const found = steps.reduce<any>((at, step) => at[step.replaceAll('~1', '/').replaceAll('~0', '~')], bundle) as Node;
  return follow(bundle, found, target);
}

function indexQuery(bundle: Node, parameter: Place): QueryParameter {
  const { node, pointer } = parameter;
  const type = follow(bundle, node['schema'], `${pointer}/schema`).node['type'];
  if (type === 'array' && node['explode'] !== false) {
    throw new Error(`query parameter ${node['name']}: a list is one value with commas (explode: false)`);
  }
  return {
    name: node['name'],
    required: node['required'] === true,
    type,
    emptyAllowed: node['allowEmptyValue'] === true,
    schemaPointer: constraints(parameter),
  };
}

/** Where a parameter's schema stands, unless it says nothing but a type, which the text was read by. */
function constraints({ node, pointer }: Place): string | undefined {
  const hasMore = Object.keys(node['schema']).some((keyword) => !TYPE_ONLY.has(keyword));
  return hasMore ? `${pointer}/schema` : undefined;
}

const TYPE_ONLY: ReadonlySet<string> = new Set(['type', 'format', 'description', 'default', 'example']);

function indexBody(bundle: Node, node: Node | undefined, pointer: string): RequestBody | undefined {
  if (node === undefined) return undefined;
  const body = follow(bundle, node, pointer);
  return {
    required: body.node['required'] === true,
    schemaPointer: pointerTo(body.pointer, 'content', JSON_TYPE, 'schema'),
  };
}

function indexResponses(bundle: Node, nodes: Node, pointer: string): Responses {
  const responses = new Map<number, DocumentedResponse>();
  for (const [status, node] of Object.entries<Node>(nodes)) {
    const response = follow(bundle, node, pointerTo(pointer, status));
    const content = (response.node['content'] ?? {}) as Node;
    const events = content[EVENT_TYPE] === undefined ? undefined : Object.keys(response.node['x-sse'].events);
    responses.set(Number(status), {
      schemaPointer: content[JSON_TYPE] && pointerTo(response.pointer, 'content', JSON_TYPE, 'schema'),
      codes: new Set(Number(status) < 400 ? [] : Object.keys(content[JSON_TYPE]?.examples ?? {})),
      events: events && new Map(events.map((event) => [event, pointerTo(response.pointer, 'x-sse', 'events', event)])),
    });
  }
  return responses;
}
