/**
 * The built-in tools, in the order in which they are listed. A tool that needs a program is there when the program is.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { RunnableTool, TodoDesk, WorkflowDesk } from '../ports.js';
import { deleteFileTool, makeDirTool, moveFileTool } from './arrange-files.js';
import { askQuestionTool } from './ask-question.js';
import { createBashTools, type BashParts } from './bash.js';
import { editFileTool, multiEditTool } from './edit-file.js';
import { fileInfoTool } from './file-info.js';
import { createGitTools } from './git.js';
import { createGlobFilesTool } from './glob-files.js';
import { createGrepTool } from './grep.js';
import { listDirTool } from './list-dir.js';
import { readFileTool } from './read-file.js';
import { createTodoTools } from './todos.js';
import { createWebFetchTool } from './web-fetch.js';
import { createWorkflowTools } from './workflows.js';
import { writeFileTool } from './write-file.js';

const isOnPath = (program: string, path: string | undefined): boolean =>
  (path ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });

export interface ToolboxParts extends BashParts {
  readonly todos: TodoDesk;
  readonly workflows: WorkflowDesk;
}

/** Without the parts, the tools that need none: no programs, no network and no lists. */
export const createToolbox = (parts?: ToolboxParts): readonly RunnableTool[] => {
  const path = parts?.env['PATH'];
  const bash = parts && isOnPath('bash', path) ? createBashTools(parts) : [];
  const lists = parts ? [...createTodoTools(parts.todos), ...createWorkflowTools(parts.workflows)] : [];
  const looking = [
    readFileTool,
    listDirTool,
    createGlobFilesTool(parts?.env ?? {}),
    createGrepTool(parts?.env ?? {}),
    fileInfoTool,
    ...(parts ? [createWebFetchTool(parts)] : []),
    ...(parts && isOnPath('git', path) ? createGitTools(parts) : []),
  ];
  const changing = [writeFileTool, editFileTool, multiEditTool, moveFileTool, deleteFileTool, makeDirTool];
  return [
    ...looking,
    ...[...lists, ...bash].filter(({ readOnly }) => readOnly),
    ...changing,
    ...lists.filter(({ readOnly }) => !readOnly),
    ...bash.filter(({ readOnly }) => !readOnly),
    askQuestionTool,
  ];
};
