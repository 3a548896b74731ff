import type { Problems } from '../problems.js';
import { quantityText } from '../quantity-text.js';
import type { QueueTree } from '../tree.js';

/**
 * The guarantees of children add up to at most that of their pool, for each type; a type that it does not name
 * is 0. A guarantee above the pool's own limit is cut to it. docs/reference/policies/fair-share.md §15
 */
export function checkGuarantees(pool: QueueTree, problems: Problems): void {
  const sums = new Map<string, bigint>();
  for (const child of pool.children) {
    for (const [type, { value }] of child.guaranteed) sums.set(type, (sums.get(type) ?? 0n) + value);
  }
  for (const [type, sum] of sums) {
    const own = pool.guaranteed.get(type);
    if (sum <= (own?.value ?? 0n)) continue;
    const origin = own?.origin ?? pool.guaranteedOrigin;
    const has = own === undefined ? 'none of its own' : `the ${quantityText(type, own.value)} of its own`;
    problems.error(
      origin.path,
      `the pools of ${pool.path} are guaranteed ${quantityText(type, sum)} ${type}, more than ${has}; raise it, or lower theirs`,
      origin,
    );
  }
  for (const [type, { value, origin }] of pool.guaranteed) {
    const limit = pool.max.get(type)?.value;
    if (limit !== undefined && value > limit) {
      const message = `guaranteed ${quantityText(type, value)} ${type} is above the limit of the pool, ${quantityText(type, limit)}, which holds`;
      problems.warning('guarantee-above-limit', origin.path, message, origin);
    }
  }
  for (const child of pool.children) checkGuarantees(child, problems);
}
