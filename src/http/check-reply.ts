/**
 * Our own answers against the contract, whatever their status: the one check behind every answer, frames included.
 * In strict mode (tests) a broken answer is an error; otherwise it is logged, counted and sent, because a finished
 * write answered with 500 would be tried again. One that could carry a credential is never sent.
 */
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Logger } from '../ports.js';
import type { Contract, Operation } from './contract.js';
import type { Family } from './errors.js';
import type { SseEvent } from './operation.js';
import type { Schemas } from './schemas.js';

/** An answer of ours that must not be sent. Callers see `internal_error`. */
export class ContractBreach extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ContractBreach';
  }
}

export interface ReplyFacts {
  readonly operation: Operation | undefined;
  readonly family: Family;
  readonly requestId: string;
}

export class ReplyChecker {
  readonly #contract: Contract;
  readonly #schemas: Schemas;
  readonly #logger: Logger;
  readonly #strict: boolean;
  readonly #validators = new Map<string, ValidateFunction>();
  /** Answers that broke the contract since the start. */
  breaches = 0;

  constructor(contract: Contract, schemas: Schemas, logger: Logger, strict: boolean) {
    this.#contract = contract;
    this.#schemas = schemas;
    this.#logger = logger;
    this.#strict = strict;
  }

  /** Throws ContractBreach when the answer must not be sent. */
  check(facts: ReplyFacts, status: number, isJson: boolean, body: unknown): void {
    const fault = this.#faultOf(facts, status, isJson, body);
    if (fault !== undefined) this.#report(facts, `status ${status}: ${fault}`, body);
  }

  /** The same for one frame of a stream. */
  checkEvent(facts: ReplyFacts, { event, data }: SseEvent): void {
    const pointer = facts.operation?.responses.get(200)?.events?.get(event);
    const fault = pointer === undefined ? 'is not documented' : this.#faultAt(pointer, data);
    if (fault !== undefined) this.#report(facts, `event ${event}: ${fault}`, data);
  }

  #faultOf(facts: ReplyFacts, status: number, isJson: boolean, body: unknown): string | undefined {
    const own = facts.operation?.responses.get(status);
    const edge = this.#contract.edgeResponses[facts.family].get(status);
    const documented = own ?? edge;
    if (documented === undefined) return 'is not documented';
    if (!isJson) return documented.schemaPointer === undefined ? undefined : 'must be JSON';
    if (documented.schemaPointer === undefined) return 'must not be JSON';
    const fault = this.#faultAt(documented.schemaPointer, body);
    if (fault !== undefined || status < 400) return fault;
    const code = codeOf(body);
    return own?.codes.has(code) || edge?.codes.has(code) ? undefined : `the code ${code} is not documented`;
  }

  #faultAt(pointer: string, value: unknown): string | undefined {
    const validator = this.#validatorAt(pointer);
    return validator(value) ? undefined : describe(validator.errors![0]!);
  }

  #validatorAt(pointer: string): ValidateFunction {
    let validator = this.#validators.get(pointer);
    if (validator === undefined) this.#validators.set(pointer, (validator = this.#schemas.at(pointer)));
    return validator;
  }

  #report(facts: ReplyFacts, fault: string, body: unknown): void {
    this.breaches += 1;
    const operationId = facts.operation?.id ?? 'none';
    this.#logger.error({ requestId: facts.requestId, operationId, fault }, 'an answer broke the contract');
    if (this.#strict || mayCarryCredential(body)) throw new ContractBreach(`${operationId}, ${fault}`);
  }
}

const describe = (fault: ErrorObject): string => `${fault.instancePath || 'the body'} ${fault.message}`;

function codeOf(body: unknown): string {
  const { code, errors } = body as { code?: string; errors?: readonly { code: string }[] };
  return code ?? errors?.[0]?.code ?? '';
}

/** The members of an entry whose values are credentials; a view never has them, so a broken one may. */
const CREDENTIAL_MEMBERS: ReadonlySet<string> = new Set(['env', 'headers']);

function mayCarryCredential(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => CREDENTIAL_MEMBERS.has(key) || mayCarryCredential(member));
}
