/**
 * The ephemeral session of a run without one: a posture from the scope of the request, the policies of the settings that
 * belong to its folder, and a turn slot of its own. It is not listed, nothing of it is kept, and it starts no MCP server.
 */
import { DaemonError } from '../domain/errors.js';
import { createFilesRead } from '../domain/gate/facts.js';
import type { Posture, Scope } from '../domain/session.js';
import type { EffectiveSettings } from '../domain/settings.js';
import { TurnSlot } from '../domain/turn-slot.js';
import type { Folders, LoginSource } from '../ports.js';
import type { ConfigReader } from './config-reader.js';
import { FreshAnswers } from './fresh-answers.js';
import { workspaceIdOf } from './sessions.js';
import type { RunSession } from './tool-runner.js';

export interface SessionlessOptions {
  readonly reader: ConfigReader;
  readonly folders: Folders;
  readonly login: LoginSource;
  /** Working folder of a run that names none: the daemon's own. */
  readonly defaultCwd: string;
  readonly defaultConfigDir: string | null;
  /** Throws when the folder may not be a working folder. */
  readonly checkCwd: (place: RunPlace, denyList: readonly string[]) => Promise<void>;
}

type RunPlace = Pick<Posture, 'cwd' | 'configDir'>;

/** What a place is found to be. */
interface Found {
  readonly workspaceId: string;
  readonly settings: EffectiveSettings;
}

export class Sessionless {
  readonly #options: SessionlessOptions;
  readonly #found = new FreshAnswers<Found>();

  constructor(options: SessionlessOptions) {
    this.#options = options;
  }

  /**
   * Throws not_found when the request names an install that is not there: its policies would be missing without a word.
   * The daemon's own may be still to come, as it is when a session is opened.
   */
  async requireInstall({ configDir }: Scope): Promise<void> {
    const { folders, defaultConfigDir } = this.#options;
    if (configDir === undefined || configDir === defaultConfigDir) return;
    if ((await folders.resolve(configDir)) === undefined) {
      throw new DaemonError('not_found', undefined, { details: { header: 'X-Hoody-Config-Dir' } });
    }
  }

  /** Throws bad_request when the working folder does not exist or is on the deny list. */
  async open(scope: Scope): Promise<RunSession> {
    const { login, defaultCwd, defaultConfigDir } = this.#options;
    const place = { cwd: scope.cwd ?? defaultCwd, configDir: scope.configDir ?? defaultConfigDir };
    const { workspaceId, settings } = await this.#found.get(JSON.stringify(place), () => this.#look(place));
    const { accountId, activeRealm } = login.current();
    const posture: Posture = {
      ...place,
      sessionId: '',
      realm: activeRealm,
      account: accountId,
      toolMode: scope.toolMode ?? 'full',
      dirScope: scope.dirScope ?? 'home',
      headless: false,
      agent: null,
      workspaceId,
    };
    return {
      posture,
      slot: new TurnSlot(),
      yolo: false,
      approvalRules: new Map(),
      filesRead: createFilesRead(),
      mcpTools: () => [],
      settings: () => settings,
    };
  }

  async #look(place: RunPlace): Promise<Found> {
    const { reader, folders, checkCwd } = this.#options;
    const realCwd = await folders.resolve(place.cwd);
    if (realCwd === undefined) throw new DaemonError('bad_request', 'X-Hoody-Cwd: no such folder');
    const settings = await reader.read(place);
    await checkCwd(place, settings.denyList);
    return { workspaceId: workspaceIdOf(realCwd), settings };
  }
}
