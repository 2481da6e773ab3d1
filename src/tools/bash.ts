/**
 * `bash`: one shell line in the working directory, and `bash_job_wait` for one that was sent to the background. What a
 * line may do is the gates' business, judged on the parsed line; here it is run with a scrubbed environment, a time limit
 * and bounded output.
 */
import { reachOfShell } from '../domain/gate/shell-reach.js';
import { failed, succeeded, type ToolResult } from '../domain/tool.js';
import type { RunnableTool } from '../ports.js';
import type { BackgroundJobs } from './background-jobs.js';
import { runChild, type ChildEnd, type ChildRun, type Printed } from './run-child.js';
import { DEFAULT_OUTPUT_BYTES, MAX_BYTES, objectSchema, textSlice, withOwnAbort, type ChildParts } from './tool-kit.js';

const DEFAULT_TIMEOUT_MS = 120_000;
const TIMEOUT_MS_MAX = 1_800_000;
/** A timer takes no longer; the owner of a job is gone long before. */
const BACKGROUND_MS_MAX = 2 ** 31 - 1;
/** How long one wait may hold the turn. */
const WAIT_MS_MAX = 600_000;
const DEFAULT_WAIT_MS = 30_000;
/** As long as the gates judge one. */
const COMMAND_CHARS_MAX = 64 * 1024;

const leftOut = (bytes: number): string => `\n[… ${bytes} bytes left out …]\n`;

/** From the first whole character on. */
const textFrom = (bytes: Buffer): string => {
  let from = 0;
  while (from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return textSlice(bytes.subarray(from));
};

/** The beginning and the end of the output: what was done, and what came of it. */
const headAndTail = ({ output, bytes }: Printed, maxBytes: number): string => {
  if (bytes <= maxBytes) return textSlice(output);
  const half = Math.floor(maxBytes / 2);
  return textSlice(output.subarray(0, half)) + leftOut(bytes - maxBytes) + textFrom(output.subarray(-half));
};

/** All that is known of the output. */
const wholeText = ({ output, gapAt, bytes }: Printed): string =>
  bytes === output.length
    ? output.toString('utf8')
    : textSlice(output.subarray(0, gapAt)) + leftOut(bytes - output.length) + textFrom(output.subarray(gapAt));

export interface BashParts extends ChildParts {
  readonly jobs: BackgroundJobs;
}

export const createBashTools = ({ clock, env, spill, jobs, endMarked }: BashParts): RunnableTool[] => {
  const resultOf = async (end: ChildEnd, maxBytes: number, owner: string, timeoutMs: number): Promise<ToolResult> => {
    const output = headAndTail(end, maxBytes);
    const isCut = end.bytes > maxBytes;
    const kept = isCut ? `the output is kept in ${await spill.keep(wholeText(end), owner)}` : undefined;
    const extras = (outcome?: string) => {
      const hints = [outcome, kept].filter((part) => part !== undefined);
      return {
        ...(isCut ? { truncated: true as const, originalBytes: end.bytes } : {}),
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
  };

  return [
    {
      name: 'bash_job_wait',
      description:
        'Wait for a shell command that was started in the background and return what it has printed so far; returns early when it ends.',
      readOnly: true,
      category: 'shell',
      permissionKey: 'shell.read',
      asyncCapable: false,
      inputSchema: objectSchema(
        { job_id: { type: 'string', minLength: 1, maxLength: 100, description: 'The id that bash returned.' } },
        ['job_id'],
        {
          timeout_ms: {
            type: 'integer',
            minimum: 0,
            maximum: WAIT_MS_MAX,
            default: DEFAULT_WAIT_MS,
            description: 'Wait this many milliseconds at most.',
          },
          max_bytes: {
            ...MAX_BYTES,
            minimum: 1_000,
            description: 'How many bytes of output to return at most: its beginning and its end.',
          },
        },
      ),
      reach: () => ({ paths: [] }),
      run: async (params, { owner, signal }): Promise<ToolResult> => {
        const job = jobs.get(owner, params['job_id'] as string);
        const maxBytes = (params['max_bytes'] as number | undefined) ?? DEFAULT_OUTPUT_BYTES;
        const waitMs = (params['timeout_ms'] as number | undefined) ?? DEFAULT_WAIT_MS;
        const end = await withOwnAbort(signal, (own) => Promise.race([job.child.end, clock.sleep(waitMs, own.signal)]));
        signal.throwIfAborted();
        if (end) return resultOf(end, maxBytes, owner, job.timeoutMs);
        const printed = job.child.printed();
        const cut = printed.bytes > maxBytes ? { truncated: true as const, originalBytes: printed.bytes } : {};
        return succeeded(headAndTail(printed, maxBytes), { ...cut, hint: 'still running' });
      },
    },
    {
      name: 'bash',
      description:
        'Run a shell command line with bash in the working directory and return what it prints, standard error included. It gets no input; what it leaves running is ended with it, so start servers and long builds with background.',
      readOnly: false,
      category: 'shell',
      permissionKey: 'shell.run',
      asyncCapable: true,
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
          background: {
            type: 'boolean',
            default: false,
            description:
              'Return at once with a job id for bash_job_wait. The job ends with the session, or after timeout_ms if that is given.',
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
      run: async (params, { cwd, signal, owner }): Promise<ToolResult> => {
        const maxBytes = (params['max_bytes'] as number | undefined) ?? DEFAULT_OUTPUT_BYTES;
        const isBackground = params['background'] === true;
        const timeoutMs =
          (params['timeout_ms'] as number | undefined) ?? (isBackground ? BACKGROUND_MS_MAX : DEFAULT_TIMEOUT_MS);
        const run: Omit<ChildRun, 'signal'> = {
          command: 'bash',
          // -p: no start-up file and no function out of the environment changes what the judged words mean.
          // One pipe for both outputs keeps them in order.
          args: ['-p', '-c', `exec 2>&1\n${params['command'] as string}`],
          cwd,
          env,
          timeoutMs,
          clock,
          endMarked,
        };
        if (!isBackground) return resultOf(await runChild({ ...run, signal }), maxBytes, owner, timeoutMs);
        const { id, child } = jobs.start(owner, run);
        return succeeded(`${id}\n`, {
          hint: `runs in process group ${child.pid}; bash_job_wait with this job_id returns its output`,
        });
      },
    },
  ];
};
