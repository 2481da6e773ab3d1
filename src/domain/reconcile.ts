/**
 * What a session holds and what its settings want, to a plan: whom to cut off, whom to bring back, whom to connect. It
 * decides and does nothing; the services carry it out.
 * Invariant: with an unreadable layer only revocations are planned, for nobody knows what that layer would have said.
 * A build is kept or brought back only for the identity it was built for.
 */
import type { RevokedReason } from './connection.js';
import type { LayerName } from './server-entry.js';
import type { EffectiveServer, EffectiveSettings } from './settings.js';

/** One build a session holds, by server name. `scope` is the layer its definition came from. */
export interface HeldBuild {
  readonly name: string;
  readonly identity: string;
  readonly scope: LayerName;
  readonly revoked?: RevokedReason;
}

export interface ReconcilePlan {
  /** To be cut off; also a build cut off for an unreadable layer that turns out to be gone for another reason. */
  readonly revoke: { readonly name: string; readonly reason: RevokedReason }[];
  /** Revoked, and wanted again exactly as built: usable again in place. */
  readonly reinstate: string[];
  /** To be started. A build held under that name is revoked by this plan or was before, and gives way. */
  readonly connect: EffectiveServer[];
  /** Untouched and usable. */
  readonly keep: string[];
  /** Revoked before, and their entries are gone: nobody needs to see them any longer. */
  readonly forget: string[];
}

export function planReconcile(
  held: readonly HeldBuild[],
  wanted: EffectiveSettings,
  identityOf: (server: EffectiveServer) => string,
): ReconcilePlan {
  const plan: ReconcilePlan = { revoke: [], reinstate: [], connect: [], keep: [], forget: [] };
  const servers = new Map(wanted.servers.map((server) => [server.entry.name, server]));
  const usable = new Set<string>();
  for (const build of held) {
    const { name, revoked } = build;
    const server = servers.get(name);
    const same = server !== undefined && mayRun(server) && identityOf(server) === build.identity;
    if (same && revoked === undefined) plan.keep.push(name);
    else if (same && !wanted.partial) plan.reinstate.push(name);
    else if (!same) {
      const reason = revocation(build, server, wanted.brokenLayers);
      // A revocation for an unreadable layer is for the time being; every other one is final.
      if (revoked === undefined || (revoked === 'layer_unreadable' && reason !== revoked)) {
        plan.revoke.push({ name, reason });
      } else if (server === undefined && !wanted.partial) plan.forget.push(name);
    }
    if (same) usable.add(name);
  }
  // Requires: mcp.partial.fail-closed
  if (!wanted.partial) {
    plan.connect.push(...wanted.servers.filter((server) => mayRun(server) && !usable.has(server.entry.name)));
  }
  return plan;
}

const mayRun = ({ entry, trusted }: EffectiveServer): boolean => entry.enabled && trusted;

/** Why a build that is not wanted as it is must be cut off. */
function revocation(
  build: HeldBuild,
  server: EffectiveServer | undefined,
  brokenLayers: readonly LayerName[],
): RevokedReason {
  if (brokenLayers.includes(build.scope)) return 'layer_unreadable';
  if (server === undefined) return 'deleted';
  if (!server.entry.enabled) return 'disabled';
  return server.trusted ? 'repointed' : 'untrusted';
}
