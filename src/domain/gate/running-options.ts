/**
 * Options by which a program runs a command that nobody would look for there, as data: what packs, sorts, edits or
 * captures, and starts something on the way. Options that people use to name a program (`rsync -e`) are in
 * stakes-names.ts, and their value is judged as a command; here the option itself asks.
 */

const TAR = [
  '--checkpoint-action',
  '--to-command',
  '--use-compress-program',
  '-I',
  '--rsh-command',
  '--rmt-command',
  '--info-script',
  '--new-volume-script',
  '-F',
];

export const RUNNING_OPTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ...['tar', 'gtar', 'bsdtar'].map((name): [string, string[]] => [name, TAR]),
  ...['nano', 'rnano', 'pico'].map((name): [string, string[]] => [name, ['-s', '--speller']]),
  ...['npm', 'pnpm', 'yarn'].map((name): [string, string[]] => [name, ['--script-shell', '--node-options']]),
  ['borg', ['--rsh', '--remote-path']],
  ['cpio', ['--rsh-command', '--rmt-command']],
  ['dpkg', ['--pre-invoke', '--post-invoke', '--status-logger']],
  ['gawk', ['-l', '--load']],
  ['gcc', ['-wrapper']],
  ['g++', ['-wrapper']],
  ['cc', ['-wrapper']],
  ['clang', ['-wrapper']],
  ['logrotate', ['-m', '--mail']],
  ['mutt', ['-e', '-F']],
  ['openssl', ['-engine', '-provider-path']],
  ['rclone', ['--password-command']],
  ['restic', ['--password-command']],
  ['sort', ['--compress-program']],
  ['split', ['--filter']],
  ['ssh', ['-I']],
  ['ssh-add', ['-s']],
  ['ssh-keygen', ['-D']],
  ['svn', ['--editor-cmd', '--diff-cmd', '--diff3-cmd', '--config-option', '--config-dir']],
  ['tcpdump', ['-z']],
  ['unison', ['-sshcmd', '-rshcmd', '-merge', '-diff']],
  ['wget', ['--use-askpass']],
]);

/** What is named there every day: packers, and what does nothing. */
export const HARMLESS_RUNNER =
  /^(true|cat|gzip|pigz|p?bzip2|lbzip2|xz|pixz|zstd(mt)?|lz4|lzop|p?lzip|lzma|brotli|compress)( -[A-Za-z0-9-]+=?\d*)*$/;
