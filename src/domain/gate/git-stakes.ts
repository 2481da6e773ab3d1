/**
 * What a git command line runs besides git: commands out of its configuration, its options, and subcommands that exist to
 * run something. What git itself may destroy are rows of stakes-shapes.ts.
 */
import { beginningOf, firstOf, isFlag, valuesOf, type ShellWord } from './shell-words.js';
import { DELETERS, HARMLESS_GIT_KEY } from './stakes-names.js';

const GIT_RUNS = 'sets a git option that can run something';
const GIT_SETTING = /^[A-Za-z][\w-]*\..+=/s;

/** Keys of the configuration whose value git runs, or that lead it to hooks, programs and settings elsewhere. */
const GIT_RUNNING_KEY =
  /^(alias|pager|filter|credential|include(if)?|protocol|url|guitool|browser|man|uploadpack|receive)\.|\.(\w*(command|cmd|editor|pager|helper|driver|program|external|textconv|fsmonitor|askpass|proxy|browser|filter)|hookspath|templatedir|uploadpack|receivepack|vcs|update|worktree|path|httpd|smtpserver)(=|$)/i;

/** Options that run something, whatever the value, with the subcommands that know them; all of them when there is none. */
const RUNNING_FLAGS: readonly (readonly [flag: string, ...subcommands: string[]])[] = [
  ['--config-env'],
  ['--exec-path'],
  ['--upload-pack'],
  ['--receive-pack'],
  ['--open-files-in-pager', 'grep'],
  ['-O', 'grep'],
  ['-u', 'clone'],
  ['--template', 'clone', 'init'],
  ['--exec', 'push', 'send-pack', 'fetch-pack', 'ls-remote', 'archive', 'clone', 'fetch', 'pull'],
  ['--httpd', 'instaweb'],
  ['--smtp-server', 'send-email'],
  ['--browser', 'web--browse'],
];

/** Options whose value is a command, with the subcommands that know them. */
const COMMAND_FLAGS: readonly (readonly [flags: readonly string[], ...subcommands: string[]])[] = [
  [['-x', '--exec'], 'rebase'],
  [['-x', '--extcmd'], 'difftool'],
  [['--sendmail-cmd', '--to-cmd', '--cc-cmd', '--header-cmd'], 'send-email'],
];

/** Subcommands that do nothing but run a program they are given. */
const RUNNERS = /^(remote-ext|remote-fd|merge-index|for-each-repo|shell)$/;

/** Why a person should look at these arguments of git, or undefined. `inner` judges a script, `judge` a command. */
export const ofGit = (
  args: readonly ShellWord[],
  inner: (word: ShellWord) => string | undefined,
  judge: (words: readonly ShellWord[]) => string | undefined,
): string | undefined => {
  const { options, operands } = beginningOf(args);
  const has = (names: readonly string[]): boolean => args.some(({ text }) => names.includes(text));
  const runs = RUNNING_FLAGS.some(
    ([flag, ...subcommands]) =>
      (subcommands.length === 0 || has(subcommands)) &&
      args.some((word) =>
        subcommands.length === 0 ? word.text.length > '--xx'.length && isFlag(word, flag) : isFlag(word, flag),
      ),
  );
  if (runs || operands.some((at) => args[at] && RUNNERS.test(args[at].text))) return GIT_RUNS;
  const commands = COMMAND_FLAGS.flatMap(([flags, ...subcommands]) => (has(subcommands) ? valuesOf(args, flags) : []));
  if (commands.some(({ text }) => DELETERS.has(text))) return 'deletes what it is given';
  const reason = firstOf(commands, inner);
  if (reason !== undefined) return reason;
  return firstOf([...args.entries()], ([at, word]) => {
    const { text } = word;
    const setting = text.startsWith('--config=') ? text.slice('--config='.length) : args[at + 1]?.text;
    const sets =
      (text === '-c' && options.includes(word)) ||
      (/^(-c|--config|--config=.*)$/.test(text) && setting !== undefined && GIT_SETTING.test(setting));
    if (sets && setting !== undefined && !HARMLESS_GIT_KEY.test(setting)) return GIT_RUNS;
    if (/^(ext|fd)::/.test(text)) return GIT_RUNS;
    if (text === 'config' && args.slice(at + 1).some((key) => GIT_RUNNING_KEY.test(key.text))) return GIT_RUNS;
    if (!(text === 'foreach' && has(['submodule'])) && !(text === 'run' && has(['bisect']))) return undefined;
    const rest = args.slice(at + 1);
    return firstOf(beginningOf(rest).operands, (start) => {
      const words = rest.slice(start);
      return words.length === 1 ? inner(words[0] as ShellWord) : judge(words);
    });
  });
};
