import { InputError } from '@curtail/contracts';
import { describe, expect, it } from '@jest/globals';
import { baseUnits, isWhole, parseQuantity } from './quantity.js';

describe('quantities of Kubernetes', () => {
  it.each([
    ['cpu', '4', 4000, true],
    ['cpu', '500m', 500, true],
    ['cpu', '.5', 500, true],
    ['cpu', '100u', 1, false],
    ['memory', '20Gi', 20 * 2 ** 30, true],
    ['memory', '1.5Gi', 1.5 * 2 ** 30, true],
    ['memory', '1e3', 1000, true],
    ['memory', '128974848', 128974848, true],
    ['memory', '100m', 1, false],
    ['nvidia.com/gpu', '2', 2, true],
    ['memory', '100Ei', Number.MAX_SAFE_INTEGER, true],
  ])('%s: %s is %d', (resource, text, amount, whole) => {
    const quantity = parseQuantity(text);
    expect(baseUnits(resource, quantity)).toBe(amount);
    expect(isWhole(resource, quantity)).toBe(whole);
  });

  it.each(['', 'many', '-1', '5X', '1e9999', '1.2.3', '9'.repeat(100)])('refuses %j', (text) => {
    expect(() => parseQuantity(text, 'spec.hard')).toThrow(InputError);
  });
});
