/**
 * What the built daemon leaves when things go wrong, as a process of its own: killed in the middle of writes, written to
 * by many at once, and opened and closed again and again. `npx tsx scripts/faults.ts` runs all three (after a build)
 * and exits 1 when anything was lost or left; the tests run them shorter.
 */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isJsonObject } from '../src/domain/json.js';
import { createSettingsFiles } from '../src/files/settings-file.js';
import { createLogger } from '../src/system.js';
import { Home, type Served } from '../test/command.js';
import { fixtureServer, writeJson } from '../test/harness.js';
import { until } from '../test/processes.js';

/** The daemon answers a write within this on a quiet machine, so the kill falls before, into and behind it. */
const KILL_WITHIN_MS = 12;
const WRITES_FOR_A_KILL = 10;
/** Survives the daemon: it does not end with its stdin, and has a child in a session of its own. */
const STUBBORN = fixtureServer('stubborn', 'daemonise,stay');
const REMARK = '// written by a person';

const files = createSettingsFiles({ logger: createLogger({ level: 'silent' }) });

export interface KillReport {
  readonly writes: number;
  readonly kills: number;
  /** Kills that fell before the answer of a write had come. */
  readonly inTheMiddle: number;
  /** Files that did not parse, or held half an entry, or an entry nobody had asked for. */
  readonly torn: number;
  /** Writes that were answered and then were not in the file. */
  readonly forgotten: number;
  /** Processes that outlived a killed daemon, and those of them the next start did not end. */
  readonly orphans: number;
  readonly notReaped: number;
  /** What was left beside the settings file in the end. */
  readonly litter: readonly string[];
}

/** Kills the daemon in the middle of so many writes, and starts it again over what is left. */
export const killInTheMiddleOfWrites = (writes: number): Promise<KillReport> =>
  inHome(async (home, work) => {
    const report = { writes: 0, kills: 0, inTheMiddle: 0, torn: 0, forgotten: 0, orphans: 0, notReaped: 0 };
    await writeJson(home.userSettingsPath, `{\n  ${REMARK}\n  "mcp_servers": [${JSON.stringify(STUBBORN)}],\n}\n`);
    let left: number[] = [];
    let stored = 0;
    while (report.writes < writes) {
      const daemon = await home.serve();
      await until(() => left.every((pid) => !home.processes().includes(pid)), 10_000).catch(() => undefined);
      report.notReaped += left.filter((pid) => home.processes().includes(pid)).length;
      const session = await daemon.open(work);
      await until(async () => (await daemon.connected(session)).includes('stubborn'));

      const last = Math.min(writes, report.writes + 1 + Math.floor(Math.random() * 2 * WRITES_FOR_A_KILL));
      while (report.writes < last - 1) {
        await upsert(daemon, session, entryOf((report.writes += 1)));
        stored = report.writes;
      }
      report.writes += 1;
      let isAnswered = false;
      const answer = upsert(daemon, session, entryOf(report.writes)).then(
        () => (isAnswered = true),
        () => undefined,
      );
      await pause(Math.random() * KILL_WITHIN_MS);
      daemon.child.kill('SIGKILL');
      await Promise.all([answer, daemon.finished]);
      report.kills += 1;
      if (!isAnswered) report.inTheMiddle += 1;

      const found = await roundIn(home.userSettingsPath);
      if (found !== stored && found !== report.writes) report.torn += 1;
      else if (isAnswered && found === stored) report.forgotten += 1;
      stored = found ?? stored;
      left = home.processes();
      report.orphans += left.length;
    }
    const daemon = await home.serve();
    await upsert(daemon, await daemon.open(work), entryOf(report.writes + 1));
    await daemon.end('SIGTERM');
    const beside = await readdir(dirname(home.userSettingsPath));
    return { ...report, litter: beside.filter((name) => name !== 'settings.json') };
  });

export interface WritersReport {
  readonly writers: number;
  /** Writes that were refused because another one came first, and were tried again. */
  readonly conflicts: number;
  readonly lost: readonly string[];
}

/** Lets so many clients of two daemons add an entry each to one settings file, all at once, trying again on a 409. */
export const writeInParallel = (writers: number): Promise<WritersReport> =>
  inHome(async (home, work) => {
    const daemons = [await home.serve(), await home.serve(['--data-dir', join(home.folder, 'second')])];
    let conflicts = 0;
    const names = Array.from({ length: writers }, (_, index) => `writer-${index}`);
    await Promise.all(
      names.map(async (name, index) => {
        const daemon = daemons[index % daemons.length]!;
        const session = await daemon.open(work);
        while ((await upsert(daemon, session, { name, command: 'true', enabled: false })) === 409) conflicts += 1;
      }),
    );
    const stored = new Set((await serversIn(home.userSettingsPath)).map(({ name }) => name));
    for (const daemon of daemons) await daemon.end('SIGTERM');
    return { writers, conflicts, lost: names.filter((name) => !stored.has(name)) };
  });

export interface RoundsReport {
  readonly rounds: number;
  /** Processes and open descriptors of the daemon before the rounds and after them. */
  readonly processes: readonly [before: number, after: number];
  readonly descriptors: readonly [before: number, after: number];
  readonly zombies: number;
}

/** Opens a session with servers and deletes it, again and again. */
export const openAndClose = (rounds: number): Promise<RoundsReport> =>
  inHome(async (home, work) => {
    await writeJson(home.userSettingsPath, {
      mcp_servers: [fixtureServer('plain', 'echo'), fixtureServer('deep', 'daemonise')],
    });
    const daemon = await home.serve();
    const { pid } = daemon.child;
    const round = async (): Promise<void> => {
      const session = await daemon.open(work);
      await until(async () => (await daemon.connected(session)).length === 2);
      await daemon.request('DELETE', `/sessions/${session}?hard=true`);
    };
    const count = async () => ({
      processes: home.processes().length,
      descriptors: (await readdir(`/proc/${pid}/fd`)).length,
    });
    await round();
    const before = await count();
    for (let done = 0; done < rounds; done += 1) await round();
    const after = await count();
    const zombies = await zombiesOf(pid!);
    await daemon.end('SIGTERM');
    return {
      rounds,
      processes: [before.processes, after.processes],
      descriptors: [before.descriptors, after.descriptors],
      zombies,
    };
  });

const inHome = async <T>(run: (home: Home, work: string) => Promise<T>): Promise<T> => {
  const home = await Home.create();
  try {
    const work = join(home.folder, 'work');
    await mkdir(work);
    return await run(home, work);
  } finally {
    await home.clearUp();
  }
};

/** The same number twice, with a text between that makes the file worth several writes to the disk. */
const entryOf = (round: number) => ({
  name: 'counted',
  command: 'true',
  args: [`${round}`, 'x'.repeat(20_000), `${round}`],
  enabled: false,
});

/** The status of the write: 200 or 409; throws for anything else. */
const upsert = async (daemon: Served, session: string, server: Record<string, unknown>): Promise<number> => {
  const [, intent] = await daemon.request('POST', '/mcp/write-intents', { session_id: session, op: 'upsert' });
  const body = { session_id: session, nonce: intent.nonce, expect_hash: intent.hash, server };
  const [status, answer] = await daemon.request('PUT', '/mcp/servers', body);
  if (status !== 200 && status !== 409) throw new Error(`the write was answered ${status} ${JSON.stringify(answer)}`);
  return status;
};

const serversIn = async (path: string): Promise<{ name?: unknown; args?: unknown }[]> => {
  const document = await files.read(path);
  const servers = document.state === 'loaded' ? document.value['mcp_servers'] : undefined;
  return Array.isArray(servers) ? servers.filter(isJsonObject) : [];
};

/** The number of the write whose entry is stored whole, 0 before the first; undefined when the file is not whole. */
const roundIn = async (path: string): Promise<number | undefined> => {
  if (!(await readFile(path, 'utf8')).includes(REMARK)) return undefined;
  const servers = await serversIn(path);
  if (servers[0]?.name !== 'stubborn') return undefined;
  if (servers.length === 1) return 0;
  const [first, , again] = servers[1]!.args as string[];
  return first === again ? Number(first) : undefined;
};

/** Dead children that the daemon has not collected. */
const zombiesOf = async (parent: number): Promise<number> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const states = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')));
  return states.filter((stat) => stat.slice(stat.lastIndexOf(')') + 2).startsWith(`Z ${parent} `)).length;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const say = (what: string, report: object): void => void process.stdout.write(`${what} ${JSON.stringify(report)}\n`);
  const killed = await killInTheMiddleOfWrites(200);
  say('killed in the middle of writes:', killed);
  const writers = await writeInParallel(20);
  say('parallel writers:', writers);
  const rounds = await openAndClose(200);
  say('sessions opened and closed:', rounds);
  const faults = killed.torn + killed.forgotten + killed.notReaped + killed.litter.length + writers.lost.length;
  const isLeaking = rounds.processes[1] > rounds.processes[0] || rounds.zombies > 0;
  process.exitCode = faults > 0 || isLeaking ? 1 : 0;
}
