/**
 * Compiled schemas of the contract. One document is shared by all of them, so a schema is named by where it stands in
 * the bundle and compiled the first time it is asked for.
 */
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Node } from './contract.js';

const DOCUMENT = 'contract';

export class Schemas {
  static readonly #ofBundle = new WeakMap<Node, Schemas>();
  readonly #ajv: Ajv2020;

  /** Daemons of one process share what was compiled of their contract: compiling is most of what a start costs. */
  static of(bundle: Node): Schemas {
    let schemas = Schemas.#ofBundle.get(bundle);
    if (schemas === undefined) Schemas.#ofBundle.set(bundle, (schemas = new Schemas(bundle)));
    return schemas;
  }

  private constructor(bundle: Node) {
    // Not strict: an OpenAPI document has keywords of its own (`example`, `discriminator`, `x-…`). One fault is enough
    // for an answer, and collecting all of them would let a caller choose how much work a refusal is.
    this.#ajv = new Ajv2020({ strict: false, allErrors: false, validateSchema: false });
    formats.default(this.#ajv);
    for (const name of ['int32', 'int64', 'float', 'double']) this.#ajv.addFormat(name, true);
    this.#ajv.addSchema(bundle as AnySchema, DOCUMENT);
  }

  /** The validator of the schema at `pointer`, which must stand in the bundle. */
  at(pointer: string): ValidateFunction {
    const fragment = pointer.split('/').map(encodeURIComponent).join('/');
    const validator = this.#ajv.getSchema(`${DOCUMENT}#${fragment}`);
    if (validator === undefined) throw new Error(`the contract has no schema at ${pointer}`);
    return validator;
  }
}
