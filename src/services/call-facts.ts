/** What the gates are told of a call beside its words: where its paths lead, and what the deny list of its session covers. */
import { compileDenyList, denyFloor, literalPaths, type DenyList } from '../domain/gate/deny-list.js';
import type { PathFact } from '../domain/gate/facts.js';
import type { Posture } from '../domain/session.js';
import type { ToolReach } from '../domain/tool.js';
import type { FileFacts } from '../ports.js';
import type { RunSession } from './tool-runner.js';

/** The facts of one call. `isDenied` is the whole deny list of its session. */
export interface Facts {
  readonly cwd: string;
  readonly home: string;
  readonly paths: readonly PathFact[];
  readonly isDenied: (path: string) => boolean;
}

export interface FactsDeps {
  readonly fileFacts: FileFacts;
  readonly home: string;
  readonly dataDir: string;
  readonly userSettingsPath: string;
}

export const gatherFacts = async (deps: FactsDeps, session: RunSession, reach: ToolReach): Promise<Facts> => {
  const { fileFacts, home } = deps;
  const { posture } = session;
  const [cwd, realHome, isDenied, paths] = await Promise.all([
    fileFacts.realPath(posture.cwd),
    fileFacts.realPath(home),
    denyListOf(deps, posture, session.settings().denyList),
    fileFacts.gather(posture.cwd, reach.paths),
  ]);
  return { cwd, home: realHome, paths, isDenied };
};

/** The floor and the settings together; what is listed behind a link is denied where the link leads, too. */
export const denyListOf = async (
  { fileFacts, home, dataDir, userSettingsPath }: FactsDeps,
  posture: Posture,
  patterns: readonly string[],
): Promise<(path: string) => boolean> => {
  const floor = denyFloor({ home, dataDir, userSettingsPath, configDir: posture.configDir });
  const list: DenyList = { patterns: [...floor.patterns, ...patterns], paths: floor.paths };
  const literal = literalPaths(list, home);
  const real = await Promise.all(literal.map((path) => fileFacts.realPath(path)));
  return compileDenyList({ ...list, paths: [...literal, ...real] }, home);
};
