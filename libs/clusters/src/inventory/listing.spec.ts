import { describe, expect, it } from '@jest/globals';
import { isTooMany } from './listing.js';

const held = (drops: number, of: number, alsoMissingBefore?: number) =>
  isTooMany({ drops, of, alsoMissingBefore }, 30);

describe('a listing', () => {
  it.each([
    ['is applied up to the limit', 30, 100, false],
    ['is held above it', 31, 100, true],
    ['is held where it has nothing', 100, 100, true],
    ['is applied where 20 or fewer ran', 20, 20, false],
    ['is held where 21 ran', 21, 21, true],
  ])('%s', (_, drops, of, expected) => {
    expect(held(drops, of)).toBe(expected);
  });

  it('is confirmed by a second one that lacks the same', () => {
    expect(held(100, 100, 100)).toBe(false);
    expect(held(100, 100, 70)).toBe(false);
  });

  it('is not confirmed by one that lacks others', () => {
    expect(held(100, 100, 69)).toBe(true);
    expect(held(50, 100, 0)).toBe(true);
  });
});
