import { describe, expect, it } from '@jest/globals';
import {
  advance,
  type ConnectionMove,
  type ConnectionState,
  FIRST_ATTEMPT,
  identityOfState,
  RESTART_PAUSES_MS,
  STABLE_AFTER_MS,
} from '../../src/domain/connection.js';

const identity = { protocolVersion: '2025-06-18', serverName: 'x', serverVersion: '1', pid: 7, toolCount: 2 };

const states: Record<ConnectionState['state'], ConnectionState> = {
  connecting: { state: 'connecting', attempt: 2, last: identity },
  connected: { state: 'connected', attempt: 2, since: 1_000, identity },
  dead: { state: 'dead', attempt: 2, error: 'it exited', last: identity, retryAt: 5_000 },
  closed: { state: 'closed', last: identity },
};

const moves: Record<ConnectionMove['move'], ConnectionMove> = {
  opened: { move: 'opened', identity, at: 2_000 },
  listed: { move: 'listed', toolCount: 9 },
  lost: { move: 'lost', error: 'gone', at: 2_000 },
  restart: { move: 'restart' },
  retry: { move: 'retry' },
  close: { move: 'close' },
};

/** The state each legal move leads to; what is not listed changes nothing. */
const legal: Record<ConnectionState['state'], Partial<Record<ConnectionMove['move'], ConnectionState['state']>>> = {
  connecting: { opened: 'connected', lost: 'dead', close: 'closed' },
  connected: { listed: 'connected', lost: 'dead', close: 'closed' },
  dead: { restart: 'connecting', retry: 'connecting', close: 'closed' },
  closed: {},
};

const walk = (from: ConnectionState, ...steps: ConnectionMove[]): ConnectionState =>
  steps.reduce((state, step) => advance(state, step) ?? state, from);

describe('a connection', () => {
  for (const state of Object.values(states)) {
    for (const move of Object.values(moves)) {
      const target = legal[state.state][move.move];
      it(`${state.state} + ${move.move}: ${target ?? 'nothing changes'}`, () => {
        const next = advance(state, move);
        expect(next?.state).toBe(target);
        if (next !== undefined) expect(identityOfState(next)).toBeDefined();
      });
    }
  }

  it('has no identity before it first lived', () => {
    expect(identityOfState(walk(FIRST_ATTEMPT, { move: 'lost', error: 'no such file', at: 0 }))).toBeUndefined();
  });

  it('counts the tools of a list that was read again', () => {
    expect(walk(states.connected, moves.listed)).toMatchObject({ identity: { toolCount: 9, pid: 7 } });
  });

  it('is restarted after pauses that grow from 1 s to 60 s, and after the last of them only when asked', () => {
    let state: ConnectionState = FIRST_ATTEMPT;
    const pauses: number[] = [];
    for (;;) {
      state = walk(state, { move: 'lost', error: 'it exited', at: 100 });
      if (state.state !== 'dead' || state.retryAt === undefined) break;
      pauses.push(state.retryAt - 100);
      state = walk(state, { move: 'restart' });
    }
    expect(pauses).toEqual([1_000, 3_000, 10_000, 30_000, 60_000]);
    expect(advance(state, { move: 'restart' })).toBeUndefined();
    expect(walk(state, { move: 'retry' })).toEqual({ state: 'connecting', attempt: 0 });
  });

  it('goes on counting when it dies soon after a restart, and starts anew after it lived a while', () => {
    const died = (at: number): ConnectionState => walk(states.connected, { move: 'lost', error: 'it exited', at });
    expect(died(1_000 + STABLE_AFTER_MS - 1)).toMatchObject({ attempt: 2 });
    expect(died(1_000 + STABLE_AFTER_MS)).toMatchObject({
      attempt: 0,
      retryAt: 1_000 + STABLE_AFTER_MS + (RESTART_PAUSES_MS[0] ?? 0),
    });
  });
});
