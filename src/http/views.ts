/**
 * Domain values to wire objects. Every view is built by naming what it has, so a field that is added to a domain type
 * stays private until somebody names it here.
 * Invariant: no view is built from a value of `env` or `headers`.
 */
import type { AgentDefinition } from '../domain/agent.js';
import type { Reading } from '../domain/change-tokens.js';
import type { Approval } from '../domain/approval.js';
import type { ServerStatus } from '../domain/connection.js';
import type { JobRecord } from '../domain/job.js';
import { entryView } from '../domain/redact.js';
import type { ServerEntry } from '../domain/server-entry.js';
import type { Posture } from '../domain/session.js';
import type { Todo, TodoEvent, TodoLease } from '../domain/todo.js';
import type { BuiltinTool, ToolResult } from '../domain/tool.js';
import type { Listed, Window } from '../domain/topics.js';
import type { ListedResource } from '../domain/workspace.js';
import type { WriteReport } from '../services/config-writer.js';
import type { EndedGate, WaitingGate } from '../services/gates.js';
import type { ReconcileReport } from '../services/reconciler.js';
import type { SessionRecord } from '../services/sessions.js';
import type { ToolSchema, WorkspaceTool } from '../services/workspaces.js';

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Without the members that are undefined: on the wire a member is absent, and null only where the contract says so. */
export const present = <T extends object>(members: T): Present<T> => {
  const kept: Record<string, unknown> = {};
  // A list may have a hundred thousand rows: entries that are made and filtered take twice as long.
  for (const [key, value] of Object.entries(members)) if (value !== undefined) kept[key] = value;
  return kept as Present<T>;
};

/** One row of `servers`: the entry with its live state flattened onto it. */
export const serverRow = ({ server, connected, identity, revoked, stderrTail }: ServerStatus) => {
  const entry = entryView(server.entry);
  return present({
    name: entry.name,
    scope: server.scope,
    transport: entry.transport,
    enabled: entry.enabled,
    require_confirmation: entry.requireConfirmation,
    connected,
    protocol_version: identity?.protocolVersion,
    server_name: identity?.serverName,
    server_version: identity?.serverVersion,
    tool_count: identity?.toolCount,
    pid: identity?.pid,
    revoked: revoked === undefined ? undefined : true,
    revoked_reason: revoked,
    stderr_tail: stderrTail.length === 0 ? undefined : [...stderrTail],
    command: entry.command,
    args: entry.args && [...entry.args],
    url: entry.url,
    allowed_tools: entry.allowedTools && [...entry.allowedTools],
    env_keys: [...entry.envKeys],
    header_keys: [...entry.headerKeys],
  });
};

/** One row of an import preview. */
export const importRow = (parsed: ServerEntry) => {
  const entry = entryView(parsed);
  return present({
    name: entry.name,
    type: entry.transport,
    command: entry.command,
    args: entry.args && [...entry.args],
    url: entry.url,
    allowed_tools: entry.allowedTools && [...entry.allowedTools],
    require_confirmation: entry.requireConfirmation ? true : undefined,
    env_keys: [...entry.envKeys],
    header_keys: [...entry.headerKeys],
  });
};

/** What a reconcile did; the whole answer of `reconnectMcp`. */
export const reconcileReport = (report: ReconcileReport) => ({
  status: 'ok' as const,
  sessions: report.sessions,
  partial_sessions: report.partialSessions,
  revoked: report.revoked,
  deferred_sessions: report.deferredSessions,
  deferred_started: report.deferredStarted,
  servers: report.servers.map(serverRow),
  warnings: [...report.warnings],
});

/** The answer of every write. */
export const writeReport = (report: WriteReport) => ({
  ...reconcileReport(report),
  path: report.path,
  hash: report.hash,
});

/** The frozen stance of a session. */
export const sessionPosture = (posture: Posture) =>
  present({
    realm: posture.realm,
    cwd: posture.cwd,
    config_dir: posture.configDir ?? undefined,
    tool_mode: posture.toolMode,
    dir_scope: posture.dirScope,
    headless: posture.headless,
    agent: posture.agent ?? undefined,
    workspace_id: posture.workspaceId,
  });

export const sessionRow = ({ posture, name, live, startedAt, lastRequestAt, isHeldElsewhere }: SessionRecord) => ({
  id: posture.sessionId,
  name,
  ...sessionPosture(posture),
  live: live !== null,
  attached: live !== null,
  live_elsewhere: isHeldElsewhere,
  started_at: new Date(startedAt).toISOString(),
  last_request_at: new Date(lastRequestAt).toISOString(),
});

export const toolRow = (tool: Pick<BuiltinTool, 'name' | 'description' | 'readOnly' | 'inputSchema'>) => ({
  name: tool.name,
  description: tool.description,
  read_only: tool.readOnly,
  input_schema: tool.inputSchema,
});

export const sessionToolRow = (tool: Pick<BuiltinTool, 'name' | 'description' | 'readOnly'>) => ({
  name: tool.name,
  description: tool.description,
  read_only: tool.readOnly,
});

export const resourceRow = ({ name, uri, description, mimeType, client }: ListedResource) =>
  present({ name, uri, description, mimeType, client });

export const toolSchemaRow = ({ id, description, parameters, strict }: ToolSchema) =>
  present({ id, description, parameters, strict });

export const workspaceToolRow = (tool: WorkspaceTool) => ({
  id: tool.id,
  description: tool.description,
  source: tool.source,
  sourceName: tool.sourceName,
  category: tool.category,
  enabled: tool.status !== 'disabled',
  status: tool.status,
  asyncCapable: tool.asyncCapable,
  wakePolicy: tool.wakePolicy,
  permissionKey: tool.permissionKey,
});

export const toolResult = (result: ToolResult) =>
  present({
    ok: result.ok,
    output: result.output,
    is_error: result.isError,
    error_code: result.errorCode,
    hint: result.hint,
    truncated: result.truncated,
    original_bytes: result.originalBytes,
    content: result.content && [...result.content],
    structured_content: result.structuredContent,
  });

export const approvalRules = ({ rules }: Approval) => [...rules].map(([tool, decision]) => ({ tool, decision }));

export const approvalView = (approval: Approval) => ({
  mode: 'default',
  locked: false,
  revision: approval.revision,
  yolo: approval.yolo,
  auto_write: approval.yolo,
  auto_dir_access: approval.yolo,
  rules: approvalRules(approval),
});

/** What a person is shown of a gate. */
export const gateView = ({
  id,
  generation,
  type,
  description: { tool, question, cause, detail, params },
}: WaitingGate) =>
  present({
    id,
    generation,
    type,
    tool_name: tool,
    gate_cause: cause,
    detail,
    params,
    question: question?.question,
    options: question?.options && [...question.options],
    placeholder: question?.placeholder,
    category: question?.category,
    questions: question?.parts?.map((part) =>
      present({
        id: part.id,
        category: part.category,
        question: part.question,
        options: part.options && [...part.options],
      }),
    ),
  });

export const gateRow = (gate: WaitingGate) =>
  present({
    session_id: gate.session.posture.sessionId,
    realm: gate.session.posture.realm,
    gate_id: gate.id,
    generation: gate.generation,
    kind: gate.type,
    agent: gate.session.posture.agent ?? undefined,
    parked_at: new Date(gate.parkedAt).toISOString(),
    gate: gateView(gate),
  });

export const gateResolution = ({ id, generation, outcome, approved }: EndedGate) =>
  present({
    gate_id: id,
    generation,
    outcome,
    decision: approved === undefined ? undefined : { approved },
  });

export const jobRow = ({ id, kind, sessionId, runId, status, result, error, createdAt, updatedAt }: JobRecord) =>
  present({
    job_id: id,
    kind,
    session_id: sessionId,
    run_id: runId,
    status,
    result,
    error: error && { ...error },
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  });

export const todoRow = (todo: Todo) =>
  present({
    id: todo.id,
    num: todo.num,
    revision: todo.revision,
    title: todo.title,
    body: todo.body,
    state: todo.state,
    priority: todo.priority,
    rank: todo.rank,
    tags: [...todo.tags],
    cwd: todo.cwd,
    config_dir: todo.configDir ?? undefined,
    realm: todo.realm,
    comment_count: todo.commentCount,
    last_activity: time(todo.activeAt),
    created_at: time(todo.createdAt),
    updated_at: time(todo.updatedAt),
    lease: todo.lease === null ? undefined : todoLease(todo.lease),
    attempts: todo.attempts,
    needs_human: todo.questionForHuman !== null,
    question_for_human: todo.questionForHuman ?? undefined,
    wake_at: todo.wakeAt === null ? undefined : time(todo.wakeAt),
    archived_at: todo.archivedAt === null ? undefined : time(todo.archivedAt),
    closed_at: todo.closedAt === null ? undefined : time(todo.closedAt),
  });

const todoLease = ({ sessionId, runId, acquiredAt, expiresAt }: TodoLease) =>
  present({
    session_id: sessionId,
    run_id: runId ?? undefined,
    acquired_at: time(acquiredAt),
    expires_at: time(expiresAt),
  });

export const todoEvent = (event: TodoEvent) => {
  const at = time(event.at);
  switch (event.kind) {
    case 'edited':
      return present({ at, kind: event.kind, fields: [...event.fields], from: event.from, to: event.to });
    case 'commented':
      return { at, kind: event.kind, text: event.text };
    case 'snoozed':
      return present({ at, kind: event.kind, wake_at: event.wakeAt === null ? undefined : time(event.wakeAt) });
    case 'claimed':
      return { at, kind: event.kind, session_id: event.sessionId };
    case 'released': {
      const { kind, sessionId, outcome, summary } = event;
      return present({ at, kind, session_id: sessionId, outcome, summary });
    }
    default:
      return { at, kind: event.kind };
  }
};

/** Enough to tell one prompt from another. */
const PROMPT_PREVIEW_CHARACTERS = 200;

export const agentRow = (agent: AgentDefinition, realm: string) =>
  present({
    name: agent.name,
    provenance: agent.layer,
    path: agent.path,
    revision: agent.revision,
    shadows_lower: agent.shadowsLower,
    description: agent.description,
    model: agent.model,
    tools: agent.tools && [...agent.tools],
    mcp_tools: agent.mcpTools && [...agent.mcpTools],
    max_turns: agent.maxTurns,
    prompt_preview: agent.prompt.slice(0, PROMPT_PREVIEW_CHARACTERS),
    realm,
  });

export const changeTokens = ({ scope, tokens, unavailable }: Reading) =>
  present({ scope, tokens: { ...tokens }, unavailable: unavailable && { ...unavailable } });

const time = (ms: number): string => new Date(ms).toISOString();

/** The window a query asks for. */
export const windowOf = ({ page = 1, limit = 0 }: { page?: number; limit?: number }): Window => ({ page, limit });

/** A list that came windowed already: `listWindow` says what is told of it. */
export const listBody = <T, Row>({ items, total }: Listed<T>, { page, limit }: Window, row: (item: T) => Row) => ({
  items: items.map(row),
  meta: limit === 0 ? { total } : { total, page, limit },
});

/**
 * The window `page` and `limit` ask for. `meta.total` is the size of the whole list; page and limit are told only when
 * a limit was asked for. Past the end the window is empty.
 */
export const listWindow = <T, Row>(
  all: readonly T[],
  query: { page?: number; limit?: number },
  row: (item: T) => Row,
) => {
  const { page = 1, limit = 0 } = query;
  if (limit === 0) return { items: all.map(row), meta: { total: all.length } };
  const items = all.slice((page - 1) * limit, page * limit).map(row);
  return { items, meta: { total: all.length, page, limit } };
};
