/**
 * A request of every operation that only the rule in question stands against: what the error cases provoke refusals
 * with. An operation joins by a row here; one without a row is reported as missing, not passed over.
 *
 * Invariant: nothing comes of a sample whose names are those of MISSING, unless its operation needs no name.
 */
import type { CallArguments } from '../client.js';

/** What a request may be about. */
export interface Names {
  readonly session: string;
  readonly todo: string;
  readonly agent: string;
  readonly workflow: string;
  readonly run: string;
  readonly job: string;
  readonly workspace: string;
  readonly tool: string;
  /** Of what the request makes. */
  readonly made: string;
}

export type Sample = (names: Names) => CallArguments;

/** In every name of what is not there, so that it can be seen whether a sample names anything. */
const NOWHERE = 'conformance-nowhere';
/** A folder no machine has. */
export const NOWHERE_PATH = `/${NOWHERE}`;

/** Names no target issues, a tool every target has, and the name of something new. */
export const MISSING: Names = {
  session: `sess_${NOWHERE}`,
  todo: `todo_${NOWHERE}`,
  agent: NOWHERE,
  workflow: NOWHERE,
  run: `run_${NOWHERE}`,
  job: `job_${NOWHERE}`,
  workspace: `ws_${NOWHERE}`,
  tool: 'read_file',
  made: 'x',
};

/** The request is about something that has to be there. */
export const namesSomething = (sample: Sample): boolean => JSON.stringify(sample(MISSING)).includes(NOWHERE);

const nothing: Sample = () => ({});
const ofSession = (body?: object): Sample => {
  return ({ session }) => ({ path: { id: session }, ...(body && { body }) });
};
const ofTodo = (body?: object): Sample => {
  return ({ todo }) => ({ path: { id: todo }, ...(body && { body }) });
};
const ofAgent = (body?: object): Sample => {
  return ({ agent }) => ({ path: { name: agent }, ...(body && { body }) });
};
const ofWorkflow = (body?: object): Sample => {
  return ({ workflow }) => ({ path: { name: workflow }, ...(body && { body }) });
};
const ofRun: Sample = ({ run }) => ({ path: { run_id: run } });
const ofJob: Sample = ({ job }) => ({ path: { id: job } });
const inSession = (body: object): Sample => {
  return ({ session }) => ({ body: { session_id: session, ...body } });
};
const write = (body: object): Sample => inSession({ nonce: 'nce_none', expect_hash: 'sha256:0', ...body });
const ofWorkspace = (query?: Record<string, string>): Sample => {
  return ({ workspace }) => ({ path: { workspaceID: workspace }, ...(query && { query }) });
};
const ofRule = (body?: object): Sample => {
  return ({ session, tool }) => ({ path: { id: session, tool }, ...(body && { body }) });
};
const toolRun = { params: { path: 'a.txt' } };
const ofTool = (body?: object): Sample => {
  return ({ tool }) => ({ path: { name: tool }, ...(body && { body }) });
};

export const SAMPLES: Readonly<Record<string, Sample>> = {
  getHealth: nothing,
  getVersion: nothing,
  getOpenapiJson: nothing,
  getOpenapiYaml: nothing,
  getDocs: nothing,
  getAuthStatus: nothing,

  createSession: () => ({ body: { cwd: '/' } }),
  listSessions: nothing,
  listSessionCwds: nothing,
  getSession: ofSession(),
  renameSession: ofSession({ name: 'x' }),
  deleteSession: ofSession(),
  closeSession: ofSession(),
  getSessionState: ofSession(),
  cancelSession: ofSession({}),
  setSessionYolo: ofSession({ enabled: false }),
  getSessionApproval: ofSession(),
  setApprovalRule: ofRule({ decision: 'deny' }),
  deleteApprovalRule: ofRule(),

  listGates: nothing,
  answerGate: ofSession({ answer: 'x' }),
  confirmGate: ofSession({ approved: false }),

  listMcpServers: ({ session }) => ({ query: { session_id: session } }),
  upsertMcpServer: write({ server: { name: 'a', command: 'true', enabled: false } }),
  deleteMcpServer: write({ name: 'a' }),
  setMcpServerEnabled: write({ name: 'a', enabled: false }),
  previewMcpImport: inSession({ document: '{}' }),
  importMcpServers: write({ servers: [] }),
  createMcpWriteIntent: inSession({ op: 'upsert' }),
  testMcpServer: inSession({ server: { name: 'a', command: 'true' } }),
  reconnectMcp: inSession({}),

  listTools: nothing,
  listReadOnlyTools: nothing,
  getTool: ofTool(),
  listSessionTools: ofSession(),
  listSessionMcpTools: ofSession(),
  runTool: ofTool(toolRun),
  runToolAsync: ofTool(toolRun),
  streamTool: ofTool(toolRun),
  runSessionTool: ({ session, tool }) => ({ path: { id: session, name: tool }, body: toolRun }),

  getJob: ofJob,
  deleteJob: ofJob,
  getJobResult: ofJob,

  createTodo: () => ({ body: { title: 'x', cwd: '/' } }),
  listTodos: nothing,
  getTodosRevision: nothing,
  purgeTodos: nothing,
  getTodo: ofTodo(),
  updateTodo: ofTodo({ revision: 1 }),
  claimTodo: ({ todo, session }) => ({ path: { id: todo }, body: { session_id: session, revision: 1 } }),
  releaseTodo: ({ todo, session }) => ({ path: { id: todo }, body: { session_id: session, outcome: 'done' } }),
  createTodoComment: ofTodo({ text: 'x' }),
  snoozeTodo: ofTodo({ wake_at: '', revision: 1 }),
  archiveTodo: ofTodo({ revision: 1 }),

  listAgents: nothing,
  createAgent: ({ made }) => ({ body: { name: made } }),
  deleteAgent: ofAgent(),
  getAgentSource: ofAgent(),
  setAgentSource: ofAgent({ content: '---\ndescription: x\n---\n', expected_revision: 'sha256:0' }),
  copyAgent: ofAgent({ new_name: 'x' }),
  renameAgent: ofAgent({ new_name: 'x' }),
  setAgentModel: ofAgent({ model: 'x' }),
  setAgentTools: ofAgent({ tools: [] }),
  setAgentTurns: ofAgent({ turns: 1 }),

  listWorkflows: nothing,
  getWorkflow: ofWorkflow(),
  setWorkflow: ({ made }) => ({
    path: { name: made },
    body: { expected_absent: true, definition: { steps: [{ id: 'a', tool: 'read_file', params: { path: 'a.txt' } }] } },
  }),
  deleteWorkflow: ofWorkflow(),
  hideWorkflow: ofWorkflow({ hidden: true }),
  listWorkflowRuns: nothing,
  getWorkflowRun: ofRun,
  cancelWorkflowRun: ofRun,
  runSessionWorkflow: ({ session, workflow }) => ({ path: { id: session, name: workflow }, body: {} }),

  getHookRules: nothing,
  setHookRules: inSession({ nonce: 'nce_none', rules: [] }),
  createHookWriteIntent: inSession({ op: 'rules_set', scope: 'project' }),
  listApplicableRules: ofSession(),

  getChanges: nothing,
  streamChanges: nothing,

  listMcpResources: ofWorkspace(),
  listToolSchemas: ofWorkspace({ provider: 'openai', model: 'x' }),
  listToolIds: ofWorkspace(),
  listWorkspaceTools: ofWorkspace(),
};
