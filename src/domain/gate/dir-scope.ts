/**
 * Dir scope: how far from the working directory a call may reach unasked. `home`: inside it everything passes, elsewhere
 * under the home folder reads pass, beyond that nothing does. `full`: reads pass everywhere. It asks; it does not deny.
 */
import { isAbsolute, relative } from 'node:path';
import { ALLOW, confirm, type Gate } from './verdict.js';

/** True for the folder itself and all below it. Both absolute, links followed. Never by string prefix. */
export const isInside = (path: string, folder: string): boolean => {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way));
};

export const dirScopeGate: Gate = ({ paths, cwd, home, dirScope, yolo }) => {
  if (yolo) return ALLOW;
  const outside = paths.find(({ real, access, kept }) => {
    if (kept || isInside(real, cwd)) return false;
    return access === 'write' || (dirScope === 'home' && !isInside(real, home));
  });
  if (!outside) return ALLOW;
  const verb = outside.access === 'write' ? 'writes to' : 'reads';
  return confirm(
    `${verb} ${outside.path}, which is outside the working directory${outside.access === 'read' ? ' and the home folder' : ''}`,
  );
};
