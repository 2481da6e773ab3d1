/**
 * What the replay of one documented answer works with: the documented request with live values in place of its own, and
 * ways to bring about, through the API alone, what the answer tells of (a todo, a job, a question that waits).
 * On a mock everything is as it was the first time it was asked, so nothing is waited for there.
 */
import { Broken, must, Untestable } from '../check.js';
import type { Answer, CallArguments, Client, EventStream } from '../client.js';
import type { Documented } from '../contract.js';
import type { ServerEntry } from '../mcp-fixtures.js';
import type { Target } from '../target.js';

export type Body = Readonly<Record<string, unknown>>;

/** Where all cases share one folder, each attempt meets another writer more often than not. */
export const WRITE_ATTEMPTS = 40;
/** Longer than any case takes; whatever sleeps so long is cancelled when the case is over. */
export const LONG_MS = 120_000;
/** The layer that belongs to the folder of the case alone. */
const SCOPE = { scope: 'project' };

export interface Gate {
  readonly gate_id: string;
  readonly generation: number;
}

export class Scene {
  readonly target: Target;
  readonly of: Documented;
  readonly #client: Client;

  /** `example` is what a mock is asked for. */
  constructor(target: Target, of: Documented, example: string | undefined) {
    this.target = target;
    this.of = of;
    const prefer = { status: of.status, ...(example !== undefined && { example }) };
    this.#client = this.isMock ? target.client.with({ prefer }) : target.client;
  }

  /** The same at a target in another state. */
  at(target: Target): Scene {
    return new Scene(target, this.of, undefined);
  }

  get isMock(): boolean {
    return this.target.setting.capabilities.mock;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- a documented body, whatever its shape.
  get example(): any {
    return this.of.value;
  }

  /** The documented request body with these members in place of its own. */
  body(change: Body = {}): Body {
    return { ...(this.of.operation.requestExample as Body | undefined), ...change };
  }

  /** Sends the request the case is about. */
  send(call: CallArguments = {}): Promise<Answer> {
    return this.#client.call(this.of.operation.id, call);
  }

  /** The same, of a stream; it is closed when the case is over. */
  async stream(call: CallArguments = {}): Promise<EventStream> {
    const stream = await this.#client.stream(this.of.operation.id, call);
    this.target.defer(async () => stream.close());
    return stream;
  }

  /** Waits until it is so. */
  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    if (!this.isMock) await this.target.until(what, isSo);
  }

  /** A write to the settings with a nonce and a hash of its own. `send` gets the members that guard it. */
  async write(session: string, op: string, send: (guard: Body) => Promise<Answer>): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const intent = { session_id: session, op, ...SCOPE };
      const { json } = await this.target.expect(200, 'createMcpWriteIntent', { body: intent });
      const guard = { session_id: session, nonce: json.nonce, expect_hash: json.hash, ...SCOPE };
      const answer = await send(guard);
      if (answer.code !== 'mcp_conflict' || attempt === WRITE_ATTEMPTS) return answer;
    }
  }

  /** An entry for a server of ours, of a kind the target claims. */
  async entry(more: Body = {}, kind: 'any' | 'child' = 'any'): Promise<ServerEntry> {
    const { mcp, sharesMachine, capabilities } = this.target.setting;
    const name = this.target.name('mcp');
    const claims = (transport: string): boolean => capabilities.features[`mcp.${transport}`] !== false;
    const startsChildren = sharesMachine && claims('stdio');
    return (kind === 'child' && startsChildren) || !claims('http') ? mcp.child(name, more) : mcp.remote(name, more);
  }

  /** Adds a server to a session; it goes with the case. */
  async addServer(session: string, server: ServerEntry): Promise<Answer> {
    const answer = await this.write(session, 'upsert', (guard) =>
      this.target.call('upsertMcpServer', { body: { ...guard, server } }),
    );
    if (answer.status === 200) this.removeLater(session, server.name);
    return answer;
  }

  removeLater(session: string, name: string): void {
    this.target.defer(async () => {
      const { status, code } = await this.write(session, 'delete', (guard) =>
        this.target.call('deleteMcpServer', { body: { ...guard, name } }),
      );
      must(status === 200, `the MCP server ${name} could not be removed: ${status} ${code}`);
    });
  }

  /** A session with a connected server. Throws Untestable when the target does not get through to it. */
  async withServer(): Promise<{ session: string; cwd: string; server: string; workspace: string }> {
    const { id: session, cwd, answer } = await this.target.session();
    const entry = await this.entry();
    const { status, json } = await this.addServer(session, entry);
    if (status !== 200) throw new Broken(`an MCP server could not be added: ${status}`);
    const row = json.servers.find(({ name }: { name: string }) => name === entry.name);
    if (!this.isMock && row?.connected !== true) {
      throw new Untestable(`the target did not connect to the MCP server of the suite, ${JSON.stringify(entry)}`);
    }
    return { session, cwd, server: entry.name, workspace: answer.json.started.workspace_id };
  }

  /** Starts a run of an MCP tool and goes on; what still runs at the end of the case is cancelled. */
  startRun(session: string, server: string, tool: string, params: Body): void {
    const run = this.target
      .call('runSessionTool', { path: { id: session, name: `mcp__${server}__${tool}` }, body: { params } })
      .catch((error: Broken) => error);
    this.target.defer(async () => {
      await this.target.call('cancelSession', { path: { id: session } });
      await run;
    });
  }

  /** A session that waits for the answer to the documented question. */
  async parked(): Promise<{ session: string; cwd: string; gate: Gate }> {
    const { session, cwd, server } = await this.withServer();
    this.startRun(session, server, 'ask', {});
    return { session, cwd, gate: await this.waitingGate(session, cwd) };
  }

  /** What a session waits for, as soon as it does. */
  async waitingGate(session: string, cwd: string): Promise<Gate> {
    const look = async (): Promise<Gate | undefined> => {
      const { json } = await this.target.expect(200, 'listGates', { headers: inFolder(cwd) });
      const row = json.items.find(({ session_id }: { session_id: string }) => this.isMock || session_id === session);
      return row && { gate_id: row.gate_id, generation: row.generation };
    };
    return this.isMock ? (await look())! : this.target.until('the question', look);
  }

  /** A file of the target with this text. Where the suite cannot write files, a tool of the target does. */
  async file(content: string): Promise<{ cwd: string; path: string }> {
    const { target } = this;
    const cwd = await target.anyFolder();
    const path = `${cwd}/${target.name('file')}`;
    if (target.setting.sharesMachine) await target.write(path, content);
    else {
      const { id } = await this.#writer(cwd);
      await this.#runFileTool(id, 'write_file', { path, content });
      await this.removeFileLater(path);
    }
    return { cwd, path };
  }

  /** Where the suite does not remove the whole folder, a tool of the target removes the file. */
  async removeFileLater(path: string): Promise<void> {
    if (this.target.setting.sharesMachine) return;
    const { id } = await this.#writer(path.slice(0, path.lastIndexOf('/')));
    this.target.defer(async () => {
      await this.#runFileTool(id, 'read_file', { path });
      await this.#runFileTool(id, 'delete_file', { path });
    });
  }

  /** A session that may write without being asked. */
  async #writer(cwd: string): Promise<{ id: string }> {
    const { id } = await this.target.session({ cwd });
    await this.target.expect(200, 'setSessionYolo', { path: { id }, body: { enabled: true } });
    return { id };
  }

  async #runFileTool(id: string, name: string, params: Body): Promise<void> {
    const { json } = await this.target.expect(200, 'runSessionTool', { path: { id, name }, body: { params } });
    if (json.ok !== true) throw new Untestable(`the target cannot ${name} ${params['path']}: ${String(json.output)}`);
  }

  /** A job that runs a tool without a session. Jobs that still run at the end of the case are cancelled. */
  async job(name: string, body: Body, cwd: string): Promise<string> {
    const { json } = await this.target.expect(202, 'runToolAsync', { path: { name }, headers: inFolder(cwd), body });
    const id = json.job_id as string;
    this.target.defer(() => this.target.call('deleteJob', { path: { id } }));
    return id;
  }

  async jobIs(id: string, ...wanted: string[]): Promise<void> {
    await this.until(`a job that is ${wanted.join(' or ')}`, async () => {
      const { json } = await this.target.expect(200, 'getJob', { path: { id } });
      return wanted.includes(json.status);
    });
  }

  /** A todo as the contract documents one, in a folder of its own. It cannot be erased, so it is archived. */
  async todo(): Promise<{ id: string; cwd: string }> {
    const cwd = await this.target.anyFolder();
    const body = { ...(this.target.contract.operation('createTodo').requestExample as Body), cwd };
    const { json } = await this.target.expect(201, 'createTodo', { body });
    this.archiveLater(json.todo.id);
    return { id: json.todo.id, cwd };
  }

  archiveLater(id: string): void {
    this.target.defer(async () => {
      const { json } = await this.target.call('getTodo', { path: { id } });
      if (json.todo.archived_at !== undefined) return;
      if (json.todo.lease !== undefined) {
        const { session_id } = json.todo.lease;
        await this.target.call('releaseTodo', { path: { id }, body: { session_id, outcome: 'cancelled' } });
      }
      await this.target.call('archiveTodo', { path: { id }, body: { revision: await this.revision(id) } });
    });
  }

  async revision(id: string): Promise<number> {
    return (await this.target.expect(200, 'getTodo', { path: { id } })).json.todo.revision as number;
  }

  async moveTodo(id: string, state: string): Promise<void> {
    const body = { revision: await this.revision(id), state };
    await this.target.expect(200, 'updateTodo', { path: { id }, body });
  }

  /** A session takes the todo. */
  async claim(id: string): Promise<string> {
    const { id: session_id } = await this.target.session();
    await this.moveTodo(id, 'ready');
    const body = { session_id, revision: await this.revision(id) };
    await this.target.expect(200, 'claimTodo', { path: { id }, body });
    return session_id;
  }

  /** An agent definition as the contract documents one, in the project of a folder. */
  async agent(): Promise<{ name: string; cwd: string; headers: Record<string, string> }> {
    const cwd = await this.target.anyFolder();
    const name = this.target.name('agent');
    const body = { ...(this.target.contract.operation('createAgent').requestExample as Body), name };
    await this.target.expect(201, 'createAgent', { headers: inFolder(cwd), body });
    this.forgetAgent(name, cwd);
    return { name, cwd, headers: inFolder(cwd) };
  }

  forgetAgent(name: string, cwd: string): void {
    this.target.defer(() => this.target.call('deleteAgent', { path: { name }, headers: inFolder(cwd) }));
  }
}

export const inFolder = (cwd: string): Record<string, string> => ({ 'x-hoody-cwd': cwd });
