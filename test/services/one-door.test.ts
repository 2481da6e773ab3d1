/**
 * The one door, instrumented: every tool records that it was run and every gate records what it was asked, and whatever
 * calls come in whatever order, nothing was run that the gates had not judged, and no control key had a say.
 */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../../src/domain/canonical.js';
import { GATES } from '../../src/domain/gate/chain.js';
import type { Gate, GateName, Question, Verdict } from '../../src/domain/gate/verdict.js';
import type { JsonObject, JsonValue } from '../../src/domain/json.js';
import { NO_RULES } from '../../src/domain/rules.js';
import type { Posture } from '../../src/domain/session.js';
import { scrubControlKeys, succeeded } from '../../src/domain/tool.js';
import type { AuditEntry, RunnableTool, TodoDesk, WorkflowDesk } from '../../src/ports.js';
import type { SessionTool } from '../../src/services/session-servers.js';
import type { RunSession, ToolCall, ToolOutcome, ToolRunner } from '../../src/services/tool-runner.js';
import { BackgroundJobs } from '../../src/tools/background-jobs.js';
import { createToolbox } from '../../src/tools/toolbox.js';
import { FakeClock } from '../fakes/clock.js';
import { CONFIRM_TTL_MS, makeHome, never, runnerIn, sessionIn, type Home } from './runner-fixture.js';

let place: Home;

/** What the gates were asked since the last look, in order. */
const asked: { gate: GateName; question: Question; verdict: Verdict }[] = [];
const plainGates = [...GATES];

beforeAll(async () => {
  place = await makeHome();
  const chain = GATES as [GateName, Gate][];
  for (const [at, [gate, judgeBy]] of plainGates.entries()) {
    const recording: Gate = (question) => {
      const verdict = judgeBy(question);
      asked.push({ gate, question, verdict });
      return verdict;
    };
    chain[at] = [gate, recording];
  }
});

afterAll(async () => {
  (GATES as [GateName, Gate][]).splice(0, plainGates.length, ...(plainGates as [GateName, Gate][]));
  await rm(place.home, { recursive: true });
});

/** The real tools, doing nothing but telling that they were run. */
const recordingToolbox = (note: (tool: string, params: JsonObject) => void): RunnableTool[] =>
  createToolbox({
    clock: new FakeClock(),
    env: { PATH: process.env['PATH'] ?? '' },
    spill: { keep: () => Promise.resolve('/kept'), isKeptFor: () => false },
    jobs: new BackgroundJobs(),
    endMarked: () => Promise.resolve(),
    todos: {} as TodoDesk,
    workflows: {} as WorkflowDesk,
  }).map((tool) => ({
    ...tool,
    run: (params) => {
      note(tool.name, params);
      return Promise.resolve(succeeded('ran'));
    },
  }));

interface Door {
  readonly runner: ToolRunner;
  readonly clock: FakeClock;
  readonly executed: { tool: string; params: string }[];
  readonly audited: AuditEntry[];
  /** The tools of two servers; the second wants every call confirmed. */
  readonly serverTools: readonly SessionTool[];
}

const createDoor = (): Door => {
  const clock = new FakeClock();
  const executed: Door['executed'] = [];
  const audited: AuditEntry[] = [];
  const note = (tool: string, params: JsonObject): void => void executed.push({ tool, params: JSON.stringify(params) });
  const serverTool = (name: string, requireConfirmation: boolean, readOnly: boolean): SessionTool => ({
    name,
    server: name,
    identity: name,
    tool: { name, description: 'Echoes.', inputSchema: { type: 'object' }, readOnly },
    requireConfirmation,
    call: (args) => {
      note(name, args);
      return Promise.resolve({ content: [], isError: false });
    },
  });
  const runner = runnerIn(place, {
    toolbox: recordingToolbox(note),
    clock,
    audit: {
      isFailing: false,
      append: (entry) => void audited.push(entry),
      flush: () => Promise.resolve(true),
      close: () => Promise.resolve(),
    },
    spill: { keep: () => Promise.resolve('/kept'), isKeptFor: () => false },
  });
  const serverTools = [serverTool('mcp__box__echo', false, true), serverTool('mcp__careful__echo', true, false)];
  return { runner, clock, executed, audited, serverTools };
};

const PATHS = ['a.txt', 'new.txt', '.', '.env', 'link/id', '~/.ssh/id', '../b', '/etc/hostname', '/proc/self/environ'];
const COMMANDS = ['ls', 'cat a.txt', 'cat link/id', 'rm -rf /', 'touch x', 'curl x | sh', 'echo > .env', 'sudo "$X"'];

/** Params as a schema of the toolbox describes them, with words that the gates have opinions about. */
const paramsOf = (schema: JsonObject): fc.Arbitrary<JsonValue> => {
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum']);
  switch (schema['type']) {
    case 'object': {
      const required = (schema['required'] ?? []) as string[];
      const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonObject>);
      const members = Object.fromEntries(properties.map(([name, member]) => [name, paramsOf(member)]));
      return fc.record(members, { requiredKeys: required, noNullPrototype: true }) as fc.Arbitrary<JsonValue>;
    }
    case 'array':
      return fc.array(paramsOf(schema['items'] as JsonObject), { minLength: 1, maxLength: 2 });
    case 'integer':
    case 'number':
      return fc.integer({ min: Number(schema['minimum'] ?? 0), max: Math.min(Number(schema['maximum'] ?? 9), 9_999) });
    case 'boolean':
      return fc.boolean();
    default:
      return fc.oneof(fc.constantFrom(...PATHS), fc.constantFrom(...COMMANDS), fc.string({ maxLength: 5 }));
  }
};

interface Try {
  readonly tool: string;
  readonly params: JsonObject;
  readonly session: number;
  readonly sessionless: boolean;
  readonly confirm?: boolean | undefined;
  readonly allowMutations?: boolean | undefined;
  /** Which token is presented: none, an invented one, or one of those handed out, counted from the newest. */
  readonly token: 'none' | 'invented' | number;
  /** Waits until tokens have expired. */
  readonly late: boolean;
}

const catalogue = recordingToolbox(() => {});
const anyObject = fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
/** A call of a real tool with params that mostly fit, or of a server's tool with any. */
const toolAndParams = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...catalogue)
      .chain(({ name, inputSchema }) => fc.record({ tool: fc.constant(name), params: paramsOf(inputSchema) })),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      tool: fc.constantFrom('mcp__box__echo', 'mcp__careful__echo', 'nothing'),
      params: anyObject,
    }),
  },
) as fc.Arbitrary<Pick<Try, 'tool' | 'params'>>;

const how = fc.record({
  session: fc.nat({ max: 2 }),
  sessionless: fc.boolean(),
  confirm: fc.option(fc.boolean(), { nil: undefined }),
  allowMutations: fc.option(fc.boolean(), { nil: undefined }),
  token: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom('none' as const, 'invented' as const) },
    { weight: 3, arbitrary: fc.nat({ max: 2 }) },
  ),
  late: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
});
const tried: fc.Arbitrary<Try> = fc.tuple(toolAndParams, how).map(([what, way]) => ({ ...what, ...way }));
/** Asked once, and then again with the token that was handed out, for the most part where it was. */
const asking: fc.Arbitrary<Try[]> = fc
  .tuple(tried, fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 2 }))
  .map(([once, sessions]) => [
    { ...once, token: 'none', late: false, confirm: true },
    ...sessions.map((session): Try => ({
      ...once,
      session: session > 2 ? once.session : session,
      token: 0,
      late: false,
      confirm: true,
    })),
  ]);

const stance = fc.record({
  toolMode: fc.constantFrom('full', 'full', 'read_only', 'standard', 'orchestrator'),
  dirScope: fc.constantFrom('home', 'full'),
  headless: fc.integer({ min: 0, max: 3 }).map((chance) => chance === 0),
  yolo: fc.boolean(),
  rules: fc.dictionary(fc.constantFrom(...catalogue.map(({ name }) => name)), fc.constantFrom('allow', 'deny'), {
    maxKeys: 2,
  }),
  disabled: fc.subarray(
    catalogue.map(({ name }) => name),
    { maxLength: 2 },
  ),
});
type Stance = typeof stance extends fc.Arbitrary<infer T> ? T : never;

const sessionOf = (door: Door, number: number, { toolMode, dirScope, headless, ...more }: Stance): RunSession =>
  sessionIn(place, { sessionId: `sess_${number}`, toolMode, dirScope, headless } as Partial<Posture>, {
    yolo: more.yolo,
    approvalRules: new Map(Object.entries(more.rules) as [string, 'allow' | 'deny'][]),
    mcpTools: () => door.serverTools,
    settings: () => ({ denyList: [], disabledTools: more.disabled, rules: NO_RULES }),
  });

const callOf = (session: RunSession, { tool, params, sessionless, confirm, allowMutations }: Try): ToolCall => ({
  session,
  tool,
  params,
  sessionless,
  ...(confirm === undefined ? {} : { confirm }),
  ...(allowMutations === undefined ? {} : { allowMutations }),
});

/** The outcome, or the code of the error it was refused with. */
const outcomeOf = (running: Promise<ToolOutcome>): Promise<ToolOutcome | { kind: 'refused'; code: unknown }> =>
  running.catch((error: { code: unknown }) => {
    if (error.code === undefined) throw error;
    return { kind: 'refused', code: error.code };
  });

test('no input reaches a tool that the gates were not asked about', async () => {
  const seen = { executed: 0, confirmed: 0, asked: 0, denied: 0, refused: 0 };
  const calls = fc.array(
    fc.oneof(
      asking,
      tried.map((one) => [one]),
    ),
    { minLength: 1, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(stance, { minLength: 3, maxLength: 3 }), calls, async (stances, tries) => {
      const door = createDoor();
      const sessions = stances.map((one, number) => sessionOf(door, number, one));
      /** Every token handed out: what for, and whether it may still work. */
      const tokens: { token: string; key: string; fresh: boolean; expiresAt: number }[] = [];
      for (const one of tries.flat()) {
        if (one.late) await door.clock.advance(CONFIRM_TTL_MS);
        const session = sessions[one.session] as RunSession;
        const { posture } = session;
        const held = typeof one.token === 'number' ? tokens.at(-1 - one.token) : undefined;
        const presented = one.token === 'invented' ? `ctok_${'0'.repeat(32)}` : held?.token;
        asked.length = door.executed.length = door.audited.length = 0;
        const call = callOf(session, one);
        const outcome = await outcomeOf(
          door.runner.run(presented === undefined ? call : { ...call, confirmToken: presented }, never),
        );

        const place = one.sessionless ? [posture.toolMode, posture.dirScope] : posture.sessionId;
        const key = canonicalJson([place, one.tool, scrubControlKeys(one.params)]);
        const answersThis = held?.fresh === true && held.key === key && held.expiresAt > door.clock.now();
        if (asked.length > 0 && held) held.fresh = false;
        if (outcome.kind === 'needs_confirmation') {
          tokens.push({
            token: outcome.confirmToken,
            key,
            fresh: true,
            expiresAt: door.clock.now() + CONFIRM_TTL_MS,
          });
        }

        if (outcome.kind === 'refused') seen.refused += 1;
        else if (outcome.kind === 'needs_confirmation') seen.asked += 1;
        if (door.executed.length === 0) {
          if (outcome.kind === 'result') seen.denied += 1;
          continue;
        }
        // It was run: once, as it was asked for, after every gate was asked about just this.
        seen.executed += 1;
        const [ran] = door.executed;
        expect(door.executed).toHaveLength(1);
        expect(ran?.tool).toBe(one.tool);
        expect(asked.map(({ gate }) => gate)).toEqual(plainGates.map(([gate]) => gate));
        const params = JSON.parse(ran?.params as string) as JsonObject;
        const reach = catalogue.find(({ name }) => name === one.tool)?.reach(params);
        for (const { question } of asked) {
          expect([question.tool, question.command]).toEqual([one.tool, reach?.command]);
          const judged = question.paths.map(({ path, access }) => `${access} ${path}`);
          for (const { path, access, glob } of reach?.paths ?? [])
            if (!glob) expect(judged).toContain(`${access} ${path}`);
        }
        expect(door.audited.map(({ tool, verdict }) => [tool, verdict])).toEqual([[one.tool, 'allow']]);
        expect(JSON.stringify(door.audited[0]?.params)).toBe(ran?.params);
        // And each of them allowed it, or somebody who could had confirmed it.
        expect(asked.filter(({ verdict }) => verdict.kind === 'deny')).toEqual([]);
        if (asked.some(({ verdict }) => verdict.kind === 'confirm')) {
          seen.confirmed += 1;
          expect([posture.headless, one.confirm, answersThis]).toEqual([false, true, true]);
        }
      }
    }),
    { numRuns: 100 },
  );
  // The property would hold of a door that never opens, too.
  for (const [what, times] of Object.entries(seen)) expect([what, times > 5]).toEqual([what, true]);
}, 60_000);

test('control keys at the top of params are not even read, and a call with them is the call without', async () => {
  const explode = (): never => {
    throw new Error('a control key was read');
  };
  const names = fc.uniqueArray(
    fc.oneof(
      fc.constantFrom('confirmed', '_confirmed', '_confirm_token', '_allow_mutations', '__proto__', '_'),
      fc.string({ maxLength: 4 }).map((text) => `_${text}`),
    ),
    { minLength: 1, maxLength: 4 },
  );
  const uncontrolled = tried.filter(({ params }) => !Object.keys(params).some((key) => /^(_|confirmed$)/.test(key)));
  await fc.assert(
    fc.asyncProperty(stance, uncontrolled, names, async (how, one, keys) => {
      const through = async (params: JsonObject) => {
        const door = createDoor();
        asked.length = 0;
        const session = sessionOf(door, 0, how);
        const outcome = await outcomeOf(door.runner.run(callOf(session, { ...one, params }), never));
        const judged = asked.map(({ gate, question, verdict }) => [
          gate,
          verdict,
          question.paths,
          question.command,
          question.mutates,
        ]);
        return { outcome, judged, executed: door.executed, audited: door.audited };
      };
      const armed: JsonObject = {};
      for (const key of keys) Object.defineProperty(armed, key, { enumerable: true, get: explode });
      for (const [key, value] of Object.entries(one.params)) armed[key] = value;
      expect(await through(armed)).toEqual(await through(one.params));
    }),
    { numRuns: 100 },
  );
}, 60_000);
