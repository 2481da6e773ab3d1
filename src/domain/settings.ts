/**
 * Settings layers to the effective servers of a session, with the warnings a reader must see. Pure: the files have
 * been read before. Effective entry of a name: the whole entry of the strongest layer that has it (local, project,
 * user); nothing is merged across layers.
 * Invariant: fails closed. An entry that cannot be loaded is left out alone, and a weaker layer's entry of that name
 * does not step in for it; the policies (deny list, transports, disabled tools) of all layers add up.
 */
import { digest, serversHash } from './canonical.js';
import { isJsonObject, type JsonObject, type JsonValue } from './json.js';
import {
  normalizeType,
  parseEntry,
  shown,
  type LayerName,
  type RawEntry,
  type ServerEntry,
  type Transport,
} from './server-entry.js';
import { urlCredential } from './redact.js';
import { resolveRules, RULES_KEY, RULES_TIMEOUT_KEY, type EffectiveRules } from './rules.js';

/** Where a session's layers are. `user` is absent under a config dir. */
export interface LayerPath {
  readonly layer: LayerName;
  readonly path: string;
}

/** One reading of one settings file. `value` is an empty object when the file is missing or empty. */
export type SettingsDocument =
  | { readonly path: string; readonly state: 'missing' | 'loaded'; readonly value: JsonObject }
  /** `reason` says where and why ("line 7, column 12: a comma is missing"), without an excerpt. */
  | { readonly path: string; readonly state: 'broken'; readonly reason: string };

/** What a layer forbids. */
export interface Policies {
  readonly denyList: readonly string[];
  readonly mcpTransports: readonly Transport[] | undefined;
  /** `tools.<name>.enabled: false` of this layer. */
  readonly disabledTools: readonly string[];
}

/**
 * Where the policies of a layer come from: this reading, or, where it does not say all of them, the last one that did.
 * `unknown` when there was none.
 */
type PolicySource = 'read' | 'held' | 'unknown';

/** One layer as read. `servers` is the stored `mcp_servers` value, undefined when the file or the key is missing. */
export type Layer = Policies & { readonly policies: PolicySource } & (
    | {
        readonly layer: LayerName;
        readonly path: string;
        readonly state: 'loaded';
        readonly servers: JsonValue | undefined;
        /** `tools.web_fetch.allow_private` of this layer. */
        readonly allowPrivateFetch: boolean | undefined;
        /** The stored `rules` and `rules_timeout_ms`, undefined where missing. */
        readonly rules: JsonValue | undefined;
        readonly rulesTimeout: JsonValue | undefined;
        /** Faults of the other keys this layer has (for example a deny list that is no list), as warnings. */
        readonly warnings: readonly string[];
      }
    | { readonly layer: LayerName; readonly path: string; readonly state: 'broken'; readonly reason: string }
  );

type LoadedLayer = Extract<Layer, { state: 'loaded' }>;

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
  /** A sentence for each layer of which it is not known what it denies. */
  readonly unknownDenials: readonly string[];
  readonly mcpTransports: readonly Transport[];
  readonly disabledTools: readonly string[];
  /** Whether web_fetch may reach private addresses: the operator's own layer says so, and no layer says otherwise. */
  readonly allowPrivateFetch: boolean;
  readonly rules: EffectiveRules;
}

/** What the trust rule is asked about one definition. */
export interface TrustQuestion {
  readonly path: string;
  readonly name: string;
  readonly digest: string;
  readonly scope: LayerName;
}

const WEAKEST_FIRST: readonly LayerName[] = ['user', 'project', 'local'];
const ALL_TRANSPORTS: readonly Transport[] = ['stdio', 'http', 'sse'];

const NOTHING_FORBIDDEN: Policies = { denyList: [], mcpTransports: undefined, disabledTools: [] };

/**
 * The layer a file holds. A key of the wrong shape is a warning and never a broken layer. `held` are the policies of the
 * last reading that had them all: they hold on while the file cannot say its own.
 * Requires: tools.deny-list.broken-layer
 */
export function readLayer({ layer, path }: LayerPath, document: SettingsDocument, held?: Policies): Layer {
  const otherwise = held ? 'held' : 'unknown';
  if (document.state === 'broken') {
    const { reason } = document;
    return { ...(held ?? NOTHING_FORBIDDEN), layer, path, state: 'broken', reason, policies: otherwise };
  }
  const { value } = document;
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(`${layer} settings: ${text}`);
  const { globs, isWhole } = readDenyList(ownValue(value, 'deny_list'), warn);
  return {
    layer,
    path,
    state: 'loaded',
    policies: isWhole ? 'read' : otherwise,
    servers: ownValue(value, 'mcp_servers'),
    denyList: isWhole ? globs : [...globs, ...(held?.denyList ?? [])],
    mcpTransports: readTransports(ownValue(value, 'mcp_transports'), warn),
    disabledTools: readDisabledTools(ownValue(value, 'tools'), warn),
    allowPrivateFetch: readAllowPrivateFetch(ownValue(value, 'tools'), warn),
    rules: ownValue(value, RULES_KEY),
    rulesTimeout: ownValue(value, RULES_TIMEOUT_KEY),
    warnings,
  };
}

/** The effective settings. `trusted` answers the trust rule for one definition. */
export function resolveSettings(
  layers: readonly Layer[],
  trusted: (server: TrustQuestion) => boolean,
): EffectiveSettings {
  const ordered = layers.toSorted((a, b) => WEAKEST_FIRST.indexOf(a.layer) - WEAKEST_FIRST.indexOf(b.layer));
  const loaded = ordered.filter((layer) => layer.state === 'loaded');
  const broken = ordered.filter((layer) => layer.state === 'broken');
  const warnings = [
    ...broken.map(({ layer, path, reason }) => `${layer} settings could not be read (${path}): ${reason}`),
    ...loaded.flatMap((layer) => layer.warnings),
  ];
  const mcpTransports = ordered.reduce(
    (allowed, layer) => allowed.filter((transport) => layer.mcpTransports?.includes(transport) ?? true),
    ALL_TRANSPORTS,
  );

  // A null marks a name whose strongest entry cannot be loaded.
  const strongest = new Map<string, EffectiveServer | null>();
  for (const layer of loaded) {
    for (const [name, server] of layerServers(layer, trusted, warnings)) strongest.set(name, server);
  }
  const servers = [...strongest.values()].filter((server) => {
    if (server === null) return false;
    const { entry, scope } = server;
    if (!mcpTransports.includes(entry.transport)) {
      warnings.push(`${scope} entry "${entry.name}" is left out: mcp_transports does not allow ${entry.transport}`);
      return false;
    }
    warnings.push(...attention(server));
    return true;
  }) as EffectiveServer[];

  return {
    servers,
    files: loaded.map(({ path, layer, servers: stored }) => ({ path, layer, hash: serversHash(stored) })),
    warnings,
    partial: broken.length > 0,
    brokenLayers: broken.map(({ layer }) => layer),
    denyList: [...new Set(ordered.flatMap((layer) => layer.denyList))],
    unknownDenials: ordered
      .filter(({ policies }) => policies === 'unknown')
      .map(({ layer, path }) => `what the ${layer} settings deny cannot be read (${path})`),
    mcpTransports,
    disabledTools: [...new Set(ordered.flatMap((layer) => layer.disabledTools))],
    allowPrivateFetch: allowsPrivateFetch(ordered),
    rules: resolveRules(ordered),
  };
}

/** The entries of one layer by name, null for one that cannot be loaded. Of two entries of one name the first counts. */
function layerServers(
  { layer, path, servers }: LoadedLayer,
  trusted: (server: TrustQuestion) => boolean,
  warnings: string[],
): Map<string, EffectiveServer | null> {
  const found = new Map<string, EffectiveServer | null>();
  if (servers === undefined) return found;
  if (!Array.isArray(servers)) {
    warnings.push(`${layer} settings: mcp_servers is not a list; no server of this layer is loaded`);
    return found;
  }
  servers.forEach((raw, index) => {
    const name = isJsonObject(raw) ? ownValue(raw, 'name') : undefined;
    const label = typeof name === 'string' ? `"${shown(name)}"` : `number ${index + 1}`;
    if (typeof name === 'string' && found.has(name)) {
      warnings.push(`${layer} entry ${label} is there more than once: the first one counts`);
      return;
    }
    const parsed = parseEntry(raw, 'stored');
    if ('faults' in parsed) {
      const faults = parsed.faults.map(({ field, rule }) => (field === '' ? rule : `${field}: ${rule}`));
      warnings.push(`${layer} entry ${label} is left out: ${faults.join('; ')}`);
      if (typeof name === 'string') found.set(name, null);
      return;
    }
    const question = { path, name: parsed.entry.name, digest: digest(raw), scope: layer };
    found.set(question.name, {
      entry: parsed.entry,
      raw: raw as RawEntry,
      scope: layer,
      path,
      digest: question.digest,
      trusted: trusted(question),
    });
  });
  return found;
}

/** What an enabled server's reader should know. A disabled one (a fresh import) is looked at when it is enabled. */
function attention({ entry, scope, trusted }: EffectiveServer): string[] {
  if (!entry.enabled) return [];
  const lines: string[] = [];
  if (!trusted) {
    lines.push(
      `${scope} entry "${entry.name}" is not started: it was not written through this API, or was changed since; ` +
        'enable it here, or acknowledge it with the command "mcp trust"',
    );
  }
  const credential = entry.url === undefined ? undefined : urlCredential(entry.url);
  if (credential !== undefined) {
    lines.push(`${scope} entry "${entry.name}": its url holds ${credential}, and urls are shown; use headers instead`);
  }
  return lines;
}

function readDenyList(
  value: JsonValue | undefined,
  warn: (text: string) => void,
): { globs: string[]; isWhole: boolean } {
  if (value === undefined) return { globs: [], isWhole: true };
  const globs = Array.isArray(value) ? value.filter((item) => typeof item === 'string' && item !== '') : [];
  if (!Array.isArray(value)) warn('deny_list is not a list of path globs; nothing of it applies');
  else if (globs.length < value.length) warn('deny_list holds something that is not a path glob; the rest applies');
  return { globs: globs as string[], isWhole: Array.isArray(value) && globs.length === value.length };
}

/** A policy that cannot be read allows nothing: it was written to restrict. */
function readTransports(value: JsonValue | undefined, warn: (text: string) => void): Transport[] | undefined {
  if (value === undefined) return undefined;
  const names = Array.isArray(value) ? value : [];
  const transports = names.map((name) => (typeof name === 'string' ? normalizeType(name) : undefined));
  if (!Array.isArray(value) || transports.includes(undefined)) {
    warn('mcp_transports must be a list of stdio, http and sse; whatever else it holds allows nothing');
  }
  return transports.filter((transport) => transport !== undefined);
}

const TOOL_OPTIONS_OF_ALL: readonly string[] = ['enabled'];
const TOOL_OPTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['web_fetch', [...TOOL_OPTIONS_OF_ALL, 'allow_private']],
]);

function readDisabledTools(value: JsonValue | undefined, warn: (text: string) => void): string[] {
  if (value === undefined) return [];
  if (!isJsonObject(value)) {
    warn('tools is not an object; nothing of it applies');
    return [];
  }
  return Object.keys(value).filter((name) => {
    const options = value[name];
    if (!isJsonObject(options)) {
      warn(`tools.${shown(name)} must be an object, such as { "enabled": false }; until it is, the tool is off`);
      return true;
    }
    const known = TOOL_OPTIONS.get(name) ?? TOOL_OPTIONS_OF_ALL;
    const unknown = Object.keys(options).filter((key) => !known.includes(key));
    for (const key of unknown) warn(`tools.${shown(name)}.${shown(key)} is not known; it changes nothing`);
    const enabled = ownValue(options, 'enabled');
    if (enabled === undefined || typeof enabled === 'boolean') return enabled === false;
    warn(`tools.${shown(name)}.enabled must be true or false; it counts as false`);
    return true;
  });
}

function readAllowPrivateFetch(value: JsonValue | undefined, warn: (text: string) => void): boolean | undefined {
  const options = isJsonObject(value) ? ownValue(value, 'web_fetch') : undefined;
  const allowed = isJsonObject(options) ? ownValue(options, 'allow_private') : undefined;
  if (allowed === undefined || typeof allowed === 'boolean') return allowed;
  warn('tools.web_fetch.allow_private must be true or false; it counts as false');
  return false;
}

/**
 * The operator's own layer is the user layer, or under a config dir, which has none, what lies there. A folder somebody
 * cloned cannot open the network; and while a layer is broken, it may be one that closes it.
 */
function allowsPrivateFetch(layers: readonly Layer[]): boolean {
  const hasUser = layers.some(({ layer }) => layer === 'user');
  const said = layers.map((layer) => (layer.state === 'loaded' ? layer.allowPrivateFetch : false));
  const own = layers.some((layer, index) => said[index] === true && (!hasUser || layer.layer === 'user'));
  return own && !said.includes(false);
}

const ownValue = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
