/**
 * Params against a tool's own JSON Schema. A schema is compiled once and forgotten with the definition it belongs to.
 * Schemas of MCP servers are other people's: unknown keywords and formats are let be, and a schema that does not compile
 * refuses nobody (the server judges its own calls).
 */
import { createRequire } from 'node:module';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { JsonObject } from '../domain/json.js';
import type { ParamFault, ParamsValidator } from '../ports.js';

const require = createRequire(import.meta.url);

/** A caller mends the first ones and comes back; a hostile body must not fill an answer with errors. */
const FAULTS_MAX = 20;

const OPTIONS = {
  allErrors: true,
  strict: false,
  validateSchema: false,
  validateFormats: false,
  addUsedSchema: false,
} as const;

const describe = ({ instancePath, keyword, message, params }: ErrorObject): ParamFault => {
  const extra = keyword === 'additionalProperties' ? `: ${JSON.stringify(params['additionalProperty'])}` : '';
  return { pointer: instancePath, keyword, message: `${message ?? keyword}${extra}` };
};

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};

export const createParamsValidator = (): ParamsValidator => {
  // Loaded with the first run, not with the daemon: it is 90 modules.
  const newest = once(() => new (require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')).Ajv2020(OPTIONS));
  const older = once(() => new (require('ajv') as typeof import('ajv')).Ajv(OPTIONS));
  const compiled = new WeakMap<JsonObject, ValidateFunction | 'unusable'>();

  const compile = (schema: JsonObject): ValidateFunction | 'unusable' => {
    const { $schema } = schema;
    const ajv = typeof $schema === 'string' && /draft-0[467]/.test($schema) ? older() : newest();
    try {
      // A dialect that is not bundled would be looked up and not found; what it says is read all the same.
      const { $schema: _dialect, ...rest } = schema;
      return ajv.compile(rest);
    } catch {
      return 'unusable';
    }
  };

  return {
    faults: (schema, params) => {
      let validate = compiled.get(schema);
      if (!validate) {
        validate = compile(schema);
        compiled.set(schema, validate);
      }
      if (validate === 'unusable' || validate(params)) return [];
      return (validate.errors ?? []).slice(0, FAULTS_MAX).map(describe);
    },
  };
};
