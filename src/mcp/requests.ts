/**
 * Requests to one server with our own time limits. The SDK's limits are not used: its total limit fires only at the next
 * progress, and both would run on a clock of their own.
 */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '../domain/json.js';
import type { Clock } from '../ports.js';
import { Cancellation } from './cancellation.js';
import { abortError, timeoutError } from './told-error.js';
import { NEVER_MS } from './within.js';

export interface Limits {
  readonly signal: AbortSignal;
  /** Without an answer or progress. */
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** Switches the idle limit off for a while. */
  readonly pause?: IdlePause;
}

/** A request that waits for a person is not idle: while this is on, its idle limit does not run. */
export class IdlePause {
  #on = 0;
  /** Called at the end of a pause. */
  ended: () => void = () => {};

  get isOn(): boolean {
    return this.#on > 0;
  }

  begin(): void {
    this.#on += 1;
  }

  end(): void {
    this.#on -= 1;
    this.ended();
  }
}

export class Requests {
  readonly #clock: Clock;
  readonly #waiting = new Set<(error: Error) => void>();
  readonly #onIdle: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many wait for an answer. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when nothing waits for an answer any more. */
  idle(): Promise<void> {
    return new Promise((resolve) => (this.#waiting.size === 0 ? resolve() : this.#onIdle.push(resolve)));
  }

  /** Ends every request that waits; the server is told to stop working on them. */
  failAll(error: Error): void {
    for (const fail of this.#waiting) fail(error);
  }

  /**
   * The raw result. Rejects at once when the signal aborts (`AbortError`) or a limit runs out (`TimeoutError`); the
   * server is told in both cases. Progress asks for a token and restarts the idle limit.
   */
  async send(
    client: Client,
    method: string,
    params: JsonObject,
    limits: Limits,
    progress = false,
  ): Promise<JsonObject> {
    const { signal, idleTimeoutMs, totalTimeoutMs, pause } = limits;
    if (signal.aborted) throw abortError('the call was cancelled');
    const stop = new Cancellation();
    let failure: Error | undefined;
    const fail = (error: Error): void => {
      failure ??= error;
      stop.abort(error.message);
    };
    const cancel = (): void => fail(abortError('the call was cancelled'));

    const startedAt = this.#clock.now();
    let heardAt = startedAt;
    let stopTimer = (): void => {};
    const watch = (): void => {
      const now = this.#clock.now();
      const totalLeft = startedAt + totalTimeoutMs - now;
      const idleLeft = (pause?.isOn ? now : heardAt) + idleTimeoutMs - now;
      if (totalLeft <= 0) fail(timeoutError(`it did not finish within ${seconds(totalTimeoutMs)}`));
      else if (idleLeft <= 0)
        fail(timeoutError(`it neither answered nor reported progress for ${seconds(idleTimeoutMs)}`));
      else stopTimer = this.#clock.after(Math.min(totalLeft, idleLeft), watch);
    };
    const onprogress = (): void => void (heardAt = this.#clock.now());
    if (pause) pause.ended = onprogress;

    this.#waiting.add(fail);
    signal.addEventListener('abort', cancel);
    watch();
    try {
      const options = { signal: stop.signal, timeout: NEVER_MS, ...(progress && { onprogress }) };
      return (await client.request({ method, params }, ResultSchema, options)) as JsonObject;
    } catch (error) {
      throw failure ?? error;
    } finally {
      stopTimer();
      signal.removeEventListener('abort', cancel);
      this.#waiting.delete(fail);
      if (this.#waiting.size === 0) for (const done of this.#onIdle.splice(0)) done();
    }
  }
}

const seconds = (ms: number): string => `${ms / 1000} s`;
