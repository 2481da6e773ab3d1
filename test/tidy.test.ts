/**
 * Keeps the layout true: who may import what, what the pure rooms may not know, how files are named and how big they
 * get, and that every requirement the code points at and every test the field reports point at exists. The tables are
 * the architecture, as data.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

/** Room to what it may import: rooms, then packages and `node:` modules. `*` is everything of its kind. */
const ROOMS: Record<string, { rooms: string[]; packages: string[] }> = {
  domain: { rooms: ['domain'], packages: ['node:crypto', 'node:path', 'jsonc-parser', 'picomatch', 'unbash', 'yaml'] },
  'ports.ts': { rooms: ['domain', 'store-ports.ts'], packages: [] },
  'store-ports.ts': { rooms: ['domain'], packages: [] },
  services: { rooms: ['services', 'domain', 'ports.ts'], packages: ['node:crypto', 'node:path', 'node:events'] },
  http: {
    rooms: ['http', 'services', 'domain', 'ports.ts', 'generated'],
    packages: ['node:*', 'ajv', 'ajv-formats', 'ipaddr.js', 'jsonc-parser', 'yaml'],
  },
  mcp: { rooms: ['mcp', 'domain', 'ports.ts'], packages: ['node:*', '@modelcontextprotocol/sdk'] },
  files: {
    rooms: ['files', 'domain', 'ports.ts', 'make-folders.ts'],
    packages: ['node:*', 'jsonc-parser', 'chokidar', 'picomatch'],
  },
  tools: {
    rooms: ['tools', 'domain', 'ports.ts', 'make-folders.ts'],
    packages: ['node:*', 'ajv', 'ajv-formats', 'ignore', 'ipaddr.js', 'picomatch'],
  },
  store: { rooms: ['store', 'domain', 'ports.ts'], packages: ['node:*', 'kysely', 'libsql', 'pg'] },
  'make-folders.ts': { rooms: [], packages: ['node:fs/promises', 'node:path'] },
  'system.ts': { rooms: ['ports.ts', 'domain'], packages: ['node:*', 'pino', 'ulid'] },
  'config.ts': { rooms: [], packages: ['node:os', 'node:path', 'commander', 'ipaddr.js'] },
  'daemon.ts': { rooms: ['*'], packages: ['node:*'] },
  cli: {
    rooms: ['cli', 'config.ts', 'conformance', 'daemon.ts', 'domain', 'ports.ts', 'program.ts'],
    packages: ['node:*', 'commander'],
  },
  // Judges daemons it knows nothing about: no room of this one is open to it.
  conformance: { rooms: ['conformance'], packages: ['node:*', 'ajv', 'ajv-formats', 'picomatch', 'yaml'] },
  'program.ts': { rooms: [], packages: ['node:fs'] },
  'main.ts': { rooms: ['cli', 'config.ts', 'program.ts'], packages: ['commander'] },
};

const roomOf = (name: string): string => name.split('/')[0]!;

interface Import {
  readonly file: string;
  readonly to: string;
}

const IMPORT = /(?:import|export)\s(?:[^'";]*?\sfrom\s)?'([^']+)'|import\('([^']+)'\)/g;
const importsOf = (file: string, text: string): Import[] =>
  [...text.matchAll(IMPORT)].map((match) => ({ file, to: (match[1] ?? match[2])! }));

/** Says why an import breaks the table, or undefined. */
const misplaced = ({ file, to }: Import): string | undefined => {
  const room = ROOMS[roomOf(file)];
  if (!room) return `src/${file} is in no room of the table`;
  if (to.startsWith('.')) {
    const target = relative(src, join(src, file, '..', to));
    const targetRoom = target.startsWith('../generated') ? 'generated' : roomOf(target.replace(/\.js$/, '.ts'));
    const allowed = room.rooms.includes('*') || room.rooms.includes(targetRoom);
    return allowed ? undefined : `src/${file} imports ${targetRoom}, which ${roomOf(file)} may not know`;
  }
  const isNode = to.startsWith('node:') || builtinModules.includes(to);
  const name = isNode
    ? to
    : to
        .split('/')
        .slice(0, to.startsWith('@') ? 2 : 1)
        .join('/');
  const allowed = room.packages.includes(name) || (isNode && room.packages.includes('node:*'));
  return allowed ? undefined : `src/${file} imports ${name}, which ${roomOf(file)} may not know`;
};

const uncommented = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');

/** Code without comments and strings, so that a word in a sentence is no finding. */
const codeOf = (text: string): string => uncommented(text).replace(/'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g, "''");

const FORBIDDEN_IN_DOMAIN = /\b(Promise|async|await|Date|Math\.random|process|setTimeout|setInterval)\b/;
const VAGUE_NAMES = /(^|-)(manager|helper|util|utils|misc|common)(-|\.|$)/;
/** A file that outgrows a screen or six has more than one job. */
const LINES_MAX = 420;

/** Listeners that live as long as what they listen to: a stream and its request, a connection and itself, a call of a fixture. */
const LISTENERS_FOR_LIFE: Record<string, number> = {
  'services/change-feed.ts': 1,
  'mcp/connection.ts': 1,
  'conformance/mcp-server.ts': 2,
};

const EXPORTED_VALUE = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm;

/** How often each word is there. */
const wordsOf = (text: string): Map<string, number> => {
  const words = new Map<string, number>();
  for (const [word] of text.matchAll(/\w+/g)) words.set(word, (words.get(word) ?? 0) + 1);
  return words;
};

describe('the layout', () => {
  test('has every import allowed by the table', () => {
    const found = files.flatMap((file) => importsOf(file, readFileSync(join(src, file), 'utf8')).map(misplaced));
    expect(found.filter((finding) => finding !== undefined)).toEqual([]);
  });

  test.each([
    ['domain/gate/chain.ts', 'node:fs'],
    ['domain/settings.ts', '../http/errors.js'],
    ['services/sessions.ts', 'node:fs/promises'],
    ['http/app.ts', '../mcp/connector.js'],
    ['mcp/connector.ts', '../services/server-pool.js'],
    ['main.ts', './services/sessions.js'],
    ['cupboard/thing.ts', 'node:fs'],
  ])('would find %s importing %s', (file, to) => {
    expect(misplaced({ file, to })).toBeDefined();
  });

  test('keeps time, chance, waiting and the process out of the domain', () => {
    const found = files
      .filter((file) => roomOf(file) === 'domain')
      .filter((file) => FORBIDDEN_IN_DOMAIN.test(codeOf(readFileSync(join(src, file), 'utf8'))));
    expect(found).toEqual([]);
  });

  test('names files for what they hold', () => {
    expect(files.filter((file) => VAGUE_NAMES.test(basename(file)) || /[A-Z_]/.test(file))).toEqual([]);
  });

  test('opens every file with what it is for', () => {
    const silent = files.filter((file) => !/^(#!.*\n)?\/\*\*/.test(readFileSync(join(src, file), 'utf8')));
    expect(silent).toEqual([]);
  });

  test('keeps files small', () => {
    const long = files.filter((file) => readFileSync(join(src, file), 'utf8').split('\n').length > LINES_MAX);
    expect(long).toEqual([]);
  });

  test('takes every listener back from a signal that outlives what listens', () => {
    const times = (text: string, word: string): number => text.split(word).length - 1;
    const found = files.filter((file) => {
      const text = readFileSync(join(src, file), 'utf8');
      const kept = times(text, "addEventListener('abort'") - times(text, "removeEventListener('abort'");
      return kept > (LISTENERS_FOR_LIFE[file] ?? 0) || codeOf(text).includes('AbortSignal.any(');
    });
    expect(found).toEqual([]);
  });

  test('exports no value that nobody takes, and has none that only tests use', () => {
    const elsewhere = ['test', 'scripts'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => wordsOf(readFileSync(join(root, folder, name), 'utf8'))),
    );
    const words = new Map(files.map((file) => [file, wordsOf(uncommented(readFileSync(join(src, file), 'utf8')))]));
    const found = files.flatMap((file) =>
      [...readFileSync(join(src, file), 'utf8').matchAll(EXPORTED_VALUE)].flatMap(([, name]) => {
        if (files.some((other) => other !== file && words.get(other)!.has(name!))) return [];
        const isUsedHere = words.get(file)!.get(name!)! > 1;
        const isTested = elsewhere.some((some) => some.has(name!));
        return isUsedHere && isTested ? [] : [`${file}: ${name} is ${isUsedHere ? 'exported for nobody' : 'not used'}`];
      }),
    );
    expect(found).toEqual([]);
  });

  const requirements = parse(readFileSync(join(root, 'openapi/requirements.yaml'), 'utf8')) as { id: string }[];
  const known = new Set(requirements.map(({ id }) => id));

  test('points only at requirements that exist', () => {
    const named = files.flatMap((file) =>
      [...readFileSync(join(src, file), 'utf8').matchAll(/Requires: ([\w.-]+)/g)].map(([, id]) => `${file}: ${id}`),
    );
    expect(named.filter((pointer) => !known.has(pointer.split(': ')[1]!.replace(/\.$/, '')))).toEqual([]);
  });

  test('has the tests and rules that the field reports name, for every report', () => {
    const reports = readFileSync(join(root, 'test/field-reports.md'), 'utf8').split('\n');
    const answers = reports.filter((line) => line.startsWith('- ')).map((line) => [...line.matchAll(/`([^`]+)`/g)]);
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.filter((answer) => answer.length === 0)).toEqual([]);
    const isThere = (answer: string): boolean => {
      const [file, ...name] = answer.split(': ');
      if (name.length === 0) return known.has(answer);
      const path = join(root, file!);
      return existsSync(path) && readFileSync(path, 'utf8').includes(`'${name.join(': ')}'`);
    };
    expect(answers.flatMap((answer) => answer.map(([, text]) => text!)).filter((text) => !isThere(text))).toEqual([]);
  });

  test('reads no environment variable outside the composition and the configuration', () => {
    const readers = files.filter((file) => /process\.env/.test(codeOf(readFileSync(join(src, file), 'utf8'))));
    // The option that names a variable is no configuration; and the server of the suite tells what a target gave it.
    const others = ['cli/conformance.ts', 'conformance/mcp-stdio.ts'];
    expect(readers.toSorted()).toEqual([...others, 'config.ts', 'daemon.ts'].toSorted());
  });
});
