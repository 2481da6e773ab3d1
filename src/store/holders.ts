/**
 * The daemons that work on one database, and what becomes of what a dead one held. Each says that it lives for the next
 * while, again and again; one whose time has passed is taken for dead: its sessions can be attached by others, its jobs
 * and workflow runs have failed. Time is the database's, for the clocks of several machines do not agree.
 * Invariant: what belongs to a daemon with time left is never taken from it.
 */
import { sql, type RawBuilder } from './kysely.js';
import { afterStop, type JobRecord } from '../domain/job.js';
import { countChange, type Place } from './counters.js';
import { answered } from './database-errors.js';
import { jobColumns } from './job-table.js';
import type { Database } from './schema.js';
import { failAbandonedRuns } from './workflow-run-table.js';

/** Three renewals may fail before others take over. */
const LIVES_MS = 30_000;
/**
 * Who was silent itself cannot tell who else is dead: perhaps the database was away for all of them. After so many renewals
 * the others have had the time to say that they live.
 */
const RENEWALS_BEFORE_FREEING = 3;
/** Far behind every date, and within the numbers the driver can read. */
const NEVER = 2 ** 52;
/** Rows a statement may name at once. */
const BATCH_ROWS = 500;

export interface HolderOptions {
  /** Another one after each start. */
  readonly id: string;
  /** Known to be dead: an earlier run in the same data directory. */
  readonly previous: string | undefined;
  /** Nobody else can open the database, so whoever is named in it is dead. */
  readonly isAlone: boolean;
}

export class Holders {
  readonly #db: Database;
  readonly #options: HolderOptions;
  /** Since this daemon was last silent for too long. */
  #renewals = RENEWALS_BEFORE_FREEING;

  constructor(db: Database, options: HolderOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** The daemon lives from now on, and the dead have let go. */
  async begin(): Promise<void> {
    const { id, previous, isAlone } = this.#options;
    if (isAlone) await this.#db.deleteFrom('daemons').execute();
    else
      await this.#db
        .deleteFrom('daemons')
        .where('id', 'in', [id, previous ?? id])
        .execute();
    await this.#insert();
    await this.#free();
  }

  /** False when its time had run out before: others may have taken what it held. Rejects with service_unavailable. */
  renew(): Promise<boolean> {
    if (this.#options.isAlone) return Promise.resolve(true);
    return answered(async () => {
      const { numUpdatedRows } = await this.#db
        .updateTable('daemons')
        .set({ expires_at: sql<number>`${NOW} + ${LIVES_MS}` })
        .where('id', '=', this.#options.id)
        .where('expires_at', '>', NOW)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows > 0n) {
        this.#renewals += 1;
        return true;
      }
      this.#renewals = 0;
      await this.#db.deleteFrom('daemons').where('id', '=', this.#options.id).execute();
      await this.#insert();
      return false;
    });
  }

  /** Takes from daemons whose time has passed what they held, unless that may be an outage. Rejects with service_unavailable. */
  async freeAbandoned(): Promise<void> {
    if (this.#options.isAlone || this.#renewals < RENEWALS_BEFORE_FREEING) return;
    await answered(() => this.#free());
  }

  /** The daemon has let go of everything. */
  async end(): Promise<void> {
    await this.#db.deleteFrom('daemons').where('id', '=', this.#options.id).execute();
  }

  async #free(): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      if (!this.#options.isAlone) await db.deleteFrom('daemons').where('expires_at', '<=', NOW).execute();
      await freeSessions(db);
      await failJobs(db);
      await failAbandonedRuns(db);
    });
  }

  async #insert(): Promise<void> {
    const expires = this.#options.isAlone ? NEVER : sql<number>`${NOW} + ${LIVES_MS}`;
    await this.#db.insertInto('daemons').values({ id: this.#options.id, expires_at: expires }).execute();
  }
}

/** Of PostgreSQL: in SQLite nobody's time runs out. */
const NOW: RawBuilder<number> = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

const freeSessions = async (db: Database): Promise<void> => {
  const abandoned = await db
    .selectFrom('sessions')
    .select(['id', 'account', 'realm', 'cwd', 'config_dir'])
    .where('held_by', 'is not', null)
    .where('held_by', 'not in', db.selectFrom('daemons').select('id'))
    .execute();
  const places = new Map<string, Place[]>();
  for (const { account, realm, cwd, config_dir: configDir } of abandoned) {
    const key = JSON.stringify([account, realm]);
    places.set(key, [...(places.get(key) ?? []), { cwd, configDir }]);
  }
  // In one order, so that two daemons that find the same wait for each other and not in a circle.
  for (const key of [...places.keys()].toSorted()) {
    const [account, realm] = JSON.parse(key) as [string, string];
    await countChange(db, 'sessions', { account, realm }, places.get(key)!);
  }
  for (let start = 0; start < abandoned.length; start += BATCH_ROWS) {
    const ids = abandoned.slice(start, start + BATCH_ROWS).map(({ id }) => id);
    await db
      .updateTable('sessions')
      .set({ held_by: null })
      .where('id', 'in', ids)
      .where('held_by', 'not in', db.selectFrom('daemons').select('id'))
      .execute();
  }
};

const failJobs = async (db: Database): Promise<void> => {
  const abandoned = await db
    .selectFrom('jobs')
    .select('document')
    .where('ended_at', 'is', null)
    .where('daemon', 'not in', db.selectFrom('daemons').select('id'))
    .execute();
  for (const { document } of abandoned) {
    const job = JSON.parse(document) as JobRecord;
    // Its last change is the best that is known of its end, and the same whoever finds it first.
    const failed = jobColumns(afterStop(job, job.updatedAt));
    await db.updateTable('jobs').set(failed).where('id', '=', job.id).where('ended_at', 'is', null).execute();
  }
};
