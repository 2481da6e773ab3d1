/**
 * Reads a session's settings layers. It knows where the layers of a working folder are and whose word is trusted; what
 * the layers mean together is `domain/settings.ts`.
 */
import { dirname, join } from 'node:path';
import { DaemonError } from '../domain/errors.js';
import type { LayerName } from '../domain/server-entry.js';
import type { EffectiveSettings, LayerPath, Policies, SettingsDocument, TrustQuestion } from '../domain/settings.js';
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

/** The rules of a change are asked about nothing else. */
export type ReadableDocument = Exclude<SettingsDocument, { state: 'broken' }>;

/** What a reading came to, and all that it was made of: while that is as it was, so is the reading. */
interface Resolved {
  readonly documents: readonly SettingsDocument[];
  /** What was asked about trust, and the answers. */
  readonly trusted: readonly (readonly [TrustQuestion, boolean])[];
  readonly settings: EffectiveSettings;
}

/** More scopes than are in use at a time; the one read longest ago is dropped. */
const RESOLVED_MAX = 256;
/** Files of more scopes than were in use since the start, of a few hundred bytes each; beyond, calls are asked about. */
const POLICIES_MAX = 4_096;

export class ConfigReader {
  readonly #options: ConfigReaderOptions;
  readonly #resolved = new Map<string, Resolved>();
  readonly #announced = new Set<string>();
  /** By path, the policies of the last reading that had them all. */
  readonly #policies = new Map<string, Policies>();

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

  /** What a layer's file holds, for whoever will write it. Throws bad_request. Requires: mcp.intent.broken-file */
  async readLayer(path: string): Promise<ReadableDocument> {
    const document = await this.#options.files.read(path);
    if (document.state !== 'broken') return document;
    throw new DaemonError('bad_request', `scope: the settings file of this layer cannot be read: ${document.reason}`);
  }

  /** Never older than the files. Runs without a session read at every call, so what has not changed is not resolved anew. */
  async read(scope: LayerScope): Promise<EffectiveSettings> {
    const { files, trust } = this.#options;
    const paths = this.layerPaths(scope);
    const documents = await Promise.all(paths.map(({ path }) => files.read(path)));
    const isTrusted = ({ path, name, digest }: TrustQuestion): boolean =>
      this.isOperatorOwned(scope, path) ||
      trust.has(path, name, digest) ||
      this.#announced.has(definitionKey(path, name, digest));
    const key = definitionKey(scope.cwd, scope.configDir ?? '');
    const held = this.#resolved.get(key);
    this.#resolved.delete(key);
    const isSame =
      held?.documents.every((document, at) => isSameDocument(document, documents[at] as SettingsDocument)) &&
      held.trusted.every(([question, answer]) => isTrusted(question) === answer);
    const resolved = held && isSame ? held : this.#resolve(paths, documents, isTrusted);
    keepLatest(this.#resolved, key, resolved, RESOLVED_MAX);
    return resolved.settings;
  }

  #resolve(
    paths: readonly LayerPath[],
    documents: readonly SettingsDocument[],
    isTrusted: (question: TrustQuestion) => boolean,
  ): Resolved {
    const trusted: [TrustQuestion, boolean][] = [];
    const layers = paths.map((path, at) =>
      readLayer(path, documents[at] as SettingsDocument, this.#policies.get(path.path)),
    );
    for (const { path, policies, denyList, mcpTransports, disabledTools } of layers) {
      if (policies !== 'read') continue;
      this.#policies.delete(path);
      keepLatest(this.#policies, path, { denyList, mcpTransports, disabledTools }, POLICIES_MAX);
    }
    const settings = resolveSettings(layers, (question) => {
      const answer = isTrusted(question);
      trusted.push([question, answer]);
      return answer;
    });
    return { documents, trusted, settings };
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

/** A file that has not changed is read as the same document. */
const isSameDocument = (one: SettingsDocument, other: SettingsDocument): boolean =>
  one === other || (one.state === 'missing' && other.state === 'missing');

const keepLatest = <T>(map: Map<string, T>, key: string, value: T, max: number): void => {
  map.set(key, value);
  for (const oldest of map.keys()) if (map.size > max) map.delete(oldest);
};

const definitionKey = (...parts: readonly string[]): string => JSON.stringify(parts);
