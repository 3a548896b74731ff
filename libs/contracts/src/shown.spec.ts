import { expect, it } from '@jest/globals';
import { shown } from './words.js';

it.each<[unknown, string]>([
  ['text\n', '"text\\n"'],
  [Number.NaN, 'NaN'],
  [-0.5, '-0.5'],
  [undefined, 'nothing'],
  [null, 'null'],
  [[1, 'a'], '[1,"a"]'],
  [{ memory: 5 }, '{"memory":5}'],
  ['a'.repeat(58), `"${'a'.repeat(58)}"`],
  ['a'.repeat(59), `"${'a'.repeat(56)}...`],
])('%p is shown as %s', (value, text) => {
  expect(shown(value)).toBe(text);
});
