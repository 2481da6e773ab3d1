/**
 * `bash`: one shell line in the working directory. What it may do is the gates' business, judged on the parsed line; here
 * it is run with a scrubbed environment, a time limit and bounded output.
 */
import { reachOfShell } from '../domain/gate/shell-reach.js';
import { failed, succeeded, type ToolResult } from '../domain/tool.js';
import type { RunnableTool } from '../ports.js';
import { runChild, type ChildEnd } from './run-child.js';
import { DEFAULT_OUTPUT_BYTES, MAX_BYTES, objectSchema, textSlice, type ChildParts } from './tool-kit.js';

const DEFAULT_TIMEOUT_MS = 120_000;
const TIMEOUT_MS_MAX = 1_800_000;
/** As long as the gates judge one. */
const COMMAND_CHARS_MAX = 64 * 1024;

/** The beginning and the end of the output: what was done, and what came of it. */
const headAndTail = ({ output, bytes }: ChildEnd, maxBytes: number): string => {
  if (bytes <= maxBytes) return textSlice(output);
  const half = Math.floor(maxBytes / 2);
  // The tail starts at the next whole character.
  let from = output.length - half;
  while (from < output.length && ((output[from] as number) & 0xc0) === 0x80) from += 1;
  return `${textSlice(output.subarray(0, half))}\n[… ${bytes - maxBytes} bytes left out …]\n${textSlice(output.subarray(from))}`;
};

export const createBashTool = ({ clock, env, spill }: ChildParts): RunnableTool => ({
  name: 'bash',
  description:
    'Run a shell command line with bash in the working directory and return what it prints, standard error included. It gets no input; what it leaves running is ended with it.',
  readOnly: false,
  category: 'shell',
  permissionKey: 'shell.run',
  asyncCapable: false,
  inputSchema: objectSchema(
    {
      command: {
        type: 'string',
        minLength: 1,
        maxLength: COMMAND_CHARS_MAX,
        pattern: '^[^\\u0000]+$',
        description: 'The command line.',
      },
    },
    ['command'],
    {
      timeout_ms: {
        type: 'integer',
        minimum: 1,
        maximum: TIMEOUT_MS_MAX,
        default: DEFAULT_TIMEOUT_MS,
        description: 'End it after this many milliseconds.',
      },
      max_bytes: {
        ...MAX_BYTES,
        minimum: 1_000,
        description: 'How many bytes of output to return at most: its beginning and its end.',
      },
      description: {
        type: 'string',
        maxLength: 1_000,
        description: 'What it is for, in a few words; shown to whoever is asked.',
      },
    },
  ),
  reach: (params) => {
    const command = params['command'] as string;
    return { ...reachOfShell(command), command };
  },
  run: async (params, { cwd, signal }): Promise<ToolResult> => {
    const timeoutMs = (params['timeout_ms'] as number | undefined) ?? DEFAULT_TIMEOUT_MS;
    const maxBytes = (params['max_bytes'] as number | undefined) ?? DEFAULT_OUTPUT_BYTES;
    // -p: no start-up file and no function out of the environment changes what the judged words mean.
    // One pipe for both outputs keeps them in order.
    const args = ['-p', '-c', `exec 2>&1\n${params['command'] as string}`];
    const end = await runChild({ command: 'bash', args, cwd, env, signal, timeoutMs, clock });
    const output = headAndTail(end, maxBytes);
    const cut = end.bytes > maxBytes;
    const kept = cut ? `the output is kept in ${await spill.keep(end.output.toString('utf8'))}` : undefined;
    const extras = (outcome?: string) => {
      const hints = [outcome, kept].filter((part) => part !== undefined);
      return {
        ...(cut ? { truncated: true as const, originalBytes: end.bytes } : {}),
        ...(hints.length > 0 ? { hint: hints.join('; ') } : {}),
      };
    };
    if (end.ended === 'timeout') return failed('timeout', output, extras(`ended after ${timeoutMs} ms`));
    if (end.ended === 'cancelled') return failed('cancelled', output, extras('cancelled'));
    if (end.exitCode === 0) return succeeded(output, extras());
    return failed(
      'tool_error',
      output,
      extras(end.exitCode === null ? `ended by ${end.exitSignal}` : `exit code ${end.exitCode}`),
    );
  },
});
