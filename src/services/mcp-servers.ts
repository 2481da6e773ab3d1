/**
 * The questions about a session's MCP servers that change no file: list them, preview a pasted document, reconnect, and
 * judge a probe's candidate. Writing is config-writer.ts.
 */
import type { CandidateRule } from '../domain/candidate.js';
import { parseImport, type Dialect } from '../domain/dialects.js';
import { DaemonError } from '../domain/errors.js';
import type { JsonObject } from '../domain/json.js';
import { entryError, parseEntry, type ServerEntry } from '../domain/server-entry.js';
import type { Clock } from '../ports.js';
import type { ConfigReader } from './config-reader.js';
import type { ReconcileReport, Reconciler, SessionStatus } from './reconciler.js';
import type { LiveSession } from './sessions.js';

export interface McpServersOptions {
  readonly reader: ConfigReader;
  readonly reconciler: Reconciler;
  readonly clock: Clock;
  readonly candidateRule: CandidateRule;
  readonly reconnectIntervalMs: number;
}

export interface ImportPreview {
  readonly dialect: Dialect;
  readonly entries: readonly ServerEntry[];
  readonly warnings: readonly string[];
}

export class McpServers {
  readonly #options: McpServersOptions;
  /** When each session last reconnected; goes with the session. */
  readonly #reconnectedAt = new Map<string, number>();

  constructor(options: McpServersOptions) {
    this.#options = options;
  }

  list(session: LiveSession): Promise<SessionStatus> {
    return this.#options.reconciler.status(session.posture.sessionId);
  }

  /** Throws bad_request as `parseImport` does. Nothing is read or written. */
  preview(document: string): ImportPreview {
    const { dialect, servers, warnings } = parseImport(document);
    return { dialect, entries: servers, warnings };
  }

  /** Throws rate_limited with the remaining wait in its message. Requires: mcp.reconnect.interval */
  async reconnect(session: LiveSession): Promise<ReconcileReport> {
    const { clock, reconciler, reconnectIntervalMs } = this.#options;
    const { sessionId } = session.posture;
    const waitMs = (this.#reconnectedAt.get(sessionId) ?? -Infinity) + reconnectIntervalMs - clock.now();
    if (waitMs > 0) {
      throw new DaemonError('rate_limited', `reconnected a moment ago; wait ${(waitMs / 1000).toFixed(1)} s and retry`);
    }
    this.#reconnectedAt.set(sessionId, clock.now());
    return reconciler.reconcile(sessionId, { retryDead: true });
  }

  /**
   * Never succeeds: over HTTP nobody can confirm. Throws bad_request for a malformed candidate and for one that policy
   * refuses, human_only otherwise. Requires: mcp.probe.never-succeeds
   */
  async probe(session: LiveSession, server: JsonObject): Promise<never> {
    const parsed = parseEntry(server, 'written');
    if ('faults' in parsed) throw entryError(parsed.faults);
    const { reader, candidateRule } = this.#options;
    const refused = candidateRule(parsed.entry, await reader.read(session.posture), session.posture);
    if (refused) throw new DaemonError('bad_request', `server.${refused.field}: ${refused.rule}`);
    throw new DaemonError('human_only');
  }

  forget(sessionId: string): void {
    this.#reconnectedAt.delete(sessionId);
  }
}
