/**
 * What a handler is: values in, values out, typed by the contract. The types are obligations: a missing handler, a
 * status the contract does not list or a parameter it does not have does not compile. Nothing here runs.
 */
import type { OperationId, operations } from '../../generated/contract.js';
import type { Scope } from '../domain/session.js';

export type { OperationId };

type Parameters<Op extends keyof operations> = operations[Op]['parameters'];
/** `never` and "may be absent" both become an object without members, so a handler can always look. */
type Slot<T> = [NonNullable<T>] extends [never] ? Record<never, never> : NonNullable<T>;
type BodyOf<T> = T extends { requestBody: { content: { 'application/json': infer Body } } }
  ? Body
  : T extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? Body | undefined
    : undefined;

/** What the caller sent, after it was checked against the contract. */
export interface Input<Op extends keyof operations> {
  readonly path: Slot<Parameters<Op>['path']>;
  readonly query: Slot<Parameters<Op>['query']>;
  readonly body: BodyOf<operations[Op]>;
}

export interface SseEvent {
  readonly event: string;
  readonly data: unknown;
}

export type Headers = Readonly<Record<string, string>>;

export interface JsonReply<Status extends number = number, Body = unknown> {
  readonly status: Status;
  readonly body: Body;
  readonly headers?: Headers;
}

export interface StreamReply {
  readonly status: 200;
  readonly events: AsyncIterable<SseEvent>;
}

export interface TextReply<Status extends number = number, Type extends string = string> {
  readonly status: Status;
  readonly contentType: Type;
  readonly text: string;
  readonly headers?: Headers;
}

export type AnyReply = JsonReply | StreamReply | TextReply;

type ReplyOf<Status extends number, Content> = 'text/event-stream' extends keyof Content
  ? StreamReply
  : Content extends { 'application/json': infer Body }
    ? JsonReply<Status, Body>
    : TextReply<Status, keyof Content & string>;

type Success = 200 | 201 | 202;
type Responses<Op extends keyof operations> = operations[Op]['responses'];

/** A success the contract lists, with its body. Everything else is thrown as a DaemonError. */
export type Reply<Op extends keyof operations> = {
  [Status in keyof Responses<Op> & Success]: Responses<Op>[Status] extends { content: infer Content }
    ? ReplyOf<Status, Content>
    : never;
}[keyof Responses<Op> & Success];

/** What a handler may know beside its input. */
export interface Context {
  readonly scope: Scope;
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
  readonly requestId: string;
  readonly clientAddress: string;
  readonly userAgent: string;
  /** From here the request waits (on a tool, a connect, a person) and no longer counts as being worked on. */
  readonly waiting: () => void;
}

export type Handler<Op extends keyof operations> = (
  input: Input<Op>,
  context: Context,
) => Reply<Op> | Promise<Reply<Op>>;

/** One handler for each operation that is served. */
export type Handlers = { readonly [Op in OperationId]: Handler<Op> };
