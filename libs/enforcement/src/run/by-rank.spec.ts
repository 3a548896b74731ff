import { describe, expect, it } from '@jest/globals';
import { ByRank } from './by-rank.js';

describe('ByRank', () => {
  it('is what a map is, in the order of ranks, and stays as it was', () => {
    let byRank = ByRank.none<string>();
    const map = new Map<number, string>();
    const before: [ByRank<string>, [number, string][]][] = [];
    for (let step = 0; step < 3000; step++) {
      const rank = 1 + ((step * 7919) % 1200);
      if (step % 3 === 2) {
        byRank = byRank.without(rank);
        map.delete(rank);
      } else {
        byRank = byRank.with(rank, `${step}`);
        map.set(rank, `${step}`);
      }
      if (step % 500 === 0) before.push([byRank, [...map]]);
    }
    const entriesOf = (all: ByRank<string>) => [...all.ranks()].map((rank) => [rank, all.get(rank)]);
    const inOrder = (entries: Iterable<[number, string]>) => [...entries].sort(([a], [b]) => a - b);
    for (const [one, entries] of [...before, [byRank, [...map]] as const]) {
      expect(entriesOf(one)).toEqual(inOrder(entries));
      expect(one.size).toBe(entries.length);
    }
    expect(byRank.has(5000)).toBe(false);
  });
});
