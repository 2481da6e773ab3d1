/** The change token operations: a reading as a body, frames as events. */
import type { Frame } from '../../domain/change-tokens.js';
import type { ChangeFeed } from '../../services/change-feed.js';
import type { Handlers, SseEvent } from '../operation.js';
import { changeTokens } from '../views.js';

export const changeHandlers = ({
  feed,
}: {
  readonly feed: ChangeFeed;
}): Pick<Handlers, 'getChanges' | 'streamChanges'> => ({
  getChanges: async (_input, { scope }) => ({ status: 200, body: changeTokens(await feed.read(scope)) }),

  streamChanges: (_input, { scope, signal }) => ({ status: 200, events: eventsOf(feed.follow(scope, signal)) }),
});

async function* eventsOf(frames: AsyncIterable<Frame>): AsyncGenerator<SseEvent> {
  for await (const frame of frames) {
    switch (frame.kind) {
      case 'snapshot':
        yield { event: 'snapshot', data: changeTokens(frame.reading) };
        break;
      case 'changed':
        yield { event: 'changed', data: { topic: frame.topic, token: frame.token } };
        break;
      case 'end':
        yield { event: 'end', data: { reason: frame.reason } };
        break;
    }
  }
}
