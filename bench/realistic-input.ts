import type {
  ClusterSnapshot,
  Resources,
  SnapshotAllocation,
  SnapshotApplication,
  SnapshotQueue,
} from '#contracts';
import { numbers } from './inputs.js';

/** The parameters of a snapshot that resembles a real cluster. */
export interface RealisticShape {
  /** Another seed gives another cluster of the same kind. */
  seed: number;
  allocations: number;
  /** Children of the queue that is planned, on one level each, as in `Shape`. */
  fanOut: number[];
  /** A share of the applications waits, and every leaf is full: for rounds. */
  contended?: boolean;
  /** How many times as many users, sizes and priorities there are; 1 where it is left out. */
  variety?: number;
}

const takenAt = Date.UTC(2026, 10, 22, 10);
const twoWeeksMs = 14 * 86_400_000;
const sizeCount = 270;
const userCount = 200;

/** Priority classes of a cluster with batch and serving work, and how many of 1,000 applications have each; the last two are the system's. */
const priorities: [priority: number, ofThousand: number][] = [
  [-100, 80],
  [-10, 60],
  [0, 520],
  [10, 90],
  [100, 110],
  [500, 60],
  [1000, 50],
  [5000, 17],
  [10_000, 10],
  [2_000_000_000, 2],
  [2_000_001_000, 1],
];

/**
 * A cluster whose queue `root.p` may use 55 % of what it does. Sizes of leaves, popularity of users and of allocation sizes fall as
 * 1/rank; applications are heavy-tailed; ages too, over two weeks; priorities are classes, two of them the system's; sizes have
 * up to four types, and GPUs stand on a tenth of the nodes; gangs, daemons, originators, placeholders, and work that leaves or must
 * not be taken occur. The generator is a xorshift of the seed, so every machine draws the same.
 */
export function realisticSnapshot({
  seed,
  allocations: count,
  fanOut,
  contended = false,
  variety = 1,
}: RealisticShape): ClusterSnapshot {
  // A small seed leaves the generator among small numbers for a while.
  const next = numbers((seed * 2_654_435_761) | 1);
  for (let i = 0; i < 20; i++) next(2);
  const leaves = leavesOf(fanOut);
  const leafOf = zipf(leaves.length, next);
  const userOf = zipf(userCount * variety, next);
  const sizes = Array.from({ length: sizeCount * variety }, () => drawSize(next, variety));
  const sizeOf = zipf(sizes.length, next);
  const nodeCount = Math.max(1, Math.ceil(count / 60));

  const applications: SnapshotApplication[] = [];
  const allocations: SnapshotAllocation[] = [];
  const used = new Map<string, Resources>();
  while (allocations.length < count) {
    const queue = leaves[leafOf()]!;
    const number = applications.length;
    const id = `job-${number.toString(36)}-${next(1_000_000)}`;
    const begunMs = takenAt - ageMs(next);
    const members = Math.min(heavyTailed(next, 400), count - allocations.length);
    const size = sizes[sizeOf()]!;
    applications.push({
      id,
      queue,
      user: `user-${userOf()}`,
      priority: drawPriority(next, variety),
      submittedAt: new Date(begunMs).toISOString(),
      ...(next(20) === 0 ? { properties: { isGang: true } } : {}),
      ...(contended && next(3) === 0 ? { pending: [{ resources: size, count: 1 + next(60) }] } : {}),
    });
    for (let i = 0; i < members; i++) {
      const resources = next(5) === 0 ? sizes[sizeOf()]! : size;
      addTo(used, queue, resources);
      const gpu = (resources['nvidia.com/gpu'] ?? 0) > 0;
      allocations.push({
        id: `${id}-${i}`,
        uid: `uid-${number}-${i}`,
        application: id,
        queue,
        // The first tenth of the nodes has GPUs.
        node: `node-${gpu ? next(Math.ceil(nodeCount / 10)) : next(nodeCount)}`,
        resources,
        startedAt: new Date(begunMs + next(Math.max(1, Math.floor((takenAt - begunMs) / 2)))).toISOString(),
        ...kindOf(next, i, variety),
      });
    }
  }
  return {
    apiVersion: 'curtail/v1',
    kind: 'ClusterSnapshot',
    takenAt: new Date(takenAt).toISOString(),
    partition: 'default',
    ...(contended ? { nodes: [{ id: 'all', capacity: totalOf(used) }] } : {}),
    queues: contended ? fullQueues(leaves, used) : loweredQueues(leaves, used, next),
    applications,
    allocations,
  };
}

function leavesOf(fanOut: number[]): string[] {
  let leaves = ['root.p'];
  for (const width of fanOut)
    leaves = leaves.flatMap((path) => Array.from({ length: width }, (_, i) => `${path}.q${i}`));
  return leaves;
}

/** Draws a number below `count`; the one of rank r comes 1/r as often as the first, in an order of its own. */
function zipf(count: number, next: (below: number) => number): () => number {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) {
    sum += 1 / (rank + 1);
    sums[rank] = sum;
  }
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = next(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return () => {
    const drawn = (next(2 ** 30) / 2 ** 30) * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! < drawn) low = middle + 1;
      else high = middle;
    }
    return order[low]!;
  };
}

/** Mostly a few, sometimes hundreds. */
const heavyTailed = (next: (below: number) => number, most: number): number =>
  Math.min(most, Math.ceil(3 / Math.sqrt((1 + next(10_000)) / 10_000)));

/** Minutes as often as days, up to two weeks. */
const ageMs = (next: (below: number) => number): number =>
  Math.round(twoWeeksMs ** ((1 + next(1_000_000)) / 1_000_000) + next(1000));

/** With more variety a class has that many values, one after the other. */
function drawPriority(next: (below: number) => number, variety: number): number {
  let drawn = next(1000);
  for (const [priority, ofThousand] of priorities) {
    if (drawn < ofThousand) return variety === 1 ? priority : priority + next(variety) / variety;
    drawn -= ofThousand;
  }
  return 0;
}

function drawSize(next: (below: number) => number, variety: number): Resources {
  const vcore = [100, 250, 500, 1000, 1500, 2000, 4000, 8000, 16_000][next(9)]!;
  const memory = (1 + next(8)) * 2 ** (26 + next(8));
  return {
    vcore,
    memory: variety === 1 ? memory : memory + next(variety * 1000) * 1024,
    ...(next(3) === 0 ? { 'ephemeral-storage': (1 + next(16)) * 2 ** 29 } : {}),
    ...(next(12) === 0 ? { 'nvidia.com/gpu': 2 ** next(4) } : {}),
  };
}

function kindOf(
  next: (below: number) => number,
  place: number,
  variety: number,
): Partial<SnapshotAllocation> {
  const drawn = next(1000);
  return {
    ...(drawn < 30 ? { role: 'daemon' as const } : {}),
    ...(drawn >= 30 && place === 0 ? { role: 'originator' as const } : {}),
    ...(drawn >= 30 && drawn < 45 && place > 0 ? { role: 'placeholder' as const } : {}),
    ...(drawn >= 900 && drawn < 950 ? { allowPreemption: false } : {}),
    ...(drawn >= 950 && drawn < 955 ? { protected: true } : {}),
    ...(drawn >= 955 && drawn < 965 ? { state: 'releasing' as const } : {}),
    ...(drawn >= 965 ? { priority: drawPriority(next, variety) } : {}),
  };
}

function addTo(used: Map<string, Resources>, queue: string, resources: Resources): void {
  const sum: Record<string, number> = { ...used.get(queue) };
  for (const [type, amount] of Object.entries(resources)) sum[type] = (sum[type] ?? 0) + amount;
  used.set(queue, sum);
}

function totalOf(used: ReadonlyMap<string, Resources>): Resources {
  const total = new Map<string, Resources>();
  for (const resources of used.values()) addTo(total, '', resources);
  return total.get('') ?? {};
}

const share = (resources: Resources, of: number): Resources =>
  Object.fromEntries(Object.entries(resources).map(([type, amount]) => [type, Math.floor(amount * of)]));

/** The queues between `root.p` and the leaves. */
function parentsOf(leaves: string[]): { path: string }[] {
  const parents = new Set(leaves.map((path) => path.slice(0, path.lastIndexOf('.'))));
  return [...parents].filter((path) => path !== 'root.p' && path !== 'root').map((path) => ({ path }));
}

/** The max of the whole is lowered; every third leaf is guaranteed a part of what it uses. */
function loweredQueues(
  leaves: string[],
  used: ReadonlyMap<string, Resources>,
  next: (below: number) => number,
): SnapshotQueue[] {
  const top: SnapshotQueue = { path: 'root.p', max: share(totalOf(used), 0.55) };
  return [
    { path: 'root' },
    top,
    ...parentsOf(leaves),
    ...leaves
      .filter((path) => path !== 'root.p')
      .map((path) => {
        const uses = used.get(path);
        if (!uses || next(3) > 0) return { path };
        return { path, guaranteed: share(uses, 0.2 + next(40) / 100) };
      }),
  ];
}

function fullQueues(leaves: string[], used: ReadonlyMap<string, Resources>): SnapshotQueue[] {
  return [
    { path: 'root' },
    ...(leaves.includes('root.p') ? [] : [{ path: 'root.p' }]),
    ...parentsOf(leaves),
    ...leaves.map((path) => {
      const uses = used.get(path) ?? {};
      return { path, guaranteed: uses, max: uses, properties: { minimumUserLimitPercent: 5 } };
    }),
  ];
}
