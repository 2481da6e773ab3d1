/**
 * Reads a session's settings layers. It knows where the layers of a working folder are and whose word is trusted; what
 * the layers mean together is `domain/settings.ts`.
 */
import { dirname, join } from 'node:path';
import { DaemonError } from '../domain/errors.js';
import type { LayerName } from '../domain/server-entry.js';
import type { LayerPath, EffectiveSettings } from '../domain/settings.js';
import { readLayer, resolveSettings } from '../domain/settings.js';
import type { SettingsFiles, TrustStore } from '../ports.js';

export interface ConfigReaderOptions {
  readonly files: SettingsFiles;
  readonly trust: TrustStore;
  readonly userSettingsPath: string;
  /** `--trust-project-servers`: project folders count as the operator's own. */
  readonly trustProjectServers: boolean;
}

/** What selects the layers of a session. */
export interface LayerScope {
  readonly cwd: string;
  /** Replaces the user install; there is no user layer then. */
  readonly configDir: string | null;
}

export class ConfigReader {
  readonly #options: ConfigReaderOptions;
  readonly #announced = new Set<string>();

  constructor(options: ConfigReaderOptions) {
    this.#options = options;
  }

  /** The layers in the order user, project, local, whether or not the files exist. */
  layerPaths(scope: LayerScope): LayerPath[] {
    const folder = scope.configDir ?? join(scope.cwd, '.hoody');
    const layers: LayerPath[] = [
      { layer: 'project', path: join(folder, 'settings.json') },
      { layer: 'local', path: join(folder, 'settings.local.json') },
    ];
    return scope.configDir === null ? [{ layer: 'user', path: this.#options.userSettingsPath }, ...layers] : layers;
  }

  /**
   * The file of a layer; without one, the layer that writes go to: user, or project where there is no user layer.
   * Throws bad_request.
   */
  layerPath(scope: LayerScope, layer: LayerName | undefined): string {
    const layers = this.layerPaths(scope);
    const found = layer === undefined ? layers[0] : layers.find((candidate) => candidate.layer === layer);
    if (!found)
      throw new DaemonError('bad_request', `scope: this session has no ${layer} layer (it uses a config dir)`);
    return found.path;
  }

  async read(scope: LayerScope): Promise<EffectiveSettings> {
    const { files, trust } = this.#options;
    const layers = await Promise.all(
      this.layerPaths(scope).map(async (layer) => readLayer(layer, await files.read(layer.path))),
    );
    return resolveSettings(
      layers,
      ({ path, name, digest }) =>
        this.isOperatorOwned(scope, path) ||
        trust.has(path, name, digest) ||
        this.#announced.has(definitionKey(path, name, digest)),
    );
  }

  /**
   * A definition that is about to be written through the API is acknowledged by that, and a reading may meet it in the
   * file before the store has it. Returns the end of the announcement.
   */
  announce(path: string, name: string, digest: string): () => void {
    const key = definitionKey(path, name, digest);
    this.#announced.add(key);
    return () => void this.#announced.delete(key);
  }

  /** The user layer and a config dir are the operator's own; a project folder may have come from anywhere. */
  isOperatorOwned(scope: LayerScope, path: string): boolean {
    return (
      this.#options.trustProjectServers ||
      path === this.#options.userSettingsPath ||
      (scope.configDir !== null && dirname(path) === scope.configDir)
    );
  }
}

const definitionKey = (...parts: [path: string, name: string, digest: string]): string => JSON.stringify(parts);
