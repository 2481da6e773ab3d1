/**
 * A run as one JSON document: what every other report is rendered from. Exchanges are kept for the cases that did not
 * pass, redacted and cut; a passed case says what it was and how long it took.
 *
 * Invariant: no credential the operator gave, and no value of a member that carries one, is in the document.
 */
import type { Exchange } from '../client.js';
import type { CaseResult, RunResult } from '../runner.js';
import { Redaction } from './redaction.js';
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

/** `members` are further names whose values are kept out. */
export const documentOf = (
  description: RunDescription,
  { results, leftovers }: RunResult,
  summary: Summary,
  exitCode: number,
  members: readonly string[],
): ReportDocument => {
  const credentials = new Set(results.flatMap(({ exchanges }) => exchanges.flatMap(credentialsOf)));
  const redaction = new Redaction(members, credentials);
  return {
    ...description,
    exit_code: exitCode,
    summary,
    leftovers: leftovers.map((leftover) => redaction.text(leftover)),
    cases: results
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ exchanges, ...rest }) => {
        if (rest.outcome === 'pass' || exchanges.length === 0) return rest;
        const own = redaction.with(
          exchanges.flatMap(({ url, requestBody, responseBody }) => [
            ...redaction.secretsInRequest(url, requestBody ?? ''),
            ...redaction.secretsInAnswer(responseBody),
          ]),
        );
        return {
          ...rest,
          reasons: rest.reasons.map((reason) => own.text(reason)),
          exchanges: exchanges.map((exchange) => exchangeOf(exchange, own)),
        };
      }),
  };
};

/** The whole of what the operator gave, and of `Bearer x` the `x` too. */
const credentialsOf = ({ credentials }: Exchange): string[] =>
  Object.values(credentials).flatMap((value) => [value, value.slice(value.indexOf(' ') + 1)]);

const exchangeOf = (exchange: Exchange, redaction: Redaction): ReportExchange => {
  const { requestBody, credentials } = exchange;
  const given = Object.keys(credentials);
  return {
    request: {
      method: exchange.method,
      url: redaction.url(exchange.url),
      headers: redaction.headers(exchange.requestHeaders, given) as Record<string, string>,
      ...(requestBody === undefined ? {} : { body: cut(redaction.body(requestBody)) }),
    },
    response: {
      status: exchange.status,
      headers: redaction.headers(exchange.responseHeaders, given),
      body: cut(redaction.body(exchange.responseBody)),
    },
    complaints: exchange.complaints.map((complaint) => redaction.text(complaint)),
  };
};

const cut = (text: string): string =>
  text.length > BODY_MAX ? `${text.slice(0, BODY_MAX)}… (${text.length - BODY_MAX} more)` : text;
