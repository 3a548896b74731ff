import { InputError, shown } from '@curtail/contracts';
import { arrayAt, isAbsent, nameAt, objectAt } from '../fields.js';
import { readAmounts } from './amounts.js';
import type { TypeNames } from './type-names.js';

/**
 * Checks `nodes` of a snapshot, which may be absent, and meets their types.
 *
 * @returns what they have together, by preliminary number of the type; null where no node names a capacity.
 */
export function readNodes(input: unknown, types: TypeNames): number[] | null {
  if (isAbsent(input)) return null;
  let capacity: number[] | null = null;
  const seen = new Set<string>();
  arrayAt(input, 'nodes').forEach((value, i) => {
    const node = objectAt(value, `nodes[${i}]`);
    const id = nameAt(node.id, `nodes[${i}].id`);
    if (seen.has(id))
      throw new InputError(`nodes[${i}].id`, `the id ${shown(id)} is there twice; list each node once`);
    seen.add(id);
    if (!isAbsent(node.capacity)) {
      const sums: number[] = capacity ?? [];
      capacity = sums;
      readAmounts(node.capacity, `nodes[${i}].capacity`, (type, amount) => {
        const number = types.metInUse(type);
        sums[number] = (sums[number] ?? 0) + amount;
      });
    }
  });
  return capacity;
}
