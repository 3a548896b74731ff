import { describe, expect, it } from '@jest/globals';
import { guaranteedChanges } from './changes.js';

const size = { vcore: 1000 };
const queue = (guaranteed: Record<string, number> | null, share?: string) => ({
  path: 'root.a',
  guaranteed,
  ...(share === undefined ? {} : { clusterShare: { guaranteed: share } }),
});

describe('guaranteed amounts that change', () => {
  it.each([
    ['more', queue({ vcore: 1 }), queue({ vcore: 2 }), { vcore: 1 }, { vcore: 2 }],
    ['none any more', queue({ vcore: 1 }), queue(null), { vcore: 1 }, null],
    ['another type', queue({ vcore: 1 }), queue({ memory: 1 }), { vcore: 1 }, { memory: 1 }],
  ])('are reported: %s', (_, before, after, previous, current) => {
    expect(guaranteedChanges([before], [after], size)).toEqual([
      { queue: 'root.a', previous: { guaranteed: previous }, current: { guaranteed: current } },
    ]);
  });

  it('are reported of a queue that is new', () => {
    expect(guaranteedChanges([], [queue({ vcore: 2 })], size)).toEqual([
      { queue: 'root.a', previous: { guaranteed: null }, current: { guaranteed: { vcore: 2 } } },
    ]);
  });

  it('are reported of shares, with the amounts of the moment', () => {
    expect(guaranteedChanges([queue(null, '1/4')], [queue(null, '1/2')], size)).toEqual([
      {
        queue: 'root.a',
        previous: { guaranteed: { vcore: 250 }, guaranteedShare: '1/4' },
        current: { guaranteed: { vcore: 500 }, guaranteedShare: '1/2' },
      },
    ]);
  });

  it('are not reported where they stay, whatever else changes, nor of a queue that leaves', () => {
    expect(
      guaranteedChanges([queue({ vcore: 1, memory: 2 })], [queue({ memory: 2, vcore: 1 })], size),
    ).toEqual([]);
    expect(guaranteedChanges([queue({})], [queue(null)], size)).toEqual([]);
    expect(guaranteedChanges([queue(null, '1/4')], [queue(null, '1/4')], size)).toEqual([]);
    expect(guaranteedChanges([queue({ vcore: 1 })], [], size)).toEqual([]);
  });
});
