/**
 * A request of every operation that only the rule in question stands against: what `errors.ts` provokes refusals with.
 * An operation joins by a row here; one without a row is reported as missing, not passed over.
 */
import type { CallArguments } from '../client.js';

/** `session` is the session the request names, where it names one. */
export type Sample = (session: string) => CallArguments;

const write = (session: string) => ({ session_id: session, nonce: 'nce_none', expect_hash: 'x' });
const run = { params: { path: 'a.txt' } };
const byId = (session: string): CallArguments => ({ path: { id: session } });
const tool: Sample = () => ({ path: { name: 'read_file' }, body: run });

export const SAMPLES: Readonly<Record<string, Sample>> = {
  getHealth: () => ({}),
  listMcpServers: (session) => ({ query: { session_id: session } }),
  upsertMcpServer: (session) => ({
    body: { ...write(session), server: { name: 'a', command: 'true', enabled: false } },
  }),
  getSession: byId,
  runTool: tool,
};
