/**
 * What a case gets to work with: a client, and ways to bring about what it needs (a session, a folder on the target's
 * file system, an MCP server, a target in another state). Everything made through it is under a prefix of this run and
 * is undone in reverse order when the case is over; what cannot be undone is reported as a leftover.
 */
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Capabilities } from './capabilities.js';
import { Broken, must, Untestable } from './check.js';
import { type Answer, type CallArguments, type Client, type EventStream } from './client.js';
import type { Contract } from './contract.js';
import type { StateName } from './driver.js';
import type { McpFixtures } from './mcp-fixtures.js';

/** What stays the same for all cases of one target. */
export interface Setting {
  readonly contract: Contract;
  readonly capabilities: Capabilities;
  readonly client: Client;
  /** An address that bypasses the proxy. */
  readonly directUrl: string | undefined;
  /** The address of a second daemon over the same records. */
  readonly otherUrl: string | undefined;
  /** A folder on the target's file system; undefined when none was given and the target is elsewhere. */
  readonly workdir: string | undefined;
  /** The target reads and writes the files of this machine. */
  readonly sharesMachine: boolean;
  readonly prefix: string;
  /** How long a case waits for what has to come about by itself. */
  readonly patienceMs: number;
  readonly mcp: McpFixtures;
  /** The same, of a target in a state of its own. Throws Untestable when there is no driver or it does not know it. */
  readonly inState: (state: StateName) => Promise<Setting>;
  /** Whether there is a driver that knows the state. */
  readonly offers: (state: StateName) => Promise<boolean>;
  /** A target started again over the same data; only of one that a driver set up. */
  readonly restarted: () => Promise<Setting>;
}

/** How often a condition is asked about while it is waited for. */
const POLL_MS = 25;

export class Target {
  readonly setting: Setting;
  readonly #undo: (() => Promise<unknown>)[] = [];
  readonly #leftovers: string[];
  readonly #client: Client;

  /** `client` notes what this case sends; `leftovers` gets what could not be undone. */
  constructor(setting: Setting, client: Client, leftovers: string[]) {
    this.setting = setting;
    this.#client = client;
    this.#leftovers = leftovers;
  }

  get client(): Client {
    return this.#client;
  }

  get contract(): Contract {
    return this.setting.contract;
  }

  get limits(): Capabilities['limits'] {
    return this.setting.capabilities.limits;
  }

  call(operationId: string, call?: CallArguments): Promise<Answer> {
    return this.#client.call(operationId, call);
  }

  /** Calls and requires this status. Throws Broken, with the code that came. */
  async expect(status: number, operationId: string, call?: CallArguments): Promise<Answer> {
    const answer = await this.call(operationId, call);
    mustAnswer(answer, status);
    return answer;
  }

  /** Calls and requires this error. */
  async refused(status: number, code: string, operationId: string, call?: CallArguments): Promise<Answer> {
    const answer = await this.call(operationId, call);
    mustAnswer(answer, status, code);
    return answer;
  }

  async stream(operationId: string, call?: CallArguments): Promise<EventStream> {
    const stream = await this.#client.stream(operationId, call);
    this.defer(async () => stream.close());
    return stream;
  }

  /** A name that no other run and no other case uses. */
  name(stem = 'x'): string {
    return `${this.setting.prefix}-${stem}-${Target.#next++}`;
  }
  static #next = 1;

  /** Runs after the case, the last first. */
  defer(undo: () => Promise<unknown>): void {
    this.#undo.push(undo);
  }

  async settle(): Promise<void> {
    for (const undo of this.#undo.toReversed()) {
      await Promise.resolve()
        .then(undo)
        .catch((error: Error) => this.#leftovers.push(error.message));
    }
    this.#undo.length = 0;
  }

  /** A new, empty folder on the target's file system. Throws Untestable where the suite cannot write there. */
  async folder(): Promise<string> {
    const { sharesMachine, workdir } = this.setting;
    if (!sharesMachine) throw new Untestable('needs files on the machine of the target (see --shares-machine)');
    const made = await mkdtemp(join(workdir ?? tmpdir(), `${this.setting.prefix}-`)).catch((error: Error) => {
      throw new Untestable(`needs a folder to work in (see --workdir): ${error.message}`);
    });
    this.defer(() => rm(made, { recursive: true, force: true, maxRetries: 3 }));
    return made;
  }

  /**
   * A folder of the target to work in, where the cases beside this one leave nothing: made by the suite, or by a tool of
   * the target. One for all cases where the target makes none.
   */
  async anyFolder(): Promise<string> {
    const { sharesMachine, workdir = '/tmp', capabilities } = this.setting;
    if (sharesMachine) return this.folder();
    const name = this.name('folder');
    const within = async (tool: string, params: Record<string, string>): Promise<boolean> => {
      const call = { path: { name: tool }, headers: { 'x-hoody-cwd': workdir } };
      const { json } = await this.call('runTool', { ...call, body: { params, allow_mutations: true } });
      return json?.ok === true;
    };
    if (capabilities.mock || !(await within('make_dir', { path: name }))) return workdir;
    this.defer(async () => {
      const isGone =
        capabilities.features['tools.bash'] === false
          ? await within('delete_file', { path: name })
          : await within('bash', { command: `rm -rf ./${name}` });
      must(isGone, `the folder ${join(workdir, name)} of the target could not be deleted`);
    });
    return join(workdir, name);
  }

  /** Writes a file of the target; JSON unless it is text. Whoever reads it meanwhile sees the old one or the new. */
  async write(path: string, content: unknown): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    const beside = `${path}.${this.name()}`;
    await writeFile(beside, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    await rename(beside, path);
  }

  /** Opens a session that ends with the case; its working folder is a new one, or the one given. */
  async session(body: Readonly<Record<string, unknown>> = {}): Promise<{ id: string; cwd: string; answer: Answer }> {
    const cwd = (body['cwd'] as string | undefined) ?? (await this.anyFolder());
    const answer = await this.expect(201, 'createSession', { body: { ...body, cwd } });
    const id = answer.json.session_id as string;
    this.defer(async () => {
      const gone = await this.call('deleteSession', { path: { id }, query: { hard: true } });
      must(gone.status === 200 || gone.status === 404, `the session ${id} could not be deleted: ${gone.status}`);
    });
    return { id, cwd, answer };
  }

  /** Waits until the question is answered with something other than undefined or false. Throws Broken in time. */
  async until<T>(
    what: string,
    question: () => Promise<T | undefined | false>,
    withinMs = this.setting.patienceMs,
  ): Promise<T> {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const found = await question();
      if (found !== undefined && found !== false) return found;
      if (Date.now() > deadline) throw new Broken(`${what} did not come about within ${withinMs} ms`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** The same case's work at a target in another state. What it makes there is undone with the rest. */
  async inState(state: StateName): Promise<Target> {
    const setting = await this.setting.inState(state);
    return this.#beside(setting, setting.client);
  }

  /** The same, or undefined where no driver offers the state. */
  async inStateIfOffered(state: StateName): Promise<Target | undefined> {
    return (await this.setting.offers(state)) ? this.inState(state) : undefined;
  }

  /** The same target through the address that bypasses the proxy. */
  direct(): Target {
    const { directUrl } = this.setting;
    if (directUrl === undefined) throw new Untestable('needs an address that bypasses the proxy (see --direct-url)');
    return this.#beside(this.setting, this.setting.client.with({ baseUrl: directUrl }));
  }

  /** The same target, ended and started again over the same data. What it was asked before is not undone. */
  async restarted(): Promise<Target> {
    const setting = await this.setting.restarted();
    return this.#beside(setting, setting.client);
  }

  /** The second daemon of a target that shares its records. */
  other(): Target {
    const { otherUrl } = this.setting;
    if (otherUrl === undefined) throw new Untestable('needs a second daemon over the same records');
    return this.#beside(this.setting, this.setting.client.with({ baseUrl: otherUrl }));
  }

  #beside(setting: Setting, client: Client): Target {
    const { patienceMs } = this.setting;
    const target = new Target({ ...setting, patienceMs }, client.besides(this.#client), this.#leftovers);
    this.defer(() => target.settle());
    return target;
  }
}

/** Requires a status and, of an error, a code. Throws Broken, with what came. */
export const mustAnswer = (answer: Answer, status: number, code?: string): void => {
  const came = [answer.status, answer.code].filter((each) => each !== undefined).join(' ');
  const wanted = [status, code].filter((each) => each !== undefined).join(' ');
  const holds = answer.status === status && (code === undefined || answer.code === code);
  must(holds, `answered ${came} in place of ${wanted}${answer.status >= 400 ? `: ${messageOf(answer)}` : ''}`);
};

const messageOf = ({ json }: Answer): string =>
  String((json as { message?: string })?.message ?? json?.errors?.[0]?.message ?? '');
