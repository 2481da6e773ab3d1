/**
 * Lies about rules: each is a way a real implementation might be wrong, and names the rules that must notice. They are
 * made anew for each case, for some of them remember what came by.
 */
import type { Answered, Asked, Lie } from './proxy.js';

// oxlint-disable-next-line typescript/no-explicit-any -- a lie is about whatever came.
type Json = any;

interface RuleLie {
  readonly rules: readonly string[];
  readonly make: () => Lie;
}

const WRITES = ['upsertMcpServer', 'deleteMcpServer', 'setMcpServerEnabled', 'importMcpServers'];

/** Changes the body of requests to these operations. */
const asking =
  (operations: readonly string[], change: (body: Json) => Json) =>
  ({ operation, body }: Asked): { body: Json } | undefined => {
    if (operation === undefined || !operations.includes(operation.id) || body === undefined) return undefined;
    return { body: change(structuredClone(body)) };
  };

/** Changes the body of successful answers of these operations. */
const answering =
  (operations: readonly string[], change: (body: Json) => Json) =>
  ({ status, body }: Answered, { operation }: Asked): { body: Json } | undefined => {
    if (operation === undefined || !operations.includes(operation.id) || status >= 400) return undefined;
    return { body: change(structuredClone(body)) };
  };

const withoutNulls = (map: Json): Json =>
  map === undefined || map === null
    ? map
    : Object.fromEntries(Object.entries(map).filter(([, value]) => value !== null));

const eachServer = (body: Json, change: (row: Json) => Json): Json => ({ ...body, servers: body.servers.map(change) });

/** Writes in place of what the case sent what the last intent had said. */
const ignoring = (member: 'nonce' | 'expect_hash'): Lie => {
  let last: string | undefined;
  return {
    says: `does not look at ${member}`,
    answer: ({ status, body }, { operation }) => {
      if (operation?.id === 'createMcpWriteIntent' && status === 200)
        last = member === 'nonce' ? body.nonce : body.hash;
      return undefined;
    },
    ask: asking(WRITES, (body) => (last === undefined ? body : { ...body, [member]: last })),
  };
};

const RULE_LIES: readonly RuleLie[] = [
  {
    rules: [
      'mcp.nonce.single-use',
      'mcp.nonce.bound-op',
      'mcp.write.nonce-required',
      'mcp.nonce.fails-closed',
      'mcp.nonce.spent-on-conflict',
    ],
    make: () => ignoring('nonce'),
  },
  {
    rules: ['mcp.write.hash-mismatch', 'mcp.write.hash-required'],
    make: () => ignoring('expect_hash'),
  },
  {
    rules: ['mcp.upsert.env-key-null'],
    make: () => ({
      says: 'takes null for a key that was left out',
      ask: asking(['upsertMcpServer'], (body) => ({
        ...body,
        server: { ...body.server, env: withoutNulls(body.server.env), headers: withoutNulls(body.server.headers) },
      })),
    }),
  },
  {
    rules: ['mcp.upsert.env-empty'],
    make: () => ({
      says: 'takes an empty map for one that was left out',
      ask: asking(['upsertMcpServer'], (body) => {
        for (const map of ['env', 'headers']) if (JSON.stringify(body.server[map]) === '{}') delete body.server[map];
        return body;
      }),
    }),
  },
  {
    rules: ['mcp.upsert.null-refused'],
    make: () => ({
      says: 'takes null for a member that was left out',
      ask: asking(['upsertMcpServer'], (body) => ({ ...body, server: withoutNulls(body.server) })),
    }),
  },
  {
    rules: ['mcp.upsert.case-refused', 'mcp.repair.exact-member'],
    make: () => ({
      says: 'reads member names in any letter case',
      ask: asking(['upsertMcpServer'], (body) => {
        const entries = Object.entries(body.server).map(([name, value]) => [name.toLowerCase(), value]);
        return { ...body, server: { ...Object.fromEntries(entries), args: undefined } };
      }),
    }),
  },
  {
    rules: ['mcp.upsert.null-arg-refused'],
    make: () => ({
      says: 'drops null from args',
      ask: asking(['upsertMcpServer'], (body) => ({
        ...body,
        server: { ...body.server, args: body.server.args?.filter((arg: Json) => arg !== null) },
      })),
    }),
  },
  {
    rules: ['mcp.upsert.header-case-refused'],
    make: () => ({
      says: 'keeps the last of two spellings of a header',
      ask: asking(['upsertMcpServer'], (body) => ({
        ...body,
        server: { ...body.server, headers: body.server.headers && { 'X-One': '2' } },
      })),
    }),
  },
  {
    rules: ['mcp.upsert.placeholder-refused'],
    make: () => ({
      says: 'takes a placeholder for a key that was left out',
      ask: asking(['upsertMcpServer'], (body) => ({ ...body, server: { ...body.server, env: undefined } })),
    }),
  },
  {
    rules: ['mcp.upsert.absent-keeps', 'mcp.enable.flag-alone'],
    make: () => ({
      says: 'writes the default for what was left out',
      ask: asking(['upsertMcpServer', 'setMcpServerEnabled'], (body) =>
        body.server === undefined
          ? { ...body, enabled: !body.enabled }
          : { ...body, server: { require_confirmation: false, ...body.server } },
      ),
    }),
  },
  {
    rules: ['mcp.repoint.resupplied', 'mcp.upsert.env-key-set'],
    make: () => ({
      says: 'loses the credentials of a write',
      ask: asking(['upsertMcpServer'], (body) => ({ ...body, server: { ...body.server, env: undefined } })),
    }),
  },
  {
    rules: ['mcp.list.no-values'],
    make: () => ({
      says: 'shows the values of env',
      answer: answering(['listMcpServers'], (body) =>
        eachServer(body, (row) => ({ ...row, env: { A: 'cfm-secret-value' } })),
      ),
    }),
  },
  {
    rules: ['mcp.list.key-names'],
    make: () => ({
      says: 'lists key names as they come',
      answer: answering(['listMcpServers'], (body) =>
        eachServer(body, (row) => ({ ...row, env_keys: row.env_keys.toReversed() })),
      ),
    }),
  },
  {
    rules: ['mcp.list.verbatim'],
    make: () => ({
      says: 'shows paths expanded',
      answer: answering(['listMcpServers'], (body) =>
        eachServer(body, (row) => ({ ...row, command: row.command?.replace('~', '/home/alice') })),
      ),
    }),
  },
  {
    rules: ['mcp.list.runtime-absent'],
    make: () => ({
      says: 'has a pid for what never ran',
      answer: answering(['listMcpServers'], (body) => eachServer(body, (row) => ({ pid: 0, ...row }))),
    }),
  },
  {
    rules: ['mcp.list.conditional-members'],
    make: () => ({
      says: 'tells revoked of everything',
      answer: answering(['listMcpServers'], (body) => eachServer(body, (row) => ({ revoked: false, ...row }))),
    }),
  },
  {
    rules: ['mcp.list.warnings-layer', 'mcp.list.warnings-entry', 'mcp.write.servers-like-list'],
    make: () => ({
      says: 'warns of nothing',
      answer: answering(['listMcpServers'], (body) => ({ ...body, warnings: [] })),
    }),
  },
  {
    rules: [
      'mcp.preview.unresolvable',
      'mcp.import.warnings-order',
      'mcp.import.placeholder-elsewhere',
      'mcp.import.env-file',
    ],
    make: () => ({
      says: 'warns of nothing in a document',
      answer: answering(['previewMcpImport', 'importMcpServers'], (body) => ({ ...body, warnings: [] })),
    }),
  },
  {
    rules: ['mcp.preview.no-values', 'mcp.preview.same-as-import', 'mcp.preview.dialects'],
    make: () => ({
      says: 'previews something else than the document',
      answer: answering(['previewMcpImport'], (body) => ({ ...body, dialect: 'bare', servers: body.servers.slice(1) })),
    }),
  },
  {
    rules: ['mcp.limit.payload'],
    make: () => ({
      says: 'takes a body over the limit',
      answer: ({ code }) =>
        code === 'payload_too_large'
          ? { status: 400, body: { code: 'bad_request', message: 'invalid request' } }
          : undefined,
    }),
  },
  {
    rules: ['edge.body.slow'],
    make: () => ({
      says: 'has no place for a whole request',
      answer: ({ code }) =>
        code === 'not_found'
          ? { status: 503, body: { code: 'service_unavailable', message: 'service unavailable' } }
          : undefined,
    }),
  },
  {
    rules: ['tools.run.caller-gone'],
    make: () => ({ says: 'works on for a caller who is gone', isDeaf: true }),
  },
  {
    rules: ['mcp.import.disabled'],
    make: () => ({
      says: 'says an import is enabled',
      answer: answering(['importMcpServers'], (body) => eachServer(body, (row) => ({ ...row, enabled: true }))),
    }),
  },
  {
    rules: ['mcp.import.count'],
    make: () => ({
      says: 'counts what is there, not what was written',
      answer: answering(['importMcpServers'], (body) => ({ ...body, imported: body.servers.length })),
    }),
  },
  {
    rules: ['mcp.import.replace', 'mcp.import.collision'],
    make: () => ({
      says: 'turns replace round',
      ask: asking(['importMcpServers'], (body) => ({ ...body, replace: body.replace !== true })),
    }),
  },
  {
    rules: ['mcp.counters.revoked'],
    make: () => ({ says: 'counts one build for all', answer: answering(WRITES, (body) => ({ ...body, revoked: 0 })) }),
  },
  {
    rules: ['mcp.counters.sessions', 'mcp.counters.deferred', 'mcp.counters.partial'],
    make: () => ({
      says: 'counts the caller alone',
      answer: answering(WRITES, (body) => ({ ...body, sessions: 1, deferred_sessions: 0, partial_sessions: 0 })),
    }),
  },
  {
    rules: ['tools.list.windows'],
    make: () => ({
      says: 'counts the window in place of the whole',
      answer: answering(['listTools'], (body) => ({ ...body, meta: { ...body.meta, total: body.items.length } })),
    }),
  },
  {
    rules: ['tools.catalogue.complete', 'tools.toolbox.schemas'],
    make: () => ({
      says: 'describes no params',
      answer: answering(['listTools'], (body) => ({
        ...body,
        items: body.items.map((row: Json) => ({ ...row, input_schema: { type: 'object', properties: { x: {} } } })),
      })),
    }),
  },
  {
    rules: ['tools.catalogue.read-only'],
    make: () => ({
      says: 'lists tools as read-only that are not',
      answer: answering(['listReadOnlyTools'], (body) => ({
        ...body,
        items: [...body.items, ...body.items.slice(0, 1)],
      })),
    }),
  },
  {
    rules: ['tools.stream.order'],
    make: () => ({
      says: 'tells a result twice',
      frame: (frame, event) => (event === 'result' ? `${frame}\n\n${frame}` : frame),
    }),
  },
  {
    rules: ['changes.token.no-clock', 'changes.token.own-scope'],
    make: () => {
      let reading = 0;
      return {
        says: 'counts readings into its tokens',
        answer: answering(['getChanges'], (body) => {
          reading += 1;
          return { ...body, tokens: { ...body.tokens, todos: `${body.tokens.todos}${reading}` } };
        }),
      };
    },
  },
  {
    rules: ['changes.token.moves', 'changes.sessions.turn', 'changes.todos.any', 'changes.gates.parked'],
    make: () => ({
      says: 'has tokens that stand still',
      answer: answering(['getChanges'], (body) => {
        const still = Object.keys(body.tokens).map((topic) => [topic, 'still']);
        return { ...body, tokens: Object.fromEntries(still) };
      }),
    }),
  },
  {
    rules: ['changes.scope.no-account'],
    make: () => ({
      says: 'has one scope for all',
      answer: answering(['getChanges'], (body) => ({ ...body, scope: 'all' })),
    }),
  },
  {
    rules: ['changes.stream.changed'],
    make: () => ({
      says: 'never tells what moved',
      frame: (frame, event) => (event === 'changed' ? undefined : frame),
    }),
  },
  {
    rules: ['todos.list.filters'],
    make: () => ({
      says: 'lists all whatever was asked for',
      ask: ({ operation, target }) =>
        operation?.id === 'listTodos' ? { target: `${target.split('?')[0]}?all=true` } : undefined,
    }),
  },
  {
    rules: ['store.text.unharmed'],
    make: () => ({
      says: 'cuts text at NUL',
      answer: answering(['getTodo'], (body) => JSON.parse(JSON.stringify(body).replaceAll('\\u0000', ''))),
    }),
  },
  {
    rules: ['agents.edit.rest-kept', 'agents.source.revision'],
    make: () => ({
      says: 'writes a definition anew',
      answer: answering(['getAgentSource'], (body) => ({
        ...body,
        content: body.content.replaceAll(/^#.*\n|More\.\n/gm, ''),
      })),
    }),
  },
  {
    rules: ['agents.list.broken-named'],
    make: () => ({
      says: 'passes over what it cannot read',
      answer: answering(['listAgents'], (body) => ({ ...body, warnings: [] })),
    }),
  },
  {
    rules: ['tools.run.control-keys'],
    make: () => ({
      says: 'hands control keys on',
      answer: ({ code, body }) =>
        code === 'tool_needs_confirmation'
          ? { body: { ...body, details: { ...body.details, params: { ...body.details.params, confirmed: true } } } }
          : undefined,
    }),
  },
  {
    rules: ['tools.sessionless.scope-headers', 'tools.in-session.frozen-posture'],
    make: () => ({
      says: 'reads no scope header',
      ask: ({ headers, operation }) =>
        operation?.id === 'runTool'
          ? { headers: { ...headers, 'x-hoody-tool-mode': undefined, 'x-hoody-dir-scope': undefined } }
          : undefined,
      answer: ({ code }, { operation }) =>
        operation?.id === 'runSessionTool' && code === 'tool_needs_confirmation'
          ? { status: 200, body: { ok: true, output: '' } }
          : undefined,
    }),
  },
];

/** The lie of its own that a rule has. */
export const lieAboutRule = (id: string): Lie | undefined => RULE_LIES.find(({ rules }) => rules.includes(id))?.make();
