/**
 * What a case is and how it speaks: claims that must hold, claims that should, and the two honest ways out (a
 * prerequisite is missing, the target does not claim the capability). Running cases is runner.ts.
 */
import type { Target } from './target.js';

export type Level = 'MUST' | 'SHOULD';

/** What a case needs around it. `request` needs an address only; the others say what more. */
export const TIERS = ['request', 'load', 'topology', 'state', 'fault'] as const;
export type Tier = (typeof TIERS)[number];

export interface Case {
  /** Follows the contract: `mcp/upsertMcpServer/409/mcp_conflict`, or `rule/` and the id of a requirement. */
  readonly id: string;
  /** One sentence: what holds when the case passes. */
  readonly title: string;
  readonly level: Level;
  readonly tier: Tier;
  /** Capabilities a target may decline; without one of them the case does not apply. */
  readonly features: readonly string[];
  /** Waits for a time the target declares, such as a heartbeat; left out unless asked for. */
  readonly slow?: boolean;
  /** Nothing else may run beside it: it fills what the target limits. */
  readonly alone?: boolean;
  readonly run: (target: Target) => Promise<void>;
}

/** The target broke the contract. The message says what came in place of what. */
export class Broken extends Error {}

/** It cannot be told, for want of something. The message names it. */
export class Untestable extends Error {}

/** The target does not claim what the case is about. */
export class NotApplicable extends Error {}

/** A claim of the contract. Throws Broken, with the claim as a sentence that says what was wrong. */
export function must(holds: boolean, claim: string): asserts holds {
  if (!holds) throw new Broken(claim);
}

/** Two values are one JSON value. */
export const mustEqual = (actual: unknown, expected: unknown, what: string): void => {
  must(sameJson(actual, expected), `${what}: ${excerpt(actual)} in place of ${excerpt(expected)}`);
};

/** As JSON has them, whichever realm made them: Node's own comparison looks at prototypes, too. */
const sameJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson((a as never)[key], (b as never)[key]))
  );
};

const EXCERPT_MAX = 200;
const excerpt = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > EXCERPT_MAX ? `${text.slice(0, EXCERPT_MAX)}…` : text;
};
