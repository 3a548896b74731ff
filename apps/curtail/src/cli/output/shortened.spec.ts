import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { distinctWidth, shortened } from './width.js';

describe('a path that is shortened', () => {
  it('loses its middle', () => {
    expect(shortened('root.team-machine-learning-platform', 19)).toBe('root.t…ing-platform');
    expect(shortened('root.short', 10)).toBe('root.short');
  });

  it('stays apart from every other at the least width that does so', () => {
    const path = fc.string({ unit: fc.constantFrom('a', 'b', '.', '研'), maxLength: 30 });
    fc.assert(
      fc.property(fc.array(path), fc.integer({ min: 8, max: 12 }), (paths, narrowest) => {
        const different = new Set(paths).size;
        const differentAt = (width: number) => new Set(paths.map((one) => shortened(one, width))).size;
        const width = distinctWidth(paths, narrowest);
        for (const wider of [0, 1, 2, 3, 30]) expect(differentAt(width + wider)).toBe(different);
        if (width > narrowest) expect(differentAt(width - 1)).toBeLessThan(different);
      }),
    );
  });
});
