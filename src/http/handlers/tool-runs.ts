/**
 * The four ways to run a tool: at once, as a job, as a stream, and inside a session. Each builds one ToolCall for the
 * one runner; they differ in where the session comes from and in how the outcome is told.
 */
import { DaemonError, toDaemonError } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json.js';
import type { Logger } from '../../ports.js';
import type { Jobs } from '../../services/jobs.js';
import type { Sessionless } from '../../services/sessionless.js';
import type { Sessions } from '../../services/sessions.js';
import type { RunSession, ToolCall, ToolOutcome, ToolRunner } from '../../services/tool-runner.js';
import { errorBody } from '../errors.js';
import type { Context, Handlers, SseEvent } from '../operation.js';
import { toolResult } from '../views.js';
import { liveForTools } from './tools.js';

type ToolRunHandlers = Pick<Handlers, 'runTool' | 'runToolAsync' | 'streamTool' | 'runSessionTool'>;

export interface ToolRunHandlerDeps {
  readonly sessions: Sessions;
  readonly sessionless: Sessionless;
  readonly runner: ToolRunner;
  readonly jobs: Jobs;
  readonly logger: Logger;
}

/** What the run operations have in common. */
interface RunInput {
  readonly path: { readonly name: string };
  readonly query: Confirmation;
  readonly body: (Confirmation & { params?: object; allow_mutations?: boolean }) | undefined;
}

interface Confirmation {
  readonly confirm?: boolean;
  readonly confirm_token?: string;
}

export const toolRunHandlers = ({
  sessions,
  sessionless,
  runner,
  jobs,
  logger,
}: ToolRunHandlerDeps): ToolRunHandlers => {
  const sessionlessCall = async (input: RunInput, { scope }: Context): Promise<ToolCall> => {
    const request = requestOf(input);
    return { ...request, session: await sessionless.open(scope), sessionless: true };
  };
  /** What is found out here is the outcome of the run: a job and a stream tell it in their own way. */
  const runSessionless = async (call: ToolCall, { scope }: Context, signal: AbortSignal): Promise<ToolOutcome> => {
    await sessionless.requireInstall(scope);
    return runner.run(call, signal);
  };

  return {
    runTool: async (input, context) => {
      const call = await sessionlessCall(input, context);
      context.waiting();
      return { status: 200, body: toolResult(resultOf(await runSessionless(call, context, context.signal))) };
    },

    runToolAsync: async (input, context) => {
      const call = await sessionlessCall(input, context);
      const job_id = await jobs.start('tool.run_gated', call.session.posture.account, async (signal) => ({
        ...toolResult(resultOf(await runSessionless(call, context, signal))),
      }));
      return { status: 202, body: { job_id } };
    },

    streamTool: async (input, context) => {
      const call = await sessionlessCall(input, context);
      refuseBadParams(runner, call);
      const { requestId, signal } = context;
      const note = (err: unknown): void => logger.error({ requestId, err }, 'a streamed run failed unexpectedly');
      return { status: 200, events: framesOf(call.tool, () => runSessionless(call, context, signal), note) };
    },

    runSessionTool: async (input, context) => {
      const session: RunSession = liveForTools(sessions, input.path.id);
      const call = { ...requestOf(input), session, sessionless: false };
      context.waiting();
      return { status: 200, body: toolResult(resultOf(await runner.run(call, context.signal))) };
    },
  };
};

/** The call but for its session. Only what is named here leaves the body, so no control key of a caller's does. */
const requestOf = ({ path, query, body = {} }: RunInput): Omit<ToolCall, 'session' | 'sessionless'> => ({
  tool: path.name,
  params: (body.params ?? {}) as JsonObject,
  ...confirmation(query, body),
  ...(body.allow_mutations === undefined ? {} : { allowMutations: body.allow_mutations }),
});

/** Body and query alias say the same thing or only one of them speaks. Throws bad_request when they differ. */
const confirmation = (query: Confirmation, body: Confirmation): { confirm?: boolean; confirmToken?: string } => {
  for (const field of ['confirm', 'confirm_token'] as const) {
    if (query[field] !== undefined && body[field] !== undefined && query[field] !== body[field]) {
      throw new DaemonError('bad_request', `${field}: the body and the query parameter say different things`);
    }
  }
  const confirm = body.confirm ?? query.confirm;
  const confirmToken = body.confirm_token ?? query.confirm_token;
  return { ...(confirm === undefined ? {} : { confirm }), ...(confirmToken === undefined ? {} : { confirmToken }) };
};

/** A confirmation that is asked for is an error of the exchange, not a result. */
const resultOf = (outcome: ToolOutcome) => {
  if (outcome.kind === 'result') return outcome.result;
  const { tool, params, confirmToken, reasons } = outcome;
  throw new DaemonError('tool_needs_confirmation', undefined, {
    details: { tool, params, confirm_token: confirmToken, reasons },
  });
};

/** What is wrong with the request itself is an ordinary answer; what else refuses the run is a frame of the stream. */
const refuseBadParams = (runner: ToolRunner, call: ToolCall): void => {
  try {
    runner.check(call);
  } catch (error) {
    if (toDaemonError(error).code === 'bad_request') throw error;
  }
};

async function* framesOf(
  name: string,
  run: () => Promise<ToolOutcome>,
  onUnforeseen: (cause: unknown) => void,
): AsyncGenerator<SseEvent> {
  yield { event: 'start', data: { job: 'run', name } };
  yield await outcomeFrame(run, onUnforeseen);
  yield { event: 'end', data: {} };
}

/** Whatever the run comes to, as one frame: once a stream has begun, no error can be an ordinary answer. */
const outcomeFrame = async (
  run: () => Promise<ToolOutcome>,
  onUnforeseen: (cause: unknown) => void,
): Promise<SseEvent> => {
  try {
    return { event: 'result', data: toolResult(resultOf(await run())) };
  } catch (thrown) {
    const error = toDaemonError(thrown);
    if (error.code === 'internal_error') onUnforeseen(error.cause);
    const event = error.code === 'tool_needs_confirmation' ? 'needs_confirmation' : 'error';
    return { event, data: errorBody(error, 'agent') };
  }
};
