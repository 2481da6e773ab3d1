/**
 * What of an entry may be shown. The view is built by naming what goes into it, so a field added to entries stays
 * private until somebody names it here.
 * Invariant: no value of `env` or `headers` leaves this file.
 */
import type { ServerEntry, Transport } from './server-entry.js';

export interface EntryView {
  readonly name: string;
  readonly transport: Transport;
  readonly enabled: boolean;
  readonly requireConfirmation: boolean;
  /** Sorted, as are the header names. */
  readonly envKeys: readonly string[];
  readonly headerKeys: readonly string[];
  /** `command`, `args` and `url` are shown word for word: the contract tells people to keep secrets out of them. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly allowedTools?: readonly string[];
}

export function entryView(entry: ServerEntry): EntryView {
  return {
    name: entry.name,
    transport: entry.transport,
    enabled: entry.enabled,
    requireConfirmation: entry.requireConfirmation,
    envKeys: [...entry.env.keys()].toSorted(),
    headerKeys: [...entry.headers.keys()].toSorted(),
    ...(entry.command === undefined ? {} : { command: entry.command, args: entry.args }),
    ...(entry.url === undefined ? {} : { url: entry.url }),
    ...(entry.allowedTools === undefined ? {} : { allowedTools: entry.allowedTools }),
  };
}

/** Words that make a query parameter look like a credential. */
const CREDENTIAL_PARAMETER =
  /token|secret|passw|api[_-]?key|access[_-]?key|^key$|^auth(?:orization)?$|signature|^sig$|credential/i;

/** Says in words what in a url looks like a credential, never the value; undefined when nothing does. */
export function urlCredential(url: string): string | undefined {
  const { username, password, searchParams } = new URL(url);
  if (username !== '' || password !== '') return 'a user name or password';
  const name = [...searchParams].find(([key, value]) => value !== '' && CREDENTIAL_PARAMETER.test(key))?.[0];
  return name === undefined ? undefined : 'a query parameter that looks like a credential';
}
