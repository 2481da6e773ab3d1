/** What this program is called, and which version of it this is. */
import { readFileSync } from 'node:fs';

export const PROGRAM_NAME = 'hoody-agentd';

export const PROGRAM_VERSION = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
