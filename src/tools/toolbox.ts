/**
 * The built-in tools, in the order in which they are listed.
 */
import type { RunnableTool } from '../ports.js';
import { listDirTool } from './list-dir.js';
import { readFileTool } from './read-file.js';

export const createToolbox = (): readonly RunnableTool[] => [readFileTool, listDirTool];
