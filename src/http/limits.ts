/**
 * What one caller, or all together, may take: requests per second, requests at once, bodies in arrival, streams at once.
 * Who may call at all is source-guard.ts; how large a body may be is body.ts.
 */
import { DaemonError } from '../domain/errors.js';
import type { Clock } from '../ports.js';

/** Addresses remembered by the rate limit. Beyond it the one seen least recently starts over with a full bucket. */
const ADDRESSES_MAX = 10_000;

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** A token bucket for each client address. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();
  #latest = '';

  /** `perSecond` 0 switches it off. */
  constructor(rate: { readonly perSecond: number; readonly burst: number }, clock: Clock) {
    this.#perSecond = rate.perSecond;
    this.#burst = Math.max(1, rate.burst);
    this.#clock = clock;
  }

  /** Takes one token. Throws `rate_limited` with the wait until there is one. */
  take(address: string): void {
    if (this.#perSecond === 0) return;
    const now = this.#clock.now();
    const bucket = this.#bucketOf(address, now);
    const refilled = bucket.tokens + (Math.max(0, now - bucket.filledAt) * this.#perSecond) / 1000;
    bucket.tokens = Math.min(this.#burst, refilled);
    bucket.filledAt = now;
    if (bucket.tokens < 1) {
      const seconds = Math.max(1, Math.ceil((1 - bucket.tokens) / this.#perSecond));
      throw new DaemonError('rate_limited', undefined, { retryAfterSeconds: seconds });
    }
    bucket.tokens -= 1;
  }

  /** Invariant: the map is ordered by last use. The latest address is in place already, which is the common case. */
  #bucketOf(address: string, now: number): Bucket {
    let bucket = this.#buckets.get(address);
    if (bucket !== undefined && address === this.#latest) return bucket;
    if (bucket === undefined) {
      if (this.#buckets.size >= ADDRESSES_MAX) this.#buckets.delete(this.#buckets.keys().next().value!);
      bucket = { tokens: this.#burst, filledAt: now };
    } else {
      this.#buckets.delete(address);
    }
    this.#buckets.set(address, bucket);
    this.#latest = address;
    return bucket;
  }
}

/** Requests being worked on. One that waits (for its body, a tool, a connect, a person, a stream) is not among them. */
export class InFlight {
  readonly #max: number;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Throws `service_unavailable` when full. */
  requireRoom(): void {
    if (this.#count >= this.#max) throw new DaemonError('service_unavailable');
  }

  /** Throws `service_unavailable` when full. */
  enter(): void {
    this.requireRoom();
    this.#count += 1;
  }

  leave(): void {
    this.#count -= 1;
  }
}

/**
 * Memory for bodies that are still arriving. Counted in bytes and not in requests: a caller that sends half a body and
 * waits takes what it sent and keeps nobody out.
 */
export class ArrivingBytes {
  readonly #max: number;
  #held = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Throws `service_unavailable` when there is no room for them. */
  take(bytes: number): void {
    if (this.#held + bytes > this.#max) throw new DaemonError('service_unavailable');
    this.#held += bytes;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }
}

/** Event streams open at once, by client address. */
export class StreamSlots {
  readonly #max: number;
  readonly #open = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Throws `service_unavailable` when the address has all it may have. */
  take(address: string): void {
    const open = this.#open.get(address) ?? 0;
    if (open >= this.#max) throw new DaemonError('service_unavailable');
    this.#open.set(address, open + 1);
  }

  release(address: string): void {
    const open = this.#open.get(address) ?? 0;
    if (open > 1) this.#open.set(address, open - 1);
    else this.#open.delete(address);
  }
}
