/**
 * A request against the contract: query, path parameters and body. Answers come back as one `bad_request` that names
 * place and rule and never a value. Header parameters are scope.ts; answers of ours are check-reply.ts.
 */
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonValue } from '../domain/json.js';
import type { Operation } from './contract.js';
import { invalidRequest } from './errors.js';
import { readQuery, type ParameterValue } from './parameters.js';
import type { Route } from './router.js';
import type { Schemas } from './schemas.js';

export interface RequestInput {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, ParameterValue>>;
  readonly body: JsonValue | undefined;
}

/** The compiled schemas of one operation. */
interface Checks {
  readonly path: readonly (ValidateFunction | undefined)[];
  readonly query: ReadonlyMap<string, ValidateFunction>;
  readonly body: ValidateFunction | undefined;
}

export class RequestValidator {
  readonly #schemas: Schemas;
  readonly #checks = new Map<Operation, Checks>();

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  /** The input of the operation, typed as its contract says. Throws `bad_request`. */
  check({ operation, pathValues }: Route, queryText: string, body: JsonValue | undefined): RequestInput {
    const checks = this.#checksOf(operation);
    const path: Record<string, string> = {};
    for (let index = 0; index < pathValues.length; index++) {
      const { name } = operation.pathParameters[index]!;
      const value = (path[name] = pathValues[index]!);
      requireValid(checks.path[index], value, `/path/${name}`, `path parameter ${name}`);
    }
    const query = readQuery(operation, queryText);
    for (const [name, check] of checks.query) {
      if (name in query) requireValid(check, query[name], `/query/${name}`, `query parameter ${name}`);
    }
    if (body !== undefined) {
      requireValid(checks.body, body, '/body', '');
    } else if (operation.body?.required === true) {
      throw invalidRequest('the body', { pointer: '/body', keyword: 'required', message: 'is required, as JSON' });
    }
    return { path, query, body };
  }

  #checksOf(operation: Operation): Checks {
    let checks = this.#checks.get(operation);
    if (checks === undefined) this.#checks.set(operation, (checks = this.#compile(operation)));
    return checks;
  }

  #compile(operation: Operation): Checks {
    const query = new Map<string, ValidateFunction>();
    for (const { name, schemaPointer } of operation.query.values()) {
      if (schemaPointer !== undefined) query.set(name, this.#schemas.at(schemaPointer));
    }
    return {
      path: operation.pathParameters.map(({ schemaPointer }) => schemaPointer && this.#schemas.at(schemaPointer)) as (
        ValidateFunction | undefined
      )[],
      query,
      body: operation.body && this.#schemas.at(operation.body.schemaPointer),
    };
  }
}

function requireValid(check: ValidateFunction | undefined, value: unknown, pointer: string, subject: string): void {
  if (check === undefined || check(value)) return;
  const fault = check.errors![0]!;
  throw invalidRequest(subject === '' ? fault.instancePath || 'the body' : subject, {
    pointer: pointer + fault.instancePath,
    keyword: fault.keyword,
    message: ruleOf(fault),
  });
}

/** Longer than any member name of the contract: what is echoed of a name that is none is cut here. */
const ECHOED_NAME_CHARACTERS = 64;

/** What the schema asks for, in words. Ajv's own sentences name rules only; three say less than they could. */
export function ruleOf(fault: ErrorObject): string {
  switch (fault.keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = String(fault.params['additionalProperty'] ?? fault.params['unevaluatedProperty']);
      return `must not have a member named ${JSON.stringify(name.slice(0, ECHOED_NAME_CHARACTERS))}`;
    }
    case 'required':
      return `must have a member named ${JSON.stringify(fault.params['missingProperty'])}`;
    case 'enum':
      return `must be one of ${(fault.params['allowedValues'] as unknown[]).join(', ')}`;
    default:
      return fault.message ?? 'breaks a rule of the contract';
  }
}
