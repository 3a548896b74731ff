import type { QueueSnapshot } from '../snapshot/by-queue.js';
import type { OrderKeys } from './order.js';

/** Candidates that are equal by all rules up to 3 are of one class: docs/reference/policies/quota-decrease.md §5. */
export interface Classes {
  /** By allocation, set for candidates: the smaller goes first. */
  readonly of: Float64Array;
  /** Above all of them. */
  readonly limit: number;
}

export function classesOf(snapshot: QueueSnapshot, keys: OrderKeys, candidates: Int32Array): Classes {
  const { count, role, optedOut, size } = snapshot.allocations;
  const { priorityNumber, priorityCount } = snapshot.order;
  const { distance } = keys;
  let farthest = 0;
  if (distance !== null) for (const far of distance) if (far > farthest) farthest = far;
  const roles = 3;
  const of = new Float64Array(count);
  for (let i = 0; i < candidates.length; i++) {
    const a = candidates[i]!;
    const far = distance === null ? 0 : distance[size[a]!]!;
    of[a] = ((far * roles + role[a]!) * priorityCount + priorityNumber[a]!) * 2 + optedOut[a]!;
  }
  return { of, limit: (farthest + 1) * roles * priorityCount * 2 };
}
