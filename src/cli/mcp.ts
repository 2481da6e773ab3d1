/** The command `mcp`: what a person does about MCP servers beside the API. Options and refusals only. */
import { Command, Option } from 'commander';
import {
  configDirOption,
  cwdOption,
  dataDirOption,
  defaultUserSettingsPath,
  mcpStartTimeoutOption,
} from '../config.js';
import type { Rooms } from '../daemon.js';
import { probe, type ProbeSubject } from './mcp-probe.js';
import { trust } from './mcp-trust.js';
import type { Refuse } from './terminal.js';

interface TrustFlags {
  cwd?: string;
  dataDir: string;
  yes: boolean;
}

interface ProbeFlags extends TrustFlags {
  configDir?: string;
  mcpStartTimeout: number;
  server?: string;
  json: boolean;
}

const yesOption = (): Option => new Option('-y, --yes', 'do not ask').default(false);

export const mcpCommand = (): Command =>
  new Command('mcp')
    .description('acknowledge and try MCP servers')
    .addCommand(trustCommand())
    .addCommand(probeCommand());

const trustCommand = (): Command =>
  new Command('trust')
    .description("acknowledge the servers in a project's .hoody folder, so that sessions may start them")
    .argument('[name...]', 'the entries to ask about, if not all')
    .addOption(cwdOption())
    .addOption(dataDirOption())
    .addOption(yesOption())
    .action(async (names: string[], flags: TrustFlags, command: Command) => {
      const refuse = refusalOf(command);
      const rooms = await roomsOf(flags, 0);
      await trust(rooms, { cwd: await folderOf(rooms, flags.cwd, refuse), names, yes: flags.yes }, refuse);
    });

const probeCommand = (): Command =>
  new Command('probe')
    .description('connect to an MCP server once, tell what it offers, and disconnect')
    .usage('[options] NAME | --server JSON | -- COMMAND [ARGUMENT...]')
    .argument('[words...]', 'the name of an entry, or after -- a command line')
    .addOption(cwdOption())
    .addOption(configDirOption())
    .addOption(dataDirOption())
    .addOption(mcpStartTimeoutOption())
    .addOption(new Option('--server <json>', 'an entry as it would stand in mcp_servers'))
    .addOption(new Option('--json', 'print the outcome as one JSON object').default(false))
    .addOption(yesOption())
    .action(async (words: string[], flags: ProbeFlags, command: Command) => {
      const refuse = refusalOf(command);
      const subject = subjectOf(words, flags.server, command, refuse);
      const rooms = await roomsOf(flags, flags.mcpStartTimeout);
      const cwd = await folderOf(rooms, flags.cwd, refuse);
      await probe(
        rooms,
        { cwd, configDir: flags.configDir ?? null, subject, json: flags.json, yes: flags.yes },
        refuse,
      );
    });

const refusalOf =
  (command: Command): Refuse =>
  (message) =>
    command.error(`error: ${message}`);

/** No command calls a tool, so that limit is the other one. */
const roomsOf = async ({ dataDir }: TrustFlags, startTimeoutMs: number): Promise<Rooms> => {
  // Help and version need none of it.
  const { openRooms } = await import('../daemon.js');
  return openRooms({
    dataDir,
    userSettingsPath: defaultUserSettingsPath(),
    trustProjectServers: false,
    mcpStartTimeoutMs: startTimeoutMs,
    mcpCallTimeoutMs: startTimeoutMs,
  });
};

/** The folder as sessions know it: its real path. */
const folderOf = async (rooms: Rooms, cwd: string | undefined, refuse: Refuse): Promise<string> =>
  (await rooms.folders.resolve(cwd ?? process.cwd())) ?? refuse('--cwd: there is no such folder');

/** Exactly one of the three ways to say what is meant. */
const subjectOf = (
  words: readonly string[],
  server: string | undefined,
  command: Command,
  refuse: Refuse,
): ProbeSubject => {
  const [first, ...rest] = words;
  if (server !== undefined) return first === undefined ? { server } : refuse('--server takes no further words');
  if (first === undefined) return refuse('name an entry, or give --server JSON or -- COMMAND');
  const typed = typedWords(command);
  const dashes = typed.indexOf('--');
  if (dashes !== -1 && typed.length - dashes - 1 === words.length) return { command: first, args: rest };
  return rest.length === 0 ? { name: first } : refuse('one name, please; a command line goes after --');
};

/** Commander takes the `--` out of the words it hands over. */
const typedWords = (command: Command): readonly string[] => {
  let root = command;
  while (root.parent !== null) root = root.parent;
  return (root as Command & { rawArgs: string[] }).rawArgs;
};
