import { expect, it } from '@jest/globals';
import { findUnstorable, isStorableTime, mayBeUnstorable, whyNotStorable } from './storable.js';

it.each([
  ['', undefined],
  ['a 👍 \u0001 \uffff', undefined],
  ['a\0b', /^has the character NUL/],
  ['\ud83d', /^has half of a character/],
  ['a\udc4d', /^has half of a character/],
  ['\udc4d\ud83d', /^has half of a character/],
])('text %j', (text, why) => {
  if (why === undefined) expect(whyNotStorable(text)).toBeUndefined();
  else expect(whyNotStorable(text)).toMatch(why);
  const json = JSON.stringify({ a: [{ b: text }] });
  const found = findUnstorable(JSON.parse(json), '');
  expect(found?.path).toBe(why === undefined ? undefined : 'a[0].b');
  if (found) expect(mayBeUnstorable(json)).toBe(true);
  expect(findUnstorable({ a: { [text]: 1 } }, 'data')?.path).toBe(why === undefined ? undefined : 'data.a');
});

it.each([
  ['0000-12-31T23:59:59.999Z', false],
  ['0001-01-01T00:00:00Z', true],
  ['0001-01-01T00:00:00+14:00', false],
  ['9999-12-31T23:59:59.999Z', true],
  ['9999-12-31T23:59:59-14:00', false],
  ['+010000-01-01T00:00:00.000Z', false],
  ['infinity', false],
])('time %s: %s', (text, isHeld) => expect(isStorableTime(text)).toBe(isHeld));
