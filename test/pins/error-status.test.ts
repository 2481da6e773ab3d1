/** The status of every error code, as literals: a change here is a change of the contract. */
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { STATUS } from '../../src/http/errors.js';

const PINNED = {
  bad_request: 400,
  realm_scope_unsupported: 400,
  invalid_realm: 400,
  tool_mutation_refused: 400,
  approved_required: 400,
  forbidden: 403,
  human_only: 403,
  not_found: 404,
  tool_not_found: 404,
  method_not_allowed: 405,
  mcp_conflict: 409,
  tool_needs_confirmation: 409,
  turn_in_flight: 409,
  gate_parked: 409,
  no_pending_gate: 409,
  stale_gate: 409,
  gate_type_mismatch: 409,
  gate_already_answered: 409,
  gate_already_resolved: 409,
  todo_conflict: 409,
  revision_conflict: 409,
  session_held: 409,
  payload_too_large: 413,
  cwd_not_found: 422,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
  restriction_unknown: 503,
};

test('the daemon answers each code with its status', () => {
  expect(STATUS).toEqual(PINNED);
});

test('the catalogue says the same', () => {
  const catalogue = JSON.parse(readFileSync(new URL('../../generated/catalogue.json', import.meta.url), 'utf8'));
  const statuses = Object.entries<{ status: number }>(catalogue.errors.agent).map(([code, { status }]) => [
    code,
    status,
  ]);
  expect(Object.fromEntries(statuses)).toEqual(PINNED);
});
