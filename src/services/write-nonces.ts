/**
 * The nonces that writes of settings take: minted for one write of one file by one session, spent when presented,
 * whatever comes of the write. What a write may do is not known here.
 * Invariant: a nonce is bound to the file its path led to when it was minted, so no link pointed elsewhere carries it along.
 */
import { DaemonError } from '../domain/errors.js';
import type { Clock, Ids, SettingsFiles } from '../ports.js';
import { SingleUseTokens } from './single-use-tokens.js';

export type WriteOp = 'upsert' | 'delete' | 'set_enabled' | 'import' | 'rules_set';

export interface WriteNoncesOptions {
  readonly files: Pick<SettingsFiles, 'targetOf'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly ttlMs: number;
}

/** Which write a nonce is for. `path` is that of the layer. */
export interface NonceUse {
  readonly sessionId: string;
  readonly op: WriteOp;
  readonly path: string;
}

interface Binding extends NonceUse {
  /** The end of the links of `path`. */
  readonly target: string;
  /** What the file held then, as the writer that minted it counts. */
  readonly seen: string;
}

/** Unspent nonces of one session: more than any person or page needs, few enough to bound memory. */
const NONCES_PER_SESSION_MAX = 64;

export class WriteNonces {
  readonly #files: WriteNoncesOptions['files'];
  readonly #tokens: SingleUseTokens<Binding>;

  constructor({ files, clock, ids, ttlMs }: WriteNoncesOptions) {
    this.#files = files;
    this.#tokens = new SingleUseTokens({
      clock,
      newToken: () => `nce_${ids.ulid()}`,
      ttlMs,
      maxPerOwner: NONCES_PER_SESSION_MAX,
      ownerOf: ({ sessionId }) => sessionId,
    });
  }

  async mint(use: NonceUse, seen: string): Promise<string> {
    return this.#tokens.mint({ ...use, seen, target: await this.#files.targetOf(use.path) });
  }

  /** Spends the nonce and says what its writer had seen. Throws bad_request unless it was minted for this use. */
  async redeem(nonce: string, use: NonceUse): Promise<string> {
    const target = await this.#files.targetOf(use.path);
    let seen = '';
    const answer = this.#tokens.redeem(nonce, (minted) => {
      seen = minted.seen;
      return minted.sessionId === use.sessionId && minted.op === use.op && minted.target === target;
    });
    if (answer === 'unknown') throw new DaemonError('bad_request', 'nonce: unknown, used or expired; mint a new one');
    if (answer === 'mismatch') {
      throw new DaemonError(
        'bad_request',
        'nonce: minted for another session, op or scope, and spent now; mint a new one',
      );
    }
    return seen;
  }

  /** The session is gone: its nonces go with it. */
  forget(sessionId: string): void {
    this.#tokens.dropOwner(sessionId);
  }
}
