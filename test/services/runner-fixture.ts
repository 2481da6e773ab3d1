/**
 * What the tests of the tool runner share: a home with a project, a key and a link to it, a runner of real parts around
 * the tools of a test, and sessions to run in.
 */
import { mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFilesRead } from '../../src/domain/gate/facts.js';
import { NO_RULES } from '../../src/domain/rules.js';
import type { Posture } from '../../src/domain/session.js';
import { TurnSlot } from '../../src/domain/turn-slot.js';
import { createFileFacts } from '../../src/files/file-facts.js';
import type { Clock } from '../../src/ports.js';
import { Gates } from '../../src/services/gates.js';
import { SingleUseTokens } from '../../src/services/single-use-tokens.js';
import {
  ToolRunner,
  type ConfirmBinding,
  type RunSession,
  type ToolRunnerDeps,
} from '../../src/services/tool-runner.js';
import { createParamsValidator } from '../../src/tools/params-validator.js';
import { FakeIds } from '../fakes/ids.js';
import { quiet } from './pool-fixture.js';

export const CONFIRM_TTL_MS = 300_000;
export const never = new AbortController().signal;

export interface Home {
  readonly home: string;
  readonly cwd: string;
  readonly dataDir: string;
}

export const makeHome = async (): Promise<Home> => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'runner-')));
  const cwd = join(home, 'app');
  await mkdir(cwd);
  await mkdir(join(home, '.ssh'));
  await writeFile(join(cwd, 'a.txt'), 'one\ntwo\n');
  await writeFile(join(home, '.ssh', 'id'), 'key');
  await symlink(join(home, '.ssh'), join(cwd, 'link'));
  return { home, cwd, dataDir: join(home, 'state') };
};

type Parts = Pick<ToolRunnerDeps, 'toolbox' | 'audit' | 'spill'> & { readonly clock: Clock };

export const runnerIn = ({ home, dataDir }: Home, { clock, ...parts }: Parts): ToolRunner => {
  const ids = new FakeIds();
  return new ToolRunner({
    ...parts,
    fileFacts: createFileFacts(home),
    validator: createParamsValidator(),
    confirmTokens: new SingleUseTokens<ConfirmBinding>({
      clock,
      newToken: () => `ctok_${ids.hex(32)}`,
      ttlMs: CONFIRM_TTL_MS,
      maxPerOwner: 64,
      ownerOf: ({ scope }) => scope,
    }),
    gates: new Gates({ clock, ids }),
    logger: quiet,
    home,
    dataDir,
    userSettingsPath: join(home, '.config/hoody/settings.json'),
  });
};

export const sessionIn = (
  { cwd }: Home,
  posture: Partial<Posture> = {},
  more: Partial<RunSession> = {},
): RunSession => ({
  posture: {
    sessionId: 'sess_1',
    realm: 'global',
    account: 'local',
    cwd,
    configDir: null,
    toolMode: 'full',
    dirScope: 'home',
    headless: false,
    agent: null,
    workspaceId: 'w',
    ...posture,
  },
  slot: new TurnSlot(),
  yolo: false,
  approvalRules: new Map(),
  filesRead: createFilesRead(),
  mcpTools: () => [],
  settings: () => ({ denyList: [], disabledTools: [], rules: NO_RULES }),
  ...more,
});
