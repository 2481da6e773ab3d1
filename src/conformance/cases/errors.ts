/**
 * One case for each documented error of each operation: the request that brings it about, and the answer it must get.
 * The ways that need no more than a request, or a state, are here; those that first make something are in
 * errors-effects.ts and errors-gates.ts, those that fill a limit in errors-load.ts. What a request looks like otherwise
 * is the operation's sample.
 */
import { literalMessages } from '../catalogue.js';
import { type Case, must, mustEqual, NotApplicable } from '../check.js';
import type { Answer } from '../client.js';
import type { Contract, Documented } from '../contract.js';
import { mustAnswer, type Target } from '../target.js';
import { EFFECT_WAYS } from './errors-effects.js';
import { CONFIRMATION_ANSWERED, GATE_WAYS } from './errors-gates.js';
import { LOAD_WAYS } from './errors-load.js';
import { Asked, spoiled, type Way, withHeaders } from './errors-way.js';
import { namesSomething, NOWHERE_PATH, SAMPLES } from './samples.js';

/** A realm beside "global", the only one that the logins of the states know. */
const OTHER_REALM = 'a'.repeat(24);
const inOtherRealm = (asked: Asked) => withHeaders(asked.call(), { 'x-hoody-realm': OTHER_REALM });

const PLAIN_WAYS: Readonly<Record<string, Way>> = {
  bad_request: { tier: 'request', provoke: (asked) => asked.send(spoiled(asked.call())) },
  invalid_realm: {
    tier: 'request',
    provoke: (asked) => asked.send(withHeaders(asked.call(), { 'x-hoody-realm': 'Global' })),
  },
  forbidden: { tier: 'topology', provoke: async (asked) => asked.send(asked.call(), await directTo(asked.target)) },
  payload_too_large: {
    tier: 'load',
    alone: true,
    provoke: async (asked) => {
      const target = await withSmallBodies(asked.target);
      return asked.send({ ...asked.call(), body: ' '.repeat(target.limits.max_body_bytes + 1) }, target);
    },
  },
  internal_error: {
    tier: 'fault',
    provoke: async (asked) => {
      const answer = await asked.send(asked.call(), await asked.target.inState('internal_error'));
      if (answer.status === 500) mustTellNothing(answer, asked.of.value);
      return answer;
    },
  },
  restriction_unknown: {
    tier: 'state',
    provoke: async (asked) => asked.send(asked.call(), await asked.target.inState('restriction_unknown')),
  },
  WORKSPACE_NOT_FOUND: { tier: 'request', provoke: (asked) => asked.send() },
};

/** A realm goes against a route that has none, and against the one a login is pinned to. */
const REALM_REFUSED: Way = { tier: 'request', provoke: (asked) => asked.send(inOtherRealm(asked)) };
const REALM_PINNED: Way = {
  tier: 'state',
  features: ['realms'],
  provoke: async (asked) => asked.send(inOtherRealm(asked), await asked.target.inState('realm_pinned')),
};

/** What is not there: the thing the request names, the install of a run, a realm the login does not serve. */
const THING_MISSING: Way = { tier: 'request', provoke: (asked) => asked.send() };
const INSTALL_MISSING: Way = {
  tier: 'request',
  provoke: (asked) => asked.send(withHeaders(asked.call(), { 'x-hoody-config-dir': NOWHERE_PATH })),
};
const REALM_MISSING: Way = {
  tier: 'state',
  features: ['realms'],
  provoke: async (asked) => asked.send(inOtherRealm(asked), await asked.target.inState('realm_narrow')),
};

/** The older family has twins of these. */
const TWINS: Readonly<Record<string, string>> = {
  BAD_REQUEST: 'bad_request',
  FORBIDDEN: 'forbidden',
  RATE_LIMITED: 'rate_limited',
  INTERNAL_ERROR: 'internal_error',
  SERVICE_UNAVAILABLE: 'service_unavailable',
};

const WAYS: Readonly<Record<string, Way>> = { ...PLAIN_WAYS, ...LOAD_WAYS, ...EFFECT_WAYS, ...GATE_WAYS };

const wayOf = ({ name, operation }: Documented): Way | undefined => {
  const sample = SAMPLES[operation.id];
  if (name === 'realm_scope_unsupported') return operation.scopes.includes('realm') ? REALM_PINNED : REALM_REFUSED;
  if (name === 'not_found' && sample !== undefined) {
    if (namesSomething(sample)) return THING_MISSING;
    return operation.scopes.includes('realm') ? REALM_MISSING : INSTALL_MISSING;
  }
  if (name === 'gate_type_mismatch' && operation.id === 'answerGate') return CONFIRMATION_ANSWERED;
  return WAYS[TWINS[name] ?? name];
};

export const errorCases = (contract: Contract): Case[] =>
  contract.operations
    .flatMap(({ documented }) => documented)
    .filter(({ kind }) => kind === 'error')
    .map(errorCase);

const errorCase = (of: Documented): Case => {
  const way = wayOf(of);
  return {
    id: of.id,
    title: `${of.operation.id} answers ${of.status} ${of.name} to what the contract says it is for`,
    level: 'MUST',
    tier: way?.tier ?? 'request',
    features: way?.features ?? [],
    ...(way?.alone === true && { alone: true }),
    run: async (target) => {
      const sample = SAMPLES[of.operation.id];
      if (sample === undefined) throw new Error(`${of.operation.id} has no row in cases/samples.ts`);
      if (way === undefined) throw new Error(`no file of error cases has a way to bring about ${of.name}`);
      const answer = target.setting.capabilities.mock
        ? await preferred(new Asked(target, of, sample))
        : await way.provoke(new Asked(target, of, sample));
      mustAnswer(answer, of.status, of.name);
      mustSayWhatIsFixed(answer, of.name);
    },
  };
};

/** What a mock is asked for, it answers. */
const preferred = (asked: Asked): Promise<Answer> => {
  const { target, of } = asked;
  return target.client.with({ prefer: { status: of.status, example: of.name } }).call(of.operation.id, asked.call());
};

export const mustSayWhatIsFixed = ({ json }: Answer, code: string): void => {
  const fixed = literalMessages(code);
  const message: unknown = json?.message ?? json?.errors?.[0]?.message;
  must(
    fixed === undefined || fixed.includes(message as string),
    `the message of ${code} is "${String(message)}" in place of "${fixed?.join('" or "')}"`,
  );
};

/** Looks like a path, a frame of a stack or a module. */
const OF_THE_INSIDE = /(?:\/[\w.@-]+){2,}|\bat .+:\d+|node_modules|\.[cm]?[jt]s\b/;

/** The body is the documented one, with nothing beside it, and no header tells more. */
const mustTellNothing = ({ json, headers }: Answer, documented: unknown): void => {
  mustEqual(json, documented, 'the body of an internal error');
  for (const [name, value] of Object.entries(headers)) {
    const isPlain = name === 'content-type' || !OF_THE_INSIDE.test(value ?? '');
    must(isPlain, `the header ${name} of an internal error tells of the inside`);
  }
};

/** The address that bypasses the proxy: of the target itself, or of one that a driver puts behind a proxy. */
export const directTo = async (target: Target): Promise<Target> =>
  target.setting.directUrl === undefined ? (await target.inState('proxied')).direct() : target.direct();

/** A target whose bodies may be small, where there is a driver for it; else the target itself. */
export const withSmallBodies = async (target: Target): Promise<Target> => {
  const small = (await target.inStateIfOffered('small_limits')) ?? target;
  if (small.limits.max_body_bytes === 0) throw new NotApplicable('the target declares no limit of bodies');
  return small;
};
