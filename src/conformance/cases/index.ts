/** Every case of the suite, in the order of the contract. */
import type { Case } from '../check.js';
import type { Contract } from '../contract.js';
import { errorCases } from './errors.js';

export const casesOf = (contract: Contract): readonly Case[] => [...errorCases(contract)];
