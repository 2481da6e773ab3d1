/**
 * `hoody-agentd mcp trust`: shows the entries of a project folder that nobody has acknowledged, and acknowledges those
 * the person wants. A running daemon notices by itself.
 * Invariant: what is acknowledged is the definition that was shown, also when the file changes meanwhile.
 */
import type { Rooms } from '../daemon.js';
import { entryView } from '../domain/redact.js';
import type { EffectiveServer } from '../domain/settings.js';
import { describeEntry, openTerminal, print, printable, type Refuse, remark } from './terminal.js';

export interface TrustRequest {
  /** A real path: acknowledgements are kept by it. */
  readonly cwd: string;
  /** Empty: every entry. */
  readonly names: readonly string[];
  readonly yes: boolean;
}

/** Refuses an unknown name, and questions that nobody is there to answer. */
export const trust = async ({ reader, trust: store }: Rooms, request: TrustRequest, refuse: Refuse): Promise<void> => {
  const scope = { cwd: request.cwd, configDir: null };
  const settings = await reader.read(scope);
  const own = settings.servers.filter(({ scope: layer }) => layer !== 'user');
  const unknown = request.names.filter((name) => !own.some(({ entry }) => entry.name === name));
  if (unknown.length > 0) {
    settings.warnings.map(printable).forEach(remark);
    refuse(`${request.cwd} has no entry ${unknown.map(printable).join(', ')}`);
  }
  const waiting = own.filter(
    ({ trusted, entry }) => !trusted && (request.names.length === 0 || request.names.includes(entry.name)),
  );
  const chosen = request.yes ? waiting : await choose(waiting, refuse);
  if (request.yes) for (const server of waiting) remark(describe(server));
  for (const { path, entry, digest } of chosen) await store.add(path, entry.name, digest);

  if (waiting.length === 0) print(`Nothing to acknowledge in ${printable(request.cwd)}.`);
  else print(`Acknowledged: ${chosen.map(({ entry }) => entry.name).join(', ') || 'nothing'}.`);
  const { warnings } = await reader.read(scope);
  warnings.map(printable).forEach(remark);
};

const describe = ({ entry, scope }: EffectiveServer): string => describeEntry(entryView(entry), scope);

/** Asks about one after the other. Who leaves before the end has acknowledged nothing. */
const choose = async (waiting: readonly EffectiveServer[], refuse: Refuse): Promise<readonly EffectiveServer[]> => {
  if (waiting.length === 0) return [];
  const terminal = openTerminal();
  if (terminal === undefined) {
    for (const server of waiting) remark(describe(server));
    return refuse('nobody is here to be asked; run this on a terminal, or say --yes');
  }
  try {
    const chosen: EffectiveServer[] = [];
    for (const [index, server] of waiting.entries()) {
      remark(describe(server));
      const answer = await terminal.ask('May sessions in this folder start it? [y]es, [N]o, [a]ll: ');
      if (answer === undefined) return [];
      if (answer === 'a' || answer === 'all') return [...chosen, ...waiting.slice(index)];
      if (answer === 'y' || answer === 'yes') chosen.push(server);
    }
    return chosen;
  } finally {
    terminal.close();
  }
};
