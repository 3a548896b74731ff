import { describe, expect, it } from '@jest/globals';

describe('the expect of tests', () => {
  it.each<[string, unknown, unknown, unknown]>([
    ['toBe', Number.NaN, Number.NaN, 1],
    ['toBe', 0, 0, -0],
    ['toEqual', 'a', 'a', 'b'],
    ['toEqual', { a: [1] }, { a: [1] }, { a: [2] }],
    ['toContain', ['a', 'b'], 'b', 'c'],
    ['toContain', 'abc', 'b', 'd'],
    ['toContain', [Number.NaN], undefined, Number.NaN],
    ['toBeGreaterThan', 2, 1, 2],
    ['toBeGreaterThanOrEqual', 2, 2, 3],
    ['toBeLessThan', 1, 2, 1],
    ['toBeLessThanOrEqual', 2, 2, 1],
    ['toBeLessThan', 1n, 2n, 1n],
    ['toHaveLength', 'abc', 3, 2],
  ])('%s of %p: %p passes, and %p fails', (matcher, actual, right, wrong) => {
    const call = (of: unknown, expected: unknown) =>
      (of as Record<string, (one: unknown) => void>)[matcher]!(expected);
    if (right !== undefined) call(expect(actual), right);
    call(expect(actual).not, wrong);
    expect(() => call(expect(actual), wrong)).toThrow(`${matcher}(`);
  });

  it('throws an error whose trace begins in the test', () => {
    try {
      expect(1).toBe(2);
    } catch (error) {
      const [first] = (error as Error).stack!.split('\n').filter((line) => line.includes(' at '));
      expect(first).toContain('quick-expect.spec.ts');
      return;
    }
    throw new Error('passed');
  });

  it('counts assertions, and takes promises', async () => {
    expect.assertions(5);
    expect(1).toBe(1);
    expect([1]).not.toContain(2);
    await expect(Promise.resolve(1)).resolves.toBe(1);
    await expect(Promise.reject(new Error('no'))).rejects.toThrow('no');
    expect({ a: 1 }).toEqual({ a: expect.any(Number) });
  });
});
