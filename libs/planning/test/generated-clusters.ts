import fc from 'fast-check';
import type {
  AllocationRole,
  AllocationState,
  ClusterSnapshot,
  QuotaDecreaseSettings,
  QuotaDecreaseTrigger,
  SnapshotAllocation,
  SnapshotQueue,
} from '#contracts';

/** One complete input of a plan. */
export interface PlanCase {
  snapshot: ClusterSnapshot;
  trigger: QuotaDecreaseTrigger;
  settings: QuotaDecreaseSettings;
}

const TYPES = ['memory', 'vcore', 'gpu', 'Pods'];
/** Names whose order by code units is not that of people, nor that of their paths. */
const NAMES = ['a', 'b', 'B', 'a-1', 'é'];
const IDS = ['x', 'Z', 'é', '\u{1f600}', '\uff5e', '10', '9'];
const TIMES = [
  '2026-11-21T09:00:00.000Z',
  '2026-11-21T10:00:00.000+01:00',
  '2026-11-21T09:00:00.001Z',
  '2026-11-21T09:00:00.0019Z',
  '2026-11-21T08:00:00Z',
];
const oneOf = <T>(...items: T[]): fc.Arbitrary<T> => fc.constantFrom(...items);
/** Mostly the first one: exceptions in every queue would leave nothing to plan. */
const mostly = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: oneOf(...others) });
const often = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: oneOf(...others) });
const type = fc.oneof(
  { weight: 3, arbitrary: oneOf('memory', 'vcore') },
  { weight: 1, arbitrary: oneOf(...TYPES) },
);

/** Small amounts collide and tie; large ones overflow every product. */
const amount = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 12 }) },
  { weight: 1, arbitrary: fc.integer({ min: 2 ** 40, max: 2 ** 44 }) },
);

const seedOfAllocation = fc.record(
  {
    leaf: fc.nat(),
    application: fc.nat(2),
    resources: fc.oneof(
      { weight: 5, arbitrary: fc.dictionary(type, amount, { minKeys: 1, maxKeys: 3 }) },
      { weight: 1, arbitrary: fc.dictionary(type, amount) },
    ),
    node: fc.option(oneOf('n1', 'n2', 'n3', 'n10'), { nil: undefined, freq: 5 }),
    startedAt: oneOf(...TIMES),
    priority: fc.option(fc.integer({ min: -1, max: 2 }), { nil: undefined }),
    role: often<AllocationRole | undefined>(undefined, 'task', 'originator', 'daemon', 'placeholder'),
    allowPreemption: oneOf(undefined, true, false),
    protected: often<boolean | undefined>(undefined, true, false),
    state: often<AllocationState | undefined>(undefined, 'running', 'releasing', 'preempting'),
  },
  { requiredKeys: ['leaf', 'application', 'resources', 'startedAt'] },
);

/** A tree as the parents of its queues: queue i + 1 stands below one of the i + 1 queues before it. */
const tree = fc.array(fc.record({ parent: fc.nat(), name: oneOf(...NAMES) }), { maxLength: 9, size: 'max' });

/** How much of its usage a queue has guaranteed, in percent by type; absent = not set. */
const guaranteed = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.dictionary(type, fc.integer({ min: 0, max: 70 }), { maxKeys: 2 }) },
  { weight: 1, arbitrary: fc.dictionary(oneOf(...TYPES), fc.integer({ min: 0, max: 110 }), { maxKeys: 3 }) },
);
const max = fc.oneof(
  { weight: 4, arbitrary: fc.dictionary(type, fc.integer({ min: 0, max: 90 }), { minKeys: 1, maxKeys: 2 }) },
  { weight: 1, arbitrary: fc.dictionary(oneOf(...TYPES), fc.integer({ min: 0, max: 110 }), { maxKeys: 4 }) },
);

const settings: fc.Arbitrary<QuotaDecreaseSettings> = fc.record(
  {
    victimOrder: oneOf('preference', 'closest-match'),
    nodeAware: fc.boolean(),
    fit: oneOf('cover', 'within'),
    miss: oneOf(0, 0, 7, 33, 100),
    feasibility: oneOf('best-effort', 'best-effort', 'all-or-nothing'),
    guaranteedTypes: oneOf('all', 'all', 'lowered'),
    quotaPreemptionEnabled: mostly<boolean | null>(null, true, false),
    protect: fc.record(
      {
        queues: fc.subarray(['root.a', 'root.b.a', 'root.nowhere'], { maxLength: 1 }),
        applications: fc.subarray(['app-0', 'app-1', 'app-2'], { maxLength: 1 }),
        users: fc.subarray(['u0', 'u1'], { maxLength: 1 }),
        allocations: fc.subarray(['x0', 'Z1', 'é2'], { maxLength: 1 }),
        priorityAtLeast: oneOf(null, 2),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

/** Deep trees, several types, guaranteed amounts at all levels, everything that settings and allocations can be. */
export const planCase: fc.Arbitrary<PlanCase> = fc
  .record({
    tree,
    allocations: fc.array(seedOfAllocation, { minLength: 1, maxLength: 30, size: 'max' }),
    limits: fc.array(
      fc.record({ guaranteed, dynamic: mostly(false, true), enforcing: mostly(false, true) }),
      {
        minLength: 10,
        maxLength: 10,
      },
    ),
    at: fc.oneof(fc.constant(0), fc.constant(1), fc.nat()),
    max,
    target: fc.option(fc.dictionary(oneOf(...TYPES, 'nobody'), fc.integer({ min: 0, max: 30 })), {
      nil: undefined,
      freq: 4,
    }),
    priorities: fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 })),
    settings: fc.oneof(fc.constant({}), settings),
  })
  .map((seed): PlanCase => {
    const paths = ['root'];
    for (const { parent, name } of seed.tree) {
      const path = `${paths[parent % paths.length]}.${name}`;
      if (!paths.includes(path)) paths.push(path);
    }
    const leaves = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}.`)));
    const allocations = seed.allocations.map(
      ({ leaf, application, ...rest }, i): SnapshotAllocation => ({
        ...rest,
        id: `${IDS[i % IDS.length]}${i}`,
        application: `app-${application}`,
        queue: leaves[leaf % leaves.length]!,
      }),
    );
    // The queue of an application does not matter to this policy.
    const applications = [0, 1, 2].map((i) => ({
      id: `app-${i}`,
      queue: 'root',
      ...(i < 2 ? { user: `u${i}`, priority: seed.priorities[i as 0 | 1] } : {}),
    }));
    const part = (path: string, percent: Record<string, number>): Record<string, number> =>
      Object.fromEntries(
        Object.entries(percent).map(([type, share]) => {
          const below = allocations.filter(({ queue }) => queue === path || queue.startsWith(`${path}.`));
          const usage = below.reduce((sum, { resources }) => sum + (resources[type] ?? 0), 0);
          return [type, Math.floor((usage * share) / 100)];
        }),
      );
    const at = paths[seed.at % paths.length]!;
    const queues = paths.map((path, i): SnapshotQueue => {
      const { guaranteed, dynamic, enforcing } = seed.limits[i]!;
      return {
        path,
        guaranteed: part(path, guaranteed),
        dynamic,
        enforcing,
        ...(path === at ? { max: part(path, seed.max) } : {}),
      };
    });
    return {
      snapshot: {
        apiVersion: 'curtail/v1',
        kind: 'ClusterSnapshot',
        takenAt: '2026-11-21T12:00:00.000Z',
        partition: 'default',
        queues,
        applications,
        allocations,
      },
      trigger: {
        policy: 'quota-decrease',
        queue: at,
        ...(seed.target === undefined ? {} : { target: seed.target }),
      },
      settings: seed.settings,
    };
  });

/**
 * The same without exceptions: everything runs, may be taken and is small, and the queue has children. Here sharing out,
 * further rounds and reprieves do their work.
 */
export const crowdedCase: fc.Arbitrary<PlanCase> = planCase.map(({ snapshot, trigger, settings }) => ({
  snapshot: {
    ...snapshot,
    queues: snapshot.queues.map((queue) => ({ ...queue, dynamic: false, enforcing: false })),
    allocations: snapshot.allocations.map(({ role: _role, state: _state, resources, ...allocation }) => ({
      ...allocation,
      resources: Object.fromEntries(
        Object.entries(resources).map(([name, units]) => [name, units > 100 ? units : units % 6]),
      ),
    })),
  },
  trigger,
  settings: { ...settings, protect: null, quotaPreemptionEnabled: true },
}));

const CARE_TIMES = [
  ...TIMES,
  '2026-11-21T12:00:00Z',
  '2026-11-21T12:00:00.001Z',
  '2026-11-21T11:59:00Z',
  '2026-11-21T11:59:00.001Z',
];
const perhaps = <T>(value: fc.Arbitrary<T>, freq = 2): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq });
const budgetIds = ['web', 'db', 'Ab', 'é'];

const careSettings: fc.Arbitrary<QuotaDecreaseSettings> = fc.record(
  {
    minRunSeconds: often(0, 10_800, 10_801, 14_400),
    ageFrom: oneOf('start', 'checkpoint'),
    disruptionBudgets: oneOf('respect', 'last', 'last', 'ignore'),
    ownerBudgets: fc.array(
      fc.record({
        per: oneOf('user', 'application', 'queue'),
        victims: fc.integer({ min: 0, max: 6 }),
        seconds: oneOf(0, 60, 3600),
      }),
      { maxLength: 2 },
    ),
    gangs: oneOf('whole', 'whole', 'spare', 'ignore'),
  },
  { requiredKeys: [] },
);

const careOfQueue = fc.record({
  minRun: often<string | number | undefined>(undefined, '3h', 10_800, '10800001ms', '0', 0),
  share: often<number | undefined>(undefined, 0, 10, 33, 50, 100),
  shareAsText: fc.boolean(),
  limit: often<Record<string, string> | undefined>(
    undefined,
    { memory: '5' },
    { memory: '12', vcore: '4m' },
    { gpu: '0', Pods: '3' },
    { vcore: '9m', memory: '30' },
  ),
  limitAsText: fc.boolean(),
});

/** Clusters of the other cases, with all inputs of victim care. */
export const careCase: fc.Arbitrary<PlanCase> = fc
  .record({
    plan: fc.oneof(planCase, crowdedCase, crowdedCase),
    settings: careSettings,
    queues: fc.array(careOfQueue, { minLength: 10, maxLength: 10 }),
    budgets: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 4, maxLength: 4 }),
    allocations: fc.array(
      fc.record({
        checkpointedAt: perhaps(oneOf(...CARE_TIMES)),
        budgets: fc.oneof(fc.constant<string[]>([]), fc.subarray(budgetIds, { maxLength: 3 })),
      }),
      { minLength: 30, maxLength: 30 },
    ),
    gangs: fc.array(perhaps(fc.integer({ min: 1, max: 8 })), { minLength: 3, maxLength: 3 }),
    recentVictims: fc.array(
      fc.record({
        user: oneOf('u0', 'u1', 'gone', undefined),
        application: oneOf('app-0', 'app-1', 'app-2', 'gone'),
        queue: oneOf('root', 'root.a', 'root.b', 'root.gone'),
        at: oneOf(...CARE_TIMES.slice(5), '2026-11-21T11:00:00Z', '2026-11-21T11:00:00.001Z'),
      }),
      { maxLength: 4 },
    ),
  })
  .map((seed): PlanCase => {
    const { snapshot, trigger, settings } = seed.plan;
    const sums = new Map<string, number>();
    const queues = snapshot.queues.map((queue, i): SnapshotQueue => {
      const { minRun, share, shareAsText, limit, limitAsText } = seed.queues[i]!;
      const parent = queue.path.slice(0, queue.path.lastIndexOf('.'));
      const sum = (sums.get(parent) ?? 0) + (share ?? 0);
      const fits = share !== undefined && (sum <= 100 || queue.dynamic === true);
      if (fits && queue.dynamic !== true) sums.set(parent, sum);
      const properties = {
        ...(minRun === undefined ? {} : { 'quota.preemption.min.run': minRun }),
        ...(fits ? { 'quota.preemption.share': shareAsText ? String(share) : share } : {}),
        ...(limit === undefined
          ? {}
          : { 'quota.preemption.limit': limitAsText ? JSON.stringify(limit) : limit }),
      };
      return { ...queue, properties };
    });
    const applications = snapshot.applications.map((application, i) => {
      const minMembers = seed.gangs[i];
      return minMembers === undefined ? application : { ...application, gang: { minMembers } };
    });
    const allocations = snapshot.allocations.map((allocation, i): SnapshotAllocation => {
      const { checkpointedAt, budgets } = seed.allocations[i]!;
      return { ...allocation, budgets, ...(checkpointedAt === undefined ? {} : { checkpointedAt }) };
    });
    return {
      snapshot: {
        ...snapshot,
        queues,
        applications,
        allocations,
        budgets: budgetIds.map((id, i) => ({ id, allowed: seed.budgets[i]! })),
        recentVictims: seed.recentVictims.map(({ user, ...victim }) =>
          user === undefined ? victim : { ...victim, user },
        ),
      },
      trigger,
      settings: { ...settings, ...seed.settings },
    };
  });

/** The same with gangs that stand in one queue each, mostly, and few other inputs at once: here units go, and are given back. */
export const gangCase: fc.Arbitrary<PlanCase> = fc
  .record({
    plan: careCase,
    crowded: crowdedCase,
    parts: fc.subarray(['guaranteed', 'run', 'share', 'limit', 'budgets', 'owners', 'stray'], {
      maxLength: 3,
    }),
    gangs: fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: 1, max: 5 }))),
    gangSetting: mostly<QuotaDecreaseSettings['gangs']>('whole', 'spare', 'ignore'),
    amounts: fc.array(fc.dictionary(type, fc.integer({ min: 1, max: 4 }), { minKeys: 1, maxKeys: 2 }), {
      minLength: 30,
      maxLength: 30,
    }),
  })
  .map(({ plan, crowded, parts, gangs, gangSetting, amounts }): PlanCase => {
    const has = (part: string): boolean => parts.includes(part);
    const from = plan.snapshot;
    const leaves = [...new Set(crowded.snapshot.allocations.map(({ queue }) => queue))];
    return {
      snapshot: {
        ...crowded.snapshot,
        budgets: (from.budgets ?? []).map(({ id, allowed }) => ({
          id,
          allowed: has('budgets') ? allowed : 99,
        })),
        recentVictims: from.recentVictims ?? [],
        queues: crowded.snapshot.queues.map(({ guaranteed, ...queue }, i) => {
          const given = from.queues[i]?.properties ?? {};
          const kept = Object.entries(given).filter(([name]) => parts.some((part) => name.endsWith(part)));
          // Shares fit only into the tree that they were made for.
          const fits =
            has('share') && from.queues.every(({ path }, j) => crowded.snapshot.queues[j]?.path === path);
          return {
            ...queue,
            ...(has('guaranteed') ? { guaranteed } : {}),
            properties: Object.fromEntries(kept.filter(([name]) => fits || !name.endsWith('share'))),
          };
        }),
        applications: crowded.snapshot.applications.map((application, i) => ({
          ...application,
          gang: { minMembers: gangs[i]! },
        })),
        allocations: crowded.snapshot.allocations.map((allocation, i) => ({
          ...allocation,
          resources: amounts[i]!,
          application: has('stray') ? allocation.application : `app-${leaves.indexOf(allocation.queue) % 3}`,
          budgets: from.allocations[i]?.budgets ?? [],
          ...(from.allocations[i]?.checkpointedAt === undefined
            ? {}
            : { checkpointedAt: from.allocations[i]!.checkpointedAt! }),
        })),
      },
      trigger: { policy: 'quota-decrease', queue: crowded.trigger.queue, target: { memory: 10, vcore: 7 } },
      settings: {
        ...crowded.settings,
        ...plan.settings,
        ...(has('run') ? {} : { minRunSeconds: 0 }),
        ...(has('owners') ? {} : { ownerBudgets: null }),
        fit: crowded.settings.fit ?? 'cover',
        feasibility: null,
        protect: null,
        quotaPreemptionEnabled: true,
        gangs: gangSetting ?? 'whole',
      },
    };
  });
