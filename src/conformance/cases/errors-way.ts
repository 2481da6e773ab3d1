/** What the files of error cases share: how a documented error is asked for. It brings nothing about by itself. */
import type { Tier } from '../check.js';
import type { Answer, CallArguments } from '../client.js';
import type { Documented } from '../contract.js';
import type { Target } from '../target.js';
import { MISSING, type Names, type Sample } from './samples.js';

/** How a code comes about. */
export interface Way {
  readonly tier: Tier;
  /** It fills what the target limits. */
  readonly alone?: boolean;
  readonly features?: readonly string[];
  /** Resolves to the answer that should be the documented one. */
  readonly provoke: (asked: Asked) => Promise<Answer>;
}

/** A stream that was to be refused and is not would go on for ever. */
const STREAM_MAX_MS = 10_000;

export class Asked {
  readonly target: Target;
  readonly of: Documented;
  readonly #sample: Sample;

  constructor(target: Target, of: Documented, sample: Sample) {
    this.target = target;
    this.of = of;
    this.#sample = sample;
  }

  get isStream(): boolean {
    return this.of.operation.answers.get(200)?.stream !== undefined;
  }

  /** The sample of the operation, about these things and otherwise about nothing that is there. */
  call(names: Partial<Names> = {}): CallArguments {
    return this.#sample({ ...MISSING, ...names });
  }

  /** The sample with these members of its body in place of its own. */
  callWith(names: Partial<Names>, body: object): CallArguments {
    const call = this.call(names);
    return { ...call, body: { ...(call.body as object), ...body } };
  }

  /** Sends it to the operation. */
  send(call: CallArguments = this.call(), target: Target = this.target): Promise<Answer> {
    const signal = this.isStream ? { signal: AbortSignal.timeout(STREAM_MAX_MS) } : {};
    return target.call(this.of.operation.id, { ...call, ...signal });
  }
}

export const withHeaders = (call: CallArguments, headers: Readonly<Record<string, string>>): CallArguments => ({
  ...call,
  headers: { ...call.headers, ...headers },
});

/** Breaks the contract, so that nothing comes of it where nothing else stands against it. */
export const spoiled = (call: CallArguments): CallArguments => ({
  ...call,
  query: { ...call.query, no_such_parameter: 1 },
});
