/**
 * Finds and ends processes that nobody else can find any more: what a server left in its process group, and descendants
 * that made themselves independent (setsid, double fork) but still carry the mark we put into the environment. A process
 * that also cleared its environment is out of reach. Without /proc (macOS) only the process group is known.
 * Invariant: only processes of our own mark or group are signalled, and never this one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

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
export const lookUntil = async (done: () => boolean, givenUp: () => boolean): Promise<boolean> => {
  while (!done()) {
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
    () => marked(mark, sincePid).filter((pid) => signalTo(pid, 'SIGKILL')).length === 0,
    () => Date.now() > giveUpAt,
  );
};

/**
 * Ends everything an earlier run of the daemon left behind; resolves, when nothing of it is left, to how many processes
 * there were.
 */
export const reapLeftovers = async (runId: string): Promise<number> => {
  const mark = `${RUN_VARIABLE}=${runId}`;
  const found = marked(mark);
  for (const pid of found) signalTo(pid, 'SIGTERM');
  const killAt = Date.now() + LEFTOVER_GRACE_MS;
  const ended = await lookUntil(
    () => marked(mark).length === 0,
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
const lastPid = (): number => {
  try {
    return Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1));
  } catch {
    return 0;
  }
};

function marked(mark: string, sincePid = 0): number[] {
  const wanted = `\0${Buffer.from(mark).toString('latin1')}\0`;
  const pids = allPids() ?? [];
  const later = lastPid() < sincePid ? pids : pids.filter((pid) => pid > sincePid);
  return later.filter((pid) => pid !== process.pid && `\0${procFile(pid, 'environ')}`.includes(wanted));
}

function isRunningMember(pid: number, group: number): boolean {
  // "4711 (any name) S 1 4700 …": state, parent, process group. The name may contain spaces and brackets.
  const stat = procFile(pid, 'stat');
  const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(processGroup) === group && state !== 'Z' && state !== 'X';
}
