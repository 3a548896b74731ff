import { describe, expect, it } from '@jest/globals';
import { InputError } from '#contracts';
import { baseUnits, parseKubernetesQuantity, wholeUnits } from './quantity.js';

describe('quantities of Kubernetes', () => {
  it.each([
    ['cpu', '4', 4000, 4000],
    ['cpu', '500m', 500, 500],
    ['cpu', '.5', 500, 500],
    ['cpu', '100u', 1, 0],
    ['memory', '20Gi', 20 * 2 ** 30, 20 * 2 ** 30],
    ['memory', '1.5Gi', 1.5 * 2 ** 30, 1.5 * 2 ** 30],
    ['memory', '1288490188800m', 1288490189, 1288490188],
    ['memory', '1e3', 1000, 1000],
    ['memory', '128974848', 128974848, 128974848],
    ['memory', '100m', 1, 0],
    ['nvidia.com/gpu', '2', 2, 2],
    ['memory', '100Ei', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('%s: %s is %d of work, and %d as a limit', (resource, text, amount, limit) => {
    const quantity = parseKubernetesQuantity(text);
    expect(baseUnits(resource, quantity)).toBe(amount);
    expect(wholeUnits(resource, quantity)).toBe(limit);
  });

  it.each(['', 'many', '-1', '5X', '1e9999', '1.2.3', '9'.repeat(100)])('refuses %j', (text) => {
    expect(() => parseKubernetesQuantity(text, 'spec.hard')).toThrow(InputError);
  });
});
