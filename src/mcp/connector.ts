/** Opens connections to MCP servers, whatever way they are reached. */
import { type Clock, ConnectError, type Launch, type Logger, type ServerConnector } from '../ports.js';
import { createSecretMask } from './secret-mask.js';

export { reapLeftovers } from './process-sweep.js';

export interface ConnectorOptions {
  /** How we introduce ourselves to servers. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly clock: Clock;
  readonly logger: Logger;
  /** Marks every child, see `reapLeftovers`. */
  readonly runId: string;
  readonly startTimeoutMs: number;
  readonly pingIntervalMs: number;
}

/**
 * The protocol and its transports. The SDK behind them takes longer to load than all the rest of the daemon, so it is
 * loaded by the first server, or by whoever calls this once the daemon listens.
 */
export const loadProtocol = (): ReturnType<typeof importProtocol> => (protocol ??= importProtocol());

let protocol: ReturnType<typeof importProtocol> | undefined;

/** One after the other: they share most of what they load. */
const importProtocol = async () => {
  const { Connection } = await import('./connection.js');
  const { RemoteLink } = await import('./remote-link.js');
  const { StdioChild } = await import('./stdio-child.js');
  return { Connection, RemoteLink, StdioChild };
};

export const createConnector = (options: ConnectorOptions): ServerConnector => ({
  open: async (launch, events, signal) => {
    const fault = urlFault(launch);
    if (fault !== undefined) throw new ConnectError(fault, []);
    const { Connection, RemoteLink, StdioChild } = await loadProtocol();
    const mask = createSecretMask(launch.secrets);
    return Connection.open(
      {
        ...options,
        mask,
        createLink: (linkEvents) =>
          launch.transport === 'stdio'
            ? new StdioChild(launch, mask, linkEvents, options)
            : new RemoteLink(launch, mask, linkEvents, options),
      },
      launch,
      events,
      signal,
    );
  },
});

function urlFault({ transport, url = '' }: Launch): string | undefined {
  if (transport === 'stdio') return undefined;
  if (!URL.canParse(url)) return 'its url is not valid';
  const { protocol, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return 'its url is neither http nor https';
  // fetch refuses such a url, with a message that shows it.
  if (username !== '' || password !== '') return 'its url has a user name or password in it; they belong into headers';
  return undefined;
}
