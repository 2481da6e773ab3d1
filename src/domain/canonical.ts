/**
 * One spelling for every JSON value (RFC 8785), and the digests built on it. Two values that differ only in key order
 * or in how a number or a string was written have the same canonical text.
 * Invariant: total. What the RFC leaves out (half a surrogate pair, a number beyond the double range) gets a stable text
 * too, because whatever a request can carry, the parameters of a tool call included, gets a digest; hence no package.
 */
import { createHash } from 'node:crypto';
import { isJsonObject, type JsonValue } from './json.js';

/** The RFC prescribes ECMAScript's own rendering of strings and numbers, and keys sorted by UTF-16 code units. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as JsonValue)}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 of the canonical text, in hex. */
export const digest = (value: JsonValue): string => createHash('sha256').update(canonicalJson(value)).digest('hex');

/** The content hash of a stored `mcp_servers` value. A missing file or key counts as the empty list. */
export const serversHash = (servers: JsonValue | undefined): string =>
  `sha256:${digest(servers === undefined ? [] : servers)}`;
