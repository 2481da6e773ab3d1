/** Every case of the suite, in the order of the contract, and its rules after it. */
import type { Case } from '../check.js';
import type { Contract } from '../contract.js';
import { edgeCases } from './edge.js';
import { errorCases } from './errors.js';
import { exampleCases } from './examples.js';
import { frameCases } from './frames.js';
import { ruleCases } from './rules.js';
import { changeRules } from './rules/changes.js';
import { keptRules } from './rules/kept.js';
import { listRules } from './rules/lists.js';
import { mcpApplyRules } from './rules/mcp-apply.js';
import { mcpChildRules } from './rules/mcp-children.js';
import { mcpImportRules } from './rules/mcp-import.js';
import { mcpReadRules } from './rules/mcp-read.js';
import { mcpWriteRules } from './rules/mcp-write.js';
import { toolRuleRules } from './rules/tool-rules.js';
import { toolFurtherRules } from './rules/tools-further.js';
import { outsideRules } from './rules/outside.js';
import { toolBoxRules } from './rules/tools-box.js';
import { toolGateRules } from './rules/tools-gates.js';
import { toolReachRules } from './rules/tools-reach.js';
import { toolRunRules } from './rules/tools-run.js';
import { toolSessionRules } from './rules/tools-session.js';
import { workflowRunRules } from './rules/workflow-runs.js';
import { workflowRules } from './rules/workflows.js';
import { workspaceRules } from './rules/workspaces.js';

export const RULES = {
  ...mcpReadRules,
  ...mcpWriteRules,
  ...mcpApplyRules,
  ...mcpImportRules,
  ...mcpChildRules,
  ...toolRunRules,
  ...toolSessionRules,
  ...toolBoxRules,
  ...toolGateRules,
  ...toolFurtherRules,
  ...toolReachRules,
  ...changeRules,
  ...workspaceRules,
  ...listRules,
  ...toolRuleRules,
  ...workflowRules,
  ...workflowRunRules,
  ...keptRules,
  ...outsideRules,
};

export const casesOf = (contract: Contract): readonly Case[] => [
  ...errorCases(contract),
  ...edgeCases(contract),
  ...exampleCases(contract),
  ...frameCases(contract),
  ...ruleCases(RULES),
];
