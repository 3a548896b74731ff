import fc from 'fast-check';
import type { ClusterSnapshot, SnapshotAllocation } from '#contracts';

export interface FairShareCase {
  snapshot: ClusterSnapshot;
  settings: Record<string, unknown>;
}

const TAKEN_AT = Date.UTC(2026, 10, 21, 10);
const before = (seconds: number): string => new Date(TAKEN_AT - seconds * 1000).toISOString();
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 2 });

const size = fc.record({ vcore: fc.integer({ min: 0, max: 4 }), memory: fc.integer({ min: 0, max: 3 }) });
const amounts = (most: number): fc.Arbitrary<Record<string, number>> =>
  fc.dictionary(fc.constantFrom('vcore', 'memory'), fc.integer({ min: 0, max: most }), { maxKeys: 2 });
const since = fc.constantFrom(5, 31, 60, 121, 500).map(before);

const poolProperties = fc.record(
  {
    weight: fc.constantFrom(1, 2, 3, 0.5),
    mode: fc.constantFrom('fair_share', 'fair_share', 'fifo'),
    fairShareStarvationTolerance: fc.constantFrom(0, 0.5, 1),
    fairShareStarvationTimeout: fc.constantFrom(0, 60_000),
    enableAggressiveStarvation: fc.boolean(),
    allowAggressivePreemption: fc.boolean(),
    allowNormalPreemption: fc.constantFrom(true, true, false),
    nonPreemptibleResourceUsageThreshold: amounts(4),
    belowFairShareSince: since,
    starvationStatus: fc.constantFrom('non_starving', 'starving', 'aggressively_starving'),
    resourceLimitsOvercommitTolerance: amounts(2),
  },
  { requiredKeys: [] },
);

const operationProperties = fc.record(
  {
    weight: fc.constantFrom(1, 2, 0.3),
    resourceLimits: amounts(12),
    isGang: fc.boolean(),
    suspended: fc.constantFrom(false, false, false, true),
    schedulingTagFilter: fc.constantFrom({}, { zone: 'a' }),
    preemptionMode: fc.constantFrom('normal', 'normal', 'normal', 'graceful'),
    fairShareStarvationTolerance: fc.constantFrom(0.2, 1),
    allocationPreemptionTimeout: fc.constantFrom(0, 500),
    nonPreemptibleResourceUsageThreshold: amounts(4),
    belowFairShareSince: since,
    starvingSince: since,
  },
  { requiredKeys: [] },
);

const pools = fc
  .array(
    fc.record({
      parent: fc.integer({ min: 0, max: 20 }),
      max: maybe(amounts(20)),
      guaranteed: maybe(amounts(12)),
      enforcing: fc.constantFrom(false, false, false, false, true),
      properties: poolProperties,
    }),
    { maxLength: 5 },
  )
  .map((given) => {
    const paths = ['root'];
    const isFifo = (path: string): boolean => queues.find((q) => q.path === path)?.properties.mode === 'fifo';
    const queues: { path: string; properties: Record<string, unknown>; [key: string]: unknown }[] = [];
    given.forEach(({ parent, ...rest }, i) => {
      const open = paths.filter((path) => !isFifo(path));
      const path = `${open[parent % open.length]}.q${i}`;
      paths.push(path);
      queues.push({ path, ...rest });
    });
    return queues;
  });

const settings = fc.record(
  {
    preemptionSatisfactionThreshold: fc.constantFrom(0.3, 0.5, 1, 1.5),
    aggressivePreemptionSatisfactionThreshold: fc.constantFrom(0, 0.2, 0.3),
    considerAllocationOnFairShareBoundPreemptible: fc.boolean(),
    enableAggressiveStarvation: fc.boolean(),
    enablePoolStarvation: fc.constantFrom(true, true, false),
    schedulingPreemptionPriorityScope: fc.constantFrom('operation_and_ancestors', 'operation_only'),
    allowPreemptionFromStarvingOperations: fc.boolean(),
    allowAggressivePreemptionForGangOperations: fc.boolean(),
    enableStepFunctionForGangOperations: fc.boolean(),
    enableAbsoluteFairShareStarvationTolerance: fc.boolean(),
    allocationCountPreemptionTimeoutCoefficient: fc.constantFrom(1, 4),
    fifoPoolSchedulingOrder: fc.constantFrom('satisfaction', 'fifo'),
    aggressiveStageFirst: fc.boolean(),
    mainResource: fc.constantFrom('vcore', 'memory', 'gpu'),
  },
  { requiredKeys: [] },
);

/** Small clusters in which whatever may happen does: ties, limits, guarantees, gangs, fifo pools, nodes that hold too much. */
export const fairShareCase: fc.Arbitrary<FairShareCase> = fc
  .record({
    nodes: fc.array(
      fc.record({
        vcore: fc.integer({ min: 0, max: 12 }),
        memory: fc.integer({ min: 0, max: 10 }),
        schedulable: fc.constantFrom(true, true, true, false),
        zone: fc.constantFrom('a', 'b'),
        overcommittedSince: maybe(fc.constantFrom(10, 20).map(before)),
        lastPreemptiveSchedulingAt: maybe(fc.constantFrom(3, 5, 6).map(before)),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    queues: pools,
    applications: fc.array(
      fc.record({
        pool: fc.integer({ min: 0, max: 20 }),
        submitted: fc.integer({ min: 0, max: 3 }),
        pending: fc.array(
          fc.record({
            resources: size,
            count: fc.integer({ min: 0, max: 4 }),
            nodeSelector: fc.constantFrom({}, {}, { zone: 'a' }),
          }),
          { maxLength: 2 },
        ),
        properties: operationProperties,
      }),
      { minLength: 1, maxLength: 6 },
    ),
    allocations: fc.array(
      fc.record({
        application: fc.integer({ min: 0, max: 20 }),
        node: maybe(fc.integer({ min: 0, max: 20 })),
        resources: size,
        started: fc.integer({ min: 0, max: 12 }),
        role: fc.constantFrom('task', 'task', 'task', 'originator', 'daemon'),
        allowPreemption: fc.constantFrom(true, true, false),
        protected: fc.constantFrom(false, false, false, false, true),
        state: fc.constantFrom('running', 'running', 'running', 'running', 'preempting'),
        interruptible: fc.boolean(),
      }),
      { maxLength: 24 },
    ),
    protect: maybe(fc.constantFrom({ allocations: ['a1', 'a2'] }, { applications: ['o1'] })),
    settings,
  })
  .map((given) => {
    const paths = ['root', ...given.queues.map(({ path }) => path)];
    const applications = given.applications.map(({ pool, submitted, ...rest }, i) => ({
      id: `o${i}`,
      queue: paths[pool % paths.length]!,
      submittedAt: before(3600 - submitted),
      ...rest,
    }));
    const allocations = given.allocations.map(({ application, node, started, ...rest }, i) => {
      const owner = applications[application % applications.length]!;
      const place = node === undefined ? {} : { node: `n${node % given.nodes.length}` };
      return {
        id: `a${i}`,
        application: owner.id,
        queue: owner.queue,
        ...place,
        startedAt: before(1000 - started),
        ...rest,
      } as SnapshotAllocation;
    });
    const snapshot = {
      apiVersion: 'curtail/v1',
      kind: 'ClusterSnapshot',
      takenAt: before(0),
      partition: 'default',
      nodes: given.nodes.map(({ vcore, memory, schedulable, zone, ...properties }, i) => ({
        id: `n${i}`,
        capacity: { vcore, memory },
        labels: { zone },
        schedulable,
        properties,
      })),
      queues: given.queues,
      applications,
      allocations,
    };
    return {
      snapshot: snapshot as unknown as ClusterSnapshot,
      settings: { ...given.settings, ...(given.protect === undefined ? {} : { protect: given.protect }) },
    };
  });

const crowdedPool = fc.record(
  {
    weight: fc.constantFrom(1, 2),
    enableAggressiveStarvation: fc.constantFrom(true, true, false),
    allowAggressivePreemption: fc.constantFrom(true, true, true, false),
    allowNormalPreemption: fc.constantFrom(true, true, true, false),
    belowFairShareSince: since,
  },
  { requiredKeys: ['enableAggressiveStarvation'] },
);

interface Crowd {
  nodes: { minLength: number; maxLength: number };
  /** How many allocations run on a node. */
  running: { minLength: number; maxLength: number };
  /** How much of each type one of them uses at most. */
  used: number;
  /** The most that an ask is for. */
  asked: { vcore: number; memory: number };
  /** The most allocations that an ask is for. */
  count: number;
}

/** Full nodes on which some operations hold nearly everything and others have waited for long: who goes, and where? */
const crowded = ({ nodes, running, used, asked, count }: Crowd): fc.Arbitrary<FairShareCase> =>
  fc
    .record({
      nodes: fc.array(
        fc.record({
          running: fc.array(
            fc.record({
              owner: fc.integer({ min: 0, max: 19 }),
              resources: fc.record({
                vcore: fc.integer({ min: 1, max: used }),
                memory: fc.integer({ min: 0, max: used - 1 }),
              }),
              started: fc.integer({ min: 0, max: 12 }),
              allowPreemption: fc.constantFrom(true, true, true, false),
              role: fc.constantFrom('task', 'task', 'task', 'task', 'daemon'),
            }),
            running,
          ),
          slack: fc.record({ vcore: fc.integer({ min: 0, max: 2 }), memory: fc.integer({ min: 0, max: 2 }) }),
          schedulable: fc.constantFrom(true, true, true, true, false),
          zone: fc.constantFrom('a', 'a', 'b'),
          lastPreemptiveSchedulingAt: maybe(fc.constantFrom(5, 6, 60).map(before)),
        }),
        nodes,
      ),
      pools: fc.array(crowdedPool, { minLength: 1, maxLength: 3 }),
      limit: maybe(fc.record({ vcore: fc.integer({ min: 4, max: 12 }) })),
      holders: fc.array(operationsIn(), { minLength: 1, maxLength: 4 }),
      waiting: fc.array(
        fc.record({
          in: operationsIn(),
          pending: fc.array(
            fc.record({
              resources: fc.record({
                vcore: fc.integer({ min: 1, max: asked.vcore }),
                memory: fc.integer({ min: 0, max: asked.memory }),
              }),
              count: fc.integer({ min: 1, max: count }),
              nodeSelector: fc.constantFrom({}, {}, {}, { zone: 'a' }),
            }),
            { minLength: 1, maxLength: 2 },
          ),
          since: fc.constantFrom(29, 31, 121, 500).map(before),
        }),
        { minLength: 1, maxLength: 4 },
      ),
      settings,
    })
    .map((given) => {
      const poolOf = (number: number): string => `root.q${number % given.pools.length}`;
      const holders = given.holders.map(({ pool, submitted, weight }, i) => ({
        id: `h${i}`,
        queue: poolOf(pool),
        submittedAt: before(3600 - submitted),
        pending: [] as object[],
        properties: { weight } as Record<string, unknown>,
      }));
      const waiting = given.waiting.map(({ in: { pool, submitted, weight }, pending, since: below }, i) => ({
        id: `w${i}`,
        queue: poolOf(pool),
        submittedAt: before(3600 - submitted),
        pending,
        properties: { weight, belowFairShareSince: below } as Record<string, unknown>,
      }));
      const applications = [...holders, ...waiting];
      const allocations = given.nodes.flatMap(({ running }, n) =>
        running.map(({ owner, started, ...rest }, i) => {
          // Now and then one of those that wait holds something too.
          const holder =
            owner < 18 ? holders[owner % holders.length]! : applications[owner % applications.length]!;
          const { id: application, queue } = holder;
          const [id, node, startedAt] = [`a${n}-${i}`, `n${n}`, before(1000 - started)];
          return { id, application, queue, node, startedAt, state: 'running', ...rest };
        }),
      );
      const snapshot = {
        apiVersion: 'curtail/v1',
        kind: 'ClusterSnapshot',
        takenAt: before(0),
        partition: 'default',
        nodes: given.nodes.map(({ running, slack, schedulable, zone, ...properties }, n) => ({
          id: `n${n}`,
          capacity: {
            vcore: running.reduce((sum, { resources }) => sum + resources.vcore, slack.vcore),
            memory: running.reduce((sum, { resources }) => sum + resources.memory, slack.memory),
          },
          labels: { zone },
          schedulable,
          properties,
        })),
        queues: given.pools.map((properties, i) => ({
          path: `root.q${i}`,
          properties,
          ...(i === 0 && given.limit !== undefined ? { max: given.limit } : {}),
        })),
        applications,
        allocations,
      };
      return { snapshot: snapshot as unknown as ClusterSnapshot, settings: given.settings };
    });

export const crowdedCase = crowded({
  nodes: { minLength: 1, maxLength: 5 },
  running: { minLength: 1, maxLength: 7 },
  used: 4,
  asked: { vcore: 6, memory: 4 },
  count: 4,
});

/** Nodes with many small allocations, of which a large ask needs several. Few asks have the same size, and each is for few allocations. */
export const manySmallCase = crowded({
  nodes: { minLength: 4, maxLength: 6 },
  running: { minLength: 8, maxLength: 30 },
  used: 2,
  asked: { vcore: 30, memory: 10 },
  count: 3,
});

function operationsIn(): fc.Arbitrary<{ pool: number; submitted: number; weight: number }> {
  return fc.record({
    pool: fc.integer({ min: 0, max: 20 }),
    submitted: fc.integer({ min: 0, max: 3 }),
    weight: fc.constantFrom(1, 1, 2),
  });
}
