/** The job operations. A job has no realm: it belongs to the account that started it. */
import { isOver } from '../../domain/job.js';
import type { LoginSource } from '../../ports.js';
import type { Jobs } from '../../services/jobs.js';
import type { Handlers } from '../operation.js';
import { jobRow } from '../views.js';

type JobHandlers = Pick<Handlers, 'getJob' | 'getJobResult' | 'deleteJob'>;

export interface JobHandlerDeps {
  readonly jobs: Jobs;
  readonly login: LoginSource;
}

export const jobHandlers = ({ jobs, login }: JobHandlerDeps): JobHandlers => {
  const account = (): string => login.current().accountId;

  return {
    getJob: async ({ path }) => ({ status: 200, body: jobRow(await jobs.get(path.id, account())) }),

    getJobResult: async ({ path }) => {
      const job = await jobs.get(path.id, account());
      const { status, result, error } = jobRow(job);
      return { status: 200, body: isOver(job) ? { status, result, error } : { status } };
    },

    deleteJob: async ({ path }) => {
      const done = await jobs.delete(path.id, account());
      return { status: 200, body: { status: 'ok', ...(done === 'canceled' ? { canceled: true } : { deleted: true }) } };
    },
  };
};
