/**
 * Rules about operations: names, parameters, bodies and the statuses each must have.
 */
import { isMap, operationsOf, resolve, type ApiDocument, type JsonMap, type Operation } from '../document.js';
import { rule, type Fault, type LintInput, type Rule } from './rule.js';

const ID_LENGTH_MAX = 60; // file and method names are made of it

/** Words that are keywords in Go, Java, Python, Rust or TypeScript. */
const KEYWORDS = new Set([
  'import',
  'delete',
  'default',
  'type',
  'match',
  'return',
  'switch',
  'await',
  'async',
  'move',
  'use',
  'from',
  'in',
  'is',
  'new',
  'package',
  'range',
  'select',
  'yield',
]);

const SCOPES = new Set(['realm', 'cwd', 'config_dir', 'container', 'tool_mode', 'dir_scope']);

/** Headers and queries that carry each scope. */
const SCOPE_PARAMETERS: Record<string, string> = {
  realm: 'X-Hoody-Realm',
  cwd: 'X-Hoody-Cwd',
  config_dir: 'X-Hoody-Config-Dir',
  container: 'X-Hoody-Container',
  tool_mode: 'X-Hoody-Tool-Mode',
  dir_scope: 'X-Hoody-Dir-Scope',
};

/** Statuses every operation has; runs through the edge can always end in them. */
const ALWAYS = ['400', '403', '429', '500'];

function* eachOperation(
  { document }: LintInput,
  judge: (operation: Operation, method: string, path: string) => string | undefined,
): Iterable<Fault> {
  for (const { path, method, operation } of operationsOf(document)) {
    const message = judge(operation, method, path);
    if (message !== undefined) yield [`${method.toUpperCase()} ${path}`, message];
  }
}

const statusesOf = (operation: Operation): string[] => Object.keys(operation.responses);

/** The parameters of an operation, references followed. */
export function parametersOf(document: ApiDocument, operation: Operation): JsonMap[] {
  const parameters = Array.isArray(operation.parameters) ? operation.parameters : [];
  return parameters.map((parameter) => resolve(document, parameter) as JsonMap);
}

/** The media types of a response, references followed. */
export function contentOf(document: ApiDocument, response: unknown): { [type: string]: JsonMap } {
  const resolved = resolve(document, response as JsonMap);
  return isMap(resolved) && isMap(resolved.content) ? (resolved.content as { [type: string]: JsonMap }) : {};
}

const schemaName = (media: JsonMap | undefined): string => (isMap(media?.schema) ? String(media.schema.$ref) : '');

export const operationRules: Rule[] = [
  rule('operation-ids', function* (input) {
    const seen = new Map<string, string>();
    for (const { path, method, operation } of operationsOf(input.document)) {
      const id = operation.operationId;
      const at = `${method.toUpperCase()} ${path}`;
      if (!/^[a-z][A-Za-z0-9]*$/.test(id)) yield [at, `operationId ${id} is lowerCamelCase`];
      if (id.length > ID_LENGTH_MAX) yield [at, `operationId ${id} is longer than ${ID_LENGTH_MAX}`];
      if (KEYWORDS.has(id)) yield [at, `operationId ${id} is a keyword`];
      const twin = seen.get(id.toLowerCase());
      if (twin !== undefined) yield [at, `operationId ${id} is taken by ${twin} but for letter case`];
      seen.set(id.toLowerCase(), at);
    }
  }),
  rule('one-tag', (input) =>
    eachOperation(input, (operation) =>
      operation.tags.length === 1 && /^[a-z][a-z0-9]*$/.test(String(operation.tags[0]))
        ? undefined
        : 'an operation has one tag, and it is an identifier',
    ),
  ),
  rule('parameters-by-reference', (input) =>
    eachOperation(input, (operation) => {
      const parameters = Array.isArray(operation.parameters) ? operation.parameters : [];
      return parameters.every((parameter) => isMap(parameter) && '$ref' in parameter)
        ? undefined
        : 'a parameter is written in place';
    }),
  ),
  rule('required-responses', (input) =>
    eachOperation(input, (operation) => {
      const needed = [...ALWAYS];
      const names = parametersOf(input.document, operation).map((parameter) => String(parameter.name));
      if (names.includes('id') || names.includes('session_id')) needed.push('404');
      if ('requestBody' in operation) needed.push('413');
      const missing = needed.filter((status) => !(status in operation.responses));
      return missing.length === 0 ? undefined : `answers ${missing.join(', ')} too, and does not say so`;
    }),
  ),
  rule('one-success', (input) =>
    eachOperation(input, (operation) => {
      const successes = statusesOf(operation).filter((status) => status < '400');
      if (operation['x-no-success'] === true) {
        return successes.length === 0 ? undefined : 'says x-no-success and has one';
      }
      if (successes.length !== 1) return `has ${successes.length} successes instead of one`;
      const types = Object.keys(contentOf(input.document, operation.responses[successes[0]!]));
      return types.length === 1 ? undefined : 'a success has one media type';
    }),
  ),
  rule('one-error-schema', (input) =>
    eachOperation(input, (operation, _method, path) => {
      const wanted = `#/components/schemas/${path.startsWith('/api/v1/workspaces/') ? 'WorkspaceApiError' : 'ApiError'}`;
      const bad = statusesOf(operation)
        .filter((status) => status >= '400')
        .find(
          (status) => schemaName(contentOf(input.document, operation.responses[status])['application/json']) !== wanted,
        );
      return bad === undefined ? undefined : `${bad} is not answered as ${wanted.split('/').pop()}`;
    }),
  ),
  rule('errors-by-reference', (input) =>
    eachOperation(input, (operation) => {
      const bad = statusesOf(operation).find((status) => {
        const response = operation.responses[status];
        return status >= '400' && !(isMap(response) && '$ref' in response);
      });
      return bad === undefined ? undefined : `${bad} is written in place`;
    }),
  ),
  rule('request-body-required', (input) =>
    eachOperation(input, (operation) => {
      if (!('requestBody' in operation)) return undefined;
      const body = resolve(input.document, operation.requestBody);
      return isMap(body) && typeof body.required === 'boolean' ? undefined : 'requestBody.required is not stated';
    }),
  ),
  rule('delete-body', (input) =>
    eachOperation(input, (operation, method) => {
      const hasBody = method === 'delete' && 'requestBody' in operation;
      return hasBody === (operation['x-delete-body'] === true)
        ? undefined
        : 'a DELETE with a body, and only that, says x-delete-body: true';
    }),
  ),
  rule('scopes', (input) =>
    eachOperation(input, (operation) => {
      const scopes = operation['x-scopes'];
      if (!Array.isArray(scopes)) return 'x-scopes is not stated';
      const unknown = scopes.find((scope) => !SCOPES.has(String(scope)));
      if (unknown !== undefined) return `x-scopes knows no ${String(unknown)}`;
      const names = new Set(parametersOf(input.document, operation).map((parameter) => parameter.name));
      const silent = scopes.find((scope) => !names.has(SCOPE_PARAMETERS[String(scope)]!));
      return silent === undefined ? undefined : `has the scope ${String(silent)} without its header`;
    }),
  ),
  rule('realm-parameters', (input) =>
    eachOperation(input, (operation) => {
      const parameters = parametersOf(input.document, operation);
      const query = parameters.find((parameter) => parameter.in === 'query' && parameter.name === 'realm');
      const header = parameters.some((parameter) => parameter.name === 'X-Hoody-Realm');
      if (header !== (query !== undefined)) return 'realm is both a header and a query parameter, or neither';
      return query === undefined || query.allowEmptyValue === true ? undefined : 'an empty ?realm= is allowed';
    }),
  ),
  rule('sdk-names', (input) =>
    eachOperation(input, (operation) => {
      const names = operation['x-sdk-name'];
      const ok = names === undefined || (Array.isArray(names) && names.length > 0);
      return ok ? undefined : 'x-sdk-name is a list of calls';
    }),
  ),
];
