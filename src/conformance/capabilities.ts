/**
 * What a target says of itself: the parts of the contract it has, the limits and times it keeps. What it does not say is
 * what the contract says. It comes from a file of the operator or from the driver; nothing here asks the target.
 */
import type { Contract } from './contract.js';

export interface Capabilities {
  /** Parts the target declines by `false`: a tag of the contract, or one of FEATURES. */
  readonly features: Readonly<Record<string, boolean>>;
  readonly limits: Limits;
  /** The target is a mock that answers what a `Prefer` header asks for; only what it documents can be judged. */
  readonly mock: boolean;
}

/** Milliseconds and bytes; 0 where there is no such limit. */
export interface Limits {
  readonly max_body_bytes: number;
  readonly max_streams_per_ip: number;
  /** Requests that are worked on at once. */
  readonly max_in_flight: number;
  /** Requests a second and client. */
  readonly rate_limit: number;
  readonly heartbeat_ms: number;
  readonly nonce_ttl_ms: number;
  readonly confirm_ttl_ms: number;
  readonly reconnect_interval_ms: number;
}

/** Beside the tags: what a target may lack without lacking a group of operations. */
const FEATURES = {
  'mcp.stdio': 'starts MCP servers as child processes',
  'mcp.http': 'connects to MCP servers over Streamable HTTP',
  'tools.bash': 'has the tool bash',
  realms: 'knows more than one realm',
  'sessions.shared': 'several daemons share the records; not claimed unless declared',
} as const;

const DEFAULT_FEATURES = { 'sessions.shared': false };

const DEFAULT_LIMITS: Limits = {
  max_body_bytes: 8 * 1_024 * 1_024,
  max_streams_per_ip: 16,
  max_in_flight: 256,
  rate_limit: 1_000,
  heartbeat_ms: 25_000,
  nonce_ttl_ms: 300_000,
  confirm_ttl_ms: 300_000,
  reconnect_interval_ms: 2_000,
};

/** Fills in what is not said. Throws a sentence that names the member and the rule, for a document that is none. */
export const capabilitiesOf = (contract: Contract, declared: unknown = {}): Capabilities => {
  const document = objectAt(declared, 'the document');
  for (const key of Object.keys(document)) {
    if (!['features', 'limits', 'mock'].includes(key)) throw new Error(`capabilities: there is no member "${key}"`);
  }
  const features = objectAt(document['features'] ?? {}, 'features');
  const known = [...new Set(contract.operations.map(({ tag }) => tag)), ...Object.keys(FEATURES)];
  for (const [name, value] of Object.entries(features)) {
    if (!known.includes(name)) throw new Error(`capabilities: there is no feature "${name}", but ${known.join(', ')}`);
    if (typeof value !== 'boolean') throw new Error(`capabilities: features.${name} must be true or false`);
  }
  const limits = objectAt(document['limits'] ?? {}, 'limits');
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) throw new Error(`capabilities: there is no limit "${name}"`);
    if (typeof value !== 'number' || !(value >= 0)) throw new Error(`capabilities: limits.${name} must be a number`);
  }
  return {
    features: { ...DEFAULT_FEATURES, ...(features as Record<string, boolean>) },
    limits: { ...DEFAULT_LIMITS, ...limits },
    mock: document['mock'] === true,
  };
};

const objectAt = (value: unknown, what: string): Record<string, unknown> => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error(`capabilities: ${what} must be an object`);
};
