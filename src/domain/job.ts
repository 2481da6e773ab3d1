/** What a background job is: its record and the states it goes through. A final state is never left. */
import type { JsonObject } from './json.js';

export type JobStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'canceled';

export interface JobError {
  readonly code: string;
  readonly message: string;
  readonly details?: JsonObject;
}

export interface JobRecord {
  readonly id: string;
  readonly kind: 'tool.run_gated' | 'session.workflow';
  /** Who may see it. */
  readonly account: string;
  /** What it works on; absent when it belongs to no session. */
  readonly sessionId?: string;
  readonly runId?: string;
  readonly status: JobStatus;
  /** What it came to; null unless it succeeded. */
  readonly result: JsonObject | null;
  /** Why it failed; null unless it failed. */
  readonly error: JobError | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** When the status last changed. */
  readonly updatedAt: number;
}

export const isOver = ({ status }: JobRecord): boolean => status !== 'pending' && status !== 'running';

/** The job after the program that ran it stopped: what was over stays, what was not has failed. */
export const afterStop = (job: JobRecord, now: number): JobRecord =>
  isOver(job)
    ? job
    : {
        ...job,
        status: 'failed',
        error: { code: 'interrupted', message: 'the daemon stopped before the job was over' },
        updatedAt: now,
      };
