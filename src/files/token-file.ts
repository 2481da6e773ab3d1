/** The bearer token a caller has to send, in a file of its own, so that it is in no process list. */
import { readFile } from 'node:fs/promises';
import { whyUnreadable } from './file-errors.js';

/** The token. Rejects with a sentence for people when the file cannot be read or has none. */
export const readTokenFile = async (path: string): Promise<string> => {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`the token file ${path} cannot be used: ${whyUnreadable(cause)}`, { cause });
  });
  const token = text.trim();
  if (token === '') throw new Error(`the token file ${path} is empty`);
  return token;
};
