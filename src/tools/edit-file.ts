/**
 * `edit_file` and `multi_edit`: replacing text in an existing file. Several edits are made one after the other in memory
 * and written once, so either all of them are in the file or none is.
 */
import type { JsonObject } from '../domain/json.js';
import { failed, succeeded, type ToolResult } from '../domain/tool.js';
import type { RunnableTool, ToolContext } from '../ports.js';
import { editText, type TextEdit } from './edit-text.js';
import { ToolFailure, withJudgedFile } from './judged-file.js';
import { firstPath, objectSchema, PATH } from './tool-kit.js';
import { writeJudged } from './write-judged.js';

/** Larger files are data, and are held in memory twice while they are edited. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;
const TEXT_CHARS_MAX = 1024 * 1024;
/** Arbitrary; more are a new file. */
const EDITS_MAX = 200;

const EDIT_FIELDS: JsonObject = {
  old_string: {
    type: 'string',
    minLength: 1,
    maxLength: TEXT_CHARS_MAX,
    description: 'The exact text to replace, with enough around it to occur once.',
  },
  new_string: { type: 'string', maxLength: TEXT_CHARS_MAX, description: 'The text to put in its place.' },
};
const REPLACE_ALL: JsonObject = {
  replace_all: { type: 'boolean', default: false, description: 'Replace every occurrence instead of exactly one.' },
};

const editOf = (params: JsonObject): TextEdit => ({
  oldText: params['old_string'] as string,
  newText: params['new_string'] as string,
  replaceAll: params['replace_all'] === true,
});

const applyEdits = async (context: ToolContext, edits: readonly TextEdit[]): Promise<ToolResult> => {
  const fact = firstPath(context);
  let text = await withJudgedFile({ real: fact.real, shown: fact.path }, async ({ bytes, stamp, readRest }) => {
    if (stamp !== fact.stamp) throw new ToolFailure(`${fact.path} changed meanwhile; read it again`);
    if (bytes > FILE_BYTES_MAX) throw new ToolFailure(`${fact.path} is larger than ${FILE_BYTES_MAX} bytes`);
    const content = await readRest();
    const decoded = content.toString('utf8');
    // What does not survive decoding would be damaged by writing it back.
    if (!Buffer.from(decoded).equals(content)) throw new ToolFailure(`${fact.path} is no UTF-8 text`);
    return decoded;
  });
  let places = 0;
  for (const [index, edit] of edits.entries()) {
    const edited = editText(text, edit);
    if ('fault' in edited) {
      const which = edits.length > 1 ? `edit ${index + 1} of ${edits.length}: ` : '';
      return failed('tool_error', `nothing was changed: ${which}${edited.fault}`);
    }
    text = edited.text;
    places += edited.places;
  }
  context.filesRead.note(fact.real, await writeJudged(fact, text));
  return succeeded(`changed ${fact.path} in ${places} ${places === 1 ? 'place' : 'places'}`);
};

const descriptor = {
  readOnly: false,
  category: 'filesystem',
  permissionKey: 'fs.write',
  asyncCapable: false,
  reach: (params: JsonObject) => ({ paths: [{ path: params['path'] as string, access: 'write' as const }] }),
} as const;

export const editFileTool: RunnableTool = {
  ...descriptor,
  name: 'edit_file',
  description:
    'Replace text in a file that has been read. old_string has to match exactly, and to occur exactly once unless replace_all is set.',
  inputSchema: objectSchema({ path: PATH, ...EDIT_FIELDS }, ['path', 'old_string', 'new_string'], REPLACE_ALL),
  run: (params, context) => applyEdits(context, [editOf(params)]),
};

export const multiEditTool: RunnableTool = {
  ...descriptor,
  name: 'multi_edit',
  description:
    'Make several replacements in one file that has been read, in order, each seeing the result of the one before. All are made or none is.',
  inputSchema: objectSchema(
    {
      path: PATH,
      edits: {
        type: 'array',
        minItems: 1,
        maxItems: EDITS_MAX,
        items: objectSchema(EDIT_FIELDS, ['old_string', 'new_string'], REPLACE_ALL),
        description: 'The replacements.',
      },
    },
    ['path', 'edits'],
  ),
  run: (params, context) => applyEdits(context, (params['edits'] as JsonObject[]).map(editOf)),
};
