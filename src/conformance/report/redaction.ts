/**
 * Keeps out of a report what nobody else may read: the credentials of the operator, nonces and tokens that are still
 * good, values of `env` and `headers`. Where JSON says what a value is, the value is masked in its place; such values
 * are looked for everywhere else too, because messages and frames repeat them.
 */
const MASK = '[redacted]';
const SECRET_HEADERS = ['authorization', 'cookie', 'set-cookie', 'proxy-authorization', 'x-hoody-approver-lease'];
const SECRET_MEMBERS = ['nonce', 'confirm_token', 'token', 'capability', 'authorization'];
/** Maps whose values are credentials, whatever their keys. */
const SECRET_MAPS = ['env', 'headers'];
/** A text of the caller that may hold anything, in any notation; shown where it is JSON. */
const PASTED = 'document';
/** What is shorter is masked in its place only: it would be found in the middle of words. */
const SECRET_MIN = 6;

type Found = (secret: string) => void;

export class Redaction {
  readonly #members: readonly string[];
  readonly #names: ReadonlySet<string>;
  readonly #secrets: readonly string[];

  /** `members` are names beside the usual ones; `secrets` are values that are kept out of every text. */
  constructor(members: readonly string[], secrets: Iterable<string>) {
    this.#members = members;
    this.#names = new Set([...SECRET_MEMBERS, ...members.map((name) => name.toLowerCase())]);
    // The longest first: one may be a part of another.
    this.#secrets = [...new Set(secrets)]
      .filter((secret) => secret.length >= SECRET_MIN)
      .toSorted((a, b) => b.length - a.length);
  }

  /** The same, and these. */
  with(secrets: readonly string[]): Redaction {
    return new Redaction(this.#members, [...this.#secrets, ...secrets]);
  }

  text(text: string): string {
    return this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
  }

  /** Tokens may travel in the query too. */
  url(url: string): string {
    const masked = url.replaceAll(QUERY, (pair, mark: string, name: string) =>
      this.#names.has(name.toLowerCase()) ? `${mark}${name}=${MASK}` : pair,
    );
    return this.text(masked);
  }

  headers(headers: Readonly<Record<string, string | undefined>>, given: readonly string[]) {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => {
        const isSecret = SECRET_HEADERS.includes(name.toLowerCase()) || given.includes(name);
        return [name, value === undefined ? value : isSecret ? MASK : this.text(value)];
      }),
    );
  }

  /** JSON, an event stream, or any other text. */
  body(text: string): string {
    const whole = parse(text);
    const masked =
      whole === undefined
        ? text.replaceAll(FRAME_DATA, (line, start: string, data: string) => {
            const value = parse(data);
            return value === undefined ? line : start + JSON.stringify(this.#masked(value, ignore, true));
          })
        : JSON.stringify(this.#masked(whole, ignore, true));
    return this.text(masked);
  }

  /** The secrets a request carries. */
  secretsInRequest(url: string, body: string): string[] {
    const found: string[] = [];
    for (const [, , name, value] of url.matchAll(QUERY)) {
      if (this.#names.has(name!.toLowerCase())) found.push(value!, plain(value!));
    }
    this.#masked(parse(body), (secret) => void found.push(secret), true);
    return found;
  }

  /** The secrets of an answer: not its maps, which hold what every answer may (a schema has a member `headers`, too). */
  secretsInAnswer(body: string): string[] {
    const found: string[] = [];
    const texts = [body, ...[...body.matchAll(FRAME_DATA)].map(([, , data]) => data!)];
    for (const text of texts) this.#masked(parse(text), (secret) => void found.push(secret), false);
    return found;
  }

  #masked(value: unknown, found: Found, tellsMaps: boolean): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#masked(item, found, tellsMaps));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, this.#maskedMember(name, member, found, tellsMaps)]),
    );
  }

  #maskedMember(name: string, member: unknown, found: Found, tellsMaps: boolean): unknown {
    if (typeof member === 'string') {
      if (this.#names.has(name.toLowerCase())) return (found(member), MASK);
      if (name !== PASTED) return member;
      const pasted = parse(member);
      return pasted === undefined ? MASK : JSON.stringify(this.#masked(pasted, found, tellsMaps));
    }
    if (!SECRET_MAPS.includes(name) || typeof member !== 'object' || member === null || Array.isArray(member)) {
      return this.#masked(member, found, tellsMaps);
    }
    for (const each of Object.values(member)) if (tellsMaps && typeof each === 'string') found(each);
    return Object.fromEntries(Object.keys(member).map((key) => [key, MASK]));
  }
}

const QUERY = /([?&])([^=&]+)=([^&]*)/g;
const FRAME_DATA = /^(data: ?)(.*)$/gm;
const ignore: Found = () => undefined;

const plain = (value: string): string => {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
