/**
 * An agent definition as text: Markdown whose frontmatter says what the agent may use and whose rest is its prompt. Reading
 * one, and editing its frontmatter with everything else left as it is. Files are not here.
 */
import { isMap, parseDocument, type Document } from 'yaml';
import { agentRevision, type AgentContent, type AgentDefinition, type AgentSource } from './agent.js';
import { DaemonError } from './errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from './json.js';

const FENCE = /^---[ \t]*\r?\n/;
const CLOSING_FENCE = /^---[ \t]*(?:\r?\n|$)/m;

/** What the text says, or why it is no definition. */
export const readAgent = (text: string): AgentContent | { readonly fault: string } => {
  const { frontmatter, prompt } = split(text);
  const read = parse(frontmatter);
  if ('fault' in read) return read;
  const { value } = read;
  const fault = FIELDS.find(([key, , isRight]) => value[key] !== undefined && !isRight(value[key]));
  if (fault) return { fault: `${fault[0]} ${fault[1]}` };
  return {
    description: value['description'] as string | undefined,
    model: value['model'] as string | undefined,
    tools: value['tools'] as string[] | undefined,
    mcpTools: value['mcp_tools'] as string[] | undefined,
    maxTurns: value['max_turns'] as number | undefined,
    prompt: prompt.trim(),
  };
};

/** A thousand tools with long names. The parser takes a second for the worst text of this length, and minutes for ten times as much. */
const FRONTMATTER_CHARS_MAX = 65_536;

/** What a frontmatter says, or why it is none. Aliases are not followed: few of them can fill the memory. */
const parse = (text: string): { document: Document; value: JsonObject } | { fault: string } => {
  if (text.length > FRONTMATTER_CHARS_MAX) return { fault: 'its frontmatter is too long' };
  try {
    // The parser compares each key with all others, so keys are compared here.
    const document: Document = parseDocument(text, { prettyErrors: false, uniqueKeys: false });
    if (document.errors.length > 0) return { fault: 'its frontmatter is no YAML' };
    const keys = isMap(document.contents) ? document.contents.items.map(({ key }) => String(key)) : [];
    if (new Set(keys).size < keys.length) return { fault: 'its frontmatter has a key twice' };
    const value = (document.toJS({ maxAliasCount: 0 }) ?? {}) as JsonValue;
    return isJsonObject(value) ? { document, value } : { fault: 'its frontmatter is no map' };
  } catch {
    return { fault: 'its frontmatter is no YAML without aliases' };
  }
};

const isText = (value: JsonValue): boolean => typeof value === 'string';
const isTexts = (value: JsonValue): boolean => Array.isArray(value) && value.every(isText);
const FIELDS: readonly (readonly [key: string, rule: string, isRight: (value: JsonValue) => boolean])[] = [
  ['description', 'must be a text', isText],
  ['model', 'must be a text', isText],
  ['tools', 'must be a list of names', isTexts],
  ['mcp_tools', 'must be a list of names', isTexts],
  ['max_turns', 'must be a whole number above 0', (value) => Number.isSafeInteger(value) && (value as number) > 0],
];

/** The text of a new definition. */
export const writeAgent = (frontmatter: JsonObject, prompt: string): string =>
  editAgent(`---\n---\n${prompt}${prompt === '' || prompt.endsWith('\n') ? '' : '\n'}`, frontmatter);

/** The text with these keys of its frontmatter set, or removed where undefined; comments and the rest stay. */
export const editAgent = (text: string, changes: Readonly<Record<string, JsonValue | undefined>>): string => {
  const { frontmatter, prompt } = split(text);
  const read = parse(frontmatter);
  if ('fault' in read) throw new DaemonError('bad_request', `the definition: ${read.fault}`);
  const { document } = read;
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) document.delete(key);
    else document.set(key, document.createNode(value));
  }
  const isEmpty = document.contents === null || String(document).trim() === '{}';
  return `---\n${isEmpty ? '' : String(document)}---\n${prompt}`;
};

/** Every definition by name, the stronger layer last in `layers` winning, and a sentence for each that cannot be read. */
export const resolveAgents = (
  layers: readonly (readonly AgentSource[])[],
): { readonly agents: readonly AgentDefinition[]; readonly warnings: readonly string[] } => {
  const agents = new Map<string, AgentDefinition>();
  const warnings: string[] = [];
  for (const { name, layer, path, text } of layers.flat()) {
    const content = readAgent(text);
    if ('fault' in content) warnings.push(`${path}: ${content.fault}`);
    else
      agents.set(name, {
        ...content,
        name,
        layer,
        path,
        revision: agentRevision(text),
        shadowsLower: agents.has(name),
      });
  }
  return { agents: [...agents.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), warnings };
};

const split = (text: string): { frontmatter: string; prompt: string } => {
  const opening = FENCE.exec(text.replace(/^\ufeff/, ''));
  if (!opening) return { frontmatter: '', prompt: text };
  const rest = text.replace(/^\ufeff/, '').slice(opening[0].length);
  const closing = CLOSING_FENCE.exec(rest);
  if (!closing) return { frontmatter: '', prompt: text };
  return { frontmatter: rest.slice(0, closing.index), prompt: rest.slice(closing.index + closing[0].length) };
};
