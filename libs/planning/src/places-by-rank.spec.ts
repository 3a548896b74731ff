import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eachTie, placesByRank } from './places-by-rank.js';

function ordered(ranks: readonly number[], limit: number) {
  const numbers = Float64Array.from(ranks);
  const places = placesByRank(numbers, limit);
  const ties: [number, number][] = [];
  eachTie(numbers, (from, to) => ties.push([from, to]));
  return { places: [...places], ties };
}

describe('places by rank', () => {
  const upTo = (most: number) => fc.array(fc.integer({ min: 0, max: most }), { maxLength: 30 });

  it('are in the order of ranks and then of places, and every stretch of equal ones is named', () => {
    const largest = Math.floor(Number.MAX_SAFE_INTEGER / 30) - 1;
    const near = upTo(3).map((ranks) => ranks.map((rank) => largest - rank));
    fc.assert(
      fc.property(fc.oneof(upTo(5), upTo(largest), near), (ranks) => {
        const byComparator = [...ranks.keys()].sort((a, b) => ranks[a]! - ranks[b]! || a - b);
        const { places, ties } = ordered(ranks, largest + 1);
        expect(places).toEqual(byComparator);
        const inTie = new Set(ties.flatMap(([from, to]) => byComparator.slice(from, to)));
        for (const [place, rank] of ranks.entries())
          expect(inTie.has(place)).toBe(ranks.filter((other) => other === rank).length > 1);
        for (const [from, to] of ties)
          expect(new Set(byComparator.slice(from, to).map((place) => ranks[place])).size).toBe(1);
      }),
    );
  });

  it('are the same where rank and place do not fit into one exact number', () => {
    const limit = Number.MAX_SAFE_INTEGER;
    const far = fc.array(fc.oneof(fc.maxSafeNat(), fc.integer({ min: 0, max: 3 })), { maxLength: 60 });
    const close = upTo(5).map((ranks) => ranks.map((rank) => limit - 1 - rank));
    fc.assert(
      fc.property(fc.oneof(far, close), (given) => {
        const ranks = given.map((rank) => Math.min(rank, limit - 1));
        const numbers = Float64Array.from(ranks);
        const byComparator = [...ranks.keys()].sort((a, b) => ranks[a]! - ranks[b]! || a - b);
        expect([...placesByRank(numbers, limit)]).toEqual(byComparator);
        expect([...numbers]).toEqual(byComparator.map((place) => ranks[place]));
      }),
    );
  });
});
