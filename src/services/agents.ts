/**
 * Agent definitions of the user and of a project: listing, reading and changing them. A definition of the project has the
 * name to itself; changes go to the layer the definition is in.
 */
import { join } from 'node:path';
import { agentRevision, checkAgentName, type AgentDefinition, type AgentLayer } from '../domain/agent.js';
import { DaemonError } from '../domain/errors.js';
import type { JsonObject, JsonValue } from '../domain/json.js';
import { listScopeOf, type Scope } from '../domain/session.js';
import type { AgentFiles, LoginSource } from '../ports.js';

export interface AgentsOptions {
  readonly files: AgentFiles;
  readonly login: LoginSource;
  /** Where the definitions of the user are, unless a config dir replaces the user install. */
  readonly userFolder: string;
  readonly defaultConfigDir: string | null;
}

/** Read when somebody first asks: most starts need no YAML, and its parser takes its time. */
const loadDefinitions = () => import('../domain/agent-definition.js');
type Definitions = Awaited<ReturnType<typeof loadDefinitions>>;

interface Folder {
  readonly layer: AgentLayer;
  readonly path: string;
}

export type AgentPlace = Pick<Scope, 'cwd' | 'configDir'>;

export class Agents {
  readonly #options: AgentsOptions;

  constructor(options: AgentsOptions) {
    this.#options = options;
  }

  /** By name, and a sentence for each file that cannot be read. Throws not_found (realm not served). */
  async list(scope: Scope): Promise<{ agents: readonly AgentDefinition[]; warnings: readonly string[] }> {
    listScopeOf(this.#options.login.current(), scope);
    return this.#read(scope);
  }

  /** The definition a session that names it gets; undefined when there is none. */
  async find(name: string, place: AgentPlace): Promise<AgentDefinition | undefined> {
    return (await this.#read(place, name)).agents[0];
  }

  /** The text of a definition, also of one that cannot be read as one. Throws not_found. */
  async source(name: string, scope: Scope): Promise<{ name: string; path: string; content: string; revision: string }> {
    listScopeOf(this.#options.login.current(), scope);
    const { folder, text } = await this.#locate(name, scope);
    return { name, path: this.#options.files.pathOf(folder.path, name), content: text, revision: agentRevision(text) };
  }

  /** Into the project when the request names its folder, otherwise for the user. Throws bad_request (name taken, no definition). */
  async create(name: string, frontmatter: JsonObject, prompt: string, scope: Scope): Promise<AgentDefinition> {
    const folder = this.#folders(this.#admit(scope)).at(-1)!;
    const { writeAgent } = await loadDefinitions();
    return this.#put(folder, checkAgentName('name', name), 'name', writeAgent(frontmatter, prompt), scope);
  }

  /** Throws not_found, revision_conflict, bad_request (no definition). */
  async setSource(name: string, content: string, expectedRevision: string, scope: Scope): Promise<AgentDefinition> {
    return this.#edit(name, scope, (text) => {
      const current = agentRevision(text);
      if (current !== expectedRevision) {
        throw new DaemonError('revision_conflict', undefined, { details: { current_revision: current } });
      }
      return content;
    });
  }

  /** Sets keys of the frontmatter, or removes those that are undefined. Throws not_found, bad_request. */
  async set(name: string, changes: Record<string, JsonValue | undefined>, scope: Scope): Promise<AgentDefinition> {
    const { editAgent } = await loadDefinitions();
    return this.#edit(name, scope, (text) => editAgent(text, changes));
  }

  /** Throws not_found, bad_request (name taken). */
  async copy(name: string, newName: string, scope: Scope): Promise<AgentDefinition> {
    const { folder, text } = await this.#locate(name, this.#admit(scope));
    return this.#put(folder, checkAgentName('new_name', newName), 'new_name', text, scope);
  }

  /** Throws not_found, bad_request (name taken). */
  async rename(name: string, newName: string, scope: Scope): Promise<AgentDefinition> {
    const { folder, text } = await this.#locate(name, this.#admit(scope));
    sound(await loadDefinitions(), text);
    if (!(await this.#options.files.rename(folder.path, name, checkAgentName('new_name', newName)))) {
      throw nameTaken('new_name');
    }
    return this.#get(newName, scope);
  }

  /** The one of the strongest layer; one of the same name in a weaker layer then shows. Throws not_found. */
  async delete(name: string, scope: Scope): Promise<void> {
    const { folder } = await this.#locate(name, this.#admit(scope));
    await this.#options.files.change(folder.path, name, () => undefined);
  }

  /** Differs after any definition of the place changed, through the API or by hand. */
  async stamp(place: AgentPlace): Promise<string> {
    const stamps = this.#folders(place).map(({ path }) => this.#options.files.stamp(path));
    return (await Promise.all(stamps)).join('\n\n');
  }

  #admit(scope: Scope): Scope {
    listScopeOf(this.#options.login.current(), scope);
    return scope;
  }

  /** The weaker layer first. */
  #folders({ cwd, configDir }: AgentPlace): Folder[] {
    const { userFolder, defaultConfigDir } = this.#options;
    const install = configDir ?? defaultConfigDir;
    return [
      { layer: 'user', path: install === null ? userFolder : join(install, 'agents') },
      ...(cwd === undefined ? [] : [{ layer: 'project', path: join(cwd, '.hoody', 'agents') } as const]),
    ];
  }

  /** All, or those of a name: what the others say is not parsed then. */
  async #read(
    place: AgentPlace,
    only?: string,
  ): Promise<{ agents: readonly AgentDefinition[]; warnings: readonly string[] }> {
    const { files } = this.#options;
    const folders = this.#folders(place);
    const listed = await Promise.all(folders.map(({ path }) => files.list(path)));
    const layers = folders.map(({ layer, path }, index) =>
      [...listed[index]!.texts]
        .filter(([name]) => only === undefined || name === only)
        .map(([name, text]) => ({ name, layer, text, path: files.pathOf(path, name) })),
    );
    const { resolveAgents } = await loadDefinitions();
    const { agents, warnings } = resolveAgents(layers);
    return { agents, warnings: [...listed.flatMap((one) => one.warnings), ...warnings] };
  }

  async #locate(name: string, place: AgentPlace): Promise<{ folder: Folder; text: string }> {
    for (const folder of this.#folders(place).toReversed()) {
      const text = (await this.#options.files.list(folder.path)).texts.get(name);
      if (text !== undefined) return { folder, text };
    }
    throw new DaemonError('not_found');
  }

  async #edit(name: string, scope: Scope, edit: (text: string) => string): Promise<AgentDefinition> {
    const { folder } = await this.#locate(name, this.#admit(scope));
    const definitions = await loadDefinitions();
    await this.#options.files.change(folder.path, name, (text) => {
      if (text === undefined) throw new DaemonError('not_found');
      return sound(definitions, edit(text));
    });
    return this.#get(name, scope);
  }

  async #put(folder: Folder, name: string, member: string, text: string, scope: Scope): Promise<AgentDefinition> {
    const definitions = await loadDefinitions();
    await this.#options.files.change(folder.path, name, (found) => {
      if (found !== undefined) throw nameTaken(member);
      return sound(definitions, text);
    });
    return this.#get(name, scope);
  }

  async #get(name: string, scope: Scope): Promise<AgentDefinition> {
    const agent = await this.find(name, scope);
    if (!agent) throw new DaemonError('not_found');
    return agent;
  }
}

const nameTaken = (member: string): DaemonError =>
  new DaemonError('bad_request', `${member}: there is a definition of that name`);

/** A text that is a definition. Throws bad_request. */
const sound = ({ readAgent }: Definitions, text: string): string => {
  const content = readAgent(text);
  if ('fault' in content) throw new DaemonError('bad_request', `the definition: ${content.fault}`);
  return text;
};
