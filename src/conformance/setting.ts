/**
 * Puts together what cases work with: the client of the target and, through the driver, targets in other states, each
 * started once and shared by the cases that ask for it.
 */
import { randomBytes } from 'node:crypto';
import { type Capabilities, capabilitiesOf } from './capabilities.js';
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
  readonly close: () => Promise<void>;
}

export const openSetting = (options: SettingOptions): OpenSetting => {
  const { contract, driver } = options;
  const mcp = new McpFixtures(options.host);
  const prefix = `cfm${randomBytes(4).toString('hex')}`;
  const states = new Map<StateName, Promise<Setting>>();
  const handles: string[] = [];

  const settingOf = (reply: Omit<StateReply, 'handle'> & { handle?: string }, capabilities: Capabilities): Setting => ({
    contract,
    capabilities,
    client: new Client({
      baseUrl: reply.base_url,
      contract,
      headers: reply.headers ?? options.headers,
      timeoutMs: options.timeoutMs,
      journal: () => undefined,
    }),
    directUrl: reply.direct_url,
    workdir: reply.workdir ?? options.workdir,
    sharesMachine: options.sharesMachine,
    prefix,
    mcp,
    inState,
    restarted: async () => {
      const { handle } = reply;
      if (driver === undefined || handle === undefined)
        throw new Untestable('needs a driver that can restart the target');
      return settingOf({ ...reply, ...(await driver.restart(handle)) }, capabilities);
    },
  });

  const begin = async (state: StateName): Promise<Setting> => {
    if (driver === undefined) throw new Untestable(`needs the state ${state} (see --driver)`);
    if (!(await driver.states()).includes(state)) throw new Untestable(`the driver does not offer the state ${state}`);
    const reply = await driver.setup(state, {});
    handles.push(reply.handle);
    return settingOf(reply, capabilitiesOf(merged(options.capabilities, reply.capabilities)));
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
      for (const handle of handles.toReversed()) await driver?.teardown(handle);
    },
  };
};

const merged = (own: Capabilities, said: unknown): unknown => {
  const { features, limits } = (said ?? {}) as Partial<Capabilities>;
  return { ...own, features: { ...own.features, ...features }, limits: { ...own.limits, ...limits } };
};
