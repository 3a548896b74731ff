import { expect, it } from '@jest/globals';
import { withoutTurns } from './without-turns.js';

it('leaves the letters of each language, and nothing that turns what follows', () => {
  expect(withoutTurns('stopped (\u202Etxet \u2067x\u2069), and 1 clock')).toBe(
    'stopped (txet x), and 1 clock',
  );
  expect(withoutTurns('stopped (\u05E2\u05E6\u05D5\u05E8)')).toBe('stopped (\u05E2\u05E6\u05D5\u05E8)');
});
