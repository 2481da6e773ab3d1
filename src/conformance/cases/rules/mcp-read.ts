/** Rules of the MCP servers page that are seen by reading: sessions, the list, the preview. */
import { must, mustEqual } from '../../check.js';
import type { Rules } from '../rules.js';

/** Every operation of the group takes its session in one of these places. */
export const mcpReadRules: Rules = {
  'mcp.list.runtime-absent': async (target) => {
    const { id } = await target.session();
    const { json } = await target.expect(200, 'listMcpServers', { query: { session_id: id } });
    mustEqual(Array.isArray(json.servers), true, 'servers is a list');
    must(json.servers !== null, 'servers is null');
  },
};
