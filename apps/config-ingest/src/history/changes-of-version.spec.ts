import { describe, expect, it } from '@jest/globals';
import type { QueueInForce } from '#clusters';
import { changesOfVersion } from './changes-of-version.js';

const queue = (path: string, memory: number, more: Partial<QueueInForce> = {}): QueueInForce => ({
  path,
  max: { memory, vcore: 1000 },
  guaranteed: null,
  delayMs: 0,
  parent: false,
  ...more,
});
const version = (queues: QueueInForce[]) => ({ quotaPreemptionEnabled: true, policies: {}, queues });
const many = (from: number, to: number, memory: number) =>
  Array.from({ length: to - from }, (_, i) => queue(`root.q${from + i}`, memory));

describe('the changes of a version', () => {
  it('count all queues, and list the first thousand, those that were removed last', () => {
    const { changes, ...counts } = changesOfVersion(
      'default',
      version([...many(0, 900, 10), ...many(900, 5000, 10)]),
      version([...many(0, 900, 5), ...many(900, 3000, 10), ...many(6000, 6050, 1)]),
    );
    expect(counts).toEqual({ added: 50, changed: 900, removed: 2000 });
    expect(changes.queues).toHaveLength(1000);
    expect([
      changes.queues[0],
      changes.queues[900],
      changes.queues[950],
      changes.queues.at(-1),
    ]).toMatchObject([
      { path: 'root.q0', change: 'changed', max: [{ type: 'memory', change: 'lower', from: 10, to: 5 }] },
      { path: 'root.q6000', change: 'new' },
      { path: 'root.q3000', change: 'removed' },
      { path: 'root.q3049', change: 'removed' },
    ]);
  });

  it('are all those that plans depend on', () => {
    const of = (more: Partial<QueueInForce>) => {
      const { changes, changed } = changesOfVersion(
        'default',
        version([queue('root.a', 10)]),
        version([queue('root.a', 10, more)]),
      );
      expect(changes.queues).toHaveLength(changed);
      return changed;
    };
    expect(of({ max: { vcore: 1000, memory: 10 }, properties: {}, clusterShare: null })).toBe(0);
    expect(of({ delayMs: 1 })).toBe(1);
    expect(of({ guaranteed: { memory: 1 } })).toBe(1);
    expect(of({ properties: { miss: 'stop' } })).toBe(1);
    expect(of({ clusterShare: { max: '1/4' } })).toBe(1);
  });
});
