/**
 * Flags and environment to one frozen Config. Every flag has a `HOODY_AGENTD_…` variable of the same name; a flag wins.
 * It reads no file and starts nothing: paths are made absolute, numbers and durations are checked, that is all.
 */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import ipaddr from 'ipaddr.js';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export interface Config {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly access: 'local' | 'proxy';
  /** Addresses or CIDR blocks; required and used with `access: proxy` only. */
  readonly trustedProxies: readonly string[];
  readonly tokenFile: string | null;
  readonly configDir: string | null;
  readonly dataDir: string;
  /** URL of the PostgreSQL server that holds the work lists; null keeps them in the data directory. */
  readonly store: string | null;
  /** The settings file of the user layer. */
  readonly userSettingsPath: string;
  readonly loginFile: string | null;
  readonly trustProjectServers: boolean;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Requests a second and client; 0 switches the limit off. */
  readonly httpRateLimit: number;
  readonly httpMaxBodyBytes: number;
  readonly httpMaxStreamsPerIp: number;
  readonly httpMaxInFlight: number;
  readonly sseHeartbeatMs: number;
  readonly mcpNonceTtlMs: number;
  readonly mcpStartTimeoutMs: number;
  readonly mcpCallTimeoutMs: number;
  readonly mcpReconnectIntervalMs: number;
  readonly confirmTtlMs: number;
  readonly sessionIdleMs: number;
}

const ENV_PREFIX = 'HOODY_AGENTD_';
const SECOND_MS = 1_000;
const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: SECOND_MS,
  m: 60 * SECOND_MS,
  h: 3_600 * SECOND_MS,
};
/** More requests would only queue on two or four cores, and queue in memory. */
const IN_FLIGHT_MAX = 256;
/** The longest delay a Node timer takes; a longer one would fire at once. */
const DURATION_MAX_MS = 2 ** 31 - 1;

/** `250ms`, `30s`, `5m`, `12h`; a bare number is seconds. */
const duration = (text: string): number => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  const ms = match ? Number(match[1]) * (UNITS_MS[match[2] ?? 's'] ?? NaN) : NaN;
  if (!(ms > 0 && ms <= DURATION_MAX_MS)) {
    throw new InvalidArgumentError(
      'A duration is a number above 0 with ms, s, m or h, such as 30s, and at most 24 days.',
    );
  }
  return ms;
};

const integer =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (!(value >= min && value <= max)) throw new InvalidArgumentError(`A whole number from ${min} to ${max}.`);
    return value;
  };

const absolutePath = (text: string): string => {
  if (text === '' || text.includes('\0')) throw new InvalidArgumentError('A path.');
  return resolve(text);
};

const storeUrl = (text: string): string => {
  if (!/^postgres(?:ql)?:\/\//.test(text) || !URL.canParse(text)) {
    throw new InvalidArgumentError('A URL that begins with postgres://.');
  }
  return text;
};

const proxyBlock = (text: string, earlier: readonly string[] | undefined): string[] => {
  const blocks = text.split(',').map((block) => block.trim());
  for (const block of blocks) {
    if (!ipaddr.isValid(block) && !ipaddr.isValidCIDR(block))
      throw new InvalidArgumentError('An address or a CIDR block.');
  }
  return [...(earlier ?? []), ...blocks];
};

interface Flags extends Omit<
  Config,
  'trustedProxies' | 'userSettingsPath' | 'configDir' | 'dataDir' | 'store' | 'loginFile' | 'tokenFile'
> {
  trustedProxy?: string[];
  configDir?: string;
  dataDir: string;
  store?: string;
  loginFile?: string;
  tokenFile?: string;
  httpMaxBody: number;
  sseHeartbeat: number;
  mcpNonceTtl: number;
  mcpStartTimeout: number;
  mcpCallTimeout: number;
  mcpReconnectInterval: number;
  confirmTtl: number;
  sessionIdle: number;
}

const xdg = (variable: string, fallback: string): string => {
  const value = process.env[variable];
  // The base-directory specification tells us to ignore a relative value.
  return value?.startsWith('/') ? value : join(homedir(), fallback);
};

const defaultDataDir = (): string => join(xdg('XDG_STATE_HOME', '.local/state'), 'hoody-agentd');
export const defaultUserSettingsPath = (): string => join(xdg('XDG_CONFIG_HOME', '.config'), 'hoody', 'settings.json');

const flag = (flags: string, description: string, parse?: (text: string, earlier: never) => unknown): Option => {
  const option = new Option(flags, description);
  option.env(ENV_PREFIX + option.name().replaceAll('-', '_').toUpperCase());
  return parse ? option.argParser(parse as (text: string, earlier: unknown) => unknown) : option;
};

/** Options that more than one command has. */
export const configDirOption = (): Option =>
  flag('--config-dir <dir>', 'use the settings in this folder in place of the user and project ones', absolutePath);
export const dataDirOption = (): Option =>
  flag('--data-dir <dir>', 'where the daemon keeps its own state', absolutePath).default(
    defaultDataDir(),
    '$XDG_STATE_HOME/hoody-agentd',
  );
export const cwdOption = (): Option => flag('--cwd <dir>', 'the project folder, if not the current one', absolutePath);
export const mcpStartTimeoutOption = (): Option =>
  flag('--mcp-start-timeout <duration>', 'time an MCP server has to start', duration).default(60 * SECOND_MS, '60s');

/** The `serve` command; `run` gets the checked configuration. */
export const serveCommand = (run: (config: Config) => Promise<void>): Command =>
  new Command('serve')
    .description('run the daemon')
    .addOption(flag('--host <address>', 'address to listen on').default('127.0.0.1'))
    .addOption(flag('--port <port>', 'port to listen on; 0 picks a free one', integer(0, 65_535)).default(7317))
    .addOption(
      flag('--access <mode>', 'who may connect: this machine, or a proxy that fronts it')
        .choices(['local', 'proxy'])
        .default('local'),
    )
    .addOption(flag('--trusted-proxy <cidr>', 'address of the proxy, with --access proxy; may be repeated', proxyBlock))
    .addOption(flag('--token-file <file>', 'require the bearer token in this file on every request', absolutePath))
    .addOption(configDirOption())
    .addOption(dataDirOption())
    .addOption(
      flag('--store <url>', 'keep sessions and todos in this PostgreSQL database, not in the data directory', storeUrl),
    )
    .addOption(
      flag('--login-file <file>', 'JSON file that says which account and realms the daemon serves', absolutePath),
    )
    .addOption(
      flag('--trust-project-servers', 'start the MCP servers of project folders without an acknowledgement').default(
        false,
      ),
    )
    .addOption(flag('--log-level <level>', 'least severe log line to print').choices(LOG_LEVELS).default('info'))
    .addOption(
      flag('--http-rate-limit <n>', 'requests a second and client; 0 is no limit', integer(0, 1_000_000)).default(
        1_000,
      ),
    )
    .addOption(
      flag('--http-max-body <bytes>', 'largest request body', integer(1_024, 1_073_741_824)).default(8 * 1_024 * 1_024),
    )
    .addOption(
      flag('--http-max-streams-per-ip <n>', 'open event streams of one client', integer(1, 100_000)).default(16),
    )
    .addOption(
      flag('--http-max-in-flight <n>', 'requests worked on at once', integer(1, 100_000)).default(IN_FLIGHT_MAX),
    )
    .addOption(
      flag('--sse-heartbeat <duration>', 'silence before a stream sends a comment', duration).default(
        25 * SECOND_MS,
        '25s',
      ),
    )
    .addOption(flag('--mcp-nonce-ttl <duration>', 'life of a write nonce', duration).default(300 * SECOND_MS, '5m'))
    .addOption(mcpStartTimeoutOption())
    .addOption(
      flag('--mcp-call-timeout <duration>', 'longest silence of a tool call', duration).default(
        120 * SECOND_MS,
        '120s',
      ),
    )
    .addOption(
      flag('--mcp-reconnect-interval <duration>', 'least time between reconnects of a session', duration).default(
        2 * SECOND_MS,
        '2s',
      ),
    )
    .addOption(flag('--confirm-ttl <duration>', 'life of a confirm token', duration).default(300 * SECOND_MS, '5m'))
    .addOption(
      flag('--session-idle <duration>', 'close a session that nobody used for this long', duration).default(
        12 * 3_600 * SECOND_MS,
        '12h',
      ),
    )
    .action((flags: Flags, command: Command) => run(configOf(flags, (message) => command.error(`error: ${message}`))));

/** Checks what single flags cannot: their combinations. */
const configOf = (flags: Flags, refuse: (message: string) => never): Config => {
  const trustedProxies = flags.trustedProxy ?? [];
  if (flags.access === 'proxy' && trustedProxies.length === 0)
    refuse('--access proxy needs at least one --trusted-proxy');
  if (flags.access === 'local' && trustedProxies.length > 0) refuse('--trusted-proxy needs --access proxy');
  if (!ipaddr.isValid(flags.host)) refuse('--host takes an IP address');
  if (flags.access === 'local' && ipaddr.process(flags.host).range() !== 'loopback') {
    refuse('--host must be a loopback address with --access local');
  }
  return Object.freeze({
    host: flags.host,
    port: flags.port,
    access: flags.access,
    trustedProxies,
    tokenFile: flags.tokenFile ?? null,
    configDir: flags.configDir ?? null,
    dataDir: flags.dataDir,
    store: flags.store ?? null,
    userSettingsPath: defaultUserSettingsPath(),
    loginFile: flags.loginFile ?? null,
    trustProjectServers: flags.trustProjectServers,
    logLevel: flags.logLevel,
    httpRateLimit: flags.httpRateLimit,
    httpMaxBodyBytes: flags.httpMaxBody,
    httpMaxStreamsPerIp: flags.httpMaxStreamsPerIp,
    httpMaxInFlight: flags.httpMaxInFlight,
    sseHeartbeatMs: flags.sseHeartbeat,
    mcpNonceTtlMs: flags.mcpNonceTtl,
    mcpStartTimeoutMs: flags.mcpStartTimeout,
    mcpCallTimeoutMs: flags.mcpCallTimeout,
    mcpReconnectIntervalMs: flags.mcpReconnectInterval,
    confirmTtlMs: flags.confirmTtl,
    sessionIdleMs: flags.sessionIdle,
  });
};
