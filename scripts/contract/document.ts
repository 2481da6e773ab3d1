/**
 * The parts of an OpenAPI document the contract tools look at, as loose types, and the ways to walk one. Nothing here
 * knows files or rules.
 */
export type Json = null | boolean | number | string | Json[] | JsonMap;
export interface JsonMap {
  [key: string]: Json;
}

export interface Operation extends JsonMap {
  operationId: string;
  tags: string[];
  responses: JsonMap;
}

/** An OpenAPI document after bundling: every reference is local. */
export interface ApiDocument extends JsonMap {
  openapi: string;
  tags: JsonMap[];
  paths: { [path: string]: JsonMap };
  components: { [section: string]: JsonMap };
}

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

export const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every operation with where it is. */
export function operationsOf(document: ApiDocument): { path: string; method: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => isMap(item[method])).map((method) => ({
      path,
      method,
      operation: item[method] as Operation,
    })),
  );
}

/** The value a local reference points at; anything else comes back as it is. Throws for a reference to nowhere. */
export function resolve(document: JsonMap, value: Json | undefined): Json | undefined {
  if (!isMap(value) || typeof value.$ref !== 'string') return value;
  const target = value.$ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<Json | undefined>(
      (at, part) => (isMap(at) ? at[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
      document,
    );
  if (target === undefined) throw new Error(`${value.$ref}: nothing there`);
  return resolve(document, target);
}

/** Calls `visit` for every object inside `value`, outermost first, with its JSON pointer. */
export function walk(value: Json | undefined, visit: (map: JsonMap, pointer: string) => void, pointer = ''): void {
  if (Array.isArray(value)) value.forEach((item, index) => walk(item, visit, `${pointer}/${index}`));
  if (!isMap(value)) return;
  visit(value, pointer);
  for (const [key, item] of Object.entries(value)) {
    walk(item, visit, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

/**
 * The same document with only the components it reaches. Examples are data and hold no references of ours, so a `$ref`
 * anywhere counts.
 */
export function prune(document: ApiDocument): ApiDocument {
  const { components, ...rest } = document;
  const kept: { [section: string]: JsonMap } = {};
  const reach = (value: Json): void =>
    walk(value, (map) => {
      const [, section, name] = /^#\/components\/([^/]+)\/([^/]+)$/.exec(String(map.$ref)) ?? [];
      if (section === undefined || name === undefined || kept[section]?.[name] !== undefined) return;
      const component = components[section]?.[name];
      if (component === undefined) throw new Error(`${String(map.$ref)}: nothing there`);
      (kept[section] ??= {})[name] = component;
      reach(component);
    });
  reach(rest);
  return { ...rest, components: sortedComponents(kept) } as ApiDocument;
}

/** Components in alphabetical order, so that the bundle does not depend on who mentions them first. */
export function sortedComponents(components: { [section: string]: JsonMap }): { [section: string]: JsonMap } {
  const sorted = <T>(map: { [key: string]: T }): { [key: string]: T } =>
    Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return Object.fromEntries(Object.entries(sorted(components)).map(([section, map]) => [section, sorted(map)]));
}
