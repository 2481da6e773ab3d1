/** Session records in the store: what is left of a session when its live part has ended. */
import { DaemonError, sessionNotFound } from '../domain/errors.js';
import type { Posture, StoredSession } from '../domain/session.js';
import type { Listed, ListScope, Window } from '../domain/topics.js';
import type { FoundSession, SessionStore } from '../ports.js';
import { answered } from './database-errors.js';
import { countChange } from './counters.js';
import type { Holders } from './holders.js';
import type { ExpressionBuilder } from './kysely.js';
import { inScope, windowed } from './list.js';
import type { Database, Tables } from './schema.js';

const TOPIC = 'sessions';

/** What no column holds. */
type Document = Pick<StoredSession, 'name' | 'startedAt'> &
  Pick<Posture, 'cwd' | 'configDir' | 'toolMode' | 'dirScope' | 'headless' | 'agent' | 'workspaceId'>;

export class SessionTable implements SessionStore {
  readonly #db: Database;
  readonly #daemon: string;
  readonly #holders: Pick<Holders, 'freeAbandoned'>;

  constructor(db: Database, daemon: string, holders: Pick<Holders, 'freeAbandoned'>) {
    this.#db = db;
    this.#daemon = daemon;
    this.#holders = holders;
  }

  insert(session: StoredSession): Promise<void> {
    const { posture } = session;
    return this.#change(async (db) => {
      const position = await countChange(db, TOPIC, posture, [posture]);
      await db
        .insertInto('sessions')
        .values({
          id: posture.sessionId,
          account: posture.account,
          realm: posture.realm,
          cwd: posture.cwd,
          config_dir: posture.configDir,
          position,
          last_request_at: session.lastRequestAt,
          document: documentOf(session),
          held_by: this.#daemon,
        })
        .execute();
    });
  }

  find(id: string): Promise<FoundSession | undefined> {
    return answered(async () => {
      const row = await this.#db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst();
      return row && this.#found(row);
    });
  }

  list(scope: ListScope, window: Window): Promise<Listed<FoundSession>> {
    return answered(async () => {
      const query = inScope(this.#db.selectFrom('sessions'), scope);
      const { items, total } = await windowed(query, window, (all) => all.selectAll().orderBy('position', 'desc'));
      return { items: items.map((row) => this.#found(row)), total };
    });
  }

  folders(scope: ListScope): Promise<string[]> {
    return answered(async () => {
      const rows = await inScope(this.#db.selectFrom('sessions'), scope)
        .select('cwd')
        .groupBy('cwd')
        .orderBy((row) => row.fn.max('position'), 'desc')
        .execute();
      return rows.map(({ cwd }) => cwd);
    });
  }

  async claim(session: StoredSession): Promise<void> {
    const claim = (): Promise<boolean> => this.#write(session, { held_by: this.#daemon });
    const isThere = await claim().catch(async (error: unknown) => {
      if (!(error instanceof DaemonError && error.code === 'session_held')) throw error;
      // The holder's time may have run out since anybody looked.
      await this.#holders.freeAbandoned();
      return claim();
    });
    if (!isThere) throw sessionNotFound();
  }

  async update(session: StoredSession): Promise<void> {
    await this.#write(session, { last_request_at: session.lastRequestAt, document: documentOf(session) });
  }

  async release(session: StoredSession): Promise<void> {
    const { lastRequestAt } = session;
    await this.#write(session, { last_request_at: lastRequestAt, document: documentOf(session), held_by: null });
  }

  delete({ posture }: StoredSession): Promise<void> {
    return this.#change(async (db) => {
      await countChange(db, TOPIC, posture, [posture]);
      const query = db.deleteFrom('sessions').where('id', '=', posture.sessionId);
      const { numDeletedRows } = await query.where(this.#isOurs).executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) await this.#refuse(db, posture.sessionId);
    });
  }

  /** False when it is gone. */
  #write({ posture }: StoredSession, values: Partial<Tables['sessions']>): Promise<boolean> {
    return this.#change(async (db) => {
      await countChange(db, TOPIC, posture, [posture]);
      const query = db.updateTable('sessions').set(values).where('id', '=', posture.sessionId);
      const { numUpdatedRows } = await query.where(this.#isOurs).executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) await this.#refuse(db, posture.sessionId);
      return numUpdatedRows > 0n;
    });
  }

  /** Live in this daemon, or in none. */
  readonly #isOurs = (row: ExpressionBuilder<Tables, 'sessions'>) =>
    row.or([row('held_by', 'is', null), row('held_by', '=', this.#daemon)]);

  /** Nothing was changed: another daemon has it, or it is gone, which is as good as done. */
  async #refuse(db: Database, id: string): Promise<void> {
    const row = await db.selectFrom('sessions').select('id').where('id', '=', id).executeTakeFirst();
    if (row) throw new DaemonError('session_held');
  }

  #found(row: Tables['sessions']): FoundSession {
    return { ...sessionOf(row), isHeldElsewhere: row.held_by !== null && row.held_by !== this.#daemon };
  }

  #change<T>(work: (db: Database) => Promise<T>): Promise<T> {
    return answered(() => this.#db.transaction().execute(work));
  }
}

const documentOf = ({ posture, name, startedAt }: StoredSession): string => {
  const { cwd, configDir, toolMode, dirScope, headless, agent, workspaceId } = posture;
  const document: Document = { name, startedAt, cwd, configDir, toolMode, dirScope, headless, agent, workspaceId };
  return JSON.stringify(document);
};

const sessionOf = ({ id, account, realm, last_request_at, document }: Tables['sessions']): StoredSession => {
  const { name, startedAt, ...posture } = JSON.parse(document) as Document;
  return {
    posture: Object.freeze({ sessionId: id, account, realm, ...posture }),
    name,
    startedAt,
    lastRequestAt: last_request_at,
  };
};
