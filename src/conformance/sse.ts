/** Reads server-sent events as they arrive: named frames, their ids, comments. It judges nothing (client.ts does). */

export interface Frame {
  readonly event: string;
  readonly data: string;
  /** Undefined where the frame has no `id:` line. */
  readonly id: string | undefined;
}

export type Piece = { readonly comment: string } | Frame;

/** Feeds text, gives back what is complete. */
export class FrameReader {
  #rest = '';
  #event = '';
  #data: string[] = [];
  #id: string | undefined;

  push(text: string): Piece[] {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop()!;
    return lines.flatMap((line) => this.#line(line) ?? []);
  }

  #line(line: string): Piece | undefined {
    if (line.startsWith(':')) return { comment: line.slice(1).trim() };
    if (line === '') {
      const frame = { event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id };
      const isEmpty = this.#data.length === 0;
      this.#event = '';
      this.#data = [];
      this.#id = undefined;
      return isEmpty ? undefined : frame;
    }
    const [, name, value] = /^([^:]*)(?:: ?(.*))?$/.exec(line)!;
    if (name === 'event') this.#event = value ?? '';
    if (name === 'data') this.#data.push(value ?? '');
    if (name === 'id') this.#id = value ?? '';
    return undefined;
  }
}
