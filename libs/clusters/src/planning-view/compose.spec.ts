import { describe, expect, it } from '@jest/globals';
import type { ClusterSnapshot, SnapshotAllocation } from '#contracts';
import { composeSnapshot, type Overlay } from './compose.js';

const allocation = (id: string, over: Partial<SnapshotAllocation> = {}): SnapshotAllocation => ({
  id,
  application: 'app',
  queue: 'root.a',
  resources: { memory: 1 },
  startedAt: '2026-01-01T00:00:00Z',
  ...over,
});

const cluster = (over: Partial<ClusterSnapshot> = {}): ClusterSnapshot => ({
  apiVersion: 'curtail/v1',
  kind: 'ClusterSnapshot',
  takenAt: '2026-01-01T00:00:00Z',
  partition: 'default',
  queues: [{ path: 'root.a' }, { path: 'root' }],
  applications: [{ id: 'app', queue: 'root.a' }],
  allocations: [allocation('a-1')],
  ...over,
});

const overlay = (over: Partial<Overlay> = {}): Overlay => ({
  queues: [],
  enforcing: new Set(),
  preempting: [],
  ...over,
});

const inForce = (path: string, over: object = {}) => ({
  path,
  max: null,
  guaranteed: null,
  delayMs: 0,
  parent: false,
  ...over,
});

describe('composeSnapshot', () => {
  it('takes the limits from the configuration alone', () => {
    const known = cluster({ queues: [{ path: 'root' }, { path: 'root.a', max: { memory: 99 } }] });
    const { queues } = composeSnapshot(
      known,
      overlay({ queues: [inForce('root.a', { max: { memory: 5 }, guaranteed: { memory: 2 } })] }),
    );
    expect(queues).toEqual([
      { path: 'root' },
      { path: 'root.a', max: { memory: 5 }, guaranteed: { memory: 2 } },
    ]);
    expect(composeSnapshot(known, overlay({ queues: [inForce('root.a')] })).queues).toEqual([
      { path: 'root' },
      { path: 'root.a' },
    ]);
  });

  it('calls a queue dynamic that the configuration does not have, but never root', () => {
    expect(composeSnapshot(cluster(), overlay()).queues).toEqual([
      { path: 'root' },
      { path: 'root.a', dynamic: true },
    ]);
  });

  it('has every queue of both and the whole chain of each, by path', () => {
    const { queues } = composeSnapshot(
      cluster({ queues: [{ path: 'root.z.y' }] }),
      overlay({ queues: [inForce('root.b.c'), inForce('root.b')] }),
    );
    expect(queues.map(({ path }) => path)).toEqual(['root', 'root.b', 'root.b.c', 'root.z', 'root.z.y']);
  });

  it('marks queues with a run, and keeps the properties that the cluster knows', () => {
    const { queues } = composeSnapshot(
      cluster({ queues: [{ path: 'root.a', properties: { tier: 'gold' } }] }),
      overlay({ queues: [inForce('root.a')], enforcing: new Set(['root.a']) }),
    );
    expect(queues[1]).toEqual({ path: 'root.a', enforcing: true, properties: { tier: 'gold' } });
  });

  it('gives a queue the properties of the configuration, and beside them those of the cluster', () => {
    const { queues } = composeSnapshot(
      cluster({ queues: [{ path: 'root.a', properties: { tier: 'gold', weight: 1 } }] }),
      overlay({ queues: [inForce('root.a', { properties: { weight: 2 } }), inForce('root.b')] }),
    );
    expect(queues[1]).toEqual({ path: 'root.a', properties: { tier: 'gold', weight: 2 } });
    expect(queues[2]).toEqual({ path: 'root.b' });
  });

  it('counts planned victims that still run as leaving, and leaves all others as they are', () => {
    const allocations = [
      allocation('planned'),
      allocation('planned-gone', { state: 'releasing' }),
      allocation('other', { state: 'running' }),
    ];
    const composed = composeSnapshot(
      cluster({ allocations }),
      overlay({ preempting: ['planned', 'planned-gone', 'elsewhere'].map((id) => [id, null]) }),
    );
    expect(composed.allocations).toEqual([
      { ...allocations[0], state: 'preempting' },
      allocations[1],
      allocations[2],
    ]);
  });

  it('counts another incarnation of a planned victim as staying', () => {
    const allocations = [
      allocation('planned', { uid: 'u1' }),
      allocation('replaced', { uid: 'u2' }),
      allocation('planned-again', { uid: 'u2' }),
    ];
    const preempting = [
      ...(['planned', 'replaced', 'planned-again'] as const).map((id) => [id, 'u1'] as const),
      ['planned-again', 'u2'] as const,
    ];
    const composed = composeSnapshot(cluster({ allocations }), overlay({ preempting }));
    expect(composed.allocations.map(({ id, state }) => [id, state])).toEqual([
      ['planned', 'preempting'],
      ['replaced', undefined],
      ['planned-again', 'preempting'],
    ]);
  });
});
