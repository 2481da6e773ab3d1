/** The params of a call against the schema of its tool, as the tool will get them. */
import type { JsonObject } from '../domain/json.js';
import { argumentsForTool } from '../domain/provider-schemas/arguments.js';
import type { ParamFault, ParamsValidator } from '../ports.js';

export interface CheckedParams {
  readonly params: JsonObject;
  readonly faults: readonly ParamFault[];
}

/**
 * What is wrong with the params, if anything. A model that was shown the strict form of a schema gives null for what it
 * leaves out; where such nulls are all that is wrong they are left out, and params that fit are not touched.
 */
export const checkedParams = (validator: ParamsValidator, schema: JsonObject, given: JsonObject): CheckedParams => {
  const faults = validator.faults(schema, given);
  if (faults.length === 0) return { params: given, faults };
  const params = argumentsForTool(schema, given);
  return validator.faults(schema, params).length === 0 ? { params, faults: [] } : { params: given, faults };
};
