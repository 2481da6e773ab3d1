/**
 * `read_file`: the lines of a text file, or some of them. What is returned is bounded in bytes and lines; how to get the
 * rest is said in `hint`. Binary files are named as such and not returned.
 */
import { isUtf8 } from 'node:buffer';
import { failed, succeeded } from '../domain/tool.js';
import type { RunnableTool } from '../ports.js';
import { withJudgedFile, type OpenedFile } from './judged-file.js';
import { DEFAULT_OUTPUT_BYTES, MAX_BYTES, PATH, firstPath, objectSchema, textSlice } from './tool-kit.js';

const DEFAULT_LINES = 20_000;
const LINES_MAX = 1_000_000;
/** Decides binary or text, like git does. */
const SNIFF_BYTES = 8_000;
const CHUNK_BYTES = 64 * 1024;
/** From the buffer that Node shares out, so that it costs nothing. */
const LEAST_CHUNK_BYTES = 2 * 1024;

interface Window {
  readonly offset: number;
  readonly limit: number;
  readonly maxBytes: number;
}

interface Reading {
  readonly bytes: Buffer;
  /** Lines before the end of the window, and whether something follows it. */
  readonly lastLine: number;
  readonly more: boolean;
}

/**
 * Streams the file through a fixed buffer and keeps only the window, so a giant file costs no memory; a small one is read
 * in one go. Undefined for a binary file.
 */
const readWindow = async (
  { bytes, read }: OpenedFile,
  { offset, limit, maxBytes }: Window,
  signal: AbortSignal,
): Promise<Reading | undefined> => {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let line = 1;
  let position = 0;
  // One byte more than it has: a reading that leaves it free has met the end.
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(LEAST_CHUNK_BYTES, bytes + 1)));
  for (;;) {
    signal.throwIfAborted();
    const bytesRead = await read(chunk);
    if (position === 0 && chunk.subarray(0, Math.min(bytesRead, SNIFF_BYTES)).includes(0)) return undefined;
    position += bytesRead;
    let from = 0;
    while (from < bytesRead) {
      const newline = chunk.subarray(0, bytesRead).indexOf(10, from);
      const to = newline === -1 ? bytesRead : newline + 1;
      if (line >= offset) {
        if (line >= offset + limit) return { bytes: Buffer.concat(kept), lastLine: line - 1, more: true };
        const room = maxBytes - keptBytes;
        const part = Buffer.from(chunk.subarray(from, Math.min(to, from + room)));
        kept.push(part);
        keptBytes += part.length;
        if (part.length < to - from) return { bytes: Buffer.concat(kept), lastLine: line, more: true };
      }
      if (newline !== -1) line += 1;
      from = to;
    }
    if (bytesRead === 0 || (bytesRead < chunk.length && position === bytes)) {
      return { bytes: Buffer.concat(kept), lastLine: line, more: false };
    }
  }
};

/** What the end of a file does not say of itself. */
const hintOnWhole = (fileBytes: number, { offset }: Window, { bytes, lastLine }: Reading): string | undefined => {
  if (fileBytes === 0) return 'the file is empty';
  if (bytes.length === 0) return `line ${offset} is past the end; the file has ${lastLine - 1} line breaks`;
  return isUtf8(bytes) ? undefined : 'it is no UTF-8; the bytes that are none are shown as U+FFFD';
};

export const readFileTool: RunnableTool = {
  name: 'read_file',
  description:
    'Read a UTF-8 text file. Returns its text as it is; offset and limit select lines of a long one. Binary files are not returned.',
  readOnly: true,
  category: 'filesystem',
  permissionKey: 'fs.read',
  asyncCapable: false,
  inputSchema: objectSchema({ path: PATH }, ['path'], {
    offset: {
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 1,
      description: 'First line to return, counted from 1.',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: LINES_MAX,
      default: DEFAULT_LINES,
      description: 'How many lines to return at most.',
    },
    max_bytes: { ...MAX_BYTES, description: 'How many bytes to return at most.' },
  }),
  reach: (params) => ({ paths: [{ path: params['path'] as string, access: 'read' }] }),
  run: (params, context) => {
    const { real, path } = firstPath(context);
    const window: Window = {
      offset: (params['offset'] as number | undefined) ?? 1,
      limit: (params['limit'] as number | undefined) ?? DEFAULT_LINES,
      maxBytes: (params['max_bytes'] as number | undefined) ?? DEFAULT_OUTPUT_BYTES,
    };
    return withJudgedFile({ real, shown: path }, async (file) => {
      // Having been told what a binary file is counts as having read it.
      context.filesRead.note(real, file.stamp);
      const reading = await readWindow(file, window, context.signal);
      if (!reading)
        return failed('tool_error', `${path} is a binary file of ${file.bytes} bytes; it is not returned as text`);
      const { bytes, lastLine, more } = reading;
      const text = textSlice(bytes);
      if (!more) {
        const hint = hintOnWhole(file.bytes, window, reading);
        return succeeded(text, hint === undefined ? {} : { hint });
      }
      const next = text.endsWith('\n') ? lastLine + 1 : lastLine;
      const hint =
        next === window.offset
          ? `line ${next} alone is longer than max_bytes; raise it, or cut the line in bash`
          : `stopped in line ${lastLine}; read on with offset ${next}`;
      return succeeded(text, { truncated: true, originalBytes: file.bytes, hint });
    });
  },
};
