import { describe, expect, it } from '@jest/globals';
import { durationArgument, instantArgument, isoDuration, wholeNumberArgument } from './arguments.js';

describe('a time', () => {
  it.each([
    ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000Z'],
    ['2026-11-21T11:00:00.5+01:00', '2026-11-21T10:00:00.500Z'],
  ])('%s is %s', (text, time) => {
    expect(instantArgument(text)).toBe(time);
  });

  it.each([
    ['90s', 90],
    ['10m', 600],
    ['2h', 7200],
    ['3d', 259_200],
    ['2w', 1_209_600],
    ['1d12h', 129_600],
    ['PT8H', 28_800],
    ['p1dt0.5h', 88_200],
  ])('%s is so long ago', (text, seconds) => {
    const before = Date.now();
    const time = Date.parse(instantArgument(text));
    expect(time).toBeGreaterThanOrEqual(before - seconds * 1000);
    expect(time).toBeLessThanOrEqual(Date.now() - seconds * 1000);
  });

  it.each([
    '',
    '10',
    '10 m',
    'yesterday',
    '2026-11-21',
    '2026-13-45T99:00:00Z',
    '999999999d',
    '-5m',
    '1.5h',
    '0h',
    'P1M',
    'PT',
    '12h1d',
  ])('is not "%s"', (text) => {
    expect(() => instantArgument(text)).toThrow('how long ago');
  });
});

describe('a whole number', () => {
  const read = wholeNumberArgument(1, 1000);
  it('is in its range', () => {
    expect([read('1'), read('1000')]).toEqual([1, 1000]);
  });
  it.each(['0', '1001', '1e2', ' 5', '', 'x', '1.5'])('is not "%s"', (text) => {
    expect(() => read(text)).toThrow('from 1 to 1000');
  });
});

describe('a length of time', () => {
  it.each([
    ['90s', 90, 'PT90S'],
    ['2w', 1_209_600, 'P2W'],
    ['2d12h', 216_000, 'P2DT12H'],
    ['P2DT12H', 216_000, 'P2DT12H'],
    ['pt30m', 1800, 'PT30M'],
  ])('%s is %d seconds, and %s for the server', (text, seconds, iso) => {
    expect(durationArgument(text)).toBe(seconds);
    expect(isoDuration(text)).toBe(iso);
  });
});
