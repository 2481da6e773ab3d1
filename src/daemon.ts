/**
 * The composition root: builds every room from a configuration, in the order in which they need each other, and ends
 * them in the reverse. Nothing is decided here.
 */
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Config } from './config.js';
import { createCandidateRule } from './domain/candidate.js';
import { afterStop } from './domain/job.js';
import { NO_SCOPE, type Posture } from './domain/session.js';
import { childEnvironment } from './domain/variables.js';
import { createAuditLog } from './files/audit-log.js';
import { createAgentFiles } from './files/agent-files.js';
import { openDataDir } from './files/data-dir.js';
import { createFileFacts } from './files/file-facts.js';
import { systemFolders } from './files/folders.js';
import { takeJobFiles } from './files/job-files.js';
import { createLoginSource } from './files/login-file.js';
import { createRunId } from './files/run-id.js';
import { createSettingsFiles } from './files/settings-file.js';
import { createSpill } from './files/spill.js';
import { readTokenFile } from './files/token-file.js';
import { createTrustStore } from './files/trust-file.js';
import { App } from './http/app.js';
import { loadContract } from './http/contract.js';
import { agentHandlers } from './http/handlers/agents.js';
import { changeHandlers } from './http/handlers/changes.js';
import { approvalHandlers } from './http/handlers/approval.js';
import { gateHandlers } from './http/handlers/gates.js';
import { hookHandlers } from './http/handlers/hooks.js';
import { jobHandlers } from './http/handlers/jobs.js';
import { mcpHandlers } from './http/handlers/mcp.js';
import { metaHandlers } from './http/handlers/meta.js';
import { sessionHandlers } from './http/handlers/sessions.js';
import { toolRunHandlers } from './http/handlers/tool-runs.js';
import { workspaceHandlers } from './http/handlers/workspaces.js';
import { todoHandlers } from './http/handlers/todos.js';
import { toolHandlers } from './http/handlers/tools.js';
import { workflowHandlers } from './http/handlers/workflows.js';
import { createConnector, loadProtocol, reapLeftovers } from './mcp/connector.js';
import { killMarked, RUN_VARIABLE } from './mcp/process-sweep.js';
import type { Clock, Ids, Logger } from './ports.js';
import { PROGRAM_NAME, PROGRAM_VERSION } from './program.js';
import { Agents } from './services/agents.js';
import { ChangeFeed } from './services/change-feed.js';
import { ConfigReader } from './services/config-reader.js';
import { ConfigWriter } from './services/config-writer.js';
import { Gates } from './services/gates.js';
import { Jobs } from './services/jobs.js';
import { McpServers } from './services/mcp-servers.js';
import { Reconciler } from './services/reconciler.js';
import { Rules } from './services/rules.js';
import { ServerPool } from './services/server-pool.js';
import { Sessionless } from './services/sessionless.js';
import { Sessions } from './services/sessions.js';
import { SettingsWatch } from './services/settings-watch.js';
import { SingleUseTokens } from './services/single-use-tokens.js';
import { WorkflowRuns } from './services/workflow-runs.js';
import { Workflows } from './services/workflows.js';
import { Upkeep } from './services/upkeep.js';
import { WriteNonces } from './services/write-nonces.js';
import { Workspaces } from './services/workspaces.js';
import { Todos } from './services/todos.js';
import { sessionOwner, ToolRunner, type ConfirmBinding } from './services/tool-runner.js';
import { BackgroundJobs } from './tools/background-jobs.js';
import { openStore } from './store/store.js';
import { createLogger, systemClock, systemIds } from './system.js';
import { createParamsValidator } from './tools/params-validator.js';
import { createToolbox } from './tools/toolbox.js';

/** Bodies that are still arriving, all together: thirty-two of the largest, at the default. */
const ARRIVING_BYTES_MAX = 256 * 1024 * 1024;
/** A burst of twice the rate lets a page load its lists at once. */
const RATE_BURST_FACTOR = 2;
/** Longest run of one MCP tool call, however much progress it reports. */
const MCP_CALL_TOTAL_TIMEOUT_MS = 30 * 60_000;
/** How often a remote server is asked whether it lives; two misses and it is taken for dead. */
const MCP_PING_INTERVAL_MS = 15_000;
/** Unspent confirm tokens of one session: a model that keeps asking must not grow memory. */
const CONFIRM_TOKENS_PER_SCOPE_MAX = 64;
/** 128 bits. */
const CONFIRM_TOKEN_DIGITS = 32;
const RUN_ID_DIGITS = 24;
/** The work lists, when no server keeps them. */
const STORE_FILE = 'lists.sqlite';

export interface Daemon {
  readonly baseUrl: string;
  /** Looks at every settings file again, as if each had been edited. */
  rereadSettings(): void;
  /** Ends streams, children and their descendants; resolves when nothing is left. */
  close(): Promise<void>;
}

/** What tests put in place of the real ones. */
export interface DaemonOverrides {
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly logger?: Logger;
  /** An answer that breaks the contract becomes an error. */
  readonly strict?: boolean;
  /** The environment children inherit from and `${VAR}` is looked up in. */
  readonly hostEnv?: Readonly<Record<string, string | undefined>>;
}

/** What of the configuration the servers of a session need. */
export type RoomsConfig = Pick<
  Config,
  'dataDir' | 'userSettingsPath' | 'trustProjectServers' | 'mcpStartTimeoutMs' | 'mcpCallTimeoutMs'
>;

/** What `openRooms` is given beside the configuration; the system's own where nothing is given. */
export interface RoomsParts {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Marks every process the pool starts. */
  readonly runId?: string;
  readonly hostEnv?: DaemonOverrides['hostEnv'];
}

/**
 * The rooms that read settings, judge their entries and connect to servers, for the daemon and for a command that does
 * its work without one. Reads, locks and starts nothing by itself.
 */
export const openRooms = (config: RoomsConfig, parts: RoomsParts = {}) => {
  const clock = parts.clock ?? systemClock;
  const logger = parts.logger ?? createLogger({ level: 'error' });
  const files = createSettingsFiles({ logger });
  const trust = createTrustStore(config.dataDir);
  const { userSettingsPath, trustProjectServers } = config;
  const reader = new ConfigReader({ files, trust, userSettingsPath, trustProjectServers });
  const connector = createConnector({
    clientInfo: { name: PROGRAM_NAME, version: PROGRAM_VERSION },
    clock,
    logger,
    runId: parts.runId ?? systemIds.hex(RUN_ID_DIGITS),
    startTimeoutMs: config.mcpStartTimeoutMs,
    pingIntervalMs: MCP_PING_INTERVAL_MS,
  });
  const pool = new ServerPool({
    connector,
    clock,
    logger,
    callIdleTimeoutMs: config.mcpCallTimeoutMs,
    callTotalTimeoutMs: MCP_CALL_TOTAL_TIMEOUT_MS,
    hostEnv: parts.hostEnv ?? process.env,
  });
  const places = { home: homedir(), dataDir: config.dataDir, userSettingsPath };
  return { files, trust, reader, pool, folders: systemFolders, places, candidateRule: createCandidateRule(places) };
};

export type Rooms = ReturnType<typeof openRooms>;

/** Rejects with a sentence for people when the data directory or the port is taken. */
export const startDaemon = async (config: Config, overrides: DaemonOverrides = {}): Promise<Daemon> => {
  const clock = overrides.clock ?? systemClock;
  const ids = overrides.ids ?? systemIds;
  const logger = overrides.logger ?? createLogger({ level: config.logLevel });
  const startedAt = clock.now();

  const token = config.tokenFile === null ? undefined : await readTokenFile(config.tokenFile);
  const dataDir = await openDataDir(config.dataDir);
  const runId = ids.hex(RUN_ID_DIGITS);
  const run = await createRunId(dataDir.path, runId);
  if (run.previous !== undefined) {
    const reaped = await reapLeftovers(run.previous);
    if (reaped > 0) logger.warn({ reaped }, 'ended processes that an earlier run had left behind');
  }
  await run.begin();

  const store = await openStore({
    url: config.store,
    sqlitePath: join(dataDir.path, STORE_FILE),
    ids,
    logger,
    run: { id: runId, previous: run.previous },
  }).catch(async (cause: unknown) => {
    await run.end();
    await dataDir.release();
    throw cause;
  });
  const login = createLoginSource(config.loginFile ?? undefined, logger);
  const rooms = openRooms({ ...config, dataDir: dataDir.path }, { clock, logger, runId, hostEnv: overrides.hostEnv });
  const { files, trust, reader, pool, candidateRule, places } = rooms;
  const reconciler = new Reconciler({
    pool,
    clock,
    logger,
    readSettings: ({ posture }) => reader.read(posture),
    denied: ({ entry }, settings, posture) => {
      const refused = candidateRule(entry, settings, posture);
      return refused && `${refused.field} ${refused.rule}`;
    },
  });
  const mcpServers = new McpServers({
    reader,
    reconciler,
    clock,
    candidateRule,
    reconnectIntervalMs: config.mcpReconnectIntervalMs,
  });
  const nonces = new WriteNonces({ files, clock, ids, ttlMs: config.mcpNonceTtlMs });
  const writer = new ConfigWriter({
    files,
    trust,
    reader,
    reconciler,
    nonces,
  });
  const confirmTokens = new SingleUseTokens<ConfirmBinding>({
    clock,
    newToken: () => `ctok_${ids.hex(CONFIRM_TOKEN_DIGITS)}`,
    ttlMs: config.confirmTtlMs,
    maxPerOwner: CONFIRM_TOKENS_PER_SCOPE_MAX,
    ownerOf: ({ scope }) => scope,
  });
  const spill = createSpill(dataDir.path, ids);
  const shellJobs = new BackgroundJobs();
  const gates = new Gates({ clock, ids });
  const audit = createAuditLog(dataDir.path, { clock, logger });
  await audit.flush();
  const todos = new Todos({ store, login, clock, ids, folders: rooms.folders });
  const workflows = new Workflows({ store: store.workflows, login, clock });
  const runner = new ToolRunner({
    toolbox: createToolbox({
      clock,
      todos,
      workflows,
      spill,
      jobs: shellJobs,
      endMarked: killMarked,
      env: { ...childEnvironment(overrides.hostEnv ?? process.env), [RUN_VARIABLE]: runId },
    }),
    fileFacts: createFileFacts(places.home),
    validator: createParamsValidator(),
    confirmTokens,
    gates,
    audit,
    spill,
    logger,
    ...places,
  });
  const watch = new SettingsWatch(files, (path) => reconciler.settingsChanged(path));
  const rereadSettings = (): void => {
    for (const path of watch.paths) reconciler.settingsChanged(path);
  };
  // What `mcp trust` acknowledges while the daemon runs is started without a call.
  const unwatchTrust = files.watch(trust.path, rereadSettings);
  const pathsOf = (posture: Posture): string[] => reader.layerPaths(posture).map(({ path }) => path);
  const agents = new Agents({
    files: createAgentFiles(),
    login,
    userFolder: join(dirname(config.userSettingsPath), 'agents'),
    defaultConfigDir: config.configDir,
  });
  const sessions = new Sessions({
    store: store.sessions,
    clock,
    ids,
    logger,
    login,
    folders: rooms.folders,
    defaultCwd: process.cwd(),
    defaultConfigDir: config.configDir,
    idleMs: config.sessionIdleMs,
    checkCwd: async (posture) => runner.checkCwd(posture, (await reader.read(posture)).denyList),
    agentOf: (name, { cwd, configDir }) => agents.find(name, { cwd, configDir: configDir ?? undefined }),
    toolsOf: (sessionId) => reconciler.tools(sessionId),
    settingsOf: (sessionId) => reconciler.settings(sessionId),
    opened: async ({ posture }) => {
      watch.add(pathsOf(posture));
      await reconciler.attach({ posture, layerPaths: reader.layerPaths(posture) });
    },
    closed: async ({ posture }) => {
      watch.remove(pathsOf(posture));
      nonces.forget(posture.sessionId);
      mcpServers.forget(posture.sessionId);
      const owner = sessionOwner(posture.sessionId);
      confirmTokens.dropOwner(owner);
      await Promise.all([reconciler.detach(posture.sessionId), shellJobs.endOwner(owner)]);
    },
  });

  const rules = new Rules({
    files,
    reader,
    reconciler,
    nonces,
    login,
    builtins: runner.catalogue,
    targetOf: (session, name) => runner.ruleTarget(session, name),
    defaultCwd: process.cwd(),
    defaultConfigDir: config.configDir,
  });

  const sessionless = new Sessionless({
    reader,
    folders: rooms.folders,
    login,
    defaultCwd: process.cwd(),
    defaultConfigDir: config.configDir,
    checkCwd: (posture, denyList) => runner.checkCwd(posture, denyList),
  });

  await takeJobFiles(dataDir.path, (job) => store.jobs.add(afterStop(job, startedAt)), logger);
  const toolJobs = new Jobs({ clock, ids, store: store.jobs, logger });

  const workspaces = new Workspaces({
    reconciler,
    login,
    folders: rooms.folders,
    ownFolder: process.cwd(),
    sessionFolders: () => sessions.folders(NO_SCOPE),
    builtins: runner.catalogue,
    clock,
    logger,
  });

  const workflowRuns = new WorkflowRuns({
    store: store.workflowRuns,
    workflows,
    runner,
    gates,
    login,
    clock,
    ids,
    logger,
  });
  const upkeep = new Upkeep({ presence: store.presence, sessions, jobs: toolJobs, workflowRuns, clock, logger });

  const contract = loadContract();
  const app = new App({
    handlers: {
      ...metaHandlers({
        contract,
        login,
        loginSource: config.loginFile === null ? 'local' : 'login_file',
        tokenRequired: token !== undefined,
        program: { name: PROGRAM_NAME, version: PROGRAM_VERSION },
        startedAt,
      }),
      ...sessionHandlers({ sessions, gates, epoch: runId }),
      ...approvalHandlers({ sessions, runner }),
      ...gateHandlers({ sessions, gates, login }),
      ...mcpHandlers({ sessions, servers: mcpServers, writer }),
      ...toolHandlers({ sessions, runner }),
      ...toolRunHandlers({ sessions, sessionless, runner, jobs: toolJobs, logger }),
      ...jobHandlers({ jobs: toolJobs, login }),
      ...workspaceHandlers({ workspaces }),
      ...todoHandlers({ sessions, todos }),
      ...workflowHandlers({ workflows, runs: workflowRuns, sessions, jobs: toolJobs }),
      ...agentHandlers({ agents, login }),
      ...hookHandlers({ sessions, rules }),
      ...changeHandlers({
        feed: new ChangeFeed({ store, sessions, agents, rules, login, clock, logger, epoch: runId }),
      }),
    },
    contract,
    config: {
      host: config.host,
      port: config.port,
      access: config.access,
      trustedProxies: config.trustedProxies,
      token,
      rate: { perSecond: config.httpRateLimit, burst: config.httpRateLimit * RATE_BURST_FACTOR },
      inFlightMax: config.httpMaxInFlight,
      arrivingBytesMax: Math.max(ARRIVING_BYTES_MAX, config.httpMaxBodyBytes),
      maxBodyBytes: config.httpMaxBodyBytes,
      maxStreamsPerIp: config.httpMaxStreamsPerIp,
      sseHeartbeatMs: config.sseHeartbeatMs,
    },
    login,
    clock,
    ids,
    logger,
    strict: overrides.strict ?? false,
  });

  const endRooms = async (): Promise<void> => {
    unwatchTrust();
    workflowRuns.stop();
    await upkeep.stop();
    await Promise.all([toolJobs.close(), sessions.closeAll()]);
    await shellJobs.close();
    await reconciler.close();
    await pool.close();
  };
  /** Last, because a request that still runs may write. */
  const release = async (): Promise<void> => {
    await audit.close();
    await store.close();
    await run.end();
    await dataDir.release();
  };

  let baseUrl: string;
  try {
    ({ baseUrl } = await app.listen());
  } catch (cause) {
    await endRooms();
    await release();
    const inUse = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
    throw inUse ? new Error(`port ${config.port} is in use; stop what uses it or choose another with --port`) : cause;
  }
  if (config.access === 'local' && config.tokenFile === null) {
    logger.warn({}, 'every user of this machine can reach this daemon; --token-file restricts it');
  }
  // After the port is open, so that neither the start nor the first server waits for it.
  setImmediate(() => void loadProtocol());
  return {
    baseUrl,
    rereadSettings,
    close: async () => {
      // Children get their end while requests get theirs: a request that waits for a tool ends with the tool.
      await Promise.all([app.close(), endRooms()]);
      await release();
    },
  };
};
