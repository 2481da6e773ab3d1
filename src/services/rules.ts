/**
 * Tool-call rules as callers read and write them: those of a folder, a write of one layer, and which cover a tool. What a
 * rule means is `domain/rules.ts`, and the gates go by the same values.
 * Invariant: when a write has resolved, every live session goes by it.
 */
import { DaemonError } from '../domain/errors.js';
import type { JsonObject } from '../domain/json.js';
import {
  checkRulesChange,
  coveringRules,
  isChecked,
  misnamedTools,
  NO_RULES,
  planRules,
  promptWeight,
  rulesConflict,
  rulesRevision,
  ruleTargetOf,
  type EffectiveRules,
  type LiveRule,
  type RuleTarget,
} from '../domain/rules.js';
import type { LayerName } from '../domain/server-entry.js';
import { listScopeOf, type Scope } from '../domain/session.js';
import { tokenOf } from '../domain/change-tokens.js';
import type { ListScope } from '../domain/topics.js';
import type { BuiltinTool } from '../domain/tool.js';
import type { LoginSource, SettingsFiles } from '../ports.js';
import type { ConfigReader, LayerScope } from './config-reader.js';
import type { Reconciler } from './reconciler.js';
import type { LiveSession } from './sessions.js';
import type { WriteNonces } from './write-nonces.js';

export interface RulesOptions {
  readonly files: SettingsFiles;
  readonly reader: ConfigReader;
  readonly reconciler: Pick<Reconciler, 'reread' | 'findSettings'>;
  readonly nonces: WriteNonces;
  readonly login: LoginSource;
  readonly builtins: readonly Pick<BuiltinTool, 'name' | 'readOnly' | 'category'>[];
  /** A tool of the session as rules see it, undefined when it has none of that name. */
  readonly targetOf: (session: LiveSession, name: string) => (RuleTarget & { readonly readOnly: boolean }) | undefined;
  readonly defaultCwd: string;
  readonly defaultConfigDir: string | null;
}

export interface SetRules {
  readonly nonce: string;
  readonly scope: LayerName | undefined;
  readonly rules: readonly JsonObject[] | undefined;
  /** 0 removes it. */
  readonly timeoutMs: number | undefined;
  /** Containers whose rules may run. */
  readonly execTrust: readonly unknown[] | undefined;
  /** Undefined is what the nonce was minted against. */
  readonly expectedRevision: string | undefined;
}

export interface RulesWritten {
  readonly path: string;
  readonly revision: string;
  readonly rules: EffectiveRules;
}

export interface ApplicableRules {
  readonly agent: string | null;
  readonly readOnly: boolean;
  readonly rules: readonly LiveRule[];
  /** A call is asked about. */
  readonly asks: boolean;
  readonly complete: boolean;
  readonly prompt: ReturnType<typeof promptWeight>;
}

export class Rules {
  readonly #options: RulesOptions;

  constructor(options: RulesOptions) {
    this.#options = options;
  }

  /** The rules a session opened with this scope would have. Throws not_found (realm not served). */
  async read(scope: Scope): Promise<EffectiveRules> {
    return this.#read(this.#place(listScopeOf(this.#options.login.current(), scope)));
  }

  /** Throws bad_request when the layer does not exist or cannot be read. */
  async createWriteIntent(
    session: LiveSession,
    scope: LayerName,
  ): Promise<{ nonce: string; path: string; revision: string }> {
    const { nonces, reader } = this.#options;
    const path = reader.layerPath(session.posture, scope);
    const revision = await this.#revision(path);
    const use = { sessionId: session.posture.sessionId, op: 'rules_set' as const, path };
    return { nonce: await nonces.mint(use, revision), path, revision };
  }

  /** Throws bad_request (nonce, rules, unreadable file), revision_conflict; the nonce is spent then, too. */
  async set(session: LiveSession, request: SetRules): Promise<RulesWritten> {
    const { files, nonces, reader, reconciler } = this.#options;
    const { rules, timeoutMs, execTrust = [] } = request;
    const path = reader.layerPath(session.posture, request.scope);
    const { sessionId } = session.posture;
    const seen = await nonces.redeem(request.nonce, { sessionId, op: 'rules_set', path });
    if (execTrust.length > 0) {
      throw new DaemonError('bad_request', 'exec_trust: this daemon reaches no containers, so there is none to trust');
    }
    checkRulesChange({ rules, timeoutMs });
    const expected = request.expectedRevision ?? seen;
    const { result: revision } = await files
      .update(path, (document) => planRules(document, expected, { rules, timeoutMs }))
      .catch(async (cause: unknown) => {
        // Edited by hand between reading and replacing.
        if (!(cause instanceof DaemonError) || cause.code !== 'mcp_conflict') throw cause;
        throw rulesConflict(await this.#revision(path));
      });
    await reconciler.reread();
    return { path, revision, rules: await this.#read(session.posture) };
  }

  /** By what the gates of the session go by now. `tool` undefined is any, `agent` undefined is that of the session. */
  applies(session: LiveSession, agent: string | undefined, tool: string | undefined): ApplicableRules {
    const rules = session.settings().rules;
    const who = agent ?? session.posture.agent;
    const target = tool === undefined ? undefined : this.#target(session, tool);
    const covering = coveringRules(rules, who, target);
    const asksAnyway = !rules.complete && (target?.mayChange ?? true);
    return {
      agent: who,
      readOnly: target?.readOnly ?? false,
      rules: covering,
      asks: asksAnyway || covering.some(isChecked),
      complete: !asksAnyway,
      prompt: promptWeight(covering),
    };
  }

  /** Differs after any rule changed that the scope sees: of its folder, and of the sessions, which are visible ones. */
  async stamp(scope: ListScope, sessionIds: readonly string[]): Promise<string> {
    const { stamp } = (await this.#options.reader.read(this.#place(scope))).rules;
    const stamps = new Set([stamp, ...sessionIds.map((id) => this.#rulesOf(id).stamp)]);
    return tokenOf([...stamps].toSorted());
  }

  async #read(place: LayerScope): Promise<EffectiveRules> {
    const { rules } = await this.#options.reader.read(place);
    const builtins = this.#options.builtins.map(({ name }) => name);
    return { ...rules, ruleWarnings: [...rules.ruleWarnings, ...misnamedTools(rules, builtins)] };
  }

  async #revision(path: string): Promise<string> {
    return rulesRevision(await this.#options.reader.readLayer(path));
  }

  #rulesOf(sessionId: string): EffectiveRules {
    return this.#options.reconciler.findSettings(sessionId)?.rules ?? NO_RULES;
  }

  /** A tool that is not there now is taken for one of a server that is down. */
  #target(session: LiveSession, name: string): RuleTarget & { readonly readOnly: boolean } {
    const found = this.#options.targetOf(session, name);
    if (found) return found;
    const builtin = this.#options.builtins.find((tool) => tool.name === name);
    return {
      ...ruleTargetOf(
        builtin
          ? { source: 'builtin', name, readOnly: builtin.readOnly, asks: builtin.category === 'interaction' }
          : { source: 'mcp', name },
      ),
      readOnly: builtin?.readOnly ?? false,
    };
  }

  #place({ cwd, configDir }: Pick<ListScope, 'cwd' | 'configDir'>): LayerScope {
    const { defaultCwd, defaultConfigDir } = this.#options;
    return { cwd: cwd ?? defaultCwd, configDir: configDir ?? defaultConfigDir };
  }
}
