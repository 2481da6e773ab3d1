/**
 * Finds and ends processes that nobody else can find any more: what a server left in its process group, and descendants
 * that made themselves independent (setsid, double fork) but still carry the mark we put into the environment. A process
 * that also cleared its environment is out of reach. Without /proc (macOS) only the process group is known.
 * Invariant: only processes of our own mark or group are signalled, and never this one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';

/** Carried by every child of one run of the daemon, so the next run can end what a crash left behind. */
export const RUN_VARIABLE = 'HOODY_AGENTD_RUN';
/** Carried by everything one connection started, so that stopping it never ends another's descendants. */
export const CONNECTION_VARIABLE = 'HOODY_AGENTD_CONNECTION';

/** How often the kernel is asked again: it has no event for "that group is empty". */
const LOOK_AGAIN_MS = 20;
/** What a leftover of an earlier run gets to end by itself. */
const LEFTOVER_GRACE_MS = 2_000;
/** A process that SIGKILL does not end within this is stuck in the kernel; waiting longer would not help. */
const UNKILLABLE_MS = 5_000;

/** True when the signal reached somebody. A negative pid is a process group. */
export const signalTo = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
};

/** Resolves to whether `done` came true before `givenUp` did. */
export const lookUntil = async (done: () => boolean | Promise<boolean>, givenUp: () => boolean): Promise<boolean> => {
  while (!(await done())) {
    if (givenUp()) return false;
    await pause(LOOK_AGAIN_MS);
  }
  return true;
};

/** Whether a process of the group is running; one that is dead and only waits to be reaped does not count. */
export const groupIsRunning = (group: number): boolean => {
  if (!signalTo(-group, 0)) return false;
  const pids = allPids();
  return pids === undefined || pids.some((pid) => isRunningMember(pid, group));
};

/**
 * Kills whatever carries `variable=value`, again and again until nothing does. With `sincePid`, which is cheaper, only
 * what was started after that process.
 */
export const killMarked = async (variable: string, value: string, sincePid = 0): Promise<void> => {
  const giveUpAt = Date.now() + UNKILLABLE_MS;
  const mark = `${variable}=${value}`;
  await lookUntil(
    async () => (await marked(mark, sincePid)).filter((pid) => signalTo(pid, 'SIGKILL')).length === 0,
    () => Date.now() > giveUpAt,
  );
};

/**
 * Ends everything an earlier run of the daemon left behind; resolves, when nothing of it is left, to how many processes
 * there were.
 */
export const reapLeftovers = async (runId: string): Promise<number> => {
  const mark = `${RUN_VARIABLE}=${runId}`;
  const found = await marked(mark);
  for (const pid of found) signalTo(pid, 'SIGTERM');
  const killAt = Date.now() + LEFTOVER_GRACE_MS;
  const ended = await lookUntil(
    async () => (await marked(mark)).length === 0,
    () => Date.now() > killAt,
  );
  if (!ended) await killMarked(RUN_VARIABLE, runId);
  return found.length;
};

function allPids(): number[] | undefined {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return undefined;
  }
}

/** Empty when the process is gone, another user's, or without /proc. */
function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

/** The last pid that was given out; they are given out in order, and start again at the highest. */
const lastPid = async (): Promise<number> => {
  const load = await readFile('/proc/loadavg', 'latin1').catch(() => '');
  return Number(load.trim().split(' ').at(-1));
};

interface Asker {
  readonly mark: string;
  readonly sincePid: number;
  readonly tell: (pids: readonly number[]) => void;
}

/** Environments read at a time: the threads that read files are few, and others want them too. */
const READ_AT_ONCE = 8;

/** Who waits for a look that has not begun. */
let askers: Asker[] = [];
let isLooking = false;

/**
 * The processes that carry the mark. Many ask at once when many commands end, so all who ask while a look is under way
 * share the next one: whatever was started before the question is seen by it.
 */
const marked = (mark: string, sincePid = 0): Promise<readonly number[]> =>
  new Promise((tell) => {
    askers.push({ mark: Buffer.from(mark).toString('latin1'), sincePid, tell });
    if (!isLooking) void lookForAll();
  });

async function lookForAll(): Promise<void> {
  isLooking = true;
  while (askers.length > 0) {
    await turn();
    const asking = askers;
    askers = [];
    const found = await look(asking);
    for (const asker of asking) asker.tell(found.get(asker) ?? []);
  }
  isLooking = false;
}

async function look(asking: readonly Asker[]): Promise<ReadonlyMap<Asker, number[]>> {
  const last = await lastPid();
  // Started later, or at any time if numbers have started again since.
  const mayBe = (pid: number, { sincePid }: Asker): boolean => last < sincePid || pid > sincePid;
  const names = await readdir('/proc').catch(() => []);
  const pids = names
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && asking.some((asker) => mayBe(pid, asker)));
  const byMark = new Map<string, Asker[]>();
  for (const asker of asking) byMark.set(asker.mark, [...(byMark.get(asker.mark) ?? []), asker]);
  const found = new Map<Asker, number[]>();
  const readOne = async (pid: number): Promise<void> => {
    // Fails when the process is gone or another user's.
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    for (const variable of environment.split('\0')) {
      for (const asker of byMark.get(variable) ?? []) {
        if (mayBe(pid, asker)) found.set(asker, [...(found.get(asker) ?? []), pid]);
      }
    }
  };
  const readInTurn = async (): Promise<void> => {
    for (let pid = pids.pop(); pid !== undefined; pid = pids.pop()) await readOne(pid);
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, readInTurn));
  return found;
}

function isRunningMember(pid: number, group: number): boolean {
  // "4711 (any name) S 1 4700 …": state, parent, process group. The name may contain spaces and brackets.
  const stat = procFile(pid, 'stat');
  const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(processGroup) === group && state !== 'Z' && state !== 'X';
}
