/**
 * The shapes of shell commands that a person should look at before they run, as data. A shape is met when the command
 * has one of the names, the subcommand, one flag of every group and an operand of the class, as far as it names them.
 * Adding one: a row here, and lines in test/fixtures/commands.tsv.
 */
export interface Shape {
  readonly names: readonly string[];
  /** Words that follow, options in between ignored: `git push`, `docker volume rm`. */
  readonly sub?: readonly string[];
  /** Of each group one member is present, in any spelling: clustered, abbreviated, with a value. */
  readonly flags?: readonly (readonly string[])[];
  /**
   * `broad`: much more than one thing of a project. `far`: that, or outside the working directory. `system`: the machine's
   * own files and devices.
   */
  readonly operand?: 'broad' | 'far' | 'system' | RegExp;
  /** The operand also counts when the line gives it to the command on standard input. */
  readonly input?: true;
  /** Only what is written counts; without it a word that is not known yet counts as whatever the shape looks for. */
  readonly literal?: true;
  readonly reason: string;
}

const RECURSIVE = ['-r', '-R', '--recursive'];

export const SHAPES: readonly Shape[] = [
  // Deleting and overwriting.
  { names: ['rm'], flags: [RECURSIVE], operand: 'far', reason: 'deletes a whole tree' },
  { names: ['rm'], operand: 'broad', literal: true, reason: 'deletes everything in a folder' },
  { names: ['rm'], flags: [['--no-preserve-root']], literal: true, reason: 'deletes the root folder' },
  { names: ['find'], flags: [['-delete']], operand: 'far', reason: 'deletes what it finds' },
  { names: ['mv'], operand: /^(\/|~|\.\.?|\*|\.\/|\.\.\/|~\/)\/?\*?$/, literal: true, reason: 'moves a whole tree' },
  { names: ['mv'], operand: /^\/dev\/null$/, literal: true, reason: 'throws away what it moves' },
  {
    names: ['mv', 'cp', 'ln', 'install', 'tee', 'truncate', 'sed', 'rsync', 'rm', 'unlink', 'rmdir'],
    operand: 'system',
    literal: true,
    reason: 'writes to the system',
  },
  {
    names: ['rsync'],
    flags: [['--delete', '--delete-after', '--delete-before', '--delete-excluded', '--remove-source-files']],
    operand: 'far',
    reason: 'deletes what the source does not have',
  },
  { names: ['tar'], flags: [['--remove-files']], operand: 'far', reason: 'deletes what it packs' },
  { names: ['zip'], flags: [['-m', '--move']], operand: 'far', reason: 'deletes what it packs' },
  { names: ['shred', 'wipe', 'srm', 'wipefs', 'blkdiscard'], reason: 'destroys data for good' },
  { names: ['dd'], operand: 'system', literal: true, reason: 'writes to the system' },
  { names: ['dd'], operand: /^of=\0/, reason: 'writes to a device' },
  {
    names: [
      'fdisk',
      'sfdisk',
      'gdisk',
      'sgdisk',
      'parted',
      'mkswap',
      'cryptsetup',
      'lvremove',
      'vgremove',
      'pvremove',
      'mdadm',
      'hdparm',
      'nvme',
      'badblocks',
      'cfdisk',
      'dmsetup',
      'lvreduce',
      'pvcreate',
      'vgcreate',
      'debugfs',
    ],
    reason: 'changes disks',
  },
  { names: ['zpool', 'zfs'], sub: ['destroy'], reason: 'destroys a file system' },
  { names: ['btrfs'], sub: ['subvolume', 'delete'], reason: 'destroys a file system' },
  { names: ['rimraf', 'del-cli', 'trash', 'srm'], operand: 'far', reason: 'deletes a whole tree' },
  // Who may do what.
  {
    names: ['chmod', 'chown', 'chgrp', 'setfacl'],
    flags: [RECURSIVE],
    operand: 'broad',
    reason: 'changes permissions of a whole tree',
  },
  {
    names: ['chmod', 'chown', 'chgrp', 'setfacl', 'chattr'],
    operand: 'system',
    literal: true,
    reason: 'changes permissions of the system',
  },
  {
    names: ['chmod'],
    operand: /^([ugoa]*\+[rwxX]*s|0*[2467][0-7]{3}$)/,
    literal: true,
    reason: 'lets a program run as somebody else',
  },
  { names: ['setcap'], reason: 'lets a program run as somebody else' },
  {
    names: [
      'passwd',
      'chpasswd',
      'useradd',
      'adduser',
      'usermod',
      'userdel',
      'deluser',
      'groupadd',
      'groupdel',
      'groupmod',
      'gpasswd',
      'visudo',
      'vipw',
    ],
    reason: 'changes who may log in',
  },
  // The machine.
  { names: ['shutdown', 'reboot', 'halt', 'poweroff', 'telinit', 'kexec'], reason: 'stops the machine' },
  { names: ['init'], operand: /^[0-6sS]$/, literal: true, reason: 'stops the machine' },
  { names: ['systemctl'], sub: ['poweroff'], reason: 'stops the machine' },
  { names: ['systemctl'], sub: ['reboot'], reason: 'stops the machine' },
  { names: ['systemctl'], sub: ['halt'], reason: 'stops the machine' },
  { names: ['systemctl'], sub: ['kexec'], reason: 'stops the machine' },
  { names: ['systemctl'], sub: ['stop'], reason: 'stops a service' },
  { names: ['systemctl'], sub: ['disable'], reason: 'stops a service' },
  { names: ['systemctl'], sub: ['mask'], reason: 'stops a service' },
  { names: ['killall', 'killall5', 'pkill'], reason: 'ends processes by name' },
  { names: ['kill'], operand: /^-1$/, literal: true, reason: 'ends every process' },
  { names: ['crontab', 'at', 'batch'], reason: 'plans commands for later' },
  { names: ['insmod', 'modprobe', 'rmmod'], reason: 'changes the kernel' },
  { names: ['sysctl'], flags: [['-w', '--write', '-p', '--load']], reason: 'changes the kernel' },
  { names: ['mount', 'umount', 'swapoff', 'losetup', 'pivot_root'], operand: /./, reason: 'changes what is mounted' },
  { names: ['iptables', 'ip6tables', 'nft', 'ufw', 'firewall-cmd', 'pfctl'], reason: 'changes the firewall' },
  // Git: what others have, and work that is nowhere else.
  {
    names: ['git'],
    sub: ['push'],
    flags: [['-f', '--force', '--force-with-lease', '--force-if-includes', '--mirror', '--prune', '-d', '--delete']],
    reason: 'rewrites what others have',
  },
  {
    names: ['git-push', 'git-send-pack'],
    flags: [['-f', '--force', '--force-with-lease', '--mirror', '-d', '--delete']],
    reason: 'rewrites what others have',
  },
  { names: ['git'], sub: ['send-pack'], flags: [['-f', '--force', '--mirror']], reason: 'rewrites what others have' },
  { names: ['git'], sub: ['push'], operand: /^[+:]/, reason: 'rewrites what others have' },
  { names: ['git'], sub: ['reset'], flags: [['--hard', '--merge', '--keep']], reason: 'throws away uncommitted work' },
  { names: ['git'], sub: ['clean'], flags: [['-f', '--force']], reason: 'deletes untracked files' },
  {
    names: ['git'],
    sub: ['checkout'],
    flags: [['-f', '--force']],
    literal: true,
    reason: 'throws away uncommitted work',
  },
  { names: ['git'], sub: ['checkout'], operand: 'broad', literal: true, reason: 'throws away uncommitted work' },
  {
    names: ['git'],
    sub: ['switch'],
    flags: [['-f', '--force', '--discard-changes']],
    literal: true,
    reason: 'throws away uncommitted work',
  },
  { names: ['git'], sub: ['restore'], operand: 'broad', literal: true, reason: 'throws away uncommitted work' },
  { names: ['git'], sub: ['rm'], flags: [['-f', '--force']], operand: 'broad', reason: 'throws away uncommitted work' },
  { names: ['git'], sub: ['read-tree'], flags: [['--reset']], reason: 'throws away uncommitted work' },
  { names: ['git'], sub: ['checkout-index'], flags: [['-f', '--force']], reason: 'throws away uncommitted work' },
  { names: ['git'], sub: ['submodule', 'deinit'], flags: [['-f', '--force']], reason: 'throws away uncommitted work' },
  { names: ['git'], sub: ['stash', 'drop'], reason: 'throws away stashed work' },
  { names: ['git'], sub: ['stash', 'clear'], reason: 'throws away stashed work' },
  {
    names: ['git'],
    sub: ['branch'],
    flags: [['-D']],
    literal: true,
    reason: 'deletes a branch that may not be merged',
  },
  {
    names: ['git'],
    sub: ['branch'],
    flags: [
      ['-d', '--delete'],
      ['-f', '--force'],
    ],
    literal: true,
    reason: 'deletes a branch that may not be merged',
  },
  { names: ['git'], sub: ['reflog', 'expire'], reason: 'destroys history' },
  { names: ['git'], sub: ['reflog', 'delete'], reason: 'destroys history' },
  { names: ['git'], sub: ['update-ref'], flags: [['-d', '--stdin']], reason: 'destroys history' },
  { names: ['git'], sub: ['gc'], flags: [['--prune']], literal: true, reason: 'destroys history' },
  { names: ['git'], sub: ['filter-branch'], reason: 'rewrites history' },
  { names: ['git'], sub: ['filter-repo'], reason: 'rewrites history' },
  { names: ['git'], sub: ['worktree', 'remove'], flags: [['-f', '--force']], reason: 'throws away uncommitted work' },
  { names: ['gh'], sub: ['repo', 'delete'], reason: 'deletes a repository' },
  { names: ['gh'], sub: ['release', 'delete'], reason: 'deletes a release' },
  { names: ['gh'], sub: ['secret'], reason: 'changes secrets' },
  // What is published cannot be taken back.
  {
    names: ['npm', 'pnpm', 'yarn', 'cargo', 'poetry', 'flit', 'hatch', 'uv'],
    sub: ['publish'],
    reason: 'publishes a package',
  },
  { names: ['npm', 'pnpm'], sub: ['unpublish'], reason: 'takes back a package' },
  { names: ['npm', 'pnpm'], sub: ['deprecate'], reason: 'changes a published package' },
  { names: ['gem'], sub: ['push'], reason: 'publishes a package' },
  { names: ['twine'], sub: ['upload'], reason: 'publishes a package' },
  // Containers, clusters, clouds, databases.
  {
    names: ['docker', 'podman', 'nerdctl'],
    sub: ['run'],
    flags: [['--privileged']],
    literal: true,
    reason: 'runs a container with the rights of the machine',
  },
  {
    names: ['docker', 'podman', 'nerdctl'],
    sub: ['run'],
    operand: /^(-v|--volume=|--mount=)?(type=bind,.*)?(source=|src=)?\/(:|,|$)/,
    literal: true,
    reason: 'gives a container the whole disk',
  },
  { names: ['docker', 'podman', 'nerdctl'], sub: ['system', 'prune'], reason: 'deletes containers and images' },
  { names: ['docker', 'podman', 'nerdctl'], sub: ['volume', 'rm'], reason: 'deletes volumes' },
  { names: ['docker', 'podman', 'nerdctl'], sub: ['volume', 'prune'], reason: 'deletes volumes' },
  {
    names: ['docker', 'docker-compose', 'podman'],
    sub: ['compose', 'down'],
    flags: [['-v', '--volumes']],
    reason: 'deletes volumes',
  },
  { names: ['docker-compose'], sub: ['down'], flags: [['-v', '--volumes']], reason: 'deletes volumes' },
  { names: ['kubectl', 'oc'], sub: ['delete'], reason: 'deletes from a cluster' },
  { names: ['kubectl', 'oc'], sub: ['drain'], reason: 'empties a node' },
  { names: ['helm'], sub: ['uninstall'], reason: 'deletes from a cluster' },
  { names: ['helm'], sub: ['delete'], reason: 'deletes from a cluster' },
  { names: ['terraform', 'tofu', 'pulumi', 'terragrunt', 'cdk'], sub: ['destroy'], reason: 'destroys infrastructure' },
  {
    names: ['terraform', 'tofu', 'terragrunt'],
    sub: ['apply'],
    flags: [['-auto-approve', '--auto-approve', '-destroy', '--destroy']],
    reason: 'changes infrastructure unasked',
  },
  {
    names: ['aws', 'gcloud', 'az', 'doctl', 'heroku', 'flyctl', 'fly', 'gsutil', 'rclone'],
    operand: /^(delete|destroy|terminate|remove|purge|rm|rb)(-|:|$)|:destroy$/,
    literal: true,
    reason: 'deletes from a cloud',
  },
  { names: ['aws'], sub: ['s3', 'sync'], flags: [['--delete']], reason: 'deletes from a cloud' },
  { names: ['dropdb', 'dropuser'], reason: 'deletes a database' },
  { names: ['mysqladmin'], sub: ['drop'], reason: 'deletes a database' },
  {
    names: ['psql', 'mysql', 'mariadb', 'sqlite3', 'sqlcmd', 'clickhouse-client', 'mongosh', 'mongo', 'cqlsh'],
    operand: /\b(drop|truncate|delete\s+from|deleteMany|dropDatabase|alter\s+user|grant)\b/i,
    input: true,
    reason: 'deletes from a database',
  },
  { names: ['redis-cli'], operand: /^flush(all|db)$/i, reason: 'deletes from a database' },
  // Options that run something, and doors to the outside.
  {
    names: ['sed', 'gsed'],
    operand: /(^|[;{}\n$\d/!IM]\s*)e(\s|$|\\)/,
    literal: true,
    reason: 'runs commands from a script of another language',
  },
  // The flag of a substitution; behind an address its delimiter is no letter, for that may be the address's own end.
  {
    names: ['sed', 'gsed'],
    operand: /(?:^(?:-\w*e|--\w+=)?|[;{}\n]\s*)s([^\s\\])((?!\1)[^\\]|\\.)*\1((?!\1)[^\\]|\\.)*\1[gpiImM\d]*e/s,
    literal: true,
    reason: 'runs commands from a script of another language',
  },
  {
    names: ['sed', 'gsed'],
    operand: /[$\d/!IM]\s*s([^\w\s\\;])((?!\1)[^\\]|\\.)*\1((?!\1)[^\\]|\\.)*\1[gpiImM\d]*e/s,
    literal: true,
    reason: 'runs commands from a script of another language',
  },
  {
    names: ['vi', 'vim', 'nvim', 'view', 'vimdiff', 'gvim', 'ex', 'ed', 'emacs', 'less', 'more', 'man', 'gdb', 'lldb'],
    operand:
      /!|\b(system|shell|call|eval|pipe|py(thon)?[3x]?|lua|perl|ruby|tcl)(do)?\b\s*\(|\b(shell|pipe|script|python|py3?|lua|perl|ruby|tcl|sh)\b\s|^[+:]*(shell|python|sh)$/,
    literal: true,
    input: true,
    reason: 'runs commands from an editor or a pager',
  },
  {
    names: ['emacs'],
    operand: /^--?(eval|execute|funcall|script|load)\b/,
    literal: true,
    reason: 'runs code of an editor',
  },
  {
    names: ['ssh', 'scp', 'sftp', 'rsync', 'mosh', 'sshfs', 'autossh'],
    operand:
      /(Proxy|Local|KnownHosts|RemoteC)[a-z]*Command|PKCS11Provider|SecurityKeyProvider|XAuthLocation|ssh_command/i,
    literal: true,
    input: true,
    reason: 'runs a command named in an option',
  },
  {
    names: ['scp', 'sftp'],
    operand: /^-[346ABCOpqrRTv]*[SD]/,
    literal: true,
    reason: 'runs a command named in an option',
  },
  {
    names: ['zip'],
    flags: [
      ['-T', '--test'],
      ['-TT', '--unzip-command'],
    ],
    reason: 'runs a command named in an option',
  },
  {
    names: ['make', 'gmake'],
    operand: /^(\.?SHELL(FLAGS)?=|--eval|(-f|--file=)?(-$|\/dev\/))/,
    literal: true,
    reason: 'runs commands that are in no file',
  },
  {
    names: [
      'sqlite3',
      'psql',
      'mysql',
      'mariadb',
      'dc',
      'ftp',
      'sftp',
      'lftp',
      'telnet',
      'mail',
      'mailx',
      'm4',
      'gnuplot',
    ],
    operand:
      /^\s*(\.(shell|system)\b|!|~!|\\!|system\s|local\s|\.(once|output|import)\s.*\||\\[gow]+\s*\|)|\bprogram\s+'|\be?syscmd\b/i,
    literal: true,
    input: true,
    reason: 'runs commands from a script of another language',
  },
  {
    names: ['deno', 'bun', 'npx', 'bunx'],
    operand: /^(https?:|git\+|github:)/,
    literal: true,
    reason: 'runs what it fetches from the network',
  },
  {
    names: ['mapfile', 'readarray', 'compgen', 'complete'],
    flags: [['-C']],
    literal: true,
    reason: 'runs commands named in an option',
  },
  { names: ['compgen'], flags: [['-W']], literal: true, reason: 'runs commands named in an option' },
  { names: ['fc'], flags: [['-s', '-e']], literal: true, reason: 'runs a line again' },
  { names: ['hash'], flags: [['-p']], reason: 'changes what a command name means' },
  { names: ['enable'], flags: [['-f']], reason: 'changes what a command name means' },
  {
    names: ['nc', 'ncat', 'netcat'],
    flags: [['-e', '-c', '--exec', '--sh-exec']],
    reason: 'gives a shell to the network',
  },
  { names: ['socat'], operand: /^(exec|system|shell):/i, reason: 'gives a shell to the network' },
  { names: ['history'], flags: [['-c', '-d', '-w']], literal: true, reason: 'removes the history' },
];
