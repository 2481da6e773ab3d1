/** How the documented example of an operation is replayed; the rows are in examples-sessions.ts and its neighbours. */
import type { Tier } from '../check.js';
import type { Answer } from '../client.js';
import type { Scene } from './examples-scene.js';

export interface Replay {
  readonly tier?: Tier;
  readonly features?: readonly string[];
  /** Members of the answer that are as the example has them, as `todo.tags` or `0.event`; the rest is of the run. */
  readonly literal?: readonly string[];
  /** Brings about what the example tells of, sends its request, and resolves to the answer. */
  readonly send: (scene: Scene) => Promise<Answer>;
}

/** By operation, or by operation and example as `getJobResult:failed`. */
export type Replays = Readonly<Record<string, Replay>>;

/** A request that needs nothing around it. */
export const plain: Replay = { send: (scene) => scene.send() };
