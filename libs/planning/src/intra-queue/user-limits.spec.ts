import { expect, it } from '@jest/globals';
import type { ClusterSnapshot } from '#contracts';
import { planGiven } from '#planning';

const PEBI = 2 ** 50;

/** Two users that hold five times the vcores of the cluster each, and nearly none of its memory. */
const crowded: ClusterSnapshot = {
  apiVersion: 'curtail/v1',
  kind: 'ClusterSnapshot',
  takenAt: '2026-11-21T10:00:00Z',
  partition: 'default',
  nodes: [{ id: 'n1', capacity: { memory: PEBI, vcore: 1000 } }],
  queues: [
    {
      path: 'root',
      guaranteed: { memory: PEBI, vcore: 1000 },
      max: { memory: Number.MAX_SAFE_INTEGER, vcore: 100_000 },
      properties: { minimumUserLimitPercent: 10, userLimitFactor: -1 },
    },
  ],
  applications: ['u1', 'u2'].map((user) => ({
    id: `app-${user}`,
    queue: 'root',
    user,
    submittedAt: '2026-11-21T09:00:00Z',
    pending: [{ resources: { memory: 1 }, count: 1 }],
  })),
  allocations: ['u1', 'u2'].map((user) => ({
    id: `of-${user}`,
    application: `app-${user}`,
    queue: 'root',
    resources: { memory: 1, vcore: 5000 },
    startedAt: '2026-11-21T09:01:00Z',
  })),
};

it('a share is exact where what is shared passes 2^53', () => {
  const plan = planGiven({
    snapshot: crowded,
    trigger: { policy: 'intra-queue' },
    settings: { resourceCalculator: 'dominant', explain: true },
  });
  // Half of ten times the cluster and one base unit, rounded up.
  const limit = { memory: 5 * PEBI + 1, vcore: 5001 };
  expect(plan.shares[0]!.users!.map((user) => user.limit)).toEqual([limit, limit]);
});
