/**
 * Static stakes: shell lines whose shape alone says that a person should look first.
 */
import { ALLOW, type Gate } from './verdict.js';

export const staticStakesGate: Gate = () => ALLOW;
