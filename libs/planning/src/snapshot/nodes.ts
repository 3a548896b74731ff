import { InputError } from '@curtail/contracts/plain';
import { arrayAt, isAbsent, nameAt, objectAt } from '../fields.js';
import { shown } from '../shown.js';
import { readAmounts } from './amounts.js';
import type { TypeNames } from './type-names.js';

/** Checks `nodes` of a snapshot, which may be absent, and meets their types. */
export function readNodes(input: unknown, types: TypeNames): void {
  if (isAbsent(input)) return;
  const seen = new Set<string>();
  arrayAt(input, 'nodes').forEach((value, i) => {
    const node = objectAt(value, `nodes[${i}]`);
    const id = nameAt(node.id, `nodes[${i}].id`);
    if (seen.has(id))
      throw new InputError(`nodes[${i}].id`, `the id ${shown(id)} is there twice; list each node once`);
    seen.add(id);
    if (!isAbsent(node.capacity)) {
      readAmounts(node.capacity, `nodes[${i}].capacity`, (type) => types.metInUse(type));
    }
  });
}
