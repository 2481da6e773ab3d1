/**
 * One line of a server's stdout to the messages in it. Lenient where a message can still be understood: unknown members
 * are dropped, text glued in front of a message is skipped, an answer without a usable result becomes an error, so that
 * the call it answers fails at once instead of running into its timeout.
 */
import { ErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject } from '../domain/json.js';

/** Empty when the line is no message: a banner, a log line. */
export const messagesIn = (line: string): JSONRPCMessage[] => {
  const value = parsed(line) ?? parsed(line.slice(Math.max(0, line.indexOf('{"jsonrpc"'))));
  // Protocol version 2025-03-26 allowed batches.
  return (Array.isArray(value) ? value : [value]).flatMap(asMessage);
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asMessage(value: unknown): JSONRPCMessage[] {
  if (!isJsonObject(value) || value.jsonrpc !== '2.0') return [];
  const { id, method, params, result, error } = value;
  const jsonrpc = '2.0';
  if (typeof method === 'string') {
    return [{ jsonrpc, ...(id != null && { id }), method, ...(params != null && { params }) } as JSONRPCMessage];
  }
  if (typeof id !== 'string' && typeof id !== 'number') return [];
  if (isJsonObject(result)) return [{ jsonrpc, id, result }];
  const told = isJsonObject(error) && Number.isSafeInteger(error.code) && typeof error.message === 'string';
  const malformed = { code: ErrorCode.InternalError, message: 'the answer has neither a result nor an error' };
  return [{ jsonrpc, id, error: told ? error : malformed } as JSONRPCMessage];
}
