/**
 * Counts which (operation, status, code) pairs of the contract were really provoked: every exchange of a test with a
 * daemon is noted here, and the reporter (closing-line.mjs) sums up what all test files noted.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadContract } from '../src/http/contract.js';
import { Router } from '../src/http/router.js';

const router = new Router(loadContract().operations);
const folder = process.env['CONTRACT_PAIRS_DIR'];
const noted = new Set<string>();

export const notePair = (method: string, target: string, status: number, body: unknown): void => {
  if (folder === undefined) return;
  let operation: string;
  try {
    const found = router.find(method, target.split('?', 1)[0]!).operation;
    operation = `${found.method} ${found.path}`;
  } catch {
    return; // No operation: an edge answer of an unknown path or method.
  }
  const answer = body as { code?: string; errors?: { code: string }[] } | null;
  const code = status < 400 ? '' : (answer?.code ?? answer?.errors?.[0]?.code ?? '?');
  const pair = `${operation} ${status} ${code}`;
  if (noted.has(pair)) return;
  noted.add(pair);
  appendFileSync(join(folder, `${process.pid}.txt`), `${pair}\n`);
};
