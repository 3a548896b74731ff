import { expect, it } from '@jest/globals';
import { placeInText } from './parse-json.js';

it.each([
  ['', 0, { line: 1, column: 1 }],
  ['ab', 1, { line: 1, column: 2 }],
  ['a\nb', 1, { line: 1, column: 2 }],
  ['a\nb', 2, { line: 2, column: 1 }],
  ['\n\n\nx', 3, { line: 4, column: 1 }],
  ['a\n\nbc\n', 4, { line: 3, column: 2 }],
  ['a\n', 2, { line: 2, column: 1 }],
])('of %j at %i is %j', (text, offset, place) => {
  expect(placeInText(text, offset)).toEqual(place);
});
