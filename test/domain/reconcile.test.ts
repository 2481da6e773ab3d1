import { describe, expect, test } from '@jest/globals';
import type { RevokedReason } from '../../src/domain/connection.js';
import { planReconcile, type HeldBuild, type ReconcilePlan } from '../../src/domain/reconcile.js';
import type { LayerName, ServerEntry } from '../../src/domain/server-entry.js';
import { readLayer, resolveSettings, type EffectiveServer, type EffectiveSettings } from '../../src/domain/settings.js';

const HELD = ['none', 'usable', 'deleted', 'disabled', 'repointed', 'layer_unreadable', 'untrusted'] as const;
const WANTED = ['absent', 'same', 'other', 'disabled', 'disabled other', 'untrusted', 'untrusted other'] as const;
/** `own`: the layer the build came from is broken; `another`: one that had nothing to do with it. */
const READING = ['clean', 'own', 'another'] as const;

type Held = (typeof HELD)[number];
type Wanted = (typeof WANTED)[number];
type Reading = (typeof READING)[number];

const NAME = 'srv';
const nothing = resolveSettings(
  [readLayer({ layer: 'user', path: '/u' }, { path: '/u', state: 'missing', value: {} })],
  () => true,
);

const server = (wanted: Wanted, name = NAME): EffectiveServer => {
  const entry: ServerEntry = {
    name,
    transport: 'stdio',
    command: wanted.endsWith('other') ? 'other' : 'same',
    args: [],
    env: new Map(),
    headers: new Map(),
    requireConfirmation: false,
    enabled: !wanted.startsWith('disabled'),
  };
  return { entry, raw: {}, scope: 'user', path: '/u', digest: '', trusted: !wanted.startsWith('untrusted') };
};

const held = (state: Held, name = NAME): HeldBuild[] => {
  if (state === 'none') return [];
  const build: HeldBuild = { name, identity: 'same', scope: 'project' };
  return [state === 'usable' ? build : { ...build, revoked: state }];
};

const settings = (servers: readonly EffectiveServer[], reading: Reading): EffectiveSettings => {
  const brokenLayers: LayerName[] = reading === 'clean' ? [] : [reading === 'own' ? 'project' : 'local'];
  return { ...nothing, servers, partial: reading !== 'clean', brokenLayers };
};

const plan = (state: Held, wanted: Wanted, reading: Reading): ReconcilePlan =>
  planReconcile(
    held(state),
    settings(wanted === 'absent' ? [] : [server(wanted)], reading),
    ({ entry }) => entry.command ?? '',
  );

/** A plan for one name in words, for example "revoke deleted" or "revoke repointed, connect". */
const words = ({ revoke, reinstate, connect, keep, forget }: ReconcilePlan): string =>
  [
    ...revoke.map(({ reason }) => `revoke ${reason}`),
    ...reinstate.map(() => 'reinstate'),
    ...keep.map(() => 'keep'),
    ...forget.map(() => 'forget'),
    ...connect.map(() => 'connect'),
  ].join(', ') || 'nothing';

const combinations = HELD.flatMap((state) =>
  WANTED.flatMap((wanted) => READING.map((reading): [Held, Wanted, Reading] => [state, wanted, reading])),
);

const mayRun = (wanted: Wanted): boolean => wanted === 'same' || wanted === 'other';

describe('what holds in every combination of build, wish and reading', () => {
  test(`all ${combinations.length} of them`, () => {
    for (const [state, wanted, reading] of combinations) {
      const { revoke, reinstate, connect, keep, forget } = plan(state, wanted, reading);
      const what = `${state}, ${wanted}, ${reading}`;
      const clean = reading === 'clean';
      const isRevoked = state !== 'none' && state !== 'usable';
      const same = wanted === 'same';
      const cutOff = revoke.length > 0;

      // One decision for one build, and none without one.
      expect([
        what,
        revoke.length + reinstate.length + keep.length + forget.length <= (state === 'none' ? 0 : 1),
      ]).toEqual([what, true]);
      // Fails closed: a usable build is kept exactly when it is wanted as it is.
      expect([what, keep.length === 1]).toEqual([what, state === 'usable' && same]);
      expect([what, state === 'usable' && !same && !cutOff]).toEqual([what, false]);
      // Nothing begins under a partial reading, and nothing is forgotten.
      if (!clean) expect([what, reinstate, connect, forget]).toEqual([what, [], [], []]);
      // Under a clean one the server runs afterwards exactly when it may.
      const runs = keep.length + reinstate.length + connect.length;
      if (clean) expect([what, runs]).toEqual([what, mayRun(wanted) ? 1 : 0]);
      // In place only for the same identity; a child of another identity is never kept beside a new one.
      expect([what, reinstate.length === 1]).toEqual([what, clean && isRevoked && same]);
      if (connect.length > 0 && (state === 'usable' || state === 'layer_unreadable')) {
        expect([what, revoke]).toEqual([what, [{ name: NAME, reason: 'repointed' }]]);
      }
      // Forgotten only when it was shown as revoked before and its entry is gone.
      if (forget.length > 0) expect([what, isRevoked && wanted === 'absent' && clean]).toEqual([what, true]);
    }
  });
});

describe('the reason of a revocation', () => {
  const reasons: Record<Wanted, RevokedReason | undefined> = {
    absent: 'deleted',
    same: undefined,
    other: 'repointed',
    disabled: 'disabled',
    'disabled other': 'disabled',
    untrusted: 'untrusted',
    'untrusted other': 'untrusted',
  };

  test.each(WANTED)('of a usable build whose entry is now: %s', (wanted) => {
    const reason = reasons[wanted];
    const expected = reason === undefined ? 'keep' : `revoke ${reason}`;
    expect(words(plan('usable', wanted, 'another'))).toBe(expected);
    expect(words(plan('usable', wanted, 'clean'))).toBe(wanted === 'other' ? `${expected}, connect` : expected);
    expect(words(plan('usable', wanted, 'own'))).toBe(reason === undefined ? 'keep' : 'revoke layer_unreadable');
  });

  test('what an unreadable layer cut off stays so until its layer speaks again', () => {
    for (const wanted of WANTED)
      expect([wanted, words(plan('layer_unreadable', wanted, 'own'))]).toEqual([wanted, 'nothing']);
    expect(words(plan('layer_unreadable', 'same', 'clean'))).toBe('reinstate');
    expect(words(plan('layer_unreadable', 'absent', 'clean'))).toBe('revoke deleted');
    expect(words(plan('layer_unreadable', 'disabled', 'clean'))).toBe('revoke disabled');
    expect(words(plan('layer_unreadable', 'other', 'clean'))).toBe('revoke repointed, connect');
  });

  test('a final revocation keeps its reason, and is forgotten when the entry is gone', () => {
    for (const state of ['deleted', 'disabled', 'repointed', 'untrusted'] as const) {
      expect([state, words(plan(state, 'disabled', 'clean'))]).toEqual([state, 'nothing']);
      expect([state, words(plan(state, 'absent', 'another'))]).toEqual([state, 'nothing']);
      expect([state, words(plan(state, 'absent', 'clean'))]).toEqual([state, 'forget']);
      expect([state, words(plan(state, 'other', 'clean'))]).toEqual([state, 'connect']);
      expect([state, words(plan(state, 'same', 'clean'))]).toEqual([state, 'reinstate']);
    }
  });
});

test('servers do not influence each other', () => {
  const names = combinations
    .filter(([, , reading]) => reading === 'clean')
    .map((combination, index) => ({ combination, name: `s${index}` }));
  const builds = names.flatMap(({ combination: [state], name }) => held(state, name));
  const servers = names.flatMap(({ combination: [, wanted], name }) =>
    wanted === 'absent' ? [] : [server(wanted, name)],
  );
  const all = planReconcile(builds, settings(servers, 'clean'), ({ entry }) => entry.command ?? '');
  for (const { combination, name } of names) {
    const only: ReconcilePlan = {
      revoke: all.revoke.filter((item) => item.name === name),
      reinstate: all.reinstate.filter((item) => item === name),
      connect: all.connect.filter(({ entry }) => entry.name === name),
      keep: all.keep.filter((item) => item === name),
      forget: all.forget.filter((item) => item === name),
    };
    expect([combination, words(only)]).toEqual([combination, words(plan(...combination))]);
  }
});
