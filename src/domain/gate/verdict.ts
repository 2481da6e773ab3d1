/**
 * What one gate answers, what it is asked, and what all the answers come to.
 * Invariant: a confirmation never overrides a denial.
 */
import type { DirScope } from '../session.js';
import type { FilesRead, PathFact } from './facts.js';

export type GateName =
  'deny_list' | 'static_stakes' | 'read_before_edit' | 'dir_scope' | 'write_permission' | 'tool_membership' | 'rules';

export type DenialCode =
  | 'denied_deny_list'
  | 'denied_headless'
  | 'denied_rule'
  | 'read_required'
  | 'stale_read'
  /** The tool was taken away between lookup and run; the one denial that is an error of the request. */
  | 'tool_not_found';

export type Verdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'confirm'; readonly reason: string }
  | { readonly kind: 'deny'; readonly code: DenialCode; readonly reason: string };

export type Decision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'confirm'; readonly reasons: readonly string[] }
  | { readonly kind: 'deny'; readonly code: DenialCode; readonly reasons: readonly string[] };

/** One call with everything any gate looks at. */
export interface Question {
  readonly tool: string;
  readonly source: 'builtin' | 'mcp';
  /** False for read-only tools, and for a shell line that only reads. */
  readonly mutates: boolean;
  /** The server's `require_confirmation`; false for built-in tools. */
  readonly requireConfirmation: boolean;
  /** A shell command line, when the tool runs one. */
  readonly command: string | undefined;
  readonly sessionless: boolean;
  /** The sessionless `allow_mutations: true`. */
  readonly allowMutations: boolean;

  readonly dirScope: DirScope;
  readonly yolo: boolean;
  readonly approvalRule: 'allow' | 'deny' | undefined;
  /** Why tool-call rules of the settings ask about this call; empty when none does. */
  readonly rules: readonly string[];
  /** Nobody is there to answer. */
  readonly headless: boolean;

  readonly paths: readonly PathFact[];
  /** Real paths of the working directory and the user's home. */
  readonly cwd: string;
  readonly home: string;
  readonly isDenied: (path: string) => boolean;
  /** Why a path may be denied without `isDenied` knowing; empty when it knows all. */
  readonly unknownDenials: readonly string[];
  readonly filesRead: FilesRead;
  /** Still in the session's effective set. */
  readonly member: boolean;
}

export type Gate = (question: Question) => Verdict;

export const ALLOW: Verdict = { kind: 'allow' };
export const confirm = (reason: string): Verdict => ({ kind: 'confirm', reason });
export const deny = (code: DenialCode, reason: string): Verdict => ({ kind: 'deny', code, reason });
