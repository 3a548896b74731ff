import type { ClusterSnapshot, SnapshotAllocation, SnapshotQueue } from '#contracts';

export interface Shape {
  name: string;
  allocations: number;
  /** Children of the queue that is planned, on one level each: `[20, 50]` = 20 children with 50 leaves each; `[]` = a leaf. */
  fanOut: number[];
}

/** A small generator of numbers that are the same on every machine (xorshift); `next(n)` is a whole number below n. */
export function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/**
 * A cluster whose queue `root.p` uses about 40 % more memory and vcore than its new max allows, with guaranteed amounts at
 * the queue and at every third leaf, some daemons, originators and allocations that are leaving.
 */
export function syntheticSnapshot(shape: Shape): ClusterSnapshot {
  const next = numbers(20_261_121);
  const queues: SnapshotQueue[] = [{ path: 'root' }, { path: 'root.p' }];
  let leaves = ['root.p'];
  for (const width of shape.fanOut) {
    leaves = leaves.flatMap((path) => Array.from({ length: width }, (_, i) => `${path}.q${i}`));
    for (const path of leaves) queues.push({ path });
  }
  const perLeaf = shape.allocations / leaves.length;
  const applications = leaves.flatMap((queue, leaf) =>
    Array.from({ length: Math.ceil(perLeaf / 50) }, (_, i) => ({
      id: `application-${leaf}-${i}`,
      queue,
      user: `user-${next(200)}`,
      priority: next(5),
      submittedAt: '2026-11-21T07:00:00.000Z',
    })),
  );
  const perApplication = Math.ceil(shape.allocations / applications.length);

  let memory = 0;
  let vcore = 0;
  const allocations: SnapshotAllocation[] = [];
  for (let i = 0; i < shape.allocations; i++) {
    const application = applications[Math.floor(i / perApplication)]!;
    const resources = { memory: (1 + next(16)) * 2 ** 29, vcore: (1 + next(8)) * 500 };
    memory += resources.memory;
    vcore += resources.vcore;
    const allocation: SnapshotAllocation = {
      id: `allocation-${i.toString(36)}-${next(1_000_000)}`,
      application: application.id,
      queue: application.queue,
      node: `node-${next(1000)}`,
      resources,
      startedAt: new Date(Date.UTC(2026, 10, 21, 8) + next(7_200_000)).toISOString(),
    };
    const kind = next(100);
    if (kind < 2) allocation.role = 'daemon';
    else if (kind < 5) allocation.role = 'originator';
    if (kind >= 90) allocation.allowPreemption = false;
    if (kind >= 50 && kind < 70) allocation.priority = next(10);
    if (kind === 20) allocation.state = 'releasing';
    allocations.push(allocation);
  }
  queues[1] = {
    path: 'root.p',
    max: { memory: Math.floor(memory * 0.7), vcore: Math.floor(vcore * 0.7) },
    guaranteed: { memory: Math.floor(memory * 0.2) },
  };
  queues.forEach((queue, i) => {
    if (i > 1 && i % 3 === 0 && leaves.includes(queue.path))
      queue.guaranteed = { memory: Math.floor((memory / leaves.length) * 0.5) };
  });
  return {
    apiVersion: 'curtail/v1',
    kind: 'ClusterSnapshot',
    takenAt: '2026-11-21T10:00:00.000Z',
    partition: 'default',
    queues,
    applications,
    allocations,
  };
}

/**
 * A full cluster for in-queue preemption: `tenths` times 10 queues with 20 applications and 1,000 allocations each, of `tenths`
 * times 20 users. A third of the applications waits, the later ones rather than the earlier; every queue is full.
 */
export function inQueueSnapshot(tenths: number): ClusterSnapshot {
  const next = numbers(20_261_122);
  const queueCount = tenths * 10;
  const perQueue = 1000;
  const perApplication = 50;
  const queues: SnapshotQueue[] = [{ path: 'root' }];
  const applications: ClusterSnapshot['applications'] = [];
  const allocations: SnapshotAllocation[] = [];
  let [memory, vcore] = [0, 0];
  for (let q = 0; q < queueCount; q++) {
    const path = `root.q${q}`;
    const used = { memory: 0, vcore: 0 };
    for (let a = 0; a < perQueue / perApplication; a++) {
      const id = `application-${q}-${a}`;
      const waits = next(10) < a / 3;
      applications.push({
        id,
        queue: path,
        user: `user-${next(tenths * 20)}`,
        priority: next(5),
        submittedAt: new Date(Date.UTC(2026, 10, 21, 7) + a * 60_000 + next(1000)).toISOString(),
        pending: waits ? [{ resources: { memory: 2 ** 30, vcore: 1000 }, count: 20 + next(200) }] : [],
      });
      for (let i = 0; i < perApplication; i++) {
        const resources = { memory: (1 + next(16)) * 2 ** 29, vcore: (1 + next(8)) * 500 };
        used.memory += resources.memory;
        used.vcore += resources.vcore;
        allocations.push({
          id: `container-${q}-${a}-${i}`,
          application: id,
          queue: path,
          node: `node-${next(1000)}`,
          resources,
          startedAt: new Date(Date.UTC(2026, 10, 21, 8) + next(7_200_000)).toISOString(),
          ...(i === 0 ? { role: 'originator' as const } : {}),
        });
      }
    }
    queues.push({ path, guaranteed: used, max: used, properties: { minimumUserLimitPercent: 5 } });
    memory += used.memory;
    vcore += used.vcore;
  }
  return {
    apiVersion: 'curtail/v1',
    kind: 'ClusterSnapshot',
    takenAt: '2026-11-21T10:00:00.000Z',
    partition: 'default',
    nodes: [{ id: 'node-0', capacity: { memory, vcore } }],
    queues,
    applications,
    allocations,
  };
}
