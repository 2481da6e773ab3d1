/**
 * The audit log: a JSON line for every decision of the gate chain, in the data directory, readable by the user alone.
 * Lines are gathered and written once a turn of the event loop, so that a call does not wait for the disk. Files are
 * rotated by size. Of params it has a digest: whoever has the params can prove the call, nobody can read them here.
 * Invariant: lines that could not be written are kept, up to a limit, and written first when it is possible again; how
 * many were lost is written too.
 */
import { open, rename, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { digest } from '../domain/canonical.js';
import { makeFolders } from '../make-folders.js';
import type { AuditEntry, AuditLog, Clock, Logger } from '../ports.js';

const FILE_BYTES_MAX = 10 * 1024 * 1024;
const FILES_MAX = 10;
/** What waits while the disk is full or slow. */
const WAITING_MAX = 10_000;

interface OpenFile {
  readonly handle: FileHandle;
  size: number;
}

interface Waiting {
  readonly at: number;
  readonly entry: AuditEntry;
}

export const createAuditLog = (dataDir: string, { clock, logger }: { clock: Clock; logger: Logger }): AuditLog =>
  new AuditFiles(join(dataDir, 'audit'), clock, logger);

class AuditFiles implements AuditLog {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #waiting: Waiting[] = [];
  #lost = 0;
  /** Kept open: one write is all that a turn of the event loop costs. */
  #open: OpenFile | undefined;
  #isScheduled = false;
  #isFailing = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: string, clock: Clock, logger: Logger) {
    this.#folder = folder;
    this.#clock = clock;
    this.#logger = logger;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  append(entry: AuditEntry): void {
    this.#waiting.push({ at: this.#clock.now(), entry });
    if (this.#waiting.length > WAITING_MAX) {
      this.#waiting.shift();
      this.#lost += 1;
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => void this.flush());
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#close();
  }

  async flush(): Promise<boolean> {
    this.#writing = this.#writing.then(() => this.#write());
    await this.#writing;
    return !this.#isFailing;
  }

  async #write(): Promise<void> {
    this.#isScheduled = false;
    const waiting = this.#waiting;
    const lost = this.#lost;
    this.#waiting = [];
    this.#lost = 0;
    try {
      await this.#appendToFile(
        [...(lost > 0 ? [lostLine(this.#clock.now(), lost)] : []), ...waiting.map(lineOf)].join(''),
      );
      if (this.#isFailing) this.#logger.info({}, 'the audit log is written again');
      this.#isFailing = false;
    } catch (err) {
      await this.#close().catch(() => undefined);
      const kept = [...waiting, ...this.#waiting];
      this.#waiting = kept.slice(-WAITING_MAX);
      this.#lost += lost + kept.length - this.#waiting.length;
      if (!this.#isFailing)
        this.#logger.error({ err }, 'the audit log cannot be written; tools that change things are refused');
      this.#isFailing = true;
    }
  }

  async #appendToFile(text: string): Promise<void> {
    const bytes = Buffer.byteLength(text);
    if (this.#open && this.#open.size > 0 && this.#open.size + bytes > FILE_BYTES_MAX) {
      await this.#close();
      await this.#rotate();
    }
    this.#open ??= await this.#openNewest();
    await this.#open.handle.appendFile(text);
    this.#open.size += bytes;
  }

  async #openNewest(): Promise<OpenFile> {
    await makeFolders(this.#folder, 0o700);
    const handle = await open(this.#file(0), 'a', 0o600);
    return { handle, size: (await handle.stat()).size };
  }

  async #close(): Promise<void> {
    const file = this.#open;
    this.#open = undefined;
    await file?.handle.close();
  }

  /** The oldest is replaced by the second oldest, and so on; the newest name is free then. */
  async #rotate(): Promise<void> {
    for (let number = FILES_MAX - 2; number >= 0; number -= 1) {
      await rename(this.#file(number), this.#file(number + 1)).catch(ignoreMissing);
    }
  }

  #file(number: number): string {
    return join(this.#folder, number === 0 ? 'audit.jsonl' : `audit.${number}.jsonl`);
  }
}

const lineOf = ({ at, entry: { params, ...entry } }: Waiting): string =>
  `${JSON.stringify({ time: new Date(at).toISOString(), ...entry, params: `sha256:${digest(params)}` })}\n`;

const lostLine = (at: number, lost: number): string =>
  `${JSON.stringify({ time: new Date(at).toISOString(), lost })}\n`;

const ignoreMissing = (error: unknown): undefined => {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
};
