/**
 * Settings layers to the effective servers of a session, with the warnings a reader must see. Pure: the files have
 * been read before. Effective entry of a name: the whole entry of the strongest layer that has it (local, project,
 * user). A layer that could not be read or parsed makes the reading partial.
 */
import type { JsonValue } from './json.js';
import type { LayerName, RawEntry, ServerEntry, Transport } from './server-entry.js';

/** Where a session's layers are. `user` is absent under a config dir. */
export interface LayerPath {
  readonly layer: LayerName;
  readonly path: string;
}

/** One layer as read. `servers` is the stored `mcp_servers` value, undefined when the file or the key is missing. */
export type Layer =
  | {
      readonly layer: LayerName;
      readonly path: string;
      readonly state: 'loaded';
      readonly servers: JsonValue | undefined;
      readonly denyList: readonly string[];
      readonly mcpTransports: readonly Transport[] | undefined;
      /** `tools.<name>.enabled: false` of this layer. */
      readonly disabledTools: readonly string[];
      /** Faults of the other keys this layer has (for example a deny list that is no list), as warnings. */
      readonly warnings: readonly string[];
    }
  | { readonly layer: LayerName; readonly path: string; readonly state: 'broken'; readonly reason: string };

/** One effective server. `digest` identifies the definition for the trust rule: sha256 of the canonical raw entry. */
export interface EffectiveServer {
  readonly entry: ServerEntry;
  readonly raw: RawEntry;
  readonly scope: LayerName;
  readonly path: string;
  readonly digest: string;
  /** False: listed with `connected: false` and not started until acknowledged (the trust rule). */
  readonly trusted: boolean;
}

/** All that a session's layers say. */
export interface EffectiveSettings {
  readonly servers: readonly EffectiveServer[];
  readonly files: readonly { readonly path: string; readonly layer: LayerName; readonly hash: string }[];
  readonly warnings: readonly string[];
  /** True when a layer is broken. `brokenLayers` names them. */
  readonly partial: boolean;
  readonly brokenLayers: readonly LayerName[];
  readonly denyList: readonly string[];
  readonly mcpTransports: readonly Transport[];
  readonly disabledTools: readonly string[];
}
