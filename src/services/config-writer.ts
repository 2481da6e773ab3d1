/**
 * The one way to change `mcp_servers`: mint an intent, then write with its nonce and the hash that was read. The rules
 * of each change are pure (`domain/server-write.ts`) and run inside the file's lock; this file orders the steps.
 * Invariant: nonce, then the entry's own rules, then the lock, and inside it the hash before anything else; a nonce is
 * spent when presented, whatever comes of the write.
 */
import { digest, serversHash } from '../domain/canonical.js';
import { parseImport } from '../domain/dialects.js';
import type { JsonObject, JsonValue } from '../domain/json.js';
import type { LayerName, RawEntry } from '../domain/server-entry.js';
import {
  checkImportEntries,
  checkServerPatch,
  planDelete,
  planImport,
  planSetEnabled,
  planUpsert,
  storedEntries,
  type ServerListChange,
} from '../domain/server-write.js';
import type { SettingsFiles, TrustStore } from '../ports.js';
import type { ConfigReader, ReadableDocument } from './config-reader.js';
import type { ReconcileReport, Reconciler } from './reconciler.js';
import type { LiveSession } from './sessions.js';
import type { WriteNonces, WriteOp } from './write-nonces.js';

export type ServerWriteOp = Exclude<WriteOp, 'rules_set'>;

/** What every write carries. `scope` absent: the layer an intent defaults to. */
export interface WriteRequest {
  readonly nonce: string;
  readonly scope: LayerName | undefined;
  readonly expectHash: string;
}

export interface WriteIntent {
  readonly nonce: string;
  readonly path: string;
  readonly hash: string;
}

export interface WriteReport extends ReconcileReport {
  readonly path: string;
  /** Of the list after this write. */
  readonly hash: string;
}

export interface ImportReport extends WriteReport {
  readonly imported: number;
}

export interface ConfigWriterOptions {
  readonly files: SettingsFiles;
  readonly trust: TrustStore;
  readonly reader: ConfigReader;
  readonly reconciler: Reconciler;
  readonly nonces: WriteNonces;
}

export class ConfigWriter {
  readonly #options: ConfigWriterOptions;

  constructor(options: ConfigWriterOptions) {
    this.#options = options;
  }

  /** Throws bad_request when the layer does not exist, does not parse or holds no list. */
  async createWriteIntent(session: LiveSession, op: ServerWriteOp, scope: LayerName | undefined): Promise<WriteIntent> {
    const { reader, nonces } = this.#options;
    const path = reader.layerPath(session.posture, scope);
    const hash = serversHash(storedEntries((await reader.readLayer(path)).value));
    const { sessionId } = session.posture;
    return { nonce: await nonces.mint({ sessionId, op, path }, hash), path, hash };
  }

  /** Throws bad_request (nonce, entry, stored fault), mcp_conflict. */
  upsert(session: LiveSession, request: WriteRequest, server: JsonObject): Promise<WriteReport> {
    return this.#write(session, 'upsert', request, {
      check: () => checkServerPatch(server),
      change: (document) => planUpsert(document, request.expectHash, server),
      trusts: true,
    });
  }

  setEnabled(session: LiveSession, request: WriteRequest, name: string, enabled: boolean): Promise<WriteReport> {
    return this.#write(session, 'set_enabled', request, {
      change: (document) => planSetEnabled(document, request.expectHash, name, enabled),
      trusts: true,
    });
  }

  delete(session: LiveSession, request: WriteRequest, name: string): Promise<WriteReport> {
    return this.#write(session, 'delete', request, {
      change: (document) => planDelete(document, request.expectHash, name),
      trusts: false,
    });
  }

  /** Throws bad_request naming every bad entry; nothing is written then. */
  async import(
    session: LiveSession,
    request: WriteRequest,
    source: { document: string } | { servers: readonly JsonValue[] },
    replace: boolean,
  ): Promise<ImportReport> {
    let advisories: readonly string[] = [];
    let entries: readonly JsonObject[] = [];
    const report = await this.#write(session, 'import', request, {
      check: () => {
        if ('document' in source) ({ entries, warnings: advisories } = parseImport(source.document));
        else entries = checkImportEntries(source.servers);
      },
      change: (document) => planImport(document, request.expectHash, entries, replace),
      // An import is for review: its entries land disabled, and enabling one is the acknowledgement.
      trusts: true,
    });
    return { ...report, warnings: [...report.warnings, ...advisories], imported: entries.length };
  }

  async #write(
    session: LiveSession,
    op: ServerWriteOp,
    request: WriteRequest,
    step: { check?: () => void; change: (document: ReadableDocument) => ServerListChange; trusts: boolean },
  ): Promise<WriteReport> {
    const { files, nonces, reader, reconciler } = this.#options;
    const path = reader.layerPath(session.posture, request.scope);
    await nonces.redeem(request.nonce, { sessionId: session.posture.sessionId, op, path });
    step.check?.();
    const { servers } = await reconciler.whileWriting(() =>
      step.trusts ? this.#updateAndTrust(session, path, step.change) : files.update(path, step.change),
    );
    const report = await reconciler.reconcile(session.posture.sessionId);
    return { ...report, path, hash: serversHash(servers) };
  }

  /** A write through this API is the acknowledgement that the trust rule asks for. */
  async #updateAndTrust(
    session: LiveSession,
    path: string,
    change: (document: ReadableDocument) => ServerListChange,
  ): Promise<{ servers: JsonValue | undefined }> {
    const { files, reader, trust } = this.#options;
    if (reader.isOperatorOwned(session.posture, path)) return files.update(path, change);
    const withdrawals: (() => void)[] = [];
    try {
      const written = await files.update(path, (document) => {
        const planned = change(document);
        const definitions = planned.edits.flatMap((edit) => ('entry' in edit ? [definitionOf(edit.entry)] : []));
        withdrawals.push(...definitions.map(({ name, digest }) => reader.announce(path, name, digest)));
        return { edits: planned.edits, result: definitions };
      });
      for (const { name, digest } of written.result) await trust.add(path, name, digest);
      return written;
    } finally {
      for (const withdraw of withdrawals) withdraw();
    }
  }
}

const definitionOf = (entry: RawEntry): { name: string; digest: string } => ({
  name: entry['name'] as string,
  digest: digest(entry),
});
