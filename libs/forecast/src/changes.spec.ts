import { describe, expect, it } from '@jest/globals';
import type { QueueInForce } from '#clusters/planning-view';
import { changes } from './changes.js';

const queue = (path: string, over: Partial<QueueInForce> = {}): QueueInForce => ({
  path,
  max: { memory: 10 },
  guaranteed: null,
  delayMs: 60_000,
  parent: false,
  ...over,
});

describe('changes', () => {
  it('are one event for each queue whose max or delay is another, with the values before and after', () => {
    const before = [queue('root.a'), queue('root.b'), queue('root.c')];
    const after = [queue('root.a', { max: { memory: 5 } }), queue('root.b', { delayMs: 0 }), queue('root.c')];
    expect(changes('p', before, after)).toEqual([
      {
        name: 'QuotaChanged',
        data: {
          partition: 'p',
          queue: 'root.a',
          previous: { max: { memory: 10 }, delayMs: 60_000 },
          current: { max: { memory: 5 }, delayMs: 60_000 },
        },
      },
      {
        name: 'QuotaChanged',
        data: {
          partition: 'p',
          queue: 'root.b',
          previous: { max: { memory: 10 }, delayMs: 60_000 },
          current: { max: { memory: 10 }, delayMs: 0 },
        },
      },
    ]);
  });

  it('count a queue that was in no configuration as without limit and without delay', () => {
    expect(changes('p', [], [queue('root.a')])).toEqual([
      expect.objectContaining({
        data: expect.objectContaining({ previous: { max: null, delayMs: 0 } }),
      }),
    ]);
    expect(changes('p', [], [queue('root', { max: null, delayMs: 0 })])).toEqual([]);
  });

  it('name queues that left, with what they had', () => {
    expect(changes('p', [queue('root.a'), queue('root.b')], [queue('root.b')])).toEqual([
      {
        name: 'QueueRemoved',
        data: { partition: 'p', queue: 'root.a', previous: { max: { memory: 10 }, delayMs: 60_000 } },
      },
    ]);
  });

  it('ignore guaranteed amounts, and the order of types', () => {
    const before = queue('root.a', { max: { memory: 10, vcore: 5 } });
    const after = queue('root.a', { max: { vcore: 5, memory: 10 }, guaranteed: { memory: 3 } });
    expect(changes('p', [before], [after])).toEqual([]);
  });
});
