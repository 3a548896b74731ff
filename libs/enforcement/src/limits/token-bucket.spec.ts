import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type TokenBucket, takeTokens } from './token-bucket.js';

describe('the rate of a partition', () => {
  it('grants a full second at the beginning', () => {
    expect(takeTokens(undefined, 10, 10)).toEqual({ isGranted: true, tokens: 0 });
    expect(takeTokens(undefined, 10, 4)).toEqual({ isGranted: true, tokens: 6 });
  });

  it('says how many there are, and when there is one', () => {
    expect(takeTokens({ tokens: 0, ageMs: 0 }, 10, 1)).toEqual({
      isGranted: false,
      available: 0,
      untilOneMs: 100,
    });
    expect(takeTokens({ tokens: 0, ageMs: 250 }, 10, 4)).toEqual({
      isGranted: false,
      available: 2,
      untilOneMs: 0,
    });
  });

  it('returns tokens with time, at the rate of now', () => {
    expect(takeTokens({ tokens: 0, ageMs: 1000 }, 100, 100)).toEqual({ isGranted: true, tokens: 0 });
    expect(takeTokens({ tokens: 50, ageMs: 0 }, 5, 6)).toMatchObject({ isGranted: false, available: 5 });
  });

  it('takes a clock that was set back for no time', () => {
    expect(takeTokens({ tokens: 1, ageMs: -5000 }, 10, 1)).toEqual({ isGranted: true, tokens: 0 });
  });

  it('grants one after the time that it states', () => {
    const bucket = fc.record({
      tokens: fc.double({ min: 0, max: 0.999, noNaN: true }),
      ageMs: fc.constant(0),
    });
    fc.assert(
      fc.property(bucket, fc.integer({ min: 1, max: 10_000 }), (before, perSecond) => {
        const refused = takeTokens(before, perSecond, 1);
        if (refused.isGranted) return false;
        // One more millisecond for the precision of fractions.
        const later = { ...before, ageMs: refused.untilOneMs + 1 };
        return takeTokens(later, perSecond, 1).isGranted;
      }),
    );
  });

  it('never grants more than the rate allows in any period', () => {
    const request = fc.record({ afterMs: fc.nat(3000), wanted: fc.integer({ min: 1, max: 70 }) });
    fc.assert(
      fc.property(fc.array(request), fc.integer({ min: 1, max: 100 }), (requests, perSecond) => {
        let bucket: TokenBucket | undefined;
        let nowMs = 0;
        const granted: { atMs: number; victims: number }[] = [];
        for (const { afterMs, wanted } of requests) {
          nowMs += afterMs;
          const age = bucket ? bucket.ageMs + afterMs : 0;
          const taken = takeTokens(bucket && { ...bucket, ageMs: age }, perSecond, wanted);
          if (taken.isGranted) {
            granted.push({ atMs: nowMs, victims: wanted });
            bucket = { tokens: taken.tokens, ageMs: 0 };
          } else if (bucket) bucket = { ...bucket, ageMs: age };
        }
        return granted.every(({ atMs: from }, first) => {
          let victims = 0;
          return granted.slice(first).every(({ atMs, victims: more }) => {
            victims += more;
            return victims <= perSecond * ((atMs - from) / 1000 + 1) + 1e-6;
          });
        });
      }),
    );
  });
});
