/** The command `conformance`: options, refusals and files only; the suite itself is in `conformance/`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Command, InvalidArgumentError, Option } from 'commander';
import { TIERS, type Tier } from '../conformance/check.js';
import { PROGRAM_NAME, PROGRAM_VERSION } from '../program.js';

interface Flags {
  baseUrl?: string;
  directUrl?: string;
  header?: Record<string, string>;
  tokenEnv?: string;
  spec?: string;
  requirements?: string;
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
  redact?: string[];
  json?: string;
  report?: string;
  html?: string;
  dryRun: boolean;
  seed: number;
  concurrency: number;
  timeout: number;
}

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];
/** A case is several calls, and some of them wait for something. */
const CASE_TIMEOUT_FACTOR = 6;

const many = (text: string, earlier: readonly string[] | undefined): string[] => [...(earlier ?? []), text];

const header = (text: string, earlier: Readonly<Record<string, string>> | undefined): Record<string, string> => {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(0, colon));
  const value = text.slice(colon + 1).trim();
  if (!isHeader(name, value)) throw new InvalidArgumentError('A header is "Name: value".');
  return { ...earlier, [name.toLowerCase()]: value };
};

/** Values may be credentials, so what is wrong with one is not told. */
const isHeader = (name: string, value: string): boolean => {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
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
  if (!names.every((name) => TIERS.includes(name as Tier))) {
    throw new InvalidArgumentError(`The tiers are ${TIERS.join(', ')}.`);
  }
  return new Set(names as Tier[]);
};

export const conformanceCommand = (): Command =>
  new Command('conformance')
    .description('judge an implementation of the contract, this one or another, over HTTP')
    .option('--base-url <url>', 'where the target listens, as an admitted caller reaches it (required)')
    .option('--direct-url <url>', 'an address of the target that bypasses its proxy')
    .option('--header <header>', '"Name: value", sent with every request; may be repeated', header)
    .option('--token-env <variable>', 'the environment variable that holds the bearer token')
    .option('--spec <file>', 'the contract as bundled JSON, if not the one of this package')
    .option('--requirements <version>', 'the requirement set to score, or "current" (default: the newest released)')
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
    .option('--redact <member>', 'a further member whose values stay out of the reports; may be repeated', many)
    .option('--json <file>', 'write the report as JSON')
    .option('--report <file>', 'write the report as JUnit XML')
    .option('--html <file>', 'write the report as one HTML page')
    .option('--dry-run', 'say what would run, and end', false)
    .option('--seed <n>', 'of the order of the cases', count(0), 1)
    .option('--concurrency <n>', 'cases at a time', count(1), 4)
    .option('--timeout <ms>', 'for one answer', count(1), 10_000)
    .addHelpText('after', `\n${EXIT_CODES}`)
    .hook('preAction', () => void process.stdout.on('error', exceptHangUp))
    .action(async (flags: Flags, command: Command) => {
      process.exitCode = await run(flags, (message) => command.error(`error: ${message}`));
    })
    // Both have a --json; behind the name of a subcommand it is that one's.
    .enablePositionalOptions()
    .addCommand(listCommand())
    .addCommand(driverCommand());

/** Whoever reads has seen enough, as `head` has. */
const exceptHangUp = (error: Error & { code?: string }): void => {
  if (error.code !== 'EPIPE') throw error;
};

const EXIT_CODES = `Exit codes:
  0  every scored case passed
  1  failures, or untestable cases without --allow-untestable
  2  the options make no sense
  3  the target cannot be reached, or refuses the first call
  4  the suite itself failed`;

const driverCommand = (): Command =>
  new Command('driver')
    .description('bring daemons of this program into the states the suite asks for; give it as --driver')
    .option('--store <url>', 'an empty PostgreSQL database, which two daemons will share')
    .action(async ({ store }: { store?: string }) => {
      await (await import('./conformance-driver.js')).drive(process.stdin, print, store);
    });

const listCommand = (): Command =>
  new Command('list')
    .description('print every case with its level and tier')
    .option('--json', 'as JSON, with titles', false)
    .action(async ({ json }: { json: boolean }) => {
      const { casesOf } = await import('../conformance/cases/index.js');
      const { releasedContract } = await import('../conformance/contract.js');
      const cases = casesOf(releasedContract()).map(({ id, level, tier, title, features }) => {
        return { id, level, tier, features, title };
      });
      if (json) print(JSON.stringify(cases, null, 2));
      else for (const { id, level, tier } of cases) print(`${level.padEnd(6)} ${tier.padEnd(8)} ${id}`);
    });

type Refuse = (message: string) => never;

const run = async (flags: Flags, refuse: Refuse): Promise<number> => {
  const { baseUrl } = flags;
  if (baseUrl === undefined || !/^https?:/.test(baseUrl) || !URL.canParse(baseUrl)) {
    return refuse('--base-url must be an http or https URL');
  }
  const { username, password, hostname } = new URL(baseUrl);
  if (username !== '' || password !== '') {
    return refuse('--base-url must not hold a credential; give it with --token-env or --header');
  }
  const suite = await import('../conformance/main.js');
  const { Contract, releasedContract } = await import('../conformance/contract.js');
  const { capabilitiesOf } = await import('../conformance/capabilities.js');
  const { CURRENT, releasedVersions, scoredBy } = await import('../conformance/requirement-sets.js');
  const given = <T>(what: string, read: () => T): T => {
    try {
      return read();
    } catch (error) {
      return refuse(`${what}: ${(error as Error).message}`);
    }
  };
  const json = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
  const { spec, tokenEnv } = flags;
  const requirements = flags.requirements ?? releasedVersions().at(-1) ?? CURRENT;
  const contract = given('--spec', () =>
    spec === undefined ? releasedContract() : new Contract(readFileSync(spec, 'utf8')),
  );
  const options = {
    suite: { name: PROGRAM_NAME, version: PROGRAM_VERSION },
    contract,
    requirements,
    scored: given('--requirements', () => scoredBy(requirements)),
    baseUrl,
    directUrl: flags.directUrl,
    headers: { ...credential(tokenEnv, refuse), ...flags.header },
    capabilities: given('--capabilities', () =>
      capabilitiesOf(contract, flags.capabilities === undefined ? {} : json(flags.capabilities)),
    ),
    workdir: flags.workdir,
    sharesMachine: flags.sharesMachine ?? LOOPBACK.includes(hostname),
    host: flags.host,
    timeoutMs: flags.timeout,
    caseTimeoutMs: CASE_TIMEOUT_FACTOR * flags.timeout,
    driver: flags.driver,
    allowUntestable: flags.allowUntestable,
    redact: flags.redact ?? [],
    selection: { tiers: flags.tier, only: flags.only ?? [], skip: flags.skip ?? [], slow: flags.slow },
    seed: flags.seed,
    concurrency: flags.concurrency,
  };
  const plan = suite.plan(options);
  if (plan.every(({ leftOut }) => leftOut !== undefined))
    return refuse('--only, --skip and --tier leave no case to run');
  if (flags.dryRun) {
    for (const { case: each, leftOut } of plan) print(`${leftOut === undefined ? 'run ' : 'skip'} ${each.id}`);
    return suite.EXIT.passed;
  }
  try {
    return await conclude(await suite.runConformance(options), contract, flags);
  } catch (error) {
    process.stderr.write(`${PROGRAM_NAME}: the suite failed: ${(error as Error).stack}\n`);
    return suite.EXIT.harness;
  }
};

const credential = (variable: string | undefined, refuse: Refuse): Record<string, string> => {
  if (variable === undefined) return {};
  // Files that end in a line break are where such variables come from.
  const token = process.env[variable]?.trim() ?? '';
  if (token === '') return refuse(`--token-env: ${variable} is not set`);
  if (!isHeader('authorization', token))
    return refuse(`--token-env: ${variable} holds characters that no header can carry`);
  return { authorization: `Bearer ${token}` };
};

type Conclusion = Awaited<ReturnType<(typeof import('../conformance/main.js'))['runConformance']>>;
type Contract = import('../conformance/contract.js').Contract;

/** Prints and writes what came of a run; returns its exit code. */
const conclude = async (conclusion: Conclusion, contract: Contract, flags: Flags): Promise<number> => {
  if ('refusal' in conclusion) {
    process.stderr.write(`${conclusion.refusal}\n`);
    return conclusion.exitCode;
  }
  const { result, summary, report, exitCode } = conclusion;
  const { consoleLines } = await import('../conformance/report/console.js');
  // First, so that a report that cannot be written costs nobody what the run found.
  consoleLines(result, summary).forEach(print);
  if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(report, null, 2)}\n`);
  if (flags.report !== undefined) {
    const { junitOf } = await import('../conformance/report/junit.js');
    writeFileSync(flags.report, junitOf(report, flags.allowUntestable));
  }
  if (flags.html !== undefined) {
    const { htmlOf } = await import('../conformance/report/html.js');
    writeFileSync(flags.html, htmlOf(contract, report));
  }
  return exitCode;
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);
