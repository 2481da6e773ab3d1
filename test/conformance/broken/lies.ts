/**
 * One lie for each case. What the contract documents one by one has a lie by its kind: an error is answered as another
 * documented error, a success lacks what its schema requires, a frame never comes. A rule has a lie of its own where the
 * daemon can be broken in a way a real one might be; where it has none, the daemon answers what the case ended on with
 * another documented answer.
 */
import type { Exchange } from '../../../src/conformance/client.js';
import type { Contract, Documented, Operation } from '../../../src/conformance/contract.js';
import { errorCode } from '../../../src/conformance/contract.js';
import type { Answered, Asked, Lie } from './proxy.js';

/** The lie that a documented answer is checked with. */
export const lieAbout = (documented: Documented): Lie => {
  const { operation, kind, status, name } = documented;
  const isMeant = (answered: Answered, asked: Asked): boolean =>
    asked.operation?.id === operation.id && answered.status === status;
  if (kind === 'frame') {
    return { says: `never sends ${name}`, frame: (frame, event) => (event === name ? undefined : frame) };
  }
  if (kind === 'error') {
    return {
      says: `answers another documented error in place of ${name}`,
      answer: (answered, asked) =>
        isMeant(answered, asked) && answered.code === name ? anotherError(operation, status, name) : undefined,
    };
  }
  if (operation.answers.get(status)?.stream !== undefined) {
    return { says: 'streams without a frame', frame: () => undefined };
  }
  return {
    says: 'leaves out what the schema requires',
    answer: (answered, asked) => {
      if (!isMeant(answered, asked)) return undefined;
      const isJson = String(answered.headers['content-type']).startsWith('application/json');
      return isJson ? { body: Array.isArray(answered.body) ? {} : [] } : { headers: { 'content-type': 'text/plain' } };
    },
  };
};

/** What the edge answers, whatever the operation: `edge/405/method_not_allowed`. */
export const lieAboutTheEdge = (contract: Contract, id: string): Lie | undefined => {
  const [, status, code] = /^edge\/(\d+)\/(\w+)$/.exec(id) ?? [];
  if (status === undefined) return undefined;
  const health = contract.operation('getHealth').documented;
  const other = health.find((each) => each.kind === 'error' && each.name !== code && each.status !== Number(status))!;
  return {
    says: `answers another documented error in place of ${code}`,
    answer: (answered) =>
      answered.status === Number(status) && answered.code === code
        ? { status: other.status, body: other.value, headers: { 'content-type': 'application/json' } }
        : undefined,
  };
};

/** What a case ended on, answered as something else that the contract documents for the same operation. */
export const lieAboutTheEnd = (contract: Contract, last: Exchange): Lie | undefined => {
  if (last.operation === undefined) return undefined;
  const operation = contract.operation(last.operation);
  const code = last.status >= 400 ? errorCode(parsed(last.responseBody)) : undefined;
  return {
    says: `answers ${last.operation} with something else than ${last.status} ${code ?? ''}`.trimEnd(),
    answer: (answered, asked) =>
      asked.operation?.id === operation.id && answered.status === last.status && answered.code === code
        ? anotherAnswer(operation, last.status, code)
        : undefined,
    frame: () => undefined,
  };
};

const anotherAnswer = (operation: Operation, status: number, code: string | undefined): Partial<Answered> => {
  const success = operation.documented.find((each) => each.kind === 'example' && typeof each.value === 'object');
  return status >= 400 && success !== undefined
    ? { status: success.status, body: success.value }
    : anotherError(operation, status, code ?? '');
};

/** The status too, where only one code is documented for it: then the suite cannot tell by the contract alone. */
const anotherError = (operation: Operation, status: number, code: string): Partial<Answered> => {
  const errors = operation.documented.filter((each) => each.kind === 'error' && each.name !== code);
  const other = errors.find((each) => each.status === status) ?? errors.find((each) => each.status !== status)!;
  return { status: other.status, body: other.value, headers: { 'content-type': 'application/json' } };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
