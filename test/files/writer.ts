/**
 * The other process of these tests: changes a settings file as a second daemon would. `append FILE NAME…` adds one entry
 * per name, all at once, and reports (`done`, or the code and the system's code); `churn FILE` rewrites the only entry until it is killed; `hold LOCK` takes a lock
 * and keeps it.
 */
import { DaemonError } from '../../src/domain/errors.js';
import { tryLock } from '../../src/files/process-lock.js';
import { createSettingsFiles } from '../../src/files/settings-file.js';
import { createLogger } from '../../src/system.js';

const [mode, path, ...names] = process.argv.slice(2) as [string, string, ...string[]];
const files = createSettingsFiles({ logger: createLogger({ level: 'warn' }) });
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const append = async (name: string): Promise<number> => {
  for (let conflicts = 0; ; conflicts += 1) {
    try {
      await files.update(path, () => ({ edits: [{ kind: 'append', entry: { name } }], result: undefined }));
      return conflicts;
    } catch (error) {
      if (!(error instanceof DaemonError && error.code === 'mcp_conflict')) throw error;
    }
  }
};

/** Each rewrite is whole when its two counters agree. */
const churn = async (): Promise<never> => {
  for (let round = 0; ; round += 1) {
    const entry = { name: 'churned', round, filler: 'x'.repeat(50_000), again: round };
    await files.update(path, (document) => ({
      edits: [document.value['mcp_servers'] ? { kind: 'replace', index: 0, entry } : { kind: 'append', entry }],
      result: undefined,
    }));
    if (round === 0) say('ready');
  }
};

if (mode === 'append') {
  await Promise.all(names.map(append)).then(
    () => say('done'),
    (error: DaemonError) => say(`${error.code} ${(error.cause as NodeJS.ErrnoException).code}`),
  );
} else if (mode === 'churn') {
  await churn();
} else {
  const lock = await tryLock(path);
  say('release' in lock ? 'held' : `owner ${lock.owner?.pid}`);
  process.stdin.resume();
}
