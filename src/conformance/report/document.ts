/**
 * A run as one JSON document: what every other report is rendered from. Exchanges are kept for the cases that did not
 * pass, redacted and cut; a passed case says what it was and how long it took.
 *
 * Invariant: no credential the operator gave, and no value of a member that carries one, is in the document.
 */
import type { Exchange } from '../client.js';
import type { CaseResult, RunResult } from '../runner.js';
import type { Summary } from './summary.js';

export interface RunDescription {
  readonly suite: { readonly name: string; readonly version: string };
  readonly contract: { readonly version: string; readonly sha256: string };
  /** The requirement set that was scored: a contract version, or `current`. */
  readonly requirements: string;
  readonly target: { readonly base_url: string; readonly capabilities: unknown };
  readonly seed: number;
  readonly started_at: string;
  readonly ms: number;
}

export interface ReportExchange {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string | undefined>>;
    readonly body: string;
  };
  readonly complaints: readonly string[];
}

export interface ReportCase extends Omit<CaseResult, 'exchanges'> {
  readonly exchanges?: readonly ReportExchange[];
}

export interface ReportDocument extends RunDescription {
  readonly exit_code: number;
  readonly summary: Summary;
  readonly leftovers: readonly string[];
  readonly cases: readonly ReportCase[];
}

/** What is kept of a body: enough to see what it was. */
const BODY_MAX = 4_096;
const MASK = '[redacted]';
const SECRET_HEADERS = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'proxy-authorization',
  'x-hoody-approver-lease',
]);
const SECRET_MEMBERS = new Set(['nonce', 'confirm_token', 'token', 'capability', 'authorization']);
/** Maps whose values are credentials, whatever their keys. */
const SECRET_MAPS = new Set(['env', 'headers']);

/** `secrets` are values of the operator, such as credentials; `members` are further names to mask. */
export const documentOf = (
  description: RunDescription,
  { results, leftovers }: RunResult,
  summary: Summary,
  exitCode: number,
  secrets: readonly string[],
  members: readonly string[],
): ReportDocument => {
  const hide = hiding(secrets);
  const masked = new Set([...SECRET_MEMBERS, ...members]);
  return {
    ...description,
    exit_code: exitCode,
    summary,
    leftovers: leftovers.map(hide),
    cases: results
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ exchanges, reasons, ...rest }) => ({
        ...rest,
        reasons: reasons.map(hide),
        ...(rest.outcome === 'pass' || exchanges.length === 0
          ? {}
          : { exchanges: exchanges.map((exchange) => exchangeOf(exchange, hide, masked)) }),
      })),
  };
};

const exchangeOf = (
  exchange: Exchange,
  hide: (text: string) => string,
  masked: ReadonlySet<string>,
): ReportExchange => {
  const body = (text: string) => cut(hide(withoutSecrets(text, masked)));
  const { requestBody } = exchange;
  return {
    request: {
      method: exchange.method,
      url: hide(maskedQuery(exchange.url, masked)),
      headers: maskedHeaders(exchange.requestHeaders, hide) as Record<string, string>,
      ...(requestBody === undefined ? {} : { body: body(requestBody) }),
    },
    response: {
      status: exchange.status,
      headers: maskedHeaders(exchange.responseHeaders, hide),
      body: body(exchange.responseBody),
    },
    complaints: exchange.complaints.map(hide),
  };
};

/** Tokens may travel in the query too. */
const maskedQuery = (url: string, masked: ReadonlySet<string>): string =>
  url.replaceAll(/([?&])([^=&]+)=[^&]*/g, (pair, mark: string, name: string) =>
    masked.has(name.toLowerCase()) ? `${mark}${name}=${MASK}` : pair,
  );

const hiding =
  (secrets: readonly string[]) =>
  (text: string): string =>
    secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, MASK)), text);

const maskedHeaders = (headers: Readonly<Record<string, string | undefined>>, hide: (text: string) => string) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRET_HEADERS.has(name.toLowerCase()) ? MASK : value === undefined ? value : hide(value),
    ]),
  );

const withoutSecrets = (text: string, masked: ReadonlySet<string>): string => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  return JSON.stringify(maskMembers(value, masked));
};

const maskMembers = (value: unknown, masked: ReadonlySet<string>): unknown => {
  if (Array.isArray(value)) return value.map((item) => maskMembers(item, masked));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (masked.has(name.toLowerCase()) && typeof member === 'string') return [name, MASK];
      if (SECRET_MAPS.has(name) && typeof member === 'object' && member !== null && !Array.isArray(member)) {
        return [name, Object.fromEntries(Object.keys(member).map((key) => [key, MASK]))];
      }
      return [name, maskMembers(member, masked)];
    }),
  );
};

const cut = (text: string): string =>
  text.length > BODY_MAX ? `${text.slice(0, BODY_MAX)}… (${text.length - BODY_MAX} more)` : text;
