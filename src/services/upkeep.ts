/**
 * What a daemon does again and again for the store it shares: says that it lives, takes over from those that do not, and
 * looks after its jobs, workflow runs and closed sessions. While the store cannot be used it tries on, and catches up
 * afterwards.
 */
import { DaemonError } from '../domain/errors.js';
import type { Clock, Logger, Presence } from '../ports.js';
import type { Jobs } from './jobs.js';
import type { Sessions } from './sessions.js';
import type { WorkflowRuns } from './workflow-runs.js';

/** A daemon is taken for dead after three of these; what was canceled through another daemon runs on for one at most. */
const EVERY_MS = 10_000;

export interface UpkeepOptions {
  readonly presence: Presence;
  readonly sessions: Pick<Sessions, 'reclaim' | 'tend'>;
  readonly jobs: Pick<Jobs, 'tend'>;
  readonly workflowRuns: Pick<WorkflowRuns, 'tend'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  /** Others may hold what was live here. */
  #mustReclaim = false;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    this.#ended = this.#repeat();
  }

  /** Resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #repeat(): Promise<void> {
    const { clock, logger } = this.#options;
    const { signal } = this.#stopping;
    for (;;) {
      await clock.sleep(EVERY_MS, signal);
      if (signal.aborted) return;
      await this.#once().catch((error: unknown) => {
        // That the database is away has been logged where it was asked.
        if (!(error instanceof DaemonError)) logger.error({ err: error }, 'the upkeep of the store failed');
      });
    }
  }

  async #once(): Promise<void> {
    const { presence, sessions, jobs, workflowRuns } = this.#options;
    if (!(await presence.renew())) this.#mustReclaim = true;
    if (this.#mustReclaim) {
      await sessions.reclaim();
      this.#mustReclaim = false;
    }
    await presence.freeAbandoned();
    await sessions.tend();
    await jobs.tend();
    await workflowRuns.tend();
  }
}
