/** Every case of the suite, in the order of the contract, and its rules after it. */
import type { Case } from '../check.js';
import type { Contract } from '../contract.js';
import { errorCases } from './errors.js';
import { ruleCases } from './rules.js';
import { mcpReadRules } from './rules/mcp-read.js';

const RULES = { ...mcpReadRules };

export const casesOf = (contract: Contract): readonly Case[] => [...errorCases(contract), ...ruleCases(RULES)];
