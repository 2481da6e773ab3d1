/**
 * Writes a tool's schema without references: every local `$ref` is replaced by what it names, so that what follows
 * looks at a plain tree. A reference that leads back into itself is followed a little way and then left standing, as is
 * one that cannot be followed at all.
 * Invariant: the result is bounded, whatever the references do.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';

/** How often a form may hold itself: a tree of folders with sub-folders is understood from that. */
const REPEATS_MAX = 2;
/** Nodes written for one schema. The largest real ones have a few hundred; references to references can double forever. */
const NODES_MAX = 1_000;
/** Deeper nesting is no tool input, and our own recursion has to end. */
const DEPTH_MAX = 48;

/** Keywords whose value is one schema, a list of schemas, or a schema by name. Others hold data and are left alone. */
const ONE = new Set([
  'additionalProperties',
  'additionalItems',
  'unevaluatedProperties',
  'unevaluatedItems',
  'items',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
]);
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']);
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependencies']);
const DEFINITIONS = new Set(['$defs', 'definitions']);

/** A keyword of ours for what was too deep; it ends up in a description like any keyword nobody knows. */
const TOO_DEEP: JsonObject = { 'not shown': 'deeper parts' };

interface Walk {
  readonly root: JsonObject;
  nodes: number;
}

export const inlineReferences = (root: JsonObject): JsonObject => {
  const written = write(root, { root, nodes: 0 }, [], 0);
  return isJsonObject(written) ? written : {};
};

/** `open` are the references being followed. */
function write(schema: JsonValue, walk: Walk, open: readonly string[], depth: number): JsonValue {
  if (!isJsonObject(schema)) return schema;
  walk.nodes += 1;
  if (depth > DEPTH_MAX) return TOO_DEEP;
  const { $ref: ref, ...rest } = schema;
  const own = writeMembers(rest, walk, open, depth);
  if (typeof ref !== 'string') return ref === undefined ? own : { ...own, $ref: ref };
  const target = find(walk.root, ref);
  if (target === undefined) return { ...own, $ref: ref };
  if (walk.nodes > NODES_MAX || open.filter((other) => other === ref).length >= REPEATS_MAX) {
    const type = isJsonObject(target) && typeof target['type'] === 'string' ? { type: target['type'] } : {};
    return { ...type, ...own, $ref: ref };
  }
  const inlined = write(target, walk, [...open, ref], depth + 1);
  if (Object.keys(own).length === 0) return inlined;
  return { ...own, allOf: [...(Array.isArray(own['allOf']) ? own['allOf'] : []), inlined] };
}

function writeMembers(schema: JsonObject, walk: Walk, open: readonly string[], depth: number): JsonObject {
  const next = (value: JsonValue): JsonValue => write(value, walk, open, depth + 1);
  const members = Object.entries(schema).flatMap(([key, value]): [string, JsonValue][] => {
    if (DEFINITIONS.has(key)) return [];
    if (LIST.has(key) && Array.isArray(value)) return [[key, value.map(next)]];
    if (NAMED.has(key) && isJsonObject(value)) {
      return [[key, Object.fromEntries(Object.entries(value).map(([name, member]) => [name, next(member)]))]];
    }
    return [[key, ONE.has(key) ? next(value) : value]];
  });
  return Object.fromEntries(members);
}

/** What a local reference names: a JSON pointer or an anchor. Nothing is fetched. */
function find(root: JsonObject, ref: string): JsonValue | undefined {
  if (ref === '#') return root;
  if (!ref.startsWith('#')) return undefined;
  if (!ref.startsWith('#/')) return findAnchor(root, ref.slice(1));
  let at: JsonValue | undefined = root;
  for (const step of ref.slice(2).split('/')) {
    const name = unescaped(step);
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as JsonObject)[name];
  }
  return at;
}

/** Anchors stand in definitions; elsewhere nobody writes them. */
function findAnchor(root: JsonObject, anchor: string): JsonValue | undefined {
  for (const key of DEFINITIONS) {
    const definitions = root[key];
    if (!isJsonObject(definitions)) continue;
    const found = Object.values(definitions).find((schema) => isJsonObject(schema) && schema['$anchor'] === anchor);
    if (found !== undefined) return found;
  }
  return undefined;
}

function unescaped(step: string): string {
  let text = step;
  try {
    text = decodeURIComponent(step);
  } catch {
    // Not percent-encoded after all.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}
