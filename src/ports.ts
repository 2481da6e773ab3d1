/**
 * Every way this program can touch the world, as interfaces. Services receive these; `daemon.ts` gives them the real
 * ones and tests give them fakes for clock and ids only.
 */
import type { JsonObject, JsonValue } from './domain/json.js';
import type { LayerName, Transport } from './domain/server-entry.js';
import type { SettingsKeyEdit } from './domain/rules.js';
import type { ServerListEdit } from './domain/server-write.js';
import type { FilesRead, PathFact, PathUse } from './domain/gate/facts.js';
import type { Elicitation, ElicitReply, Question } from './domain/question.js';
import type { DenialCode, GateName } from './domain/gate/verdict.js';
import type { Login, Posture, Scope } from './domain/session.js';
import type { SettingsDocument } from './domain/settings.js';
import type { CreateTodo, Todo, TodoClaim, TodoEvent, TodoFilter, TodoPatch, TodoRelease } from './domain/todo.js';
import type { BuiltinTool, ToolResult } from './domain/tool.js';
import type { Listed, Window } from './domain/topics.js';
import type { Workflow, WorkflowDefinition, WorkflowGuard } from './domain/workflow.js';

export type * from './store-ports.js';

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or at once (resolving too) when the signal aborts: callers look at the signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs `action` once after `ms`; returns the cancel. Timers never keep the process alive. */
  after(ms: number, action: () => void): () => void;
}

export interface Ids {
  /** 26 characters of Crockford base32. */
  ulid(): string;
  /** Cryptographically random lower-case hex. */
  hex(digits: number): string;
}

export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** One change to a settings file. */
export type SettingsEdit = ServerListEdit | SettingsKeyEdit;

export interface SettingsFiles {
  /** Never throws for a missing, empty, broken or unreadable file: the state says it. */
  read(path: string): Promise<SettingsDocument>;
  /**
   * The one way to change a settings file: under the file's lock (across processes) reads the document, calls `change`,
   * and writes what it returns beside the file, syncs, checks that nobody touched the file meanwhile (`mcp_conflict`),
   * renames. What `change` throws is thrown and nothing is written. A broken file is `bad_request` and never overwritten;
   * `change` is not called for it. An empty list of edits writes nothing.
   * Resolves to the `mcp_servers` value now stored, and what `change` returned as `result`.
   */
  update<T>(
    path: string,
    change: (document: Exclude<SettingsDocument, { state: 'broken' }>) => {
      edits: readonly SettingsEdit[];
      result: T;
    },
  ): Promise<{ servers: JsonValue | undefined; result: T }>;
  /** Where a write to `path` goes: the end of its links, which need not exist yet. */
  targetOf(path: string): Promise<string>;
  /** Calls `onChange` after the content of `path` may have changed (created and removed too). Returns the stop. */
  watch(path: string, onChange: () => void): () => void;
}

/** Which definitions of project files a person or an API write has acknowledged. Kept in the data directory. */
export interface TrustStore {
  /** The file it is kept in. */
  readonly path: string;
  has(path: string, name: string, digest: string): boolean;
  add(path: string, name: string, digest: string): Promise<void>;
}

/** Agent definitions as files of a folder. Never throws for a folder that is missing or cannot be read. */
export interface AgentFiles {
  /** The texts by name, and a sentence for each file that cannot be read. */
  list(folder: string): Promise<{ readonly texts: ReadonlyMap<string, string>; readonly warnings: readonly string[] }>;
  /** Differs after any definition in the folder changed. */
  stamp(folder: string): Promise<string>;
  pathOf(folder: string, name: string): string;
  /** Under the folder's lock, hands the text (undefined when there is none) to `plan` and stores what it returns. */
  change(folder: string, name: string, plan: (text: string | undefined) => string | undefined): Promise<void>;
  /** False when the new name is taken. */
  rename(folder: string, name: string, newName: string): Promise<boolean>;
}

/** Folders as the file system has them. */
export interface Folders {
  /** The real path of an existing folder, or undefined when there is none (or it may not be entered). */
  resolve(path: string): Promise<string | undefined>;
}

export interface LoginSource {
  current(): Login;
}

/** The todos as those work on them who are no store: each method is about what the scope may see. */
export interface TodoDesk {
  list(scope: Scope, filter: TodoFilter, window: Window): Promise<Listed<Todo>>;
  get(id: string, scope: Scope): Promise<{ readonly todo: Todo; readonly timeline: readonly TodoEvent[] }>;
  create(request: CreateTodo, scope: Scope): Promise<Todo>;
  update(id: string, revision: number, patch: TodoPatch, scope: Scope): Promise<Todo>;
  comment(id: string, text: string, scope: Scope): Promise<Todo>;
  claim(id: string, claim: TodoClaim, scope: Scope): Promise<Todo>;
  release(id: string, release: TodoRelease, scope: Scope): Promise<Todo>;
  archive(id: string, revision: number, scope: Scope): Promise<Todo>;
}

/** The workflows as a tool works on them: each method is about those of the scope. */
export interface WorkflowDesk {
  list(scope: Scope, includeHidden: boolean): Promise<readonly Workflow[]>;
  get(name: string, scope: Scope): Promise<Workflow>;
  put(name: string, definition: WorkflowDefinition, guard: WorkflowGuard, scope: Scope): Promise<Workflow>;
}

/** Everything needed to start or reach one server; credentials are already expanded. */
export interface Launch {
  readonly name: string;
  readonly transport: Transport;
  readonly command?: string;
  readonly args: readonly string[];
  readonly url?: string;
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Working directory of the child. */
  readonly cwd: string;
  /** Values that must not appear in a stderr tail, an error or a log line. */
  readonly secrets: readonly string[];
}

export interface ServerTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  /** From `annotations.readOnlyHint`. */
  readonly readOnly: boolean;
}

/** A resource as a server lists it. */
export interface ServerResource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** A tool's answer as MCP gives it. */
export interface ServerToolResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: JsonObject;
  readonly isError: boolean;
}

/** On whose behalf a tool is called, for a server that asks back while it works. */
export interface Caller {
  /** Equal for all calls of one session. */
  readonly session: string;
  /** Resolves when somebody has answered or declined, or with `cancel`. Aborting withdraws the question. */
  elicit(elicitation: Elicitation, signal: AbortSignal): Promise<ElicitReply>;
}

export interface ServerConnectionEvents {
  /** The connection is gone (process exit, broken stream, missed pings). Called once, never after `close()`. */
  closed(reason: string): void;
  /** The server's tool list changed and was read again. */
  toolsChanged(tools: readonly ServerTool[], warnings: readonly string[]): void;
}

export interface ServerConnection {
  readonly protocolVersion: string;
  readonly serverName: string;
  readonly serverVersion: string;
  /** 0 for remote servers. */
  readonly pid: number;
  readonly tools: readonly ServerTool[];
  /** Bad tools left out, noise on stdout: sentences that name the server and never a value. */
  readonly warnings: readonly string[];
  /**
   * Rejects with an Error whose message may be shown, named `TimeoutError` when a time limit ran out; aborting tells the
   * server (`notifications/cancelled`).
   */
  callTool(
    name: string,
    args: JsonObject,
    options: { signal: AbortSignal; idleTimeoutMs: number; totalTimeoutMs: number; caller?: Caller },
  ): Promise<ServerToolResult>;
  /** Every page of the server's resources as they are now; none when it has no such list. Rejects like `callTool`. */
  listResources(signal: AbortSignal): Promise<readonly ServerResource[]>;
  /** The last lines of the child's stderr, secrets replaced. Readable after the end too. */
  stderrTail(): readonly string[];
  /** The polite stop; resolves when the process and its descendants are gone. */
  close(): Promise<void>;
}

/** Why a server could not be started or initialized. The message is safe to show. */
export class ConnectError extends Error {
  readonly stderrTail: readonly string[];
  /** A remote server asked for credentials, or for other ones. */
  readonly needsAuth: boolean;
  constructor(message: string, stderrTail: readonly string[], cause?: unknown, needsAuth = false) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ConnectError';
    this.stderrTail = stderrTail;
    this.needsAuth = needsAuth;
  }
}

export interface ServerConnector {
  /** Starts, initializes and lists all tools. Rejects with ConnectError; aborting stops the attempt and its process. */
  open(launch: Launch, events: ServerConnectionEvents, signal: AbortSignal): Promise<ServerConnection>;
}

/** What a built-in tool gets beside its params. */
export interface ToolContext {
  /** Who background work belongs to: the session, or the scope of sessionless runs. */
  readonly owner: string;
  /** Of the session; the id is empty where there is none. */
  readonly posture: Posture;
  /** Real path of the session's working directory. */
  readonly cwd: string;
  /** The judged paths, in the order `reach` named them. A tool opens these and nothing else. */
  readonly paths: readonly PathFact[];
  readonly signal: AbortSignal;
  readonly filesRead: FilesRead;
  /** The answer of a person to a question, undefined when nobody gave one. Absent where nobody can be asked. */
  readonly ask?: (question: Question) => Promise<string | undefined>;
  /** The settings let web_fetch reach private addresses. */
  readonly allowPrivateFetch?: boolean;
  /** For tools that walk a tree: true for what the deny list covers. Takes an absolute real path. */
  isDenied(path: string): boolean;
}

/** A built-in tool that can be run. What `run` throws becomes a failed result, never an error of the request. */
export interface RunnableTool extends BuiltinTool {
  run(params: JsonObject, context: ToolContext): Promise<ToolResult>;
}

export interface FileFacts {
  /**
   * Where each path truly leads, in the order given; a glob becomes the facts of what it matches. Relative paths start at
   * `cwd`, `~` is the user's home. Never throws for a path that is missing, unreadable or strange: the fact says it.
   */
  gather(cwd: string, uses: readonly PathUse[]): Promise<PathFact[]>;
  /** The same paths, in the order given, with every link followed as far as it exists. */
  realPaths(paths: readonly string[]): Promise<string[]>;
}

/** Keeps what is too long to deliver, in the data directory. */
export interface Spill {
  /** The path under which the whole text can be found, by people and by its owner's reading tools. */
  keep(text: string, owner: string): Promise<string>;
  /** True for a path that was kept for this owner since the daemon started, and has not made room for newer ones. */
  isKeptFor(owner: string, path: string): boolean;
}

/** One decision of the gate chain. */
export interface AuditEntry {
  /** Null for a run without a session. */
  readonly session: string | null;
  readonly cwd: string;
  readonly tool: string;
  /** Only a digest of them is kept. */
  readonly params: JsonObject;
  readonly verdict: 'allow' | 'confirm' | 'deny';
  /** Of a denial. */
  readonly code?: DenialCode;
  /** The gates that did not simply allow it, and what they said. */
  readonly gates: Readonly<Partial<Record<GateName, 'confirm' | 'deny'>>>;
  /** What came of the confirm token, where one was presented. */
  readonly token?: 'redeemed' | 'refused';
}

export interface AuditLog {
  /** True when the last attempt to write failed. */
  readonly isFailing: boolean;
  /** Never waits and never throws: the entry is written soon. */
  append(entry: AuditEntry): void;
  /** Writes what waits; true when everything is in the file. */
  flush(): Promise<boolean>;
  /** The same, for good. */
  close(): Promise<void>;
}

export interface ParamFault {
  /** JSON pointer into the params. */
  readonly pointer: string;
  readonly keyword: string;
  /** Names the rule, never a value. */
  readonly message: string;
}

export interface ParamsValidator {
  /** Every way the params break the schema. A schema that cannot be compiled accepts everything: its owner judges. */
  faults(schema: JsonObject, params: JsonObject): readonly ParamFault[];
}

export type { LayerName, ServerListEdit, SettingsDocument };
