/**
 * What the tools over the work lists share: the scope of their session, values as a model reads them, and refusals as
 * failures it can act on. What a list does is the list's.
 */
import { DaemonError, type ErrorCode } from '../domain/errors.js';
import type { JsonValue } from '../domain/json.js';
import type { Posture, Scope } from '../domain/session.js';
import { failed, succeeded, type ToolResult } from '../domain/tool.js';

/** The lists are those of the folder as the session names it. */
export const scopeOf = ({ realm, cwd, configDir, toolMode, dirScope }: Posture): Scope => ({
  realm,
  cwd,
  configDir: configDir ?? undefined,
  toolMode,
  dirScope,
});

export const shown = (value: JsonValue): ToolResult => succeeded(JSON.stringify(value, null, 1));

/** How a list says what a model meets again and again. */
export interface Refusals {
  readonly missing: string;
  /** The code of a change made from a revision that is no longer true. */
  readonly conflict: ErrorCode;
  readonly changed: (revision: string) => string;
}

/** What the list refuses is a failure a model can act on; whatever is no refusal is thrown. */
export const told = async (refusals: Refusals, work: () => Promise<ToolResult>): Promise<ToolResult> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DaemonError)) throw error;
    if (error.code === 'not_found') return failed('tool_error', refusals.missing);
    if (error.code !== refusals.conflict) return failed('tool_error', error.message);
    return failed('tool_error', refusals.changed(String(error.details?.['current_revision'])));
  }
};
