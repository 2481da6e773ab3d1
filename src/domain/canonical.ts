/**
 * One spelling for every JSON value (RFC 8785), and the digests built on it. Two values that differ only in key order
 * or in how a number or a string was written have the same canonical text.
 * Invariant: total. What the RFC leaves out (a lone surrogate, a number beyond the double range) gets a stable text
 * too, because a settings file with an odd string in it must still be listed; that is why this is not the package.
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
export const serversHash = (servers: JsonValue | undefined): string => `sha256:${digest(servers === undefined ? [] : servers)}`;
