/**
 * Single-use tokens: write nonces and confirm tokens alike. A token is minted for a binding, lives for a while and is
 * spent when it is presented, whatever comes of it. It does not know what a binding means: the caller compares.
 * Invariant: a token never answers 'ok' twice, and tokens are kept as digests, so a lookup tells nothing by its time.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../ports.js';

export interface SingleUseTokenOptions<Binding> {
  readonly clock: Clock;
  /** Makes a new token, prefix included. */
  readonly newToken: () => string;
  readonly ttlMs: number;
  /** Unspent tokens of one owner beyond this number drop the oldest, so a client that never writes cannot grow memory. */
  readonly maxPerOwner: number;
  readonly ownerOf: (binding: Binding) => string;
}

interface Minted<Binding> {
  readonly binding: Binding;
  readonly owner: string;
  readonly expiresAt: number;
}

/** `unknown` covers never minted, spent and expired: a caller learns nothing more. */
export type Redemption = 'ok' | 'unknown' | 'mismatch';

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');

export class SingleUseTokens<Binding> {
  readonly #options: SingleUseTokenOptions<Binding>;
  /** Oldest first: every token lives equally long, so the expired ones are at the front. */
  readonly #minted = new Map<string, Minted<Binding>>();
  readonly #owners = new Map<string, Set<string>>();

  constructor(options: SingleUseTokenOptions<Binding>) {
    this.#options = options;
  }

  mint(binding: Binding): string {
    const { clock, newToken, ttlMs, maxPerOwner, ownerOf } = this.#options;
    this.#dropExpired();
    const token = newToken();
    const owner = ownerOf(binding);
    this.#minted.set(digest(token), { binding, owner, expiresAt: clock.now() + ttlMs });
    const held = this.#owners.get(owner) ?? new Set<string>();
    this.#owners.set(owner, held.add(digest(token)));
    for (const oldest of held) {
      if (held.size <= maxPerOwner) break;
      this.#forget(oldest, owner);
    }
    return token;
  }

  /** Spends the token, then says whether it was live and minted for what `matches` accepts. */
  redeem(token: string, matches: (binding: Binding) => boolean): Redemption {
    const key = digest(token);
    const minted = this.#minted.get(key);
    if (!minted) return 'unknown';
    this.#forget(key, minted.owner);
    if (minted.expiresAt <= this.#options.clock.now()) return 'unknown';
    return matches(minted.binding) ? 'ok' : 'mismatch';
  }

  /** Forgets every token of an owner, for example of a session that closed. */
  dropOwner(owner: string): void {
    for (const key of this.#owners.get(owner) ?? []) this.#minted.delete(key);
    this.#owners.delete(owner);
  }

  #dropExpired(): void {
    const now = this.#options.clock.now();
    for (const [key, minted] of this.#minted) {
      if (minted.expiresAt > now) break;
      this.#forget(key, minted.owner);
    }
  }

  #forget(key: string, owner: string): void {
    this.#minted.delete(key);
    const held = this.#owners.get(owner);
    held?.delete(key);
    if (held?.size === 0) this.#owners.delete(owner);
  }
}
