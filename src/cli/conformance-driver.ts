/**
 * `conformance driver`: brings this daemon into the states the suite asks for (see conformance/driver.ts), so that all of
 * it can be judged. Each target is an ordinary daemon, configured by the flags of `serve` and by files in a folder of its
 * own. One state is no configuration: a daemon whose every request fails has a log that refuses to be written.
 *
 * Invariant: when the input ends, every daemon has ended and every folder is gone.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Config, serveCommand } from '../config.js';
import type { StateName, StateReply } from '../conformance/driver.js';
import { type Daemon, startDaemon } from '../daemon.js';
import type { Logger } from '../ports.js';

const ACCOUNT = { account_id: 'conformance', active_realm: 'global', serves: 'all' };
/** Beside the address callers come from, and on this machine all the same. */
const PROXY_ADDRESS = '127.0.0.2';
/** A public address, as the clients of a proxy have them. */
const CLIENT_ADDRESS = '8.8.8.8';
const TIMES_MS = { nonce_ttl_ms: 500, confirm_ttl_ms: 500, reconnect_interval_ms: 500, heartbeat_ms: 200 };
const LIMITS = { max_body_bytes: 2_048, max_streams_per_ip: 2, max_in_flight: 2 };

interface State {
  /** Of `serve`, beside those every daemon here gets. */
  readonly flags?: string;
  readonly login?: Readonly<Record<string, unknown>>;
  readonly limits?: Readonly<Record<string, number>>;
  /** Before the start, in the folder of the daemon. */
  readonly prepare?: (files: Files) => Promise<unknown>;
  readonly proxied?: boolean;
  /** A second daemon, over the same records. */
  readonly shared?: boolean;
  readonly failing?: boolean;
}

interface Files {
  readonly folder: string;
  readonly settings: string;
  readonly login: string;
  readonly work: string;
}

const OFFERED: Readonly<Partial<Record<StateName, State>>> = {
  ordinary: {},
  restriction_unknown: { login: { ...ACCOUNT, serves: 'unknown' } },
  realm_pinned: { login: { ...ACCOUNT, pinned: 'global' } },
  realm_narrow: { login: { ...ACCOUNT, serves: ['global'] } },
  rate_limited: { flags: '--http-rate-limit 1', limits: { rate_limit: 1 } },
  proxied: { flags: `--access proxy --trusted-proxy ${PROXY_ADDRESS}`, proxied: true },
  internal_error: { login: ACCOUNT, failing: true },
  // Whoever may write everything, as root may, still cannot write a folder as a file.
  settings_unwritable: { prepare: ({ settings }) => mkdir(settings, { recursive: true }) },
  short_times: {
    flags:
      `--mcp-nonce-ttl ${TIMES_MS.nonce_ttl_ms}ms --confirm-ttl ${TIMES_MS.confirm_ttl_ms}ms ` +
      `--mcp-reconnect-interval ${TIMES_MS.reconnect_interval_ms}ms --sse-heartbeat ${TIMES_MS.heartbeat_ms}ms`,
    limits: TIMES_MS,
  },
  small_limits: {
    flags:
      `--http-max-body ${LIMITS.max_body_bytes} --http-max-streams-per-ip ${LIMITS.max_streams_per_ip} ` +
      `--http-max-in-flight ${LIMITS.max_in_flight}`,
    limits: LIMITS,
  },
};

/** Only where there is a server that keeps records for several daemons. */
const SHARED: Readonly<Partial<Record<StateName, State>>> = { shared_records: { shared: true } };

/** One daemon, or two, which may be ended and started again over the same files. */
class DrivenDaemon {
  readonly #state: State;
  readonly #store: string | undefined;
  readonly #files: Files;
  #daemon: Daemon | undefined;
  #other: Daemon | undefined;
  #proxy: Server | undefined;

  constructor(state: State, folder: string, store: string | undefined) {
    this.#state = state;
    this.#store = store;
    this.#files = {
      folder,
      settings: join(folder, 'config', 'settings.json'),
      login: join(folder, 'login.json'),
      work: join(folder, 'work'),
    };
  }

  async prepare(): Promise<void> {
    const { login, prepare } = this.#state;
    await mkdir(this.#files.work);
    if (login !== undefined) await writeFile(this.#files.login, JSON.stringify(login));
    await prepare?.(this.#files);
  }

  async start(): Promise<Omit<StateReply, 'handle'>> {
    const { limits = {}, proxied, shared, failing } = this.#state;
    const log = new FullLog();
    this.#daemon = await startDaemon(this.#config('data'), failing === true ? { logger: log } : {});
    if (failing === true) {
      // What there is to say about this login cannot be said, and fails the request that looks at it.
      await writeFile(this.#files.login, 'no JSON');
      log.isFull = true;
    }
    const { baseUrl } = this.#daemon;
    const place = { workdir: this.#files.work, capabilities: { limits: { rate_limit: 0, ...limits } } };
    if (shared === true) {
      this.#other = await startDaemon(this.#config('data-2'));
      return { base_url: baseUrl, other_url: this.#other.baseUrl, ...place };
    }
    if (proxied !== true) return { base_url: baseUrl, ...place };
    this.#proxy = await proxyTo(baseUrl);
    const { port } = this.#proxy.address() as AddressInfo;
    return { base_url: `http://127.0.0.1:${port}`, direct_url: baseUrl, ...place };
  }

  async stop(): Promise<void> {
    this.#proxy?.closeAllConnections();
    this.#proxy?.close();
    await this.#other?.close();
    await this.#daemon?.close();
  }

  #config(dataDir: string): Config {
    const { flags = '', login, shared } = this.#state;
    const plain = `--port 0 --http-rate-limit 0 --log-level error ${flags}`.trim().split(' ');
    const own = ['--data-dir', join(this.#files.folder, dataDir)];
    if (login !== undefined) own.push('--login-file', this.#files.login);
    if (shared === true) own.push('--store', this.#store!);
    return { ...configOf([...plain, ...own]), userSettingsPath: this.#files.settings };
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.#files.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A log that takes what it is told until the disk is full. */
class FullLog implements Logger {
  isFull = false;
  readonly debug = (): void => this.#take();
  readonly info = (): void => this.#take();
  readonly warn = (): void => this.#take();
  readonly error = (): void => undefined;

  #take(): void {
    if (this.isFull) throw new Error('no space left on the device');
  }
}

/** What `serve` makes of flags. */
const configOf = (flags: readonly string[]): Config => {
  let config: Config | undefined;
  serveCommand(async (read) => void (config = read)).parse(flags, { from: 'user' });
  return config!;
};

/** Passes everything on from the address of the proxy, with the client it speaks for. */
const proxyTo = async (baseUrl: string): Promise<Server> => {
  const { hostname, port } = new URL(baseUrl);
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const named = { ...headers, 'x-forwarded-for': CLIENT_ADDRESS };
    const onward = forward(
      { hostname, port, localAddress: PROXY_ADDRESS, method, path: url, headers: named },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

interface Asked {
  readonly id: number;
  readonly do: string;
  readonly state?: string;
  readonly handle?: string;
}

/** The daemons of one run of the suite, by handle. */
class Fleet {
  readonly #daemons = new Map<string, DrivenDaemon>();
  readonly #store: string | undefined;
  readonly #offered: Readonly<Partial<Record<StateName, State>>>;

  constructor(store: string | undefined) {
    this.#store = store;
    this.#offered = store === undefined ? OFFERED : { ...OFFERED, ...SHARED };
  }

  async do(asked: Asked): Promise<object> {
    switch (asked.do) {
      case 'states':
        return { states: Object.keys(this.#offered) };
      case 'setup':
        return this.#setup(asked.state ?? '');
      case 'restart': {
        const daemon = this.#find(asked.handle);
        await daemon.stop();
        return { handle: asked.handle, ...(await daemon.start()) };
      }
      case 'teardown':
        await this.#find(asked.handle).remove();
        this.#daemons.delete(asked.handle!);
        return {};
      default:
        throw new Error(`there is nothing to do called "${asked.do}"`);
    }
  }

  async close(): Promise<void> {
    for (const daemon of this.#daemons.values()) await daemon.remove();
  }

  async #setup(name: string): Promise<object> {
    const state = this.#offered[name as StateName];
    if (state === undefined) throw new Error(`there is no state "${name}"`);
    const folder = await mkdtemp(join(tmpdir(), 'agentd-conformance-'));
    const daemon = new DrivenDaemon(state, folder, this.#store);
    this.#daemons.set(folder, daemon);
    await daemon.prepare();
    return { handle: folder, ...(await daemon.start()) };
  }

  #find(handle: string | undefined): DrivenDaemon {
    const found = this.#daemons.get(handle ?? '');
    if (found === undefined) throw new Error('there is no such handle');
    return found;
  }
}

/**
 * Does what the lines say, one after the other, until there are no more. `store` is an empty PostgreSQL database, for the
 * state in which two daemons share their records.
 */
export const drive = async (
  input: Readable,
  print: (line: string) => void,
  store: string | undefined,
): Promise<void> => {
  const fleet = new Fleet(store);
  for await (const line of createInterface({ input })) {
    const asked = JSON.parse(line) as Asked;
    const reply = await fleet.do(asked).catch(({ message }: Error) => ({ error: { message } }));
    print(JSON.stringify({ id: asked.id, ...reply }));
  }
  await fleet.close();
};
