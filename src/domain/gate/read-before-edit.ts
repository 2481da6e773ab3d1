/**
 * Read before edit: an existing file may be changed only by a session that has read it, and only while it is what was
 * read. A sessionless run has no memory of reading, so it asks. Shell lines are judged by the other gates: what they
 * change cannot be told from their words.
 */
import { ALLOW, confirm, deny, type Gate } from './verdict.js';

export const readBeforeEditGate: Gate = ({ paths, command, sessionless, filesRead }) => {
  if (command !== undefined) return ALLOW;
  for (const { path, access, keepsContent, kind, real, stamp } of paths) {
    if (access !== 'write' || keepsContent || kind !== 'file') continue;
    if (sessionless) return confirm(`changes the existing file ${path}`);
    const read = filesRead.stampOf(real);
    if (read === undefined)
      return deny('read_required', `${path} exists and this session has not read it; read it first`);
    if (read !== stamp) return deny('stale_read', `${path} has changed since this session read it; read it again`);
  }
  return ALLOW;
};
