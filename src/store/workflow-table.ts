/** Workflow definitions in the store. What a change may be is decided by the plan that is handed in. */
import type { Workflow, WorkflowOwner, WorkflowShelf } from '../domain/workflow.js';
import type { WorkflowStore } from '../ports.js';
import { bump } from './counters.js';
import { answered } from './database-errors.js';
import type { Database, Tables } from './schema.js';

/** Counts the changes of all workflows of an account and realm, which is where their revisions come from. */
const CHANGES = 'workflows';

export class WorkflowTable implements WorkflowStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  list({ account, realm }: WorkflowOwner): Promise<Workflow[]> {
    return answered(async () => {
      const query = this.#db.selectFrom('workflows').selectAll().where('account', '=', account);
      const rows = await query.where('realm', '=', realm).execute();
      // Databases order letters as their locale has it.
      return rows.map(workflowOf).toSorted((one, other) => (one.name < other.name ? -1 : 1));
    });
  }

  find(owner: WorkflowOwner, name: string): Promise<Workflow | undefined> {
    return answered(() => find(this.#db, owner, name));
  }

  change<Left extends Workflow | undefined>(
    owner: WorkflowOwner,
    name: string,
    plan: (found: Workflow | undefined, shelf: WorkflowShelf) => Left,
  ): Promise<Left> {
    const { account, realm } = owner;
    return answered(() =>
      this.#db.transaction().execute(async (db) => {
        // The count is also the lock: nobody else changes these workflows until we are done.
        const revision = await bump(db, CHANGES, { account, realm });
        const left = plan(await find(db, owner, name), { revision, count: await count(db, owner) });
        await db
          .deleteFrom('workflows')
          .where('account', '=', account)
          .where('realm', '=', realm)
          .where('name', '=', name)
          .execute();
        if (left !== undefined) await db.insertInto('workflows').values(rowOf(left)).execute();
        return left;
      }),
    );
  }
}

const find = async (db: Database, { account, realm }: WorkflowOwner, name: string): Promise<Workflow | undefined> => {
  const query = db.selectFrom('workflows').selectAll().where('account', '=', account).where('realm', '=', realm);
  const row = await query.where('name', '=', name).executeTakeFirst();
  return row && workflowOf(row);
};

const count = async (db: Database, { account, realm }: WorkflowOwner): Promise<number> => {
  const { total } = await db
    .selectFrom('workflows')
    .select((row) => row.fn.countAll<number | string>().as('total'))
    .where('account', '=', account)
    .where('realm', '=', realm)
    .executeTakeFirstOrThrow();
  return Number(total);
};

const rowOf = ({ account, realm, name, revision, ...document }: Workflow): Tables['workflows'] => ({
  account,
  realm,
  name,
  revision,
  document: JSON.stringify(document),
});

const workflowOf = ({ document, ...row }: Tables['workflows']): Workflow => ({
  ...row,
  ...(JSON.parse(document) as Omit<Workflow, keyof typeof row>),
});
