/**
 * More shapes: programs that have a language of their own, or an option that carries a piece of one, with what in it runs
 * a command or writes to the system. Each row is judged like those of stakes-shapes.ts.
 */
import type { Shape } from './stakes-shapes.js';

export const LANGUAGE_SHAPES: readonly Shape[] = [
  {
    names: ['find'],
    flags: [['-fprint', '-fprint0', '-fprintf', '-fls']],
    operand: 'system',
    literal: true,
    reason: 'writes to the system',
  },
  {
    names: ['awk', 'gawk', 'mawk', 'nawk', 'sed', 'gsed'],
    operand: /[w>]\s*"?\/(etc|boot|bin|sbin|usr|lib|root)\//,
    literal: true,
    reason: 'writes to the system',
  },
  {
    names: ['vi', 'vim', 'nvim', 'ex'],
    operand: /\bterm(inal)?\s|prg=|\bdelete\(/,
    literal: true,
    reason: 'runs commands from an editor or a pager',
  },
  {
    names: ['sqlite3', 'psql', 'mysql', 'mariadb', 'lftp', 'ftp'],
    operand: /\\!|^\s*\.load\s|\\g\s*\||\b(load_extension|edit|writefile)\(|;\s*!/,
    literal: true,
    input: true,
    reason: 'runs commands from a script of another language',
  },
  { names: ['make', 'gmake'], operand: /\$[({]shell\b/, literal: true, reason: 'runs commands that are in no file' },
  {
    names: ['fzf'],
    operand: /\b(execute|become|reload|transform)[\w-]*[([{:+]/,
    literal: true,
    reason: 'runs a command named in an option',
  },
  { names: ['zip'], operand: /^(-TT|--unzip-command)/, literal: true, reason: 'runs a command named in an option' },
  { names: ['strace'], operand: /^(-o)?[|!]/, literal: true, reason: 'runs a command named in an option' },
  { names: ['nmap'], operand: /\.nse\b|^--script=.*\//, literal: true, reason: 'runs a script of another language' },
  {
    names: ['rpm', 'rpmbuild', 'rpmspec'],
    operand: /%\(|%\{(lua|shell)/,
    literal: true,
    reason: 'runs commands from a script of another language',
  },
  {
    names: ['hg'],
    operand: /^(--config=)?(alias|hooks|extensions|pager|merge-tools|extdiff|ui\.(editor|ssh|merge|pager))\b.*=/,
    literal: true,
    reason: 'runs a command named in an option',
  },
  {
    names: ['cargo'],
    flags: [['--config']],
    operand: /\b(rustc[\w-]*|runner|linker|wrapper|alias)\b.*=/,
    literal: true,
    reason: 'runs a command named in an option',
  },
  {
    names: ['npm', 'pnpm', 'yarn'],
    operand: /^script-shell(=|$)/,
    literal: true,
    reason: 'changes what runs the scripts',
  },
  {
    names: ['rename', 'prename', 'file-rename'],
    operand: /\b(system|exec|unlink)\b|`/,
    literal: true,
    reason: 'runs code of another language',
  },
  { names: ['service', 'rc-service', 'invoke-rc.d'], operand: /^stop$/, literal: true, reason: 'stops a service' },
  { names: ['launchctl'], operand: /^(bootout|unload|remove)$/, literal: true, reason: 'stops a service' },
];
