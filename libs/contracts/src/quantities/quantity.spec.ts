import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InputError } from '../input-error.js';
import { parseQuantity } from './quantity.js';

const refused = (value: unknown, resource: string): string => {
  try {
    parseQuantity(value, resource, 'the.field');
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    expect(error.path).toBe('the.field');
    return error.message;
  }
  throw new Error(`${String(value)} was taken`);
};

describe('a quantity', () => {
  it.each([
    ['10', 'memory', 10n],
    [10, 'memory', 10n],
    ['0', 'memory', 0n],
    ['007', 'memory', 7n],
    [' 10 ', 'memory', 10n],
    ['10 G', 'memory', 10_000_000_000n],
    ['1k', 'pods', 1000n],
    ['1M', 'pods', 10n ** 6n],
    ['1T', 'pods', 10n ** 12n],
    ['1P', 'pods', 10n ** 15n],
    ['9E', 'pods', 9n * 10n ** 18n],
    ['1Ki', 'memory', 1024n],
    ['1Mi', 'memory', 2n ** 20n],
    ['1Gi', 'memory', 2n ** 30n],
    ['1Ti', 'memory', 2n ** 40n],
    ['1Pi', 'memory', 2n ** 50n],
    ['7Ei', 'memory', 7n * 2n ** 60n],
    ['10', 'vcore', 10_000n],
    ['500m', 'vcore', 500n],
    ['2Ki', 'vcore', 2_048_000n],
    ['9223372036854775807', 'memory', 2n ** 63n - 1n],
    ['9223372036854775807m', 'vcore', 2n ** 63n - 1n],
    [`${'0'.repeat(50)}5`, 'memory', 5n],
  ])('%j of %s is %d', (value, resource, expected) => {
    expect(parseQuantity(value, resource)).toBe(expected);
  });

  it.each([
    ['', 'memory', 'amount is missing'],
    ['  ', 'memory', 'amount is missing'],
    [null, 'memory', 'amount is missing'],
    [undefined, 'memory', 'amount is missing'],
    ['-1', 'memory', '0 or more'],
    [-1, 'memory', '0 or more'],
    ['+5', 'memory', 'without the sign: 5'],
    ['1.5G', 'memory', 'write 1500M'],
    ['1.5Gi', 'memory', 'write 1536Mi'],
    ['0.5', 'vcore', 'write 500m'],
    ['1.5', 'memory', 'no fractions'],
    [1.5, 'memory', 'no fractions'],
    ['0.0005', 'vcore', 'no fractions'],
    ['1e3', 'memory', 'no exponents'],
    [1e21, 'memory', 'no exponents'],
    ['10K', 'memory', 'write 10k'],
    ['10ki', 'memory', 'write 10Ki'],
    ['10GB', 'memory', 'write 10G'],
    ['10GiB', 'memory', 'write 10Gi'],
    ['5X', 'memory', 'units are k M G T P E'],
    ['5constructor', 'memory', 'units are'],
    ['500m', 'memory', 'for vcore only'],
    ['G', 'memory', 'digits and a unit'],
    ['0x10', 'memory', 'digits and a unit'],
    ['1_000', 'memory', 'digits and a unit'],
    ['10 20', 'memory', 'digits and a unit'],
    ['١٠', 'memory', 'digits and a unit'],
    ['9223372036854775808', 'memory', 'largest amount'],
    ['10E', 'memory', 'largest amount'],
    ['9223372036854775807', 'vcore', 'largest amount'],
    ['9'.repeat(1000), 'memory', 'largest amount'],
    [true, 'memory', 'not a boolean'],
    [{}, 'memory', 'not a object'],
    [Number.NaN, 'memory', 'is not a quantity'],
  ])('%j of %s is refused: %s', (value, resource, message) => {
    expect(refused(value, resource)).toContain(message);
  });

  it('is the product of its digits and its unit, whatever blanks stand around', () => {
    const units = [
      ['', 1n],
      ['k', 10n ** 3n],
      ['Mi', 2n ** 20n],
      ['T', 10n ** 12n],
    ] as const;
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 9_000_000n }),
        fc.constantFrom(...units),
        fc.constantFrom('', ' ', '  '),
        fc.constantFrom('memory', 'pods', 'vcore'),
        (digits, [unit, factor], blank, resource) => {
          const scale = resource === 'vcore' ? 1000n : 1n;
          const text = `${blank}${digits}${blank}${unit}${blank}`;
          if (digits * factor * scale > 2n ** 63n - 1n) return;
          expect(parseQuantity(text, resource)).toBe(digits * factor * scale);
        },
      ),
    );
  });

  it('takes any text, or refuses it with a reason', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          expect(parseQuantity(text, 'memory')).toBeGreaterThanOrEqual(0n);
          expect(text.trim()).toMatch(/^\d+\s*([kMGTPE]|[KMGTPE]i)?$/);
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          expect(error.message.length).toBeGreaterThan(20);
        }
      }),
    );
  });

  it('suggests what it then takes', () => {
    fc.assert(
      fc.property(
        fc.tuple(fc.nat(999), fc.integer({ min: 1, max: 999 })),
        fc.constantFrom('k', 'M', 'G', 'Ki', 'Mi', 'Gi', ''),
        ([whole, part], unit) => {
          const suggestion = /write (\d+\S*)$/.exec(refused(`${whole}.${part}${unit}`, 'vcore'))?.[1];
          if (suggestion !== undefined) expect(() => parseQuantity(suggestion, 'vcore')).not.toThrow();
        },
      ),
    );
  });
});
