import type { Application, LeafQueue, User } from './leaf-queue.js';
import type { Round } from './round.js';

/**
 * The applications of a queue, the most entitled first: docs/reference/policies/intra-queue.md §5.2. Sorting keeps the order of those
 * that are equal, and the queue has them by submission, then id; so every order here ends in the id.
 */
export function byPrecedence(round: Round, leaf: LeafQueue): Application[] {
  const isFair = round.properties.of(leaf.number).orderingPolicy !== 'fifo';
  if (leaf.policy === 'priority-first' || !isFair) {
    return leaf.applications.toSorted((a, b) => b.priority - a.priority);
  }
  const { arithmetic } = round;
  const memory = arithmetic.names.indexOf('memory');
  const usedMemory = ({ used }: Application): number => (memory < 0 ? 0 : used[memory]!);
  const rank = new Map<User, number>();
  for (const user of leaf.users.toSorted((a, b) => arithmetic.compare(a.excess, b.excess))) {
    rank.set(user, rank.size);
  }
  return leaf.applications.toSorted(
    (a, b) => rank.get(a.user)! - rank.get(b.user)! || usedMemory(a) - usedMemory(b),
  );
}
