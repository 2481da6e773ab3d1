/**
 * The last lines a child wrote to stderr, without the secrets it was started with. It takes everything, so that the
 * child never blocks on a full pipe, and keeps a bounded rest.
 * Invariant: no line that can be read from it contains a known secret or a beginning of one that is still arriving.
 */
import { StringDecoder } from 'node:string_decoder';
import type { SecretMask } from './secret-mask.js';

/** Enough for the end of a stack trace. */
const LINES_MAX = 20;
/** Longer lines are cut: nobody reads them in a list of servers. */
const LINE_LENGTH_MAX = 4_096;

export class StderrTail {
  readonly #mask: SecretMask;
  readonly #decoder = new StringDecoder('utf8');
  readonly #lines: string[] = [];
  #unfinished = '';

  constructor(mask: SecretMask) {
    this.#mask = mask;
  }

  push(chunk: Buffer): void {
    const [rest, ...ends] = this.#decoder.write(chunk).split('\n');
    this.#extend(rest ?? '');
    for (const piece of ends) {
      this.#lines.push(this.#mask.apply(this.#unfinished.replace(/\r$/, ''), LINE_LENGTH_MAX));
      if (this.#lines.length > LINES_MAX) this.#lines.shift();
      this.#unfinished = '';
      this.#extend(piece);
    }
  }

  lines(): readonly string[] {
    const shown = this.#unfinished.slice(0, this.#unfinished.length - this.#mask.unfinished(this.#unfinished));
    const last = this.#mask.apply(shown, LINE_LENGTH_MAX);
    return last === '' ? [...this.#lines] : [...this.#lines, last].slice(-LINES_MAX);
  }

  /** Keeps as much of a line as is needed to find a secret that begins before the cut. */
  #extend(piece: string): void {
    const room = LINE_LENGTH_MAX + this.#mask.longest - this.#unfinished.length;
    this.#unfinished += piece.slice(0, room);
  }
}
