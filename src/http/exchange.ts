/**
 * One request on its way: what a handler may know of it (the Context), and what the edge keeps beside that. Handlers
 * are given the Context alone, so nothing but the edge can touch request or response.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NO_SCOPE, type Scope } from '../domain/session.js';
import type { Operation } from './contract.js';
import { familyOf, type Family } from './errors.js';
import type { InFlight } from './limits.js';
import type { Context } from './operation.js';

export class Exchange implements Context {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly family: Family;
  operation: Operation | undefined;
  clientAddress = '';
  scope: Scope = NO_SCOPE;
  #inFlight: InFlight | undefined;
  #caller: AbortController | undefined;
  #isAbandoned = false;

  constructor(request: IncomingMessage, response: ServerResponse, requestId: string) {
    this.request = request;
    this.response = response;
    this.requestId = requestId;
    this.family = familyOf(request.url);
  }

  get userAgent(): string {
    return this.request.headers['user-agent'] ?? '';
  }

  /** Made when first asked for: most handlers finish before anybody could leave. */
  get signal(): AbortSignal {
    if (this.#caller === undefined) {
      const caller = new AbortController();
      this.#caller = caller;
      if (this.isCallerGone || this.#isAbandoned) caller.abort();
      else this.response.once('close', () => this.isCallerGone && caller.abort());
    }
    return this.#caller.signal;
  }

  get isCallerGone(): boolean {
    return this.response.destroyed && !this.response.writableFinished;
  }

  /** Throws `service_unavailable`. */
  enter(inFlight: InFlight): void {
    inFlight.enter();
    this.#inFlight = inFlight;
  }

  /** A property, because handlers take it out of their context by name. */
  readonly waiting = (): void => {
    this.#inFlight?.leave();
    this.#inFlight = undefined;
  };

  /** The edge will not read the handler's stream any further. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#caller?.abort();
  }
}
