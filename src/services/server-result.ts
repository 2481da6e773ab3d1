/**
 * The answer of an MCP server's tool as a result of ours, cut where it is too long for one piece. It calls nothing.
 */
import { failed, succeeded, type ToolResult } from '../domain/tool.js';
import type { ServerToolResult, Spill } from '../ports.js';

/** A tool server may answer with a document; more than this no model reads and no client wants in one piece. */
const SERVER_RESULT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * An MCP result as ours: its text is the output; blocks and structured content stay what they are. What is too long is
 * kept for `owner`.
 */
export const deliver = async (
  { content, structuredContent, isError }: ServerToolResult,
  spill: Spill,
  owner: string,
): Promise<ToolResult> => {
  const texts = content.flatMap((block) =>
    block['type'] === 'text' && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  const text = texts.length === 1 ? (texts[0] as string) : texts.join('\n');
  const make = (output: string, extras: Parameters<typeof succeeded>[1]): ToolResult =>
    isError ? failed('tool_error', output, extras) : succeeded(output, extras);

  const [first] = content;
  const plain = first === undefined || (content.length === 1 && texts.length === 1 && Object.keys(first).length === 2);
  const textBytes = Buffer.byteLength(text);
  const otherBytes =
    (plain ? 0 : bytesOf(content) - textBytes) + (structuredContent === undefined ? 0 : bytesOf(structuredContent));
  if (textBytes + otherBytes <= SERVER_RESULT_BYTES_MAX) {
    return make(text, {
      ...(plain ? {} : { content }),
      ...(structuredContent === undefined ? {} : { structuredContent }),
    });
  }
  // Without its blocks: half an image is no image. The kept file has everything.
  const whole = plain ? text : JSON.stringify({ content, structuredContent });
  const path = await spill.keep(whole, owner);
  return make(firstBytes(text, SERVER_RESULT_BYTES_MAX), {
    truncated: true,
    originalBytes: textBytes + otherBytes,
    hint: `the whole result is kept in ${path}`,
  });
};

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The longest beginning of at most that many bytes that cuts no character. */
const firstBytes = (text: string, bytes: number): string => {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
};
