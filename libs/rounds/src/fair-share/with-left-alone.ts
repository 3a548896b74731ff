import { type PolicySettings } from '@curtail/configuration';
import {
  type ClusterSnapshot,
  isWithin,
  type Protect,
  type SnapshotAllocation,
  totalOf,
} from '@curtail/contracts';
import { overBy, type Stop } from '@curtail/enforcement';
import type { LeftAlone } from './left-alone.js';

/**
 * The settings of a round, with what Curtail itself leaves alone at the moment as if it was protected: queues below a kill
 * switch, and whom an operator or the cluster has said no for lately. So others are chosen in their place, and no start is
 * planned that would need them. A switch of the whole partition changes nothing here: its plans are shown.
 *
 * A node that holds too much, and somebody of these, is left alone altogether: in their place those would have to go who stand
 * there with better right.
 */
export function withLeftAlone(
  configured: PolicySettings,
  stops: readonly Stop[],
  { applications, allocations }: LeftAlone,
  snapshot: Pick<ClusterSnapshot, 'nodes' | 'allocations'>,
): PolicySettings {
  const queues = stops.flatMap(({ queue }) => queue ?? []).sort();
  if (queues.length + applications.length + allocations.length === 0) return configured;
  const known = { applications: new Set(applications), allocations: new Set(allocations) };
  const isLeftAlone = ({ id, application, queue }: SnapshotAllocation) =>
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
      allocations: together(protect.allocations, [...allocations, ...overcommitted(snapshot, isLeftAlone)]),
    },
  };
}

/** All that runs on nodes which hold more than they have, and somebody who is left alone. */
function overcommitted(
  { nodes = [], allocations }: Pick<ClusterSnapshot, 'nodes' | 'allocations'>,
  isLeftAlone: (allocation: SnapshotAllocation) => boolean,
): string[] {
  const running = allocations.filter(({ state = 'running' }) => state === 'running');
  const concerned = new Set(running.filter(isLeftAlone).map(({ node }) => node));
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
      const over = overBy({ usage: totalOf(there), inFlight: {} }, capacity);
      return Object.keys(over).length > 0 ? there.map((allocation) => allocation.id) : [];
    })
    .sort();
}

const together = (configured: readonly string[] | null | undefined, added: readonly string[]) => [
  ...new Set([...(configured ?? []), ...added]),
];
