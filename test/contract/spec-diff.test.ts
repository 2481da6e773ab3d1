/**
 * What the differ says about one edit of the real contract, in both directions: every rule fires, and a change that
 * breaks writers is not held against readers.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RULES, type Change } from '../../scripts/contract/diff/change.js';
import { diffContracts } from '../../scripts/contract/diff/operations.js';
import { forChangelog, forPeople } from '../../scripts/contract/diff/print.js';
import type { ApiDocument } from '../../scripts/contract/document.js';

const generated = (name: string): ApiDocument =>
  JSON.parse(readFileSync(new URL(`../../generated/${name}`, import.meta.url), 'utf8')) as ApiDocument;
const contract = generated('openapi.json');

type Edit = (document: ApiDocument) => unknown;
const edited = (edit: Edit, from: ApiDocument = contract): ApiDocument => {
  const copy = structuredClone(from);
  edit(copy);
  return copy;
};
const operation = (document: ApiDocument, method: string, path: string): any =>
  document.paths[`/api/v1/agent${path}`]![method];
const component = (document: ApiDocument, section: string, name: string): any => document.components[section]![name];
/** A member of a request body, which is in no response. */
const sent = (document: ApiDocument): any =>
  component(document, 'schemas', 'UpsertMcpServerBody').properties.session_id;
/** A member of a response, which is in no request. */
const told = (document: ApiDocument): any => component(document, 'schemas', 'McpServer').properties.command;
const stream = (document: ApiDocument): any => operation(document, 'get', '/changes/stream').responses['200']['x-sse'];
const put = (document: ApiDocument): any => operation(document, 'put', '/mcp/servers');

interface Row {
  readonly what: string;
  /** Made in both contracts, where the real one has nothing of the kind. */
  readonly base?: Edit;
  readonly edit: Edit;
  /** What is said when the edit is made, and when it is taken back: rules, those that break with a `!`. */
  readonly made: readonly string[];
  readonly undone: readonly string[];
}

/** The same edit of a member that callers write and one that they read. */
const bothWays = (
  what: string,
  edit: (schema: any) => unknown,
  narrower: string,
  wider: string,
  base?: (schema: any) => unknown,
): Row[] => [
  {
    what: `${what}, written`,
    edit: (it) => edit(sent(it)),
    made: [`!${narrower}`],
    undone: [wider],
    ...(base && { base: (it: ApiDocument) => base(sent(it)) }),
  },
  {
    what: `${what}, read`,
    edit: (it) => edit(told(it)),
    made: [narrower],
    undone: [`!${wider}`],
    ...(base && { base: (it: ApiDocument) => base(told(it)) }),
  },
];

const ROWS: Row[] = [
  {
    what: 'an operation goes',
    edit: (it) => delete it.paths['/api/v1/agent/health'],
    made: ['!operation-removed'],
    undone: ['operation-added'],
  },
  {
    what: 'an operationId',
    edit: (it) => (put(it).operationId = 'writeServer'),
    made: ['!operation-id-changed'],
    undone: ['!operation-id-changed'],
  },
  { what: 'a tag', edit: (it) => (put(it).tags = ['tools']), made: ['!tag-changed'], undone: ['!tag-changed'] },
  {
    what: 'an operation is deprecated',
    edit: (it) => (put(it).deprecated = true),
    made: ['operation-deprecated'],
    undone: [],
  },
  { what: 'a scope', edit: (it) => put(it)['x-scopes'].pop(), made: ['!scope-removed'], undone: ['scope-added'] },
  {
    what: 'a server',
    edit: (it) => (it.servers as unknown[]).pop(),
    made: ['!server-removed'],
    undone: ['server-added'],
  },
  {
    what: 'a key is asked for',
    edit: (it) => (put(it).security = [{ key: [] }]),
    made: ['!security-tightened'],
    undone: ['security-loosened'],
  },
  {
    what: 'a security scheme',
    base: (it) => (it.components.securitySchemes = { key: { type: 'http', scheme: 'bearer' } }),
    edit: (it) => (component(it, 'securitySchemes', 'key').scheme = 'basic'),
    made: ['!security-scheme-changed'],
    undone: ['!security-scheme-changed'],
  },
  {
    what: 'a parameter',
    edit: (it) => put(it).parameters.pop(),
    made: ['!parameter-removed'],
    undone: ['parameter-added'],
  },
  {
    what: 'a parameter that must be sent',
    edit: (it) => put(it).parameters.push({ name: 'X-New', in: 'header', required: true, schema: { type: 'string' } }),
    made: ['!required-parameter-added'],
    undone: ['!parameter-removed'],
  },
  {
    what: 'the case of a header',
    edit: (it) => (component(it, 'parameters', 'Cwd').name = 'x-hoody-cwd'),
    made: [],
    undone: [],
  },
  {
    what: 'a parameter is required',
    edit: (it) => (component(it, 'parameters', 'Limit').required = true),
    made: ['!parameter-required'],
    undone: ['parameter-optional'],
  },
  {
    what: 'how a list is written',
    edit: (it) => (component(it, 'parameters', 'TodoStates').explode = true),
    made: ['!parameter-encoding-changed'],
    undone: ['!parameter-encoding-changed'],
  },
  {
    what: 'an empty value is refused',
    edit: (it) => delete component(it, 'parameters', 'RealmQuery').allowEmptyValue,
    made: ['!parameter-encoding-changed'],
    undone: [],
  },
  {
    what: 'a number in a query',
    edit: (it) => (component(it, 'parameters', 'Limit').schema.maximum = 9),
    made: ['!limit-narrowed'],
    undone: ['limit-widened'],
  },
  {
    what: 'a body that must be sent',
    edit: (it) => delete put(it).requestBody,
    made: ['!body-removed'],
    undone: ['!required-body-added'],
  },
  {
    what: 'a body that may be sent',
    edit: (it) => delete operation(it, 'post', '/tools/{name}/run').requestBody,
    made: ['!body-removed'],
    undone: ['body-added'],
  },
  {
    what: 'a body may be left out',
    edit: (it) => (put(it).requestBody.required = false),
    made: ['body-optional'],
    undone: ['!body-required'],
  },
  {
    what: 'a media type',
    edit: ({ paths }) =>
      delete (paths['/api/v1/agent/mcp/servers']!.put as any).requestBody.content['application/json'],
    made: ['!media-type-removed'],
    undone: ['media-type-added'],
  },
  {
    what: 'a refusal',
    edit: (it) => delete put(it).responses['404'],
    made: ['!status-removed'],
    undone: ['status-added'],
  },
  {
    what: 'another success',
    edit: (it) => (put(it).responses['202'] = { description: 'Later.' }),
    made: ['!success-added'],
    undone: ['!status-removed'],
  },
  {
    what: 'an error code',
    edit: (it) => delete component(it, 'responses', 'RunConflict').content['application/json'].examples.gate_parked,
    made: ['!code-removed'],
    undone: ['code-added'],
  },
  {
    what: 'details of an error',
    edit: (it) => delete (it['x-error-details'] as any).gate_parked,
    made: ['!details-removed'],
    undone: ['details-added'],
  },
  {
    what: 'what the edge answers',
    edit: (it) => delete (it['x-edge-responses'] as any).agent['405'],
    made: ['!status-removed'],
    undone: ['status-added'],
  },
  {
    what: 'a header',
    edit: (it) => delete component(it, 'responses', 'Unavailable').headers,
    made: ['!header-removed'],
    undone: ['header-added'],
  },
  {
    what: 'a header that need not come',
    edit: (it) => (component(it, 'headers', 'Allow').required = false),
    made: ['!header-optional'],
    undone: [],
  },
  {
    what: 'an event',
    edit: (it) => delete stream(it).events.changed,
    made: ['!event-removed'],
    undone: ['event-added'],
  },
  {
    what: 'the order of events',
    edit: (it) => (stream(it).order = 'end? snapshot changed*'),
    made: ['!event-rules-changed'],
    undone: ['!event-rules-changed'],
  },
  {
    what: 'fewer heartbeats',
    edit: (it) => (stream(it).heartbeat_seconds = 60),
    made: ['!heartbeat-slower'],
    undone: ['heartbeat-faster'],
  },

  {
    what: 'another type',
    edit: (it) => (told(it).type = 'integer'),
    made: ['!type-changed'],
    undone: ['!type-changed'],
  },
  ...bothWays(
    'fewer types',
    (it) => (it.type = 'string'),
    'type-narrowed',
    'type-widened',
    (it) => (it.type = ['string', 'boolean']),
  ),
  ...bothWays(
    'no null',
    (it) => (it.type = 'string'),
    'null-narrowed',
    'null-widened',
    (it) => (it.type = ['string', 'null']),
  ),
  ...bothWays('a format', (it) => (it.format = 'uri'), 'format-narrowed', 'format-widened'),
  ...bothWays(
    'a smaller format',
    (it) => (it.format = 'int32'),
    'format-narrowed',
    'format-widened',
    (it) => Object.assign(it, { type: 'integer', format: 'int64' }),
  ),
  {
    what: 'another format',
    edit: (it) => (component(it, 'schemas', 'Session').properties.started_at.format = 'date'),
    made: ['!format-changed'],
    undone: ['!format-changed'],
  },
  ...bothWays('a list of values', (it) => (it.enum = ['one']), 'enum-narrowed', 'enum-widened'),
  ...bothWays(
    'one value of two',
    (it) => (it.enum = ['one']),
    'enum-narrowed',
    'enum-widened',
    (it) => (it.enum = ['one', 'two']),
  ),
  {
    what: 'other values',
    base: (it) => (told(it).const = 'one'),
    edit: (it) => (told(it).const = 'two'),
    made: ['!enum-changed'],
    undone: ['!enum-changed'],
  },
  {
    what: 'a known value, read',
    edit: (it) => component(it, 'schemas', 'ToolResult').properties.error_code['x-extensible-enum'].pop(),
    made: ['known-values-removed'],
    undone: ['known-values-added'],
  },
  {
    what: 'a known value, written',
    base: (it) => (sent(it)['x-extensible-enum'] = ['one', 'two']),
    edit: (it) => sent(it)['x-extensible-enum'].pop(),
    made: ['!known-values-removed'],
    undone: ['known-values-added'],
  },
  ...bothWays('a longer minimum', (it) => (it.minLength = 5), 'limit-narrowed', 'limit-widened'),
  ...bothWays(
    'a shorter maximum',
    (it) => (it.maxLength = 5),
    'limit-narrowed',
    'limit-widened',
    (it) => (it.maxLength = 9),
  ),
  ...bothWays('a pattern', (it) => (it.pattern = '^a'), 'constraint-narrowed', 'constraint-widened'),
  {
    what: 'another pattern',
    base: (it) => (told(it).pattern = '^a'),
    edit: (it) => (told(it).pattern = '^b'),
    made: ['!constraint-changed'],
    undone: ['!constraint-changed'],
  },
  {
    what: 'a default, written',
    edit: (it) => (sent(it).default = 'x'),
    made: ['!default-changed'],
    undone: ['!default-changed'],
  },
  { what: 'a default, read', edit: (it) => (told(it).default = 'x'), made: [], undone: [] },
  { what: 'a deprecated member', edit: (it) => (told(it).deprecated = true), made: ['deprecated'], undone: [] },
  { what: 'words', edit: (it) => (told(it).description = 'Other words.'), made: [], undone: [] },
  {
    what: 'a member, read',
    edit: (it) => delete component(it, 'schemas', 'McpServer').properties.command,
    made: ['!member-removed'],
    undone: ['member-added'],
  },
  {
    what: 'a member, written',
    edit: (it) => delete component(it, 'schemas', 'UpsertMcpServerBody').properties.scope,
    made: ['!member-removed'],
    undone: ['member-added'],
  },
  {
    what: 'a member must be sent',
    edit: (it) => component(it, 'schemas', 'UpsertMcpServerBody').required.push('scope'),
    made: ['!member-required'],
    undone: ['member-optional'],
  },
  {
    what: 'a member need not come',
    edit: (it) => component(it, 'schemas', 'McpServer').required.pop(),
    made: ['!member-optional'],
    undone: ['member-required'],
  },
  {
    what: 'unknown members, written',
    edit: (it) => (component(it, 'schemas', 'UpsertMcpServerBody').additionalProperties = true),
    made: ['other-members-allowed'],
    undone: ['!other-members-refused'],
  },
  {
    what: 'unknown members, read',
    edit: (it) => (component(it, 'schemas', 'McpServer').additionalProperties = false),
    made: ['other-members-refused'],
    undone: ['other-members-allowed'],
  },
  {
    what: 'items of a list',
    edit: (it) => (component(it, 'schemas', 'McpServer').properties.args.items.type = 'integer'),
    made: ['!type-changed'],
    undone: ['!type-changed'],
  },
  {
    what: 'values of a map',
    base: (it) => Object.assign(told(it), { type: 'object', additionalProperties: { type: 'string' } }),
    edit: (it) => (told(it).additionalProperties.type = 'integer'),
    made: ['!type-changed'],
    undone: ['!type-changed'],
  },
  ...bothWays(
    'one way of three',
    (it) => it.oneOf.pop(),
    'variants-narrowed',
    'variants-widened',
    (it) => (it.oneOf = [{ minLength: 1 }, { maxLength: 0 }, { enum: ['a'] }]),
  ),
  ...bothWays(
    'one more demand',
    (it) => it.allOf.push({ minLength: 2 }),
    'variants-narrowed',
    'variants-widened',
    (it) => (it.allOf = [{ pattern: 'a' }]),
  ),
  {
    what: 'a schema that leads to itself',
    base: (it) =>
      (component(it, 'schemas', 'McpServer').properties.parent = { $ref: '#/components/schemas/McpServer' }),
    edit: (it) => (told(it).type = 'integer'),
    made: ['!type-changed'],
    undone: ['!type-changed'],
  },
  {
    what: 'a schema under another name',
    edit: (it) => {
      it.components.schemas!.Renamed = component(it, 'schemas', 'McpServer');
      component(it, 'schemas', 'McpServerList').properties.servers.items.$ref = '#/components/schemas/Renamed';
    },
    made: [],
    undone: [],
  },
];

const said = (changes: readonly Change[]): string[] =>
  changes.map(({ rule, breaking }) => `${breaking ? '!' : ''}${rule}`);

describe('the differ', () => {
  test.each(ROWS)('judges $what', ({ base, edit, made, undone }) => {
    const before = base === undefined ? contract : edited(base);
    const after = edited(edit, before);
    expect(said(diffContracts(before, after))).toEqual(made);
    expect(said(diffContracts(after, before))).toEqual(undone);
  });

  test('has no rule that never fires', () => {
    const fired = ROWS.flatMap(({ made, undone }) => [...made, ...undone]).map((rule) => rule.replace('!', ''));
    expect([...new Set(fired)].toSorted()).toEqual([...RULES].toSorted());
  });

  test('finds nothing between a contract and itself, whatever was edited', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(ROWS, { maxLength: 6 }), (rows) => {
        const document = structuredClone(contract);
        for (const { base, edit } of rows) {
          try {
            base?.(document);
            edit(document);
          } catch {
            // One edit may take away what another one edits.
          }
        }
        expect(diffContracts(document, structuredClone(document))).toEqual([]);
      }),
      { numRuns: 5 },
    );
  });

  test('finds nothing between the three forms of the contract', () => {
    for (const form of ['openapi.3.0.json', 'openapi.3.2.json']) {
      expect([form, diffContracts(contract, generated(form))]).toEqual([form, []]);
    }
  });

  test('names every operation that a shared component reaches, and tells it once', () => {
    const [change, ...others] = diffContracts(
      contract,
      edited((it) => delete component(it, 'schemas', 'ListMeta').properties.page),
    );
    expect(others).toEqual([]);
    expect(change).toMatchObject({ at: 'schema ListMeta (response)', message: 'the member page is gone' });
    expect(change!.operations).toEqual(expect.arrayContaining(['listSessions', 'listTodos', 'listTools']));
    expect(forPeople([change!])).toMatch(/^BREAKING {4}member-removed .* \[.* more\]\n1 breaking, 0 compatible$/);
  });

  test('gives the changelog a section', () => {
    const changes = diffContracts(
      edited((it) => delete it.paths['/api/v1/agent/health']),
      edited((it) => delete told(it).type),
    );
    expect(forChangelog(changes)).toMatch(
      /^### Breaking\n\n- `deleteMcpServer`, .* and \d+ more: schema .*\n\n### Added\n\n- `getHealth`, new: .*\n$/s,
    );
  });
});
