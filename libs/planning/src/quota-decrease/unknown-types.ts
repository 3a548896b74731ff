import { type Notice, ofQueue } from '#contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';

/**
 * Warns of types in `max` or `guaranteed` of the queue, its chain and the queues below it that no allocation, pending request
 * or node has, most likely misspelt: docs/reference/policies/quota-decrease.md §2.4 rule 7. One notice a type.
 */
export function unknownTypeNotices(snapshot: QueueSnapshot, queue: number): Notice[] {
  const { queues, types, typeInUse } = snapshot;
  const checked: number[] = [];
  for (let q = queues.parent[queue]!; q >= 0; q = queues.parent[q]!) checked.unshift(q);
  for (let q = queue; q < queues.end[queue]!; q++) checked.push(q);

  const notices: Notice[] = [];
  types.forEach((name, type) => {
    if (typeInUse[type] === 1) return;
    const named = checked.filter((q) => {
      const cell = q * types.length + type;
      return queues.max[cell]! >= 0 || queues.guaranteed[cell]! >= 0;
    });
    if (named.length === 0) return;
    const others = named.length === 1 ? '' : ` and ${named.length - 1} more`;
    const hint = name === 'cpu' ? '; vcore is meant' : '';
    notices.push({
      code: 'unknown-resource-type',
      message: `The type ${name} that queue ${queues.paths[named[0]!]}${others} sets is used by no allocation, pending request or node${hint}.`,
      about: ofQueue(queues.paths[named[0]!]!),
    });
  });
  return notices;
}
