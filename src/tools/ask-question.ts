/** `ask_question_to_user`: a question to whoever watches the session. The run waits, parked, until it is answered. */
import { failed, succeeded } from '../domain/tool.js';
import type { RunnableTool } from '../ports.js';
import { objectSchema } from './tool-kit.js';

const QUESTION_CHARS_MAX = 4_000;
const OPTION_CHARS_MAX = 500;
const OPTIONS_MAX = 50;

export const askQuestionTool: RunnableTool = {
  name: 'ask_question_to_user',
  description:
    'Ask the user a question and wait for the answer, which is returned as text. Offer options where only certain answers make sense.',
  readOnly: false,
  category: 'interaction',
  permissionKey: null,
  asyncCapable: false,
  inputSchema: objectSchema(
    {
      question: { type: 'string', minLength: 1, maxLength: QUESTION_CHARS_MAX, description: 'The question.' },
    },
    ['question'],
    {
      options: {
        type: 'array',
        minItems: 1,
        maxItems: OPTIONS_MAX,
        uniqueItems: true,
        items: { type: 'string', minLength: 1, maxLength: OPTION_CHARS_MAX },
        description: 'The only answers that are possible. Left out, any answer is.',
      },
      placeholder: {
        type: 'string',
        maxLength: OPTION_CHARS_MAX,
        description: 'What an answer could look like, shown in the empty field.',
      },
      category: { type: 'string', maxLength: 100, description: 'What kind of question it is, in a word.' },
    },
  ),
  // Asking is the permission: nothing is touched, so nothing else asks first.
  reach: () => ({ paths: [], onlyReads: true }),
  run: async (params, { ask, signal }) => {
    const { question, options, placeholder, category } = params as {
      question: string;
      options?: string[];
      placeholder?: string;
      category?: string;
    };
    const answer = await ask?.({
      question,
      ...(options && { options }),
      ...(placeholder === undefined ? {} : { placeholder }),
      ...(category === undefined ? {} : { category }),
    });
    if (answer !== undefined) return succeeded(answer);
    return signal.aborted ? failed('cancelled', 'the run was cancelled') : failed('timeout', 'nobody answered in time');
  },
};
