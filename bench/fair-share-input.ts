import type { ClusterSnapshot, SnapshotAllocation, SnapshotApplication, SnapshotQueue } from '#contracts';
import { numbers } from './inputs.js';

export interface TreeShape {
  nodes: number;
  pools: number;
  operations: number;
  allocations: number;
  /** Every ask has a size of its own; else there are some 120. */
  distinctSizes?: boolean;
}

const GIB = 2 ** 30;

/**
 * A cluster that is full but for remainders, on which most operations want more: a third of them has held little for an hour, so
 * that hundreds starve, some of them aggressively. Weights, guarantees, limits, fifo pools, gangs, hints and roles are mixed in; a
 * hundredth of the nodes holds more than its capacity, some operations are over their limits, and asks have some 120 sizes.
 */
export function syntheticTree(shape: TreeShape): ClusterSnapshot {
  const next = numbers(20_261_123);
  const queues: SnapshotQueue[] = [{ path: 'root' }];
  const top = Math.ceil(shape.pools / 25);
  for (let i = 1; i < shape.pools; i++) {
    const path = i <= top ? `root.t${i}` : `root.t${1 + (i % top)}.p${i}`;
    const properties: Record<string, unknown> = { weight: 1 + next(8) };
    if (i > top && i % 17 === 0) properties.mode = 'fifo';
    if (i % 3 === 0) properties.enableAggressiveStarvation = true;
    const queue: SnapshotQueue = { path, properties };
    if (i % 4 === 0) queue.guaranteed = { vcore: Math.floor((shape.nodes * 64_000) / shape.pools / 4) };
    queues.push(queue);
  }
  const leaves = queues.slice(top + 1);
  let asks = 0;
  const applications: SnapshotApplication[] = Array.from({ length: shape.operations }, (_, i) => {
    const pending = Array.from({ length: next(10) < 7 ? 1 + next(2) : 0 }, () => {
      const memory = (1 + next(12)) * GIB + (shape.distinctSizes ? 4096 * asks++ : 0);
      return { resources: { memory, pods: 1, vcore: (1 + next(10)) * 250 }, count: 1 + next(40) };
    });
    const properties: Record<string, unknown> = { weight: 1 + next(4) };
    if (next(40) === 0) properties.isGang = true;
    if (next(3) === 0) properties.belowFairShareSince = '2026-11-21T09:00:00.000Z';
    if (next(200) === 0) properties.resourceLimits = { vcore: 4000 };
    return {
      id: `operation-${i.toString(36)}-${next(1000)}`,
      queue: leaves[next(leaves.length)]!.path,
      user: `user-${next(200)}`,
      submittedAt: new Date(Date.UTC(2026, 10, 21, 6) + next(7_200_000)).toISOString(),
      pending,
      properties,
    };
  });
  // Those that are below for long hold little: they get one allocation for every eight of another one.
  const draws = applications.flatMap((application, i) => {
    const holdsLittle = application.properties?.belowFairShareSince !== undefined;
    return holdsLittle && i % 8 !== 0 ? [] : [application];
  });
  const used = Array.from({ length: shape.nodes }, () => ({ memory: 0, pods: 0, vcore: 0 }));
  const allocations: SnapshotAllocation[] = [];
  for (let i = 0; i < shape.allocations; i++) {
    const node = i % shape.nodes;
    const resources = { memory: (1 + next(8)) * GIB, pods: 1, vcore: (1 + next(8)) * 250 };
    used[node]!.memory += resources.memory;
    used[node]!.pods += 1;
    used[node]!.vcore += resources.vcore;
    const application = draws[next(draws.length)]!;
    const allocation: SnapshotAllocation & { interruptible?: boolean } = {
      id: `allocation-${i.toString(36)}-${next(1_000_000)}`,
      application: application.id,
      queue: application.queue,
      node: `node-${node}`,
      resources,
      startedAt: new Date(Date.UTC(2026, 10, 21, 8) + next(7_200_000)).toISOString(),
    };
    const kind = next(100);
    if (kind === 0) allocation.role = 'daemon';
    else if (kind < 3) allocation.role = 'originator';
    else if (kind < 10) allocation.allowPreemption = false;
    else if (kind < 30) allocation.interruptible = false;
    allocations.push(allocation);
  }
  return {
    apiVersion: 'curtail/v1',
    kind: 'ClusterSnapshot',
    takenAt: '2026-11-21T10:00:00.000Z',
    partition: 'default',
    nodes: used.map(({ memory, pods, vcore }, i) => ({
      id: `node-${i}`,
      capacity: {
        memory: memory + (i % 100 === 0 ? -next(8) : next(3)) * GIB,
        pods: pods + next(4),
        vcore: vcore + next(4) * 250,
      },
    })),
    queues,
    applications,
    allocations,
  };
}
