/** The process table, for tests that count what is left. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Pids of the direct children of a process that work in a folder (any folder when none is given). */
export const childrenOf = (pid: number, cwd?: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => {
      try {
        const stat = readFileSync(`/proc/${child}/stat`, 'latin1');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return parent === pid && (cwd === undefined || readlinkSync(`/proc/${child}/cwd`) === cwd);
      } catch {
        return false; // It ended while we looked.
      }
    });

/** Resolves when the condition holds; rejects after a generous deadline. For what only the kernel or a child can tell. */
export const until = async (condition: () => boolean | Promise<boolean>, deadlineMs = 15_000): Promise<void> => {
  const end = Date.now() + deadlineMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error('the condition did not come true in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** Pids of the processes that carry a variable in their environment, whoever started them. */
export const carrying = (variable: string, value: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${variable}=${value}`);
      } catch {
        return false; // Ended, or another user's.
      }
    });
