/**
 * What the edge of a target answers whatever the operation: paths and methods that are none, bodies that are too large or
 * malformed, callers who come round the proxy, and that a limit lets callers in again. Both path families are asked, each
 * in its own form.
 */
import { type Case, must, NotApplicable, type Tier } from '../check.js';
import type { Answer, CallArguments } from '../client.js';
import { type Contract, type Family, type Operation } from '../contract.js';
import { mustAnswer, type Target } from '../target.js';
import { directTo, mustSayWhatIsFixed, withSmallBodies } from './errors.js';
import {
  crowd,
  fillStreams,
  limited,
  mustSayWhen,
  refused,
  seconds,
  withFewAtOnce,
  withFewStreams,
  withSmallRate,
} from './errors-load.js';
import { spoiled, withHeaders } from './errors-way.js';
import { MISSING, SAMPLES } from './samples.js';

/** What each family calls the same thing, and an operation of it that needs nothing. */
const FAMILIES: readonly { family: Family; spelt: (code: string) => string; any: string; nowhere: string }[] = [
  { family: 'agent', spelt: (code) => code, any: 'getChanges', nowhere: '/api/v1/agent/no/such/path' },
  {
    family: 'workspaces',
    spelt: (code) => code.toUpperCase(),
    any: 'listWorkspaceTools',
    nowhere: '/api/v1/workspaces/ws_x/no/such/path',
  },
];

const METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'];
/** A public address, such as a proxy would pass on. */
const SOMEBODY = '8.8.8.8';
const SPOOFED: readonly Readonly<Record<string, string>>[] = [
  { 'x-forwarded-for': SOMEBODY },
  { forwarded: `for=${SOMEBODY};proto=https` },
  { 'x-real-ip': SOMEBODY },
];
/** Takes any document, in whatever session. */
const WITH_BODY = 'previewMcpImport';

interface More {
  readonly tier?: Tier;
  readonly alone?: boolean;
}

const edgeCase = (id: string, title: string, run: Case['run'], { tier = 'request', alone }: More = {}): Case => ({
  id: `edge/${id}`,
  title,
  level: 'MUST',
  tier,
  features: [],
  ...(alone === true && { alone }),
  // A mock answers for its own edge.
  run: async (target) => {
    if (target.setting.capabilities.mock) throw new NotApplicable('a mock has an edge of its own');
    await run(target);
  },
});

const sampleOf = (id: string): CallArguments => SAMPLES[id]!(MISSING);

const mustRefuse = (answer: Answer, status: number, code: string): void => {
  mustAnswer(answer, status, code);
  mustSayWhatIsFixed(answer, code);
};

export const edgeCases = (contract: Contract): Case[] => [
  ...FAMILIES.flatMap(({ family, spelt, any, nowhere }) => [
    edgeCase(
      `404/${spelt('not_found')}`,
      `a path that is none is 404 in the form of the ${family} family`,
      async (target) => {
        for (const method of METHODS) {
          mustRefuse(await target.client.send(method, nowhere), 404, spelt('not_found'));
        }
      },
    ),
    edgeCase(
      `405/${spelt('method_not_allowed')}`,
      `a path of the ${family} family refuses the methods it has not, and Allow names those it has`,
      async (target) => {
        for (const [path, operations] of byPath(contract, family)) {
          await mustRefuseOthers(target, path, operations, spelt('method_not_allowed'));
        }
      },
    ),
    edgeCase(
      `403/${spelt('forbidden')}`,
      `no header lets a caller of the ${family} family in who comes round the proxy`,
      async (target) => {
        const direct = await directTo(target);
        for (const headers of SPOOFED) {
          mustRefuse(await direct.call(any, withHeaders(sampleOf(any), headers)), 403, spelt('forbidden'));
        }
      },
      { tier: 'topology' },
    ),
    edgeCase(
      `429/${spelt('rate_limited')}`,
      `who waits as long as Retry-After says is let in again by the ${family} family`,
      async (target) => {
        const slow = await withSmallRate(target);
        const answer = await limited(slow, () => slow.call(any, sampleOf(any)));
        mustAnswer(answer, 429, spelt('rate_limited'));
        await seconds(Number(mustSayWhen(answer)));
        const { status } = await slow.call(any, sampleOf(any));
        must(status !== 429, 'after the wait the request is refused again');
      },
      { tier: 'load', alone: true },
    ),
    edgeCase(
      `503/${spelt('service_unavailable')}`,
      `a place that comes free is given to the next caller of the ${family} family`,
      async (target) => {
        const small = await withFewAtOnce(target);
        const leave = crowd(small);
        try {
          mustRefuse(await refused(() => small.call(any, spoiled(sampleOf(any)))), 503, spelt('service_unavailable'));
        } finally {
          await leave();
        }
        mustAnswer(await small.call(any, spoiled(sampleOf(any))), 400, spelt('bad_request'));
      },
      { tier: 'load', alone: true },
    ),
  ]),

  edgeCase(
    '503/service_unavailable/streams',
    'a stream that was closed makes room for another',
    async (target) => {
      const small = await withFewStreams(target);
      const streams = await fillStreams(small);
      mustRefuse(await small.call('streamChanges'), 503, 'service_unavailable');
      streams.close();
      await small.until('room for another stream', () => small.stream('streamChanges').catch(() => undefined));
    },
    { tier: 'load', alone: true },
  ),
  edgeCase(
    '413/payload_too_large',
    'one byte over the limit is too large, declared or chunked; the limit itself and one byte less are not',
    async (target) => {
      const small = await withSmallBodies(target);
      const limit = small.limits.max_body_bytes;
      const usual = await small.call(WITH_BODY, sampleOf(WITH_BODY));
      for (const send of [declared, chunked]) {
        mustRefuse(await send(small, WITH_BODY, limit + 1), 413, 'payload_too_large');
        for (const size of [limit, limit - 1]) mustAnswer(await send(small, WITH_BODY, size), usual.status, usual.code);
      }
    },
    { tier: 'load', alone: true },
  ),
  edgeCase(
    '413/PAYLOAD_TOO_LARGE',
    'a body over the limit is too large where none is wanted, in the form of the workspaces family',
    async (target) => {
      const small = await withSmallBodies(target);
      const body = ' '.repeat(small.limits.max_body_bytes + 1);
      const answer = await small.call('listWorkspaceTools', { ...sampleOf('listWorkspaceTools'), body });
      mustRefuse(answer, 413, 'PAYLOAD_TOO_LARGE');
    },
    { tier: 'load', alone: true },
  ),
  edgeCase('400/bad_request', 'a body that is no JSON is refused', async (target) => {
    for (const body of ['{"session_id":', 'session_id=x', '']) {
      const call: CallArguments = { body, headers: { 'content-type': 'application/json' } };
      mustRefuse(await target.call(WITH_BODY, call), 400, 'bad_request');
    }
  }),
  edgeCase('400/BAD_REQUEST', 'a parameter the workspaces family does not have is refused', async (target) => {
    mustRefuse(await target.call('listToolIds', spoiled(sampleOf('listToolIds'))), 400, 'BAD_REQUEST');
  }),
];

const byPath = (contract: Contract, family: Family): Map<string, Operation[]> => {
  const paths = new Map<string, Operation[]>();
  for (const operation of contract.operations.filter((each) => each.family === family)) {
    paths.set(operation.path, [...(paths.get(operation.path) ?? []), operation]);
  }
  return paths;
};

const mustRefuseOthers = async (
  target: Target,
  template: string,
  operations: readonly Operation[],
  code: string,
): Promise<void> => {
  const has = operations.map(({ method }) => method);
  const path = template.replaceAll(/\{.+?\}/g, 'x');
  // A segment of one path may be a parameter of another one.
  const isNone = (method: string): boolean => target.contract.find(method, path) === undefined;
  for (const method of METHODS.filter(isNone)) {
    const answer = await target.client.send(method, path);
    mustRefuse(answer, 405, code);
    const allowed = (answer.headers['allow'] ?? '').split(',').map((each) => each.trim().toUpperCase());
    for (const each of has) must(allowed.includes(each), `Allow of ${template} does not name ${each}`);
  }
};

/** The document of the sample, filled with blanks to a size. */
const sized = (id: string, size: number): string => JSON.stringify(sampleOf(id).body).padEnd(size, ' ');

const declared = (target: Target, id: string, size: number): Promise<Answer> =>
  target.call(id, { body: sized(id, size) });

const chunked = async (target: Target, id: string, size: number): Promise<Answer> => {
  const { method, path } = target.contract.operation(id);
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  const request = target.client.open(method, path, headers);
  const answer = target.client.receive(method, path, request);
  request.end(sized(id, size));
  return answer;
};
