/**
 * What the built-in tools share: pieces of their schemas, their output limits, and cutting text without breaking a
 * character.
 */
import type { PathFact } from '../domain/gate/facts.js';
import type { JsonObject } from '../domain/json.js';
import type { Clock, Spill, ToolContext } from '../ports.js';
import type { EndMarked } from './run-child.js';

/** What a model can take in at once, generously. */
export const DEFAULT_OUTPUT_BYTES = 256 * 1024;
/** An answer beyond this is a file, not an answer. */
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

/** Linux refuses longer ones; NUL ends a path for the kernel and not for a judge of strings. */
export const PATH: JsonObject = {
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  pattern: '^[^\\u0000]+$',
  description: 'Path of a file. Absolute, or relative to the working directory; ~ is the home folder.',
};

export const MAX_BYTES: JsonObject = {
  type: 'integer',
  minimum: 1,
  maximum: OUTPUT_BYTES_MAX,
  default: DEFAULT_OUTPUT_BYTES,
};

/** For tools that walk a tree. */
export const INCLUDE_IGNORED: JsonObject = {
  type: 'boolean',
  default: false,
  description: 'Look at what .gitignore files name, and into node_modules and caches, too.',
};

/** The schema of a tool's params: nothing but the named ones, so that a misspelled option is told and not ignored. */
export const objectSchema = (needed: JsonObject, required: string[], optional: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { ...needed, ...optional },
  ...(required.length > 0 ? { required } : {}),
  additionalProperties: false,
});

/** The judged path of a tool that names one. */
export const firstPath = ({ paths }: ToolContext): PathFact => {
  const [path] = paths;
  if (!path) throw new Error('a tool that names a path was given none');
  return path;
};

/**
 * Gives `work` an abort of its own, which comes with that of the run and at the latest when the work is done. Not by
 * `AbortSignal.any`: the signal of a run outlives many of them and would keep something of each (Node 20).
 */
export const withOwnAbort = async <T>(signal: AbortSignal, work: (own: AbortController) => Promise<T>): Promise<T> => {
  const own = new AbortController();
  const abort = (): void => own.abort(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await work(own);
  } finally {
    signal.removeEventListener('abort', abort);
    own.abort();
  }
};

/** How many bytes of the end belong to a character whose rest is missing. */
const unfinishedBytes = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? back : 0;
  }
  return 0;
};

/** Bytes as text; a character cut in half at the end is left out. */
export const textSlice = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength - unfinishedBytes(bytes)).toString('utf8');

/** What tools that start programs are given. */
export interface ChildParts {
  readonly clock: Clock;
  /** The whole environment of what they start. */
  readonly env: Readonly<Record<string, string>>;
  readonly spill: Spill;
  readonly endMarked: EndMarked;
}
