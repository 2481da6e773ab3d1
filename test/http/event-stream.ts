/** Reads an event stream of a test daemon to its end, as a client that looks at every frame. */
import { API, type RequestOptions, type TestDaemon } from '../harness.js';

export interface Frame {
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks at what came, whatever its shape.
  readonly data: any;
}

/** The frames of a stream, heartbeats left out, or the status and body of the answer that came in its place. */
export const readStream = async (
  daemon: TestDaemon,
  path: string,
  { body, headers, signal }: RequestOptions = {},
): Promise<{ status: number; type: string | null; frames: Frame[]; body: Frame['data'] }> => {
  const response = await fetch(daemon.baseUrl + API + path, {
    method: 'POST',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const type = response.headers.get('content-type');
  const text = await response.text();
  if (type !== 'text/event-stream') return { status: response.status, type, frames: [], body: JSON.parse(text) };
  const frames = text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [event, data] = block.split('\n') as [string, string];
      return { event: event.slice('event: '.length), data: JSON.parse(data.slice('data: '.length)) };
    });
  return { status: response.status, type, frames, body: null };
};
