/**
 * The contract against the documented facts (a ledger of operations, parameters, fields, error pairs and examples),
 * the generated files against their source, and every lint rule against a contract that breaks it.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  isMap,
  operationsOf,
  resolve,
  type Json,
  type JsonMap,
  type Operation,
} from '../../scripts/contract/document.js';
import { schemasOf } from '../../scripts/contract/down-convert.js';
import { lintContract, RULES } from '../../scripts/contract/lint.js';
import { outputsOf, readContract, subSpec, type Contract } from '../../scripts/contract/outputs.js';
import { lintStructure, lintWithRedocly } from '../../scripts/contract/redocly.js';
import { errorExamples } from '../../scripts/contract/rules/errors.js';
import { framesOf } from '../../scripts/contract/rules/examples.js';
import { contentOf, parametersOf } from '../../scripts/contract/rules/operations.js';
import type { LintInput } from '../../scripts/contract/rules/rule.js';
import type { ErrorCatalogue } from '../../scripts/contract/source.js';
import { toOpenapi32 } from '../../scripts/contract/up-convert.js';
import { DaemonError, sessionNotFound, type ErrorCode } from '../../src/domain/errors.js';
import { STATUS } from '../../src/http/errors.js';

interface LedgerRow {
  method: string;
  path: string;
  params: [name: string, where: string, type: string, required: boolean][];
  body: [name: string, type: string, required: boolean][];
  responseFields: [name: string, type: string][];
  errors: Record<string, string[]>;
  examples: { kind: 'success' | 'error'; value: Json }[];
  frames?: Record<string, string[]>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string): string => readFileSync(new URL(name, `file://${root}`), 'utf8');
const LEDGER = JSON.parse(read('test/fixtures/contract/ledger.json')) as LedgerRow[];

const DOCUMENTED_IDS = [
  'listMcpServers',
  'previewMcpImport',
  'createMcpWriteIntent',
  'upsertMcpServer',
  'setMcpServerEnabled',
  'deleteMcpServer',
  'importMcpServers',
  'testMcpServer',
  'reconnectMcp',
  'getChanges',
  'streamChanges',
  'listTools',
  'getTool',
  'listReadOnlyTools',
  'listSessionTools',
  'listSessionMcpTools',
  'runTool',
  'runToolAsync',
  'streamTool',
  'runSessionTool',
  'listMcpResources',
  'listToolSchemas',
  'listToolIds',
  'listWorkspaceTools',
];

/** What the daemon needs beside the documented operations. */
const SURFACE_IDS = [
  'createSession',
  'listSessions',
  'getSession',
  'renameSession',
  'deleteSession',
  'closeSession',
  'getSessionState',
  'listSessionCwds',
  'createTodo',
  'listTodos',
  'getTodo',
  'updateTodo',
  'getTodosRevision',
  'createTodoComment',
  'snoozeTodo',
  'archiveTodo',
  'claimTodo',
  'releaseTodo',
  'purgeTodos',
  'listWorkflows',
  'getWorkflow',
  'setWorkflow',
  'deleteWorkflow',
  'hideWorkflow',
  'runSessionWorkflow',
  'listWorkflowRuns',
  'getWorkflowRun',
  'cancelWorkflowRun',
  'listAgents',
  'createAgent',
  'deleteAgent',
  'getAgentSource',
  'setAgentSource',
  'copyAgent',
  'renameAgent',
  'setAgentModel',
  'setAgentTools',
  'setAgentTurns',
  'getHookRules',
  'createHookWriteIntent',
  'setHookRules',
  'listApplicableRules',
  'setSessionYolo',
  'getSessionApproval',
  'setApprovalRule',
  'deleteApprovalRule',
  'cancelSession',
  'listGates',
  'answerGate',
  'confirmGate',
  'getJob',
  'getJobResult',
  'deleteJob',
  'getHealth',
  'getVersion',
  'getOpenapiJson',
  'getOpenapiYaml',
  'getDocs',
  'getAuthStatus',
];

/** Codes of the workspaces family the ledger does not have and every operation of the family may answer. */
const WORKSPACE_ADDITIONS = [
  '400 WORKSPACE_NOT_FOUND',
  '400 BAD_REQUEST',
  '403 FORBIDDEN',
  '429 RATE_LIMITED',
  '500 INTERNAL_ERROR',
  '503 SERVICE_UNAVAILABLE',
];

let contract: Contract;
beforeAll(async () => {
  contract = await readContract(root);
});

const operationAt = ({ method, path }: LedgerRow): Operation =>
  contract.document.paths[path]![method.toLowerCase()] as Operation;

const schemaOf = (media: JsonMap | undefined): JsonMap => resolve(contract.document, media?.schema) as JsonMap;

/** The success of an operation: status, JSON schema and example values. */
function successOf(operation: Operation): { schema: JsonMap; examples: Json[] } {
  const [status] = Object.keys(operation.responses).filter((key) => key < '400');
  const media = contentOf(contract.document, operation.responses[status!])['application/json'];
  const examples = isMap(media?.examples) ? Object.values(media.examples) : [];
  return {
    schema: schemaOf(media),
    examples: examples.map((example) => (resolve(contract.document, example) as JsonMap).value!),
  };
}

/** `status code` of every error example of an operation. */
const pairsOf = (row: LedgerRow): string[] =>
  [...errorExamples(contract.document)]
    .filter(({ at }) => at.startsWith(`${row.method} ${row.path} `))
    .map(({ status, code }) => `${status} ${code}`);

/** The pages shorten hashes; the contract writes them out. */
const shortenHashes = (value: Json): Json =>
  JSON.parse(
    JSON.stringify(value).replaceAll(/sha256:([0-9a-f]{4})[0-9a-f]{56}([0-9a-f]{4})/g, 'sha256:$1…$2'),
  ) as Json;

describe('the contract and the documented facts', () => {
  test('has exactly the documented operations and the surface they need', () => {
    const ids = operationsOf(contract.document).map(({ operation }) => operation.operationId);
    expect(ids.toSorted()).toEqual([...DOCUMENTED_IDS, ...SURFACE_IDS].toSorted());
    expect(LEDGER.map((row) => operationAt(row).operationId).toSorted()).toEqual(DOCUMENTED_IDS.toSorted());
  });

  test('has all 177 documented error pairs, and in the agent family no others', () => {
    let count = 0;
    for (const row of LEDGER) {
      const documented = Object.entries(row.errors).flatMap(([status, codes]) =>
        codes.map((code) => `${status} ${code}`),
      );
      count += documented.length;
      const additions = row.path.startsWith('/api/v1/workspaces/') ? WORKSPACE_ADDITIONS : [];
      expect([row.path, pairsOf(row).toSorted()]).toEqual([
        row.path,
        [...new Set([...documented, ...additions])].toSorted(),
      ]);
    }
    expect(count).toBe(177);
  });

  test('has exactly the documented parameters', () => {
    for (const row of LEDGER) {
      const operation = operationAt(row);
      const parameters = parametersOf(contract.document, operation).map((parameter) => {
        const schema = resolve(contract.document, parameter.schema) as JsonMap;
        return [parameter.name, parameter.in, schema.type, parameter.required];
      });
      // The prose of this one page speaks of a filter its table does not have.
      const added = operation.operationId === 'listMcpResources' ? [['name', 'query', 'string', false]] : [];
      expect(parameters.map(String).toSorted()).toEqual([...row.params, ...added].map(String).toSorted());
    }
  });

  test('has exactly the documented body members, required where they are', () => {
    for (const row of LEDGER) {
      const operation = operationAt(row);
      if (row.body.length === 0) {
        expect(operation.requestBody).toBeUndefined();
        continue;
      }
      const schema = schemaOf(contentOf(contract.document, operation.requestBody)['application/json']);
      const required = (schema.required ?? []) as string[];
      const members = Object.entries(schema.properties as JsonMap).map(([name, value]) => {
        return [name, (resolve(contract.document, value) as JsonMap).type, required.includes(name)];
      });
      expect(members.map(String).toSorted()).toEqual(row.body.map(String).toSorted());
      expect((operation.requestBody as JsonMap).required).toBe(row.body.some(([, , needed]) => needed));
    }
  });

  test('has every documented response member with its type', () => {
    for (const row of LEDGER) {
      for (const [name, type] of row.responseFields) {
        const schema = name
          .split('.')
          .reduce<JsonMap>(
            (at, part) => resolve(contract.document, (at.properties as JsonMap)[part]) as JsonMap,
            successOf(operationAt(row)).schema,
          );
        expect([row.path, name, schema.type]).toEqual([row.path, name, type]);
      }
    }
  });

  test('shows all 21 documented JSON successes', () => {
    let count = 0;
    for (const row of LEDGER) {
      const documented = row.examples.filter(({ kind }) => kind === 'success').map(({ value }) => value);
      count += documented.length;
      if (documented.length > 0) expect(successOf(operationAt(row)).examples.map(shortenHashes)).toEqual(documented);
    }
    expect(count).toBe(21);
  });

  test('shows every documented error under its code, with the documented message', () => {
    for (const row of LEDGER) {
      const shown = [...errorExamples(contract.document)].filter(({ at }) =>
        at.startsWith(`${row.method} ${row.path} `),
      );
      for (const { kind, value } of row.examples) {
        if (kind === 'success') continue;
        const match = shown.find(({ value: example }) => {
          const { details: _, ...plain } = example as JsonMap;
          const wanted = 'details' in (value as JsonMap) ? example : plain;
          return JSON.stringify(wanted) === JSON.stringify(value);
        });
        expect([row.path, value, match?.code !== undefined]).toEqual([row.path, value, true]);
      }
    }
  });

  test('describes every documented frame of the two event streams', () => {
    const streams = LEDGER.filter((row) => row.frames !== undefined);
    for (const row of streams) {
      const sse = (operationAt(row).responses['200'] as JsonMap)['x-sse'] as JsonMap;
      expect(Object.keys(sse.events as JsonMap).toSorted()).toEqual(Object.keys(row.frames!).toSorted());
      for (const [event, members] of Object.entries(row.frames!)) {
        const schema = resolve(contract.document, (sse.events as JsonMap)[event]) as JsonMap;
        expect(Object.keys((schema.properties ?? {}) as JsonMap)).toEqual(expect.arrayContaining(members));
      }
      expect([sse.heartbeat_seconds, sse.ids]).toEqual([25, false]);
    }
    expect(streams).toHaveLength(2);
  });

  test('has no success for the probe', () => {
    expect(
      Object.keys((contract.document.paths['/api/v1/agent/mcp/probe']!.post as Operation).responses),
    ).not.toContain('200');
  });
});

describe('the generated files', () => {
  test('are what the source generates, byte for byte', async () => {
    for (const [name, text] of await outputsOf(contract))
      expect([name, text === read(`generated/${name}`)]).toEqual([name, true]);
  });

  test('split into one document for each tag that holds what it refers to', () => {
    const ids = contract.document.tags.flatMap((tag) => {
      const part = subSpec(contract.document, String(tag.name));
      expect(JSON.parse(read(`generated/specs/${String(tag.name)}.json`))).toEqual(JSON.parse(JSON.stringify(part)));
      return operationsOf(part).map(({ operation }) => operation.operationId);
    });
    expect(ids.toSorted()).toEqual([...DOCUMENTED_IDS, ...SURFACE_IDS].toSorted());
  });

  test('say the same in OpenAPI 3.0, without what only 3.1 has', () => {
    const older = JSON.parse(read('generated/openapi.3.0.json')) as Contract['document'];
    expect(older.openapi).toBe('3.0.3');
    expect(operationsOf(older)).toHaveLength(operationsOf(contract.document).length);
    for (const { schema } of schemasOf(older)) expect(['undefined', 'string']).toContain(typeof schema.type);
  });

  test('say in OpenAPI 3.2 what the events of a stream are, which nothing older can', () => {
    const newer = JSON.parse(read('generated/openapi.3.2.json')) as Contract['document'];
    expect(newer.openapi).toBe('3.2.0');
    expect(operationsOf(newer)).toHaveLength(operationsOf(contract.document).length);
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema(newer, 'newer');
    for (const row of LEDGER.filter(({ frames }) => frames !== undefined)) {
      const response = (newer.paths[row.path]![row.method.toLowerCase()] as Operation).responses['200'] as JsonMap;
      const media = (response.content as JsonMap)['text/event-stream'] as JsonMap;
      expect(media.schema).toBeUndefined();
      const isEvent = ajv.compile({ $ref: `newer${String((media.itemSchema as JsonMap).$ref)}` });
      const [example] = Object.values(media.examples as JsonMap);
      const { serializedValue } = resolve(newer, example) as JsonMap;
      const events = framesOf(String(serializedValue));
      for (const { event } of events) expect(Object.keys(row.frames!)).toContain(event);
      for (const event of events) expect([event, isEvent(event)]).toEqual([event, true]);
      expect([isEvent({ event: 'unheard_of', data: '{}' }), isEvent({ event: events[0]!.event })]).toEqual([
        false,
        false,
      ]);
    }
    const taken = structuredClone(contract.document);
    taken.components.schemas!.StreamChangesEvent = { type: 'object' };
    expect(() => toOpenapi32(taken)).toThrow('components/schemas/StreamChangesEvent');
  });

  test('are judged by Redocly too, each version by its own rules', async () => {
    const older = JSON.parse(read('generated/openapi.3.0.json')) as Contract['document'];
    const newer = JSON.parse(read('generated/openapi.3.2.json')) as Contract['document'];
    expect(await lintStructure('3.2', newer)).toEqual([]);
    expect(await lintStructure('3.2', { ...newer, openapi: '3.1.0' })).not.toEqual([]);
    expect(await lintStructure('3.0', older)).toEqual([]);
    expect(await lintStructure('3.0', { ...contract.document, openapi: '3.0.3' })).not.toEqual([]);
    expect(await lintWithRedocly('3.1', contract.document)).toEqual([]);
    expect(await lintWithRedocly('3.1', { ...contract.document, tags: [] })).not.toEqual([]);
  });

  test('give each error code the status the edge answers, and the literal message the domain says', () => {
    const { errors } = JSON.parse(read('generated/catalogue.json')) as { errors: ErrorCatalogue };
    expect(STATUS).toEqual(
      Object.fromEntries(Object.entries(errors.agent).map(([code, { status }]) => [code, status])),
    );
    for (const [code, { message, messages }] of Object.entries(errors.agent)) {
      if (message === 'literal') expect(messages).toContain(new DaemonError(code as ErrorCode).message);
    }
    expect(errors.agent.not_found!.messages).toContain(sessionNotFound().message);
  });
});

type Break = (input: LintInput) => void;
const source = (input: LintInput, file: string): JsonMap => input.sources.get(file) as JsonMap;
const schema = (input: LintInput, name: string): any => input.document.components.schemas![name];
const operation = (input: LintInput, method: string, path: string): any =>
  input.document.paths[`/api/v1/agent${path}`]![method];
const example = (input: LintInput, name: string): any => input.document.components.examples![name];

/** For each rule, a way to break it. */
const BREAKS: Record<string, Break> = {
  'root-refers': (input) => ((source(input, 'openapi.yaml').paths as any)['/api/v1/agent/health'] = { get: {} }),
  'path-files': (input) =>
    ((source(input, 'openapi.yaml').paths as any)['/api/v1/agent/health'].$ref = 'paths/system/alive.yaml'),
  'component-files': (input) => input.sources.set('components/schemas/tool_list.yaml', {}),
  'no-unused-files': (input) => input.sources.set('components/schemas/Lonely.yaml', {}),
  'no-ref-siblings': (input) =>
    ((source(input, 'components/schemas/ToolList.yaml').properties as any).meta.description = 'Lost.'),
  'local-references': (input) =>
    ((source(input, 'components/schemas/ToolList.yaml').properties as any).meta.$ref = 'https://example.org/Meta.yaml'),
  'named-schemas': (input) =>
    (schema(input, 'ToolList').properties.meta = { type: 'object', additionalProperties: true, description: 'x' }),
  'schema-names': (input) => (input.document.components.schemas!.Error = schema(input, 'ApiError')),
  'additional-properties': (input) => delete schema(input, 'ApiError').additionalProperties,
  'array-items': (input) => delete schema(input, 'McpServer').properties.args.items,
  'no-boolean-schemas': (input) => (schema(input, 'McpServer').properties.args = true),
  'portable-keywords': (input) => (schema(input, 'ApiError').properties.code.const = 'bad_request'),
  'type-stated': (input) => delete schema(input, 'ApiError').properties.code.type,
  'type-arrays': (input) => (schema(input, 'ApiError').properties.code.type = ['string', 'null']),
  'null-type': (input) => (schema(input, 'WorkspaceApiError').properties.data.type = 'null'),
  enums: (input) => (schema(input, 'McpTransport').enum = ['stdio', 'streamable-http']),
  'integer-formats': (input) => delete schema(input, 'ListMeta').properties.total.format,
  'opaque-ids': (input) => (schema(input, 'UpsertMcpServerBody').properties.expect_hash.pattern = '^sha256:'),
  timestamps: (input) => delete schema(input, 'Session').properties.started_at.format,
  described: (input) => delete schema(input, 'Session').properties.live.description,
  'required-exists': (input) => schema(input, 'Session').required.push('ghost'),
  'operation-ids': (input) => (operation(input, 'get', '/health').operationId = 'GETVERSION'),
  'one-tag': (input) => operation(input, 'get', '/health').tags.push('mcp'),
  'parameters-by-reference': (input) => operation(input, 'get', '/tools').parameters.push({ name: 'x', in: 'query' }),
  'required-responses': (input) => delete operation(input, 'put', '/mcp/servers').responses['413'],
  'one-success': (input) => (operation(input, 'get', '/health').responses['204'] = { description: 'Nothing.' }),
  'one-error-schema': (input) =>
    (operation(input, 'get', '/health').responses['403'].$ref = '#/components/responses/WorkspaceForbidden'),
  'errors-by-reference': (input) => (operation(input, 'get', '/health').responses['403'] = { description: 'Inline.' }),
  'request-body-required': (input) => delete operation(input, 'put', '/mcp/servers').requestBody.required,
  'delete-body': (input) => delete operation(input, 'delete', '/mcp/servers')['x-delete-body'],
  scopes: (input) => operation(input, 'get', '/mcp/servers')['x-scopes'].push('tool_mode'),
  'realm-parameters': (input) => delete (input.document.components.parameters!.RealmQuery as JsonMap).allowEmptyValue,
  'sdk-names': (input) => (operation(input, 'get', '/mcp/servers')['x-sdk-name'] = 'mcp.listServers'),
  'error-codes': (input) => delete input.lists.errors.agent.forbidden,
  'error-examples': (input) => (example(input, 'forbidden').value.message = 'go away'),
  'errors-have-codes': (input) =>
    delete (contentOf(input.document, { $ref: '#/components/responses/Forbidden' })['application/json'] as any)
      .examples,
  'edge-responses': (input) => delete (input.document['x-edge-responses'] as any).agent['405'],
  'catalogue-form': (input) => ((input.lists.errors.agent.forbidden as any).retry = 'perhaps'),
  'catalogue-used': (input) => (input.lists.errors.agent.unheard_of = { ...input.lists.errors.agent.forbidden! }),
  'error-details': (input) => (input.lists.errors.agent.gate_parked!.details = 'Nothing'),
  'retry-after': (input) => delete (input.document.components.responses!.Unavailable as JsonMap).headers,
  'example-present': (input) =>
    delete operation(input, 'get', '/tools').responses['200'].content['application/json'].examples,
  'examples-by-reference': (input) =>
    (operation(input, 'get', '/tools').responses['200'].content['application/json'].examples.documented = {
      value: {},
    }),
  'examples-valid': (input) => (example(input, 'upsertMcpServer').value.sesions = 3),
  'details-valid': (input) => delete example(input, 'tool_needs_confirmation').value.details.confirm_token,
  'event-streams': (input) => (example(input, 'streamTool').value = 'event: progress\ndata: {}\n\n'),
  'requirement-ids': (input) => input.lists.requirements.push({ ...input.lists.requirements[0]! }),
  'requirement-form': (input) => ((input.lists.requirements[0] as any).level = 'MAY'),
  'requirement-checks': (input) => (input.lists.requirements[0]!.check = 'test/nowhere.test.ts: proves it'),
};

describe('the lint rules', () => {
  const testSource = (path: string): string | undefined => {
    try {
      return read(path);
    } catch {
      return undefined;
    }
  };
  const broken = (how: Break): LintInput => {
    const input = { ...structuredClone(contract), testSource };
    how(input);
    return input;
  };

  test('find nothing in the contract', () => {
    expect(lintContract({ ...contract, testSource })).toEqual([]);
  });

  test('are each broken by one of the contracts below', () => {
    expect(Object.keys(BREAKS).toSorted()).toEqual(RULES.map(({ name }) => name).toSorted());
  });

  test.each(Object.entries(BREAKS))('find a breach of %s', (name, how) => {
    const found = RULES.find((rule) => rule.name === name)!.find(broken(how));
    expect([...found]).not.toEqual([]);
  });
});
