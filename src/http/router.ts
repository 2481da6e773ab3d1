/**
 * Path to operation: a tree of path segments built once from the contract. A literal segment wins over a templated
 * one, as OpenAPI promises (`/tools/read-only` before `/tools/{name}`); case counts and a trailing slash is another path.
 * It reads no body and knows no parameter but those of the path.
 */
import { DaemonError } from '../domain/errors.js';
import type { Operation } from './contract.js';
import { invalidRequest, MethodNotAllowed } from './errors.js';

interface Segment {
  readonly literal: Map<string, Segment>;
  parameter: Segment | undefined;
  methods: Map<string, Operation> | undefined;
}

export interface Route {
  readonly operation: Operation;
  /** Decoded, in the order of the template. */
  readonly pathValues: readonly string[];
}

const newSegment = (): Segment => ({ literal: new Map(), parameter: undefined, methods: undefined });

export class Router {
  readonly #root = newSegment();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      let segment = this.#root;
      for (const part of operation.path.slice(1).split('/')) {
        segment = part.startsWith('{') ? (segment.parameter ??= newSegment()) : literalBelow(segment, part);
      }
      segment.methods ??= new Map();
      segment.methods.set(operation.method, operation);
    }
  }

  /**
   * The operation for a method and a path, HEAD served by the GET beside it unless that is a stream.
   * Throws `not_found`, MethodNotAllowed, and `bad_request` for a path that cannot be decoded.
   */
  find(method: string, path: string): Route {
    const values: string[] = [];
    const methods = match(this.#root, path, 1, values);
    if (methods === undefined) throw new DaemonError('not_found');
    const operation = methods.get(method) ?? (method === 'HEAD' ? headOf(methods) : undefined);
    if (operation === undefined) throw new MethodNotAllowed(allowedMethods(methods));
    for (let index = 0; index < values.length; index++) {
      if (values[index]!.includes('%')) values[index] = decode(values[index]!, operation, index);
    }
    return { operation, pathValues: values };
  }
}

function literalBelow(segment: Segment, part: string): Segment {
  let below = segment.literal.get(part);
  if (below === undefined) segment.literal.set(part, (below = newSegment()));
  return below;
}

/** The methods at the end of `path`, and its templated parts in `values`. Recursion is as deep as the longest template. */
function match(segment: Segment, path: string, start: number, values: string[]): Map<string, Operation> | undefined {
  const slash = path.indexOf('/', start);
  const part = slash === -1 ? path.slice(start) : path.slice(start, slash);
  const literal = segment.literal.get(part);
  if (literal !== undefined) {
    const found = slash === -1 ? literal.methods : match(literal, path, slash + 1, values);
    if (found !== undefined) return found;
  }
  const parameter = segment.parameter;
  if (parameter === undefined || part === '') return undefined;
  values.push(part);
  const found = slash === -1 ? parameter.methods : match(parameter, path, slash + 1, values);
  if (found === undefined) values.pop();
  return found;
}

function headOf(methods: Map<string, Operation>): Operation | undefined {
  const get = methods.get('GET');
  return get?.streams === false ? get : undefined;
}

function allowedMethods(methods: Map<string, Operation>): string {
  const names = [...methods.keys()];
  if (headOf(methods) !== undefined) names.push('HEAD');
  return names.toSorted().join(', ');
}

function decode(value: string, operation: Operation, index: number): string {
  try {
    return decodeURIComponent(value);
  } catch {
    const { name } = operation.pathParameters[index]!;
    throw invalidRequest(`path parameter ${name}`, {
      pointer: `/path/${name}`,
      keyword: 'encoding',
      message: 'must be percent-encoded UTF-8',
    });
  }
}
