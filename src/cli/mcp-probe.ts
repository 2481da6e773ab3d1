/**
 * `hoody-agentd mcp probe`: connects to one server the way a session would, tells what it offers, and takes the
 * connection down. It is the probe that the API refuses to machines: a person sees what would be started and confirms.
 * Invariant: nothing is started before policy has judged it and somebody has said yes.
 */
import type { Rooms } from '../daemon.js';
import { identityOfState, type ServerIdentity } from '../domain/connection.js';
import { isJsonObject, type JsonObject } from '../domain/json.js';
import { parseJsonText } from '../domain/json-text.js';
import { entryView } from '../domain/redact.js';
import { entryError, parseEntry, type ServerEntry } from '../domain/server-entry.js';
import type { EffectiveSettings } from '../domain/settings.js';
import type { ServerTool } from '../ports.js';
import { describeEntry, openTerminal, print, printable, type Refuse, remark } from './terminal.js';

/** What to probe: an entry of the settings, one given as JSON, or a command line. */
export type ProbeSubject =
  | { readonly name: string }
  | { readonly server: string }
  | { readonly command: string; readonly args: readonly string[] };

export interface ProbeRequest {
  readonly cwd: string;
  readonly configDir: string | null;
  readonly subject: ProbeSubject;
  readonly json: boolean;
  readonly yes: boolean;
}

interface Outcome {
  /** Of a server that connected. */
  readonly identity?: ServerIdentity;
  /** Of one that did not. */
  readonly error?: string;
  readonly tools: readonly ServerTool[];
  readonly warnings: readonly string[];
  readonly stderrTail: readonly string[];
}

/** Signals that would end the process with the server still running. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const FAILED_EXIT_CODE = 1;
/** For a candidate that came without a name. */
const NAMELESS = 'candidate';
/** Sessions of every realm start the same process. */
const REALM = 'global';

/** Sets the exit code when the server did not connect. Refuses what is malformed, against policy or not confirmed. */
export const probe = async (rooms: Rooms, request: ProbeRequest, refuse: Refuse): Promise<void> => {
  const settings = await rooms.reader.read(request);
  const { entry, origin } = candidateOf(request.subject, settings, refuse);
  if (settings.partial) refuse(`the deny list cannot be known: ${settings.warnings.map(printable).join('; ')}`);
  const refused = rooms.candidateRule(entry, settings, request);
  if (refused) refuse(`${refused.field} ${refused.rule}`);

  remark(describeEntry(entryView(entry), origin));
  if (!request.yes) await confirm(entry, refuse);
  const outcome = await connectOnce(rooms, entry, request.cwd);
  if (outcome.error !== undefined) process.exitCode = FAILED_EXIT_CODE;
  if (request.json) print(JSON.stringify(jsonOf(entry, outcome), null, 2));
  else tell(entry, outcome);
};

const candidateOf = (
  subject: ProbeSubject,
  settings: EffectiveSettings,
  refuse: Refuse,
): { entry: ServerEntry; origin: string } => {
  if ('name' in subject) {
    const found = settings.servers.find(({ entry }) => entry.name === subject.name);
    if (found) return { entry: found.entry, origin: found.scope };
    settings.warnings.map(printable).forEach(remark);
    return refuse(`the settings have no server ${printable(subject.name)}`);
  }
  const raw = 'server' in subject ? objectOf(subject.server, refuse) : { ...subject, args: [...subject.args] };
  const parsed = parseEntry({ name: NAMELESS, ...raw }, 'written');
  if ('faults' in parsed) return refuse(entryError(parsed.faults).message);
  return { entry: parsed.entry, origin: 'from the command line' };
};

const objectOf = (text: string, refuse: Refuse): JsonObject => {
  const parsed = parseJsonText(text);
  if ('fault' in parsed) {
    const { line, column, rule } = parsed.fault;
    return refuse(`--server is not JSON: line ${line}, column ${column}: ${rule}`);
  }
  return isJsonObject(parsed.value) ? parsed.value : refuse('--server must be a JSON object');
};

const confirm = async (entry: ServerEntry, refuse: Refuse): Promise<void> => {
  const terminal = openTerminal();
  if (terminal === undefined) refuse('nobody is here to be asked; run this on a terminal, or say --yes');
  const answer = await terminal
    .ask(entry.transport === 'stdio' ? 'Start it now? [y/N] ' : 'Connect to it now? [y/N] ')
    .finally(() => terminal.close());
  if (answer !== 'y' && answer !== 'yes') refuse('not confirmed; nothing was started');
};

/** Resolves when nothing of the connection is left, however it went; a signal only hurries that. */
const connectOnce = async ({ pool }: Rooms, entry: ServerEntry, cwd: string): Promise<Outcome> => {
  const stop = (): void => void pool.close();
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  try {
    const lease = pool.acquire({ entry }, { cwd, realm: REALM });
    await lease.settled();
    const { state, tools, warnings } = lease;
    const seen = { tools, warnings, stderrTail: lease.stderrTail() };
    const identity = identityOfState(state);
    if (state.state === 'connected' && identity !== undefined) return { identity, ...seen };
    return { error: state.state === 'dead' ? state.error : 'the probe was stopped', ...seen };
  } finally {
    await pool.close();
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
};

const jsonOf = (entry: ServerEntry, { identity, error, tools, warnings, stderrTail }: Outcome): JsonObject => ({
  ok: error === undefined,
  name: entry.name,
  transport: entry.transport,
  ...(identity === undefined
    ? {}
    : {
        protocol_version: identity.protocolVersion,
        server_name: identity.serverName,
        server_version: identity.serverVersion,
        tools: tools.map(({ name, readOnly }) => ({ name, read_only: readOnly })),
      }),
  ...(error === undefined ? {} : { error, stderr_tail: [...stderrTail] }),
  warnings: [...warnings],
});

const tell = (entry: ServerEntry, { identity, error, tools, warnings, stderrTail }: Outcome): void => {
  if (identity !== undefined) {
    const { serverName, serverVersion, protocolVersion } = identity;
    print(`Connected to ${printable(`${serverName} ${serverVersion}`)}, protocol ${printable(protocolVersion)}.`);
    print(`${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}${tools.length === 0 ? '.' : ':'}`);
    for (const { name, readOnly } of tools) print(`  ${printable(name)}${readOnly ? ' (read-only)' : ''}`);
  }
  for (const warning of warnings) remark(`warning: ${printable(warning)}`);
  if (error === undefined) return;
  remark(`error: server "${entry.name}" did not connect: ${printable(error)}`);
  if (stderrTail.length > 0) remark('Its last words on stderr:');
  for (const line of stderrTail) remark(`  ${printable(line)}`);
};
