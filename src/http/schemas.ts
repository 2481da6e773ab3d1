/**
 * Compiled schemas of the contract. One document is shared by all of them, so a schema is named by where it stands in
 * the bundle and compiled the first time it is asked for: most daemons see few of the operations, and all of them
 * compiled take 20 MiB. The validator itself is 90 modules, which nobody who waits for the port waits for.
 */
import { createRequire } from 'node:module';
import type { AnySchema, ValidateFunction } from 'ajv/dist/2020.js';
import type { Node } from './contract.js';

const DOCUMENT = 'contract';

const require = createRequire(import.meta.url);

type Ajv = InstanceType<(typeof import('ajv/dist/2020.js'))['Ajv2020']>;

export class Schemas {
  static readonly #ofBundle = new WeakMap<Node, Schemas>();
  readonly #bundle: Node;
  #ajv: Ajv | undefined;

  /** Daemons of one process share what was compiled of their contract. */
  static of(bundle: Node): Schemas {
    let schemas = Schemas.#ofBundle.get(bundle);
    if (schemas === undefined) Schemas.#ofBundle.set(bundle, (schemas = new Schemas(bundle)));
    return schemas;
  }

  private constructor(bundle: Node) {
    this.#bundle = bundle;
  }

  /** The validator of the schema at `pointer`, which must stand in the bundle. */
  at(pointer: string): ValidateFunction {
    const fragment = pointer.split('/').map(encodeURIComponent).join('/');
    this.#ajv ??= validatorOf(this.#bundle);
    const validator = this.#ajv.getSchema(`${DOCUMENT}#${fragment}`);
    if (validator === undefined) throw new Error(`the contract has no schema at ${pointer}`);
    return validator;
  }
}

function validatorOf(bundle: Node): Ajv {
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const formats = require('ajv-formats') as typeof import('ajv-formats');
  // Not strict: an OpenAPI document has keywords of its own (`example`, `discriminator`, `x-…`). One fault is enough
  // for an answer, and collecting all of them would let a caller choose how much work a refusal is.
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateSchema: false });
  formats.default(ajv);
  for (const name of ['int32', 'int64', 'float', 'double']) ajv.addFormat(name, true);
  ajv.addSchema(bundle as AnySchema, DOCUMENT);
  return ajv;
}
