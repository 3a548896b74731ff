import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { beginningOf, endOf, widthOf } from './width.js';

describe('the width of a text', () => {
  it.each([
    ['root.research', 13],
    ['Zürich', 6],
    ['研究', 4],
    ['🚀', 2],
    ['👩‍🔬', 2],
    ['e\u0301', 1],
  ])('of %s is %d columns', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  it('is the same whatever stands beside a letter', () => {
    const letter = fc.constantFrom('a', 'ü', '…', '研', 'の', 'ー', '한', '🚀', '🇩🇪', 'e\u0301', '\u200b');
    fc.assert(
      fc.property(fc.string({ unit: letter }), (text) => {
        expect(widthOf(text)).toBe(stringWidth(text));
      }),
    );
  });

  it('cuts no letter in two', () => {
    expect(beginningOf('研究所', 5)).toBe('研究');
    expect(endOf('研究所', 5)).toBe('究所');
    expect(endOf('a👩‍🔬', 2)).toBe('👩‍🔬');
    expect(endOf('a👩‍🔬', 1)).toBe('');
    expect(beginningOf('root.a', 4)).toBe('root');
    expect(endOf('root.a', 9)).toBe('root.a');
  });
});
