/**
 * Reads the text of a tool run out of an answer of the daemon or the reference, which both answer `{ok, output}`.
 */
import type { HttpAnswer } from './http-caller.js';

const EXCERPT_CHARACTERS = 300;

/** The output; throws with the beginning of the answer when the run did not succeed. */
export function toolOutput(answer: HttpAnswer): string {
  if (answer.status === 200) {
    const { ok, output } = JSON.parse(answer.body.toString()) as { ok?: unknown; output?: unknown };
    if (ok === true && typeof output === 'string') return output;
  }
  throw unexpected(answer);
}

export const unexpected = ({ status, body }: HttpAnswer): Error =>
  new Error(`unexpected answer: ${status} ${body.toString('utf8', 0, EXCERPT_CHARACTERS)}`);
