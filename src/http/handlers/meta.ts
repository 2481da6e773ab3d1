/**
 * What the daemon says about itself: health, versions, its login, and the contract as documents and as a page.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { LoginSource } from '../../ports.js';
import type { Contract } from '../contract.js';
import { docsPage } from '../docs.js';
import type { Handlers } from '../operation.js';

type MetaHandlers = Pick<
  Handlers,
  'getHealth' | 'getVersion' | 'getAuthStatus' | 'getOpenapiJson' | 'getOpenapiYaml' | 'getDocs'
>;

export interface MetaDeps {
  readonly contract: Contract;
  readonly login: LoginSource;
  /** Where the login comes from. */
  readonly loginSource: 'login_file' | 'local';
  /** Requests need a bearer token of the daemon's own. */
  readonly tokenRequired: boolean;
  readonly program: { readonly name: string; readonly version: string };
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

/** The published document once more, written when the contract was generated. */
const PUBLISHED_YAML = new URL('../../../generated/openapi.yaml', import.meta.url);

/** Counted up with each change of session behaviour a client must know. */
const SESSION_PROTOCOL_VERSION = 1;

export const metaHandlers = (deps: MetaDeps): MetaHandlers => {
  const { contract, login, program } = deps;
  const started = new Date(deps.startedAt).toISOString();
  let yaml: string | undefined;

  return {
    getHealth: (_input, { clientAddress, userAgent }) => {
      const { rss, heapUsed } = process.memoryUsage();
      return {
        status: 200,
        body: {
          status: 'ok',
          service: program.name,
          built: program.version,
          started,
          memory: { rss, heap: heapUsed },
          fds: openFiles(),
          pid: process.pid,
          ip: clientAddress,
          userAgent,
        },
      };
    },

    getVersion: () => ({
      status: 200,
      body: {
        api_version: contract.bundle['info'].version,
        build_version: program.version,
        session_protocol_version: SESSION_PROTOCOL_VERSION,
        pinned_realm: login.current().pinned,
        capabilities: capabilities(contract),
      },
    }),

    getAuthStatus: () => {
      const { accountId, activeRealm, serves, pinned } = login.current();
      return {
        status: 200,
        body: {
          connected: serves !== 'unknown',
          source: deps.loginSource,
          account_id: accountId,
          auth_active: deps.tokenRequired,
          restriction: serves === 'unknown' ? 'unknown' : serves === 'all' ? 'none' : 'realms',
          ...(serves !== 'unknown' && { restricted: serves !== 'all' }),
          ...(typeof serves !== 'string' && { realm_ids: [...serves] }),
          ...(serves === 'unknown' && { restriction_reason: 'the login file could not be read or does not say' }),
          realm: { id: activeRealm, pinned: pinned !== null },
        },
      };
    },

    getOpenapiJson: () => ({ status: 200, body: contract.bundle }),

    getOpenapiYaml: () => ({
      status: 200,
      contentType: 'application/yaml',
      text: (yaml ??= readFileSync(PUBLISHED_YAML, 'utf8')),
    }),

    getDocs: docsPage,
  };
};

/** The areas of the contract, and whether this build serves anything of them. */
function capabilities({ bundle, operations }: Contract) {
  const served = new Set(operations.map(({ tag }) => tag));
  return (bundle['tags'] as { name: string; description: string }[]).map(({ name, description }) => ({
    name,
    supported: served.has(name),
    available: served.has(name),
    description,
  }));
}

/** 0 where the system does not tell. */
function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
