/** A run of a workflow as the store takes it: one that has just begun, unless a test says otherwise. */
import type { WorkflowRunDetail } from '../../src/domain/workflow-run.js';

export const workflowRun = (id: string, more: Partial<WorkflowRunDetail> = {}): WorkflowRunDetail => ({
  id,
  account: 'anna',
  realm: 'global',
  cwd: '/work',
  configDir: null,
  sessionId: 'sess_1',
  workflow: 'w',
  status: 'running',
  startedAt: 1,
  finishedAt: null,
  currentStep: 's',
  ended: 0,
  totalSteps: 1,
  lastStep: null,
  error: null,
  steps: [],
  ...more,
});

/** What its step came to. */
export const STEP_ENDED = { stepId: 's', tool: 't', success: true, output: '\0', startedAt: 1, finishedAt: 2 };
