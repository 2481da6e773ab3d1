/** Whether a folder exists, and what it is really called. */
import { realpath, stat } from 'node:fs/promises';
import type { Folders } from '../ports.js';

export const systemFolders: Folders = {
  resolve: async (path) => {
    try {
      const real = await realpath(path);
      return (await stat(real)).isDirectory() ? real : undefined;
    } catch {
      // Missing, not a folder on the way, or not ours to enter: nobody can work there.
      return undefined;
    }
  },
};
