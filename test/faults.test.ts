/** The fault runs of scripts/faults.ts, short. They use the built program, as `npm test` has it. */
import { expect, test } from '@jest/globals';
import { killInTheMiddleOfWrites, openAndClose, writeInParallel } from '../scripts/faults.js';

test('a daemon that is killed in the middle of writes leaves old or new, and the next start ends what it left', async () => {
  const report = await killInTheMiddleOfWrites(20);
  expect(report).toMatchObject({ torn: 0, forgotten: 0, notReaped: 0, litter: [] });
  expect(report.kills).toBeGreaterThan(0);
  expect(report.orphans).toBeGreaterThan(0);
}, 60_000);

test('writers of two daemons that try again on a conflict lose nothing', async () => {
  expect(await writeInParallel(10)).toMatchObject({ writers: 10, lost: [] });
});

test('sessions opened and closed with servers leave no process, no zombie and no descriptor', async () => {
  const { processes, descriptors, zombies } = await openAndClose(15);
  expect([processes, zombies]).toEqual([[1, 1], 0]);
  // A kept connection of the client more or less.
  expect(descriptors[1]).toBeLessThanOrEqual(descriptors[0] + 2);
}, 60_000);
