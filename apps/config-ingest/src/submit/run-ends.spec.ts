import { describe, expect, it } from '@jest/globals';
import type { QueueInForce } from '#clusters';
import { runEnds } from './run-ends.js';

const queue = (path: string, over: Partial<QueueInForce> = {}): QueueInForce => ({
  path,
  max: { memory: 10 },
  guaranteed: null,
  delayMs: 0,
  parent: false,
  ...over,
});
const place = { partition: 'p', format: 'capacity-scheduler' as const, clusterSize: { memory: 100 } };
const on = (...queues: QueueInForce[]) => ({ enabled: true, queues });
const off = (...queues: QueueInForce[]) => ({ enabled: false, queues });

describe('a configuration that ends the enforcement of lowered quotas', () => {
  const four = ['root', 'root.a', 'root.b', 'root.c'].map((path) => queue(path, { delayMs: 60_000 }));

  it('is warned of, with the delays that go and how it would stay', () => {
    expect(runEnds(place, on(...four), off(queue('root.a')))).toEqual([
      {
        code: 'enforcement-ends',
        path: 'partition p',
        message:
          'this configuration ends the enforcement of lowered quotas: no clock runs, and runs that have evicted nothing end; a run that is evicting continues until it is cancelled. ' +
          'It removes the delay of 4 queues (root, root.a, root.b and 1 more). ' +
          'It stays on if a queue is given a quota-preemption-delay.',
        about: { kind: 'partition', name: 'p' },
      },
    ]);
  });

  it('is not said to remove delays that stay', () => {
    const [warning] = runEnds(place, on(...four), off(...four));
    expect(warning?.message).not.toContain('removes');
  });

  it('is warned of with what was guaranteed and is no more, or is less or more', () => {
    const shared = (guaranteed: string) => queue('root.same', { clusterShare: { guaranteed } });
    const before = [
      queue('root.gone', { guaranteed: { memory: 5 } }),
      queue('root.other', { guaranteed: { memory: 20 } }),
      queue('root.same', { guaranteed: { memory: 25 } }),
    ];
    const after = [queue('root.other', { guaranteed: { memory: 30 } }), shared('1/4')];
    const [warning] = runEnds(place, on(...before), off(...after));
    expect(warning?.message).toContain('It removes what is guaranteed to 2 queues (root.gone, root.other).');
  });

  it.each([
    ['it stays on', on(...four), on(...four)],
    ['it was off', off(...four), off()],
    ['it begins', off(...four), on()],
  ])('is nothing to warn of where %s', (_case, before, after) => {
    expect(runEnds(place, before, after)).toEqual([]);
  });
});
