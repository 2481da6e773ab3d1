/**
 * One run of the suite from its options to its exit code: opens the driver, asks the target once whether it answers at
 * all, runs the cases, writes the reports. Parsing a command line is the caller's.
 *
 * Exit codes: 0 every scored case passed; 1 failures, or untestable cases nobody allowed; 2 the options make no sense;
 * 3 the target cannot be reached or refuses the first call; 4 the suite itself failed.
 */
import { casesOf } from './cases/index.js';
import type { Capabilities } from './capabilities.js';
import { Client } from './client.js';
import { type Contract } from './contract.js';
import { openDriver } from './driver.js';
import { consoleLines } from './report/console.js';
import { summaryOf } from './report/summary.js';
import { type RunOptions, runCases } from './runner.js';
import { openSetting } from './setting.js';

export interface ConformanceOptions extends Omit<RunOptions, 'onResult'> {
  readonly contract: Contract;
  readonly baseUrl: string;
  readonly directUrl: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly capabilities: Capabilities;
  readonly workdir: string | undefined;
  readonly sharesMachine: boolean;
  readonly host: string;
  readonly timeoutMs: number;
  readonly driver: string | undefined;
  readonly allowUntestable: boolean;
  readonly print: (line: string) => void;
}

export const EXIT = { passed: 0, failed: 1, usage: 2, unreachable: 3, harness: 4 } as const;

export const runConformance = async (options: ConformanceOptions): Promise<number> => {
  const unreachable = await firstCall(options);
  if (unreachable !== undefined) {
    options.print(unreachable);
    return EXIT.unreachable;
  }
  const driver = options.driver === undefined ? undefined : await openDriver(options.driver);
  const open = openSetting({ ...options, driver });
  try {
    const result = await runCases(casesOf(options.contract), open.setting, options);
    const summary = summaryOf(options.contract, result);
    consoleLines(result, summary).forEach(options.print);
    if (summary.total.error > 0) return EXIT.harness;
    const isRed = summary.total.fail > 0 || (summary.total.untestable > 0 && !options.allowUntestable);
    return isRed ? EXIT.failed : EXIT.passed;
  } finally {
    await open.close();
    await driver?.close();
  }
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
    if (status === 403 && code === 'forbidden') {
      return `${baseUrl} refuses this machine (403 forbidden): it wants to be reached through its proxy; give that address as --base-url`;
    }
    if (status === 401) return `${baseUrl} wants a credential (401): give it with --header or --token-env`;
    if (status === 404) return `${baseUrl} answers 404 to the health check: is there a path in front of /api/v1/agent?`;
    return undefined;
  } catch (error) {
    return `${baseUrl} cannot be reached: ${(error as Error).message}`;
  }
};
