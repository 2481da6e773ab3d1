/**
 * What one live session is allowed without being asked each time: yolo, and a rule for each tool somebody named. It
 * starts empty. What the answers mean to a call is the gates' (write-permission.ts, dir-scope.ts, rules.ts).
 */
import { DaemonError } from './errors.js';
import { modelToolNames } from './tool.js';

export type ApprovalDecision = 'allow' | 'deny';

/** More tools than a session has; a client that sets rules for names it makes up must not fill memory. */
const RULES_MAX = 1_000;

/** What a rule may name. */
export interface RulableTools {
  /** Built-in tools, and those of servers as the session lists them. */
  readonly names: readonly string[];
  /** Of the settings, connected or not. */
  readonly servers: readonly string[];
}

/**
 * The name under which a session lists the tool, now or once its server is connected; undefined for a name that no tool of
 * the session can have.
 */
export const rulableName = (written: string, { names, servers }: RulableTools): string | undefined => {
  if (names.includes(written)) return written;
  for (const server of servers) {
    for (const prefix of [`mcp:${server}:`, `mcp__${server}__`]) {
      const pair = { server, tool: written.slice(prefix.length) };
      if (!written.startsWith(prefix) || pair.tool === '') continue;
      const name = modelToolNames([pair]).get(pair) as string;
      if (prefix.startsWith('mcp:') || name === written) return name;
    }
  }
  return undefined;
};

export class Approval {
  #yolo = false;
  #revision = 0;
  readonly #rules = new Map<string, ApprovalDecision>();

  get yolo(): boolean {
    return this.#yolo;
  }

  /** Grows with every change. */
  get revision(): number {
    return this.#revision;
  }

  /** In the order in which they were first set. */
  get rules(): ReadonlyMap<string, ApprovalDecision> {
    return this.#rules;
  }

  setYolo(enabled: boolean): void {
    this.#yolo = enabled;
    this.#revision += 1;
  }

  /** Throws bad_request when there are too many rules. */
  setRule(tool: string, decision: ApprovalDecision): void {
    if (!this.#rules.has(tool) && this.#rules.size >= RULES_MAX) {
      throw new DaemonError('bad_request', `tool: a session has at most ${RULES_MAX} rules`);
    }
    this.#rules.set(tool, decision);
    this.#revision += 1;
  }

  deleteRule(tool: string): void {
    if (this.#rules.delete(tool)) this.#revision += 1;
  }
}
