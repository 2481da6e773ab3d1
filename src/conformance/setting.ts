/**
 * Puts together what cases work with: the client of the target and, through the driver, targets in other states, each
 * started once and shared by the cases that ask for it.
 */
import { randomBytes } from 'node:crypto';
import { type Capabilities, capabilitiesOf, type Limits } from './capabilities.js';
import { Untestable } from './check.js';
import { Client } from './client.js';
import type { Contract } from './contract.js';
import type { Driver, StateName, StateReply } from './driver.js';
import { McpFixtures } from './mcp-fixtures.js';
import type { Setting } from './target.js';

export interface SettingOptions {
  readonly contract: Contract;
  readonly baseUrl: string;
  readonly directUrl?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly capabilities: Capabilities;
  readonly workdir?: string | undefined;
  readonly sharesMachine: boolean;
  /** The address of this machine as the target sees it. */
  readonly host: string;
  readonly timeoutMs: number;
  readonly driver?: Driver | undefined;
}

export interface OpenSetting {
  readonly setting: Setting;
  /** Returns what could not be taken down again. */
  readonly close: () => Promise<readonly string[]>;
}

/** Of a state, or of what was given on the command line. */
type Reply = Omit<StateReply, 'handle'> & { readonly handle?: string };

export const openSetting = (options: SettingOptions): OpenSetting => {
  const { contract, driver } = options;
  const mcp = new McpFixtures(options.host);
  const prefix = `cfm${randomBytes(4).toString('hex')}`;
  const states = new Map<StateName, Promise<Setting>>();
  const handles: string[] = [];

  const settingOf = (reply: Reply, capabilities: Capabilities, state?: StateName): Setting => ({
    contract,
    capabilities,
    client: new Client({
      baseUrl: reply.base_url,
      contract,
      headers: reply.headers ?? options.headers,
      timeoutMs: options.timeoutMs,
      broken: state === 'internal_error',
      journal: () => undefined,
    }),
    directUrl: reply.direct_url,
    otherUrl: reply.other_url,
    workdir: reply.workdir ?? options.workdir,
    sharesMachine: options.sharesMachine,
    prefix,
    patienceMs: options.timeoutMs,
    mcp,
    inState,
    offers,
    restarted: async () => {
      const { handle } = reply;
      if (driver === undefined || handle === undefined)
        throw new Untestable('needs a driver that can restart the target');
      const again = settingOf({ ...reply, ...(await driver.restart(handle)) }, capabilities, state);
      // It may listen elsewhere now, and the next case that asks for the state is sent there.
      if (state !== undefined) states.set(state, Promise.resolve(again));
      return again;
    },
  });

  const offers = async (state: StateName): Promise<boolean> => (await driver?.states())?.includes(state) === true;

  const begin = async (state: StateName): Promise<Setting> => {
    if (driver === undefined) throw new Untestable(`needs the state ${state} (see --driver)`);
    if (!(await offers(state))) throw new Untestable(`the driver does not offer the state ${state}`);
    const reply = await driver.setup(state);
    handles.push(reply.handle);
    const capabilities = declaredBy(contract, reply, state, options.capabilities);
    return settingOf(reply, capabilities, state);
  };

  const inState = (state: StateName): Promise<Setting> => {
    let setting = states.get(state);
    if (setting === undefined) states.set(state, (setting = begin(state)));
    return setting;
  };

  return {
    setting: settingOf(
      { base_url: options.baseUrl, ...(options.directUrl === undefined ? {} : { direct_url: options.directUrl }) },
      options.capabilities,
    ),
    close: async () => {
      await mcp.close();
      const leftovers: string[] = [];
      for (const handle of handles.toReversed()) {
        await driver
          ?.teardown(handle)
          .catch(({ message }: Error) => leftovers.push(`the target ${handle}: ${message}`));
      }
      return leftovers;
    },
  };
};

/** Limits that come with the state itself. */
const LIMITS_OF: Readonly<Partial<Record<StateName, Partial<Limits>>>> = { rate_limited: { rate_limit: 1 } };

/** What holds in a state. Throws Untestable when the driver said something that is no capability. */
const declaredBy = (
  contract: Contract,
  { capabilities }: StateReply,
  state: StateName,
  own: Capabilities,
): Capabilities => {
  const { features, limits } = (capabilities ?? {}) as Partial<Capabilities>;
  try {
    return capabilitiesOf(contract, {
      ...own,
      features: { ...own.features, ...features },
      limits: { ...own.limits, ...LIMITS_OF[state], ...limits },
    });
  } catch (error) {
    throw new Untestable(`the driver, of the state ${state}: ${(error as Error).message}`);
  }
};
