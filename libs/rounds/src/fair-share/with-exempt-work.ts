import type { PolicySettings } from '#configuration';
import {
  type ClusterSnapshot,
  isWithin,
  type Protect,
  type SnapshotAllocation,
  totalOfAllocations,
} from '#contracts';
import { overBy, type Stop } from '#enforcement';
import type { ExemptWork } from './fair-share-tables.js';

/**
 * The settings of a round, with work that Curtail itself does not select at the moment marked as protected: queues
 * below a kill switch, and victims that an operator rejected or the cluster refused lately. So others are chosen in
 * their place, and no start is planned that would need them. A switch of the whole partition changes nothing here: its
 * plans are shown.
 *
 * An overcommitted node with some of this work is exempt as a whole: otherwise victims with a better claim to the node
 * would go in its place.
 */
export function withExemptWork(
  configured: PolicySettings,
  stops: readonly Stop[],
  { applications, allocations }: ExemptWork,
  snapshot: Pick<ClusterSnapshot, 'nodes' | 'allocations'>,
): PolicySettings {
  const queues = stops.flatMap(({ queue }) => queue ?? []).sort();
  if (queues.length + applications.length + allocations.length === 0) return configured;
  const known = { applications: new Set(applications), allocations: new Set(allocations) };
  const isExempt = ({ id, application, queue }: SnapshotAllocation) =>
    known.allocations.has(id) ||
    known.applications.has(application) ||
    queues.some((above) => isWithin(queue, above));
  const protect = (configured.protect ?? {}) as Protect;
  return {
    ...configured,
    protect: {
      ...protect,
      queues: together(protect.queues, queues),
      applications: together(protect.applications, applications),
      allocations: together(protect.allocations, [...allocations, ...overcommitted(snapshot, isExempt)]),
    },
  };
}

/** All allocations on overcommitted nodes that have exempt work. */
function overcommitted(
  { nodes = [], allocations }: Pick<ClusterSnapshot, 'nodes' | 'allocations'>,
  isExempt: (allocation: SnapshotAllocation) => boolean,
): string[] {
  const running = allocations.filter(({ state = 'running' }) => state === 'running');
  const concerned = new Set(running.filter(isExempt).map(({ node }) => node));
  const byNode = new Map<string, SnapshotAllocation[]>();
  for (const allocation of running) {
    const { node } = allocation;
    if (node === undefined || !concerned.has(node)) continue;
    const there = byNode.get(node);
    if (there) there.push(allocation);
    else byNode.set(node, [allocation]);
  }
  return nodes
    .flatMap(({ id, capacity = {} }) => {
      const there = byNode.get(id) ?? [];
      const over = overBy({ usage: totalOfAllocations(there), inFlight: {} }, capacity);
      return Object.keys(over).length > 0 ? there.map((allocation) => allocation.id) : [];
    })
    .sort();
}

const together = (configured: readonly string[] | null | undefined, added: readonly string[]) => [
  ...new Set([...(configured ?? []), ...added]),
];
