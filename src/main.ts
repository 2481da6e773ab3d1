#!/usr/bin/env node
/**
 * The command `hoody-agentd`: argv and exit codes only. Each subcommand is in `cli/`.
 * Exit codes: 0 done, 1 it failed, 2 the command line makes no sense.
 */
import { Command, CommanderError } from 'commander';
import { conformanceCommand } from './cli/conformance.js';
import { mcpCommand } from './cli/mcp.js';
import { serveCommand } from './config.js';
import { PROGRAM_NAME, PROGRAM_VERSION } from './program.js';

const USAGE_EXIT_CODE = 2;

if (process.platform === 'win32') {
  process.stderr.write('hoody-agentd does not run on Windows; use Linux, or WSL on Windows.\n');
  process.exit(1);
}

const program = new Command(PROGRAM_NAME)
  .description('Local agent daemon for MCP servers and gated tool runs.')
  .version(PROGRAM_VERSION)
  .addCommand(serveCommand(async (config) => (await import('./cli/serve.js')).serve(config)))
  .addCommand(mcpCommand())
  .addCommand(conformanceCommand())
  // Options of a command are its own, also where a subcommand has one of the same name.
  .enablePositionalOptions()
  .configureOutput({ writeErr: (text) => process.stderr.write(text) });

/** What is refused may be a URL with a password, or a header: commander would repeat it. */
const withoutValue = (text: string): string => text.replace(/ (?:argument|value) '.*' is invalid\./s, ' is invalid.');

/** Commander would end the process by itself, with a code of its own choosing. */
const throwInsteadOfExit = (command: Command): void => {
  command.exitOverride();
  command.configureOutput({ outputError: (text, write) => write(withoutValue(text)) });
  command.commands.forEach(throwInsteadOfExit);
};
throwInsteadOfExit(program);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Help and version were asked for; everything else commander refuses is a mistake on the command line.
    process.exitCode = error.exitCode === 0 ? 0 : USAGE_EXIT_CODE;
  } else {
    process.stderr.write(`hoody-agentd: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
