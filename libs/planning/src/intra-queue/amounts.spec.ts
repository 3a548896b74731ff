import { describe, expect, it } from '@jest/globals';
import { fractionOfNumber, sumOfFractions } from '#contracts';
import { dividedUp, timesDown } from './amounts.js';

const sumOf = (numbers: number[]) => sumOfFractions(numbers.map(fractionOfNumber));

describe('a factor is the decimal that was written', () => {
  it.each([
    [100, 0.1, 10],
    [3, 0.1, 0],
    [100, 1.1, 110],
    [10, 0.29, 2],
    [1e15, 1e-7, 1e8],
    [2 ** 53 - 1, 0.3333, 3_002_099_511_605_172],
    [5, 0, 0],
  ])('%d × %d, rounded down', (amount, factor, product) => {
    expect(timesDown(amount, fractionOfNumber(factor))).toBe(product);
  });
  it('a product above all amounts counts as the largest', () => {
    expect(timesDown(2 ** 52, fractionOfNumber(1e21))).toBe(Number.MAX_SAFE_INTEGER);
  });
  it('divides, rounded up', () => {
    expect(dividedUp(100, sumOf([1, 1, 1]))).toBe(34);
    expect(dividedUp(90, sumOf([0.1, 0.2]))).toBe(300);
  });
  it('a sum has the denominator of its finest part, however many parts there are', () => {
    const parts = [...new Array<number>(1000).fill(0.25), 1, 0.001];
    expect(sumOf(parts)).toEqual({ numerator: 251_001n, denominator: 1000n });
  });
});
