/**
 * Write permission: a built-in tool that changes something asks first. In a session yolo or an approval rule answers,
 * sessionless `allow_mutations` does. Files that decide what runs or who gets in are asked about whatever the permission.
 * MCP tools are not asked about here: the operator chose the server (rules.ts has its `require_confirmation`).
 */
import { basename } from 'node:path';
import { ALLOW, confirm, type Gate } from './verdict.js';

/** Matched on the lower-case file name. */
const GUARDED_NAMES = [
  /^\.env/,
  // Read by a shell when it starts, or by programs on its behalf.
  /^\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|inputrc)$/,
  // Keys, and the files in which tools keep passwords and tokens.
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)/,
  /^(authorized_keys|known_hosts)2?$/,
  /^\.(netrc|npmrc|yarnrc|yarnrc\.yml|pypirc|git-credentials|gitconfig|gitmodules|pgpass|my\.cnf|htpasswd|vimrc|exrc)$/,
  // Which servers, hooks and tasks other programs start from a folder.
  /^\.mcp\.json$/,
  /^\.pre-commit-config\.ya?ml$/,
  /^\.gitlab-ci\.ya?ml$/,
  /^\.pnpmfile\.[cm]?js$/,
];

/** Matched on the lower-case absolute path: folders whose every file counts. */
const GUARDED_FOLDERS =
  /\/(\.git|\.husky|\.hoody|\.claude|\.codex|\.cursor|\.gemini|\.vscode|\.devcontainer|\.circleci|\.cargo|\.ssh|\.aws|\.gnupg|\.github\/workflows|\.config\/(fish|autostart|systemd|git)|\.kube|\.docker|\.password-store|cron\.[a-z]+|cron\.d|systemd\/(user|system)|sudoers\.d|pam\.d|profile\.d)(\/|$)/;

/** True for a file that can change what runs or who gets in. Takes an absolute path. */
export const isGuardedFile = (path: string): boolean => {
  const lower = path.toLowerCase();
  return GUARDED_FOLDERS.test(lower) || GUARDED_NAMES.some((name) => name.test(basename(lower)));
};

export const writePermissionGate: Gate = (question) => {
  const { tool, source, mutates, paths, sessionless, allowMutations, yolo, approvalRule } = question;
  const guarded = paths.find(
    ({ access, lexical, real }) => access === 'write' && (isGuardedFile(lexical) || isGuardedFile(real)),
  );
  if (guarded) return confirm(`writes to ${guarded.path}, which can change what runs or who gets in`);
  if (source === 'mcp' || !mutates) return ALLOW;
  const permitted = sessionless ? allowMutations : yolo || approvalRule === 'allow';
  return permitted ? ALLOW : confirm(`${tool} changes files or runs commands`);
};
