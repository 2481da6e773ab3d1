/** The command `conformance`: options, refusals and files only; the suite itself is in `conformance/`. */
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { capabilitiesOf } from '../conformance/capabilities.js';
import { casesOf } from '../conformance/cases/index.js';
import { TIERS, type Tier } from '../conformance/check.js';
import { releasedContract } from '../conformance/contract.js';
import { EXIT, runConformance } from '../conformance/main.js';

const many = (text: string, earlier: readonly string[] | undefined): string[] => [...(earlier ?? []), text];

const header = (text: string, earlier: Readonly<Record<string, string>> | undefined): Record<string, string> => {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('A header is "Name: value".');
  return { ...earlier, [name.toLowerCase()]: value! };
};

const count =
  (min: number) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (!(value >= min)) throw new InvalidArgumentError(`A whole number from ${min}.`);
    return value;
  };

const tiers = (text: string): Set<Tier> => {
  const names = text.split(',');
  const unknown = names.find((name) => !TIERS.includes(name as Tier));
  if (unknown !== undefined) throw new InvalidArgumentError(`The tiers are ${TIERS.join(', ')}.`);
  return new Set(names as Tier[]);
};

interface Flags {
  baseUrl?: string;
  directUrl?: string;
  header?: Record<string, string>;
  capabilities?: string;
  driver?: string;
  workdir?: string;
  sharesMachine?: boolean;
  host: string;
  only?: string[];
  skip?: string[];
  tier: Set<Tier>;
  slow: boolean;
  allowUntestable: boolean;
  dryRun: boolean;
  seed: number;
  concurrency: number;
  timeout: number;
}

export const conformanceCommand = (): Command =>
  new Command('conformance')
    .description('judge an implementation of the contract, this one or another, over HTTP')
    .option('--base-url <url>', 'where the target listens, as an admitted caller reaches it (required)')
    .option('--direct-url <url>', 'an address of the target that bypasses its proxy')
    .option('--header <header>', '"Name: value", sent with every request; may be repeated', header)
    .option('--capabilities <file>', 'JSON: what the target claims, and its limits')
    .option('--driver <command>', 'brings the target into states no request can bring about')
    .option('--workdir <dir>', 'a folder on the file system of the target that may be filled')
    .option('--shares-machine', 'the target reads and writes the files of this machine (default: it is on loopback)')
    .option('--no-shares-machine', 'it does not')
    .option('--host <address>', 'this machine, as the target sees it', '127.0.0.1')
    .option('--only <glob>', 'cases to run; may be repeated', many)
    .option('--skip <glob>', 'cases to leave out; may be repeated', many)
    .addOption(
      new Option('--tier <names>', `some of ${TIERS.join(',')}`).argParser(tiers).default(new Set(TIERS), 'all'),
    )
    .option('--slow', 'also the cases that wait for a time of the target', false)
    .option('--allow-untestable', 'cases whose prerequisite is missing do not fail the run', false)
    .option('--dry-run', 'say what would run, and end', false)
    .option('--seed <n>', 'of the order of the cases', count(0), 1)
    .option('--concurrency <n>', 'cases at a time', count(1), 4)
    .option('--timeout <ms>', 'for one answer', count(1), 10_000)
    .action(async (flags: Flags, command: Command) => {
      const { baseUrl } = flags;
      if (baseUrl === undefined || !URL.canParse(baseUrl)) command.error('error: --base-url must be a URL');
      process.exitCode = await run(baseUrl, flags).catch((error: Error) => {
        process.stderr.write(`hoody-agentd: the suite failed: ${error.stack ?? error.message}\n`);
        return EXIT.harness;
      });
    })
    .addCommand(listCommand());

const listCommand = (): Command =>
  new Command('list').description('print every case with its level and tier').action(() => {
    for (const { id, level, tier } of casesOf(releasedContract())) print(`${level.padEnd(6)} ${tier.padEnd(8)} ${id}`);
  });

const CASE_TIMEOUT_FACTOR = 6;

const run = async (baseUrl: string, flags: Flags): Promise<number> => {
  const contract = releasedContract();
  const { hostname } = new URL(baseUrl);
  const capabilities =
    flags.capabilities === undefined ? {} : (JSON.parse(readFileSync(flags.capabilities, 'utf8')) as unknown);
  return runConformance({
    contract,
    baseUrl,
    directUrl: flags.directUrl,
    headers: flags.header ?? {},
    capabilities: capabilitiesOf(capabilities),
    workdir: flags.workdir,
    sharesMachine: flags.sharesMachine ?? ['127.0.0.1', '[::1]', 'localhost'].includes(hostname),
    host: flags.host,
    timeoutMs: flags.timeout,
    caseTimeoutMs: CASE_TIMEOUT_FACTOR * flags.timeout,
    driver: flags.driver,
    allowUntestable: flags.allowUntestable,
    selection: { tiers: flags.tier, only: flags.only ?? [], skip: flags.skip ?? [], slow: flags.slow },
    scored: undefined,
    seed: flags.seed,
    concurrency: flags.concurrency,
    print,
  });
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);
