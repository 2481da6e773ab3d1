/** Session records in the store: what is left of a session when its live part has ended. */
import type { Posture } from '../domain/session.js';
import type { StoredSession } from '../domain/session.js';
import type { Listed, ListScope, Window } from '../domain/topics.js';
import type { SessionStore } from '../ports.js';
import { answered } from './database-errors.js';
import { countChange } from './counters.js';
import { inScope, windowed } from './list.js';
import type { Database, Tables } from './schema.js';

const TOPIC = 'sessions';

/** What no column holds. */
type Document = Pick<StoredSession, 'name' | 'startedAt'> &
  Pick<Posture, 'cwd' | 'configDir' | 'toolMode' | 'dirScope' | 'headless' | 'agent' | 'workspaceId'>;

export class SessionTable implements SessionStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
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
        })
        .execute();
    });
  }

  find(id: string): Promise<StoredSession | undefined> {
    return answered(async () => {
      const row = await this.#db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst();
      return row && sessionOf(row);
    });
  }

  list(scope: ListScope, window: Window): Promise<Listed<StoredSession>> {
    return answered(async () => {
      const query = inScope(this.#db.selectFrom('sessions'), scope);
      const { items, total } = await windowed(query, window, (all) => all.selectAll().orderBy('position', 'desc'));
      return { items: items.map(sessionOf), total };
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

  update(session: StoredSession): Promise<void> {
    const { posture } = session;
    return this.#change(async (db) => {
      await countChange(db, TOPIC, posture, [posture]);
      await db
        .updateTable('sessions')
        .set({ last_request_at: session.lastRequestAt, document: documentOf(session) })
        .where('id', '=', posture.sessionId)
        .execute();
    });
  }

  delete({ posture }: StoredSession): Promise<void> {
    return this.#change(async (db) => {
      await countChange(db, TOPIC, posture, [posture]);
      await db.deleteFrom('sessions').where('id', '=', posture.sessionId).execute();
    });
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
