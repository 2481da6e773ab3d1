/**
 * Who may call at all. Two topologies: `local` (one machine; the peer is loopback and no other web page speaks through
 * the user's browser) and `proxy` (the peer is a listed proxy, and the client it names is public).
 * Invariant: the decision rests on the socket's own address. A header can only make it stricter.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { DaemonError } from '../domain/errors.js';

export interface GuardConfig {
  readonly access: 'local' | 'proxy';
  /** Addresses or CIDR blocks; at least one when `access` is `proxy`. */
  readonly trustedProxies: readonly string[];
  /** When set, every request must carry it as a bearer. */
  readonly token: string | undefined;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Block = [Address, number];

/** What the socket alone says. It cannot change while the socket lives, so it is judged once. */
interface Peer {
  readonly address: string;
  readonly admitted: boolean;
}

export class SourceGuard {
  readonly #access: GuardConfig['access'];
  readonly #proxies: readonly Block[];
  readonly #authorization: Buffer | undefined;
  readonly #peers = new WeakMap<Socket, Peer>();

  /** Throws an Error that names the flag for a block that is none, and for a proxy topology without a proxy. */
  constructor(config: GuardConfig) {
    this.#access = config.access;
    this.#proxies = config.trustedProxies.map(parseBlock);
    if (config.access === 'proxy' && this.#proxies.length === 0) {
      throw new Error('--access proxy needs --trusted-proxy: without one nobody could be admitted');
    }
    this.#authorization = config.token === undefined ? undefined : Buffer.from(`Bearer ${config.token}`);
  }

  /** The address the request counts for (limits, log). Throws `forbidden`. */
  admit(request: IncomingMessage): string {
    const peer = this.#peerOf(request.socket);
    if (!peer.admitted) throw new DaemonError('forbidden');
    const address = this.#access === 'local' ? peer.address : this.#forwardedFor(request);
    if (this.#access === 'local') requireOwnPage(request);
    if (this.#authorization !== undefined && !this.#isAuthorized(request)) throw new DaemonError('forbidden');
    return address;
  }

  #peerOf(socket: Socket): Peer {
    let peer = this.#peers.get(socket);
    if (peer === undefined) {
      // A socket that is already gone has no address: it is refused like any stranger.
      const address = parseAddress(socket.remoteAddress ?? '');
      const admitted =
        address !== undefined && (this.#access === 'local' ? address.range() === 'loopback' : this.#isProxy(address));
      peer = { address: address?.toString() ?? '', admitted };
      this.#peers.set(socket, peer);
    }
    return peer;
  }

  /** The right-most entry that is no proxy of ours: further left is what the client itself may have written. */
  #forwardedFor(request: IncomingMessage): string {
    const header = request.headers['x-forwarded-for'];
    const entries = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',');
    for (const entry of entries.toReversed()) {
      const address = parseAddress(withoutPort(entry.trim()));
      if (address === undefined) break;
      if (this.#isProxy(address)) continue;
      if (address.range() !== 'unicast') break;
      return address.toString();
    }
    throw new DaemonError('forbidden');
  }

  #isProxy(address: Address): boolean {
    return this.#proxies.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  }

  #isAuthorized(request: IncomingMessage): boolean {
    const given = Buffer.from((request.headers.authorization ?? '').replace(/^bearer +/i, 'Bearer '), 'latin1');
    const wanted = this.#authorization!;
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}

/**
 * A page of another origin, or one that rebound its name to us, must not reach us through the user's browser:
 * the Host is a loopback name, and an Origin, when there is one, is the very authority the request was sent to.
 */
function requireOwnPage(request: IncomingMessage): void {
  const { host = '', origin, 'sec-fetch-site': site } = request.headers;
  const authority = host.toLowerCase();
  const isOwn =
    isLoopbackAuthority(authority) &&
    (origin === undefined || origin.toLowerCase() === `http://${authority}`) &&
    site !== 'cross-site';
  if (!isOwn) throw new DaemonError('forbidden');
}

/** A loopback name with any port (a forwarded port is another number). A final dot is the same name. */
const LOOPBACK_AUTHORITY = /^(?:localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/;

const isLoopbackAuthority = (authority: string): boolean => LOOPBACK_AUTHORITY.test(authority);

function parseAddress(text: string): Address | undefined {
  // Only the usual spellings: ipaddr.js would also read 0x7f.1 and 2130706433.
  const isUsual = text.includes(':') ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text);
  return isUsual ? ipaddr.process(text) : undefined;
}

/** `1.2.3.4:5678` and `[::1]:80` are written by some proxies. */
function withoutPort(entry: string): string {
  if (entry.startsWith('[')) return entry.slice(1, entry.indexOf(']'));
  const colon = entry.indexOf(':');
  return colon !== -1 && colon === entry.lastIndexOf(':') ? entry.slice(0, colon) : entry;
}

function parseBlock(text: string): Block {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    throw new Error(`--trusted-proxy ${text}: not an address and not a CIDR block`);
  }
}
