/** A working folder of the target and the ways to run a tool in it without a session. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Answer, CallArguments } from '../../client.js';
import { mustAnswer, type Target } from '../../target.js';

export class Folder {
  readonly target: Target;
  readonly cwd: string;

  private constructor(target: Target, cwd: string) {
    this.target = target;
    this.cwd = cwd;
  }

  static async open(target: Target): Promise<Folder> {
    return new Folder(target, await target.folder());
  }

  get headers(): Record<string, string> {
    return { 'x-hoody-cwd': this.cwd };
  }

  path(name: string): string {
    return join(this.cwd, name);
  }

  run(tool: string, body: object, more: CallArguments = {}): Promise<Answer> {
    return this.target.call('runTool', this.#call(tool, body, more));
  }

  /** The result of a run that has to be one, failed or not. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a case looks at what came.
  async done(tool: string, params: object, more: CallArguments = {}): Promise<any> {
    const answer = await this.run(tool, { params }, more);
    mustAnswer(answer, 200);
    return answer.json;
  }

  /** Starts a job; its id. */
  async accept(tool: string, body: object): Promise<string> {
    const { json } = await this.target.expect(202, 'runToolAsync', this.#call(tool, body, {}));
    return json.job_id as string;
  }

  /** What a job came to. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a case looks at what came.
  async outcome(tool: string, body: object): Promise<any> {
    const path = { id: await this.accept(tool, body) };
    return this.target.until('the end of the job', async () => {
      const { json } = await this.target.expect(200, 'getJobResult', { path });
      return json.status !== 'pending' && json.status !== 'running' && json;
    });
  }

  /** All frames of a streamed run. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a case looks at what came.
  async events(tool: string, body: object): Promise<{ event: string; data: any }[]> {
    const stream = await this.target.stream('streamTool', this.#call(tool, body, {}));
    const events = [await stream.next()];
    while (events.at(-1)!.event !== 'end') events.push(await stream.next());
    await stream.ended();
    return events;
  }

  /** Asks for a write of a guarded file; what is needed to confirm it. */
  async ask(path: string): Promise<{ params: Record<string, unknown>; confirm_token: string }> {
    const params = { path, content: 'x' };
    const answer = await this.run('write_file', { params, allow_mutations: true });
    mustAnswer(answer, 409, 'tool_needs_confirmation');
    return { params, confirm_token: answer.json.details.confirm_token as string };
  }

  #call(tool: string, body: object, more: CallArguments): CallArguments {
    return { ...more, path: { name: tool }, body, headers: { ...this.headers, ...more.headers } };
  }
}

export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Waits for a session to come to a state; its state then. */
// oxlint-disable-next-line typescript/no-explicit-any -- a case looks at what came.
export const stateOf = (target: Target, id: string, wanted: string): Promise<any> =>
  target.until(`the state ${wanted}`, async () => {
    const { json } = await target.expect(200, 'getSessionState', { path: { id } });
    return json.state === wanted && json;
  });

/** There is a process of this id on this machine. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** A call in a session, with its params. */
export const inSession = (target: Target, id: string, name: string, params: object, more: object = {}) =>
  target.call('runSessionTool', { path: { id, name }, body: { params, ...more } });

/** A session that may write, in a folder with these settings. */
export const writer = async (target: Target, settings: object = {}) => {
  const folder = await target.folder();
  await target.write(join(folder, '.hoody', 'settings.json'), settings);
  const { id, cwd } = await target.session({ cwd: folder });
  await target.expect(200, 'setSessionYolo', { path: { id }, body: { enabled: true } });
  return { id, cwd, run: async (name: string, params: object) => (await inSession(target, id, name, params)).json };
};
