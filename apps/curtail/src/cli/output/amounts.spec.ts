import { describe, expect, it } from '@jest/globals';
import { amountsText, delayText, durationText, limitText, shownAmount } from './amounts.js';

describe('amounts for people', () => {
  it.each([
    ['memory', 30e9, '30 GB'],
    ['memory', 38_250_000_000, '38.25 GB'],
    ['memory', 20 * 2 ** 30, '20 GiB'],
    ['memory', 1.5 * 2 ** 30, '1.5 GiB'],
    ['memory', 1_474_836_480, '1.47 GB'],
    ['memory', 0, '0 B'],
    ['memory', 999, '999 B'],
    ['memory', 9_223_372_036_854_775_807n, '9.22 EB'],
    ['ephemeral-storage', 2e12, '2 TB ephemeral-storage'],
    ['vcore', 4000, '4 vcore'],
    ['vcore', 500, '0.5 vcore'],
    ['vcore', 1, '0.01 vcore'],
    ['vcore', 0, '0 vcore'],
    ['nvidia.com/gpu', 2, '2 nvidia.com/gpu'],
    ['pods', 1, '1 pod'],
    ['pods', 20n, '20 pods'],
  ])('%s %d is %s', (type, amount, text) => {
    expect(shownAmount(type, amount)).toBe(text);
  });

  it('stand in one line, and nothing is a dash', () => {
    expect(amountsText({ memory: 30e9, vcore: 4000 })).toBe('30 GB, 4 vcore');
    expect(amountsText({})).toBe('-');
    expect(amountsText(null)).toBe('-');
  });

  it.each([
    [{ max: { memory: 30e9 } }, '30 GB'],
    [{ max: null }, 'no limit'],
    [{ max: { memory: 30e9, vcore: 4000 }, maxShare: '1/8' }, '12.5 % of the cluster (30 GB, 4 vcore)'],
    [{ max: null, maxShare: '1/8' }, '12.5 % of the cluster'],
  ])('the limit %j is %s', (limit, text) => {
    expect(limitText(limit)).toBe(text);
  });

  it.each([
    [0, '0 s'],
    [0.05, '50 ms'],
    [5, '5 s'],
    [60, '1 min'],
    [5400, '1 h 30 min'],
    [90_061, '1 d 1 h'],
    [1.5, '1.5 s'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });

  it('a delay of 0 is off', () => {
    expect([0, 60].map(delayText)).toEqual(['off', '1 min']);
  });
});
