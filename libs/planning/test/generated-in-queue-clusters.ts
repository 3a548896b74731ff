import fc from 'fast-check';
import type {
  ClusterSnapshot,
  IntraQueueSettings,
  IntraQueueTrigger,
  Resources,
  SnapshotAllocation,
  SnapshotQueue,
} from '#contracts';

export interface InQueueCase {
  snapshot: ClusterSnapshot;
  trigger: IntraQueueTrigger;
  settings: IntraQueueSettings;
}

const LEAVES = ['root.a', 'root.b.c', 'root.b.d'];
const PATHS = ['root', 'root.a', 'root.b', 'root.b.c', 'root.b.d'];
const USERS = ['u1', 'u2', 'é', '__proto__'];
const TIMES = [
  '2026-11-21T08:00:00Z',
  '2026-11-21T08:00:00.001Z',
  '2026-11-21T09:00:00+00:30',
  '2026-11-21T07:00:00Z',
  '2026-11-21T07:30:00Z',
];
const oneOf = <T>(...items: T[]): fc.Arbitrary<T> => fc.constantFrom(...items);
/** Mostly the first one: exceptions everywhere would leave nothing to plan. */
const mostly = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 10, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: oneOf(...others) });

/** Small amounts collide and tie; large ones overflow every product. */
const amounts = (most: number): fc.Arbitrary<Resources> => {
  const memory = fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 1, max: most }) },
    { weight: 1, arbitrary: fc.integer({ min: 2 ** 40, max: 2 ** 41 }) },
  );
  const vcore = fc.integer({ min: 0, max: most });
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ memory, vcore }) },
    { weight: 2, arbitrary: fc.record({ memory }) },
    { weight: 1, arbitrary: fc.record({ memory, vcore, gpu: fc.integer({ min: 0, max: 2 }) }) },
  );
};

const application = fc.record({
  leaf: fc.nat(5),
  user: fc.nat(3),
  priority: fc.integer({ min: 0, max: 2 }),
  submittedAt: oneOf(...TIMES),
  pending: fc.array(fc.record({ resources: amounts(6), count: fc.integer({ min: 0, max: 4 }) }), {
    maxLength: 2,
  }),
  lastPreemptedAt: mostly<string | undefined>(undefined, '2026-11-21T11:59:59Z', '2026-11-21T10:00:00Z'),
});

const allocation = fc.record(
  {
    application: fc.nat(),
    resources: amounts(6),
    startedAt: oneOf(...TIMES),
    role: mostly<SnapshotAllocation['role']>(undefined, 'originator', 'daemon', 'placeholder'),
    state: mostly<SnapshotAllocation['state']>(undefined, 'releasing', 'preempting'),
    priority: fc.option(fc.integer({ min: -1, max: 2 }), { nil: undefined, freq: 2 }),
    allowPreemption: mostly<boolean | undefined>(undefined, false),
    protected: mostly<boolean | undefined>(undefined, true),
  },
  { requiredKeys: ['application', 'resources', 'startedAt'] },
);

const properties = fc.record(
  {
    minimumUserLimitPercent: oneOf(100, 50, 25, 33.3, 0),
    userLimitFactor: oneOf(1, 0.5, 2, -1, 0.1),
    userWeights: fc.dictionary(oneOf(...USERS.slice(0, 3)), oneOf(0, 0.5, 1, 2, 1.1), { maxKeys: 2 }),
    orderingPolicy: oneOf('fifo' as const, 'fair' as const),
    preemptionOrderPolicy: mostly<string | undefined>(undefined, 'Priority_First', 'userlimit-first'),
    disablePreemption: mostly<boolean | undefined>(undefined, true, false),
    disableIntraQueuePreemption: mostly<boolean | undefined>(undefined, true, false),
    userResourceLimit: mostly<Resources | undefined>(undefined, { memory: 5 }),
    userResourceLimits: mostly<Record<string, Resources> | undefined>(undefined, {
      u1: { memory: 3, vcore: 9 },
    }),
    freedRoom: mostly<Resources | undefined>(undefined, { memory: 4 }, { memory: 9, vcore: 1 }),
  },
  { requiredKeys: [] },
);

const settings: fc.Arbitrary<IntraQueueSettings> = fc.record(
  {
    preemptionOrderPolicy: oneOf('userlimit-first', 'priority-first'),
    resourceCalculator: oneOf('default' as const, 'dominant' as const),
    conservativeDrf: fc.boolean(),
    maxAllowableLimit: oneOf(1, 1, 0.2, 0.55),
    totalPreemptionPerRound: oneOf(1, 1, 0.1, 0.33),
    minimumThreshold: oneOf(0, 0, 0.5, 1),
    minimumAllocation: oneOf<Resources>({}, {}, { memory: 2 }, { memory: 3, vcore: 2 }),
    cooldown: oneOf(0, 60_000),
    fitAware: mostly(false, true),
    enabled: mostly(true, false),
    observeOnly: mostly(false, true),
    protect: mostly<IntraQueueSettings['protect']>(null, { users: ['u2'] }, { allocations: ['x3'] }),
  },
  { requiredKeys: [] },
);

/** Three queues on two levels, each full or nearly so. */
export const inQueueCase: fc.Arbitrary<InQueueCase> = fc
  .record({
    applications: fc.array(application, { minLength: 2, maxLength: 9, size: 'max' }),
    allocations: fc.array(allocation, { minLength: 1, maxLength: 35, size: 'max' }),
    guaranteedPercent: fc.tuple(oneOf(100, 100, 60, 0, 150), oneOf(100, 80), oneOf(100, 200)),
    properties: fc.tuple(...PATHS.map(() => fc.option(properties, { nil: undefined, freq: 3 }))),
    enforcing: mostly(-1, 0, 1, 2, 3),
    hasNodes: mostly(true, false),
    fewerNodes: mostly(0, 1, 20),
    queue: mostly<string | undefined>(undefined, ...LEAVES),
    settings,
  })
  .map((seed): InQueueCase => {
    const applications = seed.applications.map(({ leaf, user, lastPreemptedAt, ...rest }, i) => ({
      ...rest,
      id: `app${(i * 7) % 10}`,
      // Half of them in the first queue.
      queue: LEAVES[Math.max(0, leaf - 3)]!,
      user: USERS[user]!,
      ...(lastPreemptedAt === undefined ? {} : { properties: { lastPreemptedAt } }),
    }));
    const allocations = seed.allocations.map(({ application: at, ...rest }, i): SnapshotAllocation => {
      const owner = applications[at % applications.length]!;
      return { ...rest, id: `x${(i * 13) % 37}`, application: owner.id, queue: owner.queue };
    });
    const used = (path: string, percent: number): Resources => {
      const sums: Record<string, number> = {};
      for (const { queue, resources } of allocations) {
        if (queue !== path && !queue.startsWith(`${path}.`)) continue;
        for (const [type, amount] of Object.entries(resources)) sums[type] = (sums[type] ?? 0) + amount;
      }
      return Object.fromEntries(
        Object.entries(sums).map(([type, sum]) => [type, Math.floor((sum * percent) / 100)]),
      );
    };
    const queues = PATHS.map((path, i): SnapshotQueue => {
      const percent = seed.guaranteedPercent[LEAVES.indexOf(path)] ?? 100;
      return {
        path,
        ...(percent === 0 ? {} : { guaranteed: used(path, percent) }),
        ...(path === 'root.b.d' ? {} : { max: used(path, 110) }),
        ...(seed.properties[i] === undefined ? {} : { properties: seed.properties[i] }),
        enforcing: seed.enforcing === i,
      };
    });
    const whole = used('root', 100);
    const capacity = Object.fromEntries(
      Object.entries(whole).map(([type, amount]) => [type, Math.max(0, amount - seed.fewerNodes)]),
    );
    return {
      snapshot: {
        apiVersion: 'curtail/v1',
        kind: 'ClusterSnapshot',
        takenAt: '2026-11-21T12:00:00.000Z',
        partition: 'default',
        ...(seed.hasNodes ? { nodes: [{ id: 'n1', capacity }] } : {}),
        queues,
        applications,
        allocations,
      },
      trigger: { policy: 'intra-queue', ...(seed.queue === undefined ? {} : { queue: seed.queue }) },
      settings: seed.settings,
    };
  });

/** The same without exceptions: all in one queue that is planned, so that matching, lists and stand-ins do their work. */
export const crowdedInQueueCase: fc.Arbitrary<InQueueCase> = fc
  .tuple(inQueueCase, oneOf(1, 1, 0.3), oneOf(0, 0, 1))
  .map(([{ snapshot, settings }, ceiling, inFlight]) => {
    const applications = snapshot.applications.map((application, i) => ({
      ...application,
      queue: 'root.a',
      user: USERS[i % 3]!,
      properties: {},
    }));
    const allocations = snapshot.allocations.map((allocation, i) => ({
      ...allocation,
      queue: 'root.a',
      state: inFlight === 1 && i % 7 === 0 ? ('preempting' as const) : ('running' as const),
    }));
    const used: Record<string, number> = {};
    for (const { resources } of allocations) {
      for (const [type, amount] of Object.entries(resources)) used[type] = (used[type] ?? 0) + amount;
    }
    const queues = snapshot.queues.map((queue) => {
      const { disablePreemption, disableIntraQueuePreemption, ...properties } = queue.properties ?? {};
      return { ...queue, guaranteed: used, enforcing: false, properties };
    });
    return {
      snapshot: { ...snapshot, nodes: [{ id: 'n1', capacity: used }], queues, applications, allocations },
      trigger: { policy: 'intra-queue' as const, queue: 'root.a' },
      settings: {
        ...settings,
        enabled: true,
        protect: null,
        maxAllowableLimit: ceiling,
        totalPreemptionPerRound: 1,
        minimumThreshold: 0,
      },
    };
  });
