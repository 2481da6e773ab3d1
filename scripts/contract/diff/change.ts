/**
 * What a difference between two contracts is, and how differences in shared components are told once, with every
 * operation they reach. What counts as a difference is in schemas.ts and operations.ts.
 * Invariant: a pair of components is compared once for each direction, so recursion ends.
 */
import type { ApiDocument } from '../document.js';

/** Whether callers write a value or read it: what may be narrowed in one may not be in the other. */
export type Direction = 'request' | 'response';

/** Everything that is told apart. Of those about schemas, narrower values break writers and wider ones readers. */
export const RULES = [
  ...(['operation-removed', 'operation-added', 'operation-id-changed', 'operation-deprecated', 'tag-changed'] as const),
  ...(['scope-removed', 'scope-added', 'server-removed', 'server-added'] as const),
  ...(['security-tightened', 'security-loosened', 'security-scheme-changed'] as const),
  ...(['parameter-removed', 'parameter-added', 'required-parameter-added'] as const),
  ...(['parameter-required', 'parameter-optional', 'parameter-encoding-changed'] as const),
  ...(['body-removed', 'body-added', 'required-body-added', 'body-required', 'body-optional'] as const),
  ...(['media-type-removed', 'media-type-added', 'status-removed', 'status-added', 'success-added'] as const),
  ...(['code-removed', 'code-added', 'details-removed', 'details-added'] as const),
  ...(['header-removed', 'header-added', 'header-optional'] as const),
  ...(['event-removed', 'event-added', 'event-rules-changed', 'heartbeat-slower', 'heartbeat-faster'] as const),
  ...(['type-narrowed', 'type-widened', 'type-changed', 'null-narrowed', 'null-widened'] as const),
  ...([
    'format-narrowed',
    'format-widened',
    'format-changed',
    'enum-narrowed',
    'enum-widened',
    'enum-changed',
  ] as const),
  ...(['known-values-removed', 'known-values-added', 'limit-narrowed', 'limit-widened'] as const),
  ...(['constraint-narrowed', 'constraint-widened', 'constraint-changed', 'default-changed', 'deprecated'] as const),
  ...(['member-removed', 'member-added', 'member-required', 'member-optional'] as const),
  ...(['other-members-refused', 'other-members-allowed', 'variants-narrowed', 'variants-widened'] as const),
] as const;
export type Rule = (typeof RULES)[number];

export interface Change {
  readonly rule: Rule;
  readonly breaking: boolean;
  /** Where, in the words of the document. */
  readonly at: string;
  readonly message: string;
  /** The operations it reaches, by operationId. */
  readonly operations: readonly string[];
}

export type Finding = Omit<Change, 'operations'>;

/** A pair of components to compare, unless they have been compared. */
export interface Link {
  readonly key: string;
  readonly steps: () => Iterable<Step>;
}

export type Step = Finding | Link;

/** The two contracts that are compared. */
export interface Sides {
  readonly before: ApiDocument;
  readonly after: ApiDocument;
}

export const finding = (rule: Rule, breaking: boolean, at: string, message: string): Finding => ({
  rule,
  breaking,
  at,
  message,
});

/** Gathers what comparisons find; the same finding from several operations is one change. */
export class Changes {
  readonly #compared = new Map<string, Step[]>();
  readonly #operations = new Map<Finding, Set<string>>();

  /** Everything the steps lead to concerns this operation too. */
  add(operation: string, steps: Iterable<Step>, seen = new Set<string>()): void {
    for (const step of steps) {
      if ('rule' in step) this.#note(step, operation);
      else if (!seen.has(step.key)) {
        seen.add(step.key);
        let known = this.#compared.get(step.key);
        if (known === undefined) this.#compared.set(step.key, (known = [...step.steps()]));
        this.add(operation, known, seen);
      }
    }
  }

  /** What breaks first, then in the order it was found. */
  list(): Change[] {
    const all = [...this.#operations].map(([found, operations]) => ({
      ...found,
      operations: [...operations].toSorted(),
    }));
    return [...all.filter(({ breaking }) => breaking), ...all.filter(({ breaking }) => !breaking)];
  }

  #note(found: Finding, operation: string): void {
    const operations = this.#operations.get(found);
    if (operations === undefined) this.#operations.set(found, new Set([operation]));
    else operations.add(operation);
  }
}
