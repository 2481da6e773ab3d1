/**
 * Background jobs: started, looked up, canceled, and kept for a while when they are over. Each is in the store before it
 * is acknowledged and when it is over, so it outlives the daemon and is found through every daemon on the same store; in
 * memory are those that this one still has to end, or to store. It does not know what a job does: work is a function
 * that ends in a result or in an error.
 * Invariant: a job that is over stays as it ended; work that ends after a cancel changes nothing.
 */
import { DaemonError, toDaemonError } from '../domain/errors.js';
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
/** Finished ones beyond this number drop the oldest, and as many may wait or run here. */
const JOBS_MAX = 1_000;
/** Of all finished ones together: the database must not become a dump. */
const CHARS_MAX = 128 * 1024 * 1024;
/** Each may hold a child process or two, which a machine has room for by the thousand; the others wait their turn. */
const RUNNING_MAX = 256;
/** 128 bits: a job is found by whoever knows its id. */
const ID_DIGITS = 32;

/** The session and the run that a job works for. */
export type JobPlace = Pick<JobRecord, 'sessionId' | 'runId'>;

interface Job {
  record: JobRecord;
  readonly abort: AbortController;
  /** The last thing written of it, and the next waits for it: true when that is in the store. */
  stored: Promise<boolean>;
}

export class Jobs {
  readonly #options: JobsOptions;
  /** What is not over, and what is over and not in the store yet. */
  readonly #jobs = new Map<string, Job>();
  readonly #waiting: (() => void)[] = [];
  readonly #running = new Set<Promise<void>>();
  #places = RUNNING_MAX;
  #pruning: Promise<void> | undefined;
  #isClosing = false;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /**
   * The id of a job that does this work, now or when there is room; work of a session, which holds its turn slot and may
   * wait for a person, begins at once and takes no room. Rejects with service_unavailable when too many wait.
   */
  async start(kind: JobRecord['kind'], account: string, work: Work, of: JobPlace = {}): Promise<string> {
    const { clock, ids, store } = this.#options;
    const unfinished = [...this.#jobs.values()].filter(({ record }) => !isOver(record)).length;
    if (unfinished >= JOBS_MAX || this.#isClosing) throw new DaemonError('service_unavailable');
    const now = clock.now();
    const takesRoom = of.sessionId === undefined;
    const isRoom = !takesRoom || this.#places > 0;
    const record: JobRecord = {
      id: `job_${ids.hex(ID_DIGITS)}`,
      kind,
      account,
      ...of,
      status: isRoom ? 'running' : 'pending',
      result: null,
      error: null,
      createdAt: now,
      updatedAt: now,
    };
    const added = store.add(record);
    const isAdded = added.then(
      () => true,
      () => false,
    );
    const job: Job = { record, abort: new AbortController(), stored: isAdded };
    this.#jobs.set(record.id, job);
    const begin = (): void => {
      if (takesRoom) this.#places -= 1;
      const running = this.#run(job, isAdded, work).finally(() => {
        this.#running.delete(running);
        if (!takesRoom) return;
        this.#places += 1;
        this.#waiting.shift()?.();
      });
      this.#running.add(running);
    };
    if (isRoom) begin();
    else this.#waiting.push(begin);
    try {
      await added;
    } catch (error) {
      this.#jobs.delete(record.id);
      throw error;
    }
    return record.id;
  }

  /** Rejects with not_found for an id that is unknown, forgotten or another account's. */
  async get(id: string, account: string): Promise<JobRecord> {
    const record = this.#jobs.get(id)?.record ?? (await this.#options.store.find(id));
    const isKept = record && !(isOver(record) && record.updatedAt + KEPT_MS <= this.#options.clock.now());
    if (!isKept || record.account !== account) throw new DaemonError('not_found');
    return record;
  }

  /** Cancels what is not over and forgets what is. Rejects with not_found. */
  async delete(id: string, account: string): Promise<'canceled' | 'deleted'> {
    const { store, clock } = this.#options;
    const job = this.#jobs.get(id);
    const record = await this.get(id, account);
    if (isOver(record)) {
      await store.remove(id);
      this.#jobs.delete(id);
      return 'deleted';
    }
    if (job === undefined) {
      // Another daemon runs it, and finds this when it looks after its jobs.
      const isSaved = await store.save({ ...record, status: 'canceled', updatedAt: clock.now() });
      return isSaved ? 'canceled' : this.delete(id, account);
    }
    this.#end(job, { status: 'canceled' });
    job.abort.abort();
    await job.stored;
    return 'canceled';
  }

  /**
   * To be called every now and then: stores what could not be stored, ends what was canceled through another daemon,
   * forgets what has been kept long enough. Rejects with service_unavailable.
   */
  async tend(): Promise<void> {
    const { store, clock } = this.#options;
    const open: Job[] = [];
    for (const job of this.#jobs.values()) {
      const isStored = await job.stored;
      if (!isOver(job.record)) {
        if (isStored) open.push(job);
      } else if (!isStored) {
        if (job.record.updatedAt + KEPT_MS <= clock.now()) this.#jobs.delete(job.record.id);
        else this.#save(job);
      }
    }
    if (open.length > 0) {
      const unfinished = await store.unfinished();
      for (const { record, abort } of open) {
        if (unfinished.has(record.id) || !this.#jobs.delete(record.id)) continue;
        abort.abort();
      }
    }
    await this.#prune();
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
    await Promise.all([...this.#jobs.values()].map(({ stored }) => stored));
    await this.#pruning;
  }

  async #run(job: Job, isAdded: Promise<boolean>, work: Work): Promise<void> {
    // What nobody will ever hear of is not begun.
    if ((await isAdded) && !isOver(job.record)) {
      if (job.record.status === 'pending') this.#change(job, { status: 'running' });
      try {
        this.#end(job, { status: 'succeeded', result: await work(job.abort.signal) });
      } catch (thrown) {
        this.#end(job, { status: 'failed', error: this.#errorOf(job, thrown) });
      }
    }
  }

  #errorOf({ record }: Job, thrown: unknown): JobError {
    const error = toDaemonError(thrown);
    if (error.code === 'internal_error') {
      this.#options.logger.error({ jobId: record.id, err: error.cause }, 'a job failed unexpectedly');
    }
    const { code, message, details } = error;
    return { code, message, ...(details === undefined ? {} : { details: details as JsonObject }) };
  }

  #end(job: Job, how: Partial<JobRecord>): void {
    if (isOver(job.record)) return;
    this.#change(job, how);
  }

  #change(job: Job, change: Partial<JobRecord>): void {
    job.record = { ...job.record, ...change, updatedAt: this.#options.clock.now() };
    this.#save(job);
  }

  /** What is over is in the store alone from then on. What cannot be stored stays here, and is tried again. */
  #save(job: Job): void {
    const { store, logger } = this.#options;
    const { record } = job;
    const write = async (): Promise<boolean> => {
      await store.save(record);
      if (isOver(record)) {
        this.#jobs.delete(record.id);
        void this.#prune().catch(() => undefined);
      }
      return true;
    };
    job.stored = job.stored.then(write).catch((err: unknown) => {
      logger.warn({ jobId: record.id, err }, 'a job could not be stored');
      return false;
    });
  }

  /** One at a time: who asks while one is under way gets that one. */
  #prune(): Promise<void> {
    const { store, clock } = this.#options;
    this.#pruning ??= store
      .prune({ endedBefore: clock.now() - KEPT_MS, count: JOBS_MAX, chars: CHARS_MAX })
      .finally(() => (this.#pruning = undefined));
    return this.#pruning;
  }
}
