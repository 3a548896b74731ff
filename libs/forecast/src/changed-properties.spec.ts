import { describe, expect, it } from '@jest/globals';
import { changedProperties } from './changes.js';

describe('queues whose properties for policies change', () => {
  const queue = (path: string, properties?: Record<string, unknown> | null) => ({
    path,
    ...(properties === undefined ? {} : { properties }),
  });

  it('are those whose properties change, come or go, as long as the queue stays', () => {
    const before = [
      queue('root'),
      queue('root.a', { weight: 2 }),
      queue('root.b'),
      queue('root.c', { weight: 1 }),
      queue('root.gone', { weight: 9 }),
    ];
    const after = [
      queue('root', null),
      queue('root.a', { weight: 3 }),
      queue('root.b', { mode: 'fifo' }),
      queue('root.c', {}),
      queue('root.new', { weight: 1 }),
    ];
    expect(changedProperties(before, after)).toEqual(['root.a', 'root.b', 'root.c']);
  });

  it('are none where only their order differs', () => {
    const one = [queue('root.a', { weight: 2, mode: 'fifo' })];
    expect(changedProperties(one, [queue('root.a', { mode: 'fifo', weight: 2 })])).toEqual([]);
  });
});
