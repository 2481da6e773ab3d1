/**
 * Frozen requirement sets: for each released version of the contract, the cases it was judged by, with their levels. A
 * claim to conform to a version is judged by its set for ever; cases that came later are run and told, and never fail it.
 *
 * Invariant: a set that was released is not changed (`npm run check` compares its bytes).
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { Level } from './check.js';

export interface RequirementSet {
  readonly contract: string;
  readonly cases: Readonly<Record<string, Level>>;
}

const FOLDER = new URL('../../openapi/released/', import.meta.url);
const SUFFIX = '.cases.json';

/** The name for everything the suite has. */
export const CURRENT = 'current';

/** Versions with a set, oldest first. */
export const releasedVersions = (): readonly string[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .toSorted(byVersion);

/** What a version is judged by, with levels; undefined for `current`, which is all. Throws a sentence for an unknown one. */
export const scoredBy = (version: string): ReadonlyMap<string, Level> | undefined => {
  if (version === CURRENT) return undefined;
  const known = releasedVersions();
  if (!known.includes(version)) throw new Error(`the requirement sets are ${[...known, CURRENT].join(', ')}`);
  const set = JSON.parse(readFileSync(new URL(`${version}${SUFFIX}`, FOLDER), 'utf8')) as RequirementSet;
  return new Map(Object.entries(set.cases));
};

const byVersion = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
