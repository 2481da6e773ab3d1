/**
 * What a tool is: the descriptor of a built-in one, the result of any, and the names under which the tools of MCP
 * servers are shown to a model. Running a tool is not here (ports.ts, tools/).
 */
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from './json.js';
import type { PathUse } from './gate/facts.js';

export type ToolCategory = 'filesystem' | 'shell' | 'network' | 'git' | 'todos' | 'workflows' | 'interaction';

/** What one call would touch, read off its params alone. The gates judge it; the tool must touch nothing else. */
export interface ToolReach {
  readonly paths: readonly PathUse[];
  /** A shell command line. */
  readonly command?: string;
  /** True when this call of a mutating tool changes nothing. */
  readonly onlyReads?: boolean;
}

export interface BuiltinTool {
  readonly name: string;
  readonly description: string;
  readonly readOnly: boolean;
  readonly inputSchema: JsonObject;
  readonly category: ToolCategory;
  readonly permissionKey: string | null;
  /** True when a call can go on in the background. */
  readonly asyncCapable: boolean;
  /** Pure; `params` match the schema. */
  reach(params: JsonObject): ToolReach;
}

export type ToolErrorCode =
  | 'denied_deny_list'
  | 'denied_headless'
  | 'denied_rule'
  | 'read_required'
  | 'stale_read'
  | 'tool_error'
  | 'timeout'
  | 'cancelled'
  | 'interrupted';

export interface ToolResult {
  /** Always `!isError`. */
  readonly ok: boolean;
  readonly output: string;
  readonly isError?: true;
  readonly errorCode?: ToolErrorCode;
  readonly hint?: string;
  readonly truncated?: true;
  /** Size of the whole in bytes; present when `truncated`. */
  readonly originalBytes?: number;
  /** The blocks of an MCP result, when `output` alone does not say everything. */
  readonly content?: readonly JsonObject[];
  readonly structuredContent?: JsonObject;
}

type Extras = Pick<ToolResult, 'hint' | 'truncated' | 'originalBytes' | 'content' | 'structuredContent'>;

export const succeeded = (output: string, extras: Extras = {}): ToolResult => ({ ok: true, output, ...extras });

export const failed = (errorCode: ToolErrorCode, output: string, extras: Extras = {}): ToolResult => ({
  ok: false,
  output,
  isError: true,
  errorCode,
  ...extras,
});

const isControlKey = (key: string): boolean => key === 'confirmed' || key.startsWith('_');

/**
 * The params without the keys that are ours and never a caller's: `confirmed` and whatever starts with an underscore,
 * at the top level, the only place where dispatch could read them. Nested data belongs to the tool.
 * The same object comes back when there is nothing to remove; what is removed is not even read.
 */
export const scrubControlKeys = (params: JsonObject): JsonObject =>
  Object.keys(params).some(isControlKey)
    ? Object.fromEntries(
        Object.keys(params).flatMap((key) => (isControlKey(key) ? [] : [[key, params[key] as JsonValue]])),
      )
    : params;

export interface ToolAddress {
  readonly server: string;
  readonly tool: string;
}

/** Model providers accept tool names of at most 64 of these characters. */
const MODEL_NAME_CHARS_MAX = 64;
const MODEL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** What a shortened name ends in; an unshortened name that looks like one is shortened too, so the two never meet. */
const SHORTENED = /_[0-9a-f]{8}$/;
const DIGEST_CHARS = 8;
/** Room for the server in a shortened name; the tool, which tells more, gets the rest. */
const SERVER_CHARS_MAX = 20;

const modelName = ({ server, tool }: ToolAddress, digestChars: number): string => {
  const plain = `mcp__${server}__${tool}`;
  // A server with "__" inside or "_" at its end could meet another pair at the separator.
  const separable = !server.includes('__') && !server.endsWith('_');
  if (digestChars === DIGEST_CHARS && separable && MODEL_NAME.test(plain) && !SHORTENED.test(plain)) return plain;
  const digest = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, digestChars);
  const readable = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, '_');
  const head = `mcp__${readable(server).slice(0, SERVER_CHARS_MAX)}__${readable(tool)}`;
  return `${head.slice(0, MODEL_NAME_CHARS_MAX - 1 - digestChars)}_${digest}`;
};

/**
 * The model-facing name of each pair: `mcp__{server}__{tool}`, or a shortened one with a digest where that would be too
 * long, spelled with other characters or ambiguous. A name depends on its own pair alone, so it survives other servers
 * coming and going; no two pairs share one.
 */
export const modelToolNames = <Pair extends ToolAddress>(pairs: Iterable<Pair>): Map<Pair, string> => {
  const names = new Map<Pair, string>();
  const taken = new Set<string>();
  for (const pair of pairs) {
    let name = modelName(pair, DIGEST_CHARS);
    // Two digests that meet were made to meet; a longer one parts them.
    for (let chars = DIGEST_CHARS * 2; taken.has(name) && chars <= 32; chars += DIGEST_CHARS)
      name = modelName(pair, chars);
    if (taken.has(name)) continue; // The same pair twice.
    taken.add(name);
    names.set(pair, name);
  }
  return names;
};
