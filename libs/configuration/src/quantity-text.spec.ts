import { describe, expect, it } from '@jest/globals';
import { quantityText } from './quantity-text.js';

describe('an amount as a configuration writes it', () => {
  it.each([
    ['memory', 50_000_000_000n, '50G'],
    ['memory', 8n * 1024n ** 3n, '8Gi'],
    ['memory', 1_500_000n, '1500k'],
    ['memory', 1n, '1'],
    ['memory', 0n, '0'],
    ['memory', 1_000_000_000_000n, '1T'],
    ['memory', 9_007_199_254_740_993n, '9007199254740993'],
    ['vcore', 4000n, '4'],
    ['vcore', 1500n, '1500m'],
    ['nvidia.com/gpu', 1000n, '1000'],
  ])('%s: %s is %s', (type, amount, text) => {
    expect(quantityText(type, amount)).toBe(text);
  });
});
