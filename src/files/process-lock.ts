/**
 * A lock between processes: a file that names its owner by pid and start time, for a pid alone may have gone to another
 * process. An owner that died is replaced at once. Among processes whoever looks first wins; callers of one process can
 * queue for their turn. The waits here are for other processes, so they are real time. Processes that cannot see each
 * other (containers that share a folder) are not kept apart.
 * Invariant: a lock file appears with its content in it, and only its living owner, or the one process that holds the
 * claim on its dead owner's token, removes it.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { constants, copyFile, link, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCodeOf } from './file-errors.js';

/** Who holds a lock. `start` is the kernel's start time of the process, empty where the system does not tell. */
export interface LockOwner {
  readonly pid: number;
  readonly start: string;
  readonly token: string;
}

export interface ProcessLock {
  release(): Promise<void>;
}

/** Between two looks at a lock that another process holds; a guarded write takes about this long. */
const RETRY_MS = 5;
/** Longer than any burst of writes; beyond it the owner hangs, and a person should know. */
const WAIT_MAX_MS = 15_000;
/** A lock without a readable owner was torn by a crash; a living process fills it far faster than this. */
const UNREADABLE_AFTER_MS = 2_000;
const TOKEN_BYTES = 8;
/** Stands for the token of a torn lock. */
const TORN = 'torn';

/** Takes the lock if nobody alive has it; otherwise says who does. Throws what the file system throws. */
export const tryLock = async (path: string): Promise<ProcessLock | { readonly owner: LockOwner | undefined }> => {
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  const own: LockOwner = { pid: process.pid, start: startOf(process.pid) ?? '', token };
  // Every round ends with the lock, with a living owner, or with one dead owner less.
  for (;;) {
    if (await createWithContent(path, JSON.stringify(own))) {
      await sweep(path);
      return { release: () => removeOwn(path, token) };
    }
    const found = await look(path);
    if (found.state === 'held') return { owner: found.owner };
    if (found.state === 'free') continue;
    // Two processes may see the same dead owner. The claim on its token lets one at a time remove it, and the second
    // look, under the claim, finds out whether that has been done: a living lock has another token.
    const claim = await tryLock(`${path}.${found.token}`);
    if (!('release' in claim)) return { owner: claim.owner };
    try {
      const again = await look(path);
      if (again.state === 'dead' && again.token === found.token) await rm(path, { force: true });
    } finally {
      await claim.release();
    }
  }
};

/** Runs `work` while this process holds the lock. Callers of one process that want their order kept queue `inTurn`. */
export const withLock = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  const lock = await waitForLock(path);
  try {
    return await work();
  } finally {
    await lock.release();
  }
};

const turns = new Map<string, Promise<unknown>>();

/** Runs `work` after everything that was queued under this name in this process before, whatever came of it. */
export const inTurn = <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const turn = (turns.get(name) ?? Promise.resolve()).then(work);
  const over = turn.then(
    () => undefined,
    () => undefined,
  );
  turns.set(name, over);
  void over.then(() => {
    if (turns.get(name) === over) turns.delete(name);
  });
  return turn;
};

const waitForLock = async (path: string): Promise<ProcessLock> => {
  for (const giveUpAt = performance.now() + WAIT_MAX_MS; ;) {
    const attempt = await tryLock(path);
    if ('release' in attempt) return attempt;
    if (performance.now() > giveUpAt) {
      throw new Error(`the lock ${path} has been held by process ${attempt.owner?.pid ?? 'unknown'} for too long`);
    }
    await delay(RETRY_MS + Math.random() * RETRY_MS);
  }
};

/** False when the file exists. A link makes name and content appear together; not every file system has links. */
const createWithContent = async (path: string, content: string): Promise<boolean> => {
  const draft = `${path}.${process.pid}-${randomBytes(TOKEN_BYTES).toString('hex')}`;
  await writeFile(draft, content, { flag: 'wx', mode: 0o600 });
  try {
    await link(draft, path).catch((error: unknown) => {
      if (errorCodeOf(error) === 'EEXIST') throw error;
      return copyFile(draft, path, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
};

type Look =
  | { readonly state: 'free' }
  | { readonly state: 'held'; readonly owner: LockOwner | undefined }
  | { readonly state: 'dead'; readonly token: string };

const look = async (path: string): Promise<Look> => {
  try {
    const owner = parseOwner(await readFile(path, 'utf8'));
    if (owner) return isAlive(owner) ? { state: 'held', owner } : { state: 'dead', token: owner.token };
    const age = Date.now() - (await stat(path)).mtimeMs;
    return age > UNREADABLE_AFTER_MS ? { state: 'dead', token: TORN } : { state: 'held', owner };
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return { state: 'free' };
    throw error;
  }
};

const parseOwner = (text: string): LockOwner | undefined => {
  try {
    const { pid, start, token } = JSON.parse(text) as Record<string, unknown>;
    // The token becomes part of a file name.
    const isToken = typeof token === 'string' && /^[0-9a-f]+$/.test(token);
    return isToken && typeof pid === 'number' && typeof start === 'string' ? { pid, start, token } : undefined;
  } catch {
    return undefined;
  }
};

const removeOwn = async (path: string, token: string): Promise<void> => {
  const owner = parseOwner(await readFile(path, 'utf8').catch(() => ''));
  if (owner?.token === token) await rm(path, { force: true });
};

/** Under the lock, whatever is named after it is left from killed processes, or a draft or claim about to fail. */
const sweep = async (path: string): Promise<void> => {
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix)) continue;
    const pid = /(?:^|\.)(\d+)-[0-9a-f]+$/.exec(name.slice(prefix.length))?.[1];
    if (pid === undefined || startOf(Number(pid)) === undefined) await rm(join(dirname(path), name), { force: true });
  }
};

const isAlive = (owner: LockOwner): boolean => {
  const start = startOf(owner.pid);
  return start !== undefined && (start === '' || owner.start === '' || start === owner.start);
};

/** Position of the start time in /proc/<pid>/stat, counted from the field behind the command's closing parenthesis. */
const START_FIELD = 19;

/** Undefined when there is no such process (or only its corpse), empty when it lives but its start is not told. */
const startOf = (pid: number): string | undefined => {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command's name may hold blanks and parentheses, so the fields are counted from its end.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    // The start is counted from the boot, so it is told with the boot.
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${fields[START_FIELD]}@${bootId()}`;
  } catch {
    // No such process, no /proc, or one that hides the processes of others.
    return answersSignals(pid) ? '' : undefined;
  }
};

const bootId = (): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '';
  }
};

const answersSignals = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCodeOf(error) === 'EPERM';
  }
};
