/** What a provider's schema cannot say, as short sentences for a description. Nothing here decides what that is. */
import { canonicalJson } from '../canonical.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';

/** A condition longer than this is no sentence any more; its beginning says what it is about. */
const SHOWN_CHARS_MAX = 600;

export const sentencesFor = (left: readonly JsonObject[]): string =>
  [...new Set(left.flatMap((part) => (Object.keys(part).length === 0 ? [] : [sentenceFor(part)])))].join(' ');

type Telling = (value: JsonValue) => string | undefined;
const TELLINGS: Readonly<Record<string, Telling>> = {
  title: (value) => `Title: ${shown(value)}.`,
  default: (value) => `Default: ${json(value)}.`,
  examples: (value) => `Examples: ${listed(value)}.`,
  format: (value) => `Format: ${shown(value)}.`,
  minLength: (value) => `At least ${counted(value, 'character')}.`,
  maxLength: (value) => `At most ${counted(value, 'character')}.`,
  pattern: (value) => `Matches the regular expression ${shown(value)}.`,
  minimum: (value) => `At least ${json(value)}.`,
  maximum: (value) => `At most ${json(value)}.`,
  exclusiveMinimum: (value) => `More than ${json(value)}.`,
  exclusiveMaximum: (value) => `Less than ${json(value)}.`,
  multipleOf: (value) => `A multiple of ${json(value)}.`,
  minItems: (value) => `At least ${counted(value, 'item')}.`,
  maxItems: (value) => `At most ${counted(value, 'item')}.`,
  uniqueItems: () => 'No item twice.',
  minProperties: (value) => `At least ${counted(value, 'member')}.`,
  maxProperties: (value) => `At most ${counted(value, 'member')}.`,
  enum: (value) => `One of ${listed(value)}.`,
  additionalProperties: (value) => (value === false ? 'No other members.' : `Other members: ${json(value)}.`),
  anyOf: (value) => groupsOf(value, 'At least'),
  oneOf: (value) => groupsOf(value, 'Exactly') ?? `Exactly one of these forms: ${json(value)}.`,
  $ref: (value) => `Of the form ${shown(value).replace(/^.*[/#](?=.)/, '')}, as above.`,
  not: (value) => `Not of the form ${json(value)}.`,
};

function sentenceFor(part: JsonObject): string {
  const [[keyword, value], ...more] = Object.entries(part) as [[string, JsonValue], ...[string, JsonValue][]];
  // A condition on a value that may also be null is told without the null: the schema says that.
  if (keyword === 'anyOf' && Array.isArray(value) && value.length === 2 && canonicalJson(value[0]!) === NULL_ONLY) {
    return sentenceFor(value[1] as JsonObject);
  }
  const told = more.length > 0 || keyword === 'properties' ? toldTogether(part) : TELLINGS[keyword]?.(value);
  if (told !== undefined) return told;
  return KNOWN_CONDITIONS.test(keyword) ? `Must also match ${json(part)}.` : `${keyword}: ${json(value)}.`;
}

const NULL_ONLY = '{"type":"null"}';
const KNOWN_CONDITIONS =
  /^(allOf|anyOf|if|contains|propertyNames|dependent|dependencies|properties|patternProp|prefix)/;

/** Of a closed object the members are in the schema already; of one that could not be offered, its name is the point. */
function toldTogether(part: JsonObject): string | undefined {
  const { properties, additionalProperties, required, ...more } = part;
  if (Object.keys(more).length > 0 || !isJsonObject(properties)) return undefined;
  if (additionalProperties !== undefined) return TELLINGS['additionalProperties']?.(additionalProperties);
  const needed = Array.isArray(required) ? 'Needs' : 'Also takes';
  return `${needed} a member that has no place in this schema: ${json(properties)}.`;
}

/** A union whose branches only ask for members, the most common one at the root. */
function groupsOf(branches: JsonValue, how: string): string | undefined {
  if (!Array.isArray(branches)) return undefined;
  const groups = branches.map((branch) => {
    const names = isJsonObject(branch) && Object.keys(branch).length === 1 ? branch['required'] : undefined;
    return Array.isArray(names) ? names.map(String).join(' and ') : undefined;
  });
  if (groups.some((group) => group === undefined)) return undefined;
  return `${how} one of these must be given: ${groups.join('; ')}.`;
}

const cut = (text: string): string => (text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)} …` : text);
const json = (value: JsonValue): string => cut(JSON.stringify(value));
const shown = (value: JsonValue): string => (typeof value === 'string' ? cut(value) : json(value));
const listed = (value: JsonValue): string =>
  Array.isArray(value) ? cut(value.map((item) => JSON.stringify(item)).join(', ')) : json(value);
const counted = (value: JsonValue, noun: string): string => `${json(value)} ${noun}${value === 1 ? '' : 's'}`;
