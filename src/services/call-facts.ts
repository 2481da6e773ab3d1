/** What the gates are told of a call beside its words: where its paths lead, and what the deny list of its session covers. */
import { compileDenyList, denyFloor, literalPaths, type DenyList } from '../domain/gate/deny-list.js';
import type { PathFact } from '../domain/gate/facts.js';
import type { Posture } from '../domain/session.js';
import type { ToolReach } from '../domain/tool.js';
import type { FileFacts, Spill } from '../ports.js';
import { FreshAnswers } from './fresh-answers.js';
import type { RunSession } from './tool-runner.js';

/** What is the same for all calls from one place. `isDenied` is the whole deny list of its session. */
export interface Surroundings {
  readonly cwd: string;
  readonly home: string;
  readonly isDenied: (path: string) => boolean;
}

/** The facts of one call. */
export interface Facts extends Surroundings {
  readonly paths: readonly PathFact[];
}

export interface FactsDeps {
  readonly fileFacts: FileFacts;
  readonly spill: Spill;
  readonly home: string;
  readonly dataDir: string;
  readonly userSettingsPath: string;
}

type Place = Pick<Posture, 'cwd' | 'configDir'>;

export class CallFacts {
  readonly #deps: FactsDeps;
  readonly #surroundings = new FreshAnswers<Surroundings>();

  constructor(deps: FactsDeps) {
    this.#deps = deps;
  }

  /** `owner` is whose kept output the call may read. */
  async gather({ posture, settings }: RunSession, reach: ToolReach, owner: string): Promise<Facts> {
    const [surroundings, paths] = await Promise.all([
      this.surroundings(posture, settings().denyList),
      this.#deps.fileFacts.gather(posture.cwd, reach.paths),
    ]);
    const isKept = ({ access, lexical }: PathFact): boolean =>
      access === 'read' && this.#deps.spill.isKeptFor(owner, lexical);
    return { ...surroundings, paths: paths.map((path) => (isKept(path) ? { ...path, kept: true } : path)) };
  }

  /** `patterns` is the deny list of the settings. */
  surroundings({ cwd, configDir }: Place, patterns: readonly string[]): Promise<Surroundings> {
    const key = JSON.stringify([cwd, configDir, ...patterns]);
    return this.#surroundings.get(key, () => this.#look({ cwd, configDir }, patterns));
  }

  async #look({ cwd, configDir }: Place, patterns: readonly string[]): Promise<Surroundings> {
    const { fileFacts, home, dataDir, userSettingsPath } = this.#deps;
    const floor = denyFloor({ home, dataDir, userSettingsPath, configDir });
    const list: DenyList = { patterns: [...floor.patterns, ...patterns], paths: floor.paths };
    const literal = literalPaths(list, home);
    const [realCwd, realHome, ...real] = await fileFacts.realPaths([cwd, home, ...literal]);
    // What is listed behind a link is denied where the link leads, too.
    const isDenied = compileDenyList({ ...list, paths: [...literal, ...real] }, home);
    return { cwd: realCwd as string, home: realHome as string, isDenied };
  }
}
