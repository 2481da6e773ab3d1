/** Rules of the MCP servers page about imports. */
import { must, mustEqual } from '../../check.js';
import type { Rules } from '../rules.js';
import { idle, McpSession, namesOf } from './mcp-session.js';

const STORED = [idle('a', { env: { OLD: '1' }, x_own: 1 }), idle('b')];

export const mcpImportRules: Rules = {
  'mcp.import.whole-batch': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('old')] });
    const message = await mcp.refuses('import', { servers: [idle('good'), { name: 'none' }, idle('a b')] });
    must(message.includes('none') && message.includes('a b'), 'the refusal does not name every bad entry');
    must(!message.includes('"good"'), 'the refusal names a good entry');
  },
  'mcp.import.disabled': async (target) => {
    const mcp = await McpSession.open(target);
    const entry = { ...target.setting.mcp.child('a'), enabled: true };
    const { servers } = await mcp.done('import', { servers: [entry] });
    mustEqual([servers[0].enabled, servers[0].connected], [false, false], 'enabled and connected');
  },
  'mcp.import.one-input': async (target) => {
    const mcp = await McpSession.open(target);
    const document = JSON.stringify({ mcpServers: { a: { command: 'true' } } });
    for (const source of [{}, { document, servers: [idle('a')] }]) await mcp.refuses('import', source);
  },
  'mcp.import.collision': async (target) => {
    const mcp = await McpSession.open(target, { settings: STORED });
    for (const replace of [undefined, false]) {
      const source = { servers: [idle('new'), idle('a'), idle('b')], ...(replace === undefined ? {} : { replace }) };
      const message = await mcp.refuses('import', source);
      must(message.includes('"a"') && message.includes('"b"'), 'the refusal does not name every collision');
    }
  },
  'mcp.import.replace': async (target) => {
    const mcp = await McpSession.open(target, { settings: STORED });
    await mcp.done('import', { servers: [{ name: 'a', command: 'other' }], replace: true });
    mustEqual(await mcp.stored(), [{ name: 'a', command: 'other', enabled: false }, idle('b')], 'what is stored');
  },
  'mcp.import.mixed-refused': async (target) => {
    const mcp = await McpSession.open(target);
    await mcp.refuses('import', { document: JSON.stringify({ mcpServers: { a: { command: 'x' } }, servers: {} }) });
  },
  'mcp.import.warnings-order': async (target) => {
    const mcp = await McpSession.open(target, { settings: [{ name: 'half' }] });
    const document = JSON.stringify({ servers: { a: { command: 'c', args: ['${workspaceFolder}/x'] } } });
    const layers = (await mcp.list()).warnings;
    must(layers.length === 1, 'the entry that is left out is not in the warnings');
    const { json } = await target.expect(200, 'previewMcpImport', { body: { session_id: mcp.id, document } });
    must(json.warnings.length > 0, 'the reference that cannot be resolved is not in the warnings');
    const { warnings } = await mcp.done('import', { document });
    mustEqual(warnings, [...layers, ...json.warnings], 'warnings');
  },
  'mcp.import.placeholder-elsewhere': async (target) => {
    const mcp = await McpSession.open(target);
    const document = JSON.stringify({ mcpServers: { a: { command: 'c', args: ['--key', '${KEY}'] } } });
    const { warnings } = await mcp.done('import', { document });
    mustEqual((await mcp.stored())[0].args, ['--key', '${KEY}'], 'args');
    must(
      warnings.some((warning: string) => warning.includes('"a"')),
      'no warning names the entry',
    );
  },
  'mcp.import.env-file': async (target) => {
    const mcp = await McpSession.open(target);
    const document = JSON.stringify({ servers: { a: { command: 'c', envFile: '.env' } } });
    const { warnings } = await mcp.done('import', { document });
    must(
      warnings.some((warning: string) => warning.includes('envFile')),
      'no warning names envFile',
    );
    must(!('envFile' in (await mcp.stored())[0]), 'envFile is stored');
  },
  'mcp.import.count': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('old')] });
    const { imported, servers } = await mcp.done('import', { servers: [idle('x'), idle('y')] });
    mustEqual([imported, namesOf({ servers })], [2, ['old', 'x', 'y']], 'imported, and the servers');
  },
  'mcp.import.servers-equal-document': async (target) => {
    const servers = [
      { name: 'a', command: 'c', args: ['-y'], env: { K: '${V}' }, allowed_tools: ['t'], require_confirmation: true },
      { name: 'b', type: 'http', url: 'https://h/x', headers: { Authorization: 'Bearer ${T}' } },
      { name: 'c', command: 'c', x_unknown: { kept: [1, null] } },
    ];
    const [one, two] = [await McpSession.open(target), await McpSession.open(target)];
    const explicit = await one.done('import', { servers });
    const pasted = await two.done('import', { document: JSON.stringify({ mcp_servers: servers }) });
    mustEqual(pasted.hash, explicit.hash, 'the hash of what was written');
    mustEqual(pasted.servers, explicit.servers, 'the servers');
  },
};
