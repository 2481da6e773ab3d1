/**
 * Questions to the file system that every call asks anew and that many calls ask at once: where the deny list leads, what
 * the settings say. Who asks while one is being answered shares the next answer, so many calls cost about what one costs.
 * Nothing is kept. Invariant: looking begins after the question was asked, so no answer is older than its question.
 */
interface Asked<T> {
  readonly now: Promise<T>;
  next: Promise<T> | undefined;
}

export class FreshAnswers<T> {
  readonly #asked = new Map<string, Asked<T>>();

  /** What `find` comes to, or another caller's `find` for the same key. Rejects as it does. */
  get(key: string, find: () => Promise<T>): Promise<T> {
    const asked = this.#asked.get(key);
    if (!asked) return this.#begin(key, find);
    const begin = (): Promise<T> => this.#begin(key, find);
    return (asked.next ??= asked.now.then(begin, begin));
  }

  #begin(key: string, find: () => Promise<T>): Promise<T> {
    const asked: Asked<T> = { now: find(), next: undefined };
    this.#asked.set(key, asked);
    const end = (): void => void (asked.next ?? this.#asked.delete(key));
    asked.now.then(end, end);
    return asked.now;
  }
}
