/**
 * Rules that tie error responses to the catalogue: example keys are codes, and a code has one status and its messages.
 */
import { isMap, operationsOf, resolve, type ApiDocument, type Json, type JsonMap } from '../document.js';
import type { Family } from '../source.js';
import { contentOf } from './operations.js';
import { rule, type Fault, type Rule } from './rule.js';

export const familyOf = (path: string): Family => (path.startsWith('/api/v1/workspaces/') ? 'workspaces' : 'agent');

interface ErrorExample {
  at: string;
  family: Family;
  status: string;
  /** The example key. */
  code: string;
  value: Json | undefined;
}

/** Every error example, with where it is answered: of operations and of the edge. */
export function* errorExamples(document: ApiDocument): Iterable<ErrorExample> {
  const edge = isMap(document['x-edge-responses']) ? document['x-edge-responses'] : {};
  const places = [
    ...operationsOf(document).map(({ path, method, operation }) => ({
      at: `${method.toUpperCase()} ${path}`,
      family: familyOf(path),
      responses: operation.responses,
    })),
    ...Object.entries(edge).map(([family, responses]) => ({
      at: `x-edge-responses ${family}`,
      family: family as Family,
      responses: responses as JsonMap,
    })),
  ];
  for (const { at, family, responses } of places) {
    for (const [status, response] of Object.entries(responses)) {
      if (status < '400') continue;
      const examples = contentOf(document, response)['application/json']?.examples;
      for (const [code, example] of Object.entries(isMap(examples) ? examples : {})) {
        const resolved = resolve(document, example);
        yield { at: `${at} ${status}`, family, status, code, value: isMap(resolved) ? resolved.value : undefined };
      }
    }
  }
}

/** The code and message an example shows, from either envelope. */
function shown(family: Family, value: Json | undefined): { code: Json | undefined; message: Json | undefined } {
  const body = family === 'agent' ? value : isMap(value) && Array.isArray(value.errors) ? value.errors[0] : undefined;
  return isMap(body) ? { code: body.code, message: body.message } : { code: undefined, message: undefined };
}

const STATUS = /^[45]\d\d$/;

export const errorRules: Rule[] = [
  rule('error-codes', function* ({ document, lists }) {
    for (const { at, family, status, code } of errorExamples(document)) {
      const entry = lists.errors[family][code];
      if (entry === undefined) yield [at, `${code} is not in errors.yaml`];
      else if (String(entry.status) !== status) yield [at, `${code} is ${entry.status} in errors.yaml`];
    }
  }),
  rule('error-examples', function* ({ document, lists }) {
    for (const { at, family, code, value } of errorExamples(document)) {
      const { code: shownCode, message } = shown(family, value);
      if (shownCode !== code) yield [at, `the example under ${code} shows ${String(shownCode)}`];
      const messages = lists.errors[family][code]?.messages ?? [];
      if (!messages.includes(String(message)))
        yield [at, `the message of the ${code} example is not one of errors.yaml`];
    }
  }),
  rule('errors-have-codes', function* ({ document }) {
    const edge = isMap(document['x-edge-responses']) ? Object.values(document['x-edge-responses']) : [];
    const groups = [...operationsOf(document).map(({ operation }) => operation.responses), ...edge.filter(isMap)];
    const seen = new Set<string>();
    for (const responses of groups) {
      for (const [status, response] of Object.entries(responses)) {
        const at = isMap(response) ? String(response.$ref) : status;
        if (status < '400' || seen.has(at)) continue;
        seen.add(at);
        const examples = contentOf(document, response)['application/json']?.examples;
        if (!isMap(examples) || Object.keys(examples).length === 0)
          yield [at, 'an error response lists its codes as example keys'];
      }
    }
  }),
  rule('edge-responses', function* ({ document }) {
    for (const family of ['agent', 'workspaces'] as const) {
      const responses = isMap(document['x-edge-responses']) ? document['x-edge-responses'][family] : undefined;
      const statuses = isMap(responses) ? Object.keys(responses) : [];
      const missing = ['400', '403', '404', '405', '413', '429', '500', '503'].filter(
        (status) => !statuses.includes(status),
      );
      if (missing.length > 0) yield [`x-edge-responses ${family}`, `lacks ${missing.join(', ')}`];
    }
  }),
  rule('catalogue-form', function* ({ lists }) {
    for (const family of ['agent', 'workspaces'] as const) {
      for (const [code, entry] of Object.entries(lists.errors[family])) {
        yield* catalogueFaults(family, code, entry as unknown as JsonMap);
      }
    }
  }),
  rule('catalogue-used', function* ({ document, lists }) {
    const used = new Set([...errorExamples(document)].map(({ family, code }) => `${family}.${code}`));
    for (const family of ['agent', 'workspaces'] as const) {
      for (const code of Object.keys(lists.errors[family])) {
        if (!used.has(`${family}.${code}`)) yield [`errors.yaml ${family}.${code}`, 'no response carries this code'];
      }
    }
  }),
  rule('error-details', function* ({ document, lists }) {
    const details = isMap(document['x-error-details']) ? document['x-error-details'] : {};
    for (const code of Object.keys(details)) {
      if (lists.errors.agent[code] === undefined) yield ['x-error-details', `${code} is not in errors.yaml`];
    }
    for (const [code, entry] of Object.entries(lists.errors.agent)) {
      if (entry.details === undefined) continue;
      const schema = details[code];
      if (!isMap(schema) || schema.$ref !== `#/components/schemas/${entry.details}`) {
        yield [`errors.yaml agent.${code}`, `details ${entry.details} is not what x-error-details has for it`];
      }
    }
  }),
  rule('retry-after', function* ({ document, lists }) {
    const seen = new Set<string>();
    for (const { path, operation } of operationsOf(document)) {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (status < '400' || !isMap(response) || seen.has(String(response.$ref))) continue;
        seen.add(String(response.$ref));
        const resolved = resolve(document, response);
        const says = isMap(resolved) && isMap(resolved.headers) && 'Retry-After' in resolved.headers;
        const examples = contentOf(document, response)['application/json']?.examples;
        const waits = Object.keys(isMap(examples) ? examples : {}).some((code) => {
          const wait = lists.errors[familyOf(path)][code]?.wait;
          return wait !== undefined && wait !== 'never';
        });
        if (says !== waits)
          yield [String(response.$ref), 'Retry-After is declared exactly where a code of the response may carry it'];
      }
    }
  }),
];

function* catalogueFaults(family: Family, code: string, entry: JsonMap): Iterable<Fault> {
  const at = `errors.yaml ${family}.${code}`;
  const spelling = family === 'agent' ? /^[a-z]+(_[a-z]+)*$/ : /^[A-Z]+(_[A-Z]+)*$/;
  if (!spelling.test(code)) yield [at, 'is not spelled like the codes of its family'];
  if (!STATUS.test(String(entry.status))) yield [at, 'status is an error status'];
  for (const field of ['title', 'description', 'resolution']) {
    if (typeof entry[field] !== 'string' || entry[field] === '') yield [at, `${field} is missing`];
  }
  if (!['never', 'later', 'changed'].includes(String(entry.retry))) yield [at, 'retry is never, later or changed'];
  if (!['always', 'sometimes', 'never'].includes(String(entry.wait))) yield [at, 'wait is always, sometimes or never'];
  if (!['literal', 'specific'].includes(String(entry.message))) yield [at, 'message is literal or specific'];
  if (!Array.isArray(entry.messages) || entry.messages.length === 0) yield [at, 'messages is missing'];
}
