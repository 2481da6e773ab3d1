/**
 * Notices that a remote server is gone without a call telling so. Any message from the server is a sign of life; only
 * when there is none is it asked. Slowness is not death: while a call waits, the call's own limit decides.
 */
import type { Clock } from '../ports.js';

/** Unanswered pings in a row that make a server dead. A broken stream counts as one. */
const MISSES_MAX = 2;
/** The second look comes soon: the first one may have hit a restart or a hiccup. */
const SECOND_LOOK_MS = 1_000;

export interface HeartbeatDeps {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Resolves when the server answered anything, rejects when it did not; named `TimeoutError` when it was silent. */
  ping(): Promise<void>;
  /** Whether a call is waiting for its answer. */
  busy(): boolean;
  dead(reason: string): void;
}

export class Heartbeat {
  readonly #deps: HeartbeatDeps;
  readonly #stop = new AbortController();
  #wake = new AbortController();
  #heard = 0;
  #misses = 0;
  #looking = false;

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps;
  }

  start(): void {
    void this.#run();
  }

  stop(): void {
    this.#stop.abort();
    this.#wake.abort();
  }

  /** A message came in. */
  heard(): void {
    this.#heard += 1;
    this.#misses = 0;
  }

  /** Something broke: looks at once. What breaks while it looks is its own ping. */
  doubt(): void {
    if (this.#looking) return;
    this.#misses = Math.max(this.#misses, 1);
    this.#wake.abort();
  }

  async #run(): Promise<void> {
    const { clock, intervalMs } = this.#deps;
    while (!this.#stop.signal.aborted) {
      await clock.sleep(this.#misses === 0 ? intervalMs : Math.min(SECOND_LOOK_MS, intervalMs), this.#wake.signal);
      if (this.#stop.signal.aborted) return;
      this.#wake = new AbortController();
      this.#looking = true;
      await this.#look();
      this.#looking = false;
    }
  }

  async #look(): Promise<void> {
    const { ping, busy, dead } = this.#deps;
    const heardBefore = this.#heard;
    try {
      await ping();
      this.#misses = 0;
    } catch (error) {
      const silent = (error as Error).name === 'TimeoutError';
      if (this.#heard !== heardBefore || (silent && busy())) return;
      this.#misses += 1;
      if (this.#misses >= MISSES_MAX && !this.#stop.signal.aborted) dead((error as Error).message);
    }
  }
}
