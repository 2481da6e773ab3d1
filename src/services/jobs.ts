/**
 * Background jobs: started, looked up, canceled, and kept for a while when they are over, a restart included. It does
 * not know what a job does: work is a function that ends in a result or in an error.
 * Invariant: a job that is over stays as it ended; work that ends after a cancel changes nothing.
 */
import { DaemonError } from '../domain/errors.js';
import { afterStop, isOver, type JobError, type JobRecord } from '../domain/job.js';
import type { JsonObject } from '../domain/json.js';
import type { Clock, Ids, JobStore, Logger } from '../ports.js';

/** Rejects with a DaemonError for what the caller should see. Ends soon after the signal aborts. */
export type Work = (signal: AbortSignal) => Promise<JsonObject>;

export interface JobsOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: JobStore;
  readonly logger: Logger;
}

/** A client that polls has asked long before; a person who comes back from a break still finds it. */
const KEPT_MS = 3_600_000;
/** Finished ones beyond this number drop the oldest, and as many may wait or run. */
const JOBS_MAX = 1_000;
/** Outcomes are held in memory: all together no more than this, the oldest dropped first. */
const OUTCOME_CHARS_MAX = 128 * 1024 * 1024;
/** Each may hold a child process or two, which a machine has room for by the thousand; the others wait their turn. */
const RUNNING_MAX = 256;
/** 128 bits: a job is found by whoever knows its id. */
const ID_DIGITS = 32;

interface Job {
  record: JobRecord;
  /** Size of its outcome as text. */
  chars: number;
  readonly abort: AbortController;
  /** The last thing written of it; the next waits for it, so that the file ends as the record. */
  saved: Promise<void>;
  /** Keeps it from being forgotten when its time has come. */
  cancelExpiry: () => void;
}

export class Jobs {
  readonly #options: JobsOptions;
  readonly #jobs = new Map<string, Job>();
  readonly #waiting: (() => void)[] = [];
  readonly #running = new Set<Promise<void>>();
  #isClosing = false;

  private constructor(options: JobsOptions) {
    this.#options = options;
  }

  /** With what an earlier run of the daemon has left: what it did not finish has failed as `interrupted`. */
  static async open(options: JobsOptions): Promise<Jobs> {
    const jobs = new Jobs(options);
    const now = options.clock.now();
    const kept = (await options.store.load()).toSorted((one, other) => one.updatedAt - other.updatedAt);
    for (const stored of kept) {
      const record = afterStop(stored, now);
      const job = jobs.#add(record);
      if (record !== stored) jobs.#save(job);
      jobs.#keep(job);
    }
    return jobs;
  }

  /** The id of a job that does this work, now or when there is room. Throws service_unavailable when too many wait. */
  start(kind: JobRecord['kind'], account: string, work: Work): string {
    const { clock, ids } = this.#options;
    const unfinished = [...this.#jobs.values()].filter(({ record }) => !isOver(record)).length;
    if (unfinished >= JOBS_MAX || this.#isClosing) throw new DaemonError('service_unavailable');
    const now = clock.now();
    const job = this.#add({
      id: `job_${ids.hex(ID_DIGITS)}`,
      kind,
      account,
      status: 'pending',
      result: null,
      error: null,
      createdAt: now,
      updatedAt: now,
    });
    const begin = (): void => {
      const running = this.#run(job, work).finally(() => this.#running.delete(running));
      this.#running.add(running);
    };
    if (this.#running.size < RUNNING_MAX) begin();
    else {
      this.#waiting.push(begin);
      this.#save(job);
    }
    return job.record.id;
  }

  /** Throws not_found for an id that is unknown, forgotten or another account's. */
  get(id: string, account: string): JobRecord {
    return this.#find(id, account).record;
  }

  /** Cancels what is not over and forgets what is. Throws not_found. */
  delete(id: string, account: string): 'canceled' | 'deleted' {
    const job = this.#find(id, account);
    if (isOver(job.record)) {
      this.#forget(job);
      return 'deleted';
    }
    this.#end(job, { status: 'canceled' });
    job.abort.abort();
    return 'canceled';
  }

  /** Ends what runs, as interrupted. Resolves when all work has ended and everything is stored. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#waiting.length = 0;
    for (const job of this.#jobs.values()) {
      if (isOver(job.record)) continue;
      const { status, error } = afterStop(job.record, this.#options.clock.now());
      this.#end(job, { status, error });
      job.abort.abort();
    }
    await Promise.all(this.#running);
    for (const job of this.#jobs.values()) job.cancelExpiry();
    await Promise.all([...this.#jobs.values()].map(({ saved }) => saved));
  }

  async #run(job: Job, work: Work): Promise<void> {
    if (!isOver(job.record)) {
      this.#change(job, { status: 'running' });
      try {
        this.#end(job, { status: 'succeeded', result: await work(job.abort.signal) });
      } catch (thrown) {
        this.#end(job, { status: 'failed', error: this.#errorOf(job, thrown) });
      }
    }
    this.#waiting.shift()?.();
  }

  #errorOf({ record }: Job, thrown: unknown): JobError {
    const error =
      thrown instanceof DaemonError ? thrown : new DaemonError('internal_error', undefined, { cause: thrown });
    if (error.code === 'internal_error') {
      this.#options.logger.error({ jobId: record.id, err: error.cause }, 'a job failed unexpectedly');
    }
    const { code, message, details } = error;
    return { code, message, ...(details === undefined ? {} : { details: details as JsonObject }) };
  }

  #end(job: Job, how: Partial<JobRecord>): void {
    if (isOver(job.record)) return;
    this.#change(job, how);
    this.#keep(job);
  }

  #change(job: Job, change: Partial<JobRecord>): void {
    job.record = { ...job.record, ...change, updatedAt: this.#options.clock.now() };
    this.#save(job);
  }

  #add(record: JobRecord): Job {
    const job = {
      record,
      chars: 0,
      abort: new AbortController(),
      saved: Promise.resolve(),
      cancelExpiry: () => undefined,
    };
    this.#jobs.set(record.id, job);
    return job;
  }

  #find(id: string, account: string): Job {
    const job = this.#jobs.get(id);
    if (job === undefined || job.record.account !== account) throw new DaemonError('not_found');
    return job;
  }

  /** A job that is over, from now on the newest of its kind, is forgotten when its time has come or there are too many. */
  #keep(job: Job): void {
    const { clock } = this.#options;
    const { id, result, error, updatedAt } = job.record;
    job.chars = JSON.stringify(result ?? error).length;
    this.#jobs.delete(id);
    this.#jobs.set(id, job);
    job.cancelExpiry = clock.after(updatedAt + KEPT_MS - clock.now(), () => this.#forget(job));
    const over = [...this.#jobs.values()].filter(({ record }) => isOver(record));
    let chars = over.reduce((sum, { chars: own }) => sum + own, 0);
    for (let count = over.length; count > JOBS_MAX || (chars > OUTCOME_CHARS_MAX && count > 1); count -= 1) {
      const oldest = over[over.length - count] as Job;
      chars -= oldest.chars;
      this.#forget(oldest);
    }
  }

  #forget(job: Job): void {
    job.cancelExpiry();
    this.#jobs.delete(job.record.id);
    this.#write(job, () => this.#options.store.remove(job.record.id));
  }

  #save(job: Job): void {
    const { record } = job;
    this.#write(job, () => this.#options.store.save(record));
  }

  /** A job that cannot be stored still does its work; it is only forgotten by a restart. */
  #write(job: Job, write: () => Promise<void>): void {
    job.saved = job.saved
      .then(write)
      .catch((err: unknown) => this.#options.logger.warn({ jobId: job.record.id, err }, 'a job could not be stored'));
  }
}
