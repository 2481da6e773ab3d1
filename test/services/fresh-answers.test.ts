/** Sharing answers among those who ask at the same time. */
import { expect, test } from '@jest/globals';
import { FreshAnswers } from '../../src/services/fresh-answers.js';

test('who asks while one looks gets what is seen afterwards, all by one look, and nothing is kept', async () => {
  const answers = new FreshAnswers<string>();
  const looks: { resolve: (seen: string) => void; reject: (error: Error) => void }[] = [];
  const ask = (key = 'a') =>
    answers.get(key, () => new Promise<string>((resolve, reject) => looks.push({ resolve, reject })));
  const first = ask();
  const later = [ask(), ask()];
  const other = ask('b');
  expect(looks).toHaveLength(2);
  looks[0]!.resolve('old');
  looks[1]!.resolve('of b');
  expect(await first).toBe('old');
  expect(await other).toBe('of b');
  await Promise.resolve();
  expect(looks).toHaveLength(3);

  const last = ask();
  looks[2]!.reject(new Error('gone'));
  for (const each of later) await expect(each).rejects.toThrow('gone');
  looks[3]!.resolve('new');
  expect(await last).toBe('new');
  const afterwards = ask();
  expect(looks).toHaveLength(5);
  looks[4]!.resolve('newest');
  expect(await afterwards).toBe('newest');
});
