/**
 * One case for each documented success: the documented request is replayed with live values in place of its own, and
 * the answer has the documented status, media type and form, with the members that are literal as they are documented.
 * And one case that needs no target: every documented answer is one the contract allows.
 *
 * An operation joins by a row in one of the tables below; an example without a row is an error of the suite.
 */
import { type Case, must, mustEqual } from '../check.js';
import { type Contract, type Documented, EVENT_STREAM } from '../contract.js';
import { FrameReader } from '../sse.js';
import { mustAnswer } from '../target.js';
import { HOOK_REPLAYS } from './examples-hooks.js';
import { LIST_REPLAYS } from './examples-lists.js';
import { MCP_REPLAYS } from './examples-mcp.js';
import type { Replay, Replays } from './examples-replay.js';
import { Scene } from './examples-scene.js';
import { SESSION_REPLAYS } from './examples-sessions.js';
import { TOOL_REPLAYS } from './examples-tools.js';
import { WORKFLOW_REPLAYS } from './examples-workflows.js';

export const REPLAYS: Replays = {
  ...SESSION_REPLAYS,
  ...MCP_REPLAYS,
  ...TOOL_REPLAYS,
  ...LIST_REPLAYS,
  ...WORKFLOW_REPLAYS,
  ...HOOK_REPLAYS,
};

export const replayOf = ({ operation, name }: Documented): Replay | undefined =>
  REPLAYS[`${operation.id}:${name}`] ?? REPLAYS[operation.id];

export const exampleCases = (contract: Contract): Case[] => [
  ...contract.operations
    .flatMap(({ documented }) => documented)
    .filter(({ kind }) => kind === 'example')
    .map(exampleCase),
  validCase,
];

const exampleCase = (of: Documented): Case => {
  const replay = replayOf(of);
  const isShown = of.value !== undefined;
  return {
    id: of.id,
    title: `${of.operation.id} answers ${of.status} ${isShown ? `as its example "${of.name}" shows` : 'in a documented form'}`,
    level: 'MUST',
    tier: replay?.tier ?? 'request',
    features: replay?.features ?? [],
    run: async (target) => {
      if (replay === undefined) throw new Error(`the suite cannot replay ${of.id}: give it a row in REPLAYS`);
      const answer = await replay.send(new Scene(target, of, isShown ? of.name : undefined));
      mustAnswer(answer, of.status);
      const [came, shown] = [answer.json ?? framesOf(answer.text), shownBy(of)];
      for (const path of replay.literal ?? []) mustEqual(at(came, path), at(shown, path), path);
    },
  };
};

/** The documented value; of a stream, its frames. */
export const shownBy = ({ value }: Documented): unknown => (typeof value === 'string' ? framesOf(value) : value);

/** A member by its path, where -1 is the last item of a list; undefined where the way there ends. */
export const at = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (node, step) =>
        Array.isArray(node) ? node.at(Number(step)) : (node as Record<string, unknown> | null | undefined)?.[step],
      value,
    );

const framesOf = (text: string): { event: string; data: unknown }[] =>
  new FrameReader()
    .push(text)
    .flatMap((piece) => ('comment' in piece ? [] : [{ event: piece.event, data: JSON.parse(piece.data) as unknown }]));

/** What an answer has to have around its body; any value will do. */
const ENVELOPE = { 'retry-after': '1', allow: 'GET' };

const validCase: Case = {
  id: 'contract/examples-valid',
  title: 'every documented answer is one the contract allows',
  level: 'MUST',
  tier: 'request',
  features: [],
  run: async ({ contract }) => {
    for (const { id, operation, status, value } of contract.operations.flatMap(({ documented }) => documented)) {
      if (value === undefined) continue;
      const isStream = typeof value === 'string';
      const headers = { ...ENVELOPE, 'content-type': isStream ? EVENT_STREAM : 'application/json' };
      const answer = { status, headers, json: value, text: isStream ? value : JSON.stringify(value) };
      const complaints = contract.complaints(operation, operation.path, answer);
      const rules = isStream ? operation.answers.get(status)?.stream : undefined;
      for (const { event, data } of rules === undefined ? [] : framesOf(answer.text)) {
        complaints.push(...contract.frameComplaints(rules!, event, data));
      }
      must(complaints.length === 0, `${id}: ${complaints.join('; ')}`);
    }
  },
};
