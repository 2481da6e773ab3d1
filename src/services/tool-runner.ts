/**
 * The one way to run a tool. In a session or without one, at once, in the background or as a stream: every run becomes a
 * ToolCall and comes through `run`, which looks the tool up, checks the params, claims the turn slot, asks the gates and
 * delivers the result. It knows no protocol and no file system.
 * Invariant: nothing runs that the gate chain has not allowed, and a tool that fails is a result, never an error.
 */
import { digest } from '../domain/canonical.js';
import type { AgentTools } from '../domain/agent.js';
import { rulableName } from '../domain/approval.js';
import { DaemonError } from '../domain/errors.js';
import { askGates, fold } from '../domain/gate/chain.js';
import type { FilesRead } from '../domain/gate/facts.js';
import type { Decision, GateName, Verdict } from '../domain/gate/verdict.js';
import type { JsonObject } from '../domain/json.js';
import { askingReasons, ruleTargetOf, type EffectiveRules, type RuleTarget } from '../domain/rules.js';
import { stepToolMode, type Posture } from '../domain/session.js';
import { effectiveTools, findEffectiveTool, type EffectiveTool } from '../domain/tool-set.js';
import { failed, scrubControlKeys, type ToolReach, type ToolResult } from '../domain/tool.js';
import type { TurnClaim, TurnSlot } from '../domain/turn-slot.js';
import type { AuditEntry, AuditLog, Logger, ParamsValidator, RunnableTool, Spill } from '../ports.js';
import { ask, callerOf, canAsk } from './asking.js';
import { CallFacts, type Facts, type FactsDeps } from './call-facts.js';
import { checkedParams } from './checked-params.js';
import type { Gates } from './gates.js';
import { deliver } from './server-result.js';
import type { SessionTool } from './session-servers.js';
import type { SingleUseTokens } from './single-use-tokens.js';

/** What a run needs to know of its session; an ephemeral one for sessionless runs. */
export interface RunSession {
  readonly posture: Posture;
  readonly slot: TurnSlot;
  readonly yolo: boolean;
  readonly approvalRules: ReadonlyMap<string, 'allow' | 'deny'>;
  readonly filesRead: FilesRead;
  /** What the agent definition it names narrows its tools to. */
  readonly agent?: AgentTools | undefined;
  /** The tools of its servers that may be called now; none for a sessionless run. */
  mcpTools(): readonly SessionTool[];
  settings(): {
    readonly denyList: readonly string[];
    readonly unknownDenials?: readonly string[];
    readonly disabledTools: readonly string[];
    readonly allowPrivateFetch?: boolean;
    readonly servers?: readonly { readonly entry: { readonly name: string } }[];
    readonly rules: EffectiveRules;
  };
}

export interface ToolCall {
  readonly session: RunSession;
  readonly tool: string;
  readonly params: JsonObject;
  readonly confirm?: boolean;
  readonly confirmToken?: string;
  readonly allowMutations?: boolean;
  readonly sessionless: boolean;
  /** A step of a workflow, which may use what an orchestrator's own runs may not. */
  readonly isStep?: true;
}

export type ToolOutcome =
  | { readonly kind: 'result'; readonly result: ToolResult }
  | {
      readonly kind: 'needs_confirmation';
      readonly tool: string;
      readonly params: JsonObject;
      readonly confirmToken: string;
      readonly reasons: readonly string[];
    };

/** What a step came to, or what a person has to be asked: `call` is the digest that an approval of just this call names. */
export type StepOutcome =
  | { readonly kind: 'result'; readonly result: ToolResult }
  | {
      readonly kind: 'needs_confirmation';
      readonly params: JsonObject;
      /** The first gate that asks. */
      readonly cause: GateName;
      readonly reasons: readonly string[];
      readonly call: string;
    };

/** What a confirm token stands for. `scope` is the session, or the posture of a sessionless run. */
export interface ConfirmBinding {
  readonly scope: string;
  /** Digest of tool, canonical params, and the definition, server and rules of the tool as they were when it was asked about. */
  readonly call: string;
}

export interface ToolRunnerDeps extends FactsDeps {
  readonly toolbox: readonly RunnableTool[];
  readonly validator: ParamsValidator;
  readonly confirmTokens: SingleUseTokens<ConfirmBinding>;
  readonly gates: Gates;
  readonly audit: AuditLog;
  readonly spill: Spill;
  readonly logger: Logger;
}

type Tool = EffectiveTool<RunnableTool, SessionTool>;

const NO_REACH: ToolReach = { paths: [] };
const NOTHING_DENIED = (): boolean => false;

/** A call whose tool was found and whose params the tool's schema accepts. */
interface PreparedCall {
  readonly tool: Tool;
  readonly params: JsonObject;
  readonly reach: ToolReach;
  readonly mutates: boolean;
}

/** What was said to a call before it was made. */
interface Confirmation {
  readonly token?: AuditEntry['token'] | undefined;
  readonly isConfirmed: (reasons: readonly string[]) => boolean;
}

export class ToolRunner {
  readonly #deps: ToolRunnerDeps;
  readonly #facts: CallFacts;

  constructor(deps: ToolRunnerDeps) {
    this.#deps = deps;
    this.#facts = new CallFacts(deps);
  }

  /** The built-in tools, whether or not a session may call them. */
  get catalogue(): readonly RunnableTool[] {
    return this.#deps.toolbox;
  }

  /** The effective tools of a session, in the order in which they are listed. */
  tools(session: RunSession): Tool[] {
    return effectiveTools(this.#sources({ session }));
  }

  /** The name a rule for this tool is kept under; undefined for a tool that the session cannot have. */
  rulableName(session: RunSession, written: string): string | undefined {
    const names = [...this.catalogue, ...session.mcpTools()].map(({ name }) => name);
    const servers = (session.settings().servers ?? []).map(({ entry }) => entry.name);
    return rulableName(written, { names, servers });
  }

  /** A tool of the session as rules see it, undefined when there is none of that name. */
  ruleTarget(session: RunSession, name: string): (RuleTarget & { readonly readOnly: boolean }) | undefined {
    const tool = findEffectiveTool(this.#sources({ session }), name);
    return tool && { ...targetOf(tool), readOnly: tool.readOnly };
  }

  /** Throws bad_request when the working directory is on the deny list. */
  async checkCwd(place: Pick<Posture, 'cwd' | 'configDir'>, denyList: readonly string[]): Promise<void> {
    const { cwd, isDenied } = await this.#facts.surroundings(place, denyList);
    if (isDenied(place.cwd) || isDenied(cwd)) {
      throw new DaemonError('bad_request', 'cwd: is on the deny list');
    }
  }

  /**
   * Throws what `run` would throw for this call before it claims the turn slot: tool_not_found, tool_mutation_refused
   * and bad_request (`details.errors`).
   */
  check(call: ToolCall): void {
    this.#prepare(call);
  }

  /**
   * The result, or what a person has to confirm first. Aborting the signal ends the run as `cancelled`.
   * Throws what `check` throws, turn_in_flight and gate_parked; and service_unavailable for a call that can change
   * something while the audit log cannot be written.
   */
  async run(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome> {
    const prepared = this.#prepare(call);
    if (this.#isUnaudited(prepared)) await this.#auditAgain();
    const claim = call.session.slot.claim('tool');
    const cancel = (): void => claim.abort();
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    try {
      // Presented is spent, whatever the gates make of it.
      const token = call.confirmToken === undefined ? undefined : this.#redeem(call, prepared);
      const confirmed = token === 'redeemed' && call.confirm === true;
      const outcome = await this.#runClaimed(call, prepared, claim, { token, isConfirmed: () => confirmed });
      if (outcome.kind === 'result') return outcome;
      // Of a session that closes, no token is left; and who cancelled is not asked.
      if (claim.signal.aborted) return { kind: 'result', result: cancelled() };
      const { params, reasons } = outcome;
      const confirmToken = this.#deps.confirmTokens.mint({ scope: ownerOf(call), call: outcome.call });
      return { kind: 'needs_confirmation', tool: prepared.tool.name, params, confirmToken, reasons };
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#deps.gates.dismiss(call.session, claim);
      claim.release();
    }
  }

  /**
   * One step of a run that holds the turn slot itself: through the same lookup, checks and gates. `approved` is what a
   * person has said yes to; it stands for nothing else, and for no other reasons to ask. Throws tool_not_found, bad_request
   * and service_unavailable as `run` does.
   */
  async runStep(call: ToolCall, claim: TurnClaim, approved: string | undefined): Promise<StepOutcome> {
    const prepared = this.#prepare(call);
    if (this.#isUnaudited(prepared)) await this.#auditAgain();
    const digestWith = (reasons: readonly string[]): string => digest([callDigestOf(call, prepared), ...reasons]);
    try {
      const isConfirmed = (reasons: readonly string[]): boolean => approved === digestWith(reasons);
      const outcome = await this.#runClaimed(call, prepared, claim, { isConfirmed });
      return outcome.kind === 'result' ? outcome : { ...outcome, call: digestWith(outcome.reasons) };
    } finally {
      this.#deps.gates.dismiss(call.session, claim);
    }
  }

  #isUnaudited({ mutates }: PreparedCall): boolean {
    return mutates && this.#deps.audit.isFailing;
  }

  async #auditAgain(): Promise<void> {
    if (!(await this.#deps.audit.flush())) throw new DaemonError('service_unavailable');
  }

  #prepare(call: ToolCall): PreparedCall {
    const tool = findEffectiveTool(this.#sources(call), call.tool);
    if (!tool) throw new DaemonError('tool_not_found');
    const { params, faults } = checkedParams(this.#deps.validator, inputSchema(tool), scrubControlKeys(call.params));
    // What broken params would reach is unknown, so a tool that can change something is taken to.
    const reach = tool.source === 'builtin' && faults.length === 0 ? tool.builtin.reach(params) : NO_REACH;
    const mutates = !tool.readOnly && reach.onlyReads !== true;
    if (call.sessionless && mutates && call.allowMutations !== true && call.confirm !== true) {
      throw new DaemonError(
        'tool_mutation_refused',
        `${tool.name} can change things; a run without a session needs allow_mutations or confirm`,
      );
    }
    if (faults[0]) {
      const [{ pointer, message }] = faults as [(typeof faults)[0]];
      throw new DaemonError('bad_request', `params${pointer}: ${message}`, {
        details: { errors: faults.map((fault) => ({ ...fault, pointer: `/params${fault.pointer}` })) },
      });
    }
    return { tool, params, reach, mutates };
  }

  async #runClaimed(
    call: ToolCall,
    prepared: PreparedCall,
    claim: TurnClaim,
    { token, isConfirmed }: Confirmation,
  ): Promise<StepOutcome> {
    const { tool, params, reach, mutates } = prepared;
    const { session } = call;
    const { posture } = session;
    // Calls of MCP tools name no paths and skip the file system altogether.
    const facts = tool.source === 'builtin' ? await this.#facts.gather(session, reach, ownerOf(call)) : undefined;
    const verdicts = askGates({
      tool: tool.name,
      source: tool.source,
      // A plain reading line that leads to a pipe, a device or a kernel tree is not so plain.
      mutates: mutates || (!tool.readOnly && facts?.paths.some(({ kind }) => kind === 'special') === true),
      requireConfirmation: tool.source === 'mcp' && tool.server.requireConfirmation,
      command: reach.command,
      sessionless: call.sessionless,
      allowMutations: call.allowMutations === true,
      dirScope: posture.dirScope,
      yolo: session.yolo,
      approvalRule: session.approvalRules.get(tool.name),
      rules: ruleReasons(session, tool),
      headless: posture.headless,
      paths: facts?.paths ?? [],
      cwd: facts?.cwd ?? posture.cwd,
      home: facts?.home ?? this.#deps.home,
      isDenied: facts?.isDenied ?? NOTHING_DENIED,
      unknownDenials: session.settings().unknownDenials ?? [],
      filesRead: session.filesRead,
      member: facts === undefined || findEffectiveTool(this.#sources(call), tool.name) !== undefined,
    });
    const { headless } = posture;
    const all = verdicts.map(([, verdict]) => verdict);
    const open = fold(all, { headless, confirmed: false });
    const confirmed = open.kind === 'confirm' && isConfirmed(open.reasons);
    const decision = confirmed ? fold(all, { headless, confirmed }) : open;
    this.#note(call, tool, params, { decision, verdicts, token });
    if (decision.kind === 'deny') return { kind: 'result', result: denial(decision) };
    if (decision.kind === 'confirm') {
      const [cause] = verdicts.find(([, { kind }]) => kind === 'confirm') as (typeof verdicts)[0];
      const { reasons } = decision;
      return { kind: 'needs_confirmation', params, cause, reasons, call: callDigestOf(call, prepared) };
    }
    return { kind: 'result', result: await this.#dispatch(call, tool, params, facts, claim) };
  }

  async #dispatch(
    call: ToolCall,
    tool: Tool,
    params: JsonObject,
    facts: Facts | undefined,
    claim: TurnClaim,
  ): Promise<ToolResult> {
    const { gates, spill, validator } = this.#deps;
    const { session } = call;
    const { signal } = claim;
    const run = { session, claim, tool: tool.name };
    if (signal.aborted) return cancelled();
    try {
      if (tool.source === 'mcp') {
        const answer = await tool.server.call(params, signal, callerOf(gates, validator, run));
        return await deliver(answer, spill, ownerOf(call));
      }
      const { cwd, paths, isDenied } = facts as Facts;
      const { filesRead } = session;
      const { allowPrivateFetch = false } = session.settings();
      return await tool.builtin.run(params, {
        get owner() {
          return ownerOf(call);
        },
        posture: session.posture,
        cwd,
        paths,
        isDenied,
        signal,
        filesRead,
        allowPrivateFetch,
        ...(canAsk(session.posture) ? { ask: (question) => ask(gates, run, question) } : {}),
      });
    } catch (error) {
      if (signal.aborted) return cancelled();
      const { name, message } = error instanceof Error ? error : new Error('the tool failed');
      this.#deps.logger.debug({ tool: tool.name, error: name }, 'a tool failed');
      return name === 'TimeoutError' ? failed('timeout', message) : failed('tool_error', message);
    }
  }

  #redeem(call: ToolCall, prepared: PreparedCall): 'redeemed' | 'refused' {
    const now = { scope: ownerOf(call), call: callDigestOf(call, prepared) };
    const matches = (then: ConfirmBinding): boolean => then.scope === now.scope && then.call === now.call;
    const redemption = this.#deps.confirmTokens.redeem(call.confirmToken as string, matches);
    return redemption === 'ok' ? 'redeemed' : 'refused';
  }

  #note(
    { session: { posture }, sessionless }: ToolCall,
    tool: Tool,
    params: JsonObject,
    judged: { decision: Decision; verdicts: readonly [GateName, Verdict][]; token: AuditEntry['token'] | undefined },
  ): void {
    const { decision, verdicts, token } = judged;
    this.#deps.audit.append({
      session: sessionless ? null : posture.sessionId,
      cwd: posture.cwd,
      tool: tool.name,
      params,
      verdict: decision.kind,
      ...(decision.kind === 'deny' ? { code: decision.code } : {}),
      gates: Object.fromEntries(verdicts.flatMap(([gate, { kind }]) => (kind === 'allow' ? [] : [[gate, kind]]))),
      ...(token === undefined ? {} : { token }),
    });
  }

  #sources({ session, isStep }: Pick<ToolCall, 'session' | 'isStep'>) {
    return {
      toolbox: this.#deps.toolbox,
      serverTools: () => session.mcpTools(),
      disabledTools: session.settings().disabledTools,
      toolMode: isStep ? stepToolMode(session.posture.toolMode) : session.posture.toolMode,
      canAsk: canAsk(session.posture),
      agent: session.agent,
    };
  }
}

const inputSchema = (tool: Tool): JsonObject =>
  tool.source === 'builtin' ? tool.builtin.inputSchema : tool.server.tool.inputSchema;

const targetOf = (tool: Tool): RuleTarget =>
  ruleTargetOf(
    tool.source === 'builtin'
      ? { ...tool, asks: tool.builtin.category === 'interaction' }
      : { ...tool, server: { name: tool.server.server, tool: tool.server.tool.name } },
  );

const ruleReasons = (session: RunSession, tool: Tool): string[] =>
  askingReasons(session.settings().rules, session.posture.agent, targetOf(tool));

/** What tokens and background work of a session belong to. */
export const sessionOwner = (sessionId: string): string => `session:${sessionId}`;

const ownerOf = ({ session: { posture }, sessionless }: ToolCall): string =>
  sessionless
    ? `sessionless:${digest([posture.cwd, posture.configDir, posture.toolMode, posture.dirScope])}`
    : sessionOwner(posture.sessionId);

const callDigestOf = ({ session }: ToolCall, { tool, params }: PreparedCall): string => {
  const server = tool.source === 'mcp' ? tool.server.identity : null;
  return digest([
    tool.name,
    server,
    params,
    tool.description,
    tool.readOnly,
    inputSchema(tool),
    ruleReasons(session, tool),
  ]);
};

const cancelled = (): ToolResult => failed('cancelled', 'the run was cancelled');

const denial = ({ code, reasons }: Extract<Decision, { kind: 'deny' }>): ToolResult => {
  if (code === 'tool_not_found') throw new DaemonError('tool_not_found');
  const headless = code === 'denied_headless' ? ' (this session is headless, so nobody can confirm it)' : '';
  return failed(code, `denied: ${reasons.join('; ')}${headless}`);
};
