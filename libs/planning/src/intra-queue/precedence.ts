import type { LeafQueue } from './leaf-queue.js';
import type { Round } from './round.js';

/**
 * The applications of a queue, the most entitled first: docs/reference/policies/intra-queue.md §5.2. Sorting keeps the order of those
 * that are equal, and the queue has them by submission, then id; so every order here ends in the id.
 */
export function byPrecedence(round: Round, leaf: LeafQueue): Int32Array {
  const { arithmetic, applicationSort, sortKey } = round;
  const { priorityPlace, priorityCount } = round.applicationOrder;
  const ranked = leaf.applications.slice();
  const isFair = round.properties.of(leaf.number).orderingPolicy !== 'fifo';
  if (leaf.policy === 'priority-first' || !isFair) {
    applicationSort.sort(ranked, priorityPlace, priorityCount);
    return ranked;
  }
  // The last rule first: a sort keeps the order of equals.
  const memory = arithmetic.names.indexOf('memory');
  let most = 0;
  for (let i = 0; memory >= 0 && i < ranked.length; i++) {
    const used = round.usage.used[ranked[i]! * arithmetic.width + memory]!;
    sortKey[ranked[i]!] = used;
    if (used > most) most = used;
  }
  if (memory >= 0) applicationSort.sort(ranked, sortKey, most + 1);
  const placeOfUser = usersByExcess(round, leaf);
  for (let i = 0; i < ranked.length; i++) sortKey[ranked[i]!] = placeOfUser[round.userOf[ranked[i]!]!]!;
  applicationSort.sort(ranked, sortKey, leaf.users.count);
  return ranked;
}

/** By user, its place: who is the least above its limit first, ties by the first application. */
function usersByExcess({ arithmetic }: Round, { users: { count, excess } }: LeafQueue): Int32Array {
  const { width } = arithmetic;
  const users = Array.from({ length: count }, (_, user) => user);
  users.sort((a, b) => arithmetic.compareRows(excess, a * width, excess, b * width));
  const place = new Int32Array(count);
  for (let i = 0; i < count; i++) place[users[i]!] = i;
  return place;
}
