import { expect, it } from '@jest/globals';
import { type Freeze, msToNextTurn } from './freezes.js';

const now = Date.parse('2026-11-26T08:00:00Z');
const freeze = (inEffect: boolean, from: string, until: string | null) =>
  ({ inEffect, from: `2026-11-${from}:00Z`, until: until && `2026-11-${until}:00Z` }) as Freeze;

it('reads freezes again when the next of them begins or ends', () => {
  expect(msToNextTurn([], now)).toBe(false);
  expect(msToNextTurn([freeze(true, '26T07:00', null)], now)).toBe(false);
  const ends = freeze(true, '26T07:00', '26T08:10');
  const begins = freeze(false, '26T08:05', '26T08:30');
  expect(msToNextTurn([ends], now)).toBe(601_000);
  expect(msToNextTurn([ends, begins], now)).toBe(301_000);
});

it('does so not too often by a clock that is ahead, and by one that waits for long', () => {
  expect(msToNextTurn([freeze(true, '26T07:00', '26T07:59')], now)).toBe(10_000);
  expect(msToNextTurn([freeze(false, '30T07:00', '30T08:00')], now)).toBe(86_400_000);
});
