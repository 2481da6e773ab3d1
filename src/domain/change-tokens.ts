/**
 * Change tokens: what a caller can see of a topic, to a short opaque text, and two readings to the frames between them.
 * A token says nothing but whether it is equal to another one.
 * Invariant: nothing that merely counts down or gets older goes into a token.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical.js';
import type { JsonValue } from './json.js';
import type { Topic } from './topics.js';

/** One look at all topics. A topic is in `tokens` or in `unavailable`. */
export interface Reading {
  /** Stands for account and realm, and tells neither. */
  readonly scope: string;
  readonly tokens: Readonly<Partial<Record<Topic, string>>>;
  /** Why a topic could not be read; absent when all could. */
  readonly unavailable?: Readonly<Partial<Record<Topic, string>>>;
}

export type EndReason = 'tokens_unreadable' | 'restriction_unknown';

export type Frame =
  | { readonly kind: 'snapshot'; readonly reading: Reading }
  | { readonly kind: 'changed'; readonly topic: Topic; readonly token: string }
  | { readonly kind: 'end'; readonly reason: EndReason };

/** Crockford's alphabet. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 130 bits: no two states of all daemons together will share one. */
const TOKEN_DIGITS = 26;

/** The first 26 base32 digits of the SHA-256 of the state's canonical JSON. */
export const tokenOf = (state: JsonValue): string => {
  const bytes = createHash('sha256').update(canonicalJson(state)).digest();
  let token = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5 && token.length < TOKEN_DIGITS) {
      bits -= 5;
      token += DIGITS[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
    if (token.length === TOKEN_DIGITS) break;
  }
  return token;
};

/**
 * What a reader of `before` must be told to know `after`. A snapshot when the scope is another one, and when a topic can
 * be read no longer or again, because no single token says that.
 */
export const framesBetween = (before: Reading | undefined, after: Reading): Frame[] => {
  if (before?.scope !== after.scope || unreadable(before) !== unreadable(after)) {
    return [{ kind: 'snapshot', reading: after }];
  }
  return (Object.entries(after.tokens) as [Topic, string][])
    .filter(([topic, token]) => before.tokens[topic] !== token)
    .map(([topic, token]) => ({ kind: 'changed', topic, token }));
};

const unreadable = ({ unavailable = {} }: Reading): string => Object.keys(unavailable).toSorted().join();
