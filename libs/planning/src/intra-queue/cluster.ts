import { InputError } from '#contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';

/**
 * The capacity of the cluster, by type of the snapshot: the nodes together; where no node names a capacity the max of the top
 * queues, of one without a max what it is guaranteed. docs/reference/policies/intra-queue.md §1.
 */
export function clusterCapacity({ capacity, queues, types }: QueueSnapshot): Float64Array {
  const cluster = capacity ?? new Float64Array(types.length);
  if (capacity === null) {
    for (let q = 0; q < queues.count; q = queues.end[q]!) {
      const limits = setSomewhere(queues.max, q, types.length) ? queues.max : queues.guaranteed;
      for (let type = 0; type < types.length; type++) {
        cluster[type]! += Math.max(0, limits[q * types.length + type]!);
      }
    }
  }
  const beyond = cluster.findIndex((amount) => amount > Number.MAX_SAFE_INTEGER);
  if (beyond < 0) return cluster;
  throw new InputError(
    capacity === null ? 'queues' : 'nodes',
    `the cluster has more ${types[beyond]} than ${Number.MAX_SAFE_INTEGER} (2^53 - 1); it must stay below`,
  );
}

function setSomewhere(table: Float64Array, queue: number, width: number): boolean {
  return table.subarray(queue * width, (queue + 1) * width).some((limit) => limit >= 0);
}
