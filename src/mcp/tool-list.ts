/**
 * A server's tools, every page of them. One bad tool is left out and named; it never costs the others. What a tool's
 * schema says beyond "an object" is not judged here.
 */
import { isJsonObject, type JsonObject } from '../domain/json.js';
import type { ServerTool } from '../ports.js';

/** Limits against a server whose list does not end. Real servers have a page or two. */
const PAGES_MAX = 1_000;
const TOOLS_MAX = 10_000;
/** Far beyond any real name; the specification advises 128. */
const NAME_LENGTH_MAX = 256;
/** How much of a bad tool's name a warning shows. */
const SHOWN_NAME_LENGTH = 80;

export interface ToolList {
  readonly tools: readonly ServerTool[];
  /** Parts of a sentence about the server ("tool x was left out: …"). */
  readonly warnings: readonly string[];
}

/** Asks for page after page; rejects with what `askPage` rejects with. */
export const readToolList = async (askPage: (cursor?: string) => Promise<JsonObject>): Promise<ToolList> => {
  const tools = new Map<string, ServerTool>();
  const warnings: string[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const { tools: listed, nextCursor } = await askPage(cursor);
    if (!Array.isArray(listed)) warnings.push('a page of its tool list is no list');
    for (const value of Array.isArray(listed) ? listed : []) {
      const tool = parseTool(value);
      if (typeof tool === 'string') warnings.push(tool);
      else if (tools.has(tool.name)) warnings.push(`lists a tool "${shown(tool.name)}" twice; the first is kept`);
      else if (tools.size < TOOLS_MAX) tools.set(tool.name, tool);
      else return ended(`has more than ${TOOLS_MAX} tools; the rest is left out`);
    }
    if (typeof nextCursor !== 'string') return ended();
    if (seen.has(nextCursor)) return ended('repeats a page of its tool list; reading stopped there');
    if (pages === PAGES_MAX) return ended(`has more than ${PAGES_MAX} pages of tools; the rest is left out`);
    seen.add(nextCursor);
    cursor = nextCursor;
  }

  function ended(warning?: string): ToolList {
    return { tools: [...tools.values()], warnings: warning === undefined ? warnings : [...warnings, warning] };
  }
};

/** The tool, or why it is left out. */
function parseTool(value: unknown): ServerTool | string {
  if (!isJsonObject(value)) return 'lists a tool that is no object; it was left out';
  const { name, title, description, inputSchema, outputSchema, annotations } = value;
  const hints = isJsonObject(annotations) ? annotations : {};
  if (typeof name !== 'string' || name === '') return 'lists a tool without a name; it was left out';
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (name.length > NAME_LENGTH_MAX || /[\u0000-\u001f\u007f]/.test(name)) {
    return `has a tool whose name is too long or has control characters, "${shown(name)}"; it was left out`;
  }
  const fault = schemaFault(inputSchema);
  if (fault !== undefined) return `has a tool "${shown(name)}" whose inputSchema ${fault}; it was left out`;
  const shownTitle = typeof title === 'string' ? title : hints.title;
  return {
    name,
    ...(typeof shownTitle === 'string' && { title: shownTitle }),
    description: typeof description === 'string' ? description : '',
    inputSchema: inputSchema as JsonObject,
    ...(isJsonObject(outputSchema) && { outputSchema }),
    readOnly: hints.readOnlyHint === true,
  };
}

function schemaFault(schema: unknown): string | undefined {
  if (schema === undefined) return 'is missing';
  if (!isJsonObject(schema)) return 'is no object';
  if (schema.type !== undefined && schema.type !== 'object') return 'describes no object';
  if (schema.properties !== undefined && !isJsonObject(schema.properties)) return 'has properties that are no object';
  return undefined;
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const shown = (name: string): string => name.replace(/[\u0000-\u001f\u007f]/g, '?').slice(0, SHOWN_NAME_LENGTH);
