/**
 * The connections of the suite to its targets. A target may answer and close while a request is still being sent (413 of
 * a body it does not want): the sending breaks then, and Node takes the connection down with it, the answer unread.
 * Invariant: what a target sent before it closed is read, whatever became of the sending.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';

type Connect = (...given: unknown[]) => Duplex;
type Sent = (error?: Error | null) => void;

/**
 * A sending that breaks stays unfinished, and nobody is told. Reading goes on to what was answered and then to the end or
 * the error that the other side has left there, which is what the request hears of.
 */
const readsToItsEnd = (socket: Duplex): Duplex => {
  const quietly =
    (sent: Sent): Sent =>
    (error) => {
      if (!error) sent();
      else if (socket.readableEnded) socket.destroy();
      else socket.once('end', () => socket.destroy());
    };
  const write = socket._write.bind(socket);
  socket._write = (chunk, encoding, sent) => write(chunk, encoding, quietly(sent));
  const writev = socket._writev?.bind(socket);
  if (writev !== undefined) socket._writev = (chunks, sent) => writev(chunks, quietly(sent));
  return socket;
};

/** Node makes an agent's connections through this method, which its types do not name. */
const readingOn = <T extends HttpAgent>(agent: T): T => {
  const own = agent as unknown as { createConnection: Connect };
  const connect = own.createConnection.bind(agent);
  own.createConnection = (...given) => readsToItsEnd(connect(...given));
  return agent;
};

/** More connections than any case opens at a time. */
const SOCKETS_MAX = 512;
const options = { keepAlive: true, maxSockets: SOCKETS_MAX };

export const agents = {
  http: readingOn(new HttpAgent(options)),
  https: readingOn(new HttpsAgent(options)),
};
