/**
 * What a rule of the contract is: a name, the sentence it stands for, and a function from the contract to the places
 * that break it. Rules do no I/O, so a test can hand each of them a broken contract.
 */
import type { ApiDocument, Json } from '../document.js';
import type { SideLists } from '../source.js';

export interface LintInput {
  /** The bundle. */
  document: ApiDocument;
  lists: SideLists;
  /** Every OpenAPI file as written, by its path below openapi/. */
  sources: Map<string, Json>;
  /** The files the root leads to. */
  reached: Set<string>;
  /** Text of a test file, undefined when there is none. */
  testSource: (path: string) => string | undefined;
}

/** One place that breaks a rule: where, and what is wrong there. */
export type Fault = readonly [at: string, message: string];

export interface Rule {
  readonly name: string;
  readonly find: (input: LintInput) => Iterable<Fault>;
}

export const rule = (name: string, find: (input: LintInput) => Iterable<Fault>): Rule => ({ name, find });
