/**
 * The work lists a caller can watch, and whose lists they are. A list belongs to an account and a realm; a working
 * folder and a config dir narrow it.
 */
export const TOPICS = ['sessions', 'todos', 'workflow_runs', 'loops', 'tasks', 'gates', 'agents', 'rules'] as const;
export type Topic = (typeof TOPICS)[number];

/** Lists that are kept in the store. */
export const STORED_TOPICS = ['sessions', 'todos', 'workflow_runs'] as const satisfies readonly Topic[];
export type StoredTopic = (typeof STORED_TOPICS)[number];

/** What a list shows: all of an account and realm, or what belongs to a folder or config dir of it. */
export interface ListScope {
  readonly account: string;
  readonly realm: string;
  readonly cwd?: string | undefined;
  readonly configDir?: string | undefined;
}

/** One window on a list; `limit` 0 is everything. */
export interface Window {
  readonly page: number;
  readonly limit: number;
}

export interface Listed<T> {
  readonly items: readonly T[];
  /** Size of the whole list. */
  readonly total: number;
}
