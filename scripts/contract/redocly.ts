/**
 * The one place that knows Redocly: bundling the source files into one document, and linting with its rules. Our own
 * rules are in lint.ts.
 */
import { bundle, createConfig, lintFromString, type Config } from '@redocly/openapi-core';
import { sortedComponents, type ApiDocument } from './document.js';

/** Extensions of ours that hold references. Redocly follows references only in nodes whose type it knows. */
const extensionTypes = {
  id: 'contract',
  typeExtension: {
    oas3: (types: Record<string, any>) => ({
      ...types,
      Root: {
        ...types.Root,
        properties: {
          ...types.Root.properties,
          'x-edge-responses': 'EdgeResponses',
          'x-error-details': 'ErrorDetails',
        },
      },
      Response: { ...types.Response, properties: { ...types.Response.properties, 'x-sse': 'Sse' } },
      Sse: {
        properties: {
          order: { type: 'string' },
          terminal: { type: 'array', items: { type: 'string' } },
          heartbeat_seconds: { type: 'integer' },
          ids: { type: 'boolean' },
          events: 'SseEvents',
        },
        required: ['order', 'terminal', 'heartbeat_seconds', 'ids', 'events'],
      },
      EdgeResponses: { properties: { agent: 'Responses', workspaces: 'Responses' } },
      ErrorDetails: { properties: {}, additionalProperties: 'Schema' },
      SseEvents: { properties: {}, additionalProperties: 'Schema' },
    }),
  },
};

const rules = {
  // Redocly's structural and example rules at full strength.
  'no-invalid-media-type-examples': 'error',
  'no-invalid-parameter-examples': 'error',
  'no-invalid-schema-examples': 'error',
  'operation-operationId': 'error',
  'operation-operationId-unique': 'error',
  'no-unused-components': 'error',
  'no-ambiguous-paths': 'off', // /tools/read-only beside /tools/{name} is in the contract; literal segments win
  'operation-2xx-response': 'off', // lint.ts allows exactly the operations marked x-no-success
  'operation-4xx-response': 'error',
  'operation-description': 'error',
  'operation-singular-tag': 'error',
  'operation-tag-defined': 'error',
  'tag-description': 'error',
  'parameter-description': 'error',
  'no-path-trailing-slash': 'error',
  'path-parameters-defined': 'error',
  'info-license-url': 'off',
  'info-license': 'error',
  'no-server-example.com': 'error',
  'no-http-verbs-in-paths': 'off',
} as const;

let config: Promise<Config> | undefined;
const contractConfig = (): Promise<Config> =>
  (config ??= createConfig({ extends: ['recommended'], rules } as never, { plugins: [extensionTypes] as never }));

/** Structure alone: for the other forms, whose content is the same and has been judged. */
const structureConfig = (): Promise<Config> =>
  createConfig({ rules: { struct: 'error', 'no-unresolved-refs': 'error' } } as never, {
    plugins: [extensionTypes] as never,
  });

/** The document `root` leads to, with local references only, and the files it came from. Throws with every problem. */
export async function bundleSource(root: string): Promise<{ document: ApiDocument; files: string[] }> {
  const {
    bundle: result,
    problems,
    fileDependencies,
  } = await bundle({
    ref: root,
    config: await contractConfig(),
    componentRenamingConflicts: 'error',
  });
  if (problems.length > 0) {
    throw new Error(problems.map((problem) => `${where(problem)}: ${problem.message}`).join('\n'));
  }
  const document = result.parsed as ApiDocument;
  document.components = sortedComponents(document.components);
  return { document, files: [...fileDependencies] };
}

/** What Redocly finds in a bundled document, one sentence each. */
export const lintWithRedocly = (name: string, document: ApiDocument): Promise<string[]> =>
  lintText(name, document, contractConfig());

/** The same for structure and references alone. */
export const lintStructure = (name: string, document: ApiDocument): Promise<string[]> =>
  lintText(name, document, structureConfig());

async function lintText(name: string, document: ApiDocument, config: Promise<Config>): Promise<string[]> {
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: name,
    config: await config,
  });
  return problems.map((problem) => `${where(problem)}: ${problem.message} (${problem.ruleId})`);
}

function where(problem: { location: { source: { absoluteRef: string }; pointer?: string | undefined }[] }): string {
  const [first] = problem.location;
  return first === undefined ? 'openapi' : `${first.source.absoluteRef}${first.pointer ?? ''}`;
}
