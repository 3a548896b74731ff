import { describe, expect, it } from '@jest/globals';
import { isoOf, localOf } from './local-time.js';

describe('a time in a field', () => {
  it('comes back as it was, in any zone', () => {
    const iso = '2026-11-26T10:20:30.000Z';
    expect(isoOf(localOf(iso))).toBe(iso);
  });

  it('is left out where there is none', () => {
    expect([localOf('soon'), isoOf('')]).toEqual(['', undefined]);
  });
});
