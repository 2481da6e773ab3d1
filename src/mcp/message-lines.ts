/**
 * Cuts a byte stream into lines. Only the new chunk is searched and a line is put together once, so a large message
 * costs its size and not its square. A line over the limit is dropped while it arrives.
 */
const LINE_END = 0x0a;

/** The largest message that is read. Parsing one of this size takes a good part of a second; nobody sends it on purpose. */
export const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;

export class MessageLines {
  readonly #onLine: (line: string) => void;
  readonly #onOversized: () => void;
  #parts: Buffer[] = [];
  #size = 0;
  #dropping = false;

  constructor(onLine: (line: string) => void, onOversized: () => void) {
    this.#onLine = onLine;
    this.#onOversized = onOversized;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, start)) {
      this.#extend(chunk.subarray(start, end));
      const line = this.#dropping ? undefined : Buffer.concat(this.#parts, this.#size).toString('utf8');
      this.#forget();
      this.#dropping = false;
      if (line !== undefined) this.#onLine(line);
      start = end + 1;
    }
    this.#extend(chunk.subarray(start));
  }

  #extend(piece: Buffer): void {
    if (this.#dropping || piece.length === 0) return;
    this.#size += piece.length;
    if (this.#size <= MESSAGE_BYTES_MAX) {
      this.#parts.push(piece);
      return;
    }
    this.#forget();
    this.#dropping = true;
    this.#onOversized();
  }

  #forget(): void {
    this.#parts = [];
    this.#size = 0;
  }
}
