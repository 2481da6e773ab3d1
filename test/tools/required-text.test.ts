/** What text an expression needs: what is said is in whatever it matches, and nothing is said in doubt. */
import { expect, test } from '@jest/globals';
import { requiredText } from '../../src/tools/required-text.js';

test.each<[string, string | undefined, string]>([
  ['se[ar]+ched for$', 'ched for', 'I searched for'],
  ['plain text', 'plain text', 'some plain text'],
  ['^import .* from', 'import ', 'import x from'],
  ['colou?r', 'colo', 'color'],
  ['ab*cd', 'cd', 'acd'],
  ['ab+cde', 'cde', 'abbcde'],
  ['ab{0,2}cd', 'cd', 'acd'],
  ['a{b', 'a{b', 'a{b'],
  ['a{}bc', 'bc', 'a{}bc'],
  ['f\\(x\\)', 'f(x)', 'f(x)'],
  ['\\bword\\b', 'word', 'a word'],
  ['a]b', 'a]b', 'a]b'],
  ['(?!never)(abc)?d', 'd', 'd'],
  ['(a(b|c)long)xy', 'xy', 'ablongxy'],
  ['one|two', undefined, 'two'],
  ['(one|two)', undefined, 'two'],
  ['\\x41\\x42', undefined, 'AB'],
  ['(a)\\1b', undefined, 'aab'],
  ['\\u0041b', undefined, 'Ab'],
  ['\u{1F600}a', undefined, '\u{1F600}a'],
  ['.*', undefined, ''],
  ['a*?', undefined, ''],
])('%s needs %p', (source, text, matched) => {
  expect(matched).toMatch(new RegExp(source));
  expect(requiredText(source)).toBe(text);
  expect(matched).toContain(text ?? '');
});
