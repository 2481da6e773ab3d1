/**
 * One run of the suite from its options to its exit code: opens the driver, asks the target once whether it answers at
 * all, runs the cases, hands out the report. Parsing a command line and writing files are the caller's.
 *
 * Exit codes: 0 every scored case passed; 1 failures, or untestable cases nobody allowed; 2 the options make no sense;
 * 3 the target cannot be reached or refuses the first call; 4 the suite itself failed.
 */
import { casesOf } from './cases/index.js';
import type { Capabilities } from './capabilities.js';
import { Client } from './client.js';
import type { Contract } from './contract.js';
import { type Driver, openDriver } from './driver.js';
import { documentOf, type ReportDocument } from './report/document.js';
import { summaryOf, type Summary } from './report/summary.js';
import { leavingOut, type RunOptions, type RunResult, runCases } from './runner.js';
import { openSetting } from './setting.js';

export interface ConformanceOptions extends RunOptions {
  readonly suite: { readonly name: string; readonly version: string };
  readonly contract: Contract;
  /** Name of the set in `scored`. */
  readonly requirements: string;
  readonly baseUrl: string;
  readonly directUrl: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly capabilities: Capabilities;
  readonly workdir: string | undefined;
  readonly sharesMachine: boolean;
  /** The address of this machine as the target sees it. */
  readonly host: string;
  readonly timeoutMs: number;
  /** Command or module; see driver.ts. */
  readonly driver: string | undefined;
  readonly allowUntestable: boolean;
  /** Names of further members whose values are kept out of the report. */
  readonly redact: readonly string[];
}

export const EXIT = { passed: 0, failed: 1, usage: 2, unreachable: 3, harness: 4 } as const;

export type Conclusion =
  | { readonly exitCode: typeof EXIT.unreachable | typeof EXIT.usage; readonly refusal: string }
  | {
      readonly exitCode: number;
      readonly result: RunResult;
      readonly summary: Summary;
      readonly report: ReportDocument;
    };

export const runConformance = async (options: ConformanceOptions): Promise<Conclusion> => {
  const { contract, baseUrl, capabilities, seed, requirements, suite } = options;
  const unreachable = await firstCall(options);
  if (unreachable !== undefined) return { exitCode: EXIT.unreachable, refusal: unreachable };
  const startedAt = new Date();
  let driver: Driver | undefined;
  try {
    driver = options.driver === undefined ? undefined : await openDriver(options.driver);
  } catch (error) {
    return { exitCode: EXIT.usage, refusal: `--driver: ${(error as Error).message}` };
  }
  const open = openSetting({ ...options, driver });
  let ran: RunResult;
  let left: readonly string[] = [];
  try {
    ran = await runCases(casesOf(contract), open.setting, options);
  } finally {
    left = await open.close();
    await driver?.close();
  }
  const result = { ...ran, leftovers: [...ran.leftovers, ...left] };
  const summary = summaryOf(contract, result);
  const exitCode = exitCodeOf(summary, options.allowUntestable);
  const description = {
    suite,
    contract: { version: contract.version, sha256: contract.sha256 },
    requirements,
    target: { base_url: baseUrl, capabilities },
    seed,
    started_at: startedAt.toISOString(),
    ms: Date.now() - startedAt.getTime(),
  };
  const report = documentOf(description, result, summary, exitCode, options.redact);
  return { exitCode, result, summary, report };
};

/** The cases a run with these options would send, and those it would leave out with the reason. */
export const plan = ({ contract, selection }: Pick<ConformanceOptions, 'contract' | 'selection'>) => {
  const leftOut = leavingOut(selection);
  return casesOf(contract).map((each) => ({ case: each, leftOut: leftOut(each) }));
};

const exitCodeOf = ({ total }: Summary, allowUntestable: boolean): number => {
  if (total.error > 0) return EXIT.harness;
  return total.fail > 0 || (total.untestable > 0 && !allowUntestable) ? EXIT.failed : EXIT.passed;
};

/** Why the target cannot be judged at all, or undefined when it answers. */
const firstCall = async ({
  contract,
  baseUrl,
  headers,
  timeoutMs,
}: ConformanceOptions): Promise<string | undefined> => {
  const client = new Client({ baseUrl, contract, headers, timeoutMs, journal: () => undefined });
  try {
    const { status, code } = await client.call('getHealth');
    if (status === 403) {
      const said = code === undefined ? '' : ` ${code}`;
      const orCredential =
        headers['authorization'] === undefined ? ', or wants a credential (--token-env, --header)' : '';
      return `${baseUrl} refuses this machine (403${said}). It probably wants to be reached through its proxy, whose address is then the --base-url${orCredential}.`;
    }
    if (status === 401) return `${baseUrl} wants a credential (401): give one with --token-env or --header.`;
    if (status === 404)
      return `${baseUrl} has no health check (404): does the path in front of /api/v1/agent belong to --base-url?`;
    return undefined;
  } catch (error) {
    return `${baseUrl} cannot be reached: ${(error as Error).message}`;
  }
};
