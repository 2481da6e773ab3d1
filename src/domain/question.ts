/**
 * Questions to a person, and what fits as an answer: a free text, one of some options, or the fields an MCP server asked
 * for (elicitation), each answered by a text that is read as what the field's schema wants.
 */
import { DaemonError } from './errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from './json.js';

export interface QuestionPart {
  /** Names the part in the answers. */
  readonly id: string;
  readonly question: string;
  /** What kind of answer is expected, in a word. */
  readonly category?: string;
  /** The only answers that fit; absent when anything does. */
  readonly options?: readonly string[];
}

export interface Question {
  readonly question: string;
  readonly options?: readonly string[];
  readonly placeholder?: string;
  readonly category?: string;
  /** What is answered one by one; absent when there is one free answer. */
  readonly parts?: readonly QuestionPart[];
}

/** What a person sent. `answer` is not blank when it is there. */
export interface Answer {
  readonly answer?: string;
  readonly answers: Readonly<Record<string, string>>;
}

/** An MCP server's request for input. */
export interface Elicitation {
  readonly message: string;
  /** An object schema with flat members. */
  readonly requestedSchema: JsonObject;
}

/** `decline` is a person's no; `cancel` says that nobody answered. */
export type ElicitReply =
  { readonly action: 'accept'; readonly content: JsonObject } | { readonly action: 'decline' | 'cancel' };

/** Throws bad_request when the answer is not the one text the question asks for. */
export const textAnswer = ({ options }: Question, { answer }: Answer): string => {
  if (answer === undefined) throw new DaemonError('bad_request', 'answer: the question asks for one text');
  if (options !== undefined && !options.includes(answer)) {
    throw new DaemonError('bad_request', 'answer: must be one of the options');
  }
  return answer;
};

const fieldsOf = ({ requestedSchema }: Elicitation): [string, JsonObject][] => {
  const { properties } = requestedSchema;
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).map(([name, schema]) => [name, isJsonObject(schema) ? schema : {}]);
};

const textOf = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

/** What may be chosen, in the ways a server can say it. */
const optionsOf = (schema: JsonObject): string[] | undefined => {
  if (schema['type'] === 'boolean') return ['true', 'false'];
  const { enum: plain, oneOf, anyOf } = schema;
  if (Array.isArray(plain)) return plain.map(String);
  const titled = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : undefined;
  const values = titled?.flatMap((choice) =>
    isJsonObject(choice) && 'const' in choice ? [String(choice['const'])] : [],
  );
  return values && values.length > 0 ? values : undefined;
};

/** An elicitation as a question: a part for each field, and its options on the question itself when it has one. */
export const questionOf = (elicitation: Elicitation): Question => {
  const parts = fieldsOf(elicitation).map(([id, schema]): QuestionPart => {
    const options = optionsOf(schema);
    const category = textOf(schema['type']);
    return {
      id,
      question: textOf(schema['title']) ?? textOf(schema['description']) ?? id,
      ...(category === undefined ? {} : { category }),
      ...(options === undefined ? {} : { options }),
    };
  });
  const [only] = parts;
  return {
    question: elicitation.message,
    ...(parts.length === 1 && only?.options ? { options: only.options } : {}),
    ...(parts.length > 0 ? { parts } : {}),
  };
};

/** A text as the type a field has; a text that is none of that type is left to the schema to refuse. */
const readAs = (schema: JsonObject, text: string): JsonValue => {
  const { type } = schema;
  if ((type === 'number' || type === 'integer') && text.trim() !== '' && Number.isFinite(Number(text))) {
    return Number(text);
  }
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'array') return text.split(',').map((item) => item.trim());
  return text;
};

/**
 * The answer as the content a server asked for; whether it meets the whole schema is for a validator to say. Throws
 * bad_request for an answer to a part that was not asked, and for one text where there are several parts.
 */
export const elicitedContent = (elicitation: Elicitation, { answer, answers }: Answer): JsonObject => {
  const fields = fieldsOf(elicitation);
  const given = new Map(Object.entries(answers));
  const [first] = fields;
  if (answer !== undefined && fields.length === 1 && first && !given.has(first[0])) given.set(first[0], answer);
  else if (answer !== undefined && fields.length > 1) {
    throw new DaemonError('bad_request', 'answers: this question has several parts; answer each under its id');
  }
  const schemas = new Map(fields);
  return Object.fromEntries(
    [...given].map(([id, text]) => {
      const schema = schemas.get(id);
      if (schema === undefined) throw new DaemonError('bad_request', 'answers: names a part that was not asked');
      return [id, readAs(schema, text)];
    }),
  );
};
