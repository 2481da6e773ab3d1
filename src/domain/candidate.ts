/**
 * Policy on a server entry before anything of it is started: the transports a session allows, and the deny list on the
 * paths its command line names. A server is not confined, so this keeps honest configurations honest and no more.
 */
import { resolve } from 'node:path';
import { compileDenyList, denyFloor } from './gate/deny-list.js';
import type { ServerEntry } from './server-entry.js';
import type { Posture } from './session.js';
import type { EffectiveSettings } from './settings.js';

/** Places of the daemon that the deny list's floor is made of. */
export interface DaemonPlaces {
  readonly home: string;
  readonly dataDir: string;
  readonly userSettingsPath: string;
}

export interface Refusal {
  /** Of the entry, such as `args.2`. */
  readonly field: string;
  readonly rule: string;
}

type Candidate = Pick<ServerEntry, 'transport' | 'command' | 'args'>;

/** The first field of an entry that the settings of a session refuse, or undefined. */
export type CandidateRule = (
  entry: Candidate,
  settings: Pick<EffectiveSettings, 'mcpTransports' | 'denyList'>,
  posture: Pick<Posture, 'cwd' | 'configDir'>,
) => Refusal | undefined;

export const createCandidateRule = (places: DaemonPlaces): CandidateRule => {
  // A listing asks once for every server of one reading: the list is compiled once for all of them.
  const compiled = new WeakMap<object, (path: string) => boolean>();
  const denyListOf = (settings: { denyList: readonly string[] }, configDir: string | null) => {
    const known = compiled.get(settings);
    if (known) return known;
    const floor = denyFloor({ ...places, configDir });
    const isDenied = compileDenyList({ ...floor, patterns: [...floor.patterns, ...settings.denyList] }, places.home);
    compiled.set(settings, isDenied);
    return isDenied;
  };

  return (entry, settings, posture) => {
    if (!settings.mcpTransports.includes(entry.transport)) {
      return { field: 'type', rule: `mcp_transports does not allow ${entry.transport} servers` };
    }
    const isDenied = denyListOf(settings, posture.configDir);
    const words = [
      ...(entry.command === undefined ? [] : [{ field: 'command', word: entry.command }]),
      ...entry.args.map((word, index) => ({ field: `args.${index}`, word })),
    ];
    const denied = words.find(({ word }) => pathsIn(word, posture.cwd, places.home).some(isDenied));
    return denied && { field: denied.field, rule: 'names a path on the deny list' };
  };
};

/** Every path a word of a command line could mean: itself, and what follows the `=` of an option. */
const pathsIn = (word: string, cwd: string, home: string): string[] => {
  const equals = word.indexOf('=');
  const spellings = equals === -1 ? [word] : [word, word.slice(equals + 1)];
  return spellings
    .map((spelling) => spelling.replace(/^file:\/\//, ''))
    .filter((spelling) => spelling !== '')
    .map((spelling) =>
      spelling === '~' || spelling.startsWith('~/') ? home + spelling.slice(1) : resolve(cwd, spelling),
    );
};
