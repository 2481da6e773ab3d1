/**
 * Tool-call rules of the settings layers: reading them, which of them cover a call, and what a write of them changes. A
 * rule is a text that a model would judge; nothing here can, so a rule that is checked asks a person.
 * Invariant: layers add up. A rule can only ask, none takes the place of another layer's, and what cannot be read asks
 * about whatever it might have covered.
 */
import { digest } from './canonical.js';
import { DaemonError } from './errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from './json.js';
import { hasControlCharacter, shown, type LayerName } from './server-entry.js';
import type { SettingsDocument } from './settings.js';

const RULE_KINDS = ['limit', 'check_in', 'guidance', 'playbook'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];
const CHECKED: readonly RuleKind[] = ['limit', 'check_in'];

export const isChecked = ({ kind }: Pick<Rule, 'kind'>): boolean => CHECKED.includes(kind);

export interface Rule {
  readonly id: string;
  readonly text: string;
  readonly kind: RuleKind;
  /** Names with `*`; none covers what can change something. */
  readonly tools: readonly string[];
  /** None is all of them. */
  readonly agents: readonly string[];
}

export interface LiveRule extends Rule {
  readonly scope: LayerName;
  /** The settings file it is in. */
  readonly source: string;
}

/** What the layers say together. */
export interface EffectiveRules {
  readonly live: readonly LiveRule[];
  readonly timeoutMs: number;
  readonly scopes: readonly { readonly scope: LayerName; readonly revision: string }[];
  /** Layers that cannot be read. */
  readonly warnings: readonly string[];
  /** Rules that cannot be read, and what is odd about others. */
  readonly ruleWarnings: readonly string[];
  /** False while something that might be a rule cannot be read. */
  readonly complete: boolean;
  /** Another one whenever anything above is another. */
  readonly stamp: string;
}

/** What is read of a settings layer. */
export type RuleLayer =
  | {
      readonly layer: LayerName;
      readonly path: string;
      readonly state: 'loaded';
      readonly rules: JsonValue | undefined;
      readonly rulesTimeout: JsonValue | undefined;
    }
  | { readonly layer: LayerName; readonly path: string; readonly state: 'broken'; readonly reason: string };

/** As the contract has them. */
const PER_GROUP_MAX = 32;
const ID_CHARS_MAX = 64;
const TEXT_CHARS_MAX = 2_000;
const NAMES_MAX = 64;
const TOOL_CHARS_MAX = 200;
const AGENT_CHARS_MAX = 64;
const TIMEOUT_MS_DEFAULT = 3_000;
const TIMEOUT_MS_MIN = 100;
const TIMEOUT_MS_MAX = 120_000;
/** About four thousand tokens: a page or two, and still little beside a task. */
export const PROMPT_BUDGET_BYTES = 16 * 1024;

export const RULES_KEY = 'rules';
export const RULES_TIMEOUT_KEY = 'rules_timeout_ms';

export const NO_RULES: EffectiveRules = resolveRules([]);

/** The rules of all layers, given from the weakest to the strongest. */
export function resolveRules(layers: readonly RuleLayer[]): EffectiveRules {
  const loaded = layers.filter((layer) => layer.state === 'loaded');
  const warnings = layers.flatMap((layer) =>
    layer.state === 'broken'
      ? [`${layer.layer} settings could not be read (${layer.path}): ${layer.reason}; they may hold rules`]
      : [],
  );
  const ruleWarnings: string[] = [];
  let timeoutMs = TIMEOUT_MS_DEFAULT;
  let complete = warnings.length === 0;
  const live = loaded.flatMap((layer) => {
    const { rules, unreadable, odd } = readRules(layer);
    ruleWarnings.push(...unreadable, ...odd);
    complete &&= unreadable.length === 0;
    if (isTimeout(layer.rulesTimeout)) timeoutMs = layer.rulesTimeout;
    return rules;
  });
  const scopes = loaded.map(({ layer, rules, rulesTimeout }) => ({
    scope: layer,
    revision: revisionOf(rules, rulesTimeout),
  }));
  // Without rules the place does not matter: what is shown of two such folders is equal.
  const places = layers.map((layer) =>
    layer.state === 'broken' || layer.rules !== undefined || layer.rulesTimeout !== undefined ? layer.path : null,
  );
  return {
    live,
    timeoutMs,
    scopes,
    warnings,
    ruleWarnings,
    complete,
    stamp: digest([places, scopes.map(({ scope, revision }) => [scope, revision]), warnings]),
  };
}

/** Of what a layer stores. */
const revisionOf = (rules: JsonValue | undefined, timeout: JsonValue | undefined): string =>
  `sha256:${digest([rules ?? [], timeout ?? null])}`;

/** Of the rules of a settings file. */
export const rulesRevision = ({ value }: Readable): string => revisionOf(value[RULES_KEY], value[RULES_TIMEOUT_KEY]);

const isTimeout = (value: JsonValue | undefined): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= TIMEOUT_MS_MIN && value <= TIMEOUT_MS_MAX;

type Loaded = Extract<RuleLayer, { state: 'loaded' }>;

const readRules = ({
  layer,
  path,
  rules: stored = [],
  rulesTimeout,
}: Loaded): { rules: LiveRule[]; unreadable: string[]; odd: string[] } => {
  const unreadable: string[] = [];
  const odd: string[] = [];
  if (rulesTimeout !== undefined && !isTimeout(rulesTimeout)) {
    odd.push(
      `${layer} settings: ${RULES_TIMEOUT_KEY} must be ${TIMEOUT_MS_MIN} to ${TIMEOUT_MS_MAX}; it counts as absent`,
    );
  }
  if (!Array.isArray(stored)) {
    unreadable.push(`${layer} settings: ${RULES_KEY} is not a list`);
    return { rules: [], unreadable, odd };
  }
  const counts = { checked: 0, prompt: 0 };
  const seen = new Set<string>();
  const rules = stored.flatMap((raw, index): LiveRule[] => {
    const id = isJsonObject(raw) ? raw['id'] : undefined;
    const label = `${layer} rule ${typeof id === 'string' && id !== '' ? `"${shown(id)}"` : `number ${index + 1}`}`;
    const faults = ruleFaults(raw);
    if (faults.length > 0) {
      unreadable.push(`${label} cannot be read: ${faults.join('; ')}`);
      return [];
    }
    const rule = ruleOf(raw as JsonObject);
    const group = isChecked(rule) ? 'checked' : 'prompt';
    counts[group] += 1;
    if (counts[group] > PER_GROUP_MAX) {
      if (group === 'checked') unreadable.push(`${label} is left out: a layer may have ${PER_GROUP_MAX} of its sort`);
      else odd.push(`${label} is left out: a layer may have ${PER_GROUP_MAX} of its sort`);
      return [];
    }
    if (seen.has(rule.id)) odd.push(`${label} is there more than once: all of them count`);
    seen.add(rule.id);
    return [{ ...rule, scope: layer, source: path }];
  });
  return { rules, unreadable, odd };
};

/** Why a value is no rule. Members that are not known are no fault. */
const ruleFaults = (raw: JsonValue): string[] => {
  if (!isJsonObject(raw)) return ['is not an object'];
  const { id, text, kind, tools, agents } = raw;
  const faults: string[] = [];
  if (!isText(id, ID_CHARS_MAX) || hasControlCharacter(id)) {
    faults.push(`id: 1 to ${ID_CHARS_MAX} characters without control characters`);
  }
  if (!isText(text, TEXT_CHARS_MAX)) faults.push(`text: 1 to ${TEXT_CHARS_MAX} characters`);
  if (!RULE_KINDS.includes(kind as RuleKind)) faults.push(`kind: one of ${RULE_KINDS.join(', ')}`);
  if (!areNames(tools, TOOL_CHARS_MAX)) faults.push(namesRule('tools', TOOL_CHARS_MAX));
  if (!areNames(agents, AGENT_CHARS_MAX)) faults.push(namesRule('agents', AGENT_CHARS_MAX));
  return faults;
};

const isText = (value: JsonValue | undefined, charsMax: number): value is string =>
  typeof value === 'string' && value !== '' && [...value].length <= charsMax;

const areNames = (value: JsonValue | undefined, charsMax: number): boolean =>
  value === undefined ||
  (Array.isArray(value) && value.length <= NAMES_MAX && value.every((name) => isText(name, charsMax)));

const namesRule = (member: string, charsMax: number): string =>
  `${member}: a list of at most ${NAMES_MAX} names of 1 to ${charsMax} characters`;

const ruleOf = (raw: JsonObject): Rule => ({
  id: raw['id'] as string,
  text: raw['text'] as string,
  kind: raw['kind'] as RuleKind,
  tools: (raw['tools'] ?? []) as string[],
  agents: (raw['agents'] ?? []) as string[],
});

/** A tool as rules see it. */
export interface RuleTarget {
  /** Everything it may be called by. */
  readonly names: readonly string[];
  /** A rule that names no tool covers it. */
  readonly mayChange: boolean;
}

/** What rules need to know of a tool: a read-only hint of a server lifts no confirmation, so it does not count here. */
export const ruleTargetOf = (
  tool:
    | { readonly source: 'builtin'; readonly name: string; readonly readOnly: boolean; readonly asks: boolean }
    | {
        readonly source: 'mcp';
        readonly name: string;
        readonly server?: { readonly name: string; readonly tool: string };
      },
): RuleTarget =>
  tool.source === 'builtin'
    ? { names: [tool.name], mayChange: !tool.readOnly && !tool.asks }
    : {
        names: [tool.name, ...(tool.server ? [`mcp__${tool.server.name}__${tool.server.tool}`] : [])],
        mayChange: true,
      };

/** The rules that cover a tool (any, when undefined) in a session of the agent. */
export const coveringRules = (
  { live }: EffectiveRules,
  agent: string | null,
  target: RuleTarget | undefined,
): LiveRule[] =>
  live.filter(
    ({ tools, agents }) =>
      (agents.length === 0 || (agent !== null && agents.includes(agent))) &&
      (target === undefined || (tools.length === 0 ? target.mayChange : names(tools, target))),
  );

/** Why rules ask about a call, one sentence each; none when they do not. */
export const askingReasons = (rules: EffectiveRules, agent: string | null, target: RuleTarget): string[] => {
  const asking = coveringRules(rules, agent, target)
    .filter(isChecked)
    .map(({ id, text, kind, scope }) => `rule "${id}" (${kind}, ${scope} settings): ${text}`);
  if (rules.complete || !target.mayChange) return asking;
  const [first] = [...rules.warnings, ...rules.ruleWarnings];
  return [...asking, `not all rules can be read: ${first}`];
};

const names = (patterns: readonly string[], target: RuleTarget): boolean =>
  patterns.some((pattern) => target.names.some((name) => matches(pattern.toLowerCase(), name.toLowerCase())));

/** `*` stands for any characters. In one pass, so that no pattern takes long. */
const matches = (pattern: string, name: string): boolean => {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
};

/** A sentence for each rule that names a built-in tool nobody has: a misspelled rule would cover nothing. */
export const misnamedTools = ({ live }: EffectiveRules, builtins: readonly string[]): string[] =>
  live.flatMap(({ id, scope, tools }) =>
    tools
      .filter((tool) => !tool.includes('*') && !tool.toLowerCase().startsWith('mcp__'))
      .filter((tool) => !builtins.includes(tool.toLowerCase()))
      .map((tool) => `${scope} rule "${id}" names ${shown(tool)}, which is no built-in tool`),
  );

/** How much the texts for the model weigh, and which no longer fit. */
export const promptWeight = (rules: readonly LiveRule[]): { bytes: number; overBudget: string[] } => {
  let bytes = 0;
  const overBudget: string[] = [];
  for (const rule of rules.filter((one) => !isChecked(one))) {
    bytes += new TextEncoder().encode(rule.text).length;
    if (bytes > PROMPT_BUDGET_BYTES) overBudget.push(rule.id);
  }
  return { bytes, overBudget };
};

type Readable = Exclude<SettingsDocument, { state: 'broken' }>;

/** A top-level key of the settings that gets another value, or goes when it is undefined. */
export interface SettingsKeyEdit {
  readonly kind: 'set';
  readonly key: string;
  readonly value: JsonValue | undefined;
}

export interface RulesChange {
  /** The complete list; undefined leaves it as it is. */
  readonly rules: readonly JsonObject[] | undefined;
  /** 0 removes it. */
  readonly timeoutMs: number | undefined;
}

/** What a change breaks on its own, whatever is stored. Throws bad_request. */
export const checkRulesChange = ({ rules, timeoutMs }: RulesChange): void => {
  if (rules === undefined && timeoutMs === undefined) {
    throw new DaemonError('bad_request', 'rules, timeout_ms: give at least one of them');
  }
  if (timeoutMs !== undefined && timeoutMs !== 0 && !isTimeout(timeoutMs)) {
    throw new DaemonError('bad_request', `timeout_ms: 0, or ${TIMEOUT_MS_MIN} to ${TIMEOUT_MS_MAX}`);
  }
  const seen = new Set<string>();
  const counts = { checked: 0, prompt: 0 };
  for (const [index, raw] of (rules ?? []).entries()) {
    const [fault] = ruleFaults(raw);
    if (fault !== undefined) throw new DaemonError('bad_request', `rules/${index}: ${fault}`);
    const rule = ruleOf(raw);
    if (seen.has(rule.id)) throw new DaemonError('bad_request', `rules/${index}: id: another rule has it`);
    seen.add(rule.id);
    counts[isChecked(rule) ? 'checked' : 'prompt'] += 1;
  }
  if (counts.checked > PER_GROUP_MAX || counts.prompt > PER_GROUP_MAX) {
    throw new DaemonError(
      'bad_request',
      `rules: at most ${PER_GROUP_MAX} of limit and check_in, and ${PER_GROUP_MAX} of guidance and playbook`,
    );
  }
};

/**
 * The edits of a checked change, and the revision after it. A rule keeps the members of its predecessor that are not
 * known here. Throws revision_conflict, and bad_request when the file holds something else than a list.
 */
export const planRules = (
  document: Readable,
  expectedRevision: string,
  { rules, timeoutMs }: RulesChange,
): { edits: SettingsKeyEdit[]; result: string } => {
  const current = rulesRevision(document);
  if (current !== expectedRevision) throw rulesConflict(current);
  const { [RULES_KEY]: stored = [], [RULES_TIMEOUT_KEY]: storedTimeout } = document.value;
  const edits: SettingsKeyEdit[] = [];
  let next: JsonValue = stored;
  if (rules !== undefined) {
    if (!Array.isArray(stored)) {
      throw new DaemonError(
        'bad_request',
        'rules: the settings file holds something else than a list; repair it by hand',
      );
    }
    next = rules.map((rule) =>
      merged(
        stored.find((one) => isJsonObject(one) && one['id'] === rule['id']),
        rule,
      ),
    );
    if (next.length > 0 || stored.length > 0) edits.push({ kind: 'set', key: RULES_KEY, value: next });
  }
  const nextTimeout = timeoutMs === undefined ? storedTimeout : timeoutMs === 0 ? undefined : timeoutMs;
  if (nextTimeout !== storedTimeout) edits.push({ kind: 'set', key: RULES_TIMEOUT_KEY, value: nextTimeout });
  return { edits, result: revisionOf(next, nextTimeout) };
};

export const rulesConflict = (currentRevision: string): DaemonError =>
  new DaemonError('revision_conflict', undefined, { details: { current_revision: currentRevision } });

const MEMBERS = ['id', 'text', 'kind', 'tools', 'agents'];

const merged = (stored: JsonValue | undefined, rule: JsonObject): JsonObject => {
  const kept = Object.entries(isJsonObject(stored) ? stored : {}).filter(
    ([key]) => !MEMBERS.includes(key) || Object.hasOwn(rule, key),
  );
  return { ...Object.fromEntries(kept), ...rule };
};
