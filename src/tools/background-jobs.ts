/**
 * Shell lines that go on after their tool call has returned. A job belongs to whoever started it (a session, or the scope
 * of a sessionless run) and is nobody else's to see; it ends with its owner at the latest.
 */
import { randomBytes } from 'node:crypto';
import { ToolFailure } from './judged-file.js';
import { startChild, type ChildEnd, type ChildRun, type StartedChild } from './run-child.js';

/** Arbitrary; a session that wants more is not waiting for any of them. */
const RUNNING_PER_OWNER_MAX = 8;
/** Finished jobs whose output can still be asked for. Each holds up to 16 MiB. */
const FINISHED_PER_OWNER_MAX = 8;

export interface BackgroundJob {
  readonly id: string;
  readonly child: StartedChild;
  readonly timeoutMs: number;
  /** Present when it has ended. */
  end: ChildEnd | undefined;
}

interface Held extends BackgroundJob {
  readonly owner: string;
  readonly stop: AbortController;
}

export class BackgroundJobs {
  readonly #jobs = new Map<string, Held>();

  /** Throws ToolFailure when the owner has too many running. */
  start(owner: string, run: Omit<ChildRun, 'signal'>): BackgroundJob {
    const own = this.#of(owner);
    if (own.filter(({ end }) => !end).length >= RUNNING_PER_OWNER_MAX) {
      throw new ToolFailure(`${RUNNING_PER_OWNER_MAX} background jobs are running already; wait for one of them`);
    }
    for (const { id } of own.filter(({ end }) => end).slice(0, -(FINISHED_PER_OWNER_MAX - 1))) this.#jobs.delete(id);
    const stop = new AbortController();
    const child = startChild({ ...run, signal: stop.signal });
    const job: Held = {
      id: `bash_${randomBytes(16).toString('hex')}`,
      owner,
      child,
      stop,
      timeoutMs: run.timeoutMs,
      end: undefined,
    };
    this.#jobs.set(job.id, job);
    child.end.then(
      (end) => (job.end = end),
      () => this.#jobs.delete(job.id),
    );
    return job;
  }

  /** Throws ToolFailure for an unknown job; somebody else's is unknown. */
  get(owner: string, id: string): BackgroundJob {
    const job = this.#jobs.get(id);
    if (!job || job.owner !== owner) throw new ToolFailure('there is no background job with this id');
    return job;
  }

  /** Ends and forgets every job of an owner; resolves when they are gone. */
  async endOwner(owner: string): Promise<void> {
    await this.#end(this.#of(owner));
  }

  /** Ends every job. */
  async close(): Promise<void> {
    await this.#end([...this.#jobs.values()]);
  }

  #of(owner: string): Held[] {
    return [...this.#jobs.values()].filter((job) => job.owner === owner);
  }

  async #end(jobs: readonly Held[]): Promise<void> {
    for (const { stop } of jobs) stop.abort();
    await Promise.allSettled(jobs.map(({ child }) => child.end));
    for (const { id } of jobs) this.#jobs.delete(id);
  }
}
