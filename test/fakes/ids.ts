/** Ids a test can predict: they count upwards, and digits are valid in both alphabets. */
import type { Ids } from '../../src/ports.js';

export class FakeIds implements Ids {
  #count = 0;

  ulid(): string {
    this.#count += 1;
    return String(this.#count).padStart(26, '0');
  }

  hex(digits: number): string {
    this.#count += 1;
    return this.#count.toString(16).padStart(digits, '0');
  }
}
