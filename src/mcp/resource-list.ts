/**
 * A server's resources, every page of them. Templates are another list and not read. A bad resource is left out: nobody
 * can read it anyway.
 */
import { isJsonObject, type JsonObject } from '../domain/json.js';
import type { ServerResource } from '../ports.js';

/** Limits against a list that does not end. It is read while a caller waits, so they are tighter than those of tools. */
const PAGES_MAX = 100;
const RESOURCES_MAX = 5_000;

/** Asks for page after page; rejects with what `askPage` rejects with. A repeated cursor ends the list. */
export const readResourceList = async (
  askPage: (cursor?: string) => Promise<JsonObject>,
): Promise<readonly ServerResource[]> => {
  const resources: ServerResource[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  while (seen.size < PAGES_MAX && resources.length < RESOURCES_MAX) {
    const { resources: listed, nextCursor } = await askPage(cursor);
    if (Array.isArray(listed)) resources.push(...listed.flatMap((value) => parseResource(value) ?? []));
    if (typeof nextCursor !== 'string' || seen.has(nextCursor)) break;
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  return resources.slice(0, RESOURCES_MAX);
};

function parseResource(value: unknown): ServerResource | undefined {
  if (!isJsonObject(value)) return undefined;
  const { uri, name, description, mimeType } = value;
  if (typeof uri !== 'string' || typeof name !== 'string' || name === '') return undefined;
  return {
    uri,
    name,
    ...(typeof description === 'string' && { description }),
    ...(typeof mimeType === 'string' && { mimeType }),
  };
}
