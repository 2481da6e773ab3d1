/**
 * One entry of `mcp_servers`: its type, and the parser that turns stored or pasted JSON into it or says, field by
 * field, what is wrong. It does not merge (entry-merge.ts) and does not read layers (settings.ts).
 */
import type { JsonObject } from './json.js';

export type Transport = 'stdio' | 'http' | 'sse';
export type LayerName = 'user' | 'project' | 'local';

/** A valid entry. `env` and `headers` hold the values as written, before `${VAR}` expansion. */
export interface ServerEntry {
  readonly name: string;
  readonly transport: Transport;
  /** Present for stdio. */
  readonly command?: string;
  readonly args: readonly string[];
  /** Present for http and sse. */
  readonly url?: string;
  readonly env: ReadonlyMap<string, string>;
  readonly headers: ReadonlyMap<string, string>;
  /** Absent: every tool. Empty: none. */
  readonly allowedTools?: readonly string[];
  readonly requireConfirmation: boolean;
  readonly enabled: boolean;
}

/** One fault of an entry: the field (a dotted path such as `headers.Authorization`, or empty) and the rule it breaks. */
export interface EntryFault {
  readonly field: string;
  readonly rule: string;
}

/** A stored entry with everything in it, unknown fields included. */
export type RawEntry = JsonObject;
