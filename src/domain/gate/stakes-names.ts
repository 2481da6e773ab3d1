/**
 * Names of commands, options and variables by what they do to other commands, as data: wrappers, shells, interpreters,
 * what fetches, what takes a command line in an option. The shapes that ask by themselves are in stakes-shapes.ts.
 */

/** Every one of these starts the same: the type of the file system follows a dot. */
export const FORMAT_COMMAND = /^(mkfs|mke2fs|newfs|mkdosfs|mkntfs|mkexfatfs|mkudffs|mkreiserfs)([._]|$)/;

/** Commands that run the command in their arguments, and how many operands of their own come before it. */
export const WRAPPERS: ReadonlyMap<string, number> = new Map<string, number>([
  ...[
    'sudo',
    'doas',
    'pkexec',
    'env',
    'nohup',
    'nice',
    'ionice',
    'time',
    'stdbuf',
    'setsid',
    'xargs',
    'command',
    'builtin',
    'exec',
    'strace',
    'ltrace',
    'unshare',
    'nsenter',
    'setpriv',
    'systemd-run',
    'numactl',
    'watch',
    'script',
    'parallel',
    'busybox',
    'toybox',
    'firejail',
    'proot',
    'fakeroot',
    'dbus-run-session',
    'xvfb-run',
    'unbuffer',
    'rlwrap',
    'winpty',
    'entr',
    'screen',
    'catchsegv',
    'coproc',
    'chpst',
    'caffeinate',
    'gtimeout',
    'choom',
    'prlimit',
    'bwrap',
    'capsh',
    'chronic',
    'cross-env',
    'dumb-init',
    'eatmydata',
    'hyperfine',
    'jobs',
    'nix-shell',
    'proxychains',
    'proxychains4',
    'start-stop-daemon',
    'tini',
    'torsocks',
    // These take their command as one string, often or always.
    'adb',
    'ansible',
    'autossh',
    'chokidar',
    'concurrently',
    'conda',
    'cross-env-shell',
    'distrobox',
    'flatpak',
    'incus',
    'machinectl',
    'nodemon',
    'npm-run-all',
    'onchange',
    'pdsh',
    'pssh',
    'rsh',
    'salt',
    'sbatch',
    'sem',
    'sops',
    'sshpass',
    'tsp',
    'vagrant',
    'watchexec',
    'npx',
    'bunx',
    'wsl',
  ].map((name): [string, number] => [name, 0]),
  ...[
    'tmux',
    'timeout',
    'chroot',
    'flock',
    'ssh',
    'taskset',
    'chrt',
    'su',
    'runuser',
    'runcon',
    'cgexec',
    'setarch',
    'linux64',
    'bundle',
    'faketime',
    'gosu',
    'sg',
    'su-exec',
  ].map((name): [string, number] => [name, 1]),
  // Subcommands such as exec, run or compose exec, and a container, pod or environment.
  ...[
    'docker',
    'podman',
    'nerdctl',
    'kubectl',
    'oc',
    'lxc',
    'docker-compose',
    'npm',
    'pnpm',
    'yarn',
    'uv',
    'poetry',
    'pipenv',
    'direnv',
  ].map((name): [string, number] => [name, 3]),
]);

/** Wrappers that add words of their own to the command, read from elsewhere. */
export const FEEDING_WRAPPERS: ReadonlySet<string> = new Set(['xargs', 'parallel']);

/** Wrappers that can go elsewhere first, by one of these options. */
export const MOVING_WRAPPERS: ReadonlySet<string> = new Set([
  'env',
  'sudo',
  'unshare',
  'nsenter',
  'systemd-run',
  'bwrap',
  'proot',
  'npm',
  'pnpm',
  'yarn',
]);
export const MOVING_OPTIONS = ['-C', '-D', '-w', '--chdir', '--wd', '--wdns', '--working-directory', '--cwd', '--dir'];

/** What deletes, or overwrites so that it is as good as deleted, named by the words behind it. */
export const DELETERS: ReadonlySet<string> = new Set(['rm', 'unlink', 'rimraf', 'shred']);

/**
 * Commands whose arguments are words and never a command, so that one in them is no wrapped one. Of any other program
 * nobody can say that.
 */
export const QUOTING: ReadonlySet<string> = new Set([
  'echo',
  'printf',
  'grep',
  'egrep',
  'fgrep',
  'zgrep',
  'rg',
  'ag',
  'ack',
  'git',
  'man',
  'tldr',
  'help',
  'apropos',
  'whatis',
  'whereis',
  'which',
  'type',
  'hash',
  'alias',
  'unalias',
  'test',
  '[',
  'export',
  'read',
  'set',
  'shift',
  'basename',
  'dirname',
]);

/** Commands that are looked for among the arguments of programs nobody has heard of. */
export const CARRIED: ReadonlySet<string> = new Set([
  ...DELETERS,
  'find',
  'dd',
  'chmod',
  'chown',
  'git',
  'mv',
  'truncate',
]);

/** Wrappers that start a shell when they are given no command. */
export const BARE_SHELLS: ReadonlySet<string> = new Set(['su', 'ssh', 'chroot', 'unshare', 'nsenter', 'script']);

export const SHELLS: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'mksh',
  'ash',
  'fish',
  'csh',
  'tcsh',
  'rbash',
  'yash',
  'bash5',
  'bash-static',
  'hush',
  'ksh93',
  'lksh',
  'oksh',
  'osh',
  'pdksh',
  'static-sh',
]);

/** Interpreters of other languages; a version may follow the name. */
export const OTHER_INTERPRETER =
  /^(python|ipython|pypy|perl|raku|ruby|jruby|node|nodejs|tsx|ts-node|deno|bun|php|lua|luajit|tclsh|wish|expect|osascript|pwsh|powershell|r|rscript|julia|octave|gnuplot|guile|racket|sbcl|clisp|swipl|elixir|erl|ghci|irb|ghc|scala|groovy|jshell|nu|xonsh|elvish|rc)[\d.]*$/;

/** The options of those interpreters that take code. */
export const CODE_FLAGS = ['-c', '-e', '-E', '-p', '--eval', '--print', '-x', '-Command', '-EncodedCommand'];

/** Options that take a command line, which is judged as one. */
export const COMMAND_OPTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['rsync', ['-e', '--rsh', '--rsync-path']],
  ['mosh', ['--ssh', '--server', '--client']],
  ['man', ['-P', '--pager', '-H', '--html']],
  ['rg', ['--pre']],
  ['fzf', ['--preview']],
  ['go', ['-exec', '-toolexec', '-vettool']],
  ['mysql', ['--pager']],
]);

/** Options that take the file of a script in a language that can run commands. */
export const SCRIPT_FILE_OPTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ...['awk', 'gawk', 'mawk', 'nawk', 'sed', 'gsed', 'make', 'gmake'].map((name): [string, string[]] => [name, ['-f']]),
  ...['vi', 'vim', 'nvim', 'ex'].map((name): [string, string[]] => [name, ['-S', '-s', '-u']]),
  ['gdb', ['-x', '--command']],
  ['lldb', ['-s', '--source']],
  ['ssh', ['-F']],
]);

export const FETCHERS: ReadonlySet<string> = new Set([
  'curl',
  'wget',
  'aria2c',
  'axel',
  'fetch',
  'http',
  'https',
  'xh',
  'lynx',
  'links',
  'w3m',
  'ftp',
  'sftp',
  'scp',
  'tftp',
  'nc',
  'ncat',
  'netcat',
  'socat',
]);

/** Variables that make the next program load or run something, or find another place under the same name. */
export const HIJACKING_VARIABLE = new RegExp(
  `^(${[
    'LD_\\w+',
    'DYLD_\\w+',
    'BASH_(ENV|ALIASES|CMDS)',
    'BASH_FUNC_.*',
    'ENV',
    'CDPATH',
    'PROMPT_COMMAND',
    'SHELLOPTS',
    'BASHOPTS',
    'PS4',
    'GIT_(SSH|SSH_COMMAND|SEQUENCE_EDITOR|EXTERNAL_DIFF|EXEC_PATH|PROXY_COMMAND|CONFIG\\w*|DIR|TEMPLATE_DIR)',
    'NODE_OPTIONS',
    'PYTHON(STARTUP|HOME)',
    'PERL5(OPT|LIB|DB)',
    'RUBY(OPT|LIB)',
    'LUA_INIT\\w*',
    '_?JAVA_(TOOL_)?OPTIONS',
    'JDK_JAVA_OPTIONS',
    'MAKEFILES',
    'G?(NU)?MAKEFLAGS',
    'TAR_OPTIONS',
    'VIMINIT',
    'EXINIT',
    'LESSOPEN',
    'LESSCLOSE',
    'npm_config_script_shell',
    // Of any program: what it starts to show, to edit, to ask, to connect, to compile.
    '(\\w+_)?(PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|RSH|SSH|SHELL|WRAPPER)',
    'MANPAGER',
    'SVN_SSH',
  ].join('|')})$`,
);

/** Values of those variables that run nothing of interest: the programs people have there, and nothing. */
export const HARMLESS_VALUE =
  /^(|true|false|none|0|1|cat|:|less( -[A-Za-z]+)?|more|bat|delta|(\/usr)?(\/bin\/)?(ba|z|da|fi)?sh|n?vim?|nano|emacs|code( -w| --wait)?|ccache|sccache|ssh|dev(elopment)?|test|prod(uction)?|staging|local|ci|-j ?\d*|--max[-_]old[-_]space[-_]size=\d+)$/;

/** Builtins whose arguments set variables. */
export const SETTING_BUILTINS: ReadonlySet<string> = new Set([
  'export',
  'declare',
  'typeset',
  'local',
  'readonly',
  'env',
]);

/** Keys of `git -c` that set no command, so nothing runs because of them. */
export const HARMLESS_GIT_KEY =
  /^(user\.(name|email)|color\.\w+|core\.(quotepath|autocrlf|eol|filemode|ignorecase|abbrev|longpaths)|init\.defaultbranch|advice\.\w+|commit\.gpgsign|tag\.gpgsign|log\.\w+|diff\.(renames|algorithm|noprefix|context)|merge\.(ff|conflictstyle)|pull\.(rebase|ff)|safe\.directory|http\.(version|postbuffer))=/i;

/** Builtins that take the name of a variable, and evaluate the index in it. */
export const INDEX_BUILTINS: ReadonlySet<string> = new Set([
  'test',
  '[',
  'let',
  'printf',
  'read',
  'unset',
  'export',
  'declare',
  'typeset',
  'local',
  'readonly',
]);
