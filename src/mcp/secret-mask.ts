/**
 * Replaces known secret values in text that a server wrote. It knows the values of one launch, as they are and as JSON
 * writes them, and nothing else: a secret the server made up itself, or encoded otherwise, is not found.
 */
const REPLACEMENT = '[REDACTED]';

/** Shorter lines of a secret with several lines (the padding of a key file) would blot out half of every text. */
const PART_LENGTH_MIN = 4;

export interface SecretMask {
  /** The text with every secret replaced, made from its first `limit` characters: a secret across the limit is found. */
  apply(text: string, limit?: number): string;
  /** How many characters at the end of an unfinished text may be the beginning of a secret. */
  unfinished(text: string): number;
  /** Length of the longest secret. */
  readonly longest: number;
}

export const createSecretMask = (secrets: readonly string[]): SecretMask => {
  const parts = secrets.flatMap((secret) => secret.split(/\r?\n/).filter((line) => line.length >= PART_LENGTH_MIN));
  const known = [...new Set([...secrets, ...parts].flatMap((secret) => [secret, asInJson(secret)]))]
    .filter((secret) => secret !== '')
    .toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(known.map(escapeForRegExp).join('|'), 'g');
  const longest = known[0]?.length ?? 0;

  return {
    longest,
    apply: (text, limit = Infinity) => {
      if (known.length === 0) return text.slice(0, limit);
      let out = '';
      let at = 0;
      for (const match of text.matchAll(pattern)) {
        if (match.index >= limit) break;
        out += text.slice(at, match.index) + REPLACEMENT;
        at = match.index + match[0].length;
      }
      return (at < limit ? out + text.slice(at, limit) : out).slice(0, limit);
    },
    unfinished: (text) => {
      for (let length = Math.min(longest - 1, text.length); length > 0; length -= 1) {
        const end = text.slice(-length);
        if (known.some((secret) => secret.length > length && secret.startsWith(end))) return length;
      }
      return 0;
    },
  };
};

/** A server that logs its configuration mostly does so as JSON. */
const asInJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const escapeForRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
