/** Rules of the Experimental page: workspaces, their resources, schemas and tools, in the older envelope. */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { must, mustEqual } from '../../check.js';
import type { Target } from '../../target.js';
import type { Rules } from '../rules.js';
import { McpSession } from './mcp-session.js';

const OPERATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  listMcpResources: {},
  listToolSchemas: { provider: 'openai', model: 'm' },
  listToolIds: {},
  listWorkspaceTools: {},
};
const PROVIDERS = ['openai', 'anthropic', 'google', 'mistral', 'groq', 'openrouter', 'ollama'];

/** A workspace with one connected server of ours. */
const workspace = async (target: Target) => {
  const mcp = await McpSession.open(target);
  const name = await mcp.connected();
  const { json } = await target.expect(200, 'getSession', { path: { id: mcp.id } });
  const workspaceID = json.started.workspace_id as string;
  const get = async (operation: string, query: Record<string, string> = OPERATIONS[operation]!) =>
    (await target.expect(200, operation, { path: { workspaceID }, query })).json;
  return { mcp, name, workspaceID, get };
};

export const workspaceRules: Rules = {
  'workspaces.folder.id': async (target) => {
    const { cwd, answer } = await target.session();
    const wanted = createHash('sha256')
      .update(await realpath(cwd))
      .digest('hex')
      .slice(0, 24);
    mustEqual(answer.json.started.workspace_id, wanted, 'the id');
    for (const workspaceID of [wanted, `ws_${wanted}`])
      await target.expect(200, 'listToolIds', { path: { workspaceID } });
  },
  'workspaces.folder.known': async (target) => {
    const folder = await target.folder();
    const workspaceID = createHash('sha256')
      .update(await realpath(folder))
      .digest('hex')
      .slice(0, 24);
    await target.refused(400, 'WORKSPACE_NOT_FOUND', 'listToolIds', { path: { workspaceID } });
    await target.session({ cwd: folder });
    await target.expect(200, 'listToolIds', { path: { workspaceID } });
  },
  'workspaces.errors.unknown-first': async (target) => {
    const path = { workspaceID: 'ws_conformance_missing' };
    for (const [operation, query] of Object.entries(OPERATIONS)) {
      await target.refused(400, 'WORKSPACE_NOT_FOUND', operation, { path, query });
    }
    const query = { provider: 'nobody', model: 'm' };
    await target.refused(400, 'WORKSPACE_NOT_FOUND', 'listToolSchemas', { path, query });
  },
  'workspaces.errors.provider': async (target) => {
    const { answer } = await target.session();
    const path = { workspaceID: answer.json.started.workspace_id as string };
    const provider = 'p'.repeat(100);
    const refused = await target.refused(400, 'INVALID_PROVIDER', 'listToolSchemas', {
      path,
      query: { provider, model: 'm' },
    });
    const { message } = refused.json.errors[0];
    must(
      message.includes('p'.repeat(64)) && !message.includes('p'.repeat(65)),
      'the message does not name it, cut at 64',
    );
  },
  'workspaces.errors.envelope': async (target) => {
    const path = { workspaceID: 'ws_conformance_missing' };
    const answers = [
      await target.refused(400, 'WORKSPACE_NOT_FOUND', 'listToolIds', { path }),
      await target.refused(400, 'BAD_REQUEST', 'listToolIds', { path, query: { no_such_parameter: 1 } }),
    ];
    for (const { json } of answers) {
      mustEqual(
        [json.data, json.success, json.errors.length],
        [null, false, 1],
        'data, success and the number of errors',
      );
    }
  },
  'workspaces.resources.all-servers': async (target) => {
    const { get, name } = await workspace(target);
    const rows = Object.values<{ client: string }>(await get('listMcpResources'));
    const own = rows.filter(({ client }) => client === name);
    must(own.length > 1, 'the resources of a connected server are not listed, all pages of them');
  },
  'workspaces.resources.dead-beside': async (target) => {
    const { mcp, get, name } = await workspace(target);
    await mcp.upsert({ name: 'gone', command: '/no/such/program' });
    const rows = Object.values<{ client: string }>(await get('listMcpResources'));
    must(
      rows.some(({ client }) => client === name),
      'a dead server took the resources of another with it',
    );
  },
  'workspaces.resources.keys': async (target) => {
    const { mcp, get } = await workspace(target);
    await mcp.connected();
    const map = await get('listMcpResources');
    for (const [key, { name, client }] of Object.entries<{ name: string; client: string }>(map)) {
      must(
        key === name || key.startsWith(`${name} (${client}`),
        `the key ${key} is neither the name nor name (client)`,
      );
    }
    must(
      Object.keys(map).some((key) => key.includes(' (')),
      'two servers share a name and no key says whose it is',
    );
  },
  'workspaces.resources.name': async (target) => {
    const { get } = await workspace(target);
    const [first] = Object.values<{ name: string }>(await get('listMcpResources'));
    const named = await get('listMcpResources', { name: first!.name });
    must(Object.keys(named).length > 0, 'a name that is there selects nothing');
    for (const { name } of Object.values<{ name: string }>(named)) mustEqual(name, first!.name, 'the name');
    mustEqual(
      await get('listMcpResources', { name: 'conformance-no-such' }),
      {},
      'the resources of a name that is not there',
    );
  },
  'workspaces.schemas.accepted': async (target) => {
    const { get } = await workspace(target);
    for (const provider of PROVIDERS) {
      const rows = await get('listToolSchemas', { provider, model: 'm' });
      must(rows.length > 0, `${provider} gets no tools`);
      for (const { id, parameters } of rows)
        mustEqual(parameters.type, 'object', `the type of the parameters of ${id} for ${provider}`);
      const text = JSON.stringify(rows.map(({ parameters }: { parameters: unknown }) => parameters));
      if (provider === 'google') must(!text.includes('"additionalProperties"'), 'google gets additionalProperties');
    }
  },
  'workspaces.ids.form': async (target) => {
    const { get, name } = await workspace(target);
    const ids = await get('listToolIds');
    must(
      ids.includes('read_file') && ids.includes(`mcp:${name}:echo`),
      'built-in or server tools are not listed by id',
    );
  },
  'workspaces.tools.rows': async (target) => {
    const { get, name } = await workspace(target);
    const rows = await get('listWorkspaceTools');
    const builtIn = rows.find(({ id }: { id: string }) => id === 'read_file');
    mustEqual(
      [builtIn?.source, builtIn?.sourceName, builtIn?.category, builtIn?.status, builtIn?.permissionKey],
      ['builtin', 'core', 'filesystem', 'ready', 'fs.read'],
      'the row of read_file',
    );
    const own = rows.find((row: { id: string }) => row.id === `mcp_${name}_echo`);
    mustEqual(
      [own?.source, own?.sourceName, own?.category, own?.status, own?.permissionKey],
      ['mcp', name, 'mcp', 'ready', `mcp.${name}.echo`],
      'the row of a server tool',
    );
  },
  'workspaces.tools.states-true': async (target) => {
    const { mcp, get, name } = await workspace(target);
    const status = async () =>
      (await get('listWorkspaceTools')).find((row: { id: string }) => row.id === `mcp_${name}_echo`)?.status;
    mustEqual(await status(), 'ready', 'the status of a connected server');
    await mcp.enable(name, false);
    await target.until('the status disabled', async () => (await status()) === 'disabled');
  },
  'workspaces.tools.unique-ids': async (target) => {
    const { mcp, get } = await workspace(target);
    await mcp.connected();
    const ids = (await get('listWorkspaceTools')).map(({ id }: { id: string }) => id);
    mustEqual(new Set(ids).size, ids.length, 'the number of distinct ids');
  },
};
