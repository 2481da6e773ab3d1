/**
 * What a workspace's lists are made of: how a tool stands, which of several sessions' accounts of it counts, and the
 * names of ids and resources. Who is asked is services/workspaces.ts.
 */
import { createHash } from 'node:crypto';
import type { ConnectionState, RevokedReason } from './connection.js';
import type { ToolAddress } from './tool.js';

/** The best first: a tool that one session can call can be called in the workspace. */
const TOOL_STATUSES = ['ready', 'connecting', 'needs_auth', 'failed', 'disabled'] as const;
export type ToolStatus = (typeof TOOL_STATUSES)[number];

export const isBetter = (one: ToolStatus, other: ToolStatus): boolean =>
  TOOL_STATUSES.indexOf(one) < TOOL_STATUSES.indexOf(other);

/** How the tools of a server stand, from what became of its connection; undefined when they are not its tools any more. */
export function serverToolStatus(state: ConnectionState, revoked: RevokedReason | undefined): ToolStatus | undefined {
  if (revoked === 'deleted' || revoked === 'repointed') return undefined;
  if (revoked !== undefined) return revoked === 'layer_unreadable' ? 'failed' : 'disabled';
  switch (state.state) {
    case 'connected':
      return 'ready';
    case 'connecting':
      return 'connecting';
    case 'dead':
      return state.needsAuth ? 'needs_auth' : 'failed';
    case 'closed':
      return 'disabled';
  }
}

export const colonId = ({ server, tool }: ToolAddress): string => `mcp:${server}:${tool}`;
export const permissionKey = ({ server, tool }: ToolAddress): string => `mcp.${server}.${tool}`;

const ID_DIGEST_CHARS = 8;

/** `mcp_{server}_{tool}` for each; where two pairs read the same, the later ones end in a digest of theirs. */
export function underscoreIds<Address extends ToolAddress>(addresses: readonly Address[]): Map<Address, string> {
  const taken = new Set<string>();
  return new Map(
    addresses.map((address) => {
      const plain = `mcp_${address.server}_${address.tool}`;
      const digest = createHash('sha256').update(colonId(address)).digest('hex').slice(0, ID_DIGEST_CHARS);
      const id = taken.has(plain) ? `${plain}_${digest}` : plain;
      taken.add(id);
      return [address, id];
    }),
  );
}

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Name of the server. */
  readonly client: string;
}

/**
 * Resources by a key of their own: the name, then `name (client)`, then with the uri too. Earlier resources keep their
 * key whatever comes later; the same resource twice is one.
 */
export function keyedResources(resources: readonly ListedResource[]): Map<string, ListedResource> {
  const known = new Set<string>();
  const keyed = new Map<string, ListedResource>();
  for (const resource of resources) {
    const { name, client, uri } = resource;
    const identity = JSON.stringify([client, uri, name]);
    if (known.has(identity)) continue;
    known.add(identity);
    const withUri = `${name} (${client}, ${uri})`;
    let key = [name, `${name} (${client})`].find((candidate) => !keyed.has(candidate)) ?? withUri;
    for (let count = 2; keyed.has(key); count += 1) key = `${withUri} ${count}`;
    keyed.set(key, resource);
  }
  return keyed;
}
