/**
 * Many at once: 200 background jobs, each a shell line that takes a moment, and 100 sessions that each run one. How long
 * it takes until all have ended, and the memory of the process at rest: before, after the first time and after the last,
 * which shows whether it comes back or grows with every time.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, Scenario } from '../bench.js';
import type { Daemon } from '../daemon.js';
import { HttpCaller } from '../http-caller.js';
import { memoryMiB, quietMemoryMiB } from '../processes.js';
import { BUILT_IN } from '../target.js';
import { unexpected } from '../tool-output.js';

const API = '/api/v1/agent';
const JOBS = 200;
const SESSIONS = 100;
/** Long enough that all of them run side by side. */
const COMMAND = 'sleep 2; echo done';
const OUTPUT = 'done\n';
const DEADLINE_MS = 60_000;
const POLL_MS = 20;
/** The daemon collects twice once it is at rest, the second time six seconds after the first. */
const LEAST_REST_MS = 12_000;
const LATEST_REST_MS = 25_000;

export const jobs: Scenario = {
  name: 'jobs',
  run: (bench) =>
    bench.withTargets({ names: ['daemon'] }, async ({ daemon }) => {
      if (!daemon) return;
      await bench.attempt('daemon', async () => {
        const atRest = (): Promise<number> => quietMemoryMiB(daemon.pid, LEAST_REST_MS, LATEST_REST_MS);
        bench.record('daemon', 'RSS at rest, before', 'MiB', await atRest());
        // What is loaded with the first use stays, and is no burden of the many.
        await runJobs(daemon, 1);
        await runSessions(daemon, 1);
        bench.record('daemon', 'RSS at rest, after one job and one session', 'MiB', await atRest());
        await manyJobs(bench, daemon);
        await manySessions(bench, daemon);
        bench.record('daemon', 'RSS at rest, after both once', 'MiB', await atRest());
        for (let round = 1; round < bench.costlyRounds; round++) {
          await manyJobs(bench, daemon);
          await manySessions(bench, daemon);
        }
        bench.record('daemon', 'RSS at rest, after the last round', 'MiB', await atRest());
        bench.record('daemon', 'RSS, highest', 'MiB', memoryMiB(daemon.pid).peak);
      });
    }),
};

async function manyJobs(bench: Bench, daemon: Daemon): Promise<void> {
  const { acceptedMs, overMs } = await runJobs(daemon, JOBS);
  bench.record('daemon', `${JOBS} jobs at once, all accepted after`, 'ms', acceptedMs);
  bench.record('daemon', `${JOBS} jobs at once, all over after`, 'ms', overMs);
}

async function runJobs(daemon: Daemon, count: number): Promise<{ acceptedMs: number; overMs: number }> {
  const callers = Array.from({ length: count }, () => new HttpCaller(daemon.port));
  try {
    const startedAt = performance.now();
    const body = { params: { command: COMMAND }, allow_mutations: true };
    const started = await Promise.all(
      callers.map((caller) => send<{ job_id: string }>(caller, 202, 'POST', '/tools/bash/runAsync', body)),
    );
    const acceptedMs = performance.now() - startedAt;
    const caller = callers[0] as HttpCaller;
    for (const { job_id } of started) {
      const path = `/jobs/${job_id}/result`;
      for (;;) {
        const { status, result } = await send<JobResult>(caller, 200, 'GET', path);
        if (status === 'succeeded' && result?.output === OUTPUT) break;
        if (status !== 'running' && status !== 'pending') throw new Error(`a job ended as ${status}`);
        if (performance.now() - startedAt > DEADLINE_MS) throw new Error('the jobs did not end within a minute');
        await pause(POLL_MS);
      }
    }
    const overMs = performance.now() - startedAt;
    // Results are kept for an hour; what is measured is what is left when nobody keeps anything.
    for (const { job_id } of started) await send(caller, 200, 'DELETE', `/jobs/${job_id}`);
    return { acceptedMs, overMs };
  } finally {
    for (const caller of callers) caller.close();
  }
}

async function manySessions(bench: Bench, daemon: Daemon): Promise<void> {
  const tookMs = await runSessions(daemon, SESSIONS);
  bench.record('daemon', `${SESSIONS} sessions each running a tool, all over after`, 'ms', tookMs);
}

async function runSessions(daemon: Daemon, count: number): Promise<number> {
  const caller = new HttpCaller(daemon.port);
  try {
    const opened: string[] = [];
    while (opened.length < count) {
      const id = await daemon.openSession();
      await send(caller, 200, 'PATCH', `/sessions/${id}/yolo`, { enabled: true });
      opened.push(id);
    }
    const startedAt = performance.now();
    const outputs = await Promise.all(
      opened.map((id) =>
        daemon
          .callIn(id)(BUILT_IN, 'bash', { command: COMMAND })
          .then((output) => output()),
      ),
    );
    const tookMs = performance.now() - startedAt;
    if (outputs.some((output) => output !== OUTPUT)) throw new Error('a session had an answer not its own');
    for (const id of opened) await send(caller, 200, 'DELETE', `/sessions/${id}?hard=true`);
    return tookMs;
  } finally {
    caller.close();
  }
}

interface JobResult {
  readonly status: string;
  readonly result: { readonly output: string } | null;
}

/** The body of an answer; throws when it has another status. */
async function send<Body>(
  caller: HttpCaller,
  status: number,
  method: string,
  path: string,
  body?: unknown,
): Promise<Body> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const answer = await caller.ask(caller.request(method, API + path, text));
  if (answer.status !== status) throw unexpected(answer);
  return JSON.parse(answer.body.toString()) as Body;
}
