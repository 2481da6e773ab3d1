/**
 * The error catalogue this package was released with: which codes have fixed messages, and which tell how long to wait.
 * The bundle says what an error looks like; this says what it may say.
 */
import { readFileSync } from 'node:fs';

interface Entry {
  readonly wait: 'always' | 'sometimes' | 'never';
  readonly message: 'literal' | 'specific';
  readonly messages: readonly string[];
}

type Families = Readonly<Record<'agent' | 'workspaces', Readonly<Record<string, Entry>>>>;

const { errors } = JSON.parse(readFileSync(new URL('../../generated/catalogue.json', import.meta.url), 'utf8')) as {
  readonly errors: Families;
};

/** Codes of the two families differ in case, so one table holds both. */
const ENTRIES = new Map(Object.entries({ ...errors.agent, ...errors.workspaces }));

/** The messages one of which an answer with this code has, letter for letter; undefined where it words its own. */
export const literalMessages = (code: string): readonly string[] | undefined => {
  const entry = ENTRIES.get(code);
  return entry?.message === 'literal' ? entry.messages : undefined;
};
