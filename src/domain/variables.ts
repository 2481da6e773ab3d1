/**
 * `${VAR}` in the credentials of an entry, and which of the daemon's own variables a child may inherit. Only `env` and
 * `headers` are expanded; a `${…}` anywhere else is ordinary text.
 * Invariant: a reference that cannot be resolved becomes nothing, with a warning, and is never passed on as if it were
 * the value; warnings name entries, fields and variables, never values (a default may be one).
 */
import { shown, type ServerEntry } from './server-entry.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** One `${name…}` of a text. `rest` is what stands between the name and the closing brace. */
export interface Reference {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly rest: string;
}

export interface ExpandedEntry {
  readonly env: Record<string, string>;
  readonly headers: Record<string, string>;
  readonly warnings: string[];
  /** What must not appear in anything a server says, longest first: a part may be contained in a whole. */
  readonly secrets: string[];
}

/** Defaults inside defaults. Arbitrary; nobody writes more than two. */
const NESTED_DEFAULTS_MAX = 8;
/** Shorter values are no secrets, and replacing every "1" or "on" would make a server's words unreadable. */
const SECRET_LENGTH_MIN = 4;

/** Prefixes of the references an editor resolves (`${input:token}`): their argument is a name and may be shown. */
const EDITOR_PREFIXES: readonly string[] = ['input', 'config', 'command', 'env', 'workspaceFolder'];

/** The references of a text that are not inside another one, in order. Takes one pass, whatever the text. */
export function findReferences(text: string): Reference[] {
  const open: number[] = [];
  const spans: { start: number; brace: number }[] = [];
  for (const { 0: token, index } of text.matchAll(/\$\{(?=[A-Za-z_])|\}/g)) {
    if (token !== '}') open.push(index);
    else if (open.length > 0) {
      const start = open.pop() as number;
      while ((spans.at(-1)?.start ?? -1) > start) spans.pop();
      spans.push({ start, brace: index });
    }
  }
  return spans.map(({ start, brace }) => {
    const inner = text.slice(start + 2, brace);
    const name = /^\w+/.exec(inner)?.[0] ?? '';
    return { start, end: brace + 1, name, rest: inner.slice(name.length) };
  });
}

/** A reference as it may be shown: never its default. */
export function shownReference({ name, rest }: Reference): string {
  const argument = EDITOR_PREFIXES.includes(name) && /^:[\w./-]+$/.test(rest) ? shown(rest) : '';
  return `\${${name}${argument}}`;
}

/** `${VAR}` and `${VAR:-default}` (for an unset or empty VAR) replaced from `env`, less the platform's own tokens. */
export function expandEntry(entry: ServerEntry, env: Environment): ExpandedEntry {
  const warnings: string[] = [];
  const secrets = new Set<string>();
  const expandMap = (field: string, map: ReadonlyMap<string, string>): Record<string, string> =>
    Object.fromEntries(
      [...map].map(([key, written]) => {
        const warn = (problem: string): void =>
          void warnings.push(`entry "${entry.name}": ${field}.${shown(key)}: ${problem}`);
        const value = expandText(written, { env, warn, secrets }, 0);
        addSecrets(value, secrets);
        return [key, value];
      }),
    );
  return {
    env: expandMap('env', entry.env),
    headers: expandMap('headers', entry.headers),
    warnings,
    secrets: [...secrets].toSorted((a, b) => b.length - a.length),
  };
}

interface Expansion {
  readonly env: Environment;
  readonly warn: (problem: string) => void;
  readonly secrets: Set<string>;
}

function expandText(text: string, expansion: Expansion, depth: number): string {
  let expanded = '';
  let position = 0;
  for (const reference of findReferences(text)) {
    expanded += text.slice(position, reference.start) + resolve(reference, expansion, depth);
    position = reference.end;
  }
  return expanded + text.slice(position);
}

function resolve(reference: Reference, expansion: Expansion, depth: number): string {
  const { name, rest } = reference;
  const isDefault = rest.startsWith(':-');
  if ((rest !== '' && !isDefault) || depth > NESTED_DEFAULTS_MAX) {
    expansion.warn(`${shownReference(reference)} cannot be resolved and expands to nothing`);
    return '';
  }
  const value = isPlatformToken(name) || !Object.hasOwn(expansion.env, name) ? undefined : expansion.env[name];
  if (value !== undefined && (value !== '' || !isDefault)) {
    addSecrets(value, expansion.secrets);
    return value;
  }
  if (isDefault) return expandText(rest.slice(2), expansion, depth + 1);
  expansion.warn(`the variable ${shown(name)} is not set and expands to nothing`);
  return '';
}

/** The whole value, its lines (a server's words are kept line by line) and what follows an authentication scheme. */
function addSecrets(value: string, secrets: Set<string>): void {
  const scheme = /^[A-Za-z]+ +(\S.*)$/.exec(value)?.[1];
  for (const part of [value, ...value.split(/\r?\n/), ...(scheme === undefined ? [] : [scheme])]) {
    if (part.trim().length >= SECRET_LENGTH_MIN) secrets.add(part.trim());
  }
}

/** API-key variables of model providers whose names the patterns below do not catch, and the best known they do. */
const SCRUBBED_PROVIDER_KEYS: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AZURE_OPENAI_AD_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'COHERE_API_KEY',
  'DATABRICKS_TOKEN',
  'DEEPSEEK_API_KEY',
  'FIREWORKS_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GROQ_API_KEY',
  'HF_TOKEN',
  'HUGGING_FACE_HUB_TOKEN',
  'HUGGINGFACEHUB_API_TOKEN',
  'MISTRAL_API_KEY',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'PERPLEXITY_API_KEY',
  'REPLICATE_API_TOKEN',
  'TOGETHER_API_KEY',
  'WATSONX_APIKEY',
  'XAI_API_KEY',
];

/** Names that say of themselves that they hold a credential, in either case. */
const CREDENTIAL_NAME = /_API_KEY$|_SECRET|_ACCESS_TOKEN$|_AUTH_TOKEN$/i;
/** The store's URL may carry a password. */
const PLATFORM_TOKEN = /^HOODY_(?:(?:.*_)?TOKEN|AGENTD_STORE)$/i;

const isPlatformToken = (name: string): boolean => PLATFORM_TOKEN.test(name);

/** What every child (MCP servers, shells, git) inherits: the given environment less its ambient credentials. */
export function childEnvironment(own: Environment): Record<string, string> {
  const inherited = Object.entries(own).filter(
    (variable): variable is [string, string] =>
      variable[1] !== undefined &&
      !isPlatformToken(variable[0]) &&
      !CREDENTIAL_NAME.test(variable[0]) &&
      !SCRUBBED_PROVIDER_KEYS.includes(variable[0].toUpperCase()),
  );
  return Object.fromEntries(inherited);
}
