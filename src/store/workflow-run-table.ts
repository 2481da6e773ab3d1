/** Workflow runs in the store: the last ones of each account and realm. What a change may be is decided by a plan. */
import { afterDaemon, isRunOver, type WorkflowRun, type WorkflowRunDetail } from '../domain/workflow-run.js';
import type { Listed, ListScope, Window } from '../domain/topics.js';
import type { WorkflowOwner } from '../domain/workflow.js';
import type { WorkflowRunStore } from '../ports.js';
import { bump, countChange } from './counters.js';
import { answered } from './database-errors.js';
import { inScope, windowed } from './list.js';
import type { Database, Tables } from './schema.js';

const TOPIC = 'workflow_runs';
const NUMBERS = 'workflow-run-numbers';
/** Of one account and realm; who looks for more than that wants a log. */
const RUNS_MAX = 1_000;

/** What a row has of a run beside its columns. */
type Document = Omit<WorkflowRun, 'id' | 'account' | 'realm' | 'status'>;
type ListedRow = Omit<Tables['workflow_runs'], 'steps' | 'num' | 'cwd' | 'config_dir' | 'daemon'>;
const LISTED = ['id', 'account', 'realm', 'status', 'document'] as const;

export class WorkflowRunTable implements WorkflowRunStore {
  readonly #db: Database;
  readonly #daemon: string;
  readonly #kept: number;

  constructor(db: Database, daemon: string, kept = RUNS_MAX) {
    this.#db = db;
    this.#daemon = daemon;
    this.#kept = kept;
  }

  insert(run: WorkflowRunDetail): Promise<void> {
    const { account, realm } = run;
    return this.#change(async (db) => {
      // The count of the whole is also the lock, as everywhere.
      await bump(db, TOPIC, { account, realm });
      const num = await bump(db, NUMBERS, { account, realm });
      const old = await db
        .selectFrom('workflow_runs')
        .select(['id', 'cwd', 'config_dir'])
        .where('account', '=', account)
        .where('realm', '=', realm)
        .where('num', '<=', num - this.#kept)
        .where('status', '!=', 'running')
        .execute();
      for (const { id } of old) await db.deleteFrom('workflow_runs').where('id', '=', id).execute();
      const gone = old.map(({ cwd, config_dir: configDir }) => ({ cwd, configDir }));
      await countChange(db, TOPIC, run, [run, ...gone]);
      await db
        .insertInto('workflow_runs')
        .values({ ...columnsOf(run), num, daemon: this.#daemon })
        .execute();
    });
  }

  find(id: string): Promise<WorkflowRunDetail | undefined> {
    return answered(() => find(this.#db, id));
  }

  list(scope: ListScope, window: Window): Promise<Listed<WorkflowRun>> {
    return answered(async () => {
      const query = inScope(this.#db.selectFrom('workflow_runs'), scope);
      const { items, total } = await windowed(query, window, (all) => all.select(LISTED).orderBy('num', 'desc'));
      return { items: items.map(runOf), total };
    });
  }

  unfinished(): Promise<readonly WorkflowRun[]> {
    return answered(async () => {
      const query = this.#db.selectFrom('workflow_runs').select(LISTED).where('status', '=', 'running');
      return (await query.where('daemon', '=', this.#daemon).execute()).map(runOf);
    });
  }

  update(
    id: string,
    { account, realm }: WorkflowOwner,
    plan: (run: WorkflowRunDetail | undefined) => WorkflowRunDetail,
  ): Promise<WorkflowRunDetail> {
    return this.#change(async (db) => {
      await bump(db, TOPIC, { account, realm });
      const before = await find(db, id);
      const run = plan(before);
      if (run !== before) await write(db, run);
      return run;
    });
  }

  #change<T>(work: (db: Database) => Promise<T>): Promise<T> {
    return answered(() => this.#db.transaction().execute(work));
  }
}

const write = async (db: Database, run: WorkflowRunDetail): Promise<void> => {
  await countChange(db, TOPIC, run, [run]);
  const { status, document, steps } = columnsOf(run);
  await db.updateTable('workflow_runs').set({ status, document, steps }).where('id', '=', run.id).execute();
};

/** Ends what daemons that are gone were at work on. Inside a transaction. */
export const failAbandonedRuns = async (db: Database): Promise<void> => {
  const query = db.selectFrom('workflow_runs').select(['id', 'account', 'realm']).where('status', '=', 'running');
  const abandoned = await query.where('daemon', 'not in', db.selectFrom('daemons').select('id')).execute();
  // In one order, so that two daemons that find the same wait for each other and not in a circle.
  const inOrder = abandoned.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  for (const { id, account, realm } of inOrder) {
    await bump(db, TOPIC, { account, realm });
    const run = await find(db, id);
    if (run && !isRunOver(run)) await write(db, afterDaemon(run));
  }
};

const keyOf = ({ id, account, realm }: { id: string; account: string; realm: string }): string =>
  JSON.stringify([account, realm, id]);

const find = async (db: Database, id: string): Promise<WorkflowRunDetail | undefined> => {
  const row = await db.selectFrom('workflow_runs').selectAll().where('id', '=', id).executeTakeFirst();
  return row && detailOf(row);
};

const columnsOf = (run: WorkflowRunDetail): Omit<Tables['workflow_runs'], 'num' | 'daemon'> => {
  const { id, account, realm, status, steps, ...document } = run;
  return {
    id,
    account,
    realm,
    cwd: run.cwd,
    config_dir: run.configDir,
    status,
    document: JSON.stringify(document satisfies Document),
    steps: JSON.stringify(steps),
  };
};

const runOf = ({ id, account, realm, status, document }: ListedRow): WorkflowRun => ({
  id,
  account,
  realm,
  status: status as WorkflowRun['status'],
  ...(JSON.parse(document) as Document),
});

const detailOf = (row: Tables['workflow_runs']): WorkflowRunDetail => ({
  ...runOf(row),
  steps: JSON.parse(row.steps) as WorkflowRunDetail['steps'],
});
