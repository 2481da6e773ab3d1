/**
 * Jobs in the store, with their outcomes: an outcome is capped and forgotten after a while, so it is worth no second
 * place that could disagree with the first.
 * Invariant: a job that is over stays as it ended, whoever writes it again.
 */
import { sql } from './kysely.js';
import { isOver, type JobRecord } from '../domain/job.js';
import type { JobLimits, JobStore } from '../ports.js';
import { answered } from './database-errors.js';
import type { Database, Tables } from './schema.js';

export class JobTable implements JobStore {
  readonly #db: Database;
  readonly #daemon: string;

  constructor(db: Database, daemon: string) {
    this.#db = db;
    this.#daemon = daemon;
  }

  add(job: JobRecord): Promise<void> {
    return answered(async () => {
      await this.#db
        .insertInto('jobs')
        .values({ id: job.id, daemon: this.#daemon, ...jobColumns(job) })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    });
  }

  find(id: string): Promise<JobRecord | undefined> {
    return answered(async () => {
      const row = await this.#db.selectFrom('jobs').select('document').where('id', '=', id).executeTakeFirst();
      return row && (JSON.parse(row.document) as JobRecord);
    });
  }

  save(job: JobRecord): Promise<boolean> {
    return answered(async () => {
      const query = this.#db.updateTable('jobs').set(jobColumns(job)).where('id', '=', job.id);
      const { numUpdatedRows } = await query.where('ended_at', 'is', null).executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    });
  }

  remove(id: string): Promise<void> {
    return answered(async () => {
      await this.#db.deleteFrom('jobs').where('id', '=', id).execute();
    });
  }

  unfinished(): Promise<ReadonlySet<string>> {
    return answered(async () => {
      const query = this.#db.selectFrom('jobs').select('id').where('daemon', '=', this.#daemon);
      const rows = await query.where('ended_at', 'is', null).execute();
      return new Set(rows.map(({ id }) => id));
    });
  }

  prune({ endedBefore, count, chars }: JobLimits): Promise<void> {
    return answered(async () => {
      await sql`
        delete from jobs where id in (
          select id from (
            select id, ended_at, row_number() over newest as place, sum(size) over newest as total
            from jobs where ended_at is not null
            window newest as (order by ended_at desc, id rows unbounded preceding)
          ) as ended
          where ended_at <= ${endedBefore} or place > ${count} or (total > ${chars} and place > 1)
        )`.execute(this.#db);
    });
  }
}

/** What of a job's row changes. */
export const jobColumns = (job: JobRecord): Pick<Tables['jobs'], 'ended_at' | 'size' | 'document'> => {
  const document = JSON.stringify(job);
  return { ended_at: isOver(job) ? job.updatedAt : null, size: document.length, document };
};
