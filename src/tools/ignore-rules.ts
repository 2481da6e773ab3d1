/**
 * What `.gitignore` files say about the entries of a tree: those of every folder from the top of its repository down, and
 * the files of the whole repository (git-ignore-files.ts), which are weaker. A rule nearer to an entry beats one farther up,
 * the last one of a file beats those before it, and nothing below an ignored folder comes back. What git has on its index
 * is not asked.
 * Invariant: a rule can only leave something out of a walk; nothing is opened because of one.
 */
import { lstat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { ignoreFilesOf, linesOf, type GitEnvironment, type IsDenied } from './git-ignore-files.js';

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** A rule of a folder as a rule of the folder at the top; undefined for what is no rule. `folder` ends in `/`, or is empty. */
const atTop = (line: string, folder: string): string | undefined => {
  if (line.startsWith('#') || line.trim() === '') return undefined;
  if (folder === '') return line;
  const isNegative = line.startsWith('!');
  const body = isNegative ? line.slice(1) : line;
  const hasPlace = /\/./.test(body.replace(/ +$/, ''));
  const place = `/${folder.replace(/[\\*?[\]!# ]/g, '\\$&')}`;
  return `${isNegative ? '!' : ''}${place}${hasPlace ? body.replace(/^\//, '') : `**/${body}`}`;
};

/**
 * Text that is in the name of every entry that a rule leaves out by itself; empty where any name may be meant, and undefined
 * for a rule that leaves nothing out. What most names lack need not be held against the rules, which takes ten times longer.
 */
const textInName = (pattern: string): string | undefined => {
  if (pattern.startsWith('!')) return undefined;
  const [segment] = /[^/]*$/.exec(pattern.trimEnd().replace(/\/$/, '')) as RegExpExecArray;
  // What stands before the first bracket and behind the last is outside of brackets, however they are matched.
  const outside = [segment, segment.slice(segment.lastIndexOf(']') + 1)].map((text) => text.replace(/\[.*/s, ''));
  const parts = outside.flatMap((text) => text.split(/\\.?|[*?]/));
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '');
};

export class IgnoreRules {
  /** Real path of the folder at the top, which `#rules` are relative to. */
  readonly #top: string;
  readonly #rules: Ignore | undefined;
  readonly #env: GitEnvironment;
  /** One of them is in the name of whatever a rule leaves out by itself. */
  readonly #texts: readonly string[];
  readonly #inNames: RegExp;

  private constructor(top: string, env: GitEnvironment, rules?: Ignore, texts: readonly string[] = []) {
    this.#top = top;
    this.#rules = rules;
    this.#env = env;
    this.#texts = texts;
    this.#inNames = new RegExp(texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'));
  }

  /** The rules that reach a folder (a real path) from above. One that is itself ignored was asked for: nothing reaches it. */
  static async above(folder: string, isDenied: IsDenied, env: GitEnvironment): Promise<IgnoreRules> {
    const way = [folder];
    for (let at = folder; !(await isThere(join(at, '.git'))); way.unshift(at)) {
      if (at === dirname(at)) return new IgnoreRules(folder, env);
      at = dirname(at);
    }
    const top = way[0] as string;
    let rules = new IgnoreRules(top, env);
    if (folder === top) return rules;
    for (const at of way.slice(0, -1)) rules = await rules.within(at, ['.git', '.gitignore'], isDenied);
    return rules.#leavesOut(folder, true) ? new IgnoreRules(folder, env) : rules;
  }

  /** These rules and those of a folder that holds these names. A repository inside another one goes by its own. */
  async within(folder: string, names: readonly string[], isDenied: IsDenied): Promise<IgnoreRules> {
    const isTop = names.includes('.git');
    const files = [
      ...(isTop ? await ignoreFilesOf(folder, this.#env, isDenied) : []),
      ...(names.includes('.gitignore') ? [join(folder, '.gitignore')] : []),
    ];
    if (files.length === 0) return this;
    const top = isTop ? folder : this.#top;
    const place = folder === top ? '' : `${relative(top, folder)}/`;
    const lines = (await Promise.all(files.map((file) => linesOf(file, isDenied)))).flat();
    const patterns = lines.flatMap((line) => atTop(line, place) ?? []);
    const rules = ignore({ ignorecase: false });
    if (!isTop && this.#rules) rules.add(this.#rules);
    rules.add(patterns.map((pattern) => ({ pattern })));
    const texts = new Set([...(isTop ? [] : this.#texts), ...patterns.flatMap((pattern) => textInName(pattern) ?? [])]);
    return new IgnoreRules(top, this.#env, rules, [...texts]);
  }

  /** Whether an entry (a real path below the top) is left out, when its folder is not. */
  ignores(path: string, name: string, isFolder: boolean): boolean {
    return this.#texts.length > 0 && this.#inNames.test(name) && this.#leavesOut(path, isFolder);
  }

  #leavesOut(path: string, isFolder: boolean): boolean {
    if (!this.#rules) return false;
    const below = path.slice(this.#top === '/' ? 1 : this.#top.length + 1);
    return this.#rules.ignores(isFolder ? `${below}/` : below);
  }
}
