/**
 * What a git command line runs besides git: commands out of its configuration, its options, and subcommands that exist to
 * run something. What git itself may destroy are rows of stakes-shapes.ts.
 */
import { beginningOf, firstOf, type ShellWord } from './shell-words.js';
import { HARMLESS_GIT_KEY } from './stakes-names.js';

const GIT_RUNS = 'sets a git option that can run something';
const GIT_SETTING = /^[A-Za-z][\w-]*\..+=/s;
const GIT_RUNNING_KEY =
  /^(alias\.|core\.(\w*command|pager|editor|hookspath|fsmonitor|askpass)|credential\.|filter\.|diff\.\w+\.(command|textconv)|include)/i;

/** Why a person should look at these arguments of git, or undefined. `inner` judges a script, `judge` a command. */
export const ofGit = (
  args: readonly ShellWord[],
  inner: (word: ShellWord) => string | undefined,
  judge: (words: readonly ShellWord[]) => string | undefined,
): string | undefined => {
  const { options } = beginningOf(args);
  const has = (...names: string[]): boolean => args.some(({ text }) => names.includes(text));
  return firstOf([...args.entries()], ([at, word]) => {
    const { text } = word;
    const next = args[at + 1];
    const setting = text.startsWith('--config=') ? text.slice('--config='.length) : next?.text;
    const sets =
      (text === '-c' && options.includes(word)) ||
      (/^(-c|--config|--config=.*)$/.test(text) && setting !== undefined && GIT_SETTING.test(setting));
    if (sets && setting !== undefined && !HARMLESS_GIT_KEY.test(setting)) return GIT_RUNS;
    if (/^--(config-env|exec-path|upload-pack|receive-pack)\b|^ext::/.test(text)) return GIT_RUNS;
    if (text === '-u' && has('clone')) return GIT_RUNS;
    if (text === 'config' && args.slice(at + 1).some((key) => GIT_RUNNING_KEY.test(key.text))) return GIT_RUNS;
    // Options that take a command, in the next word or glued to it.
    const [, glued] =
      (/^--(?:exec?|extcmd|open-files-in-pager|sendmail-cmd)=(.*)$/s.exec(text) ??
        (has('rebase', 'difftool') && /^-x(.+)$/s.exec(text))) ||
      (has('grep') && /^-O(.+)$/s.exec(text)) ||
      [];
    if (glued !== undefined) return inner({ ...word, text: glued });
    if (/^(-x|--exec?|--extcmd|--sendmail-cmd)$/.test(text)) return next && inner(next);
    if (!(text === 'foreach' && has('submodule')) && !(text === 'run' && has('bisect'))) return undefined;
    const rest = args.slice(at + 1);
    return firstOf(beginningOf(rest).operands, (start) => {
      const words = rest.slice(start);
      return words.length === 1 ? inner(words[0] as ShellWord) : judge(words);
    });
  });
};
